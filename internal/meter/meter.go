// Package meter counts events and durations. Counting an event takes a few atomic
// additions. Other packages export the counts.
//
// prometheus/client_golang is used only for the export. Every update check is counted,
// and counting with a gauge, a counter and a histogram of that library takes 2.4 times as
// long as with this package (370 ns instead of 150 ns, on two contending cores). The
// status page and rates also read the counts, without that library.
package meter

import (
	"sync/atomic"
	"time"
)

// maxBounds is the maximum number of bounds that a histogram can have.
const maxBounds = 15

// Histogram counts values by size. It is safe for concurrent use. The sum is next to the
// first buckets, which receive most values, so that cores contend for one cache line
// instead of several.
type Histogram struct {
	sum    atomic.Int64
	counts [maxBounds + 1]atomic.Uint64
	bounds []int64
}

// NewHistogram returns a histogram with one bucket for each bound and one for larger
// values. There must be at most 15 bounds, in ascending order. A value that equals a
// bound belongs to the bucket of that bound.
func NewHistogram(bounds []int64) *Histogram {
	h := &Histogram{}
	h.Divide(bounds)
	return h
}

// Divide sets the bounds of a histogram that has not been used. The bounds must be as for
// NewHistogram.
func (h *Histogram) Divide(bounds []int64) {
	if len(bounds) > maxBounds {
		panic("too many bounds of a histogram")
	}
	h.bounds = bounds
}

// Observe counts a value.
func (h *Histogram) Observe(v int64) {
	at := 0
	for at < len(h.bounds) && v > h.bounds[at] {
		at++
	}
	h.counts[at].Add(1)
	h.sum.Add(v)
}

// Since counts the time since the parameter begin, in nanoseconds.
func (h *Histogram) Since(begin time.Time) { h.Observe(int64(time.Since(begin))) }

// Distribution is a snapshot of a histogram's counts.
type Distribution struct {
	Bounds []int64
	Counts []uint64 // count of each bucket, not cumulative; the last one is for values above all bounds
	Sum    int64    // sum of all values
}

// Distribution returns a snapshot of the histogram. A value that is being counted at that
// moment can be included in Counts but not in Sum, or vice versa.
func (h *Histogram) Distribution() Distribution {
	d := Distribution{Bounds: h.bounds, Counts: make([]uint64, len(h.bounds)+1), Sum: h.sum.Load()}
	for i := range d.Counts {
		d.Counts[i] = h.counts[i].Load()
	}
	return d
}

// Total returns the number of values.
func (d Distribution) Total() (n uint64) {
	for _, count := range d.Counts {
		n += count
	}
	return n
}

// Durations returns bounds for durations, in nanoseconds. They range from 0.1 ms, the
// time of a response from memory, to 30 s, after which clients have given up.
func Durations() []int64 {
	const ms = int64(time.Millisecond)
	return []int64{ms / 10, ms / 4, ms, 5 * ms / 2, 5 * ms, 10 * ms, 25 * ms, 50 * ms, 100 * ms, 250 * ms, 1000 * ms, 5000 * ms, 30_000 * ms}
}

// Sizes returns bounds for the number of participants in a shared operation, such as the writers
// that share a commit.
func Sizes() []int64 { return []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048} }
