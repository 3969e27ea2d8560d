package query

import "svc/internal/event/block"

// operand selects the events that have a given name and match all filters. An analysis has at most
// eight operands, for example the steps of a funnel.
type operand struct {
	name    uint32 // number of the name
	none    bool   // whether no event of the project has the name
	any     bool   // whether events of all names are selected
	filters []*Filter
}

// named returns the operand for the events of a name, or for all events if it is "".
func (q *query) named(name string) operand { return q.operand(name, nil, nil) }

// operand returns the operand for the events of a name, or of all names if it is "". The events
// must match all filters of both lists.
func (q *query) operand(name string, own, all []Filter) operand {
	o := operand{any: name == ""}
	if !o.any {
		number, ok := q.name(name)
		o.name, o.none = number, !ok
	}
	for _, list := range [][]Filter{own, all} {
		for i := range list {
			o.filters = append(o.filters, &list[i])
		}
	}
	return o
}

// matcher holds a worker's state for one part, which is a set of events of an hour: the names and
// property values of the part that match each operand, and the senders that belong to the worker. A
// sender is a combination of subject, session and client. Matchers are reused for the next part.
type matcher struct {
	*block.Columns
	bySender   []subjectState
	byName     []mask // the operands that each name matches; has at least 256 entries
	matching   bool   // whether any name of the part matches an operand
	filtered   mask   // operands that have filters
	predicates []predicate
	columns    []fetchedColumn
}

// subjectState describes a sender for a worker. If the subject of the sender belongs to the worker,
// slot is the subject's index in the worker's tables, and wants contains all operands. Otherwise
// both are 0.
type subjectState struct {
	slot  uint32
	wants mask
}

// predicate is a filter of an operand, evaluated for all values that the property has in a part.
type predicate struct {
	operand mask
	column  *block.Column // the filter's property; nil if no event of the part has it, so that all rows have code 0
	pass    []bool        // whether the value with each code passes the filter
}

// fetchedColumn is a property that has been read from the part. column is nil if no event
// has the property.
type fetchedColumn struct {
	key    string
	column *block.Column
}

// matchers returns one matcher for each part. It reuses the given matchers.
func matchers(reuse []matcher, parts []*block.Columns) []matcher {
	for len(reuse) < len(parts) {
		reuse = append(reuse, matcher{})
	}
	for i, p := range parts {
		reuse[i].Columns = p
	}
	return reuse[:len(parts)]
}

// resize returns a slice of n zero values. It reuses the slice old if that is large
// enough.
func resize[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n, n+n/4)
	}
	old = old[:n]
	clear(old)
	return old
}

// assign stores in l.bySender the senders of the part that belong to the worker.
func (l *matcher) assign(w worker) {
	l.bySender = resize(l.bySender, l.Senders)
	for i, subject := range l.Subjects() {
		if slot := w.slot(subject); slot != 0 {
			l.bySender[i] = subjectState{slot, ^mask(0)}
		}
	}
}

// match finds the names and property values of the part that match each operand.
func (l *matcher) match(operands []operand) error {
	l.byName = resize(l.byName, max(256, len(l.NameOf)))
	l.matching, l.filtered = false, 0
	l.predicates, l.columns = l.predicates[:0], l.columns[:0]
	for i := range operands {
		o := &operands[i]
		if !l.matchName(o, 1<<i) {
			continue
		}
		l.matching = true
		for _, f := range o.filters {
			if err := l.addPredicate(f, 1<<i); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchName sets the bit of an operand in l.byName for each name of the part that matches the
// operand. It reports whether there are any.
func (l *matcher) matchName(o *operand, bit mask) bool {
	found := false
	for code, name := range l.NameOf {
		if o.any || !o.none && name == o.name {
			l.byName[code] |= bit
			found = true
		}
	}
	return found
}

func (l *matcher) addPredicate(f *Filter, bit mask) error {
	c, err := l.column(f.Property())
	if err != nil {
		return err
	}
	l.filtered |= bit
	if c == nil { // all rows have code 0
		l.predicates = append(l.predicates, predicate{bit, nil, []bool{f.Matches("", true)}})
		return nil
	}
	pass := make([]bool, len(c.Values))
	pass[0] = f.Matches("", true)
	for code, value := range c.Values[1:] {
		pass[code+1] = f.Matches(textForm(value))
	}
	l.predicates = append(l.predicates, predicate{bit, c, pass})
	return nil
}

// column returns a property of the part, or nil if no event has it.
func (l *matcher) column(key string) (*block.Column, error) {
	for _, known := range l.columns {
		if known.key == key {
			return known.column, nil
		}
	}
	c, err := l.Property(key)
	if err != nil {
		return nil, err
	}
	l.columns = append(l.columns, fetchedColumn{key, c})
	return c, nil
}

// pick selects, from the rows in [low, high), those that match at least one operand. The range must
// not be longer than batchLength. If owned is true, pick selects only rows of subjects that belong
// to the worker.
func (s *selection) pick(l *matcher, low, high int, owned bool) {
	s.named(l.Columns, l.byName, low, high)
	if l.filtered != 0 {
		s.filter(l)
	}
	if owned {
		s.owned(l.Columns, l.bySender)
	}
}

// filter removes an operand from a row's mask if one of the operand's filters does not
// match the row. It drops the rows that have an empty mask afterwards.
func (s *selection) filter(l *matcher) {
	for i := range l.predicates {
		p := &l.predicates[i]
		s.encode(p.column)
		for k, code := range s.codes[:s.n] {
			if !p.pass[code] {
				s.masks[k] &^= p.operand
			}
		}
	}
	n := 0
	for k, m := range s.masks[:s.n] {
		s.rows[n], s.masks[n] = s.rows[k], m
		if m != 0 {
			n++
		}
	}
	s.n = n
}

// encode sets s.codes to the codes of the values that the selected rows have in a column. If the
// column is nil, all codes are 0.
func (s *selection) encode(c *block.Column) {
	if c == nil {
		clear(s.codes[:s.n])
		return
	}
	c.Codes(s.rows[:s.n], s.codes[:])
}
