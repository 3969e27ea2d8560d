package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"svc/api/analytics"
	"svc/internal/files/storage"
	"svc/internal/transfer"
	"svc/store"
)

// maxOmitted limits the number of omitted files that the response to an export names, because
// clients limit the length of trailers.
const maxOmitted = 20

// fileContents writes the contents of files with the status ready. It omits contents that cannot be
// read, and records the reasons.
func (x *exporter) fileContents() error {
	x.problems, x.contents.Which = map[store.FileID]string{}, []store.FileID{}
	if x.bare {
		return nil
	}
	backends := map[string]storage.Backend{}
	return x.tx.EachFile(x.project.ID, func(f *store.File) error {
		problem := fmt.Sprintf("the file is %s", f.Status)
		if f.Status == store.FileReady {
			var err error
			if problem, err = x.content(backends, f); err != nil {
				return err
			}
		}
		if problem == "" {
			x.contents.Files++
			x.contents.Bytes += f.Size
			return nil
		}
		x.problems[f.ID] = problem
		if x.contents.Omitted++; x.contents.Omitted <= maxOmitted {
			x.contents.Which = append(x.contents.Which, f.ID)
		}
		return nil
	})
}

// content writes the content of a file. If the content cannot be read, it returns the reason in
// problem, and a nil error.
func (x *exporter) content(backends map[string]storage.Backend, f *store.File) (problem string, err error) {
	if err := x.ctx.Err(); err != nil {
		return "", err
	}
	from, cause := x.open(backends, f)
	if cause != nil {
		return explain(cause), x.ctx.Err()
	}
	source := &source{Reader: io.LimitReader(from, f.Size)}
	size, sum, err := x.out.Content(string(f.ID), source)
	cause = errors.Join(source.failed, from.Close())
	switch {
	case x.ctx.Err() != nil:
		return "", x.ctx.Err()
	case cause != nil:
		return explain(cause), nil
	case err != nil:
		return "", fmt.Errorf("%s%s: %w", transfer.ContentFolder, f.ID, err)
	case size != f.Size || sum != f.SHA256:
		return "what its storage has is not what was uploaded: its size or SHA-256 differs", nil
	}
	return "", nil
}

// source is a reader that stores the error of a failed read.
type source struct {
	io.Reader
	failed error
}

// Read reads from the wrapped reader and stores an error other than io.EOF.
func (s *source) Read(room []byte) (n int, err error) {
	n, err = s.Reader.Read(room)
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}

// open opens the content of a file in the storage that contains it.
func (x *exporter) open(backends map[string]storage.Backend, f *store.File) (io.ReadCloser, error) {
	backend := backends[f.Backend]
	if backend == nil {
		record, err := x.tx.StorageBackend(f.Backend)
		if err != nil {
			return nil, err
		}
		if backend, err = x.files.Open(record); err != nil {
			return nil, err
		}
		backends[f.Backend] = backend
	}
	return backend.Open(x.ctx, storage.Object{Key: f.ObjectKey, Size: f.Size, PartSize: f.PartSize}, 0, f.Size)
}

// explain returns the reason to state in the record of a file that could not be read.
func explain(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "its storage does not have it"
	}
	return err.Error()
}

// fileRecords writes the records of files. It must run after their contents have been written.
func (x *exporter) fileRecords() error {
	return x.tx.EachFile(x.project.ID, func(f *store.File) error {
		problem := x.problems[f.ID]
		if x.bare {
			problem = "the export left contents out"
		}
		return x.line(exportedFile{
			ID: f.ID, Filename: f.Filename, Size: f.Size, SHA256: analytics.NilIfEmpty(&f.SHA256), Source: f.Source,
			SourceURL: analytics.NilIfEmpty(&f.SourceURL),
			ObjectKey: f.ObjectKey, CreatedAt: f.CreatedAt, Status: f.Status, Content: problem == "", Problem: analytics.NilIfEmpty(&problem),
			Kept: f.KeptSignatures(),
		})
	})
}
