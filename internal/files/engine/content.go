package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/files/digest"
	"svc/internal/files/storage"
	"svc/internal/signature"
	"svc/store"
)

// setSums sets the checksums in the record of a file.
func setSums(f *store.File, sums digest.Sums) {
	f.SHA256, f.SHA1, f.SHA512, f.BLAKE2b = sums.SHA256, sums.SHA1, sums.SHA512, sums.BLAKE2b
}

// Describe sets the checksums of a file, and the facts that it reads from the content at the given
// path. If the content cannot be read, for example because an interrupted registration has already
// moved it, a job reads it later. If the content must not be stored, the error is
// signature.ErrPrivate, and the checksums are not set.
func (e *Engine) Describe(f *store.File, sums digest.Sums, path string) error {
	content, err := os.Open(path)
	if err != nil {
		setSums(f, sums)
		return nil //nolint:nilerr // see above
	}
	defer content.Close()
	switch facts, err := e.readFacts(f, content); {
	case errors.Is(err, signature.ErrPrivate):
		return err
	case err != nil:
		e.Log.Warn("cannot read what a file contains; trying again later", "file", f.ID, "error", err)
	default:
		f.Facts = &facts
	}
	setSums(f, sums)
	return nil
}

// errPrivate is the error text of a file that has failed because its content must not be stored.
const errPrivate = "the file contains a private key; keep it in your CI"

// readFacts reads the facts of one file at a time, because reading may need much memory.
func (e *Engine) readFacts(f *store.File, content io.ReaderAt) (asset.Facts, error) {
	e.reading.Lock()
	defer e.reading.Unlock()
	return asset.ReadFacts(f.Filename, content, f.Size)
}

// ReadContents reads the content of each ready file that has not been read yet, and stores the
// checksums and facts. These are files that an earlier version of the program has stored. A file
// that cannot be read does not prevent the others from being read.
func (e *Engine) ReadContents(ctx context.Context) error {
	const atOnce = 100 // records in memory
	failed, after := 0, store.FileID("")
	var last error
	for {
		list, err := store.Read(e.DB, func(tx *store.Tx) ([]*store.File, error) { return tx.UnreadFiles(after, atOnce) })
		if err != nil {
			return err
		}
		for _, f := range list {
			after = f.ID
			err := e.readContent(ctx, f)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil && !fault.Is(err, fault.NotFound) { // otherwise the file has been deleted
				failed++
				last = fmt.Errorf("file %s: %w", f.ID, err)
			}
		}
		switch {
		case len(list) == atOnce:
		case failed > 1:
			return fmt.Errorf("%d contents cannot be read, among them %w", failed, last)
		default:
			return last
		}
	}
}

// readContent reads the content of a ready file, and stores its checksums and facts. It stores
// neither if the SHA-256 of the content differs from that of the upload.
func (e *Engine) readContent(ctx context.Context, f *store.File) error {
	backend, err := e.backendOf(f.Backend)
	if err != nil {
		return err
	}
	object := storedObject{ctx, backend, storage.Object{Key: f.ObjectKey, Size: f.Size, PartSize: f.PartSize}}
	content, err := backend.Open(ctx, object.Object, 0, f.Size)
	if err != nil {
		return err
	}
	hash := digest.New()
	_, err = io.CopyBuffer(hash, io.LimitReader(content, f.Size), make([]byte, 1<<20))
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	facts := asset.Facts{Unreadable: true}
	if sums := hash.Sums(); sums.SHA256 == f.SHA256 {
		setSums(f, sums)
		facts, err = e.readFacts(f, object)
		if errors.Is(err, signature.ErrPrivate) {
			return e.DB.Update(func(tx *store.Tx) error {
				_, err := tx.RefuseContent(f.Project, f.ID, errPrivate, tx.Now().Unix())
				return err
			})
		}
		if err != nil {
			return err
		}
	} else {
		e.Log.Error("the storage has another content than the one that was uploaded", "file", f.ID, "object", f.ObjectKey)
	}
	f.Facts = &facts
	return e.DB.Update(func(tx *store.Tx) error { return tx.PutFileContent(f) })
}

// storedObject implements io.ReaderAt for an object in its storage.
type storedObject struct {
	ctx context.Context
	storage.Backend
	storage.Object
}

// ReadAt implements io.ReaderAt.
func (o storedObject) ReadAt(p []byte, offset int64) (int, error) {
	length := min(int64(len(p)), o.Size-offset)
	if length <= 0 {
		return 0, io.EOF
	}
	from, err := o.Open(o.ctx, o.Object, offset, length)
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(from, p[:length])
	if err = errors.Join(err, from.Close()); err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}
