package event

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"
)

const lessValues = "narrow the range, or take a property with fewer different values"

// PropertyBreakdown counts the events by the text form of a property. An error
// for the client says that it takes too much memory.
func (e *Engine) PropertyBreakdown(ctx context.Context, p Project, in BreakdownQuery) (b Breakdown, err error) {
	err = e.view(ctx, p, func(v *view) error {
		b, err = v.query(in.Range, "the breakdown", lessValues).propertyBreakdown(in)
		return err
	})
	return b, err
}

func (q *query) propertyBreakdown(in BreakdownQuery) (Breakdown, error) {
	only := operand{any: true}
	if in.Event != "" {
		only = q.operand(in.Event, nil, nil)
	}
	var next atomic.Int64
	each, err := spread(q, func(q *query, _ worker) (*values, error) {
		r := &valueRun{query: q, property: in.Property, operands: []operand{only}, values: newValues(q.memory)}
		return r.values, q.share(&next, r.hour)
	})
	if err != nil {
		return Breakdown{}, err
	}
	all := each[0]
	for _, one := range each[1:] {
		for value, place := range one.places {
			all.count(value, one.counts[place])
		}
	}
	var b Breakdown
	for value, place := range all.places {
		b.Total += all.counts[place]
		b.Groups = append(b.Groups, Group{Key: value.text, Missing: value.missing, Count: all.counts[place]})
	}
	slices.SortFunc(b.Groups, func(x, y Group) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Key, y.Key), missingFirst(x.Missing, y.Missing))
	})
	b.Groups = slices.Clone(b.Groups[:min(len(b.Groups), in.Limit)])
	return b, nil
}

// missingFirst orders the two groups with an empty key.
func missingFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// value is a value of a dimension: the text form of a property, or that there is
// none.
type value struct {
	text    string
	missing bool
}

// values numbers values from 0 in the order in which they are met, and counts
// them.
type values struct {
	places map[value]uint32
	counts []int64
	memory *budget
}

func newValues(memory *budget) *values { return &values{places: map[value]uint32{}, memory: memory} }

// place is the number of a value. The text is copied when it is new, because it
// may be cut out of something larger.
func (s *values) place(v value) uint32 {
	place, ok := s.places[v]
	if !ok {
		place = uint32(len(s.counts))
		s.places[value{strings.Clone(v.text), v.missing}] = place
		s.counts = append(s.counts, 0)
		s.memory.take(len(v.text) + 64)
	}
	return place
}

func (s *values) count(v value, n int64) { s.counts[s.place(v)] += n }

// textValue is the value of a property as compact JSON.
func textValue(raw string) value {
	text, missing := textForm(raw)
	if missing {
		text = ""
	}
	return value{text, missing}
}

// valueRun counts the values of a property in some hours.
type valueRun struct {
	query    *query
	property string
	operands []operand // one
	lane     lane
	picks    picks
	counts   []int64 // by code of the part
	values   *values
}

func (r *valueRun) hour(_ int64, parts []*part) error {
	for _, p := range parts {
		r.lane.part = p
		if err := r.lane.match(r.operands); err != nil {
			return err
		}
		if !r.lane.matching {
			continue
		}
		c, err := r.lane.column(r.property)
		if err != nil {
			return err
		}
		low, high := p.between(r.query.Start, r.query.End)
		if c == nil {
			c = &column{values: []string{""}}
		}
		r.counts = resize(r.counts, len(c.values))
		r.part(c, low, high)
		for code, n := range r.counts {
			if n > 0 {
				r.values.count(textValue(c.values[code]), n)
			}
		}
	}
	return nil
}

// part counts the codes of the rows from low to high.
func (r *valueRun) part(c *column, low, high int) {
	for ; low < high; low += batchLength {
		end := min(high, low+batchLength)
		if c.codes != nil && r.operands[0].any {
			for _, code := range c.codes[low:end] {
				r.counts[code]++
			}
			continue
		}
		r.picks.pick(&r.lane, low, end, false)
		if c.codes == nil {
			r.counts[0] += int64(r.picks.n)
			continue
		}
		for _, row := range r.picks.rows[:r.picks.n] {
			r.counts[c.codes[row]]++
		}
	}
}
