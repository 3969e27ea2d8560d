package query

import (
	"context"
	"math"
	"slices"
)

// Funnel returns, for each step in order, the number of users that reach it and their median times.
// The error is Invalid if the query needs too much memory.
func (s *Source) Funnel(ctx context.Context, f FunnelQuery) ([]FunnelStep, error) {
	return s.query(ctx, f.Range, "the funnel", lessRange).funnel(f)
}

func (q *query) funnel(f FunnelQuery) ([]FunnelStep, error) {
	var steps []operand
	for _, s := range f.Steps {
		steps = append(steps, q.operand(s.Event, s.Filters, nil))
	}
	var runs [maxWorkers]*funnelRun
	for i := range runs {
		runs[i] = newFunnelRun(q, steps, f)
	}
	if err := q.partition(steps, func(w worker, start int64, events []matched) { runs[w.own].take(start, events) }); err != nil {
		return nil, err
	}
	result := make([]FunnelStep, len(steps))
	var gaps, totals [maxSteps]durations
	for _, run := range runs {
		for step, n := range run.reached() {
			result[step].Users += n
			gaps[step].merge(run.gaps[step])
			totals[step].merge(run.totals[step])
		}
	}
	for step := range result {
		result[step].Median, result[step].TotalMedian = gaps[step].median(), totals[step].median()
	}
	return result, nil
}

// funnelRun computes a funnel for the subjects (users) of one worker. Events of a subject within
// one second have no order and must be processed together. An event therefore waits in the state of
// its subject until an event of a later second arrives.
type funnelRun struct {
	steps  int
	window uint32
	base   int64 // Unix second from which seconds are counted

	states  table[funnelState]
	anchors *table[anchors] // nil unless every event of the first step can begin the funnel

	// For each step except the first: the times since the previous step and since the first.
	gaps, totals [maxSteps]durations

	// together holds the waiting events of subjects that have several events in the second
	// togetherSecond. The first event of each subject is not included, because it waits in the
	// state of the subject.
	together       []waitingEvent
	togetherSecond uint32
}

// funnelState holds the progress of a subject in the funnel. Seconds are relative to
// funnelRun.base. An entry is an event with which the subject begins the funnel.
type funnelState struct {
	anchor  uint32 // second in which the first step was reached; only used if funnelRun.anchors is nil
	last    uint32 // second in which the last reached step was reached from its latest entry
	second  uint32 // second of the waiting event
	waiting mask   // the steps that the waiting event matches; 0 if none waits
	reached uint8  // number of steps reached
}

// anchors holds, for each step, the latest entry (event that begins the funnel) from which a
// subject has reached the step. An element is the second of the entry, counted from funnelRun.base,
// plus 1. 0 means that the step has not been reached. The elements never increase from step to
// step. Only the latest entry matters, because its window ends last.
type anchors [maxSteps]uint32

type waitingEvent struct {
	slot uint32
	mask mask
}

func newFunnelRun(q *query, steps []operand, f FunnelQuery) *funnelRun {
	r := &funnelRun{steps: len(steps), window: uint32(min(f.Window, math.MaxUint32))}
	r.states.memory = q.memory
	for step := range r.gaps {
		r.gaps[step].memory, r.totals[step].memory = q.memory, q.memory
	}
	if f.AnyEntry {
		r.anchors = &table[anchors]{memory: q.memory}
	}
	if len(q.hours) > 0 {
		r.base = q.hours[0].Start
	}
	return r
}

