package stats_test

import (
	"fmt"
	"testing"
	"time"

	"svc/internal/stats"
)

const (
	monday = 1764547200 // 2025-12-01 00:00 UTC
	hour   = 3600
	day    = 24 * hour
)

func TestBuckets(t *testing.T) {
	t.Parallel()
	const t0 = 1764604800 // 2025-12-01 16:00 UTC
	for _, tc := range []struct {
		name       string
		b          stats.Buckets
		first, len int64
	}{
		{"day at UTC", stats.Days(t0, t0, 0), 1764547200, 1},
		{"day in the east", stats.Days(t0, t0, 480), 1764604800, 1},
		{"day half an hour off", stats.Days(t0, t0, 330), 1764527400, 1},
		{"day in the west", stats.Days(t0, t0, -300), 1764565200, 1},
		{"hour", stats.Hours(t0, t0), t0, 1},
		{"hour begun", stats.Hours(t0+hour-1, t0+hour), t0, 2},
		{"last second of a day", stats.Days(t0, monday+day-1, 0), monday, 1},
		{"first second of the next", stats.Days(t0, monday+day, 0), monday, 2},
		{"week from Monday", stats.Weeks(t0, t0, 0), monday, 1},
		{"last second of a week", stats.Weeks(monday, monday+7*day-1, 0), monday, 1},
		{"first second of the next", stats.Weeks(monday, monday+7*day, 0), monday, 2},
		{"week in the east", stats.Weeks(t0, t0, 480), monday - 8*hour, 1},
		{"Sunday in the west", stats.Weeks(monday, monday, -300), monday - 7*day + 5*hour, 1},
		{"before 1970", stats.Days(0, 0, 480), -28800, 1},
		{"the beginning of time", stats.Days(0, day, -840), -36000, 2},
		{"very long", stats.Hours(0, 1<<53), 0, 1<<53/3600 + 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.b.Start(0); got != tc.first {
				t.Errorf("got %d for the first, want %d", got, tc.first)
			}
			if got := int64(tc.b.Len()); got != tc.len {
				t.Errorf("got %d buckets, want %d", got, tc.len)
			}
		})
	}
}

// TestEachMomentHasItsBucket checks that each time in a range belongs to the last bucket
// that begins at or before it.
func TestEachMomentHasItsBucket(t *testing.T) {
	t.Parallel()
	for _, offset := range []int{0, 480, 330, -300, -840, 900, 7} {
		start, end := int64(monday+1000), int64(monday+20*day)
		b := stats.Days(start, end, offset)
		for moment := b.Start(0) - 2*hour; moment < b.Start(0)+int64(b.Len())*day+2*hour; moment += 977 {
			at, ok := b.At(moment)
			inside := moment >= b.Start(0) && moment < b.Start(b.Len()-1)+day
			if ok != inside {
				t.Fatalf("offset %d: %d is in a bucket: got %v, want %v", offset, moment, ok, inside)
			}
			if ok && (moment < b.Start(at) || moment >= b.Start(at)+day) {
				t.Fatalf("offset %d: %d is not in bucket %d, which begins at %d", offset, moment, at, b.Start(at))
			}
		}
		if local := time.Unix(b.Start(3)+int64(offset)*60, 0).UTC(); local.Hour() != 0 || local.Minute() != 0 {
			t.Errorf("offset %d: a day begins at %s local time, want midnight", offset, local)
		}
	}
}

func TestHeatmap(t *testing.T) {
	t.Parallel()
	for _, at := range []int64{0, hour, monday, monday + 5*hour, monday + 6*day + 23*hour} {
		for _, offset := range []int{0, 15, 330, 480, 840, 900, -1, -210, -720, -840} {
			var m stats.Heatmap
			m.Add(at, offset, 3)
			local := time.Unix(at+int64(offset)*60, 0).UTC()
			if cell := int(local.Weekday())*24 + local.Hour(); m[cell] != 3 {
				t.Errorf("%d with %d minutes: nothing in the cell of %s", at, offset, local.Format("Mon 15:04"))
			}
		}
	}
}

func TestRanked(t *testing.T) {
	t.Parallel()
	var c stats.Counts
	if got := c.Ranked(); len(got) != 0 || c.Total() != 0 {
		t.Errorf("nothing: got %v", got)
	}
	value := []byte("b")
	c.Add(value, 1)
	value[0] = 'a' // change the slice, which Add must have copied
	c.Add(value, 2)
	for _, tie := range []string{"ü", "1.10", "1.9", "Z", ""} {
		c.Add([]byte(tie), 1)
	}
	c.Add(value, 1)
	if got, want := fmt.Sprint(c.Ranked()), "[{a 3} { 1} {1.10 1} {1.9 1} {Z 1} {b 1} {ü 1}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c.Total() != 9 {
		t.Errorf("got a total of %d, want 9", c.Total())
	}
}

// TestCountsAreBounded checks that invented values neither fill the memory nor displace
// frequent ones.
func TestCountsAreBounded(t *testing.T) {
	t.Parallel()
	var c stats.Counts
	const madeUp, times = 250_000, 25
	for i := range madeUp {
		c.Add(fmt.Appendf(nil, "made up %d", i), 1)
		if i%(madeUp/times) == 0 {
			c.Add([]byte("in use"), 2)
		}
	}
	list := c.Ranked()
	if len(list) > 100_000 {
		t.Errorf("got %d values, want at most 100,000", len(list))
	}
	if want := (stats.Count{Key: "in use", N: 2 * times}); list[0] != want {
		t.Errorf("got %v first, want %v", list[0], want)
	}
	if want := int64(madeUp + 2*times); c.Total() != want {
		t.Errorf("got a total of %d, want %d", c.Total(), want)
	}
}
