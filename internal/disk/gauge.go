package disk

import (
	"sync"
	"sync/atomic"
	"time"
)

// fresh is the time for which a measurement of the free space is used. Even a fast disk writes less
// than the Reserve in that time.
const fresh = 50 * time.Millisecond

// Gauge measures the free space of a directory's file system, at most once in 50 ms,
// because a system call for every request would take a noticeable part of the request's
// time. It is safe for concurrent use.
type Gauge struct {
	measure func() (uint64, error)

	measuring sync.Mutex
	last      atomic.Pointer[measurement]
}

type measurement struct {
	at   time.Time
	free uint64
	err  error
}

// NewGauge returns a gauge for a directory.
func NewGauge(dir string) *Gauge {
	return &Gauge{measure: func() (uint64, error) { return Free(dir) }}
}

// Free returns the free space as the function Free does, but its result can be up to 50
// ms old.
func (g *Gauge) Free() (uint64, error) {
	last := g.last.Load()
	if last != nil && time.Since(last.at) < fresh {
		return last.free, last.err
	}
	if last == nil {
		g.measuring.Lock()
	} else if !g.measuring.TryLock() { // another caller is measuring
		return last.free, last.err
	}
	defer g.measuring.Unlock()
	next := &measurement{at: time.Now()}
	next.free, next.err = g.measure()
	g.last.Store(next)
	return next.free, next.err
}