// take processes the events of the hour that begins at the Unix second start. Each event waits in
// the state of its subject.
func (r *funnelRun) take(start int64, events []matched) {
	begin, steps := uint32(start-r.base), uint8(r.steps)
	for _, e := range events {
		m, s := e.mask(), r.states.at(e.slot)
		if s.reached == steps || r.anchors == nil && m>>s.reached == 0 {
			continue // the event cannot advance the subject
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

// settle processes the waiting event of a subject that has only one event in the second s.second.
// slot is the index of the subject in r.states.
func (r *funnelRun) settle(slot uint32, s *funnelState) {
	m := s.waiting
	s.waiting = 0
	if r.anchors != nil {
		a := r.anchors.at(slot)
		deepest := a.deepest(s)
		r.extend(a, s.second, m)
		r.advanceTo(s, a, deepest)
		return
	}
	switch {
	case s.reached == 0:
		if m&1 != 0 {
			s.anchor = s.second
			r.advance(s, 1)
		}
	case m>>s.reached&1 != 0 && s.second-s.anchor <= r.window:
		r.advance(s, 1)
	}
}

// advance records that a subject reached the next n steps in the second s.second.
func (r *funnelRun) advance(s *funnelState, n int) {
	for range n {
		r.count(s.reached, s.second-s.last, s.second-s.anchor)
		s.last = s.second
		s.reached++
	}
}

// count records the times that a subject took to reach a step. The parameter gap is the time since
// the previous step, and total is the time since the first step.
func (r *funnelRun) count(step uint8, gap, total uint32) {
	if step > 0 {
		r.gaps[step].add(gap)
		r.totals[step].add(total)
	}
}

// extend extends the chains of steps from all entries of a subject by one event, which matches the
// steps in m. It proceeds from the last step to the first, so that no chain uses the event twice. A
// chain that has already reached a step does not reach it again.
func (r *funnelRun) extend(a *anchors, second uint32, m mask) {
	for step := r.steps - 1; step > 0; step-- {
		if m>>step&1 != 0 && a[step-1] > a[step] && r.open(a[step-1], second) {
			a[step] = a[step-1]
		}
	}
	if m&1 != 0 {
		a[0] = second + 1
	}
}

// open reports whether a second is within the window that begins at an entry (event that begins the
// funnel). anchor is the entry in the form of an element of anchors.
func (r *funnelRun) open(anchor, second uint32) bool {
	return anchor != 0 && second-(anchor-1) <= r.window
}

// deepest returns the latest entry (event that begins the funnel) from which a subject has reached
// its last step so far. The result has the form of an element of anchors. It is 0 if no step has
// been reached.
func (a *anchors) deepest(s *funnelState) uint32 {
	if s.reached == 0 {
		return 0
	}
	return a[s.reached-1]
}

// advanceTo records the steps that a subject has reached for the first time in the second s.second.
// The parameter deepest is the value of a.deepest before this second. If a step is reached from a
// later entry than that, the previous step has been reached from that later entry in the same
// second.
func (r *funnelRun) advanceTo(s *funnelState, a *anchors, deepest uint32) {
	last := s.last
	if s.reached > 0 && a[s.reached-1] != deepest {
		s.last = s.second
	}
	for ; int(s.reached) < r.steps && a[s.reached] != 0; s.reached++ {
		if a[s.reached] != deepest {
			last = s.second
		}
		r.count(s.reached, s.second-last, s.second+1-a[s.reached])
		last, s.last = s.second, s.second
	}
}

// settleTogether processes the waiting events of the subjects that have several events in the
// second r.togetherSecond.
func (r *funnelRun) settleTogether() {
	slices.SortFunc(r.together, func(a, b waitingEvent) int { return int(a.slot) - int(b.slot) })
	for i := 0; i < len(r.together); {
		slot := r.together[i].slot
		s := r.states.at(slot)
		var c multiset
		c.add(s.waiting)
		for ; i < len(r.together) && r.together[i].slot == slot; i++ {
			c.add(r.together[i].mask)
		}
		s.waiting = 0
		r.settleMultiset(slot, s, &c)
	}
	r.together = r.together[:0]
}

// settleMultiset processes the events of a subject in the second s.second. The multiset c contains
// all of them.
func (r *funnelRun) settleMultiset(slot uint32, s *funnelState, c *multiset) {
	steps := r.steps
	if r.anchors != nil {
		a := r.anchors.at(slot)
		deepest := a.deepest(s)
		for from := steps - 1; from > 0; from-- { // from the last step to the first, as in extend
			if a[from-1] <= a[from] || !r.open(a[from-1], s.second) {
				continue
			}
			for n := range c.gain(from, steps) {
				a[from+n] = a[from-1]
			}
		}
		for n := range c.gain(0, steps) {
			a[n] = s.second + 1
		}
		r.advanceTo(s, a, deepest)
		return
	}
	if s.reached == 0 {
		s.anchor = s.second
	}
	if s.second-s.anchor <= r.window {
		r.advance(s, c.gain(int(s.reached), steps))
	}
}

// reached returns the number of subjects that reach each step. It must be called after
// the last call of take.
func (r *funnelRun) reached() []int64 {
	r.settleTogether()
	users := make([]int64, r.steps+1)
	for at, page := range r.states.used() {
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

// multiset holds the events that one subject has within one second. Its elements are the numbers of
// events for each mask, which is the set of steps that an event matches. Numbers are capped at
// maxSteps, because more events would change nothing.
type multiset [256]uint8

// add adds one event, which matches the steps in m.
func (c *multiset) add(m mask) { c[m] = min(c[m]+1, maxSteps) }

// maxSteps is the maximum number of steps of a funnel.
const maxSteps = 8

// gain returns how many consecutive steps can each be assigned an event of their own. The parameter
// from is the index of the first of these steps, and the parameter steps is the total number of
// steps.
func (c *multiset) gain(from, steps int) int {
	var g matching
	for m, count := range c {
		if m>>from != 0 {
			for range count {
				g.events = append(g.events, mask(m))
			}
		}
	}
	g.assigned = make([]int, len(g.events))
	for step := from; step < steps; step++ {
		g.tried = make([]bool, len(g.events))
		if !g.assign(step) {
			return step - from
		}
	}
	return steps - from
}

// matching assigns each step an event that matches it, with Kuhn's algorithm for
// bipartite matching.
type matching struct {
	events   []mask
	assigned []int  // index of the step that uses each event, plus 1; 0 = none
	tried    []bool // whether the search for the current step has tried each event
}

// assign finds an event for a step, and returns false if there is none. It can take the event of
// another step if that step can be assigned a different event.
func (g *matching) assign(step int) bool {
	for i, m := range g.events {
		if m>>step&1 == 0 || g.tried[i] {
			continue
		}
		g.tried[i] = true
		if g.assigned[i] == 0 || g.assign(g.assigned[i]-1) {
			g.assigned[i] = step + 1
			return true
		}
	}
	return false
}
