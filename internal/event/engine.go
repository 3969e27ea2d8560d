// Package event is the event engine, the owner of events.db: it takes batches of
// events in, keeps them, and answers questions about them.
//
// What is accepted is appended to the tail, a log, and synced; the same events
// are in memory as columns, the head. A head that is large or old is written as
// blocks, one for each project and hour, and its part of the tail goes in the
// same transaction. Queries read blocks and heads. The layout of the file is
// described in docs/event-storage.md.
package event

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/fault"
)

// Format is the number of the layout that this program writes. A file with a
// greater number was written by a newer program and is refused.
const Format = 2

// layout has the steps to Format from all formats before.
var layout = boltfile.Layout{Oldest: 1, Steps: []func(*bbolt.Tx) error{
	// Since format 2 large values have buckets of their own. Those that have none
	// stay where they are until they are written anew.
	func(*bbolt.Tx) error { return nil },
}}

const (
	// A head of this size takes some 40 MiB, and twice that while it is written.
	defaultHeadEvents = 1 << 17
	mostHeadBytes     = 24 << 20

	// headAge is how old a head becomes before it is written although it is
	// small, so that an idle server holds nothing.
	headAge = 5 * time.Minute

	// mapSize is the address space of the file.
	mapSize = 8 << 30
	// After work in the background has failed, it is tried again after firstRetry,
	// then after twice that, up to lastRetry, which is also how often is looked
	// for work that nobody told of.
	firstRetry = time.Second
	lastRetry  = time.Minute

	defaultMemory = 192 << 20
	// mostQueries bounds the queries that run at the same time, and with them
	// their memory. The others wait.
	mostQueries = 2
)

var (
	// ErrNewer is returned by Open for a file written by a newer program.
	ErrNewer = boltfile.ErrNewer
	// ErrDamaged is returned for a file that cannot be read.
	ErrDamaged = boltfile.ErrDamaged
	// ErrLocked is returned by Open while another process has the file open.
	ErrLocked = boltfile.ErrLocked
)

// Options change how an engine is opened. The zero value is right for a server.
type Options struct {
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Log receives what goes wrong in the background.
	Log *slog.Logger
	// HeadEvents is the number of events from which a head is written as blocks;
	// 131,072 when 0.
	HeadEvents int
	// Memory bounds the memory of one query, in bytes; 192 MiB when 0.
	Memory int64
	// Upgrade is what happens to a file of another version.
	Upgrade boltfile.Upgrade
	// Still does nothing in the background, for a copy that is only read.
	Still bool
}

// Engine is an open events.db. Its methods may be called from any goroutine.
type Engine struct {
	db         *boltfile.DB
	file       *boltfile.Writer // of db; used under writing
	path       string
	now        func() time.Time
	log        *slog.Logger
	headEvents int
	memory     int64
	secret     secret
	queries    chan struct{}

	// writing is held from the start of a write transaction until what it
	// changed in memory is visible.
	writing sync.Mutex

	known    sync.RWMutex
	projects map[Project]*project // of which something was ever written; guarded by known

	// maintaining is held by whoever moves events: out of the head, between
	// blocks, or away. It is taken before writing.
	maintaining sync.Mutex

	scratch scratch // guarded by writing

	// looking is held from the taking of a group until its turn to write.
	looking sync.Mutex

	queue        sync.Mutex
	waiting      []*waiter // batches for the next commit; guarded by queue
	waitingBytes int       // of them; guarded by queue

	heads  atomic.Pointer[heads]
	room   *sync.Cond // of writing: a frozen head has been written
	failed error      // why the last one could not be; guarded by writing

	observed observed
	commits  atomic.Int64 // of batches

	tidy atomic.Bool // nothing is left for Compact since the last head was written

	stop context.CancelFunc
	wake chan struct{} // there is work in the background
	done sync.WaitGroup
}

// heads are the events in memory. Events come into the active head; the frozen
// one, nil when there is none, is being written and came before.
type heads struct{ active, frozen *head }

func (h *heads) all() []*head {
	if h.frozen == nil {
		return []*head{h.active}
	}
	return []*head{h.frozen, h.active}
}

// The buckets and keys of the file. Those of a project are in a bucket of its
// own in projectsBucket, the generations of the tail in tailBucket.
var (
	metaBucket     = []byte("meta")
	tailBucket     = []byte("tail")
	projectsBucket = []byte("projects")

	blocksBucket   = []byte("blocks")
	countersBucket = []byte("counters")
	keysBucket     = []byte("keys")
	namesBucket    = []byte("names")
	sessionsBucket = []byte("sessions")
	subjectsBucket = []byte("subjects")

	formatKey  = []byte("format")
	secretKey  = []byte("secret")
	flushedKey = []byte("flushed")

	countersFromKey = []byte("counters_from") // in the bucket of a project
)

// projectBuckets are the buckets of a project.
var projectBuckets = [][]byte{blocksBucket, countersBucket, keysBucket, namesBucket, sessionsBucket, subjectsBucket}

