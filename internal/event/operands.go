package event

// operand is what an analysis looks for: events of a name that match filters.
type operand struct {
	name    uint32
	none    bool // there is no event of the name
	any     bool // events of all names
	filters []*Filter
}

// operand is the events of a name that match all filters of both lists.
func (q *query) operand(name string, own, all []Filter) operand {
	number, ok := q.name(name)
	o := operand{name: number, none: !ok}
	for _, list := range [][]Filter{own, all} {
		for i := range list {
			o.filters = append(o.filters, &list[i])
		}
	}
	return o
}

// lane is what a worker knows of a part: which codes of names and values match,
// and which senders are its own. Lanes are used again for the next part.
type lane struct {
	*part
	bySender []seat
	byName   []mask // at least 256
	matching bool   // there is a name that matches
	filtered mask   // operands with filters
	checks   []check
	columns  []fetched
}

// seat is what a worker knows of a sender: the slot of its subject, and the
// operands that matter for it, none when the subject is another worker's.
type seat struct {
	slot  uint32
	wants mask
}

// check is one filter of an operand.
type check struct {
	operand mask
	codes   []uint32
	pass    []bool // by code
}

// fetched is a property that was looked for in the part; nil = no event has it.
type fetched struct {
	key    string
	column *column
}

// lanes makes as many lanes as there are parts.
func lanes(reuse []lane, parts []*part) []lane {
	for len(reuse) < len(parts) {
		reuse = append(reuse, lane{})
	}
	for i, p := range parts {
		reuse[i].part = p
	}
	return reuse[:len(parts)]
}

// resize gives a slice of n zeros, the old one if it is large enough.
func resize[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n, n+n/4)
	}
	old = old[:n]
	clear(old)
	return old
}

// assign finds out whose the senders are.
func (l *lane) assign(w worker) {
	l.bySender = resize(l.bySender, len(l.subjects))
	for i, subject := range l.subjects {
		if slot := w.slot(subject); slot != 0 {
			l.bySender[i] = seat{slot, ^mask(0)}
		}
	}
}

// match finds out which names and values of the part match which operand.
func (l *lane) match(operands []operand) error {
	l.byName = resize(l.byName, max(256, len(l.nameOf)))
	l.matching, l.filtered = false, 0
	l.checks, l.columns = l.checks[:0], l.columns[:0]
	for i := range operands {
		o := &operands[i]
		if !l.matchName(o, 1<<i) {
			continue
		}
		l.matching = true
		for _, f := range o.filters {
			if err := l.addCheck(f, 1<<i); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchName reports whether an event of the part may match.
func (l *lane) matchName(o *operand, bit mask) bool {
	found := false
	for code, name := range l.nameOf {
		if o.any || !o.none && name == o.name {
			l.byName[code] |= bit
			found = true
		}
	}
	return found
}

func (l *lane) addCheck(f *Filter, bit mask) error {
	c, err := l.column(f.Property())
	if err != nil {
		return err
	}
	l.filtered |= bit
	if c == nil { // all rows have code 0
		l.checks = append(l.checks, check{bit, nil, []bool{f.Matches("", true)}})
		return nil
	}
	pass := make([]bool, len(c.values))
	pass[0] = f.Matches("", true)
	for code, value := range c.values[1:] {
		pass[code+1] = f.Matches(textForm(value))
	}
	l.checks = append(l.checks, check{bit, c.codes, pass})
	return nil
}

// column is a property of the part, nil when no event has it.
func (l *lane) column(key string) (*column, error) {
	for _, known := range l.columns {
		if known.key == key {
			return known.column, nil
		}
	}
	c, err := l.property(key)
	if err != nil {
		return nil, err
	}
	l.columns = append(l.columns, fetched{key, c})
	return c, nil
}

// pick finds the rows from low to high, at most batchLength, that match an
// operand and, if owned, one that matters for the sender.
func (s *picks) pick(l *lane, low, high int, owned bool) {
	s.named(l.part, l.byName, low, high)
	if l.filtered != 0 {
		s.check(l)
	}
	if owned {
		s.owned(l.part, l.bySender)
	}
}

// check drops from each row the operands whose filters do not match.
func (s *picks) check(l *lane) {
	n := 0
	for k, row := range s.rows[:s.n] {
		m := s.masks[k]
		for i := range l.checks {
			c := &l.checks[i]
			if m&c.operand == 0 {
				continue
			}
			code := uint32(0)
			if c.codes != nil {
				code = c.codes[row]
			}
			if !c.pass[code] {
				m &^= c.operand
			}
		}
		s.rows[n], s.masks[n] = row, m
		if m != 0 {
			n++
		}
	}
	s.n = n
}
