package query

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"svc/internal/event/block"
)

// funnelModel implements the rules of a funnel for one user by brute force: from each
// entry, it tries every assignment of events to steps.
type funnelModel struct {
	facts []fact // the events of one user, in order of time
	steps []Step
}

func (m *funnelModel) matches(f fact, step int) bool {
	s := m.steps[step]
	if f.name != s.Event {
		return false
	}
	for i := range s.Filters {
		text, missing := "", true
		for _, p := range f.props {
			if p.Key == s.Filters[i].Property() {
				text, missing = textForm(p.Value)
			}
		}
		if !s.Filters[i].Matches(text, missing) {
			return false
		}
	}
	return true
}

// furthest returns the greatest number of steps that the events between two times can
// satisfy. step is the number of steps that are already satisfied, by the events marked
// in used.
func (m *funnelModel) furthest(from, to int64, step int, used []bool) int {
	best := step
	if step == len(m.steps) {
		return best
	}
	for i, f := range m.facts {
		if !used[i] && f.at >= from && f.at <= to && m.matches(f, step) {
			now := slices.Clone(used)
			now[i] = true
			best = max(best, m.furthest(f.at, to, step+1, now))
		}
	}
	return best
}

// passage holds the seconds of the chain of events with which a user reaches a step: those
// of the entry, of the previous step and of the step itself.
type passage struct{ entry, before, at int64 }

// passages returns, for each step that the user reaches, the chain that reaches it first.
// From each entry, a step is reached in the earliest second such that the events from the
// entry to the end of that second satisfy the step.
func (m *funnelModel) passages(window int64, anyEntry bool) []passage {
	var best []passage
	for _, f := range m.facts {
		if !m.matches(f, 0) {
			continue
		}
		before := f.at
		for step := range m.steps {
			at := int64(-1)
			for _, last := range m.facts {
				if at < 0 && last.at >= f.at && last.at <= f.at+window && m.from(f.at, last.at) > step {
					at = last.at
				}
			}
			if at < 0 {
				break
			}
			p := passage{f.at, before, at}
			switch {
			case step == len(best):
				best = append(best, p)
			case at < best[step].at || at == best[step].at && f.at > best[step].entry:
				best[step] = p
			}
			before = at
		}
		if !anyEntry {
			break
		}
	}
	return best
}

// from returns the greatest number of steps that can be satisfied by an entry in the
// second at and events until the end of the second to. Any event of the second at that
// matches the first step can be the entry.
func (m *funnelModel) from(at, to int64) int {
	best := 0
	for i, entry := range m.facts {
		if entry.at == at && m.matches(entry, 0) {
			used := make([]bool, len(m.facts))
			used[i] = true
			best = max(best, m.furthest(at, to, 1, used))
		}
	}
	return best
}

// stepsOfModel returns the result of a funnel for the passages of all users.
func stepsOfModel(steps int, users [][]passage) []FunnelStep {
	result := make([]FunnelStep, steps)
	for step := range result {
		var gaps, totals []int64
		for _, passages := range users {
			if step < len(passages) {
				p := passages[step]
				gaps, totals = append(gaps, p.at-p.before), append(totals, p.at-p.entry)
			}
		}
		result[step] = FunnelStep{int64(len(gaps)), lowerMedian(gaps), lowerMedian(totals)}
	}
	return result
}

// lowerMedian returns the median, which is the lower of the two middle values if their
// number is even. Without values, it returns 0.
func lowerMedian(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// TestFunnelAgainstModel checks that the funnel and its times agree with the model for
// random events, many of which are in the same second. It tests both kinds of entry, and
// hours of one or several parts.
func TestFunnelAgainstModel(t *testing.T) {
	t.Parallel()
	values := []string{`"x"`, `1`, `1.0`, `null`, `"y"`}
	for seed := range uint64(1500) {
		random := rand.New(rand.NewPCG(seed, 2))
		names := []string{"a", "b", "c", "d"}[:1+random.IntN(4)]
		anyEntry := random.IntN(2) == 0
		steps := make([]Step, 2+random.IntN(3))
		for i := range steps {
			steps[i].Event = names[random.IntN(len(names))]
			if random.IntN(3) == 0 {
				steps[i].Filters = filters(t, "p", []string{"eq", "neq", "exists"}[random.IntN(3)], `"1"`)
			}
		}
		facts := make([]fact, random.IntN(24))
		span := 1 + random.Int64N(30)
		for i := range facts {
			facts[i] = fact{user: fmt.Sprint(random.IntN(4)), name: names[random.IntN(len(names))], at: monday + 3590 + random.Int64N(span)}
			if random.IntN(2) == 0 {
				facts[i].props = block.Properties{{Key: "p", Value: values[random.IntN(len(values))]}}
			}
		}
		f := FunnelQuery{Steps: steps, AnyEntry: anyEntry, Window: random.Int64N(20)}
		f.Range = Range{Start: monday + 3590 + random.Int64N(10), End: monday + 3590 + 10 + random.Int64N(30)}
		byUser := map[string][]fact{}
		for _, one := range facts {
			if one.at >= f.Start && one.at <= f.End {
				byUser[one.user] = append(byUser[one.user], one)
			}
		}
		var users [][]passage
		for _, list := range byUser {
			slices.SortStableFunc(list, func(a, b fact) int { return int(a.at - b.at) })
			m := funnelModel{list, steps}
			users = append(users, m.passages(f.Window, anyEntry))
		}
		want := stepsOfModel(len(steps), users)
		parts := 1 + random.IntN(3)
		w := newWorld(t, facts, func(i int) int { return i * parts / len(facts) })
		got, err := w.query(t.Context(), f.Range).funnel(f)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, any entry %v, steps %v, window %d: got %v, want %v of\n%v", seed, anyEntry, steps, f.Window, got, want, byUser)
		}
	}
}

