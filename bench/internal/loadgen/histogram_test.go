package loadgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestBucketsHoldTheirDurations(t *testing.T) {
	t.Parallel()
	last := -1
	for _, ns := range []uint64{0, 1, 63, 64, 65, 127, 128, 129, 1000, 1e6, 1e9, 3600e9, math.MaxInt64 - 1, math.MaxInt64} {
		at := bucketOf(ns)
		if at < last || at >= buckets {
			t.Errorf("%d ns are in bucket %d, after %d, of %d", ns, at, last, buckets)
		}
		last = at
		upper := uint64(upperBound(at))
		if upper < ns || float64(upper-ns) > float64(ns)/(1<<subBits) {
			t.Errorf("%d ns are in the bucket up to %d", ns, upper)
		}
		if upper < math.MaxInt64 && bucketOf(upper+1) != at+1 {
			t.Errorf("%d ns are in bucket %d, want %d", upper+1, bucketOf(upper+1), at+1)
		}
	}
}

func TestQuantilesAreThoseOfTheSortedList(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	var all []time.Duration
	var h Histogram
	for range 3 {
		var part Histogram
		for range 1000 {
			d := time.Duration(math.Exp(random.Float64() * 20))
			all = append(all, d)
			part.Record(d)
		}
		h.Merge(&part)
	}
	slices.Sort(all)
	for _, share := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[max(int(math.Ceil(share*3000)), 1)-1]
		got := h.Quantile(share)
		if got < want || float64(got) > float64(want)*(1+1.0/(1<<subBits)) {
			t.Errorf("quantile %v: got %s, want %s", share, got, want)
		}
	}
	if h.Count() != 3000 || h.Max() != all[2999] || h.Mean() < all[0] || h.Mean() > all[2999] {
		t.Errorf("got count %d, max %s, mean %s", h.Count(), h.Max(), h.Mean())
	}
}

func TestEmptyHistogram(t *testing.T) {
	t.Parallel()
	var h Histogram
	if h.Quantile(0.99) != 0 || h.Mean() != 0 || h.Max() != 0 {
		t.Errorf("got %s, %s, %s, want zeros", h.Quantile(0.99), h.Mean(), h.Max())
	}
}
