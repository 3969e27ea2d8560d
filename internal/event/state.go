package event

import (
	"encoding/binary"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/meter"
)

// State is what an engine has done since it was opened, and how it stands. Times
// in distributions are nanoseconds.
type State struct {
	Commits uint64 // of batches, that are on disk
	Failed  uint64 // of any kind, that the file did not take
	Commit  meter.Distribution
	Sync    meter.Distribution // the part of a commit that waits for the disk
	Group   meter.Distribution // batches that shared a commit

	Batches   uint64  // that were answered
	Events    uint64  // that were stored
	PerSecond float64 // events stored, the mean of the last minute

	Waiting      int // batches in the queue
	WaitingBytes int

	HeadEvents, HeadBytes int // in memory
	FrozenHeads           int // of these heads that are being written: 0 or 1
	TailBytes             int // of the log of these events in the file

	Blocks, Hours int // blocks in the file, and hours of projects that they are of

	FileBytes, FreeBytes int64 // free is room in the file for what comes
	FreePages            int

	Queries        meter.Distribution // how long they ran
	QueriesRunning int
	QueriesWaiting int

	Transactions int           // that read now
	Oldest       time.Duration // for how long the first of them reads
}

// observed is what an engine counts of itself.
type observed struct {
	batches, events             atomic.Uint64
	commit, sync, group, query  *meter.Histogram
	waitingQueries, rewritten   atomic.Int64
	rate                        meter.Rate
	open                        meter.Open
	counting                    sync.Mutex
	countedAt                   int64 // value of rewritten; guarded by counting, like what follows
	countedBlocks, countedHours int
}

func newObserved() observed {
	return observed{
		commit:    meter.NewHistogram(meter.Durations()),
		sync:      meter.NewHistogram(meter.Durations()),
		group:     meter.NewHistogram(meter.Sizes()),
		query:     meter.NewHistogram(meter.Durations()),
		countedAt: -1,
	}
}

// committed notes a commit of batches that was begun at a moment, unless it failed.
func (o *observed) committed(begin time.Time, tx *bbolt.Tx, err error) {
	if err != nil {
		return
	}
	o.commit.Since(begin)
	stats := tx.Stats()
	o.sync.Observe(int64(stats.GetWriteTime()))
}

// viewFile runs fn in a transaction that reads.
func (e *Engine) viewFile(fn func(*bbolt.Tx) error) error {
	defer e.observed.open.Begin()()
	return e.db.View(fn)
}

// updateFile runs fn in a transaction that writes, of anything but new batches.
func (e *Engine) updateFile(fn func(*bbolt.Tx) error) error {
	var refused error // by fn, which says nothing about the file
	err := e.file.Update(func(tx *bbolt.Tx) error {
		refused = fn(tx)
		return refused
	})
	if refused != nil {
		return err
	}
	e.observed.rewritten.Add(1)
	return err
}

// Writable is nil when the file took the last commit, and otherwise why it did
// not, see boltfile.Writer. It waits for nobody who writes.
func (e *Engine) Writable() error { return e.file.Writable(&e.writing) }

// State is the state of now.
func (e *Engine) State() (State, error) {
	info, err := os.Stat(e.path)
	if err != nil {
		return State{}, err
	}
	o, file := &e.observed, e.db.Stats()
	s := State{
		Failed: e.file.Failed(), Commit: o.commit.Distribution(), Sync: o.sync.Distribution(), Group: o.group.Distribution(),
		Batches: o.batches.Load(), Events: o.events.Load(), PerSecond: o.rate.PerSecond(e.now()),
		FileBytes: info.Size(), FreeBytes: int64(file.FreeAlloc), FreePages: file.FreePageN + file.PendingPageN,
		Queries: o.query.Distribution(), QueriesRunning: len(e.queries), QueriesWaiting: int(o.waitingQueries.Load()),
		Transactions: file.OpenTxN, Oldest: o.open.Oldest(),
	}
	s.Commits = s.Commit.Total()
	e.queue.Lock()
	s.Waiting, s.WaitingBytes = len(e.waiting), e.waitingBytes
	e.queue.Unlock()
	heads := e.heads.Load().all()
	s.FrozenHeads = len(heads) - 1
	for _, h := range heads {
		h.mu.RLock()
		s.HeadEvents, s.HeadBytes, s.TailBytes = s.HeadEvents+h.events, s.HeadBytes+h.bytes, s.TailBytes+h.tailBytes
		h.mu.RUnlock()
	}
	s.Blocks, s.Hours, err = e.countBlocks()
	return s, err
}

// countBlocks counts blocks and hours of all projects. As it looks at the key of
// each, it does so only when one may have changed.
func (e *Engine) countBlocks() (blocks, hours int, err error) {
	o := &e.observed
	o.counting.Lock()
	defer o.counting.Unlock()
	now := o.rewritten.Load()
	if now == o.countedAt {
		return o.countedBlocks, o.countedHours, nil
	}
	err = e.viewFile(func(tx *bbolt.Tx) error {
		return tx.Bucket(projectsBucket).ForEachBucket(func(name []byte) error {
			last := int64(-1)
			return tx.Bucket(projectsBucket).Bucket(name).Bucket(blocksBucket).ForEach(func(key, _ []byte) error {
				blocks++
				if hour := int64(binary.BigEndian.Uint32(key)); hour != last {
					hours, last = hours+1, hour
				}
				return nil
			})
		})
	})
	if err != nil {
		return 0, 0, err
	}
	o.countedAt, o.countedBlocks, o.countedHours = now, blocks, hours
	return blocks, hours, nil
}
