// Package store owns svc.db: every record, key, bucket and encoding, and the
// in-memory project snapshots that serve the read path. Nobody else opens the
// database. All access is a method of *Tx inside View or Update, or a read of
// an immutable value that the last commit left behind.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
)

// Format is the number of the layout that this program writes. A file with a
// greater number was written by a newer program and is refused.
const Format = 1

// layout has the steps to Format from all formats before. None has been needed
// yet.
var layout = boltfile.Layout{Oldest: 1}

// slowTx is the age from which an open transaction is reported: a reader that
// is forgotten makes the file grow with every commit.
const slowTx = time.Second

var (
	// ErrNewer is returned by Open for a file written by a newer program.
	ErrNewer = boltfile.ErrNewer
	// ErrDamaged is returned by Open for a file that cannot be read.
	ErrDamaged = boltfile.ErrDamaged
	// ErrLocked is returned by Open while another process has the file open.
	ErrLocked = boltfile.ErrLocked
)

// Options change how a store is opened. The zero value is right for a server.
type Options struct {
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Log receives warnings about transactions that are open for too long.
	Log *slog.Logger
	// SnapshotBytes bounds the memory held by project snapshots; 64 MiB when 0.
	SnapshotBytes int64
	// ExactBytes is how much text a search in a list looks into to know its
	// total; 160 MiB when 0. Beyond it, and beyond 10,000 records, the total is
	// an upper bound.
	ExactBytes int64
	// Upgrade is what happens to a file of another version.
	Upgrade boltfile.Upgrade
	// Strict checks the whole file after each commit. For tests.
	Strict bool
	// ReadOnly opens a file that is there and changes nothing in it.
	ReadOnly bool
}

// Store is an open svc.db. Its methods may be called from any goroutine.
type Store struct {
	db   *boltfile.DB
	file *boltfile.Writer // of db; used under writing
	now  func() time.Time
	log  *slog.Logger
	path string
	id   uuid.UUID

	exactBytes int64 // Options.ExactBytes

	// writing is held from the start of a write transaction until what it
	// changed in memory is visible, so that both have the same order.
	writing sync.Mutex
	ids     idSource
	imports map[ProjectID]bool // projects that are being brought in; guarded by writing

	lastChange atomic.Uint64
	commits    atomic.Int64

	queue   sync.Mutex
	waiting []*waiter     // submissions for the next shared commit; guarded by queue
	changed chan struct{} // closed at the next change, nil when nobody waits; guarded by queue

	projects  atomic.Pointer[directory]
	keys      atomic.Pointer[keyring]
	account   atomic.Pointer[Account]
	snapshots cache

	observed observed
}

