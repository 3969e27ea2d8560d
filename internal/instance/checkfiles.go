package instance

import (
	"context"
	"errors"
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

// pageOfFiles is how many records are read in a transaction.
const pageOfFiles = 1000

// checkFiles compares the directory of local files with the records: each file that is
// ready must have its content with its size, and what nobody refers to is noted. Nobody
// may write to either meanwhile.
func checkFiles(ctx context.Context, dir string, db *store.Store, report *integrity.Report) error {
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

// nothing is a directory that is not there.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

type filesCheck struct {
	db      *store.Store
	content fs.FS
	report  *integrity.Report
}

// records looks for the content of each file.
func (c *filesCheck) records(ctx context.Context) error {
	for last := store.FileID(""); ; {
		page, err := store.Read(c.db, func(tx *store.Tx) ([]*store.File, error) { return tx.FilesAfter(last, pageOfFiles) })
		if err != nil || len(page) == 0 {
			return err
		}
		for _, f := range page {
			if err := errors.Join(ctx.Err(), c.record(f)); err != nil {
				return err
			}
		}
		last = page[len(page)-1].ID
	}
}

func (c *filesCheck) record(f *store.File) error {
	name := ""
	switch {
	case f.Status == store.FileReady && f.Backend == store.LocalStorage:
		name = path.Join(datadir.Objects, files.DiskPath(f.ObjectKey))
	case f.Status == store.FilePending && f.Source == store.FileUploaded:
		name = path.Join(datadir.StagedFiles, string(f.ID))
	default:
		return nil
	}
	info, err := fs.Stat(c.content, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid):
		c.report.Add(integrity.Object, f.ObjectKey, "%s is missing", name)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() != f.Size:
		c.report.Add(integrity.Object, f.ObjectKey, "%s has %d bytes, not %d", name, info.Size(), f.Size)
	}
	return nil
}

// objects looks for contents that belong to no file.
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

// staged looks for what waits for a file that is not there.
func (c *filesCheck) staged(ctx context.Context) error {
	return c.each(ctx, datadir.StagedFiles, func(name string) error {
		f, err := c.file(path.Base(name))
		if err == nil && f == nil {
			c.report.Add(integrity.StagedFile, name, "there is no file with this id")
		}
		return err
	})
}

// file reads a record; nil when there is none.
func (c *filesCheck) file(id string) (*store.File, error) {
	f, err := store.Read(c.db, func(tx *store.Tx) (*store.File, error) { return tx.FileByID(store.FileID(id)) })
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return f, err
}

// each visits the files below a folder, which may be missing.
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
