package boltfile

import (
	"time"

	"svc/internal/meter"
)

// State describes an open file: its counters, which start when it is opened, and its
// current size. Distributions of times are in nanoseconds.
type State struct {
	Commits uint64 // transactions that are on disk, excluding those of UpdateUncounted
	Failed  uint64 // transactions that failed because of the disk, including those of UpdateUncounted
	Commit  meter.Distribution
	Sync    meter.Distribution // time that commits spend waiting for the disk
	Group   meter.Distribution // number of items that shared a commit

	FileBytes, FreeBytes int64 // FreeBytes is the size of the free pages
	FreePages            int

	Transactions int           // read transactions that are open
	Oldest       time.Duration // age of the oldest open read transaction

	Locked time.Duration // time for which the lock has been held, see LockedFor
}

// observed holds the statistics of a Writer.
type observed struct {
	commit, sync, group *meter.Histogram
	open                meter.Open // read transactions
}

func newObserved() observed {
	return observed{
		commit: meter.NewHistogram(meter.Durations()),
		sync:   meter.NewHistogram(meter.Durations()),
		group:  meter.NewHistogram(meter.Sizes()),
	}
}

// State returns the current state. If there is an error, everything except the size of
// the file is valid.
func (w *Writer) State() (State, error) {
	size, err := Size(w.db.Path())
	o := &w.observed
	s := State{
		Failed: w.failures.Load(), Commit: o.commit.Distribution(), Sync: o.sync.Distribution(), Group: o.group.Distribution(),
		FileBytes: size, Oldest: o.open.Oldest(), Locked: w.LockedFor(),
	}
	s.Commits = s.Commit.Total()
	if w.Unopened() == nil {
		file := w.db.now().Stats()
		s.FreeBytes, s.FreePages, s.Transactions = int64(file.FreeAlloc), file.FreePageN+file.PendingPageN, file.OpenTxN
	}
	return s, err
}

// LockedFor returns how long the current holder has held the lock, or 0 if it is free.
func (w *Writer) LockedFor() time.Duration {
	if at := w.locked.Load(); at != 0 {
		return time.Since(epoch) - time.Duration(at)
	}
	return 0
}
