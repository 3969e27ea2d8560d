package disk

import (
	"sync"
	"sync/atomic"
	"time"
)

// fresh is for how long a measurement counts. Even a fast disk takes less than the Reserve
// in that time.
const fresh = 50 * time.Millisecond

// Gauge measures the free space below a folder, at most every 50 ms: asking the operating
// system costs as much as a small part of a request. It is safe for concurrent use.
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

// NewGauge returns a gauge of a folder.
func NewGauge(dir string) *Gauge {
	return &Gauge{measure: func() (uint64, error) { return Free(dir) }}
}

// Free returns the number of bytes that were free a moment ago, or the error of Free.
func (g *Gauge) Free() (uint64, error) {
	last := g.last.Load()
	if last != nil && time.Since(last.at) < fresh {
		return last.free, last.err
	}
	if last == nil {
		g.measuring.Lock()
	} else if !g.measuring.TryLock() { // somebody is at it
		return last.free, last.err
	}
	defer g.measuring.Unlock()
	next := &measurement{at: time.Now()}
	next.free, next.err = g.measure()
	g.last.Store(next)
	return next.free, next.err
}
