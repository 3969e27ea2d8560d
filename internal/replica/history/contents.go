package history

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"svc/internal/datadir"
	"svc/internal/durable"
	"svc/internal/files"
	"svc/internal/replica/format"
	"svc/internal/replica/target"
	"svc/store"
)

// Contents describes the contents of the local files that a state names.
type Contents struct {
	Files   int   // number of local files
	Bytes   int64 // their size
	Missing int   // number of them whose content is not at the target
}

// FetchContents downloads the contents of local files to the data directory dir, as named by the records in it. It uses
// the default storage directory of a server, and counts the contents that are not at the target. The error is an
// *Error, or comes from the database or the file system.
func (h *History) FetchContents(ctx context.Context, dir string) (Contents, error) {
	return h.eachContent(dir, func(f *store.File) error {
		to := filepath.Join(dir, datadir.Files, datadir.Objects, filepath.FromSlash(files.DiskPath(f.ObjectKey)))
		if err := durable.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return h.fetch(ctx, f, to)
	})
}

// pageOfFiles is the number of file records that one transaction reads.
const pageOfFiles = 1000

// eachContent calls visit for each local file with complete content in the records of a folder. It counts the calls
// that return target.ErrMissing.
func (h *History) eachContent(dir string, visit func(*store.File) error) (c Contents, err error) {
	db, err := store.Open(filepath.Join(dir, datadir.Database), store.Options{ReadOnly: true})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for last := store.FileID(""); ; {
		page, err := store.Read(db, func(tx *store.Tx) ([]*store.File, error) { return tx.FilesAfter(last, pageOfFiles) })
		if err != nil || len(page) == 0 {
			return c, err
		}
		for _, f := range page {
			last = f.ID
			if f.Backend != store.LocalStorage || f.Status != store.FileReady {
				continue
			}
			c.Files++
			c.Bytes += f.Size
			if err := visit(f); errors.Is(err, target.ErrMissing) {
				c.Missing++
			} else if err != nil {
				return c, err
			}
		}
	}
}

// fetch stores the content of a file at a path, which must not exist.
func (h *History) fetch(ctx context.Context, f *store.File, to string) (err error) {
	name := format.ContentName(f.SHA256)
	content, _, err := h.target.Open(ctx, name)
	if err != nil {
		return &Error{name, err}
	}
	defer content.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = copyContent(file, content, name); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// copyContent copies a content, and compares its checksum with the name of the object.
func copyContent(to io.Writer, from io.Reader, name string) error {
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), from); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != path.Base(name) {
		return &Error{name, fmt.Errorf("%w: it differs from the checksum in its name", format.ErrInvalid)}
	}
	return nil
}

// verifyContents reads all contents at the target and returns the names of the objects.
func (h *History) verifyContents(ctx context.Context) (names map[string]bool, err error) {
	names = map[string]bool{}
	err = h.target.List(ctx, format.Contents, func(o target.Object) error {
		if len(o.Name) == len(format.ContentName(strings.Repeat("0", 2*sha256.Size))) {
			names[o.Name] = true
		}
		return nil
	})
	for name := range names {
		if err != nil {
			return names, err
		}
		err = h.verifyContent(ctx, name)
		if errors.Is(err, target.ErrMissing) { // it was deleted meanwhile
			delete(names, name)
			err = nil
		}
	}
	return names, err
}

func (h *History) verifyContent(ctx context.Context, name string) error {
	content, _, err := h.target.Open(ctx, name)
	if err != nil {
		return &Error{name, err}
	}
	defer content.Close()
	return copyContent(io.Discard, content, name)
}
