// Package event is the event engine and owns events.db: it ingests batches of events,
// stores them, and answers queries about them.
//
// An accepted batch is appended to the write-ahead log (WAL) and synced; the same events
// are held in memory as columns, the head. A head that is large or old is flushed to
// blocks, one for each project and hour, and its part of the WAL is removed in the same
// transaction. Queries read blocks and heads. docs/format/events-db.md describes the
// file.
//
//	engine.go       Engine: open, close, work in the background
//	batch.go        the stored types: Batch, Event
//	ingest.go       looking up, committing and publishing batches
//	wal.go          the log of the events in the head, and its replay
//	apply.go        following another engine: its changes, and the memory that they touch
//	head.go         events in memory
//	flush.go        writing the head as blocks
//	compaction.go   merging blocks and indexes
//	retention.go    removing old data and projects
//	erasure.go      removing a subject
//	importer.go     importing a whole project
//	names.go        names of events: numbers, limit, forgetting
//	definitions.go  definitions of events
//	counters.go     hourly counters
//	snapshot.go     a consistent view of a project, for queries and exports
//	queries.go      a method for each kind of query; package query computes the results
//	export.go       the events of a subject, and all data of a project
//	project.go      the state of each project in memory
//	state.go        counters for status and metrics
//	check.go        finding damage in a file
//	repair.go       rebuilding what can be derived from intact data
//	probe.go        examining a file without opening it
//
// Subpackages: submission parses requests, query computes analyses, and block, hashindex
// and dictionary define the file format. The packages encoding and jsonscan are helpers
// of these packages.
package event

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"svc/internal/boltfile"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
	"svc/internal/fault"
)

// Format is the version of the file format that this program writes. A file with a
// greater version was written by a newer program and is refused.
const Format = 1

// layout describes the formats of the file that this program can open.
var layout = boltfile.Layout{Buckets: [][]byte{metaBucket, walBucket, projectsBucket}, Oldest: 1}

const (
	// defaultHeadEvents is the default of Options.HeadEvents. A head of this size takes
	// about 40 MiB, and twice as much while it is being written. A larger head makes
	// larger blocks, which are cheaper to read, but replaying the WAL after a crash takes
	// longer.
	defaultHeadEvents = 1 << 17
	maxHeadBytes      = 24 << 20

	// headAge is the age at which a small head is written, so that an idle server holds
	// no events in memory. It is minutes rather than seconds, because each write creates
	// a block for every project and hour that has events in the head.
	headAge = 5 * time.Minute

	// mapSize is the address space that is reserved for the file. When the file grows beyond
	// it, the writer has to wait until all read transactions have ended. Reserving address
	// space costs nothing, and 8 GiB hold about 200 million events.
	mapSize = 8 << 30
	// Failed background work is retried after firstRetry. The pause doubles with each
	// failure, up to lastRetry. lastRetry is also the interval at which maintain looks
	// for work that was not signalled.
	firstRetry = time.Second
	lastRetry  = time.Minute

	// defaultMemory is the default of Options.Memory. It is enough for the state of
	// several million subjects.
	defaultMemory = 192 << 20
	// maxQueries limits the number of queries that run at the same time, and thereby the
	// memory that they take together. Other queries wait. Running more of them in parallel
	// would not be faster, because each query already uses several processors.
	maxQueries = 2
)

var (
	// ErrNewer is returned by Open for a file written by a newer program.
	ErrNewer = boltfile.ErrNewer
	// ErrDamaged is returned for a file with damaged content.
	ErrDamaged = boltfile.ErrDamaged
	// ErrLocked is returned by Open while another process has the file open.
	ErrLocked = boltfile.ErrLocked
)

// Options configures an engine. The zero value is suitable for a server.
type Options struct {
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Log receives errors of background work; nil discards them.
	Log *slog.Logger
	// HeadEvents is the number of events in memory at which they are written as blocks;
	// 131,072 if 0.
	HeadEvents int
	// Memory is the most memory that one query may use, in bytes; 192 MiB if 0.
	Memory int64
	// MaxSize limits the size of the file, in bytes; 0 means no limit.
	MaxSize int64
	// MaxNames limits the event names of a project; 2,000 if 0. Ingest leaves out events
	// with names that would exceed the limit.
	MaxNames int
	// Upgrade determines how a file of an older format is upgraded.
	Upgrade boltfile.Upgrade
	// ReadOnly disables background work, for a copy that is only read.
	ReadOnly bool
	// Follow opens an existing file that follows another engine's; see Engine.Following.
	Follow bool
	// Recorder receives the changes of each transaction; see boltfile.Options.
	Recorder boltfile.Recorder
}

