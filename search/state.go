package search

import "sync/atomic"

// State holds the counters of an index and its current position in the change feed. The
// counters start at 0 when the index is opened.
type State struct {
	Running bool // Run is keeping the index up to date
	Ready   bool // searches use the index; otherwise they scan all records

	Seen, Last uint64 // sequence numbers of the last indexed change and of the last change of the store
	Batches    uint64 // batches written, including those of rebuilds
	Documents  uint64 // documents in these batches
	Failed     uint64 // failed attempts to catch up
	Failure    string // error of the last attempt; "" if it succeeded
}

// Lag returns the number of changes that the index has not processed yet. Searches have
// to scan these changes.
func (s State) Lag() uint64 { return s.Last - min(s.Seen, s.Last) }

// observed holds the statistics of an index.
type observed struct {
	running                    atomic.Bool
	batches, documents, failed atomic.Uint64
	failure                    atomic.Pointer[error] // error of the last attempt to catch up
}

// wrote counts a batch that was written. It does nothing if o is nil.
func (o *observed) wrote(b *batch) {
	if o != nil {
		o.batches.Add(1)
		o.documents.Add(uint64(len(b.puts)))
	}
}

// caughtUp records the result of an attempt to catch up.
func (o *observed) caughtUp(err error) {
	if err == nil {
		o.failure.Store(nil)
		return
	}
	o.failed.Add(1)
	o.failure.Store(&err)
}

// State returns the current state.
func (x *Index) State() State {
	o := &x.observed
	s := State{
		Running: o.running.Load(),
		Batches: o.batches.Load(), Documents: o.documents.Load(), Failed: o.failed.Load(),
	}
	s.Seen, s.Ready = x.Seen() // read before Last, so that Seen is never greater
	s.Last = x.db.LastChange()
	if failure := o.failure.Load(); failure != nil {
		s.Failure = (*failure).Error()
	}
	return s
}
