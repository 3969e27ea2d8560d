package event

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"svc/internal/fault"
)

const (
	// mostWaiting bounds the batches that wait for the disk, mostTogether those
	// that share a commit; the others bound the bytes of both, roughly.
	mostWaiting       = 4096
	mostTogether      = 1024
	mostWaitingBytes  = 64 << 20
	mostTogetherBytes = 8 << 20
)

// waiter is a batch in the queue.
type waiter struct {
	batch    *Batch
	bytes    int // of its texts, roughly
	accepted int
	err      error
	done     chan struct{}
}

// Ingest stores the events of a batch that are not stored yet and returns how
// many these are when they are on disk. Batches that arrive meanwhile share one
// commit; alone it adds no delay. The error is Unavailable when too many wait, and
// NoSpace or Unavailable when the disk does not take them and for a moment after.
//
// Names and times are expected as the contract wants them stored; an item whose
// name is empty is left out. The batch must not be changed afterwards.
func (e *Engine) Ingest(b *Batch) (accepted int, err error) {
	w := &waiter{batch: b, bytes: b.bytes(), done: make(chan struct{})}
	e.queue.Lock()
	if len(e.waiting) >= mostWaiting || len(e.waiting) > 0 && e.waitingBytes+w.bytes > mostWaitingBytes {
		e.queue.Unlock()
		return 0, fault.New(fault.Unavailable, "too many events are waiting; try again in a second").After(time.Second)
	}
	e.waiting = append(e.waiting, w)
	e.waitingBytes += w.bytes
	leads := len(e.waiting) == 1
	e.queue.Unlock()
	if leads {
		e.lead()
	}
	<-w.done
	if w.err != nil {
		return 0, w.err
	}
	return w.accepted, nil
}

// lead commits what waits: whoever finds the queue empty leads. What is left
// after a full group is led by a goroutine of its own, so that nobody's answer
// waits for the events of others.
//
// A group is looked up while the one before is written.
func (e *Engine) lead() {
	e.looking.Lock()
	group := e.takeGroup()
	found := lookups.Get().(*lookup)
	defer lookups.Put(found)
	e.lookUp(group, found)
	e.writing.Lock()
	e.looking.Unlock()
	defer e.writing.Unlock()
	err := e.file.Refused()
	if err == nil {
		err = e.makeRoom()
	}
	e.commitGroup(group, found, err)
}

// lookups are used again: making room for them takes longer than looking up.
var lookups = sync.Pool{New: func() any { return new(lookup) }}

// takeGroup takes the next group out of the queue.
func (e *Engine) takeGroup() []*waiter {
	e.queue.Lock()
	defer e.queue.Unlock()
	group, bytes := together(e.waiting)
	e.waiting = slices.Clone(e.waiting[len(group):])
	e.waitingBytes -= bytes
	if len(e.waiting) > 0 {
		e.done.Go(e.lead)
	}
	return group
}

// together is the first batches of a queue that share a commit, at least one, and
// their bytes.
func together(waiting []*waiter) (group []*waiter, bytes int) {
	n := 0
	for n < len(waiting) && n < mostTogether && (n == 0 || bytes+waiting[n].bytes <= mostTogetherBytes) {
		bytes += waiting[n].bytes
		n++
	}
	return waiting[:n], bytes
}

// bytes is how large a batch is, roughly.
func (b *Batch) bytes() int {
	n := 500
	for i := range b.Items {
		n += 100 + len(b.Items[i].ID) + len(b.Items[i].Properties)
	}
	return n
}

// commitGroup commits batches unless there is an error already, and answers
// those who wait, also after a panic: they must not wait for ever.
func (e *Engine) commitGroup(group []*waiter, found *lookup, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store events: panic: %v", p)
			e.log.Error("events were not stored", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		for _, w := range group {
			w.err = err
			close(w.done)
		}
	}()
	if err == nil {
		err = e.commit(group, found)
		e.commits.Add(1)
	}
	if err == nil {
		e.observed.batches.Add(uint64(len(group)))
	}
}

// makeRoom freezes a full head, and waits when the one before is still being
// written and memory is short. The caller holds e.writing.
func (e *Engine) makeRoom() error {
	for {
		h := e.heads.Load()
		size := max(h.active.events, h.active.bytes/(mostHeadBytes/e.headEvents+1))
		switch {
		case size < e.headEvents:
			return nil
		case h.frozen == nil:
			e.freeze(h)
			e.nudge()
			return nil
		case size < 2*e.headEvents:
			return nil
		case e.failed != nil:
			if e.file.Refused() == nil {
				e.nudge()
			}
			if _, ok := errors.AsType[*fault.Error](e.failed); ok {
				return e.failed
			}
			return fault.New(fault.Unavailable, "events cannot be written to the disk at the moment; try again in a minute").After(time.Minute)
		}
		e.room.Wait()
	}
}

// freeze lets a new head begin. The caller holds e.writing.
func (e *Engine) freeze(h *heads) {
	e.heads.Store(&heads{active: newHead(h.active.generation + 1), frozen: h.active})
	e.failed = nil
}