// Engine is an open events.db. It is safe for concurrent use.
//
// After a damaged block is found, queries of its hour fail. After damage is found that
// prevents batches from being stored, such as a damaged page, nothing is written to the
// file. Writing methods then return a fault of kind Damaged, and queries continue to work
// for the parts of the file that can be read.
//
// At most maxQueries queries run at the same time. A further query waits until one of
// these ends or its own ctx is done. The error of a query comes from ctx, is of kind
// Damaged, or is an error of the query.Source method with the same name.
//
// Locks are acquired in this order: first maintaining, which is required to move events;
// then the lock of file, which is required to write; then refreshing; then known, the mutex
// of a head, or the mutex of a project's names. These last three are held briefly and never
// together. A
// slot in queries is acquired before a read transaction. Every snapshot holds a read
// transaction. Do not lock file or maintaining while holding a read transaction: a commit
// that makes the file grow beyond its map waits for readers.
type Engine struct {
	// file is locked from the start of a write transaction until its changes in memory
	// are visible.
	file       *boltfile.Writer
	path       string
	now        func() time.Time
	log        *slog.Logger
	headEvents int
	memory     int64
	maxNames   int
	secret     hashindex.Secret
	queries    chan struct{}

	known    sync.RWMutex
	projects map[Project]*project // the projects with stored data; guarded by known

	// maintaining is held while events are moved or removed: from the head to blocks,
	// or between blocks. It is acquired before the lock of file.
	maintaining sync.Mutex

	// refreshing is held while an engine that follows another one writes changes and brings
	// its memory up to date. A query waits for it only if it has met that moment.
	refreshing sync.RWMutex
	following  following

	scratch scratch // guarded by the lock of file

	batches *boltfile.Group[*ingestion]

	heads  atomic.Pointer[heads]
	room   *sync.Cond // uses the lock of file; signals that a frozen head has been written
	failed error      // error of the last attempt to write a frozen head; guarded by the lock of file

	observed observed
	commits  atomic.Int64 // number of commits of batches

	damaged atomic.Pointer[error] // the first damage that leaves the file writable

	tidy atomic.Bool // Compact has had nothing to do since the last head was written

	stop context.CancelFunc
	wake chan struct{} // signals background work
	done sync.WaitGroup
}

// heads holds the events in memory. New events go to the active head. The frozen head
// holds older events and is being written; it is nil if there is none.
type heads struct{ active, frozen *head }

func (h *heads) all() []*head {
	if h.frozen == nil {
		return []*head{h.active}
	}
	return []*head{h.frozen, h.active}
}

// The buckets and keys of the file. The buckets of a project are in the project's own
// bucket in projectsBucket, and the generations of the WAL are buckets in walBucket.
var (
	metaBucket     = []byte("meta")
	walBucket      = []byte("wal")
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

	countersFromKey = []byte("counters_from") // a key in the bucket of a project
)

// projectBuckets lists the buckets of a project.
var projectBuckets = [][]byte{blocksBucket, countersBucket, keysBucket, namesBucket, sessionsBucket, subjectsBucket}

// Open opens the file at path, and creates it if it does not exist, unless Options.Follow
// is set. The error is ErrNewer, ErrDamaged, ErrLocked or an error of the file system. It contains the path.
func Open(path string, o Options) (*Engine, error) {
	e := newEngine(path, o)
	if !o.Follow {
		if err := boltfile.Create(path, layOut); err != nil {
			return nil, fmt.Errorf("create %s: %w", path, err)
		}
	}
	db, err := boltfile.Open(path, boltfile.Options{MapSize: mapSize, MaxSize: o.MaxSize, Follow: o.Follow, Recorder: o.Recorder})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	e.file = boltfile.NewWriter(db, e.log)
	if err = layout.Settle(e.file, o.Upgrade); err == nil {
		err = e.load()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), e.file.Abandon())
	}
	e.takeBatches()
	ctx, stop := context.WithCancel(context.Background())
	e.stop = stop
	if !o.ReadOnly {
		e.done.Go(func() { e.maintain(ctx) })
	}
	return e, nil
}

// OpenDamaged returns an engine for a file that Open refused. cause is the error of Open
// and wraps ErrDamaged. The engine has no events. Its methods that read or write events
// return an error that wraps ErrDamaged. This allows a server to run without its events.
func OpenDamaged(path string, cause error, o Options) *Engine {
	e := newEngine(path, o)
	e.file = boltfile.NewDamaged(path, e.log, cause)
	e.heads.Store(&heads{active: newHead(0)})
	e.takeBatches()
	e.stop = func() {}
	return e
}

func newEngine(path string, o Options) *Engine {
	e := &Engine{
		path: path, now: o.Now, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		headEvents: cmp.Or(o.HeadEvents, defaultHeadEvents), memory: cmp.Or(o.Memory, defaultMemory),
		maxNames: cmp.Or(o.MaxNames, defaultMaxNames),
		projects: map[Project]*project{}, queries: make(chan struct{}, maxQueries), wake: make(chan struct{}, 1),
		observed: newObserved(),
	}
	if e.now == nil {
		e.now = time.Now
	}
	return e
}

// takeBatches creates the queue of the batches that are waiting to be stored in e.file.
func (e *Engine) takeBatches() {
	e.room = sync.NewCond(e.file)
	e.batches = boltfile.NewGroup[*ingestion](e.file, "events", groupLimits)
	e.batches.Prepare, e.batches.Commit = e.lookUpGroup, e.commitGroup
}

