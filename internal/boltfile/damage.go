package boltfile

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"svc/internal/fault"
)

// examineEvery is the minimum interval between examinations of a file after panics.
const examineEvery = time.Minute

// damage describes damage in a file.
type damage struct {
	fault *fault.Error // the error for clients
	cause error        // the error for the administrator, with details
}

// NewDamaged returns a Writer for a file that is too damaged to be opened. Transactions and
// compactions return a fault of kind Damaged; all other methods work.
func NewDamaged(path string, log *slog.Logger, cause error) *Writer {
	w := NewWriter(&DB{path: path}, log)
	_ = w.NoteDamage(cause)
	return w
}

// Unopened returns the damage of a Writer from NewDamaged, and nil for other Writers.
func (w *Writer) Unopened() error {
	if w.db.now() == nil {
		return w.Damage()
	}
	return nil
}

// NoteDamage stores and logs the first damage that is found in the file. It returns a fault of
// kind Damaged.
func (w *Writer) NoteDamage(cause error) error {
	name := filepath.Base(w.db.Path())
	found := &damage{
		fault.New(fault.Damaged, "the file %s of the server is damaged; its administrator has to repair it", name).After(time.Minute), cause,
	}
	if !w.damage.CompareAndSwap(nil, found) {
		return w.damage.Load().fault
	}
	w.log.Error("a database is damaged", "file", w.db.Path(), "damage", cause,
		"next", `stop the server, keep a copy of the data directory, and restore the last backup; "svc check" shows what is damaged`)
	return found.fault
}

// Damage returns a fault of kind Damaged if damage was found in the file, and nil otherwise.
func (w *Writer) Damage() error {
	if found := w.damage.Load(); found != nil {
		return found.fault
	}
	return nil
}

// DamageCause returns the cause of Damage, with page numbers, for the administrator, or nil if
// there is no damage.
func (w *Writer) DamageCause() error {
	if found := w.damage.Load(); found != nil {
		return found.cause
	}
	return nil
}

// guard must be deferred before the rollback of a transaction, so that it runs after the
// rollback. It turns a panic into an error if the file is damaged: bbolt panics at an
// invalid page, and the runtime panics at a page that the disk cannot read. It rethrows
// any other panic.
func (w *Writer) guard(err *error) {
	p := recover()
	if p == nil {
		return
	}
	switch p.(type) {
	case runtime.Error, string: // bbolt panics with strings
	default:
		panic(p)
	}
	if *err = w.Damage(); *err != nil {
		return
	}
	// Examining reads the whole file, which must not happen for each request that triggers a
	// bug.
	if last, now := w.examined.Load(), int64(time.Since(epoch)); last != 0 && now-last < int64(examineEvery) ||
		!w.examined.CompareAndSwap(last, now) {
		panic(p)
	}
	cause := w.db.examine()
	if !errors.Is(cause, ErrDamaged) && !errors.Is(cause, syscall.EIO) {
		panic(p)
	}
	*err = w.NoteDamage(cause)
}

// faultsPanic turns a page that the disk cannot read into a panic, which guard handles,
// instead of a crash of the process. The returned function restores the previous state.
func faultsPanic() (restore func()) {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

// examine reads all pages that are in use, as a new transaction sees them, and verifies
// their structure. The error is ErrDamaged or an error of the file system.
func (d *DB) examine() error {
	tx, err := d.begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // returns no error for a read transaction
	disk, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer disk.Close()
	info, err := disk.Stat()
	if err != nil {
		return err
	}
	size := int64(tx.bolt().DB().Info().PageSize)
	x := &examiner{disk: disk, pageSize: size, used: make([]bool, min(tx.Size(), info.Size())/size)}
	_, err = x.tree(uint64(tx.bolt().Cursor().Bucket().Root()), nil)
	return err
}
