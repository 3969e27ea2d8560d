package boltfile

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"svc/internal/change"
)

// DB is an open file, safe for concurrent use. All writes go through its Writer, one transaction at
// a time. A Writer therefore acquires its own lock before it calls begin, and must not wait for
// bbolt's lock inside begin: begin holds d.swap for the duration of the wait, a compaction would
// wait for d.swap, and new readers would wait for the compaction.
type DB struct {
	path    string
	options Options

	following bool       // see Writer.Following
	changes   change.Set // of the current write transaction; kept for its memory

	swap sync.RWMutex // held briefly, never during a transaction
	bolt *bbolt.DB    // replaced by Compact; nil if the file is too damaged to be opened; guarded by swap
}

// Open opens the file at path, which must exist. It waits at most LockWait for the file
// lock. Commits do not write the list of free pages. The error is ErrDamaged, ErrLocked
// or an error of the file system.
func Open(path string, o Options) (*DB, error) {
	loaded := o.Loaded
	if loaded != nil {
		loaded = append(slices.Clip(loaded), nodeBucket) // every write transaction reads it
	}
	if err := (&examiner{loaded: loaded}).examine(path); err != nil {
		return nil, err
	}
	bolt, err := o.open(path)
	if err != nil {
		return nil, err
	}
	if !o.ReadOnly { // no other process has the file open, so any temporary file is from an interrupted compaction
		if err := removeTemp(path + compactSuffix); err != nil {
			return nil, errors.Join(err, bolt.Close())
		}
	}
	d := &DB{path: path, options: o, bolt: bolt, following: o.Follow}
	if !o.ReadOnly {
		d.addShadow()
	}
	return d, nil
}

// open opens a file with sound pages. It never creates a file, because an empty file
// would hide the loss of the original.
func (o Options) open(path string) (*bbolt.DB, error) {
	options := &bbolt.Options{
		Timeout:        LockWait,
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		ReadOnly:       o.ReadOnly,
		NoSync:         o.NoSync,
		MaxSize:        int(o.MaxSize),
		OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(path, flag&^os.O_CREATE, mode)
		},
	}
	if runtime.GOOS != "windows" && !o.ReadOnly { // on Windows, the file becomes as large as the map
		options.InitialMmapSize = o.MapSize
	}
	bolt, err := bbolt.Open(path, 0o600, options)
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, ErrLocked
	}
	return bolt, err
}

// openReadOnly opens a file for reading only, without examining its pages.
func openReadOnly(path string, open func(path string, flag int, mode os.FileMode) (*os.File, error)) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0, &bbolt.Options{Timeout: LockWait, ReadOnly: true, OpenFile: open})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, ErrLocked
	}
	return db, err
}

// Path returns the path of the file.
func (d *DB) Path() string { return d.path }

// now returns the currently open database, for its settings and statistics. Transactions
// must be started with the methods of DB instead, because the next compaction closes this
// database.
func (d *DB) now() *bbolt.DB {
	d.swap.RLock()
	defer d.swap.RUnlock()
	return d.bolt
}

// Size returns the size of the file at path, in bytes. If there is an error, it returns
// 0.
func Size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// begin starts a transaction, which the caller must end with Commit or Rollback.
func (d *DB) begin(writable bool) (*Tx, error) {
	d.swap.RLock()
	defer d.swap.RUnlock()
	tx, err := d.bolt.Begin(writable)
	return (*Tx)(tx), err
}

// View runs fn in a read transaction.
func (d *DB) View(fn func(*Tx) error) error {
	tx, err := d.begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // returns no error for a read transaction
	return fn(tx)
}

// update runs fn in a write transaction. If update returns nil, everything that fn wrote
// is on disk; otherwise nothing is. The error is ErrFollowing if fn changes more than the bucket node
// of a file that follows another one.
func (d *DB) update(fn func(*Tx) error) error { return d.transact(fn, d.following) }

// apply is like update, but fn may change a file that follows another one.
func (d *DB) apply(fn func(*Tx) error) error { return d.transact(fn, false) }

// transact runs fn in a write transaction. If unchanged is true, fn may change only the bucket node.
func (d *DB) transact(fn func(*Tx) error, unchanged bool) error {
	tx, err := d.begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	before, _ := tx.Position()
	if d.options.Recorder == nil && !unchanged {
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.advance(before, 0); err != nil {
			return err
		}
		return tx.Commit()
	}
	r := startRecord(tx.bolt(), &d.changes)
	defer endRecord(tx.bolt())
	if err := fn(tx); err != nil {
		return err
	}
	set := r.set.Bytes()
	if unchanged && len(set) > 0 {
		return ErrFollowing
	}
	return d.commit(tx, before, set)
}

// commit commits a transaction with recorded changes. The parameter before is the position of the
// file before the transaction.
func (d *DB) commit(tx *Tx, before uint64, set []byte) (err error) {
	if len(set) == 0 {
		return tx.Commit()
	}
	position, err := d.options.Recorder.Append(set)
	if err != nil {
		return err
	}
	number, committed := tx.ID(), false
	defer func() { d.options.Recorder.Settle(committed || d.visible(number)) }() // also after a panic
	if err = tx.advance(before, position); err == nil {
		err = tx.Commit()
	}
	committed = err == nil
	return err
}

// rewrite runs fn in a write transaction that the Recorder does not see. Of the content of the file,
// fn may change only the bucket "node", which describes the directory and not the data.
func (d *DB) rewrite(fn func(*Tx) error) error {
	tx, err := d.begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// visible reports whether readers see the transaction with the given number.
func (d *DB) visible(number int) bool {
	seen := false
	err := d.View(func(tx *Tx) error {
		seen = tx.ID() >= number
		return nil
	})
	return err == nil && seen
}

// Close closes the file without writing to it.
func (d *DB) Close() error {
	d.compareShadow()
	return d.now().Close()
}

// writeFreePages writes the list of free pages, in the last write before the file is
// closed.
func (d *DB) writeFreePages() error {
	d.now().NoFreelistSync = false
	return d.rewrite(func(*Tx) error { return nil })
}
