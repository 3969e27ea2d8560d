package cmd

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/testutil"
)

func TestCollectorFollowsTheLoad(t *testing.T) {
	t.Parallel()
	const live, roots = 4 << 20, 1 << 20
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	c := &collector{percent: ordinaryPercent}
	after := func(since time.Duration, live uint64) int {
		now = now.Add(since)
		c.collected(now, live, roots)
		return c.percent
	}
	for range 3 * busyCollections {
		if got := after(2*busyInterval, live); got != ordinaryPercent {
			t.Fatalf("at ease: got %d %%, want %d", got, ordinaryPercent)
		}
	}
	for range busyCollections {
		after(busyInterval/2, live)
	}
	if got := live + (live+roots)*c.percent/100; got < busyHeap*9/10 || got > busyHeap*11/10 {
		t.Errorf("busy: the heap may grow to %d bytes, want some %d", got, busyHeap)
	}
	if before := c.percent; after(quietInterval/2, live+live/16) != before {
		t.Errorf("a little more on the heap: got %d %%, want %d as before", c.percent, before)
	}
	if got := after(busyInterval/2, busyHeap); got != ordinaryPercent {
		t.Errorf("a large heap: got %d %%, want %d", got, ordinaryPercent)
	}
	if got := after(busyInterval/2, live); got == ordinaryPercent {
		t.Errorf("a small one again: got %d %%, want more", got)
	}
	if got := after(quietInterval+1, live); got != ordinaryPercent {
		t.Errorf("quiet: got %d %%, want %d", got, ordinaryPercent)
	}
	if got := after(busyInterval/2, live); got != ordinaryPercent {
		t.Errorf("one collection after a quiet time: got %d %%, want %d", got, ordinaryPercent)
	}
}

func TestAfterCollections(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	afterCollections(func() { calls.Add(1) })
	for want := range int32(3) {
		testutil.Until(t, "the function is called again", func() bool {
			runtime.GC()
			return calls.Load() > want
		})
	}
}
