package event_test

import (
	"fmt"
	"testing"

	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
)

// The start of the worked example in section 19 of the contract, a Monday at 00:00 UTC,
// and the length of a day, both in seconds.
const (
	exampleStart = 1764547200
	day          = 86400
)

// exampleEvents returns operations that store the events of the worked example, in the
// order of receipt.
func exampleEvents() []operation {
	rows := []struct {
		subject, session, name string
		at                     int64
		properties             string
	}{
		{"u1", "s1", "open", 3600, ""},
		{"u1", "s1", "view", 3660, `{"plan":"free"}`},
		{"u1", "s1", "buy", 3720, `{"plan":"pro","amount":30}`},
		{"u1", "s2", "open", day + 3600, ""},
		{"u2", "s3", "open", 7200, ""},
		{"u2", "s3", "view", 7260, `{"plan":"free"}`},
		{"u2", "s4", "open", 2*day + 100, ""},
		{"u3", "s5", "view", 10000, `{"plan":"pro"}`},
		{"u3", "s5", "open", 10060, ""},
		{"u3", "s5", "buy", 10120, `{"plan":"free","amount":"12.5"}`},
		{"u4", "", "open", day + 50, ""},
		{"u4", "", "buy", day + 50 + 604800, `{"amount":7}`},
	}
	var operations []operation
	for i, row := range rows {
		item := submission.Item{ID: fmt.Sprintf("e%d", i), Name: row.name, At: exampleStart + row.at}
		if row.properties != "" {
			item.Properties = []byte(row.properties)
		}
		operations = append(operations, ingest(&event.Batch{
			Project: 1, Received: exampleStart + 10*day + int64(i),
			Subject: row.subject, Session: row.session, Items: []submission.Item{item},
		}))
	}
	return operations
}

// exampleRow is a row of the worked example with its result.
type exampleRow struct {
	name   string
	ask    operation
	result string
}

