package event

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"svc/internal/stats"
)

// MetricBreakdown computes a number for each value of a dimension, of the first
// event of the query. An error for the client says that it takes too much memory.
func (e *Engine) MetricBreakdown(ctx context.Context, p Project, m MetricQuery) (b MetricBreakdown, err error) {
	err = e.view(ctx, p, func(v *view) error {
		if m.countsOnly() {
			b, err = v.countBreakdown(m)
			return err
		}
		b, err = v.query(m.Range, "the breakdown", lessValues).metricBreakdown(m)
		return err
	})
	return b, err
}

// countsOnly reports whether the hourly counters have the answer.
func (m *MetricQuery) countsOnly() bool {
	filtered := len(m.Filters) > 0 || m.GroupBy != ByEvent && len(m.Events[0].Filters) > 0
	return m.Events[0].Measure == MeasureCount && m.GroupBy != ByProperty && !filtered
}

// countBreakdown is a breakdown by the hourly counters.
func (v *view) countBreakdown(m MetricQuery) (MetricBreakdown, error) {
	only, ok := v.name(m.Events[0].Name)
	if !ok && m.GroupBy != ByEvent {
		return MetricBreakdown{}, nil
	}
	byNumber := map[uint32]groupCount{}
	err := v.eachCount(m.Start, m.End, func(_ int64, name uint32, platform uint8, region uint16, _ uint8, n int64) {
		if m.GroupBy != ByEvent && name != only {
			return
		}
		number := groupNumber(m.GroupBy, name, platform, region)
		byNumber[number] = groupCount{events: byNumber[number].events + n}
	})
	if err != nil {
		return MetricBreakdown{}, err
	}
	byValue := map[value]groupCount{}
	for number, n := range byNumber {
		byValue[value{text: groupText(m.GroupBy, number, v.nameText)}] = n
	}
	return m.rank(byValue), nil
}

// groupText is the key of a group whose number groupNumber gives.
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

// groupCount is the events of a group and their different users.
type groupCount struct{ events, users int64 }

// rank makes the answer from the groups.
func (m *MetricQuery) rank(byValue map[value]groupCount) MetricBreakdown {
	var b MetricBreakdown
	for v, n := range byValue {
		number := m.Events[0].Measure.value(n.events, n.users, n.users)
		b.Groups = append(b.Groups, MetricGroup{Key: v.text, Missing: v.missing, Value: number})
	}
	slices.SortFunc(b.Groups, func(x, y MetricGroup) int {
		return cmp.Or(cmp.Compare(y.Value, x.Value), strings.Compare(x.Key, y.Key), missingFirst(x.Missing, y.Missing))
	})
	for _, g := range b.Groups { // always in the same order, so that the sum is the same
		b.Total += g.Value
	}
	b.Groups = slices.Clone(b.Groups[:min(len(b.Groups), m.Limit)])
	return b
}

func (q *query) metricBreakdown(m MetricQuery) (MetricBreakdown, error) {
	only := operand{any: true}
	if m.GroupBy == ByEvent {
		only.filters = q.operand("", nil, m.Filters).filters
	} else {
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

// groupRun counts by groups the events of the subjects of one worker. A group has
// a place: for properties that of its value, otherwise its number.
type groupRun struct {
	worker
	query    *query
	by       Dimension
	property string
	operands []operand // one
	users    bool      // users are asked for
	lanes    []groupLane
	picks    picks
	values   *values // of the property
	groups   []groupCount
	members  members
}

// groupLane is what a worker knows of a part.
type groupLane struct {
	lane
	places []uint32 // of the group, by code of a name, sender, or code of the property
	column *column  // the property
}

func newGroupRun(q *query, w worker, m MetricQuery, only operand) *groupRun {
	return &groupRun{
		worker: w, query: q, by: m.GroupBy, property: m.Property, operands: []operand{only},
		users:  m.Events[0].Measure != MeasureCount,
		values: newValues(q.memory), members: members{memory: q.memory},
	}
}

func (r *groupRun) hour(_ int64, parts []*part) error {
	for len(r.lanes) < len(parts) {
		r.lanes = append(r.lanes, groupLane{})
	}
	for i, p := range parts {
		l := &r.lanes[i]
		l.part = p
		if err := l.match(r.operands); err != nil {
			return err
		}
		if !l.matching {
			continue
		}
		l.assign(r.worker)
		if err := r.place(l); err != nil {
			return err
		}
		low, high := p.between(r.query.Start, r.query.End)
		for ; low < high; low += batchLength {
			r.picks.pick(&l.lane, low, min(high, low+batchLength), true)
			r.count(l)
		}
	}
	return nil
}

// place finds the groups of the part.
func (r *groupRun) place(l *groupLane) (err error) {
	switch r.by {
	case ByEvent:
		l.places = append(l.places[:0], l.nameOf...)
	case ByPlatform:
		l.places = resize(l.places, len(l.platforms))
		for sender, stored := range l.platforms {
			l.places[sender] = uint32(max(stored, 1)) - 1
		}
	case ByRegion:
		l.places = resize(l.places, len(l.regions))
		for sender, region := range l.regions {
			l.places[sender] = uint32(region)
		}
	case ByProperty:
		l.places = append(l.places[:0], r.values.place(value{missing: true}))
		if l.column, err = l.lane.column(r.property); err != nil || l.column == nil {
			return err
		}
		for _, raw := range l.column.values[1:] {
			l.places = append(l.places, r.values.place(textValue(raw)))
		}
	}
	return nil
}

// count counts the picked events.
func (r *groupRun) count(l *groupLane) {
	for k, row := range r.picks.rows[:r.picks.n] {
		code := uint32(0)
		switch {
		case r.by == ByEvent:
			code = l.names.at(int(row))
		case r.by != ByProperty:
			code = l.clients.at(int(row))
		case l.column != nil:
			code = l.column.codes[row]
		}
		place := l.places[code]
		if int(place) >= len(r.groups) {
			r.grow(int(place) + 1)
		}
		g := &r.groups[place]
		g.events++
		if r.users && r.members.add(place, r.picks.slots[k]) {
			g.users++
		}
	}
}

func (r *groupRun) grow(n int) {
	r.query.memory.take(16 * (n - len(r.groups)))
	r.groups = append(r.groups, make([]groupCount, n-len(r.groups))...)
}

// each visits the groups that have an event.
func (r *groupRun) each(visit func(v value, n groupCount)) {
	if r.by == ByProperty {
		for v, place := range r.values.places {
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
