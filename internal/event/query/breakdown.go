package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"svc/internal/event/block"
)

// Breakdown counts events by the values of a dimension. If the dimension is a property,
// Breakdown reads the events; otherwise it adds up the hourly counters. The error is
// Invalid if the query needs too much memory.
func (s *Source) Breakdown(ctx context.Context, in BreakdownQuery) (b Breakdown, err error) {
	if in.Dimension == ByProperty {
		return s.query(ctx, in.Range, "the breakdown", lessValues).propertyBreakdown(in)
	}
	sums, err := s.sum(in.Range, in.Dimension, in.Event, func(_ int64, _ uint32, n int64) { b.Total += n })
	for i, one := range ranked(sums) {
		if i < in.Limit {
			b.Groups = append(b.Groups, Group{Key: one.key, Count: one.n})
		}
	}
	return b, err
}

// Advice for reducing a query, used in error messages.
const (
	lessRange  = "narrow the range"
	lessValues = "narrow the range, or choose a property with fewer distinct values"
)

func (q *query) propertyBreakdown(in BreakdownQuery) (Breakdown, error) {
	var next atomic.Int64
	each, err := spread(q, func(q *query, _ worker) (*values, error) {
		r := &valueRun{query: q, property: in.Property, operands: []operand{q.named(in.Event)}, values: newValues(q.memory)}
		return r.values, q.share(&next, r.hour)
	})
	if err != nil {
		return Breakdown{}, err
	}
	all := each[0]
	for _, one := range each[1:] {
		for value, place := range one.codes {
			all.count(value, one.counts[place])
		}
	}
	var b Breakdown
	for value, place := range all.codes {
		if all.counts[place] == 0 {
			continue // the value occurs in a block, but only outside of the range
		}
		b.Total += all.counts[place]
		b.Groups = append(b.Groups, Group{Key: value.text, Missing: value.missing, Count: all.counts[place]})
	}
	slices.SortFunc(b.Groups, func(x, y Group) int {
		return byRank(x.Count, y.Count, value{x.Key, x.Missing}, value{y.Key, y.Missing})
	})
	b.Groups = slices.Clone(b.Groups[:min(len(b.Groups), in.Limit)])
	return b, nil
}

// value is a value of a dimension: a text, or missing if an event has no value.
type value struct {
	text    string
	missing bool
}

// byRank compares two groups with the numbers x and y and the keys a and b. The group
// with the greater number comes first. Groups with the same number are ordered by key. If
// both keys are "", the group of missing values comes first.
func byRank[N int64 | float64](x, y N, a, b value) int {
	switch order := cmp.Or(cmp.Compare(y, x), strings.Compare(a.text, b.text)); {
	case order != 0 || a.missing == b.missing:
		return order
	case a.missing:
		return -1
	}
	return 1
}

// values counts values. It assigns each distinct value a number, called its code, from 0
// in the order of first use.
type values struct {
	codes  map[value]uint32
	counts []int64
	memory *budget
}

func newValues(memory *budget) *values { return &values{codes: map[value]uint32{}, memory: memory} }

// code returns the code of a value, and assigns one to a new value. It copies the text of
// a new value, which may be a substring of a larger text.
func (s *values) code(v value) uint32 {
	place, ok := s.codes[v]
	if !ok {
		place = uint32(len(s.counts))
		s.codes[value{strings.Clone(v.text), v.missing}] = place
		s.counts = append(s.counts, 0)
		s.memory.take(len(v.text) + 64)
	}
	return place
}

func (s *values) count(v value, n int64) { s.counts[s.code(v)] += n }

// textValue returns the value under which a breakdown counts a property with the given
// compact JSON.
func textValue(raw string) value {
	text, missing := textForm(raw)
	if missing {
		text = ""
	}
	return value{text, missing}
}

// valueRun is the state of one worker of a breakdown by a property. The worker counts the
// values in the hours that it processes.
type valueRun struct {
	query    *query
	property string
	operands []operand // exactly one
	matcher  matcher
	selected selection
	values   *values

	// Of the part (block.Columns) that was processed last:
	texts  []string // its distinct values
	codes  []uint32 // for each element of texts, the code in values
	counts []uint32 // for each element of texts, the number of events
}

// noProperty is the column of a property in a part in which no event has the property.
var noProperty = block.NewColumn(nil, []string{""})

func (r *valueRun) hour(_ int64, parts []*block.Columns) error {
	for _, p := range parts {
		r.matcher.Columns = p
		if err := r.matcher.match(r.operands); err != nil {
			return err
		}
		if !r.matcher.matching {
			continue
		}
		c, err := r.matcher.column(r.property)
		if err != nil {
			return err
		}
		if c == nil {
			c = noProperty
		}
		low, high := p.Between(r.query.Start, r.query.End)
		if err := r.count(c, low, high); err != nil {
			return err
		}
		r.encode(c.Values)
		for code, n := range r.counts {
			if n > 0 {
				r.values.counts[r.codes[code]] += int64(n)
			}
		}
	}
	return nil
}

// count counts how often each code of c occurs in the selected rows from low up to but
// not including high, and stores the result in r.counts.
func (r *valueRun) count(c *block.Column, low, high int) (err error) {
	if r.operands[0].any {
		r.counts, err = c.Count(low, high, r.counts)
		return err
	}
	r.counts = resize(r.counts, len(c.Values))
	for ; low < high; low += batchLength {
		r.selected.pick(&r.matcher, low, min(high, low+batchLength), false)
		r.selected.encode(c)
		for _, code := range r.selected.codes[:r.selected.n] {
			r.counts[code]++
		}
	}
	return nil
}

// encode sets r.codes to the codes that r.values assigns to texts, the distinct values of
// a part. Blocks sort their values, so a merge with the values of the previous part finds
// most codes without a lookup in the map.
func (r *valueRun) encode(texts []string) {
	codes, at := make([]uint32, 0, len(texts)), 0
	for _, text := range texts {
		for at < len(r.texts) && r.texts[at] < text {
			at++
		}
		if at < len(r.texts) && r.texts[at] == text {
			codes = append(codes, r.codes[at])
			continue
		}
		codes = append(codes, r.values.code(textValue(text)))
	}
	r.texts, r.codes = texts, codes
}
