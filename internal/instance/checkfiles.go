package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/integrity"
	"svc/store"
)

// pageOfFiles is the number of file records that one transaction reads.
const pageOfFiles = 1000

// CheckFiles compares dir, the directory of local files, with the file records in db. Each ready
// file must have content of the right size. Content without a record is reported as a note.
//
// A server may write to dir and to db during the check. Operations of the server that are in
// progress cause no findings, with one exception: content may be reported as a note if its upload
// is completed or its file is deleted during the check.
func CheckFiles(ctx context.Context, dir string, db *store.Store, report *integrity.Report) error {
	report.Begin(datadir.Files)
	c := filesCheck{db: db, report: report}
	root, err := os.OpenRoot(dir)
	switch {
	case err == nil:
		defer root.Close()
		c.content = root.FS()
	case errors.Is(err, fs.ErrNotExist):
		c.content = nothing{}
	default:
		return err
	}
	return errors.Join(c.records(ctx), c.objects(ctx), c.staged(ctx))
}

// nothing is the file system of a directory that does not exist.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type filesCheck struct {
	db      *store.Store
	content fs.FS
	report  *integrity.Report
}

// records checks the content of every file that has a record.
func (c *filesCheck) records(ctx context.Context) error {
	for last := store.FileID(""); ; {
		page, err := store.Read(c.db, func(tx *store.Tx) ([]*store.File, error) { return tx.FilesAfter(last, pageOfFiles) })
		if err != nil || len(page) == 0 {
			return err
		}
		for _, f := range page {
			err := ctx.Err()
			if err == nil {
				err = c.record(f)
			}
			if err != nil {
				return err
			}
		}
		last = page[len(page)-1].ID
	}
}

// record checks the content of a file. If the content is missing, but the status of the file has
// changed since f was read, the server has moved or deleted the content, and record reports
// nothing.
func (c *filesCheck) record(f *store.File) error {
	what, err := c.problem(f)
	if err != nil || what == "" {
		return err
	}
	now, err := c.file(string(f.ID))
	if err == nil && now != nil && now.Status == f.Status {
		c.report.Add(integrity.Object, f.ObjectKey, "%s", what)
	}
	return err
}

// problem describes the problem with the content of a file. It returns "" if the content is intact
// or need not be in local storage.
func (c *filesCheck) problem(f *store.File) (what string, err error) {
	object := path.Join(datadir.Objects, files.DiskPath(f.ObjectKey))
	staged := path.Join(datadir.StagedFiles, string(f.ID))
	switch local := f.Backend == store.LocalStorage; {
	case f.Status == store.FileReady && local:
		return c.compare(object, f.Size)
	case f.Status != store.FilePending || f.Source != store.FileUploaded:
		return "", nil
	case !local:
		return c.compare(staged, f.Size)
	}
	if what, err = c.compare(staged, f.Size); err == nil && what != "" {
		if moved, err := c.compare(object, f.Size); err != nil || moved == "" {
			return "", err // the content has been moved, but the file is not recorded as ready yet
		}
	}
	return what, err
}

// compare describes the problem if a file does not exist or does not have the given size,
// and returns "" otherwise.
func (c *filesCheck) compare(name string, size int64) (what string, err error) {
	info, err := fs.Stat(c.content, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		return name + " is missing", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() != size:
		return fmt.Sprintf("%s has %d bytes, not %d", name, info.Size(), size), nil
	}
	return "", nil
}

// objects reports each content in the directory of objects that does not belong to a file record.
func (c *filesCheck) objects(ctx context.Context) error {
	return c.each(ctx, datadir.Objects, func(name string) error {
		key := strings.TrimPrefix(name, datadir.Objects+"/")
		id := path.Base(path.Dir(key))
		f, err := c.file(id)
		if err == nil && (f == nil || files.DiskPath(f.ObjectKey) != key) {
			c.report.Add(integrity.SpareFile, name, "there is no file with this content")
		}
		return err
	})
}

// staged reports each content in the directory of staged files that does not belong to a file
// record.
func (c *filesCheck) staged(ctx context.Context) error {
	return c.each(ctx, datadir.StagedFiles, func(name string) error {
		f, err := c.file(path.Base(name))
		if err == nil && f == nil {
			c.report.Add(integrity.StagedFile, name, "there is no file with this id")
		}
		return err
	})
}

// file returns the record of a file, or nil if there is none.
func (c *filesCheck) file(id string) (*store.File, error) {
	f, err := store.Read(c.db, func(tx *store.Tx) (*store.File, error) { return tx.FileByID(store.FileID(id)) })
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return f, err
}

// each calls visit for every file below the folder dir, with the path of the file in c.content. The
// folder need not exist.
func (c *filesCheck) each(ctx context.Context, dir string, visit func(name string) error) error {
	return fs.WalkDir(c.content, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir():
			return nil
		}
		return visit(name)
	})
}
