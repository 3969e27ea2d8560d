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
	// A commit that failed makes bbolt read the whole tree. So what can wait is
	// not tried again before restFactor times as long has passed, within these
	// bounds.
	restFactor = 20
	minRest    = 100 * time.Millisecond
	maxRest    = 10 * time.Second

	// readersWait is how long the end of older readers is waited for.
	readersWait = time.Second

	// tryEvery is how often Writable tries a file that did not take a commit.
	tryEvery = time.Second
)

// Writer owns an open file; all writes go through it. It translates a full or failing
// disk into faults.
//
// Its lock is held from the start of a write transaction until what it changed in
// memory is visible, so that both have the same order. Update and Refused are for
// callers that hold it; all other methods may be called from any goroutine.
type Writer struct {
	mu     sync.Mutex
	locked atomic.Int64 // when mu was locked, in nanoseconds since epoch; 0 = it is free

	db       *DB
	log      *slog.Logger
	observed observed

	// unconfirmed says that the last transaction is in the file as everybody
	// reads it, but perhaps not on the disk.
	unconfirmed bool

	failing  atomic.Pointer[failure] // the last commit failed
	tried    atomic.Int64            // when Writable tried last, Unix nanoseconds
	failures atomic.Uint64           // commits that failed
	damage   atomic.Pointer[damage]  // the first that was found
	examined atomic.Int64            // when a panic last had the file examined, in nanoseconds since epoch; 0 = never
}

// failure is a commit that failed.
type failure struct {
	fault *fault.Error
	rest  time.Time // until then nothing that can wait is tried
}

// NewWriter returns the Writer of an open file, of which there must be one only.
func NewWriter(db *DB, log *slog.Logger) *Writer {
	return &Writer{db: db, log: log, observed: newObserved()}
}

// epoch is a moment that times of locks are counted from, as they have no date.
var epoch = time.Now()

// Lock takes the lock of the writer.
func (w *Writer) Lock() {
	w.mu.Lock()
	w.locked.Store(int64(time.Since(epoch)))
}

// TryLock takes the lock if it is free.
func (w *Writer) TryLock() bool {
	free := w.mu.TryLock()
	if free {
		w.locked.Store(int64(time.Since(epoch)))
	}
	return free
}

// Unlock gives the lock back.
func (w *Writer) Unlock() {
	w.locked.Store(0)
	w.mu.Unlock()
}

// Path returns the path of the file.
func (w *Writer) Path() string { return w.db.Path() }

// Size returns the file size and the bytes in use; the rest is free pages.
func (w *Writer) Size() (file, used int64, err error) {
	if file, err = Size(w.db.Path()); err != nil || w.Unopened() != nil {
		return file, file, err
	}
	size, free, err := w.db.usage() // the file may be longer: it grows ahead
	return file, size - free, err
}

// Hold blocks writers until release is called, which must be soon. It is for
// consistent copies of several files at one point in time.
func (w *Writer) Hold() (release func()) {
	w.Lock()
	return w.Unlock
}

// View runs fn in a read transaction. A panic is an error that wraps ErrDamaged if the file is
// damaged.
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

// Image returns the file as of the last commit, and as it is if it cannot be opened. The caller
// must close it.
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

// Compact copies the content to a smaller file if a quarter of this one is free, or
// unconditionally if always is true. Readers continue and writers wait until it is done. The
// error is NoSpace, ErrDamaged or comes from the file system.
func (w *Writer) Compact(always bool) (Compaction, error) {
	c, err := w.compact(always)
	return c, errors.Join(err, c.finish())
}

// compact holds the lock of the writer, which a panic must release.
func (w *Writer) compact(always bool) (Compaction, error) {
	if err := w.Unopened(); err != nil {
		return Compaction{}, err
	}
	w.Lock()
	defer w.Unlock()
	c, err := w.db.compact(always)
	if errors.Is(err, ErrDamaged) {
		_ = w.NoteDamage(err) // the caller gets the details
	}
	return c, err
}

