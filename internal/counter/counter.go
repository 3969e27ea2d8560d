// Package counter counts in memory for a caller that stores the counts later.
// It knows nothing of what is counted: combinations of keys in, numbers of each
// key out.
package counter

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// Rules keep a Counter within bounds when keys are made of untrusted input.
type Rules[C, K comparable] struct {
	// Combinations is how many different ones are held on each core before they
	// are divided into their keys.
	Combinations int
	// Keys are those that a combination is counted under.
	Keys func(C) iter.Seq[K]
	// Keep is the combination with everything in it that must not be shared with
	// the caller's memory copied. It is called once for each that is new.
	Keep func(C) C

	// Most is how many different keys are held between two drains, and PerGroup
	// how many of one group, on each core. A key beyond that is counted under
	// its Fold instead. When twice as many are held, even that one is dropped.
	Most, PerGroup int
	// Group says which keys share a bound, so that one of many cannot take the
	// room of all.
	Group func(K) uint32
	// Fold is a coarser key in the place of one for which there is no room. The
	// coarse keys should be few, and a coarse key is its own Fold.
	Fold func(K) K
}

// Counter counts keys. All methods may be called from any goroutine. Add is
// made for being called by every request: each core counts in a part of its own,
// so cores do not wait for each other, and a combination that is known costs one
// look into a map, however many keys it has, and no memory.
type Counter[C, K comparable] struct {
	rules Rules[C, K]
	parts []part[C, K]
	near  sync.Pool // *part[C, K]; hands out the one last used on this core
	next  atomic.Uint32

	draining sync.Mutex // held by Drain, for the spare maps
	dropped  atomic.Uint64
}

// part is what one core counts. Its size keeps neighbours off its cache lines.
type part[C, K comparable] struct {
	mu    sync.Mutex
	live  counts[C, K] // guarded by mu
	spare counts[C, K] // empty but while it is being drained; belongs to the drainer
	_     [64]byte
}

// counts are what was counted: in combinations, and in keys of those that were
// divided.
type counts[C, K comparable] struct {
	undivided tally[C]
	keys      tally[K]
	groups    map[uint32]int // keys held of each group
}

// tally is a map of numbers that can be added to with one look-up, and emptied
// without giving its memory back.
type tally[T comparable] struct {
	at      map[T]uint32 // -> place in numbers
	numbers []uint64
}

// known adds to the number of something that is held.
func (t *tally[T]) known(one T, n uint64) bool {
	at, ok := t.at[one]
	if ok {
		t.numbers[at] += n
	}
	return ok
}

// begin holds something that was not.
func (t *tally[T]) begin(one T, n uint64) {
	t.at[one] = uint32(len(t.numbers))
	t.numbers = append(t.numbers, n)
}

func (t *tally[T]) each(visit func(one T, n uint64)) {
	for one, at := range t.at {
		visit(one, t.numbers[at])
	}
}

func (t *tally[T]) empty() {
	clear(t.at)
	t.numbers = t.numbers[:0]
}

// New makes a counter with a part for each core.
func New[C, K comparable](rules Rules[C, K]) *Counter[C, K] {
	c := &Counter[C, K]{rules: rules, parts: make([]part[C, K], runtime.GOMAXPROCS(0))}
	for i := range c.parts {
		c.parts[i].live, c.parts[i].spare = newCounts[C, K](), newCounts[C, K]()
	}
	// The pool forgets what it holds from time to time, and another core may
	// then be handed the same part; the mutex keeps that right.
	c.near.New = func() any { return &c.parts[int(c.next.Add(1))%len(c.parts)] }
	return c
}

func newCounts[C, K comparable]() counts[C, K] {
	return counts[C, K]{undivided: tally[C]{at: map[C]uint32{}}, keys: tally[K]{at: map[K]uint32{}}, groups: map[uint32]int{}}
}

// Add counts each of the keys of a combination once.
func (c *Counter[C, K]) Add(combination C) {
	p := c.near.Get().(*part[C, K])
	p.mu.Lock()
	if u := &p.live.undivided; !u.known(combination, 1) {
		if len(u.numbers) >= c.rules.Combinations {
			c.divide(&p.live)
		}
		u.begin(c.rules.Keep(combination), 1)
	}
	p.mu.Unlock()
	c.near.Put(p)
}

// divide counts the keys of all combinations.
func (c *Counter[C, K]) divide(l *counts[C, K]) {
	l.undivided.each(func(combination C, n uint64) {
		for k := range c.rules.Keys(combination) {
			c.add(l, k, n)
		}
	})
	l.undivided.empty()
}

func (c *Counter[C, K]) add(l *counts[C, K], k K, n uint64) {
	if l.keys.known(k, n) {
		return
	}
	group := c.rules.Group(k)
	if len(l.keys.numbers) >= c.rules.Most || l.groups[group] >= c.rules.PerGroup {
		k = c.rules.Fold(k)
		if l.keys.known(k, n) {
			return
		}
		if len(l.keys.numbers) >= 2*c.rules.Most {
			c.dropped.Add(n)
			return
		}
	}
	l.groups[group]++
	l.keys.begin(k, n)
}

// Drain takes everything that was counted so far; nil when that is nothing.
// What is counted meanwhile is in this result or in the next one, never in both
// and never in none.
func (c *Counter[C, K]) Drain() map[K]uint64 {
	c.draining.Lock()
	defer c.draining.Unlock()
	var all map[K]uint64
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		p.live, p.spare = p.spare, p.live
		p.mu.Unlock()
		c.divide(&p.spare)
		if all == nil && len(p.spare.keys.numbers) > 0 {
			all = make(map[K]uint64, len(p.spare.keys.numbers))
		}
		p.spare.keys.each(func(k K, n uint64) { all[k] += n })
		p.spare.keys.empty()
		clear(p.spare.groups)
	}
	return all
}

// Restore gives back what a Drain took and what could not be written down. The
// bounds hold for it too.
func (c *Counter[C, K]) Restore(taken map[K]uint64) {
	p := &c.parts[0]
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, n := range taken {
		c.add(&p.live, k, n)
	}
}

// Dropped is how much was not counted at all since the start, because even the
// coarse keys had no room.
func (c *Counter[C, K]) Dropped() uint64 { return c.dropped.Load() }
