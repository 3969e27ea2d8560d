package search

import "sync/atomic"

// State is what an index has done since it was opened, and its current position.
type State struct {
	Running bool // it is kept up to date
	Ready   bool // searches ask it; until then they scan all records

	Seen, Last uint64 // the changes up to which it knows, and up to which there are any
	Batches    uint64 // that were written
	Documents  uint64 // in them
	Failed     uint64 // attempts to catch up
	Failure    string // of the last attempt; "" when it went well
}

// Lag returns the number of changes that searches look through because the index has
// not seen them yet.
func (s State) Lag() uint64 { return s.Last - min(s.Seen, s.Last) }

// observed is what an index counts of itself.
type observed struct {
	running                    atomic.Bool
	batches, documents, failed atomic.Uint64
	failure                    atomic.Pointer[error] // of the last attempt
}

// wrote counts a batch. An engine that belongs to no index counts nothing.
func (o *observed) wrote(b *batch) {
	if o != nil {
		o.batches.Add(1)
		o.documents.Add(uint64(len(b.puts)))
	}
}

// caughtUp records how an attempt to catch up ended.
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
	s.Seen, s.Ready = x.Seen() // before the last change, which it cannot be ahead of
	s.Last = x.db.LastChange()
	if failure := o.failure.Load(); failure != nil {
		s.Failure = (*failure).Error()
	}
	return s
}