// Open opens the file at path and creates it when it is not there. The errors
// are ErrNewer, ErrDamaged, ErrLocked or what the file system says, each with
// the path.
func Open(path string, o Options) (*Store, error) {
	s := &Store{now: o.Now, log: o.Log, path: path, observed: newObserved()}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.snapshots.budget = o.SnapshotBytes
	if s.snapshots.budget == 0 {
		s.snapshots.budget = 64 << 20
	}
	if s.exactBytes = o.ExactBytes; s.exactBytes == 0 {
		s.exactBytes = 160 << 20
	}
	if !o.ReadOnly {
		if err := boltfile.Create(path, layOut); err != nil {
			return nil, fmt.Errorf("create %s: %w", path, err)
		}
	}
	db, err := boltfile.Open(path, boltfile.Options{MapSize: 1 << 30, Loaded: loadedBuckets, ReadOnly: o.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s.db, s.file = db, boltfile.NewWriter(db, s.log)
	db.Bolt().StrictMode = o.Strict
	if err = layout.Settle(db, o.Upgrade); err == nil {
		err = s.load()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return s, nil
}

// layOut makes the buckets and the marks of a new file.
func layOut(t *bbolt.Tx) error {
	for _, name := range rootBuckets {
		if _, err := t.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	meta := t.Bucket(metaBucket)
	id := uuid.New()
	return errors.Join(
		meta.Put(formatKey, binary.BigEndian.AppendUint32(nil, Format)),
		meta.Put(storeIDKey, id[:]),
	)
}

// load reads what lives in memory: the last id, the project directory, the
// API keys and the administrator.
func (s *Store) load() error {
	return s.db.View(func(t *bbolt.Tx) error {
		for _, name := range rootBuckets {
			if t.Bucket(name) == nil {
				return fmt.Errorf("%w: no bucket %s", ErrDamaged, name)
			}
		}
		meta := t.Bucket(metaBucket)
		copy(s.ids.last[:], meta.Get(lastIDKey))
		copy(s.id[:], meta.Get(storeIDKey))
		s.lastChange.Store(t.Bucket(feedBucket).Sequence())
		tx := &Tx{bolt: t, store: s, now: s.now()}
		return errors.Join(s.loadProjects(tx), s.loadKeys(tx), s.loadAccount(tx))
	})
}

// ID tells this data file from every other, for what is derived from it.
func (s *Store) ID() uuid.UUID { return s.id }

// Path is where the file is.
func (s *Store) Path() string { return s.path }

// Renew gives the file another id, for a copy that goes its own way: what was
// derived from the original is not the copy's.
func (s *Store) Renew() error {
	id := uuid.New()
	err := s.Update(func(tx *Tx) error { return tx.bolt.Bucket(metaBucket).Put(storeIDKey, id[:]) })
	if err == nil {
		s.id = id
	}
	return err
}

// Close waits for open transactions and closes the file. It writes the list
// of free pages once, which makes the next Open fast.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.file.Close()
}

// View runs fn in a read transaction. fn must not wait for anything outside
// the process and must not open another transaction.
func (s *Store) View(fn func(*Tx) error) error {
	defer s.watch()()
	defer s.observed.open.Begin()()
	return s.db.View(func(t *bbolt.Tx) error {
		return fn(&Tx{bolt: t, store: s, now: s.now()})
	})
}

// Update runs fn in a write transaction of its own. When it returns nil,
// everything fn wrote is on disk and visible to all readers; otherwise nothing
// is. A disk that is full or cannot be written is a fault of kind NoSpace or
// Unavailable. The text of one says that the change may be stored all the same:
// then readers see it, and a power cut may undo it.
func (s *Store) Update(fn func(*Tx) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer s.watch()()
	return s.commit(fn)
}

// Settle waits until what is being committed is visible to readers.
func (s *Store) Settle() {
	s.writing.Lock()
	defer s.writing.Unlock()
}

// Hold keeps everybody from writing until release is called, which must be soon:
// it is for images of several files of one moment.
func (s *Store) Hold() (release func()) {
	s.writing.Lock()
	return s.writing.Unlock
}

// Image is the state of the file after the last commit. It must be closed.
func (s *Store) Image() (*boltfile.Image, error) {
	image, err := boltfile.Take(s.db)
	if err == nil {
		image.Closed = s.observed.open.Begin()
	}
	return image, err
}

// CompactFile moves everything to a smaller file if a quarter of this one is free,
// or always. Others read meanwhile, and write afterwards. The errors are NoSpace
// and what the file system says.
func (s *Store) CompactFile(always bool) (c boltfile.Compaction, err error) {
	release := s.Hold()
	c, err = s.db.Compact(always)
	release()
	return c, errors.Join(err, c.Finish())
}

// Commits is the number of commits since the file was opened.
func (s *Store) Commits() int64 { return s.commits.Load() }

// commit is the one way to write. The caller holds s.writing.
func (s *Store) commit(fn func(*Tx) error) error {
	tx, begin := &Tx{store: s, now: s.now(), ids: s.ids}, time.Now()
	err := s.file.Update(func(t *bbolt.Tx) error {
		tx.bolt = t
		if err := fn(tx); err != nil {
			return err
		}
		return tx.finish()
	})
	if err == nil {
		s.observed.committed(begin, tx.bolt)
	}
	if boltfile.Written(err) {
		s.commits.Add(1)
		s.observed.feedback.Add(tx.newFeedback)
		s.observed.logs.Add(tx.newLogs)
		tx.publish()
	}
	return err
}

// watch reports a transaction that is still open after slowTx with the code
// that opened it. The returned function ends the watch.
func (s *Store) watch() (stop func() bool) {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	return time.AfterFunc(slowTx, func() {
		frame, _ := runtime.CallersFrames(pc[:]).Next()
		s.log.Warn("transaction open for too long", "longer_than", slowTx, "function", frame.Function, "line", frame.Line)
	}).Stop
}
