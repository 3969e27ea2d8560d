package cmd

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"svc/internal/doctor"
)

// limitMemory lets the collector work harder near the limit of the container or
// service, before the system ends the process. GOMEMLIMIT wins over it.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit, ok := doctor.MemoryLimit(os.DirFS("/"), "self"); ok {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

const (
	// ordinaryPercent is the setting of the collector when nothing is set.
	ordinaryPercent = 100
	// busyHeap is the size up to which the heap of a busy server may grow between
	// two collections. A server needs a few MiB, so the ordinary setting has it
	// collect some 20 times a second under load, which costs a fifth of its
	// processor time. More than this gains nothing: it leaves the caches.
	busyHeap = 32 << 20

	// busyCollections in a row, each within busyInterval of the one before, make a
	// server busy; one after quietInterval ends that, at the latest the one that
	// the runtime makes every two minutes. It gives the memory back.
	busyCollections = 8
	busyInterval    = 125 * time.Millisecond
	quietInterval   = 10 * time.Second
)

// collector lets the heap of a busy server grow more before it is collected.
type collector struct {
	last    time.Time // the last collection
	quick   int       // collections in a row
	busy    bool
	percent int // the setting of the runtime
}

// tuneCollector adjusts the collector to the load for the life of the process.
// GOGC wins over it. The limit of the memory stays in force.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	c := &collector{percent: ordinaryPercent}
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	afterCollections(func() {
		metrics.Read(samples)
		live := samples[0].Value.Uint64()
		before, busy := c.percent, c.busy
		c.collected(time.Now(), live, samples[1].Value.Uint64()+samples[2].Value.Uint64())
		if c.percent != before {
			debug.SetGCPercent(c.percent)
		}
		if busy && !c.busy { // Go by itself would keep most of the memory for a while
			go debug.FreeOSMemory()
		}
	})
}

// afterCollections calls fn after each collection, one call at a time.
func afterCollections(fn func()) {
	// Values without pointers share memory and would not go when they should.
	runtime.AddCleanup(new(any), func(int) {
		fn()
		afterCollections(fn)
	}, 0)
}

// collected notes a collection that left live bytes on the heap, and settles
// the percentage by which live and roots, in bytes, may grow.
func (c *collector) collected(now time.Time, live, roots uint64) {
	since := now.Sub(c.last)
	c.last = now
	switch {
	case since < busyInterval:
		c.quick++
	case since > quietInterval:
		c.quick, c.busy = 0, false
	default:
		c.quick = 0
	}
	c.busy = c.busy || c.quick >= busyCollections
	percent := ordinaryPercent
	if room := int(busyHeap) - int(live); c.busy && room > 0 {
		percent = max(percent, room*100/int(live+roots+1))
	}
	// Each change stops the program for a moment, so small ones are left out.
	if change := percent - c.percent; percent == ordinaryPercent || change > c.percent/8 || -change > c.percent/8 {
		c.percent = percent
	}
}
