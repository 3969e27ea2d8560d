// Package counter counts in memory for a caller that stores the counts later.
// It knows nothing of what is counted: keys in, numbers out.
package counter

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Rules keep a Counter within bounds when keys are made of untrusted input.
type Rules[K comparable] struct {
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
	// Keep is the key with everything in it that must not be shared with the
	// caller's memory copied. It is called once for each key that is new.
	Keep func(K) K
}

// Counter counts keys. All methods may be called from any goroutine. Add is
// made for being called by every request: each core counts in a part of its own,
// so cores do not wait for each other, and a key that is known costs one look
// into a map and no memory.
type Counter[K comparable] struct {
	rules Rules[K]
	parts []part[K]
	near  sync.Pool // *part[K]; hands out the one last used on this core
	next  atomic.Uint32

	draining sync.Mutex // held by Drain, for the spare maps
	dropped  atomic.Uint64
}

// part is what one core counts. Its size keeps neighbours off its cache lines.
type part[K comparable] struct {
	mu    sync.Mutex
	live  counts[K] // guarded by mu
	spare counts[K] // empty but while it is being drained; belongs to the drainer
	_     [64]byte
}

// counts is a map of numbers that can be added to with one look-up, and emptied
// without giving its memory back.
type counts[K comparable] struct {
	at      map[K]uint32 // key -> place in numbers
	numbers []uint64
	groups  map[uint32]int // keys held of each group
}

// New makes a counter with a part for each core.
func New[K comparable](rules Rules[K]) *Counter[K] {
	c := &Counter[K]{rules: rules, parts: make([]part[K], runtime.GOMAXPROCS(0))}
	for i := range c.parts {
		c.parts[i].live, c.parts[i].spare = newCounts[K](), newCounts[K]()
	}
	// The pool forgets what it holds from time to time, and another core may
	// then be handed the same part; the mutex keeps that right.
	c.near.New = func() any { return &c.parts[int(c.next.Add(1))%len(c.parts)] }
	return c
}

func newCounts[K comparable]() counts[K] {
	return counts[K]{at: map[K]uint32{}, groups: map[uint32]int{}}
}

// Add counts each of the keys once.
func (c *Counter[K]) Add(keys ...K) {
	p := c.near.Get().(*part[K])
	p.mu.Lock()
	for i := range keys {
		c.add(&p.live, keys[i], 1)
	}
	p.mu.Unlock()
	c.near.Put(p)
}

func (c *Counter[K]) add(l *counts[K], k K, n uint64) {
	if at, ok := l.at[k]; ok {
		l.numbers[at] += n
		return
	}
	group := c.rules.Group(k)
	if len(l.numbers) >= c.rules.Most || l.groups[group] >= c.rules.PerGroup {
		k = c.rules.Fold(k)
		if at, ok := l.at[k]; ok {
			l.numbers[at] += n
			return
		}
		if len(l.numbers) >= 2*c.rules.Most {
			c.dropped.Add(n)
			return
		}
	}
	l.groups[group]++
	l.at[c.rules.Keep(k)] = uint32(len(l.numbers))
	l.numbers = append(l.numbers, n)
}

// Drain takes everything that was counted so far; nil when that is nothing.
// What is counted meanwhile is in this result or in the next one, never in both
// and never in none.
func (c *Counter[K]) Drain() map[K]uint64 {
	c.draining.Lock()
	defer c.draining.Unlock()
	var all map[K]uint64
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		p.live, p.spare = p.spare, p.live
		p.mu.Unlock()
		if all == nil && len(p.spare.numbers) > 0 {
			all = make(map[K]uint64, len(p.spare.numbers))
		}
		for k, at := range p.spare.at {
			all[k] += p.spare.numbers[at]
		}
		p.spare.empty()
	}
	return all
}

func (l *counts[K]) empty() {
	clear(l.at)
	clear(l.groups)
	l.numbers = l.numbers[:0]
}

// Restore gives back what a Drain took and what could not be written down. The
// bounds hold for it too.
func (c *Counter[K]) Restore(taken map[K]uint64) {
	p := &c.parts[0]
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, n := range taken {
		c.add(&p.live, k, n)
	}
}

// Dropped is how much was not counted at all since the start, because even the
// coarse keys had no room.
func (c *Counter[K]) Dropped() uint64 { return c.dropped.Load() }
