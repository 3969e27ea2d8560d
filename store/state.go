package store

import (
	"os"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/meter"
)

// State is what a store has done since it was opened, and how it stands. Times
// in distributions are nanoseconds.
type State struct {
	Commits uint64 // that are on disk
	Failed  uint64 // that the file did not take
	Commit  meter.Distribution
	Sync    meter.Distribution // the part of a commit that waits for the disk
	Group   meter.Distribution // submissions that shared a commit
	Waiting int                // submissions in the queue

	Feedback, Logs uint64 // that were stored

	FileBytes, FreeBytes int64 // free is room in the file for what comes
	FreePages            int

	Transactions int           // that read now
	Oldest       time.Duration // for how long the first of them reads
}

// observed is what a store counts of itself.
type observed struct {
	feedback, logs      atomic.Uint64
	commit, sync, group *meter.Histogram
	open                meter.Open
}

func newObserved() observed {
	return observed{
		commit: meter.NewHistogram(meter.Durations()),
		sync:   meter.NewHistogram(meter.Durations()),
		group:  meter.NewHistogram(meter.Sizes()),
	}
}

// committed notes a commit that was begun at a moment.
func (o *observed) committed(begin time.Time, t *bbolt.Tx) {
	o.commit.Since(begin)
	stats := t.Stats()
	o.sync.Observe(int64(stats.GetWriteTime()))
}

// State is the state of now.
func (s *Store) State() (State, error) {
	info, err := os.Stat(s.path)
	if err != nil {
		return State{}, err
	}
	s.queue.Lock()
	waiting := len(s.waiting)
	s.queue.Unlock()
	o, file := &s.observed, s.db.Stats()
	state := State{
		Failed: s.file.Failed(), Commit: o.commit.Distribution(), Sync: o.sync.Distribution(), Group: o.group.Distribution(),
		Waiting:  waiting,
		Feedback: o.feedback.Load(), Logs: o.logs.Load(),
		FileBytes: info.Size(), FreeBytes: int64(file.FreeAlloc), FreePages: file.FreePageN + file.PendingPageN,
		Transactions: file.OpenTxN, Oldest: o.open.Oldest(),
	}
	state.Commits = state.Commit.Total()
	return state, nil
}

// Writable is nil when the file took the last commit, and otherwise why it did
// not, see boltfile.Writer. It waits for nobody who writes.
func (s *Store) Writable() error { return s.file.Writable(&s.writing) }