// Refused returns the error of the last commit if it failed a moment ago, and nil
// otherwise. A Group calls it before a commit, because its items can be sent again; what
// makes room does not.
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
	return w.UpdateUncounted(func(tx *Tx) error { // what already exists, but it takes a page
		meta := tx.Bucket(metaBucket)
		return meta.Put(formatKey, bytes.Clone(meta.Get(formatKey)))
	})
}

var (
	// errUnconfirmed is for a transaction that the disk may have or not.
	errUnconfirmed = fault.New(fault.Unavailable, "the disk of the server did not confirm a change, which may be stored or not; try again in a minute").After(time.Minute)
	// errMaxSize is for a transaction that needs more than Options.MaxSize.
	errMaxSize = fault.New(fault.NoSpace, "the data file of the server has reached its size limit, nothing was stored; try again when there is space").After(time.Minute)
	// errWaiting is for those after it.
	errWaiting = fault.New(fault.Unavailable, "the disk of the server has not confirmed an earlier change, nothing was stored; try again in a minute").After(time.Minute)
)

// Written reports, given the error of Update, whether readers see the transaction. They
// do if the error is nil, and if the disk failed at the very last step: then it is
// unknown whether the transaction would survive a power cut. State in memory must be
// updated in both cases.
func Written(err error) bool { return err == nil || errors.Is(err, errUnconfirmed) }

// Update runs fn in a write transaction. An error of fn is returned as it is.
// When the disk does not take the transaction, the error is a fault of kind
// NoSpace or Unavailable. After an error nothing is changed, unless it is one
// for which Written is true; then nothing else is written before the disk has
// confirmed the transaction. Where the file is damaged, the error wraps ErrDamaged. The caller
// must hold the lock of the writer.
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

// UpdateUncounted is Update for background work, which State does not count among the
// commits.
func (w *Writer) UpdateUncounted(fn func(*Tx) error) (err error) {
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
	err = w.db.update(func(tx *Tx) error {
		number = tx.ID()
		err := fn(tx)
		complete = err == nil
		return err
	})
	switch {
	case err == nil:
	case number > 0 && !complete: // fn refused
		return err
	case number == 0: // it could not begin
		return w.failed(fault.Unwritable(), err, begun)
	case !w.visible(number):
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

// faultOf is what a client may know of a commit that failed.
func faultOf(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](fault.Disk(err)); ok {
		return f
	}
	return fault.Unwritable()
}

// visible reports whether readers see a transaction.
func (w *Writer) visible(number int) bool {
	seen := false
	err := w.db.View(func(tx *Tx) error {
		seen = tx.ID() >= number
		return nil
	})
	return err == nil && seen
}

// confirm lets the disk confirm a transaction that it has not, by an empty one
// after it. That writes no page but the other head of the file, so that one of
// the two stays whole and what it leads to, too.
//
// bbolt holds the pages that such a transaction gave up for free, those as well
// that an older reader still looks at, so these must end before anything is
// written.
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
	if err := w.db.update(func(*Tx) error { return nil }); err != nil {
		return err
	}
	w.unconfirmed = false
	return nil
}

// cause is the error of the system behind a commit that failed, where bbolt has
// kept only its text: of a file that could not grow. Growing it once more tells.
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

// failed remembers a failure, reports it if it is the first, and returns its
// fault.
func (w *Writer) failed(f *fault.Error, cause error, begun time.Time) error {
	w.failures.Add(1)
	rest := min(max(restFactor*time.Since(begun), minRest), maxRest)
	if w.failing.Swap(&failure{f, time.Now().Add(rest)}) == nil {
		w.log.Error("cannot write to disk; reads continue", "file", w.db.Path(), "error", cause)
	}
	return f
}

// succeeded forgets a failure.
func (w *Writer) succeeded() {
	if w.failing.Swap(nil) != nil {
		w.log.Info("disk is writable again", "file", w.db.Path())
	}
}

// Abandon closes the file as it is, for callers that could not read it.
func (w *Writer) Abandon() error { return w.db.Close() }

// Close closes the file. It writes the list of free pages once, which makes the
// next Open fast; when the disk does not take it, that one looks for them.
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
