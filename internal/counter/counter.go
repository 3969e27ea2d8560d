// Package counter counts in memory for a caller that stores the counts later. Its input
// is combinations of keys, and its output is the count of each key. The package does not
// depend on the meaning of keys.
package counter

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// Rules limit the size of a Counter and define its keys, which may be derived from
// untrusted input.
type Rules[C, K comparable] struct {
	// Combinations is the maximum number of different combinations held on each core. Beyond
	// it they are split into their keys.
	Combinations int
	// Keys returns the keys under which a combination is counted.
	Keys func(C) iter.Seq[K]
	// Keep returns a copy of the combination that does not refer to the caller's memory. It
	// is called once for each new combination.
	Keep func(C) C

	// Most is the maximum number of different keys held on each core between two drains, and
	// PerGroup is the maximum for one group. Further keys are counted under their Fold. When
	// a core holds twice Most keys, counts of new folded keys are dropped too.
	Most, PerGroup int
	// Group returns the group of a key. Groups have their own limit, so that the keys of one
	// group cannot use up all the room.
	Group func(K) uint32
	// Fold returns the coarser key that replaces a key for which there is no room. There
	// should be few coarse keys, and the Fold of a coarse key must be the key itself.
	Fold func(K) K
}

// Counter counts keys. It is safe for concurrent use. Add is cheap enough for every
// request, because each core has its own part of the counter and does not wait for other
// cores. Counting a known combination costs one map lookup, however many keys it has, and
// allocates nothing.
type Counter[C, K comparable] struct {
	rules Rules[C, K]
	parts []part[C, K]
	near  sync.Pool // *part[C, K]; returns the one last used on this core
	next  atomic.Uint32

	draining sync.Mutex // held by Drain, which owns the spare maps
	dropped  atomic.Uint64
}

// part holds the counts of one core. Its padding keeps the other parts off its cache
// lines.
type part[C, K comparable] struct {
	mu    sync.Mutex
	live  counts[C, K] // guarded by mu
	spare counts[C, K] // empty except while it is being drained; owned by Drain
	_     [64]byte
}

// counts holds counts by combination, and by key for combinations that have been split.
type counts[C, K comparable] struct {
	undivided tally[C]
	keys      tally[K]
	groups    map[uint32]int // number of keys that are held for each group
}

// tally is a map of counts that can be incremented with one lookup, and emptied without freeing its
// memory.
type tally[T comparable] struct {
	at      map[T]uint32 // index in numbers
	numbers []uint64
}

// known adds n to the count of an existing entry. It reports whether the entry exists.
func (t *tally[T]) known(one T, n uint64) bool {
	at, ok := t.at[one]
	if ok {
		t.numbers[at] += n
	}
	return ok
}

// begin adds a new entry with count n.
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

// New returns a counter with a part for each core.
func New[C, K comparable](rules Rules[C, K]) *Counter[C, K] {
	c := &Counter[C, K]{rules: rules, parts: make([]part[C, K], runtime.GOMAXPROCS(0))}
	for i := range c.parts {
		c.parts[i].live, c.parts[i].spare = newCounts[C, K](), newCounts[C, K]()
	}
	// The pool may drop its contents at any time, so that two cores use the same part. The mutex
	// keeps that correct.
	c.near.New = func() any { return &c.parts[int(c.next.Add(1))%len(c.parts)] }
	return c
}

func newCounts[C, K comparable]() counts[C, K] {
	return counts[C, K]{undivided: tally[C]{at: map[C]uint32{}}, keys: tally[K]{at: map[K]uint32{}}, groups: map[uint32]int{}}
}

// Add counts each key of a combination once.
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

// divide splits all combinations of l into their keys.
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

// Drain returns all counts since the previous call, or nil if there are none. A
// concurrent Add is included either in this result or in the next one.
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

// Restore adds back the counts that a Drain returned and the caller could not store. The
// limits apply to these counts too.
func (c *Counter[C, K]) Restore(taken map[K]uint64) {
	p := &c.parts[0]
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, n := range taken {
		c.add(&p.live, k, n)
	}
}

// Dropped returns the number of counts that have been lost since the start because even
// the coarse keys had no room.
func (c *Counter[C, K]) Dropped() uint64 { return c.dropped.Load() }
