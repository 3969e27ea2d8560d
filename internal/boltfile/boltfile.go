// Package boltfile makes and opens bbolt files with what bbolt leaves to its
// callers: a file is complete or not there, a damaged one is an error instead of
// the end of the process, and a second process does not wait for ever.
package boltfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

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

// Open opens a file with the options that keep bbolt fast and honest: a freelist
// that is not rewritten with each commit, and a limit on waiting for the lock.
// The errors are ErrDamaged, ErrLocked or what the file system says.
func Open(path string, o Options) (*bbolt.DB, error) {
	if err := (&examiner{loaded: o.Loaded}).examine(path); err != nil {
		return nil, err
	}
	options := &bbolt.Options{
		Timeout:        LockWait,
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		ReadOnly:       o.ReadOnly,
	}
	if runtime.GOOS != "windows" && !o.ReadOnly { // there the file becomes as large as the map
		options.InitialMmapSize = o.MapSize
	}
	db, err := bbolt.Open(path, 0o600, options)
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, ErrLocked
	}
	return db, err
}

// Close closes a file. It writes the list of free pages once, which makes the
// next Open fast. Nobody may write meanwhile.
func Close(db *bbolt.DB) error {
	if db.IsReadOnly() {
		return db.Close()
	}
	db.NoFreelistSync = false
	err := db.Update(func(*bbolt.Tx) error { return nil })
	if err != nil {
		err = fmt.Errorf("write free pages of %s: %w", db.Path(), err)
	}
	return errors.Join(err, db.Close())
}
