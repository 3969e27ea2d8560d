package query

import (
	"svc/internal/fault"
	"svc/internal/stats"
)

const (
	hourSeconds = 3600
	day         = 24 * hourSeconds
)

// daysOrWeeks returns the days or the weeks (from Monday) that overlap a range, in the
// time zone of the range. The error is Invalid if there are too many.
func daysOrWeeks(r Range, weekly bool) (stats.Buckets, error) {
	if !weekly {
		return r.buckets(false)
	}
	return few(stats.Weeks(r.Start, r.End, r.OffsetMinutes), "weeks")
}

// piece is the part of an hour that belongs to one bucket. The fields from and to are its first and
// last Unix second.
type piece struct {
	from, to int64
	period   int // index of the bucket
}

// piecesOf divides the part of an hour that is in the range into one piece for each
// bucket. hour is the Unix second at which the hour begins. Buckets must not be shorter
// than an hour. The result uses the memory of reuse.
func piecesOf(b stats.Buckets, reuse []piece, hour int64, r Range) []piece {
	from, to := max(hour, r.Start), min(hour+hourSeconds-1, r.End)
	for reuse = reuse[:0]; from <= to; {
		i, _ := b.At(from)
		next := b.Start(i + 1)
		reuse = append(reuse, piece{from, min(to, next-1), i})
		from = next
	}
	return reuse
}

// buckets returns the hours or the days that overlap a range. The error is Invalid if
// there are too many.
func (r Range) buckets(hourly bool) (stats.Buckets, error) {
	if hourly {
		return few(stats.Hours(r.Start, r.End), "hours")
	}
	return few(stats.Days(r.Start, r.End, r.OffsetMinutes), "days")
}

// few returns b, or an error of kind Invalid if b has more buckets than a response may
// have. name is the plural noun for the buckets in the text of the error.
func few(b stats.Buckets, name string) (stats.Buckets, error) {
	if reason := stats.TooMany(b.Len(), name); reason != "" {
		return b, fault.New(fault.Invalid, "%s", reason)
	}
	return b, nil
}

func starts(b stats.Buckets) []int64 {
	list := make([]int64, b.Len())
	for i := range list {
		list[i] = b.Start(i)
	}
	return list
}
