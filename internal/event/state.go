package event

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/internal/meter"
)

// State contains counters of an engine and its current size. Counters start at zero when
// the engine is opened. Distributions of times are in nanoseconds.
type State struct {
	boltfile.State // counts only commits of batches

	Batches   uint64  // batches ingested without an error
	Events    uint64  // events stored
	PerSecond float64 // events stored, mean of the last minute

	Waiting      int // batches in the queue; WaitingBytes is their estimated size
	WaitingBytes int

	HeadEvents, HeadBytes int // size of the events in memory
	FrozenHeads           int // heads that are being written: 0 or 1
	WALBytes              int // bytes that the events in memory take in the WAL

	Blocks, Hours int // blocks in the file, and distinct hours of projects that have blocks

	Queries        meter.Distribution // how long queries ran
	QueriesRunning int
	QueriesWaiting int
}

// observed holds the statistics of an engine.
type observed struct {
	batches, events             atomic.Uint64
	query                       *meter.Histogram
	waitingQueries, rewritten   atomic.Int64
	rate                        meter.Rate
	counting                    sync.Mutex
	countedAt                   int64 // rewritten when blocks were last counted; guarded by counting, like the following fields
	countedBlocks, countedHours int
}

func newObserved() observed {
	return observed{query: meter.NewHistogram(meter.Durations()), countedAt: -1}
}

// updateFile runs fn in a write transaction that is not counted as a commit of batches. It
// does not write to a damaged file.
func (e *Engine) updateFile(fn func(*boltfile.Tx) error) error {
	if err := e.file.Damage(); err != nil {
		return err
	}
	var refused error // returned by fn, so it is not an error of the file
	err := e.file.UpdateUncounted(func(tx *boltfile.Tx) error {
		refused = fn(tx)
		return refused
	})
	if refused != nil {
		return err
	}
	e.observed.rewritten.Add(1)
	return err
}

// Writable returns nil if the last commit succeeded, and otherwise its error; see
// boltfile.Writer. It does not wait for writers.
func (e *Engine) Writable() error { return e.file.Writable() }

// LockedFor returns how long the current writer has held the file's lock, or 0 if there is
// none.
func (e *Engine) LockedFor() time.Duration { return e.file.LockedFor() }

// ReadOnly reports whether damage keeps events from being stored.
func (e *Engine) ReadOnly() bool { return e.file.Damage() != nil }

// Damage returns the damage that was found, for the administrator, or nil.
func (e *Engine) Damage() error {
	if cause := e.file.DamageCause(); cause != nil {
		return cause
	}
	if cause := e.damaged.Load(); cause != nil {
		return *cause
	}
	return nil
}

// noteDamage returns a fault of kind Damaged for an error about damage, and any other
// error unchanged. It stores and logs the first damage that leaves the file writable,
// such as a damaged block.
func (e *Engine) noteDamage(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok || !errors.Is(err, ErrDamaged) {
		return err
	}
	if e.damaged.CompareAndSwap(nil, &err) {
		e.log.Error("events are damaged; other hours can still be read, and new events are stored", "file", e.path, "damage", err,
			"next", `"svc check" shows what is damaged; restore the last backup if it is needed`)
	}
	return fault.New(fault.Damaged, "some of these events are damaged on the server; its administrator has to repair events.db")
}

// State returns the current state. If there is an error, the values that could not be
// determined are 0.
func (e *Engine) State() (State, error) {
	file, err := e.file.State()
	o := &e.observed
	s := State{
		State:   file,
		Batches: o.batches.Load(), Events: o.events.Load(), PerSecond: o.rate.PerSecond(e.now()),
		Queries: o.query.Distribution(), QueriesRunning: len(e.queries), QueriesWaiting: int(o.waitingQueries.Load()),
	}
	s.Waiting, s.WaitingBytes = e.batches.Waiting()
	heads := e.heads.Load().all()
	s.FrozenHeads = len(heads) - 1
	for _, h := range heads {
		h.mu.RLock()
		s.HeadEvents, s.HeadBytes, s.WALBytes = s.HeadEvents+h.events, s.HeadBytes+h.bytes, s.WALBytes+h.walBytes
		h.mu.RUnlock()
	}
	blocks, hours, uncounted := e.countBlocks()
	s.Blocks, s.Hours = blocks, hours
	return s, errors.Join(err, uncounted)
}

// countBlocks counts the blocks and hours of all projects. Counting visits every key, so
// it is repeated only if a key may have changed.
func (e *Engine) countBlocks() (blocks, hours int, err error) {
	o := &e.observed
	o.counting.Lock()
	defer o.counting.Unlock()
	now := o.rewritten.Load()
	if now == o.countedAt {
		return o.countedBlocks, o.countedHours, nil
	}
	err = e.file.View(func(tx *boltfile.Tx) error {
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
