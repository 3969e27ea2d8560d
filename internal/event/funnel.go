package event

import (
	"context"
	"math"
	"slices"
)

// Funnel counts the users that reach each step, step by step. An error for the
// client says that it takes too much memory.
func (e *Engine) Funnel(ctx context.Context, p Project, f FunnelQuery) (users []int64, err error) {
	err = e.view(ctx, p, func(v *view) error {
		q := v.query(f.Range, "the funnel", "narrow the range")
		users, err = q.funnel(f)
		return err
	})
	return users, err
}

func (q *query) funnel(f FunnelQuery) ([]int64, error) {
	var steps []operand
	for _, s := range f.Steps {
		steps = append(steps, q.operand(s.Event, s.Filters, nil))
	}
	var runs [mostWorkers]*funnelRun
	for i := range runs {
		runs[i] = newFunnelRun(q, steps, f)
	}
	if err := q.deal(steps, func(w worker, start int64, events []dealt) { runs[w.own].take(start, events) }); err != nil {
		return nil, err
	}
	users := make([]int64, len(steps))
	for _, run := range runs {
		for step, n := range run.reached() {
			users[step] += n
		}
	}
	return users, nil
}

// funnelRun is a funnel over the subjects of one worker. The events of a subject
// within one second have no order, so an event waits in the state of its subject
// until the next second in which that has one.
type funnelRun struct {
	steps  int
	window uint32
	base   int64 // Unix second from which seconds are counted

	states  table[funnelState]
	anchors *table[anchors] // where every first step is an entry; otherwise nil

	// together are events of the second that is looked at whose subjects have
	// another one waiting.
	together       []waitingEvent
	togetherSecond uint32
}

// funnelState is how far a subject is. Seconds are since the base.
type funnelState struct {
	anchor  uint32 // second of the first step, once there is one
	second  uint32 // of the waiting event
	waiting mask   // the steps that the waiting event matches; 0 = none waits
	reached uint8  // steps
}

// anchors has for each step the last entry from which it was reached: its second
// since the base + 1, or 0. They only descend from step to step, and a later
// entry is better than an earlier one, because its window is longer.
type anchors [mostSteps]uint32

type waitingEvent struct {
	slot uint32
	mask mask
}

func newFunnelRun(q *query, steps []operand, f FunnelQuery) *funnelRun {
	r := &funnelRun{steps: len(steps), window: uint32(min(f.Window, math.MaxUint32))}
	r.states.memory = q.memory
	if f.AnyEntry {
		r.anchors = &table[anchors]{memory: q.memory}
	}
	if len(q.hours) > 0 {
		r.base = q.hours[0].start
	}
	return r
}

// take lets the events of an hour wait.
func (r *funnelRun) take(start int64, events []dealt) {
	begin, steps := uint32(start-r.base), uint8(r.steps)
	for _, e := range events {
		m, s := e.mask(), r.states.at(e.slot)
		if s.reached == steps || r.anchors == nil && m>>s.reached == 0 {
			continue // nothing can come of it
		}
		second := begin + e.second()
		if len(r.together) > 0 && second != r.togetherSecond {
			r.settleTogether()
		}
		if s.waiting != 0 {
			if s.second == second {
				r.together = append(r.together, waitingEvent{e.slot, m})
				r.togetherSecond = second
				continue
			}
			r.settle(e.slot, s)
		}
		s.second, s.waiting = second, m
	}
}

// settle takes the waiting event of a subject that has no other in its second.
func (r *funnelRun) settle(slot uint32, s *funnelState) {
	m := s.waiting
	s.waiting = 0
	if r.anchors != nil {
		r.extend(s, r.anchors.at(slot), m)
		return
	}
	switch {
	case s.reached == 0:
		if m&1 != 0 {
			s.anchor, s.reached = s.second, 1
		}
	case m>>s.reached&1 != 0 && s.second-s.anchor <= r.window:
		s.reached++
	}
}

// extend continues the chains of all entries by one event. It goes from the last
// step to the first, so that no chain uses the event twice.
func (r *funnelRun) extend(s *funnelState, a *anchors, m mask) {
	for step := r.steps - 1; step > 0; step-- {
		if m>>step&1 != 0 && r.open(a[step-1], s.second) {
			r.reach(s, a, step, a[step-1])
		}
	}
	if m&1 != 0 {
		r.reach(s, a, 0, s.second+1)
	}
}

// open reports whether the window of an entry reaches to a second.
func (r *funnelRun) open(anchor, second uint32) bool {
	return anchor != 0 && second-(anchor-1) <= r.window
}

// reach notes that a step was reached from an entry.
func (r *funnelRun) reach(s *funnelState, a *anchors, step int, anchor uint32) {
	a[step] = max(a[step], anchor)
	s.reached = max(s.reached, uint8(step+1))
}

// settleTogether takes the waiting events of the subjects that have several in
// one second.
func (r *funnelRun) settleTogether() {
	slices.SortFunc(r.together, func(a, b waitingEvent) int { return int(a.slot) - int(b.slot) })
	for i := 0; i < len(r.together); {
		slot := r.together[i].slot
		s := r.states.at(slot)
		var c crowd
		c.add(s.waiting)
		for ; i < len(r.together) && r.together[i].slot == slot; i++ {
			c.add(r.together[i].mask)
		}
		s.waiting = 0
		r.settleCrowd(slot, s, &c)
	}
	r.together = r.together[:0]
}

// settleCrowd takes the events that one subject has in the second of s.
func (r *funnelRun) settleCrowd(slot uint32, s *funnelState, c *crowd) {
	steps := r.steps
	if r.anchors != nil {
		a := r.anchors.at(slot)
		for from := steps - 1; from > 0; from-- { // as in extend
			if !r.open(a[from-1], s.second) {
				continue
			}
			for n := range c.gain(from, steps) {
				r.reach(s, a, from+n, a[from-1])
			}
		}
		for n := range c.gain(0, steps) {
			r.reach(s, a, n, s.second+1)
		}
		return
	}
	if s.reached == 0 {
		s.anchor = s.second
	}
	if s.second-s.anchor <= r.window {
		s.reached += uint8(c.gain(int(s.reached), steps))
	}
}

// reached counts the subjects that reach each step, when all events were taken.
func (r *funnelRun) reached() []int64 {
	r.settleTogether()
	users := make([]int64, r.steps+1)
	for at, page := range r.states.pages {
		if page == nil {
			continue
		}
		for i := range page {
			s := &page[i]
			if s.waiting != 0 {
				r.settle(uint32(at*pageLength+i), s)
			}
			users[s.reached]++
		}
	}
	for step := r.steps - 1; step > 0; step-- {
		users[step] += users[step+1]
	}
	return users[1:]
}
