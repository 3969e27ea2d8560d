// Package boltfile makes and opens bbolt files with what bbolt leaves to its
// callers: a file is complete or not there, a damaged one is an error instead of
// the end of the process, and a second process does not wait for ever.
package boltfile

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/durable"
)

// LockWait is how long is waited for another process to let go of a file.
const LockWait = 2 * time.Second

var (
	// ErrNewer is for a file written by a newer program.
	ErrNewer = errors.New("written by a newer version of svc")
	// ErrDamaged is for a file that cannot be read.
	ErrDamaged = errors.New("damaged")
	// ErrLocked is for a file that another process has open.
	ErrLocked = errors.New("in use by another process")
)

// Options say how a file is opened.
type Options struct {
	// MapSize is the address space that is taken at once, in bytes, so that a
	// file that grows does not wait for readers.
	MapSize int
	// Loaded are the buckets that opening goes on to read. After a clean stop
	// only they are examined; nil is all.
	Loaded [][]byte
	// ReadOnly is for those who only look.
	ReadOnly bool
}

// Create makes a file with layOut under a temporary name and renames it, unless
// there is one, so that a power cut leaves nothing behind that could not be
// opened.
func Create(path string, layOut func(*bbolt.Tx) error) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	temp := path + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	db, err := bbolt.Open(temp, 0o600, &bbolt.Options{Timeout: LockWait})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Update(layOut), db.Sync(), db.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}
