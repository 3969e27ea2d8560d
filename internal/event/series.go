package event

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"svc/internal/fault"
	"svc/internal/origin"
	"svc/internal/stats"
)

// MostBuckets bounds the buckets of an answer.
const MostBuckets = 20_000

// buckets are the buckets of a range; the error is Invalid when they are too
// many.
func (r Range) buckets(hourly bool) (stats.Buckets, error) {
	b := stats.Days(r.Start, r.End, r.OffsetMinutes)
	if hourly {
		b = stats.Hours(r.Start, r.End)
	}
	if b.Len() > MostBuckets {
		return b, fault.New(fault.Invalid, "the range has more than %d buckets; shorten it or take a coarser granularity", MostBuckets)
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

// Overview counts what happened in a range.
func (e *Engine) Overview(ctx context.Context, p Project, r Range) (o Overview, err error) {
	err = e.view(ctx, p, func(v *view) error {
		seen := make([]bool, v.names())
		err := v.eachCount(r.Start, r.End, func(_ int64, name uint32, _ uint8, _ uint16, _ uint8, n int64) {
			o.Total += n
			if int(name) < len(seen) && !seen[name] {
				seen[name] = true
				o.EventTypes++
			}
		})
		if err != nil {
			return err
		}
		o.Users, o.Sessions, err = v.uniques(r.Start, r.End)
		return err
	})
	return o, err
}

// group is the key of a counter in a dimension.
func (v *view) group(by Dimension, name uint32, platform uint8, region uint16) string {
	switch by {
	case ByEvent:
		return v.nameText(name)
	case ByPlatform:
		return string(stats.PlatformOf(int(platform)))
	case ByRegion:
		return stats.Region(region).String()
	case ByProperty:
	}
	return ""
}

// groupNumber tells the groups of a dimension apart.
func groupNumber(by Dimension, name uint32, platform uint8, region uint16) uint32 {
	switch by {
	case ByEvent:
		return name
	case ByPlatform:
		return uint32(platform)
	case ByRegion:
		return uint32(region)
	case ByProperty:
	}
	return 0
}

// groupSum is the count of a group.
type groupSum struct {
	number uint32
	key    string
	n      int64
}

// ranked lists groups from the greatest to the smallest, those that tie by key.
func ranked(sums map[uint32]*groupSum) []*groupSum {
	list := slices.Collect(maps.Values(sums))
	slices.SortFunc(list, func(a, b *groupSum) int {
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.key, b.key))
	})
	return list
}

// sum counts by a dimension, only events of one name unless that is "". each
// gets the hour and the number of the group of each count.
func (v *view) sum(r Range, by Dimension, only string, each func(hour int64, number uint32, n int64)) (map[uint32]*groupSum, error) {
	sums := map[uint32]*groupSum{}
	wanted, ok := v.name(only)
	if only != "" && !ok {
		return sums, nil
	}
	err := v.eachCount(r.Start, r.End, func(hour int64, name uint32, platform uint8, region uint16, _ uint8, n int64) {
		if only != "" && name != wanted {
			return
		}
		number := groupNumber(by, name, platform, region)
		one := sums[number]
		if one == nil {
			one = &groupSum{number: number, key: v.group(by, name, platform, region)}
			sums[number] = one
		}
		one.n += n
		each(hour, number, n)
	})
	return sums, err
}

// Series counts over time, by the hourly counters. The error is Invalid for too
// many buckets.
func (e *Engine) Series(ctx context.Context, p Project, q SeriesQuery) (s Series, err error) {
	buckets, err := q.buckets(q.Hourly)
	if err != nil {
		return s, err
	}
	s.Starts, s.Counts = starts(buckets), make([]int64, buckets.Len())
	err = e.view(ctx, p, func(v *view) error {
		sums, err := v.sum(q.Range, q.GroupBy, q.Event, func(hour int64, _ uint32, n int64) {
			// With an offset of less than an hour the first hour may begin before
			// the first bucket.
			if at, inside := buckets.At(hour); inside {
				s.Counts[at] += n
			}
		})
		if err != nil || q.GroupBy == "" {
			return err
		}
		shown := map[uint32][]int64{}
		for _, one := range ranked(sums) {
			if len(s.Groups) < q.Limit {
				shown[one.number] = make([]int64, buckets.Len())
				s.Groups = append(s.Groups, SeriesGroup{one.key, shown[one.number]})
			}
		}
		_, err = v.sum(q.Range, q.GroupBy, q.Event, func(hour int64, number uint32, n int64) {
			counts := shown[number]
			if at, inside := buckets.At(hour); inside && counts != nil {
				counts[at] += n
			}
		})
		return err
	})
	return s, err
}

// Breakdown counts by a dimension: a property by the events, the others by the
// hourly counters.
func (e *Engine) Breakdown(ctx context.Context, p Project, q BreakdownQuery) (b Breakdown, err error) {
	if q.Dimension == ByProperty {
		return e.PropertyBreakdown(ctx, p, q)
	}
	err = e.view(ctx, p, func(v *view) error {
		sums, err := v.sum(q.Range, q.Dimension, q.Event, func(_ int64, _ uint32, n int64) { b.Total += n })
		for i, one := range ranked(sums) {
			if i < q.Limit {
				b.Groups = append(b.Groups, Group{Key: one.key, Count: one.n})
			}
		}
		return err
	})
	return b, err
}

// Heatmap counts by the hours of a week, each event in the time zone of its
// client: the one that it said, else the usual one of its country, else that of
// the range. only is the name of the events, "" = all.
func (e *Engine) Heatmap(ctx context.Context, p Project, r Range, only string) (m stats.Heatmap, err error) {
	err = e.view(ctx, p, func(v *view) error {
		number, ok := v.name(only)
		if only != "" && !ok {
			return nil
		}
		zones := map[uint16]int{}
		return v.eachCount(r.Start, r.End, func(hour int64, name uint32, _ uint8, region uint16, offset uint8, n int64) {
			if only != "" && name != number {
				return
			}
			minutes, said := stats.Offset(offset).Minutes()
			if !said {
				var known bool
				if minutes, known = zones[region]; !known {
					if minutes, known = origin.CountryOffset(stats.Region(region).String()); !known {
						minutes = r.OffsetMinutes
					}
					zones[region] = minutes
				}
			}
			m.Add(hour, minutes, n)
		})
	})
	return m, err
}