// layOut creates the buckets and the meta values of a new file.
func layOut(tx *boltfile.Tx) error {
	meta, err := layout.Make(tx)
	if err != nil {
		return err
	}
	var s hashindex.Secret
	rand.Read(s[:]) // never fails, see crypto/rand
	return errors.Join(meta.Put(secretKey, s[:]), meta.Put(flushedKey, encoding.Key64(0)))
}

// load reads the meta values of the file and loads the events of the WAL into memory.
func (e *Engine) load() error {
	return e.file.View(func(tx *boltfile.Tx) error {
		for _, name := range layout.Buckets {
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
		if !e.file.Following() {
			return e.replay(tx)
		}
		position, _ := tx.Position()
		e.following.position.Store(position)
		return e.replayApart(tx)
	})
}

// Path returns the path of the file.
func (e *Engine) Path() string { return e.path }

// Finish waits for background work and writes the events in memory as blocks, unless the engine follows another one.
// Afterwards, nothing changes the file until Close. No events may be added during or after Finish. If the disk does not
// accept the blocks, Finish returns no error, because the events are also in the WAL, which the next Open replays.
func (e *Engine) Finish() error {
	e.stop()
	e.batches.Wait()
	e.done.Wait()
	if e.Following() {
		return nil
	}
	err := e.Flush()
	if fault.Is(err, fault.NoSpace) || fault.Is(err, fault.Unavailable) || errors.Is(err, ErrDamaged) {
		e.log.Warn("events stay in the WAL until the next start", "error", err)
		return nil
	}
	return err
}

// Close calls Finish and closes the file.
func (e *Engine) Close() error {
	err := e.Finish()
	e.file.Lock()
	defer e.file.Unlock()
	return errors.Join(err, e.file.Close())
}

// StartAt stores that the content of the file is the one at a position, unless it has reached that
// position already. See boltfile.Writer.
func (e *Engine) StartAt(position uint64) error {
	if e.Following() {
		return e.Apply(nil, position) // the memory has a position, too
	}
	return e.file.StartAt(position)
}

// Hold blocks writers until release is called, so that several files can be copied as of
// the same moment. The caller must call release soon.
func (e *Engine) Hold() (release func()) { return e.file.Hold() }

// Image returns the file as of the last commit. The image contains all acknowledged
// events, because the events in memory are also in the WAL of the file. The caller must
// close the image.
func (e *Engine) Image() (*boltfile.Image, error) { return e.file.Image() }

// CompactFile copies the content of the file to a smaller file if at least a quarter of
// the file, and at least 1 MiB, is free. If the parameter always is true, CompactFile
// copies the content in any case. Writers wait until the new file is in use; queries
// continue. CompactFile returns when the last query of the old file has ended. The error
// is of kind NoSpace, wraps ErrDamaged, or comes from the file system.
func (e *Engine) CompactFile(always bool) (c boltfile.Compaction, err error) {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	return e.file.Compact(always)
}

// ZeroFreePages overwrites the data that erasure, retention and rewriting have left in
// free pages of the file. It returns the number of bytes overwritten; see
// boltfile.Writer.
func (e *Engine) ZeroFreePages(ctx context.Context) (zeroed int64, err error) {
	return e.file.ZeroFreePages(ctx)
}

// Commits returns the number of commits of batches since the file was opened. Commits
// of background work do not count.
func (e *Engine) Commits() int64 { return e.commits.Load() }

// Size returns the size of the file and the part of it that is in use, in bytes.
func (e *Engine) Size() (file, used int64, err error) { return e.file.Size() }

// maintain writes the events in memory as blocks, and merges blocks, until ctx is done or
// damage prevents writing to the file.
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
		err := e.maintainOnce(ctx)
		if e.file.Damage() != nil {
			return
		}
		if errors.Is(err, ErrDamaged) {
			_ = e.noteDamage(err)
			next.Reset(lastRetry)
			continue
		}
		if err != nil {
			e.log.Error("events stay in the WAL until the disk is writable; retrying later", "error", err, "retry_in", retry.String())
			next.Reset(retry)
			retry = min(2*retry, lastRetry)
			continue
		}
		retry = firstRetry
		next.Reset(lastRetry)
	}
}

func (e *Engine) maintainOnce(ctx context.Context) error {
	if e.Following() {
		return nil
	}
	heads := e.heads.Load()
	if heads.frozen != nil || heads.active.old(e.now()) {
		if err := e.Flush(); err != nil {
			if errors.Is(err, ErrDamaged) {
				err = e.file.NoteDamage(err)
			}
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
			break // a head is waiting to be written
		}
	}
	if e.heads.Load().frozen != nil {
		e.nudge()
	}
	return nil
}

// rest pauses background work so that other work can use the processor. It returns false
// if wake or ctx ended the pause early.
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

// nudge wakes maintain, because there is work for it.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}
