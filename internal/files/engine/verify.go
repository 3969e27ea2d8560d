package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"svc/internal/fault"
	"svc/internal/files/storage"
	"svc/store"
)

// VerifyAll verifies, in all projects, the signatures that cannot be verified without reading the
// signed file. It stores the results.
func (e *Engine) VerifyAll(ctx context.Context) error {
	var all []store.ProjectID
	for _, p := range e.DB.Projects() {
		all = append(all, p.ID)
	}
	return e.Verify(ctx, all)
}

// Verify verifies, in the given projects, the signatures that cannot be verified without reading
// the signed file. It stores the results. A file that cannot be read does not prevent the others
// from being read.
func (e *Engine) Verify(ctx context.Context, projects []store.ProjectID) error {
	failed := 0
	var last error
	for _, p := range projects {
		work, err := store.Read(e.DB, func(tx *store.Tx) ([]*store.Verification, error) { return tx.Verifications(p) })
		if err != nil {
			return err
		}
		for _, v := range work {
			err := e.ReadSigned(ctx, v)
			if err == nil {
				err = e.DB.Update(func(tx *store.Tx) error { return tx.PutChecks(p, v.File.ID, v.Results()) })
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil && !fault.Is(err, fault.NotFound) { // otherwise the file has been deleted
				failed++
				last = fmt.Errorf("file %s: %w", v.File.ID, err)
			}
		}
	}
	if failed > 1 {
		return fmt.Errorf("%d signed files cannot be read, among them %w", failed, last)
	}
	return last
}

// ReadSigned passes the content of a file to the checks of its signatures. Its memory use does not
// depend on the size of the file.
func (e *Engine) ReadSigned(ctx context.Context, v *store.Verification) error {
	f := v.File
	backend, err := e.backendOf(f.Backend)
	if err != nil {
		return err
	}
	object := storage.Object{Key: f.ObjectKey, Size: f.Size, PartSize: f.PartSize}
	content, err := backend.Open(ctx, object, 0, f.Size)
	if err != nil {
		return err
	}
	to := make([]io.Writer, len(v.Checks))
	for i, c := range v.Checks {
		to[i] = c
	}
	n, err := io.CopyBuffer(io.MultiWriter(to...), io.LimitReader(content, f.Size), make([]byte, 1<<20))
	if err = errors.Join(err, content.Close()); err == nil && n < f.Size {
		err = io.ErrUnexpectedEOF
	}
	return err
}
