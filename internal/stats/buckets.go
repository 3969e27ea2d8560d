// Package stats has what every statistic shares: buckets of time, the hours of a
// week, and the order of results. Values in, values out.
package stats

const (
	hour = 3600
	day  = 24 * hour
	week = 7 * day

	monday = 4 * day // 1970-01-05; the epoch was a Thursday
)

// Buckets are the consecutive intervals of a series, empty ones
// included. Times are Unix seconds.
type Buckets struct {
	first, step int64
	count       int
}

// Hours are the UTC hours that a range touches, whatever the local time is. Both
// ends belong to the range, and start is not after end.
func Hours(start, end int64) Buckets { return buckets(start, end, hour, 0) }

// Days are the days that a range touches, from one local midnight to the next.
// The offset of local time is in minutes east of UTC.
func Days(start, end int64, offset int) Buckets { return buckets(start, end, day, int64(offset)*60) }

// Weeks are the weeks that a range touches, each from Monday, local midnight. The
// offset of local time is in minutes east of UTC.
func Weeks(start, end int64, offset int) Buckets {
	return buckets(start, end, week, week-monday+int64(offset)*60)
}

// Whole is a range as one bucket.
func Whole(start, end int64) Buckets { return Buckets{start, end - start + 1, 1} }

func buckets(start, end, step, shift int64) Buckets {
	first := floor(start, step, shift)
	return Buckets{first, step, int((floor(end, step, shift)-first)/step) + 1}
}

// floor is the moment at which the bucket of t begins: ⌊(t+shift)/step⌋·step−shift.
func floor(t, step, shift int64) int64 {
	t += shift
	past := t % step
	if past < 0 {
		past += step
	}
	return t - past - shift
}

// Len is the number of buckets, at least one.
func (b Buckets) Len() int { return b.count }

// Start is the moment at which bucket i begins.
func (b Buckets) Start(i int) int64 { return b.first + int64(i)*b.step }

// At is the bucket of a moment; ok is false outside of them. An hour belongs to
// the day in which it starts, so ask with its start.
func (b Buckets) At(t int64) (i int, ok bool) {
	if t < b.first {
		return 0, false
	}
	at := (t - b.first) / b.step
	return int(at), at < int64(b.count)
}
