package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	bolterrors "go.etcd.io/bbolt/errors"

	"svc/internal/fault"
)

const (
	// After a failed commit, bbolt reads the whole tree, which is expensive. Work that
	// clients can repeat is therefore not attempted again until restFactor times the
	// duration of the failed attempt has passed, within these limits.
	restFactor = 20
	minRest    = 100 * time.Millisecond
	maxRest    = 10 * time.Second

	// readersWait is the longest time for which a write waits for older readers to end.
	readersWait = time.Second

	// tryEvery is the minimum interval between the attempts of Writable after a failed
	// commit.
	tryEvery = time.Second
)

// Writer owns an open file; all writes go through it. It translates errors of a full or
// failing disk into faults.
//
// Its lock is held from the start of a write transaction until its changes in memory are
// visible, so that changes become visible in the order in which they are written. The
// caller must hold the lock for Update, UpdateUncounted and Refused. All other methods
// are safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	locked atomic.Int64 // when mu was locked, in nanoseconds since epoch; 0 = not locked

	db       *DB
	log      *slog.Logger
	observed observed

	// unconfirmed is set if readers see the last transaction, but it may not be on disk.
	unconfirmed bool

	failing  atomic.Pointer[failure] // set if the last commit failed
	tried    atomic.Int64            // time of the last attempt by Writable, Unix nanoseconds
	failures atomic.Uint64           // number of failed commits
	damage   atomic.Pointer[damage]  // the first damage that was found
	examined atomic.Int64            // time of the last examination after a panic, in nanoseconds since epoch; 0 = never
}

// failure is a failed commit.
type failure struct {
	fault *fault.Error
	rest  time.Time // until then, retryable work is not attempted
}

// NewWriter returns the Writer of an open file. There must be only one for each file.
func NewWriter(db *DB, log *slog.Logger) *Writer {
	return &Writer{db: db, log: log, observed: newObserved()}
}

// epoch is the start of the monotonic times that are stored as nanoseconds.
var epoch = time.Now()

// Lock acquires the lock of the writer.
func (w *Writer) Lock() {
	w.mu.Lock()
	w.locked.Store(int64(time.Since(epoch)))
}

// TryLock acquires the lock if it is free, and reports whether it did.
func (w *Writer) TryLock() bool {
	free := w.mu.TryLock()
	if free {
		w.locked.Store(int64(time.Since(epoch)))
	}
	return free
}

// Unlock releases the lock.
func (w *Writer) Unlock() {
	w.locked.Store(0)
	w.mu.Unlock()
}

// Path returns the path of the file.
func (w *Writer) Path() string { return w.db.Path() }

// Size returns the size of the file and the part of it that is in use, in bytes. The
// remainder is free pages and reserved space.
func (w *Writer) Size() (file, used int64, err error) {
	if file, err = Size(w.db.Path()); err != nil || w.Unopened() != nil {
		return file, file, err
	}
	size, free, err := w.db.usage() // the file itself may be longer, because it grows in large steps
	return file, size - free, err
}

// Hold blocks writers until release is called, so that several files can be copied as of
// the same moment. The caller must call release soon.
func (w *Writer) Hold() (release func()) {
	w.Lock()
	return w.Unlock
}

// View runs fn in a read transaction. If the file is damaged, a panic is returned as an
// error that wraps ErrDamaged.
func (w *Writer) View(fn func(*Tx) error) (err error) {
	if err := w.Unopened(); err != nil {
		return err
	}
	defer w.watch()()
	defer w.observed.open.Begin()()
	defer w.guard(&err)
	defer faultsPanic()()
	return w.db.View(fn)
}

// Image returns the file as of the last commit, or the file itself if the database cannot
// be opened. The caller must close it.
func (w *Writer) Image() (*Image, error) {
	if w.Unopened() != nil {
		size, err := Size(w.db.Path())
		if err != nil {
			return nil, err
		}
		f, err := os.Open(w.db.Path())
		if err != nil {
			return nil, err
		}
		return &Image{from: f, bytes: size, closed: f.Close}, nil
	}
	tx, err := w.db.begin(false)
	if err != nil {
		return nil, err
	}
	ended := w.observed.open.Begin()
	return &Image{from: tx, bytes: tx.Size(), closed: func() error {
		ended()
		return tx.Rollback()
	}}, nil
}

