package event

import (
	"svc/internal/fault"
	"svc/internal/stats"
)

const day = 24 * hourSeconds

// periods are the consecutive stretches of time of an analysis. None is shorter
// than an hour.
type periods struct {
	first, step int64 // Unix second, seconds
	count       int
}

// whole is a range as one period.
func whole(r Range) periods { return periods{r.Start, r.End - r.Start + 1, 1} }

// hoursOrDays are the hours (UTC) or the days (local) that a range touches. The
// error is Invalid when they are too many.
func hoursOrDays(r Range, hourly bool) (periods, error) {
	b, err := r.buckets(hourly)
	step := int64(day)
	if hourly {
		step = hourSeconds
	}
	return periods{b.Start(0), step, b.Len()}, err
}

// daysOrWeeks are the days or the weeks, each from Monday, that a range touches,
// by local time. The error is Invalid when they are too many.
func daysOrWeeks(r Range, weekly bool) (periods, error) {
	if !weekly {
		return hoursOrDays(r, false)
	}
	b := stats.Weeks(r.Start, r.End, r.OffsetMinutes)
	p := periods{b.Start(0), 7 * day, b.Len()}
	if p.count > MostBuckets {
		return p, fault.New(fault.Invalid, "the range has more than %d weeks; shorten it", MostBuckets)
	}
	return p, nil
}

// start is the Unix second at which a period begins.
func (p periods) start(i int) int64 { return p.first + int64(i)*p.step }

// piece is what one period has of an hour, given by its first and last Unix
// second.
type piece struct {
	from, to int64
	period   int
}

// pieces cuts the part of an hour that is in the range where a period begins.
func (p periods) pieces(reuse []piece, hour int64, r Range) []piece {
	from, to := max(hour, r.Start), min(hour+hourSeconds-1, r.End)
	for reuse = reuse[:0]; from <= to; {
		i := int((from - p.first) / p.step)
		next := p.start(i + 1)
		reuse = append(reuse, piece{from, min(to, next-1), i})
		from = next
	}
	return reuse
}
