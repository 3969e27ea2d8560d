package event_test

import (
	"cmp"
	"slices"
	"strings"

	"svc/internal/event/query"
)

// stepSpec is a step of a funnel in the form in which a client sends it.
type stepSpec struct {
	Event   string
	Filters []filterSpec
}

// funnelSpec is a funnel in the form in which a client sends it.
type funnelSpec struct {
	query.Range
	Steps    []stepSpec
	Window   int64
	AnyEntry bool
}

// funnel returns the number of users that reach each step and their median times, by
// section 8 of the contract. Events of the same second have no order: either of two such
// events can be the earlier one. The times of a user for a step begin at the anchor from
// which the user reaches the step first. If there are several, they begin at the latest.
func (p *project) funnel(q funnelSpec) []query.FunnelStep {
	users := make([]query.FunnelStep, len(q.Steps))
	gaps, totals := make([][]int64, len(q.Steps)), make([][]int64, len(q.Steps))
	for _, records := range by(p.in(q.Range), subjectOf) {
		for step, at := range quickest(records, q) {
			users[step].Users++
			if step > 0 {
				gaps[step] = append(gaps[step], at[step]-at[step-1])
				totals[step] = append(totals[step], at[step]-at[0])
			}
		}
	}
	for step := range users {
		users[step].Median, users[step].TotalMedian = median(gaps[step]), median(totals[step])
	}
	return users
}

// quickest returns an element for each step that a subject reaches: the seconds in which
// the subject reaches the steps, starting from the anchor that leads to this step first.
func quickest(records []*record, q funnelSpec) [][]int64 {
	var best [][]int64
	for _, anchor := range records {
		if !q.Steps[0].matches(anchor) {
			continue
		}
		var at []int64
		for _, r := range records {
			if r.At < anchor.At || r.At > anchor.At+q.Window {
				continue
			}
			for len(at) < reached(records, q.Steps, anchor.At, r.At) {
				at = append(at, r.At)
			}
		}
		for step := range at {
			if step == len(best) {
				best = append(best, at)
			} else if at[step] <= best[step][step] { // the anchors come in order
				best[step] = at
			}
		}
		if !q.AnyEntry {
			break
		}
	}
	return best
}

// median returns the lower median, rounded down to 12 significant bits as documented.
func median(seconds []int64) int64 {
	if len(seconds) == 0 {
		return 0
	}
	slices.Sort(seconds)
	middle, unit := seconds[(len(seconds)-1)/2], int64(1)
	for middle/unit >= 4096 {
		unit *= 2
	}
	return middle / unit * unit
}

// reached returns the number of steps that events between two seconds satisfy. Satisfying
// as many steps as possible in each second is optimal, because it leaves the fewest steps
// for later events.
func reached(records []*record, steps []stepSpec, from, to int64) int {
	done := 0
	for len(records) > 0 {
		second := []*record{}
		for len(records) > 0 && (len(second) == 0 || records[0].At == second[0].At) {
			second, records = append(second, records[0]), records[1:]
		}
		if second[0].At >= from && second[0].At <= to {
			done += most(second, steps[done:])
		}
	}
	return done
}

// most returns the greatest n such that the first n of the given steps can each be
// assigned a different event.
func most(records []*record, steps []stepSpec) int {
	best := 0
	for i, r := range records {
		if best < len(steps) && steps[0].matches(r) {
			best = max(best, 1+most(slices.Delete(slices.Clone(records), i, i+1), steps[1:]))
		}
	}
	return best
}

func (s stepSpec) matches(r *record) bool { return r.Name == s.Event && holdAll(s.Filters, r) }

// cohorts counts the users that return after a start event, by section 9 of the contract.
func (p *project) cohorts(q query.CohortQuery) []query.Cohort {
	step, shift := int64(86400), int64(q.OffsetMinutes)*60
	if q.Weekly {
		step, shift = 604800, shift+259200
	}
	records := p.in(q.Range)
	joined := map[string]int64{} // start of the cohort to which a subject belongs, by subject
	for _, r := range records {
		if _, known := joined[r.subject]; !known && r.Name == q.StartEvent {
			joined[r.subject] = floor(r.At, step, shift)
		}
	}
	var cohorts []query.Cohort
	for start := floor(q.Start, step, shift); start <= q.End; start += step {
		c := query.Cohort{Start: start}
		for _, joinedAt := range joined {
			if joinedAt == start {
				c.Size++
			}
		}
		for n := range int64(q.Periods) {
			begin := start + n*step
			back := map[string]bool{}
			for _, r := range records {
				at, member := joined[r.subject]
				if member && at == start && floor(r.At, step, shift) == begin && (q.ReturnEvent == "" || q.ReturnEvent == r.Name) {
					back[r.subject] = true
				}
			}
			c.Cells = append(c.Cells, cell(int64(len(back)), begin, begin+step, min(q.End, q.Now), n))
		}
		cohorts = append(cohorts, c)
	}
	return cohorts
}

// cell returns the cell for the n-th period of a cohort, by rule 7 of section 9. The
// period begins at begin and ends before end. It is over once its last second has passed.
func cell(users, begin, end, ref, n int64) query.Cell {
	if begin > ref || n >= 1 && end > ref && users == 0 {
		return query.Cell{Open: true}
	}
	return query.Cell{Users: users}
}

// paths counts how often each event follows another, by section 10 of the contract.
func (p *project) paths(q query.PathsQuery) query.Paths {
	sequences := by(p.in(q.Range), func(r *record) [2]string {
		if q.Users {
			return [2]string{r.subject}
		}
		return [2]string{r.subject, r.Session}
	})
	steps := make([]map[query.Edge]int64, q.Depth)
	for s := range steps {
		steps[s] = map[query.Edge]int64{}
	}
	for _, sequence := range sequences {
		for q.StartEvent != "" && len(sequence) > 0 && sequence[0].Name != q.StartEvent {
			sequence = sequence[1:]
		}
		for i := 1; i < min(q.Depth, len(sequence)); i++ {
			steps[i][query.Edge{Step: i, From: sequence[i-1].Name, To: sequence[i].Name}]++
		}
	}
	var result query.Paths
	for s, edges := range steps {
		var list []query.Edge
		for e, n := range edges {
			e.Count = n
			list = append(list, e)
		}
		slices.SortFunc(list, func(a, b query.Edge) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
		})
		if len(list) > q.Branches {
			rest := query.Edge{Step: s, From: query.OtherEvents, To: query.OtherEvents}
			for _, e := range list[q.Branches:] {
				rest.Count += e.Count
			}
			list = append(list[:q.Branches], rest)
			result.Truncated = true
		}
		result.Edges = append(result.Edges, list...)
	}
	return result
}
