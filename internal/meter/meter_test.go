package meter

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestHistogramBuckets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		values []int64
		want   []uint64
		sum    int64
	}{
		{"nothing", nil, []uint64{0, 0, 0}, 0},
		{"a bound belongs to its bucket", []int64{1, 10}, []uint64{1, 1, 0}, 11},
		{"beyond all bounds", []int64{11, 1 << 40}, []uint64{0, 0, 2}, 11 + 1<<40},
		{"below all bounds, also negative", []int64{0, -3}, []uint64{2, 0, 0}, -3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := NewHistogram([]int64{1, 10})
			for _, v := range tc.values {
				h.Observe(v)
			}
			got := h.Distribution()
			if !slices.Equal(got.Counts, tc.want) || got.Sum != tc.sum || got.Total() != uint64(len(tc.values)) {
				t.Errorf("got %v, sum %d, total %d; want %v, sum %d, total %d", got.Counts, got.Sum, got.Total(), tc.want, tc.sum, len(tc.values))
			}
		})
	}
}

func TestBoundsAscend(t *testing.T) {
	t.Parallel()
	for _, bounds := range [][]int64{Durations(), Sizes()} {
		if !slices.IsSorted(bounds) || bounds[0] == bounds[1] {
			t.Errorf("bounds %v do not ascend", bounds)
		}
	}
}

func TestNothingIsLostBetweenCores(t *testing.T) {
	t.Parallel()
	h := NewHistogram(Sizes())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for v := range int64(1000) {
				h.Observe(v)
			}
		})
	}
	group.Wait()
	if d := h.Distribution(); d.Total() != 8000 || d.Sum != 8*999*500 {
		t.Errorf("got %d values, sum %d; want 8000, %d", d.Total(), d.Sum, 8*999*500)
	}
}

func TestRateLooksBackAMinute(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1_800_000_000, 0)
	type count struct {
		second, n int
	}
	for _, tc := range []struct {
		name   string
		counts []count
		at     int // Unix second
		want   float64
	}{
		{"nothing", nil, 0, 0},
		{"all of it in this second", []count{{0, 60}}, 0, 1},
		{"still there at the end of the minute", []count{{0, 60}}, 59, 1},
		{"gone after a minute", []count{{0, 60}}, 60, 0},
		{"only what is old is gone", []count{{0, 60}, {30, 120}}, 61, 2},
		{"a pause of hours", []count{{0, 60}, {7200, 60}}, 7200, 1},
		{"a clock that goes back", []count{{100, 60}, {50, 60}}, 100, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var r Rate
			for _, c := range tc.counts {
				r.Add(begin.Add(time.Duration(c.second)*time.Second), c.n)
			}
			if got := r.PerSecond(begin.Add(time.Duration(tc.at) * time.Second)); got != tc.want {
				t.Errorf("got %v a second, want %v", got, tc.want)
			}
		})
	}
}

func TestOldestOfWhatIsOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var o Open
		is := func(want time.Duration) {
			t.Helper()
			if got := o.Oldest(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		is(0)
		first := o.Begin()
		<-time.After(time.Second)
		second := o.Begin()
		third := o.Begin()
		is(time.Second)
		second() // closes the one in the middle
		is(time.Second)
		first()
		is(0)
		<-time.After(time.Minute)
		is(time.Minute)
		third()
		is(0)
		o.Begin()()
		is(0)
	})
}