// Compact copies the content to a smaller file if at least a quarter of the file, and at
// least 1 MiB, is free. If always is true, Compact copies the content in any case.
// Writers wait until the new file is in use; readers continue. Compact returns when the
// last reader of the old file has ended. The error is of kind NoSpace, wraps ErrDamaged,
// or comes from the file system.
func (w *Writer) Compact(always bool) (Compaction, error) {
	c, err := w.compact(always)
	return c, errors.Join(err, c.finish())
}

// compact compacts while holding the writer's lock, which is released even after a panic.
func (w *Writer) compact(always bool) (Compaction, error) {
	if err := w.Unopened(); err != nil {
		return Compaction{}, err
	}
	w.Lock()
	defer w.Unlock()
	c, err := w.db.compact(always)
	if errors.Is(err, ErrDamaged) {
		_ = w.NoteDamage(err) // the caller gets err, which has the details
	}
	return c, err
}

// Refused returns the error of the last commit if it failed recently, and nil otherwise.
// Recently means within 20 times the duration of that commit, but at least 100 ms and at
// most 10 s. A Group calls Refused before a commit, because clients can send its items
// again. Work that frees space does not call Refused, because such work must also run
// while the disk is full.
func (w *Writer) Refused() error {
	if f := w.failing.Load(); f != nil && time.Now().Before(f.rest) {
		return f.fault
	}
	return nil
}

// Writable returns nil if the last commit succeeded, and otherwise its error. After a
// failure it tries a commit that changes nothing, at most once a second, so that an idle
// file notices when the disk works again. It does not wait for writers.
func (w *Writer) Writable() error {
	f := w.failing.Load()
	if f == nil {
		return nil
	}
	last, now := w.tried.Load(), time.Now().UnixNano()
	if now-last < int64(tryEvery) || !w.tried.CompareAndSwap(last, now) || !w.TryLock() {
		return f.fault
	}
	defer w.Unlock()
	return w.write(w.db.rewrite, func(tx *Tx) error { // rewrites an existing value, which takes a page
		meta := tx.Bucket(metaBucket)
		return meta.Put(formatKey, bytes.Clone(meta.Get(formatKey)))
	})
}

var (
	// errUnconfirmed is returned if it is unknown whether a transaction is on disk.
	errUnconfirmed = fault.New(fault.Unavailable,
		"the disk of the server did not confirm a change, which may or may not be stored; try again in a minute").After(time.Minute)
	// errMaxSize is returned if a transaction would exceed Options.MaxSize.
	errMaxSize = fault.New(fault.NoSpace,
		"the data file of the server has reached its size limit and nothing was stored; try again when there is space").After(time.Minute)
	// errWaiting is returned for transactions after an unconfirmed one.
	errWaiting = fault.New(fault.Unavailable,
		"the disk of the server has not confirmed an earlier change, and nothing was stored; try again in a minute").After(time.Minute)
)

// Written reports whether readers see the transaction for which Update returned err. They
// do if err is nil. They also do if the disk failed only in the last step of the commit;
// it is then unknown whether the transaction would survive a power failure. In both
// cases, the caller must update its state in memory.
func Written(err error) bool { return err == nil || errors.Is(err, errUnconfirmed) }

// Update runs fn in a write transaction. It returns an error of fn unchanged. If the disk
// does not accept the transaction, the error is a fault of kind NoSpace or Unavailable.
// After an error, nothing is changed, unless Written returns true for the error. In that
// case, Update writes no further transaction until the disk has confirmed this one. If
// the file is damaged, the error wraps ErrDamaged. The caller must hold the lock of the
// writer.
func (w *Writer) Update(fn func(*Tx) error) error {
	begun, tx := time.Now(), (*Tx)(nil)
	err := w.UpdateUncounted(func(t *Tx) error {
		tx = t
		return fn(t)
	})
	if err == nil {
		w.observed.commit.Since(begun)
		w.observed.sync.Observe(int64(tx.WriteTime()))
	}
	return err
}

// UpdateUncounted is like Update, but State does not count the transaction as a commit.
// It is for background work.
func (w *Writer) UpdateUncounted(fn func(*Tx) error) error { return w.write(w.db.update, fn) }

