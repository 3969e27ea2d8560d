package event

// crowd is the events that one subject sent within one second, of which nobody
// knows the order: how many there are of each mask. More than there are steps
// would change nothing.
type crowd [256]uint8

// add counts one more event.
func (c *crowd) add(m mask) { c[m] = min(c[m]+1, mostSteps) }

// mostSteps is the greatest number of steps of a funnel.
const mostSteps = 8

// gain is how many of the steps after the first from of them the events satisfy,
// each event at most one step: the greatest n for which the next n steps can be
// given an event each. steps is how many steps there are.
func (c *crowd) gain(from, steps int) int {
	var g giving
	for m, count := range c {
		if m>>from != 0 {
			for range count {
				g.events = append(g.events, mask(m))
			}
		}
	}
	g.givenTo = make([]int, len(g.events))
	for step := from; step < steps; step++ {
		g.tried = make([]bool, len(g.events))
		if !g.give(step) {
			return step - from
		}
	}
	return steps - from
}

// giving gives events to steps, by Kuhn's algorithm for bipartite matching.
type giving struct {
	events  []mask
	givenTo []int  // by event: step + 1
	tried   []bool // by event, for one step
}

// give finds an event for a step. An event that another step has is taken if
// there is a further one for that.
func (g *giving) give(step int) bool {
	for i, m := range g.events {
		if m>>step&1 == 0 || g.tried[i] {
			continue
		}
		g.tried[i] = true
		if g.givenTo[i] == 0 || g.give(g.givenTo[i]-1) {
			g.givenTo[i] = step + 1
			return true
		}
	}
	return false
}
