package query

import (
	"context"
	"maps"
	"slices"

	"svc/internal/geo"
	"svc/internal/stats"
)

// groupNumber returns the number of the group to which a counter belongs in a dimension.
func groupNumber(by Dimension, c Counter) uint32 {
	switch by {
	case ByEvent:
		return c.Name
	case ByPlatform:
		return uint32(c.Platform)
	case ByRegion:
		return uint32(c.Region)
	case ByProperty:
	}
	return 0
}

// groupSum is a group with its count.
type groupSum struct {
	number uint32
	key    string
	n      int64
}

// ranked returns groups sorted by count, the greatest first, and then by key.
func ranked(sums map[uint32]*groupSum) []*groupSum {
	list := slices.Collect(maps.Values(sums))
	slices.SortFunc(list, func(a, b *groupSum) int { return byRank(a.n, b.n, value{text: a.key}, value{text: b.key}) })
	return list
}

// sum adds up the counters of a range by a dimension, and returns the sums by group number. If the
// parameter only is not empty, sum includes only events with that name. For every included counter,
// it also calls the function each with the start of the hour, the group number and the count.
func (s *Source) sum(r Range, by Dimension, only string, each func(hour int64, number uint32, n int64)) (map[uint32]*groupSum, error) {
	sums := map[uint32]*groupSum{}
	wanted, ok := s.Number(only)
	if only != "" && !ok {
		return sums, nil
	}
	err := s.Counts(r.Start, r.End, func(c Counter) {
		if only != "" && c.Name != wanted {
			return
		}
		number := groupNumber(by, c)
		one := sums[number]
		if one == nil {
			one = &groupSum{number: number, key: groupText(by, number, s.name)}
			sums[number] = one
		}
		one.n += c.N
		each(c.Hour, number, c.N)
	})
	return sums, err
}

// Overview returns the totals of a range. The error is Invalid if the query needs too
// much memory.
func (s *Source) Overview(ctx context.Context, r Range) (o Overview, err error) {
	seen := make([]bool, len(s.Names))
	err = s.Counts(r.Start, r.End, func(c Counter) {
		o.Total += c.N
		if int(c.Name) < len(seen) && !seen[c.Name] {
			seen[c.Name] = true
			o.EventTypes++
		}
	})
	if err != nil {
		return o, err
	}
	o.Users, o.Sessions, err = s.query(ctx, r, "the overview", lessRange).uniques()
	return o, err
}

// Series returns counts over time, from the hourly counters. The error is Invalid if
// there are too many buckets.
func (s *Source) Series(_ context.Context, q SeriesQuery) (series Series, err error) {
	buckets, err := q.buckets(q.Hourly)
	if err != nil {
		return series, err
	}
	series.Starts, series.Counts = starts(buckets), make([]int64, buckets.Len())
	sums, err := s.sum(q.Range, q.GroupBy, q.Event, func(hour int64, _ uint32, n int64) {
		// if the offset is not a whole number of hours, the first hour can begin before the
		// first bucket
		if at, inside := buckets.At(hour); inside {
			series.Counts[at] += n
		}
	})
	if err != nil || q.GroupBy == "" {
		return series, err
	}
	shown := map[uint32][]int64{}
	for _, one := range ranked(sums) {
		if len(series.Groups) < q.Limit {
			shown[one.number] = make([]int64, buckets.Len())
			series.Groups = append(series.Groups, SeriesGroup{one.key, shown[one.number]})
		}
	}
	_, err = s.sum(q.Range, q.GroupBy, q.Event, func(hour int64, number uint32, n int64) {
		counts := shown[number]
		if at, inside := buckets.At(hour); inside && counts != nil {
			counts[at] += n
		}
	})
	return series, err
}

// Heatmap returns counts of events by the hours of a week, in the local time of each client.
// Heatmap uses the time zone that the client sent, or else the usual time zone of the client's
// country, or else the time zone of the range. If the parameter only is not empty, Heatmap counts
// only events with that name.
func (s *Source) Heatmap(r Range, only string) (m stats.Heatmap, err error) {
	number, ok := s.Number(only)
	if only != "" && !ok {
		return m, nil
	}
	zones := map[uint16]int{}
	err = s.Counts(r.Start, r.End, func(c Counter) {
		if only != "" && c.Name != number {
			return
		}
		minutes, sent := stats.Offset(c.Offset).Minutes()
		if !sent {
			var known bool
			if minutes, known = zones[c.Region]; !known {
				if minutes, known = geo.CountryOffset(stats.Region(c.Region).String()); !known {
					minutes = r.OffsetMinutes
				}
				zones[c.Region] = minutes
			}
		}
		m.Add(c.Hour, minutes, c.N)
	})
	return m, err
}
