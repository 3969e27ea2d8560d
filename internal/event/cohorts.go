package event

import "context"

// Cohorts counts who comes back, a cohort for each period of the range, also
// where nobody began. An error for the client says that it takes too much memory.
func (e *Engine) Cohorts(ctx context.Context, p Project, c CohortQuery) (cohorts []Cohort, err error) {
	err = e.view(ctx, p, func(v *view) error {
		q := v.query(c.Range, "retention", "narrow the range")
		cohorts, err = q.cohorts(c)
		return err
	})
	return cohorts, err
}

func (q *query) cohorts(c CohortQuery) ([]Cohort, error) {
	all, err := daysOrWeeks(c.Range, c.Weekly)
	if err != nil {
		return nil, err
	}
	each, err := spread(q, func(q *query, w worker) ([]Cohort, error) {
		r := newCohortRun(q, w, c, all)
		if err := q.each(r.hour); err != nil {
			return nil, err
		}
		return r.count(emptyCohorts(all, c.Periods)), nil
	})
	if err != nil {
		return nil, err
	}
	cohorts := each[0]
	for _, one := range each[1:] {
		for i := range one {
			cohorts[i].Size += one[i].Size
			for period := range one[i].Cells {
				cohorts[i].Cells[period].Users += one[i].Cells[period].Users
			}
		}
	}
	markOpen(cohorts, all, min(c.End, c.Now))
	return cohorts, nil
}

func emptyCohorts(all periods, cells int) []Cohort {
	cohorts := make([]Cohort, all.count)
	space := make([]Cell, all.count*cells)
	for i := range cohorts {
		cohorts[i] = Cohort{Start: all.start(i), Cells: space[i*cells : (i+1)*cells : (i+1)*cells]}
	}
	return cohorts
}

// markOpen marks the cells about which nothing can be said at a moment: those
// that have not begun, and those that are not over and to which nobody has come
// back yet.
func markOpen(cohorts []Cohort, all periods, now int64) {
	for i := range cohorts {
		for period := range cohorts[i].Cells {
			cell := &cohorts[i].Cells[period]
			begun, over := all.start(i+period) <= now, all.start(i+period+1) <= now
			cell.Open = !begun || period > 0 && !over && cell.Users == 0
		}
	}
}

// cohortRun finds the cohorts of the subjects of one worker.
type cohortRun struct {
	worker
	query *query
	// operands are the start event and, unless any event will do, the one that
	// counts as a return.
	operands  []operand
	anyReturn bool
	all       periods
	lanes     []lane
	pieces    []piece
	picks     picks
	states    table[cohortState]
}

// cohortState is what is known of a subject. Periods are numbered from 1.
type cohortState struct {
	cohort  uint32 // period of the first start event; 0 = none yet
	last    uint32 // before that: period of the last return event
	returns uint32 // a bit for each period since the cohort's own
}

func newCohortRun(q *query, w worker, c CohortQuery, all periods) *cohortRun {
	r := &cohortRun{worker: w, query: q, all: all, anyReturn: c.ReturnEvent == ""}
	r.operands = []operand{q.operand(c.StartEvent, nil, nil)}
	if !r.anyReturn {
		r.operands = append(r.operands, q.operand(c.ReturnEvent, nil, nil))
	}
	r.states.memory = q.memory
	return r
}

func (r *cohortRun) hour(start int64, parts []*part) error {
	r.lanes = lanes(r.lanes, parts)
	r.pieces = r.all.pieces(r.pieces, start, r.query.Range)
	for i := range r.lanes {
		if err := r.lanes[i].match(r.operands); err != nil {
			return err
		}
		r.lanes[i].assign(r.worker)
		r.forgetStarts(&r.lanes[i])
	}
	for _, piece := range r.pieces { // periods must come in the order of time
		for i := range r.lanes {
			r.piece(&r.lanes[i], piece)
		}
	}
	return nil
}

// forgetStarts passes over the start events of subjects that have a cohort.
func (r *cohortRun) forgetStarts(l *lane) {
	for i := range l.bySender {
		if from := &l.bySender[i]; from.slot != 0 && r.states.at(from.slot).cohort != 0 {
			from.wants &^= 1
		}
	}
}

// piece takes the events that a part has in a period. Their order does not
// matter.
func (r *cohortRun) piece(l *lane, piece piece) {
	low, high := l.between(piece.from, piece.to)
	period := uint32(piece.period) + 1
	switch {
	case !r.anyReturn:
	case high-low == l.n: // then every sender has an event in it
		for _, from := range l.bySender {
			if from.slot != 0 {
				r.states.at(from.slot).came(period)
			}
		}
	default:
		for row := low; row < high; row++ {
			if from := l.bySender[l.clients.at(row)]; from.slot != 0 {
				r.states.at(from.slot).came(period)
			}
		}
	}
	if !l.matching {
		return
	}
	for ; low < high; low += batchLength {
		r.picks.pick(l, low, min(high, low+batchLength), true)
		for k := range r.picks.n {
			s, m := r.states.at(r.picks.slots[k]), r.picks.masks[k]
			if m&1 != 0 && s.cohort == 0 {
				s.join(period)
			}
			if m&2 != 0 {
				s.came(period)
			}
		}
	}
}

// came notes a return event.
func (s *cohortState) came(period uint32) {
	if s.cohort == 0 {
		s.last = period
		return
	}
	s.returns |= 1 << (period - s.cohort) // beyond bit 31 nothing is noted
}

// join notes the first start event. A return event earlier in the same period
// counts.
func (s *cohortState) join(period uint32) {
	s.cohort = period
	if s.last == period {
		s.returns = 1
	}
}

// count fills cohorts in.
func (r *cohortRun) count(cohorts []Cohort) []Cohort {
	for _, page := range r.states.pages {
		if page == nil {
			continue
		}
		for i := range page {
			s := &page[i]
			if s.cohort == 0 {
				continue
			}
			c := &cohorts[s.cohort-1]
			c.Size++
			for period := range c.Cells {
				c.Cells[period].Users += int64(s.returns >> period & 1)
			}
		}
	}
	return cohorts
}