// exampleRows returns the queries of the worked example.
func exampleRows() []exampleRow {
	whole := query.Range{Start: exampleStart, End: exampleStart + 10*day}
	threeDays := query.Range{Start: exampleStart, End: exampleStart + 2*day + 43200}
	steps := func(window int64, names ...string) funnelSpec {
		q := funnelSpec{Range: whole, Window: window}
		for _, name := range names {
			q.Steps = append(q.Steps, stepSpec{Event: name})
		}
		return q
	}
	onlyPro := steps(604800, "open", "buy")
	onlyPro.Steps[1].Filters = []filterSpec{{"plan", "eq", []byte(`"pro"`)}}
	back := func(name string) operation {
		return cohorts(1, query.CohortQuery{Range: threeDays, StartEvent: "open", ReturnEvent: name, Periods: 3, Now: whole.End})
	}
	walk := func(q query.PathsQuery) operation {
		q.Range = whole
		return paths(1, q)
	}
	value := func(f *term, events ...operandSpec) operation {
		return metricValue(1, metricSpec{Range: whole, Events: events, Formula: f})
	}
	percent := &term{op: '*', right: &term{op: '0', number: "100"}, left: &term{
		op: '/', left: &term{op: 'A', alias: 'A'}, right: &term{op: 'A', alias: 'B'},
	}}
	return []exampleRow{
		{"funnel open, view, buy", funnel(1, steps(604800, "open", "view", "buy")), "[{Users:4 Median:0 TotalMedian:0} {Users:2 Median:60 TotalMedian:60} {Users:1 Median:60 TotalMedian:120}]"},
		{"funnel open, buy, the end of the window belongs to it", funnel(1, steps(604800, "open", "buy")), "[{Users:4 Median:0 TotalMedian:0} {Users:3 Median:120 TotalMedian:120}]"},
		{"funnel open, buy, a second less", funnel(1, steps(604799, "open", "buy")), "[{Users:4 Median:0 TotalMedian:0} {Users:2 Median:60 TotalMedian:60}]"},
		{"funnel open, buy of plan pro", funnel(1, onlyPro), "[{Users:4 Median:0 TotalMedian:0} {Users:1 Median:120 TotalMedian:120}]"},
		{"funnel open, open", funnel(1, steps(604800, "open", "open")), "[{Users:4 Median:0 TotalMedian:0} {Users:2 Median:86400 TotalMedian:86400}]"},
		{"retention, any event", back(""), "[{Start:1764547200 Size:3 Cells:[{Users:3 Open:false} {Users:1 Open:false} {Users:1 Open:false}]}" +
			" {Start:1764633600 Size:1 Cells:[{Users:1 Open:false} {Users:0 Open:true} {Users:0 Open:true}]}" +
			" {Start:1764720000 Size:0 Cells:[{Users:0 Open:false} {Users:0 Open:true} {Users:0 Open:true}]}]"},
		{"retention, buy", back("buy"), "[{Start:1764547200 Size:3 Cells:[{Users:2 Open:false} {Users:0 Open:false} {Users:0 Open:true}]}" +
			" {Start:1764633600 Size:1 Cells:[{Users:0 Open:false} {Users:0 Open:true} {Users:0 Open:true}]}" +
			" {Start:1764720000 Size:0 Cells:[{Users:0 Open:false} {Users:0 Open:true} {Users:0 Open:true}]}]"},
		{"paths of sessions", walk(query.PathsQuery{Depth: 3, Branches: 5}), "{Edges:[" +
			"{Step:1 From:open To:view Count:2} {Step:1 From:open To:buy Count:1} {Step:1 From:view To:open Count:1}" +
			" {Step:2 From:open To:buy Count:1} {Step:2 From:view To:buy Count:1}] Truncated:false}"},
		{"paths, one branch", walk(query.PathsQuery{Depth: 3, Branches: 1}), "{Edges:[" +
			"{Step:1 From:open To:view Count:2} {Step:1 From:(other) To:(other) Count:2}" +
			" {Step:2 From:open To:buy Count:1} {Step:2 From:(other) To:(other) Count:1}] Truncated:true}"},
		{"paths from open", walk(query.PathsQuery{StartEvent: "open", Depth: 3, Branches: 5}), "{Edges:[" +
			"{Step:1 From:open To:buy Count:2} {Step:1 From:open To:view Count:2} {Step:2 From:view To:buy Count:1}] Truncated:false}"},
		{"paths of users", walk(query.PathsQuery{Depth: 4, Branches: 5, Users: true}), "{Edges:[" +
			"{Step:1 From:open To:view Count:2} {Step:1 From:open To:buy Count:1} {Step:1 From:view To:open Count:1}" +
			" {Step:2 From:open To:buy Count:1} {Step:2 From:view To:buy Count:1} {Step:2 From:view To:open Count:1}" +
			" {Step:3 From:buy To:open Count:1}] Truncated:false}"},
		{"share of buyers", value(percent, operandSpec{Name: "buy", Alias: 'A', Measure: query.MeasureUsers},
			operandSpec{Name: "open", Alias: 'B', Measure: query.MeasureUsers}), "{Values:[3 4] Result:75}"},
		{"count per user", value(nil, operandSpec{Name: "open", Alias: 'A', Measure: query.MeasurePerUser}), "{Values:[1.5] Result:1.5}"},
		{"amount above 10", value(nil, operandSpec{"buy", 'A', query.MeasureCount, []filterSpec{{"amount", "gt", []byte("10")}}}), "{Values:[2] Result:2}"},
		{"plan not pro, also where there is none", value(nil, operandSpec{"buy", 'A', query.MeasureCount, []filterSpec{{"plan", "neq", []byte(`"pro"`)}}}), "{Values:[2] Result:2}"},
		{"breakdown by plan", breakdown(1, query.BreakdownQuery{Range: whole, Dimension: query.ByProperty, Property: "plan", Event: "buy", Limit: 20}),
			"{Total:3 Groups:[{Key: Missing:true Count:1} {Key:free Missing:false Count:1} {Key:pro Missing:false Count:1}]}"},
	}
}

// TestModelOnWorkedExample checks that the model agrees with the worked example. Without
// this test, the model could be wrong in the same way as the engine.
func TestModelOnWorkedExample(t *testing.T) {
	t.Parallel()
	var m model
	for _, o := range exampleEvents() {
		o.want(&m)
	}
	for _, row := range exampleRows() {
		if got := row.ask.want(&m); got != row.result {
			t.Errorf("%s\n got %s\nwant %s", row.name, got, row.result)
		}
	}
}

// TestEngineOnWorkedExample checks that the engine agrees with the worked example,
// whether the events are in memory or in blocks, and after a restart.
func TestEngineOnWorkedExample(t *testing.T) {
	t.Parallel()
	for _, place := range []struct {
		name  string
		after []operation
	}{
		{"fresh", nil},
		{"flushed", []operation{flush()}},
		{"compacted", []operation{flush(), compact()}},
		{"reopened", []operation{reopen()}},
	} {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			r, err := newRig(t.TempDir(), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var m model
			for _, o := range append(exampleEvents(), place.after...) {
				o.answers(t, &m, r)
			}
			for _, row := range exampleRows() {
				row.ask.answers(t, &m, r)
			}
		})
	}
}
