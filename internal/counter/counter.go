// Package counter counts in memory for a caller that stores the counts later. The caller
// passes combinations of keys, and gets the count of each key. The package does not
// depend on the meaning of the keys.
package counter

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// Rules define how a Counter splits a combination of type C into keys of type K. They also
// limit the size of the Counter, because keys may come from untrusted input.
type Rules[C, K comparable] struct {
	// Combinations is the maximum number of different combinations that each core holds.
	// Before a core would exceed it, the core's combinations are split into their keys.
	Combinations int
	// Keys returns the keys under which a combination is counted.
	Keys func(C) iter.Seq[K]
	// Keep returns a copy of a combination that shares no memory with the original. It is
	// called once for each new combination.
	Keep func(C) C

	// Most is the maximum number of different keys that each core holds between two calls of
	// Drain, and PerGroup the maximum for one group. Further keys are counted under the
	// key that Fold returns. When a core holds twice Most keys, it drops even the counts of new
	// folded keys.
	Most, PerGroup int
	// Group returns the group to which a key belongs. Each group has a limit of its own, so
	// that its keys cannot use up all the room.
	Group func(K) uint32
	// Fold returns the coarser key that is counted if there is no room for a key. There
	// should be few coarse keys, and the Fold of a coarse key must be the key itself.
	Fold func(K) K
}

// Counter counts keys. It is safe for concurrent use. Add is cheap enough for every
// request: each core has its own part of the counter and does not wait for the others.
// Counting a known combination costs one map lookup, however many keys it has, and no
// allocation.
type Counter[C, K comparable] struct {
	rules Rules[C, K]
	parts []part[C, K]
	near  sync.Pool // the elements are of type *part[C, K]; Get returns the part that this core used last
	next  atomic.Uint32

	draining sync.Mutex // held by Drain; its holder owns the spare maps
	dropped  atomic.Uint64
}

// part holds the counts of one core. Padding separates it from the other parts, so that
// they do not share cache lines.
type part[C, K comparable] struct {
	mu    sync.Mutex
	live  counts[C, K] // guarded by mu
	spare counts[C, K] // empty, except while Drain reads it; owned by Drain
	_     [64]byte
}

// counts holds counts by combination and, for combinations that have been split, by key.
type counts[C, K comparable] struct {
	undivided tally[C]
	keys      tally[K]
	groups    map[uint32]int // number of keys in each group
}

// tally is a map of counts in which a count can be incremented with one lookup. It can be
// emptied without freeing its memory.
type tally[T comparable] struct {
	at      map[T]uint32 // index in numbers of each value's count
	numbers []uint64
}

// known adds n to the count of a value, if the value has an entry. It reports whether the
// value has one.
func (t *tally[T]) known(one T, n uint64) bool {
	at, ok := t.at[one]
	if ok {
		t.numbers[at] += n
	}
	return ok
}

// begin adds an entry for a new value, with the count n.
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
	// The pool may drop its elements at any time, so that two cores use the same part. The
	// mutex of the part keeps that correct.
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

// Restore adds counts that Drain has returned and that the caller could not store. The
// limits of Rules apply to them, too.
func (c *Counter[C, K]) Restore(taken map[K]uint64) {
	p := &c.parts[0]
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, n := range taken {
		c.add(&p.live, k, n)
	}
}

// Dropped returns the number of counts that have been lost since the start, because there
// was no room even for the folded keys.
func (c *Counter[C, K]) Dropped() uint64 { return c.dropped.Load() }