// TestFunnelWhileProcessorsChange checks that a funnel is correct even if the number of
// usable processors changes while it is being computed.
//
//nolint:paralleltest // changes the number of processors for the whole process
func TestFunnelWhileProcessorsChange(t *testing.T) {
	const users, hours = 16, batchHours + 10
	var facts []fact
	for user := range users {
		for hour, name := range map[int]string{0: "a", hours - 1: "b"} {
			facts = append(facts, fact{user: fmt.Sprint(user), name: name, at: monday + int64(hour)*3600})
		}
	}
	for hour := range hours {
		facts = append(facts, fact{user: "0", name: "other", at: monday + int64(hour)*3600 + 60})
	}
	w := newWorld(t, facts, func(int) int { return 0 })
	f := FunnelQuery{Range: Range{Start: monday, End: monday + hours*3600}, Steps: stepsOf("a", "b"), Window: hours * 3600}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, change := range [][2]int{{4, 1}, {1, 4}} {
		runtime.GOMAXPROCS(change[0])
		q := w.query(t.Context(), f.Range)
		open := q.hours[0].Open
		q.hours[0].Open = func(reuse []*block.Columns) ([]*block.Columns, error) {
			runtime.GOMAXPROCS(change[1])
			return open(reuse)
		}
		got, err := q.funnel(f)
		if err != nil || got[0].Users != users || got[1].Users != users {
			t.Errorf("from %d to %d processors: got %v, %v, want %d users", change[0], change[1], got, err, users)
		}
	}
}

// TestCrowdOfAMillion checks that a very large number of events of one user within a
// second takes negligible time.
func TestCrowdOfAMillion(t *testing.T) {
	t.Parallel()
	const n = 300_000
	r := block.Rows{Seconds: make([]uint16, n), Names: make([]uint32, n), SenderOf: make([]uint32, n), Props: make([]block.Properties, n), Senders: []block.Sender{{Subject: 1}}}
	for i := range n {
		r.Names[i] = uint32(1 + i%2)
	}
	w := newWorld(t, nil, nil)
	w.names = []string{"", "a", "b"}
	w.hours[monday] = []*block.Columns{columnsOf(monday, &r)}
	for _, anyEntry := range []bool{false, true} {
		steps := stepsOf("b", "a", "b", "b", "a", "b", "a", "a")
		got, err := w.query(t.Context(), exampleRange()).funnel(FunnelQuery{Range: exampleRange(), Steps: steps, Window: 60, AnyEntry: anyEntry})
		if err != nil || got[7] != (FunnelStep{Users: 1}) {
			t.Errorf("any entry %v: got %v, %v, want 1 at each step", anyEntry, got, err)
		}
	}
}

// TestLongFunnel checks that the medians of times up to 30 days are exact below 4096
// seconds, and that longer ones are too small by less than 0.05 %.
func TestLongFunnel(t *testing.T) {
	t.Parallel()
	const month = 30 * day
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		longest := 1 + random.Int64N([]int64{60, 4096, 8192, day, month}[random.IntN(5)])
		var facts []fact
		var gaps, totals []int64
		for user := range 1 + random.IntN(40) {
			view := random.Int64N(longest)
			buy := view + random.Int64N(longest-view)
			for name, at := range map[string]int64{"open": 0, "view": view, "buy": buy} {
				facts = append(facts, fact{user: fmt.Sprint(user), name: name, at: monday + at})
			}
			gaps, totals = append(gaps, buy-view), append(totals, buy)
		}
		w := newWorld(t, facts, func(int) int { return 0 })
		f := FunnelQuery{Range: Range{Start: monday, End: monday + month}, Steps: stepsOf("open", "view", "buy"), Window: month}
		got, err := w.query(t.Context(), f.Range).funnel(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, median := range []struct{ got, want int64 }{{got[2].Median, lowerMedian(gaps)}, {got[2].TotalMedian, lowerMedian(totals)}} {
			lost := median.want - median.got
			if lost < 0 || lost*2000 > median.want || lost > 0 && median.want < 4096 {
				t.Errorf("seed %d, up to %d seconds: got %d, want %d", seed, longest, median.got, median.want)
			}
		}
	}
}

func TestGain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		events      []mask
		from, steps int
		want        int
	}{
		{"nothing", nil, 0, 3, 0},
		{"one event, one step", []mask{0b111}, 0, 3, 1},
		{"any order", []mask{0b100, 0b001, 0b010}, 0, 3, 3},
		{"a gap ends it", []mask{0b100, 0b001}, 0, 3, 1},
		{"steps that are done need no event", []mask{0b100, 0b010}, 1, 3, 2},
		{"the only event for a later step is kept for it", []mask{0b011, 0b001}, 0, 2, 2},
		{"giving back along a chain", []mask{0b0011, 0b0110, 0b1100, 0b0001}, 0, 4, 4},
		{"the last step of eight", []mask{0x80, 0x40}, 6, 8, 2},
		{"more events than steps", slices.Repeat([]mask{0b01}, 600), 0, 2, 1},
	} {
		var c multiset
		for _, m := range tc.events {
			c.add(m)
		}
		if got := c.gain(tc.from, tc.steps); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
	}
}
