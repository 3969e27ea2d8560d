package boltfile

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"svc/internal/fault"
)

// ErrNothing is returned by a Commit function that has nothing to write. Its transaction
// is rolled back, and the callers that share it get no error.
var ErrNothing = errors.New("nothing to write")

// Limits limits the items of a Group. Waiting and Together must be positive. If a limit
// of bytes is 0, the size is unlimited.
type Limits struct {
	// Waiting limits the number of waiting items, and WaitingBytes their total size.
	// Further items are refused, but an item of any size may wait alone.
	Waiting, WaitingBytes int
	// Together limits the number of items that share a transaction, and TogetherBytes
	// their total size. An item of any size can have a transaction of its own.
	Together, TogetherBytes int
}

// Group commits the items of many goroutines in shared transactions. Items that arrive
// while one transaction is being written share the next one, with one sync for all of
// them. A single item is not delayed.
//
// A caller that finds no leader becomes the leader: it waits for the previous
// transaction, then commits all items that have arrived by then. A new goroutine leads
// the items that remain, so that no caller waits for later items.
type Group[T any] struct {
	// Commit writes items in one transaction. It is called with the writer's lock held.
	// Its error is returned for all items.
	Commit func(items []T) error
	// Prepare, if set, is called exactly once for each item, for several items at a time.
	// It is called before the writer's lock is acquired, so that it runs while the
	// previous items are being written.
	Prepare func(items []T)

	file   *Writer
	what   string
	limits Limits

	shared  bool // whether the last transaction had several items; guarded by the lock of file
	leaders sync.WaitGroup
	arrived chan struct{} // contains an element if the leader's queue may have new items

	queue   sync.Mutex
	waiting []*waiter[T] // guarded by queue
	bytes   int          // total size of waiting; guarded by queue
	led     bool         // whether there is a leader; guarded by queue
}

func exceeds(bytes, limit int) bool { return limit > 0 && bytes > limit }

// waiter is an item in the queue. Its caller waits for the result.
type waiter[T any] struct {
	item  T
	bytes int
	err   error
	done  chan struct{}
}

// NewGroup returns a Group that writes with the given Writer. The parameter what is a
// plural noun for the items, for messages. The caller must set Commit before the first
// Submit.
func NewGroup[T any](file *Writer, what string, limits Limits) *Group[T] {
	return &Group[T]{file: file, what: what, limits: limits, arrived: make(chan struct{}, 1)}
}

// Submit commits an item and returns when it is on disk. bytes is its approximate size.
// The error is Unavailable if too many items are waiting; otherwise it is the error of
// Commit. For a short time after a failed commit, Submit returns the error of that commit
// without another attempt; see Writer.Refused.
func (g *Group[T]) Submit(item T, bytes int) error {
	w := &waiter[T]{item: item, bytes: bytes, done: make(chan struct{})}
	g.queue.Lock()
	if n := len(g.waiting); n >= g.limits.Waiting || n > 0 && exceeds(g.bytes+bytes, g.limits.WaitingBytes) {
		g.queue.Unlock()
		return fault.New(fault.Unavailable, "too many %s are waiting; try again in a second", g.what).After(time.Second)
	}
	g.waiting = append(g.waiting, w)
	g.bytes += bytes
	leads := !g.led
	g.led = true
	g.queue.Unlock()
	if leads {
		g.lead()
	} else {
		g.signal()
	}
	<-w.done
	return w.err
}

// Waiting returns the number of items in the queue and their total size in bytes.
func (g *Group[T]) Waiting() (n, bytes int) {
	g.queue.Lock()
	defer g.queue.Unlock()
	return len(g.waiting), g.bytes
}

// Wait waits until the queue is empty. Submit must not be called at the same time.
func (g *Group[T]) Wait() { g.leaders.Wait() }

// signal tells the leader that the queue has new items. It never blocks.
func (g *Group[T]) signal() {
	select {
	case g.arrived <- struct{}{}:
	default: // the leader has already been notified
	}
}

// lead acts as the leader: it takes the items of the queue, commits them, and hands over
// to another leader if more items have arrived.
func (g *Group[T]) lead() {
	var next together[T]
	defer next.answer()   // unblock the callers only after the lock is released, because they would run first
	if g.Prepare == nil { // take the items as late as possible, so that more of them share the transaction
		g.file.Lock()
		if g.shared {
			runtime.Gosched() // let other goroutines submit first
		}
		g.take(&next)
		g.shared = len(next.items) > 1
	} else {
		g.collect(&next)
	}
	defer g.file.Unlock()
	g.handOver()
	if len(next.items) == 0 {
		return
	}
	g.guard(next.waiters, func() error {
		err := g.file.Refused()
		if err == nil {
			err = g.Commit(next.items)
		}
		if err == nil {
			g.file.observed.group.Observe(int64(len(next.items)))
		}
		if errors.Is(err, ErrNothing) {
			err = nil
		}
		return err
	})
}

// collect takes and prepares the items that arrive until it acquires the writer's lock.
func (g *Group[T]) collect(next *together[T]) {
	g.prepare(next)
	if g.file.TryLock() {
		return
	}
	locked := make(chan struct{})
	go func() {
		g.file.Lock() // lead unlocks it
		close(locked)
	}()
	for {
		select {
		case <-locked:
			return
		case <-g.arrived:
			// Each call of Prepare has a fixed cost, so do not prepare a few items
			// separately.
			if n, _ := g.Waiting(); n > len(next.items)/4 {
				g.prepare(next)
			}
		}
	}
}

// prepare takes the waiting items and prepares them. If the preparation fails, these
// items get its error.
func (g *Group[T]) prepare(next *together[T]) {
	before := len(next.items)
	g.take(next)
	taken := next.waiters[before:]
	if len(taken) == 0 {
		return
	}
	if g.guard(taken, func() error { g.Prepare(next.items[before:]); return nil }); taken[0].err != nil {
		failed := together[T]{waiters: taken}
		failed.answer()
		next.waiters, next.items = next.waiters[:before], next.items[:before]
	}
}

// handOver starts a new goroutine as the leader if items are waiting.
func (g *Group[T]) handOver() {
	g.queue.Lock()
	defer g.queue.Unlock()
	if g.led = len(g.waiting) > 0; g.led {
		g.leaders.Go(g.lead)
	}
}

// guard runs fn and stores the error of fn in each of the given waiters. If fn panics,
// guard recovers and stores an error in them too, so that they do not wait forever.
func (g *Group[T]) guard(taken []*waiter[T], fn func() error) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write %s: panic: %v", g.what, p)
			g.file.log.Error("group commit failed", "of", g.what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
		for _, w := range taken {
			w.err = err
		}
	}()
	err = fn()
}

// together holds the items that share a transaction.
type together[T any] struct {
	waiters []*waiter[T]
	items   []T // the items of waiters, in the same order
	bytes   int
}

// answer unblocks the callers that wait for these items.
func (t *together[T]) answer() {
	for _, w := range t.waiters {
		close(w.done)
	}
}

// take takes as many items from the queue as may share a transaction with those already
// taken.
func (g *Group[T]) take(into *together[T]) {
	g.queue.Lock()
	defer g.queue.Unlock()
	n := 0
	for _, w := range g.waiting {
		if len(into.items) == g.limits.Together || len(into.items) > 0 && exceeds(into.bytes+w.bytes, g.limits.TogetherBytes) {
			break
		}
		into.waiters, into.items = append(into.waiters, w), append(into.items, w.item)
		into.bytes += w.bytes
		g.bytes -= w.bytes
		n++
	}
	g.waiting = slices.Clone(g.waiting[n:])
}
