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

// ErrNothing is returned by a function that has nothing to write: its transaction
// is undone, and the callers that share it are answered without an error.
var ErrNothing = errors.New("nothing to write")

// Limits bound what a Group takes. No bytes are no limit.
type Limits struct {
	// Waiting is how many items wait before more are refused, and WaitingBytes how
	// large they are; one alone may be larger.
	Waiting, WaitingBytes int
	// Together is how many items share a transaction, and TogetherBytes how large
	// they are; one alone may be larger.
	Together, TogetherBytes int
}

// Group commits the items of many goroutines in shared transactions: those that
// arrive while one transaction is written share the next, with one sync for all of
// them. An item that is alone is not delayed.
//
// A caller that finds no leader leads: it waits for the previous transaction, then
// commits all items that have arrived by then. What is left after that is led by a
// goroutine of its own, so that no caller waits for later items.
type Group[T any] struct {
	// Commit writes items in one transaction of the writer, whose lock is held. Its
	// error is that of all of them.
	Commit func(items []T) error
	// Prepare, when set, is called once for each of the items, some at a time, before
	// the lock of the writer is taken, so that it runs while the items before them are
	// written.
	Prepare func(items []T)

	file   *Writer
	what   string
	limits Limits

	shared  bool // the last transaction had several items; guarded by the lock of file
	leaders sync.WaitGroup
	arrived chan struct{} // has one when something may be in the queue of a leader

	queue   sync.Mutex
	waiting []*waiter[T] // guarded by queue
	bytes   int          // of these; guarded by queue
	led     bool         // there is a leader; guarded by queue
}

func exceeds(bytes, limit int) bool { return limit > 0 && bytes > limit }

// waiter is an item in the queue.
type waiter[T any] struct {
	item  T
	bytes int
	err   error
	done  chan struct{}
}

// NewGroup makes a group that writes with file. Its items have a name in the
// plural, for people. Commit must be set before the first Submit.
func NewGroup[T any](file *Writer, what string, limits Limits) *Group[T] {
	return &Group[T]{file: file, what: what, limits: limits, arrived: make(chan struct{}, 1)}
}

// Submit returns when an item is on disk. The error is Unavailable when too many
// wait, that of Commit, or for a moment after the disk has not taken a transaction
// that of the disk, without trying.
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

// Waiting returns the number of items in the queue and their total size.
func (g *Group[T]) Waiting() (n, bytes int) {
	g.queue.Lock()
	defer g.queue.Unlock()
	return len(g.waiting), g.bytes
}

// Wait waits until nothing of what was submitted is left in the queue. Nobody may
// submit meanwhile.
func (g *Group[T]) Wait() { g.leaders.Wait() }

// signal tells the leader that there is more in the queue.
func (g *Group[T]) signal() {
	select {
	case g.arrived <- struct{}{}:
	default: // it has been told
	}
}

// lead commits the next items of the queue.
func (g *Group[T]) lead() {
	var next together[T]
	defer next.answer()   // after the lock is free: the callers that are answered would go first
	if g.Prepare == nil { // the later they are taken, the more share the transaction
		g.file.Lock()
		if g.shared {
			runtime.Gosched() // others who are about to submit come first
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

// collect takes the items that come until the lock of the writer is had, and
// prepares them.
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
			// Each Prepare has a price of its own, so not for a few beside many.
			if n, _ := g.Waiting(); n > len(next.items)/4 {
				g.prepare(next)
			}
		}
	}
}

// prepare takes what waits and prepares it. Those for whom that fails are answered.
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

// handOver lets another goroutine lead, if anything waits.
func (g *Group[T]) handOver() {
	g.queue.Lock()
	defer g.queue.Unlock()
	if g.led = len(g.waiting) > 0; g.led {
		g.leaders.Go(g.lead)
	}
}

// guard runs fn and gives its error to the waiters, also after a panic: they
// must not wait for ever.
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

// together is what shares a transaction.
type together[T any] struct {
	waiters []*waiter[T]
	items   []T // of them
	bytes   int
}

// answer lets the waiters go on.
func (t *together[T]) answer() {
	for _, w := range t.waiters {
		close(w.done)
	}
}

// take takes items out of the queue, as many as may share a transaction with those
// that were taken before.
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
