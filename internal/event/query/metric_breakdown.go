package query

import (
	"context"
	"slices"

	"svc/internal/event/block"
	"svc/internal/stats"
)

// MetricBreakdown computes a number for each value of a dimension. It uses only the first event of
// the query. The error is Invalid if the query needs too much memory.
func (s *Source) MetricBreakdown(ctx context.Context, m MetricQuery) (MetricBreakdown, error) {
	if m.countsOnly() {
		return s.countBreakdown(m)
	}
	return s.query(ctx, m.Range, "the breakdown", lessValues).metricBreakdown(m)
}

// countBreakdown computes a breakdown from the hourly counters.
func (s *Source) countBreakdown(m MetricQuery) (MetricBreakdown, error) {
	only := ""
	if m.GroupBy != ByEvent {
		only = m.Events[0].Name
	}
	sums, err := s.sum(m.Range, m.GroupBy, only, func(int64, uint32, int64) {})
	if err != nil {
		return MetricBreakdown{}, err
	}
	byValue := map[value]groupCount{}
	for _, one := range sums {
		byValue[value{text: one.key}] = groupCount{events: one.n}
	}
	return m.rank(byValue), nil
}

// countsOnly reports whether the breakdown can be computed from the hourly counters
// alone.
func (m *MetricQuery) countsOnly() bool {
	filtered := len(m.Filters) > 0 || m.GroupBy != ByEvent && len(m.Events[0].Filters) > 0
	return m.Events[0].Measure == MeasureCount && m.GroupBy != ByProperty && !filtered
}

// groupText returns the key of the group with the given number. It is the inverse of groupNumber.
// The function name returns the name of an event by number.
func groupText(by Dimension, number uint32, name func(uint32) string) string {
	switch by {
	case ByPlatform:
		return string(stats.PlatformOf(int(number)))
	case ByRegion:
		return stats.Region(number).String()
	case ByEvent, ByProperty:
	}
	return name(number)
}

// groupCount holds the number of events of a group, and the number of distinct users that
// sent them.
type groupCount struct{ events, users int64 }

// rank builds the sorted result from the counts of the groups.
func (m *MetricQuery) rank(byValue map[value]groupCount) MetricBreakdown {
	var b MetricBreakdown
	for v, n := range byValue {
		number := m.Events[0].Measure.value(n.events, n.users, n.users)
		b.Groups = append(b.Groups, MetricGroup{Key: v.text, Missing: v.missing, Value: number})
	}
	slices.SortFunc(b.Groups, func(x, y MetricGroup) int {
		return byRank(x.Value, y.Value, value{x.Key, x.Missing}, value{y.Key, y.Missing})
	})
	for _, g := range b.Groups { // always in the same order, because the sum of floating-point numbers depends on it
		b.Total += g.Value
	}
	b.Groups = slices.Clone(b.Groups[:min(len(b.Groups), m.Limit)])
	return b
}

func (q *query) metricBreakdown(m MetricQuery) (MetricBreakdown, error) {
	only := q.operand("", nil, m.Filters)
	if m.GroupBy != ByEvent {
		only = q.operand(m.Events[0].Name, m.Events[0].Filters, m.Filters)
	}
	each, err := spread(q, func(q *query, w worker) (*groupRun, error) {
		r := newGroupRun(q, w, m, only)
		return r, q.each(r.hour)
	})
	if err != nil {
		return MetricBreakdown{}, err
	}
	sum := map[value]groupCount{}
	for _, r := range each {
		r.each(func(v value, n groupCount) {
			sum[v] = groupCount{sum[v].events + n.events, sum[v].users + n.users}
		})
	}
	return m.rank(sum), nil
}

// groupRun is the state of one worker, which counts the events of its subjects by group. groups is
// indexed by the code of the property's value if the dimension is a property, and otherwise by the
// number of the group.
type groupRun struct {
	worker
	query    *query
	by       Dimension
	property string
	operands []operand // exactly one
	users    bool      // whether users must be counted
	matchers []groupMatcher
	selected selection
	values   *values // the values of the property
	groups   []groupCount
	members  members
}

// groupMatcher is a worker's state for one part of the events of an hour.
type groupMatcher struct {
	matcher
	codes  []uint32      // index in groupRun.groups for each name, sender or property code of the part
	column *block.Column // the column of the property
}

func newGroupRun(q *query, w worker, m MetricQuery, only operand) *groupRun {
	return &groupRun{
		worker: w, query: q, by: m.GroupBy, property: m.Property, operands: []operand{only},
		users:  m.Events[0].Measure != MeasureCount,
		values: newValues(q.memory), members: members{memory: q.memory},
	}
}

func (r *groupRun) hour(_ int64, parts []*block.Columns) error {
	for len(r.matchers) < len(parts) {
		r.matchers = append(r.matchers, groupMatcher{})
	}
	for i, p := range parts {
		l := &r.matchers[i]
		l.Columns = p
		if err := l.match(r.operands); err != nil {
			return err
		}
		if !l.matching {
			continue
		}
		l.assign(r.worker)
		if err := r.encode(l); err != nil {
			return err
		}
		low, high := p.Between(r.query.Start, r.query.End)
		for ; low < high; low += batchLength {
			r.selected.pick(&l.matcher, low, min(high, low+batchLength), true)
			r.count(l)
		}
	}
	return nil
}

// encode sets l.codes to the group of each name, sender or property value of the part.
func (r *groupRun) encode(l *groupMatcher) (err error) {
	switch r.by {
	case ByEvent:
		l.codes = append(l.codes[:0], l.NameOf...)
	case ByPlatform:
		l.codes = resize(l.codes, l.Senders)
		for sender, stored := range l.Platforms() {
			l.codes[sender] = uint32(max(stored, 1)) - 1
		}
	case ByRegion:
		l.codes = resize(l.codes, l.Senders)
		for sender, region := range l.Regions() {
			l.codes[sender] = uint32(region)
		}
	case ByProperty:
		l.codes = append(l.codes[:0], r.values.code(value{missing: true}))
		if l.column, err = l.matcher.column(r.property); err != nil || l.column == nil {
			return err
		}
		for _, raw := range l.column.Values[1:] {
			l.codes = append(l.codes, r.values.code(textValue(raw)))
		}
	}
	return nil
}

// count counts the selected events by group.
func (r *groupRun) count(l *groupMatcher) {
	if r.by == ByProperty {
		r.selected.encode(l.column)
	}
	for k, row := range r.selected.rows[:r.selected.n] {
		code := uint32(0)
		switch {
		case r.by == ByEvent:
			code = l.Names.At(int(row))
		case r.by != ByProperty:
			code = l.SenderOf.At(int(row))
		default:
			code = r.selected.codes[k]
		}
		place := l.codes[code]
		if int(place) >= len(r.groups) {
			r.grow(int(place) + 1)
		}
		g := &r.groups[place]
		g.events++
		if r.users && r.members.add(place, r.selected.slots[k]) {
			g.users++
		}
	}
}

func (r *groupRun) grow(n int) {
	r.query.memory.take(16 * (n - len(r.groups)))
	r.groups = append(r.groups, make([]groupCount, n-len(r.groups))...)
}

// each calls visit for every group that has events.
func (r *groupRun) each(visit func(v value, n groupCount)) {
	if r.by == ByProperty {
		for v, place := range r.values.codes {
			if int(place) < len(r.groups) && r.groups[place].events > 0 {
				visit(v, r.groups[place])
			}
		}
		return
	}
	for place, n := range r.groups {
		if n.events > 0 {
			visit(value{text: groupText(r.by, uint32(place), r.query.text)}, n)
		}
	}
}
