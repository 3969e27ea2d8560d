// Package boltfile wraps bbolt: atomic creation, errors instead of panics on damage, a
// bounded wait for the file lock, group commit, compaction.
//
//	boltfile.go  Options, creation of a file
//	db.go        DB: opening, read transactions
//	tx.go        Tx, Bucket, Cursor: the part of bbolt that is used
//	writer.go    Writer: write transactions, full and failing disks
//	group.go     Group: commits that are shared
//	values.go    values of any size in a bucket
//	layout.go    formats, and upgrades between them
//	compact.go   copying to a smaller file while it is in use
//	image.go     copies of a file as of one commit
//	zero.go      overwriting free pages, of a file in use and of a copy
//	pages.go     examination of pages before bbolt reads them
//	damage.go    damage that is found while a file is open
//	verify.go    the rules of bbolt for all pages of a file
//	check.go     Check and Repair of a file that nobody has open
//	state.go     counters for status and metrics
//	watch.go     warnings about transactions that stay open
package boltfile

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/durable"
	"svc/internal/integrity"
)

// LockWait bounds the wait for another process to unlock a file.
const LockWait = 2 * time.Second

var (
	// ErrNewer is for a file written by a newer program.
	ErrNewer = errors.New("written by a newer version of svc")
	// ErrUnreleased is for a file from before the first release, whose formats had
	// the same numbers and are not read any more.
	ErrUnreleased = errors.New("made by svc before its first release, in a format that is not read any more")
	// ErrDamaged is for a file that cannot be read.
	ErrDamaged = integrity.ErrDamaged
	// ErrLocked is for a file that another process has open.
	ErrLocked = errors.New("in use by another process")
)

// Options say how a file is opened.
type Options struct {
	// MapSize is the address space that is taken at once, in bytes, so that a
	// file that grows does not wait for readers.
	MapSize int
	// MaxSize is how large the file may become, in bytes; 0 = as large as the disk
	// lets it. What needs no more pages than are free still succeeds at the limit.
	MaxSize int64
	// Loaded are the buckets that opening goes on to read. After a clean stop
	// only they are examined; nil is all.
	Loaded [][]byte
	// ReadOnly is for readers.
	ReadOnly bool
	// NoSync does not wait for the disk, for tests.
	NoSync bool
}

// Create makes a file with layOut under a temporary name and renames it, unless
// there is one, so that a power cut leaves nothing behind that could not be
// opened.
func Create(path string, layOut func(*Tx) error) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	temp := path + ".new"
	if err := removeTemp(temp); err != nil {
		return err
	}
	err := write(temp, layOut)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, removeTemp(temp))
	}
	return durable.SyncDir(filepath.Dir(path))
}

func write(path string, layOut func(*Tx) error) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: LockWait})
	if err != nil {
		return err
	}
	return errors.Join(db.Update(func(tx *bbolt.Tx) error { return layOut((*Tx)(tx)) }), db.Sync(), db.Close())
}

// removeTemp removes a file that may be there.
func removeTemp(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
