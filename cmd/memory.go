package cmd

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"svc/internal/machine"
)

// limitMemory sets the memory limit of the Go runtime to 90 % of the limit of the container or
// service. When the process approaches that limit, the garbage collector runs more often, which can
// prevent the system from killing the process. GOMEMLIMIT takes precedence.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit, ok := machine.MemoryLimit(os.DirFS("/"), "self"); ok {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

const (
	// ordinaryPercent is the default of GOGC.
	ordinaryPercent = 100
	// busyHeap is the size in bytes up to which the heap of a busy server may grow between two
	// collections. A server needs only a few MiB. With the default of GOGC, it would therefore
	// collect about 20 times a second under load, at a cost of a fifth of its processor time. A
	// larger heap has no benefit, because it no longer fits into the processor's caches.
	busyHeap = 32 << 20

	// A server counts as busy after busyCollections consecutive collections, each within
	// busyInterval of the previous one. It stops being busy when a collection follows the previous
	// one after more than quietInterval. That happens eventually, because the runtime collects at
	// least every two minutes. The memory is then returned to the system.
	busyCollections = 8
	busyInterval    = 125 * time.Millisecond
	quietInterval   = 10 * time.Second
)

// collector adjusts GOGC so that the heap of a busy server can grow further before the next garbage
// collection.
type collector struct {
	last    time.Time // time of the last collection
	quick   int       // number of consecutive collections within busyInterval
	busy    bool
	percent int // current GOGC value
}

// tuneCollector adjusts GOGC to the load for the lifetime of the process. It does nothing if the
// environment variable GOGC is set. The memory limit still applies.
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
		if busy && !c.busy { // return the memory now; the runtime would keep most of it for a while
			go debug.FreeOSMemory()
		}
	})
}

// afterCollections calls fn after each garbage collection, one call at a time.
func afterCollections(fn func()) {
	// The value is an interface, which contains pointers. Small values without pointers share an
	// allocation and might not be collected in time.
	runtime.AddCleanup(new(any), func(int) {
		fn()
		afterCollections(fn)
	}, 0)
}

// collected records a collection and computes the new GOGC percentage. The parameter live is the
// size of the heap after the collection, in bytes. The percentage applies to the sum of live and
// roots, which is also in bytes.
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
	// Setting GOGC briefly stops the program, so skip small changes.
	if change := percent - c.percent; percent == ordinaryPercent || change > c.percent/8 || -change > c.percent/8 {
		c.percent = percent
	}
}
