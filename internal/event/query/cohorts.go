package query

import (
	"context"
	"sync/atomic"

	"svc/internal/event/block"
	"svc/internal/stats"
)

// Cohorts returns one cohort for each period of the range, including empty cohorts. Each
// cohort contains the number of its users that return in each period. The error is
// Invalid if there are too many periods or the query needs too much memory.
func (s *Source) Cohorts(ctx context.Context, c CohortQuery) ([]Cohort, error) {
	return s.query(ctx, c.Range, "retention", lessRange).cohorts(c)
}

// cohorts processes the periods in order and works with sets of subjects (users). The
// subjects with their first start event in a period form the period's cohort. A cell of
// the cohort is the number of its subjects that return in a given period: the size of an
// intersection of two sets. The order of events within a period does not matter, so one
// bit per subject is enough.
func (q *query) cohorts(c CohortQuery) ([]Cohort, error) {
	all, err := daysOrWeeks(c.Range, c.Weekly)
	if err != nil {
		return nil, err
	}
	cohorts := emptyCohorts(all, c.Periods)
	assigned := newBitset(q.memory)          // subjects that already belong to a cohort
	members := make([]*bitset, len(cohorts)) // the cohort of each period; nil when no further cell needs it
	workers := q.presence(c)
	for period := range cohorts {
		present, err := q.period(all, period, workers)
		if err != nil {
			return nil, err
		}
		members[period] = present.started.without(assigned, q.memory)
		assigned.union(members[period])
		cohorts[period].Size = members[period].len()
		for since := range min(c.Periods, period+1) {
			cohorts[period-since].Cells[since].Users = members[period-since].common(present.returned)
		}
		if done := period + 1 - c.Periods; done >= 0 {
			members[done].release()
			members[done] = nil
		}
	}
	markOpen(cohorts, all, min(c.End, c.Now))
	return cohorts, nil
}

func emptyCohorts(all stats.Buckets, cells int) []Cohort {
	cohorts := make([]Cohort, all.Len())
	space := make([]Cell, all.Len()*cells)
	for i := range cohorts {
		cohorts[i] = Cohort{Start: all.Start(i), Cells: space[i*cells : (i+1)*cells : (i+1)*cells]}
	}
	return cohorts
}

// markOpen marks the cells that are not determined yet at the given time: the cells of
// periods that have not begun, and those of the current period that are still 0. The
// first cell of a cohort is never open once its period has begun.
func markOpen(cohorts []Cohort, all stats.Buckets, now int64) {
	for i := range cohorts {
		for period := range cohorts[i].Cells {
			cell := &cohorts[i].Cells[period]
			begun, over := all.Start(i+period) <= now, all.Start(i+period+1) <= now
			cell.Open = !begun || period > 0 && !over && cell.Users == 0
		}
	}
}

// presence is the state of one worker. It holds the subjects that start or return in the
// current period, in the hours that the worker has read.
type presence struct {
	// operands contains the start event. It also contains the return event, unless any event
	// is a return.
	operands  []operand
	anyReturn bool

	started, returned *bitset
	matcher           matcher
	selected          selection
}

// presence returns a presence for each worker.
func (q *query) presence(c CohortQuery) []*presence {
	operands := []operand{q.operand(c.StartEvent, nil, nil)}
	if c.ReturnEvent != "" {
		operands = append(operands, q.operand(c.ReturnEvent, nil, nil))
	}
	workers := make([]*presence, 1<<q.shift)
	for i := range workers {
		workers[i] = &presence{operands: operands, anyReturn: c.ReturnEvent == "", started: newBitset(q.memory), returned: newBitset(q.memory)}
	}
	return workers
}

// period finds the subjects that start or return in a period. The workers share the hours
// of the period. The result is stored in the first worker's presence and is valid until
// the next call.
func (q *query) period(all stats.Buckets, period int, workers []*presence) (*presence, error) {
	r := Range{Start: max(q.Start, all.Start(period)), End: min(q.End, all.Start(period+1)-1)}
	hours := q.between(r)
	var next atomic.Int64
	_, err := spread(hours, func(q *query, w worker) (struct{}, error) {
		p := workers[w.own]
		p.started.clear()
		p.returned.clear()
		return struct{}{}, q.share(&next, func(_ int64, parts []*block.Columns) error {
			for _, part := range parts {
				if err := p.take(part, r); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	for _, other := range workers[1:] {
		workers[0].started.union(other.started)
		workers[0].returned.union(other.returned)
	}
	return workers[0], nil
}

// take adds the subjects that start or return in the range r, according to the events of
// a part.
func (p *presence) take(of *block.Columns, r Range) error {
	low, high := of.Between(r.Start, r.End)
	switch {
	case !p.anyReturn:
	case high-low == of.N: // every sender of the part has an event in the range
		for _, subject := range of.Subjects() {
			p.returned.add(subject)
		}
	default:
		subjects := of.Subjects()
		for row := low; row < high; row++ {
			p.returned.add(subjects[of.SenderOf.At(row)])
		}
	}
	p.matcher.Columns = of
	if err := p.matcher.match(p.operands); err != nil || !p.matcher.matching {
		return err
	}
	for ; low < high; low += batchLength {
		p.selected.pick(&p.matcher, low, min(high, low+batchLength), false)
		p.selected.bySubject(of)
		for k, subject := range p.selected.slots[:p.selected.n] {
			if p.selected.masks[k]&1 != 0 {
				p.started.add(subject)
			}
			if p.selected.masks[k]&2 != 0 {
				p.returned.add(subject)
			}
		}
	}
	return nil
}
