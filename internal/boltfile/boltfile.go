// Package boltfile wraps bbolt. It adds atomic creation, errors instead of panics on
// damage, a bounded wait for the file lock, group commit and compaction.
//
//	boltfile.go  Options, creation of a file
//	db.go        DB: opening, read transactions
//	tx.go        Tx, Bucket, Cursor: the part of bbolt that is used
//	record.go    recording what transactions change, and applying it
//	follow.go    a file that changes only as another one does
//	node.go      what describes the directory of a file, and its position
//	digest.go    a hash over the content of a file
//	writer.go    Writer: write transactions, full and failing disks
//	group.go     Group: shared commits
//	values.go    values of any size in a bucket
//	layout.go    formats, and upgrades between them
//	compact.go   copying to a smaller file while it is in use
//	image.go     copies of a file as of one commit
//	zero.go      overwriting free pages, of a file in use and of a copy
//	pages.go     examining pages before bbolt reads them
//	damage.go    handling damage that is found while a file is open
//	verify.go    verifying all pages of a file by the rules of bbolt
//	check.go     checking and repairing a file that is not open
//	state.go     counters for status and metrics
//	watch.go     warnings about transactions that stay open
//	shadow.go    comparing what is recorded with the file, with the build tag "shadow"
//	shadow_off.go  what other builds have instead
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

// LockWait limits the wait for another process to unlock a file.
const LockWait = 2 * time.Second

var (
	// ErrNewer is returned for a file written by a newer program.
	ErrNewer = errors.New("written by a newer version of svc")
	// ErrDamaged is returned for a file with damaged content.
	ErrDamaged = integrity.ErrDamaged
	// ErrLocked is returned for a file that another process has open.
	ErrLocked = errors.New("in use by another process")
)

// Options configures how a file is opened.
type Options struct {
	// MapSize is the address space to reserve when the file is opened, in bytes. A file that
	// grows beyond it has to wait until all read transactions have ended.
	MapSize int
	// MaxSize limits the size of the file, in bytes; 0 means no limit. At the limit,
	// transactions that fit into the free pages still succeed.
	MaxSize int64
	// Loaded lists the buckets that the caller reads right after opening. If the file was
	// closed cleanly, Open examines only these buckets. nil means all buckets.
	Loaded [][]byte
	// ReadOnly opens the file for reading only.
	ReadOnly bool
	// Follow opens a file that follows another one; see Writer.Following.
	Follow bool
	// NoSync skips syncing to disk, for tests.
	NoSync bool
	// Recorder receives the changes of each transaction. nil means that they are not recorded.
	Recorder Recorder
}

// Recorder receives the change sets of a file, in the order of its transactions. Its methods are
// called with the lock of the writer held.
type Recorder interface {
	// Append receives the changes of a transaction, encoded by package change, before they are
	// committed. It must not keep set. It returns the position that the transaction reaches; see
	// Tx.Position. Positions increase, beginning with 1. If it returns 0, the transaction counts as
	// not recorded. If there is an error, the transaction is not committed.
	Append(set []byte) (position uint64, err error)
	// Settle ends every Append without an error. visible reports whether readers see the
	// transaction.
	Settle(visible bool)
}

// Create creates the file at path with the content that layOut writes. If the file
// exists, Create does nothing. It writes to a temporary file and renames it, so that a
// power failure cannot leave an incomplete file. The error comes from layOut or the file
// system.
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

// removeTemp removes the file at path, if it exists.
func removeTemp(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