// write runs fn in a write transaction that the given method of w.db runs.
func (w *Writer) write(update func(func(*Tx) error) error, fn func(*Tx) error) (err error) {
	if err := w.Unopened(); err != nil {
		return err
	}
	defer w.watch()()
	defer w.guard(&err)
	defer faultsPanic()()
	begun := time.Now()
	if err := w.confirm(); err != nil {
		return w.failed(errWaiting, err, begun)
	}
	number, complete := 0, false
	err = update(func(tx *Tx) error {
		number = tx.ID()
		err := fn(tx)
		complete = err == nil
		return err
	})
	switch {
	case err == nil:
	case number > 0 && !complete, errors.Is(err, ErrFollowing): // fn returned an error, or must not have changed anything
		return err
	case number == 0: // the transaction could not begin
		return w.failed(fault.Unwritable(), err, begun)
	case !w.db.visible(number):
		if errors.Is(err, bolterrors.ErrMaxSizeReached) {
			return w.failed(errMaxSize, err, begun)
		}
		err = w.cause(err)
		return w.failed(faultOf(err), err, begun)
	default:
		w.unconfirmed = true
		if again := w.confirm(); again != nil {
			return w.failed(errUnconfirmed, err, begun)
		}
	}
	w.succeeded()
	return nil
}

// faultOf returns the fault that clients see for a failed commit.
func faultOf(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](fault.Disk(err)); ok {
		return f
	}
	return fault.Unwritable()
}

// confirm makes the disk confirm an unconfirmed transaction by committing an empty one.
// Such a commit writes only the other meta page of the file, so that one of the two meta
// pages, and everything to which it leads, stays intact.
//
// bbolt regards the pages that the unconfirmed transaction released as free, including
// pages that an older reader still uses. All older readers must therefore end before
// anything is written.
func (w *Writer) confirm() error {
	if !w.unconfirmed {
		return nil
	}
	late := time.Now().Add(readersWait)
	for w.db.now().Stats().OpenTxN > 0 {
		if time.Now().After(late) {
			return errors.New("readers from before the failure have not ended")
		}
		<-time.After(time.Millisecond)
	}
	if err := w.db.rewrite(func(*Tx) error { return nil }); err != nil {
		return err
	}
	w.unconfirmed = false
	return nil
}

// cause returns the system error behind a failed commit. If a file cannot grow, bbolt
// returns only the text of the error, so cause tries again to grow the file.
func (w *Writer) cause(err error) error {
	if _, ok := errors.AsType[*fault.Error](fault.Disk(err)); ok {
		return err
	}
	f, again := os.OpenFile(w.db.Path(), os.O_WRONLY, 0)
	if again != nil {
		return fmt.Errorf("%w: %w", err, again)
	}
	info, again := f.Stat()
	if again == nil {
		again = f.Truncate(info.Size() + int64(w.db.now().AllocSize))
	}
	if again = errors.Join(again, f.Close()); again != nil {
		return fmt.Errorf("%w: %w", err, again)
	}
	return err
}

// failed stores a failure, logs it unless the previous commit failed too, and returns its
// fault.
func (w *Writer) failed(f *fault.Error, cause error, begun time.Time) error {
	w.failures.Add(1)
	rest := min(max(restFactor*time.Since(begun), minRest), maxRest)
	if w.failing.Swap(&failure{f, time.Now().Add(rest)}) == nil {
		w.log.Error("cannot write to disk; reads continue", "file", w.db.Path(), "error", cause)
	}
	return f
}

// succeeded clears the failure of the previous commit, if it failed, and logs that the
// disk is writable again.
func (w *Writer) succeeded() {
	if w.failing.Swap(nil) != nil {
		w.log.Info("disk is writable again", "file", w.db.Path())
	}
}

// Abandon closes the file without writing to it, after its content could not be read.
func (w *Writer) Abandon() error { return w.db.Close() }

// Close closes the file. It writes the list of free pages, which makes the next Open
// fast. If the disk does not accept the list, the next Open determines the free pages
// itself.
func (w *Writer) Close() error {
	if w.Unopened() != nil {
		return nil
	}
	if w.db.now().IsReadOnly() {
		return w.db.Close()
	}
	if w.unconfirmed {
		if err := w.confirm(); err != nil {
			return errors.Join(fmt.Errorf("the last change of %s is not confirmed: %w", w.db.Path(), err), w.db.Close())
		}
	}
	err := w.db.writeFreePages()
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return err
	}
	if err != nil {
		w.log.Warn("free list not written; the next start rebuilds it", "file", w.db.Path(), "error", err)
	}
	return w.db.Close()
}
