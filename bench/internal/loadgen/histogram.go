package loadgen

import (
	"math/bits"
	"time"
)

// The durations from one power of two to the next are divided into 2^subBits buckets. The error of
// a quantile is therefore at most 1.6 %.
const (
	subBits = 6
	buckets = (65 - subBits) << subBits
)

// Histogram counts durations. The zero value is empty.
type Histogram struct {
	counts [buckets]uint32
	total  int
	sum    time.Duration
	max    time.Duration
}

// Record counts a duration.
func (h *Histogram) Record(d time.Duration) {
	h.counts[bucketOf(uint64(max(d, 0)))]++
	h.total++
	h.sum += d
	h.max = max(h.max, d)
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// Count returns the number of recorded durations.
func (h *Histogram) Count() int { return h.total }

// Max returns the longest recorded duration.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean returns the mean of the recorded durations, or 0 if there are none.
func (h *Histogram) Mean() time.Duration {
	if h.total == 0 {
		return 0
	}
	return h.sum / time.Duration(h.total)
}

// Quantile returns the smallest duration that is not exceeded by the given share of the recorded
// durations. share is between 0 and 1. Quantile returns 0 if there are no durations.
func (h *Histogram) Quantile(share float64) time.Duration {
	rank := max(int(share*float64(h.total)+0.999999), 1)
	for i, n := range h.counts {
		if rank -= int(n); rank <= 0 && n > 0 {
			return min(upperBound(i), h.max)
		}
	}
	return h.max
}

// bucketOf returns the bucket of a duration in nanoseconds. Each of the first 2^subBits buckets
// holds a single value.
func bucketOf(ns uint64) int {
	exponent := bits.Len64(ns >> subBits) // number of bits by which ns exceeds the first buckets
	if exponent == 0 {
		return int(ns)
	}
	return exponent<<subBits + int(ns>>(exponent-1)) - 1<<subBits
}

// upperBound returns the longest duration in a bucket.
func upperBound(bucket int) time.Duration {
	exponent := bucket >> subBits
	if exponent == 0 {
		return time.Duration(bucket)
	}
	first := uint64(bucket&(1<<subBits-1)+1<<subBits) << (exponent - 1)
	return time.Duration(first + 1<<(exponent-1) - 1)
}