func be32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
func be64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Open opens the file at path and creates it when it is not there. The errors
// are ErrNewer, ErrDamaged, ErrLocked or what the file system says, each with
// the path.
func Open(path string, o Options) (*Engine, error) {
	e := &Engine{
		path: path, now: o.Now, log: o.Log, headEvents: o.HeadEvents, memory: o.Memory,
		projects: map[Project]*project{}, queries: make(chan struct{}, mostQueries), wake: make(chan struct{}, 1),
		observed: newObserved(),
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.headEvents == 0 {
		e.headEvents = defaultHeadEvents
	}
	if e.memory == 0 {
		e.memory = defaultMemory
	}
	e.room = sync.NewCond(&e.writing)
	if err := boltfile.Create(path, layOut); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	var err error
	if e.db, err = boltfile.Open(path, boltfile.Options{MapSize: mapSize}); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err = layout.Settle(e.db, o.Upgrade); err == nil {
		err = e.load()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), e.db.Close())
	}
	e.file = boltfile.NewWriter(e.db, e.log)
	ctx, stop := context.WithCancel(context.Background())
	e.stop = stop
	if !o.Still {
		e.done.Go(func() { e.maintain(ctx) })
	}
	return e, nil
}

// layOut makes the buckets and the marks of a new file.
func layOut(tx *bbolt.Tx) error {
	for _, name := range [][]byte{metaBucket, tailBucket, projectsBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	meta := tx.Bucket(metaBucket)
	var s secret
	if _, err := rand.Read(s[:]); err != nil {
		return err
	}
	return errors.Join(
		meta.Put(formatKey, be32(Format)),
		meta.Put(secretKey, s[:]),
		meta.Put(flushedKey, be64(0)),
	)
}

// load reads the marks of the file and makes the head from the tail.
func (e *Engine) load() error {
	return e.db.View(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{metaBucket, tailBucket, projectsBucket} {
			if tx.Bucket(name) == nil {
				return fmt.Errorf("%w: no bucket %s", ErrDamaged, name)
			}
		}
		meta := tx.Bucket(metaBucket)
		if len(meta.Get(secretKey)) != len(e.secret) {
			return fmt.Errorf("%w: no secret", ErrDamaged)
		}
		copy(e.secret[:], meta.Get(secretKey))
		if err := e.loadProjects(tx); err != nil {
			return err
		}
		return e.replay(tx)
	})
}

// Path is where the file is.
func (e *Engine) Path() string { return e.path }

// Close writes the head as blocks, waits for what runs, and closes the file. When
// the disk does not take the head, its events stay in the log of the file.
func (e *Engine) Close() error {
	e.stop()
	e.done.Wait()
	err := e.Flush()
	if fault.Is(err, fault.NoSpace) || fault.Is(err, fault.Unavailable) {
		e.log.Warn("events stay in the log until the next start", "error", err)
		err = nil
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	return errors.Join(err, e.file.Close())
}

// Hold keeps everybody from writing until release is called, which must be soon:
// it is for images of several files of one moment.
func (e *Engine) Hold() (release func()) {
	e.writing.Lock()
	return e.writing.Unlock
}

// Image is the state of the file after the last commit: everything that was
// acknowledged, what is in memory as well, because it is in the log of the file.
// It must be closed.
func (e *Engine) Image() (*boltfile.Image, error) {
	image, err := boltfile.Take(e.db)
	if err == nil {
		image.Closed = e.observed.open.Begin()
	}
	return image, err
}

// CompactFile moves everything to a smaller file if a quarter of this one is free,
// or always. Others ask meanwhile, and write afterwards. The errors are NoSpace and
// what the file system says.
func (e *Engine) CompactFile(always bool) (c boltfile.Compaction, err error) {
	e.maintaining.Lock()
	release := e.Hold()
	c, err = e.db.Compact(always)
	release()
	e.maintaining.Unlock()
	return c, errors.Join(err, c.Finish())
}

// Commits is the number of commits of batches since the file was opened. What the
// engine does in the background is not counted.
func (e *Engine) Commits() int64 { return e.commits.Load() }

// Size is the bytes of the file, and of these what is in use; the rest is room
// for what comes.
func (e *Engine) Size() (file, used int64, err error) {
	info, err := os.Stat(e.path)
	if err != nil {
		return 0, 0, err
	}
	size, free, err := e.db.Usage() // the file may be longer: it grows ahead
	return info.Size(), size - free, err
}

// maintain writes heads and merges blocks until it is stopped.
func (e *Engine) maintain(ctx context.Context) {
	retry := firstRetry
	next := time.NewTimer(lastRetry)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		case <-e.wake:
		}
		if err := e.maintainOnce(ctx); err != nil {
			e.log.Error("events stay in the log until the disk takes them; it will be tried again", "error", err, "retry_in", retry.String())
			next.Reset(retry)
			retry = min(2*retry, lastRetry)
			continue
		}
		retry = firstRetry
		next.Reset(lastRetry)
	}
}

func (e *Engine) maintainOnce(ctx context.Context) error {
	heads := e.heads.Load()
	if heads.frozen != nil || heads.active.old(e.now()) {
		if err := e.Flush(); err != nil {
			return err
		}
	}
	for ctx.Err() == nil && e.heads.Load().frozen == nil {
		begun := time.Now()
		worked, err := e.Compact()
		if err != nil || !worked {
			return err
		}
		if !rest(ctx, e.wake, 2*time.Since(begun)) {
			break // there is a head to be written
		}
	}
	if e.heads.Load().frozen != nil {
		e.nudge()
	}
	return nil
}

// rest leaves the machine to others for a while. It is false when it was cut
// short.
func rest(ctx context.Context, wake <-chan struct{}, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-wake:
	case <-ctx.Done():
	}
	return false
}

// nudge says that there is work in the background.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}
