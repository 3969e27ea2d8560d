package boltfile

import (
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// Image is what a file held at one moment. While it is open, pages that are
// given up meanwhile stay in the file: copy it, close it, and only then look at
// the copy or send it.
type Image struct{ tx *bbolt.Tx }

// Take makes an image of an open file.
func Take(db *DB) (*Image, error) {
	tx, err := db.Begin(false)
	if err != nil {
		return nil, err
	}
	return &Image{tx}, nil
}

// Bytes is how large a copy is.
func (s *Image) Bytes() int64 { return s.tx.Size() }

// Copy writes the image to a new file at path and syncs it. After an error
// nothing is left there.
func (s *Image) Copy(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = s.tx.WriteTo(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("copy to %s: %w", path, err), os.Remove(path))
	}
	return nil
}

// Close lets go of the image.
func (s *Image) Close() error { return s.tx.Rollback() }
