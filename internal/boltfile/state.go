package boltfile

import (
	"time"

	"svc/internal/meter"
)

// State describes an open file: counters since it was opened, and its present size.
// Times in distributions are nanoseconds.
type State struct {
	Commits uint64 // that are on disk, without those of UpdateUncounted
	Failed  uint64 // of any kind, that the file did not take
	Commit  meter.Distribution
	Sync    meter.Distribution // the part of a commit that waits for the disk
	Group   meter.Distribution // items that shared a commit

	FileBytes, FreeBytes int64 // FreeBytes is that of free pages
	FreePages            int

	Transactions int           // that read now
	Oldest       time.Duration // for how long the first of them reads
}

// observed is what a Writer counts.
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

// State returns the current state. With an error, all of it but the size of the file
// is valid.
func (w *Writer) State() (State, error) {
	size, err := Size(w.db.Path())
	o, file := &w.observed, w.db.now().Stats()
	s := State{
		Failed: w.failures.Load(), Commit: o.commit.Distribution(), Sync: o.sync.Distribution(), Group: o.group.Distribution(),
		FileBytes: size, FreeBytes: int64(file.FreeAlloc), FreePages: file.FreePageN + file.PendingPageN,
		Transactions: file.OpenTxN, Oldest: o.open.Oldest(),
	}
	s.Commits = s.Commit.Total()
	return s, err
}
