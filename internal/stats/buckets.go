// Package stats contains the arithmetic common to all statistics: buckets of time, the hours of a
// week, and the order of results. Its functions are pure.
package stats

import "fmt"

const (
	hour = 3600
	day  = 24 * hour
	week = 7 * day

	monday = 4 * day // 1970-01-05; the epoch was a Thursday
)

// maxBuckets is the maximum number of buckets in an answer.
const maxBuckets = 20_000

// TooMany returns the reason why an answer cannot have n buckets, or "" if it can. name
// is the plural noun for the buckets in this text.
func TooMany(n int, name string) string {
	if n <= maxBuckets {
		return ""
	}
	return fmt.Sprintf("the range has %d %s, at most %d are possible: choose a shorter range or a coarser granularity", n, name, maxBuckets)
}

// Buckets are the consecutive intervals of a series, including empty ones. Times are Unix seconds.
type Buckets struct {
	first, step int64
	count       int
}

// Hours returns the UTC hours that a range touches, regardless of the local time. Both
// ends belong to the range, and start must not be after end.
func Hours(start, end int64) Buckets { return buckets(start, end, hour, 0) }

// Days returns the days that a range touches, from one local midnight to the next. offset is in
// minutes east of UTC.
func Days(start, end int64, offset int) Buckets { return buckets(start, end, day, int64(offset)*60) }

// Weeks returns the weeks that a range touches. Each week starts on Monday at local
// midnight. offset is in minutes east of UTC.
func Weeks(start, end int64, offset int) Buckets {
	return buckets(start, end, week, week-monday+int64(offset)*60)
}

// Whole returns a range as one bucket.
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

// Len returns the number of buckets, at least 1.
func (b Buckets) Len() int { return b.count }

// Start returns the time at which bucket i begins.
func (b Buckets) Start(i int) int64 { return b.first + int64(i)*b.step }

// At returns the index of the bucket that contains a time. ok is false if no bucket
// contains it. An hour belongs to the day in which it starts; to find the bucket of an
// hour, pass its start.
func (b Buckets) At(t int64) (i int, ok bool) {
	if t < b.first {
		return 0, false
	}
	at := (t - b.first) / b.step
	return int(at), at < int64(b.count)
}
