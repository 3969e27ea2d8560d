// Package stats contains computations that all statistics use: buckets of time, the hours
// of a week, and the order of results. Its functions have no side effects.
package stats

import "fmt"

const (
	hour = 3600
	day  = 24 * hour
	week = 7 * day

	monday = 4 * day // Monday, 1970-01-05; the epoch was a Thursday
)

// maxBuckets is the maximum number of buckets in a response.
const maxBuckets = 20_000

// TooMany returns the reason why a response cannot have n buckets, or "" if it can. name
// is the plural noun for the buckets in that text.
func TooMany(n int, name string) string {
	if n <= maxBuckets {
		return ""
	}
	return fmt.Sprintf("the range has %d %s, at most %d are possible: choose a shorter range or a coarser granularity", n, name, maxBuckets)
}

// Buckets is a series of consecutive intervals of equal length, including intervals
// without data. Times are Unix seconds.
type Buckets struct {
	first, step int64
	count       int
}

// Hours returns the hours that a range overlaps, in UTC. Both ends belong to the range,
// and start must not be after end.
func Hours(start, end int64) Buckets { return buckets(start, end, hour, 0) }

// Days returns the days that a range overlaps, each from one local midnight to the next.
// offset is the time zone, in minutes east of UTC.
func Days(start, end int64, offset int) Buckets { return buckets(start, end, day, int64(offset)*60) }

// Weeks returns the weeks that a range overlaps. Each begins on Monday at local midnight.
// offset is the time zone, in minutes east of UTC.
func Weeks(start, end int64, offset int) Buckets {
	return buckets(start, end, week, week-monday+int64(offset)*60)
}

// Whole returns a range as a single bucket.
func Whole(start, end int64) Buckets { return Buckets{start, end - start + 1, 1} }

func buckets(start, end, step, shift int64) Buckets {
	first := floor(start, step, shift)
	return Buckets{first, step, int((floor(end, step, shift)-first)/step) + 1}
}

// floor returns the start of the bucket that contains t: ⌊(t+shift)/step⌋·step−shift.
func floor(t, step, shift int64) int64 {
	t += shift
	past := t % step
	if past < 0 {
		past += step
	}
	return t - past - shift
}

// Len returns the number of buckets, which is at least 1.
func (b Buckets) Len() int { return b.count }

// Start returns the time at which bucket i begins.
func (b Buckets) Start(i int) int64 { return b.first + int64(i)*b.step }

// At returns the index of the bucket that contains the time t. ok is false if no bucket
// contains it. To find the bucket of an hour, pass the start of the hour: an hour belongs
// to the day in which it begins.
func (b Buckets) At(t int64) (i int, ok bool) {
	if t < b.first {
		return 0, false
	}
	at := (t - b.first) / b.step
	return int(at), at < int64(b.count)
}
