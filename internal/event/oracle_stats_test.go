package event_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"svc/internal/event/query"
	"svc/internal/stats"
)

// offsets is table 18.2 of the contract: minutes east of UTC by country.
var offsets = map[int]string{
	0: "GB IE", 60: "DE FR NL ES IT SE PL", 180: "RU TR", 240: "AE", 330: "IN", 420: "TH VN ID",
	480: "CN HK MO TW SG MY PH", 540: "JP KR", 600: "AU", 720: "NZ", -180: "BR", -300: "US CA", -360: "MX",
}

// group is a value of a dimension. missing is set if the property does not exist.
type group struct {
	key     string
	missing bool
}

// overview computes the totals of a range, by section 6.1 of the contract.
func (p *project) overview(r query.Range) query.Overview {
	var o query.Overview
	names := map[string]bool{}
	for c, n := range p.counters {
		if inHours(r, c.hour) {
			o.Total += n
			names[c.name] = true
		}
	}
	o.EventTypes = int64(len(names))
	records := p.in(r)
	o.Users = int64(len(by(records, subjectOf)))
	sessions := by(records, func(r *record) string { return r.Session })
	delete(sessions, "")
	o.Sessions = int64(len(sessions))
	return o
}

// series computes counts over time, by section 6.2 of the contract. A counter before the
// first bucket is not in the series, but is included in the total of its group, as are
// all other counters of the range.
func (p *project) series(q query.SeriesQuery) query.Series {
	s := query.Series{Starts: buckets(q.Range, q.Hourly)}
	s.Counts = make([]int64, len(s.Starts))
	totals := map[group]int64{}
	lines := map[string][]int64{}
	for c, n := range p.counters {
		if !inHours(q.Range, c.hour) || q.Event != "" && q.Event != c.name {
			continue
		}
		key := c.key(q.GroupBy)
		if lines[key] == nil {
			lines[key] = make([]int64, len(s.Starts))
		}
		totals[group{key: key}] += n
		if i := bucketOf(s.Starts, c.hour); i >= 0 {
			s.Counts[i] += n
			lines[key][i] += n
		}
	}
	if q.GroupBy == "" {
		return s
	}
	for _, g := range first(q.Limit, ranked(totals)) {
		s.Groups = append(s.Groups, query.SeriesGroup{Key: g.Key, Counts: lines[g.Key]})
	}
	return s
}

// breakdown computes the count of each value of a dimension, by section 6.3 of the
// contract.
func (p *project) breakdown(q query.BreakdownQuery) query.Breakdown {
	counts := map[group]int64{}
	if q.Dimension == query.ByProperty {
		for _, r := range p.in(q.Range) {
			if q.Event == "" || q.Event == r.Name {
				counts[r.group(query.ByProperty, q.Property)]++
			}
		}
	} else {
		counts = p.counted(q.Range, q.Dimension, q.Event)
	}
	all := ranked(counts)
	b := query.Breakdown{Groups: first(q.Limit, all)}
	for _, g := range all {
		b.Total += g.Count
	}
	return b
}

// counted sums the counters by a dimension. An empty name includes all events.
func (p *project) counted(r query.Range, d query.Dimension, name string) map[group]int64 {
	counts := map[group]int64{}
	for c, n := range p.counters {
		if inHours(r, c.hour) && (name == "" || name == c.name) {
			counts[group{key: c.key(d)}] += n
		}
	}
	return counts
}

// heatmap computes the counts by the hours of a week, by section 6.4 of the contract.
func (p *project) heatmap(r query.Range, name string) stats.Heatmap {
	var m stats.Heatmap
	for c, n := range p.counters {
		if !inHours(r, c.hour) || name != "" && name != c.name {
			continue
		}
		offset := r.OffsetMinutes
		for minutes, countries := range offsets {
			if slices.Contains(strings.Fields(countries), c.region) {
				offset = minutes
			}
		}
		if c.offsetKnown {
			offset = c.offset
		}
		local := time.Unix(c.hour, 0).UTC().Add(time.Duration(offset) * time.Minute)
		m[int(local.Weekday())*24+local.Hour()] += n
	}
	return m
}

// key returns the value of a dimension.
func (c counter) key(d query.Dimension) string {
	switch d {
	case query.ByEvent:
		return c.name
	case query.ByPlatform:
		return c.platform
	case query.ByRegion:
		return c.region
	}
	return ""
}

// group returns the value of a dimension.
func (r *record) group(d query.Dimension, property string) group {
	if d == query.ByProperty {
		text, present := r.texts[property]
		return group{key: text, missing: !present}
	}
	return group{key: counter{name: r.Name, platform: r.platform(), region: r.region()}.key(d)}
}

// ranked returns groups sorted by count, the greatest first, and then by key. The groups
// of missing and of empty values have the same key; the group of missing values comes
// first.
func ranked(counts map[group]int64) []query.Group {
	list := []query.Group{}
	for g, n := range counts {
		list = append(list, query.Group{Key: g.key, Missing: g.missing, Count: n})
	}
	slices.SortFunc(list, func(a, b query.Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), compareKeys(a.Key, b.Key, a.Missing))
	})
	return list
}

// compareKeys compares the keys of groups with equal counts.
func compareKeys(a, b string, missing bool) int {
	if a == b && missing {
		return -1
	}
	if a == b {
		return 1
	}
	return strings.Compare(a, b)
}

// first returns at most n elements of a list.
func first[T any](n int, list []T) []T { return list[:min(n, len(list))] }
