package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/internal/event/block"
	"svc/internal/formula"
	"svc/internal/stats"
)

// exampleFacts returns the events of the contract's worked example, in the order of
// receipt.
func exampleFacts() []fact {
	prop := func(pairs ...string) (list block.Properties) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, block.Property{Key: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	const d = day
	return []fact{
		{"u1", "s1", "open", monday + 3600, nil, block.Details{}},
		{"u1", "s1", "view", monday + 3660, prop("plan", `"free"`), block.Details{}},
		{"u1", "s1", "buy", monday + 3720, prop("plan", `"pro"`, "amount", `30`), block.Details{}},
		{"u1", "s2", "open", monday + d + 3600, nil, block.Details{}},
		{"u2", "s3", "open", monday + 7200, nil, block.Details{}},
		{"u2", "s3", "view", monday + 7260, prop("plan", `"free"`), block.Details{}},
		{"u2", "s4", "open", monday + 2*d + 100, nil, block.Details{}},
		{"u3", "s5", "view", monday + 10000, prop("plan", `"pro"`), block.Details{}},
		{"u3", "s5", "open", monday + 10060, nil, block.Details{}},
		{"u3", "s5", "buy", monday + 10120, prop("plan", `"free"`, "amount", `"12.5"`), block.Details{}},
		{"u4", "", "open", monday + d + 50, nil, block.Details{}},
		{"u4", "", "buy", monday + d + 50 + 604800, prop("amount", `7`), block.Details{}},
	}
}

// filters returns a list of one filter.
func filters(tb testing.TB, property, op, value string) []Filter {
	tb.Helper()
	list, problems := DecodeFilters(fmt.Appendf(nil, `[{"property":%q,"op":%q,"value":%s}]`, property, op, value), "filters")
	if problems != nil {
		tb.Fatal(problems)
	}
	return list
}

func stepsOf(names ...string) (steps []Step) {
	for _, name := range names {
		steps = append(steps, Step{Event: name})
	}
	return steps
}

func exampleRange() Range { return Range{Start: monday, End: monday + 10*day} }

// exampleRows returns the queries of the worked example, each with its expected result in
// short form.
func exampleRows(t *testing.T) []exampleRow {
	t.Helper()
	const week = 604800
	pro := stepsOf("open", "buy")
	pro[1].Filters = filters(t, "plan", "eq", `"pro"`)
	threeDays := Range{Start: monday, End: monday + 2*day + 43200}
	of := func(name string, m Measure, list []Filter) MetricQuery {
		return MetricQuery{Events: []MetricEvent{{Name: name, Alias: 'A', Measure: m, Filters: list}}}
	}
	rate := of("buy", MeasureUsers, nil)
	rate.Events = append(rate.Events, MetricEvent{Name: "open", Alias: 'B', Measure: MeasureUsers})
	var err error
	if rate.Formula, err = formula.Parse("A / B * 100", func(c byte) bool { return c == 'A' || c == 'B' }); err != nil {
		t.Fatal(err)
	}
	return []exampleRow{
		{"funnel in order", funnelRow(stepsOf("open", "view", "buy"), week), "[{4 0 0} {2 60 60} {1 60 120}]"},
		{"the end of the window is inclusive", funnelRow(stepsOf("open", "buy"), week), "[{4 0 0} {3 120 120}]"},
		{"a second past the window", funnelRow(stepsOf("open", "buy"), week-1), "[{4 0 0} {2 60 60}]"},
		{"funnel with filter", funnelRow(pro, week), "[{4 0 0} {1 120 120}]"},
		{"the same event twice needs two records", funnelRow(stepsOf("open", "open"), week), "[{4 0 0} {2 86400 86400}]"},
		{"retention, any return", cohortRow(threeDays, ""), "0:3 3 1 1, 1:1 1 - -, 2:0 0 - -"},
		{"retention, return is buy", cohortRow(threeDays, "buy"), "0:3 2 0 -, 1:1 0 - -, 2:0 0 - -"},
		{"paths of sessions", pathsRow(PathsQuery{Depth: 3, Branches: 5}), "1:open→view 2, 1:open→buy 1, 1:view→open 1, 2:open→buy 1, 2:view→buy 1"},
		{"paths with a limit", pathsRow(PathsQuery{Depth: 3, Branches: 1}), "1:open→view 2, 1:(other)→(other) 2, 2:open→buy 1, 2:(other)→(other) 1, truncated"},
		{"paths from a start event", pathsRow(PathsQuery{Depth: 3, Branches: 5, StartEvent: "open"}), "1:open→buy 2, 1:open→view 2, 2:view→buy 1"},
		{"paths of users", pathsRow(PathsQuery{Depth: 4, Branches: 5, Users: true}), "1:open→view 2, 1:open→buy 1, 1:view→open 1, 2:open→buy 1, 2:view→buy 1, 2:view→open 1, 3:buy→open 1"},
		{"formula", valueRow(rate), "[3 4] 75"},
		{"count per user", valueRow(of("open", MeasurePerUser, nil)), "[1.5] 1.5"},
		{"numeric filter", valueRow(of("buy", MeasureCount, filters(t, "amount", "gt", "10"))), "[2] 2"},
		{"a missing property is not equal", valueRow(of("buy", MeasureCount, filters(t, "plan", "neq", `"pro"`))), "[2] 2"},
		{"breakdown by property", func(t *testing.T, q *query) string {
			t.Helper()
			b, err := q.propertyBreakdown(BreakdownQuery{Range: q.Range, Property: "plan", Event: "buy", Limit: 20})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(b)
		}, "{3 [{ true 1} {free false 1} {pro false 1}]}"},
		{"users and sessions", func(t *testing.T, q *query) string {
			t.Helper()
			users, sessions, err := q.uniques()
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(users, sessions)
		}, "4 5"},
	}
}

type exampleRow struct {
	name string
	ask  func(t *testing.T, q *query) string
	want string
}

func funnelRow(steps []Step, window int64) func(*testing.T, *query) string {
	return func(t *testing.T, q *query) string {
		t.Helper()
		users, err := q.funnel(FunnelQuery{Range: q.Range, Steps: steps, Window: window})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(users)
	}
}

func cohortRow(r Range, back string) func(*testing.T, *query) string {
	return func(t *testing.T, q *query) string {
		t.Helper()
		q.Range = r
		cohorts, err := q.cohorts(CohortQuery{Range: r, StartEvent: "open", ReturnEvent: back, Periods: 3, Now: r.End + 10*day})
		if err != nil {
			t.Fatal(err)
		}
		return shortCohorts(cohorts, day)
	}
}

// shortCohorts formats each cohort as its period, size and cells; - marks an open cell.
func shortCohorts(cohorts []Cohort, step int64) string {
	var list []string
	for _, c := range cohorts {
		text := fmt.Sprintf("%d:%d", (c.Start-monday)/step, c.Size)
		for _, cell := range c.Cells {
			if cell.Open {
				text += " -"
			} else {
				text += fmt.Sprintf(" %d", cell.Users)
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func pathsRow(in PathsQuery) func(*testing.T, *query) string {
	return func(t *testing.T, q *query) string {
		t.Helper()
		in.Range = q.Range
		paths, err := q.paths(in)
		if err != nil {
			t.Fatal(err)
		}
		return shortPaths(paths)
	}
}

func shortPaths(p Paths) string {
	var list []string
	for _, e := range p.Edges {
		list = append(list, fmt.Sprintf("%d:%s→%s %d", e.Step, e.From, e.To, e.Count))
	}
	if p.Truncated {
		list = append(list, "truncated")
	}
	return strings.Join(list, ", ")
}

func valueRow(m MetricQuery) func(*testing.T, *query) string {
	return func(t *testing.T, q *query) string {
		t.Helper()
		m.Range = q.Range
		tally, err := q.totals(m, stats.Whole(q.Start, q.End))
		if err != nil {
			t.Fatal(err)
		}
		values := tally.values(m, 0)
		return fmt.Sprint(values, m.result(values))
	}
}

// TestWorkedExample checks that the results of the worked example do not depend on how
// its events are divided into parts: each hour is one part, or is cut into two or three
// parts.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	for _, parts := range []int{1, 2, 3} {
		for _, row := range exampleRows(t) {
			t.Run(fmt.Sprintf("%s, %d parts", row.name, parts), func(t *testing.T) {
				t.Parallel()
				facts := exampleFacts()
				w := newWorld(t, facts, func(i int) int { return i * parts / len(facts) })
				if got := row.ask(t, w.query(t.Context(), exampleRange())); got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
			})
		}
	}
}

// TestParts checks that the funnel of the worked example does not change if its events
// arrive in reverse order.
func TestParts(t *testing.T) {
	t.Parallel()
	facts := exampleFacts()
	slices.Reverse(facts)
	w := newWorld(t, facts, func(i int) int { return i })
	if got := funnelRow(stepsOf("open", "view", "buy"), 604800)(t, w.query(t.Context(), exampleRange())); got != "[{4 0 0} {2 60 60} {1 60 120}]" {
		t.Errorf("got %s, want [4 2 1]", got)
	}
}
