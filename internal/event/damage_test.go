package event_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/fault"
)

// question is one query of each kind.
type question struct {
	name string
	ask  func(ctx context.Context, e *event.Engine) (any, error)
}

// questions returns queries of all kinds about project 1. Its events are "open", "view"
// and "close" with the properties "n" and "from", sent by "u0".
func questions(r query.Range) []question {
	metric := query.MetricQuery{
		Range: r, Events: []query.MetricEvent{{Name: "open", Alias: 'A', Measure: query.MeasureUsers}, {Name: "view", Alias: 'B', Measure: query.MeasurePerUser}},
		GroupBy: query.ByProperty, Property: "n", Limit: 10,
	}
	return []question{
		{"overview", func(ctx context.Context, e *event.Engine) (any, error) { return e.Overview(ctx, 1, r) }},
		{"series", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Series(ctx, 1, query.SeriesQuery{Range: r, GroupBy: query.ByEvent, Limit: 5})
		}},
		{"breakdown", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Breakdown(ctx, 1, query.BreakdownQuery{Range: r, Dimension: query.ByEvent, Limit: 5})
		}},
		{"breakdown by property", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Breakdown(ctx, 1, query.BreakdownQuery{Range: r, Dimension: query.ByProperty, Property: "n", Limit: 5})
		}},
		{"heatmap", func(ctx context.Context, e *event.Engine) (any, error) { return e.Heatmap(ctx, 1, r, "") }},
		{"definitions", func(ctx context.Context, e *event.Engine) (any, error) {
			total, list, err := e.Definitions(ctx, 1, event.DefinitionsQuery{Range: r, Limit: 10})
			return []any{total, list}, err
		}},
		{"funnel", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Funnel(ctx, 1, query.FunnelQuery{Range: r, Steps: []query.Step{{Event: "open"}, {Event: "view"}}, Window: 86400, AnyEntry: true})
		}},
		{"cohorts", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Cohorts(ctx, 1, query.CohortQuery{Range: r, StartEvent: "open", Periods: 5, Now: r.End})
		}},
		{"paths", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Paths(ctx, 1, query.PathsQuery{Range: r, Depth: 4, Branches: 5})
		}},
		{"paths of users", func(ctx context.Context, e *event.Engine) (any, error) {
			return e.Paths(ctx, 1, query.PathsQuery{Range: r, StartEvent: "view", Depth: 4, Branches: 5, Users: true})
		}},
		{"metric", func(ctx context.Context, e *event.Engine) (any, error) { return e.MetricValue(ctx, 1, metric) }},
		{"metric over time", func(ctx context.Context, e *event.Engine) (any, error) { return e.MetricTimeseries(ctx, 1, metric) }},
		{"metric by property", func(ctx context.Context, e *event.Engine) (any, error) { return e.MetricBreakdown(ctx, 1, metric) }},
		{"export", func(ctx context.Context, e *event.Engine) (any, error) {
			var list []event.Event
			err := e.Export(ctx, 1, "u0", func(one *event.Event) error {
				list = append(list, *one)
				return nil
			})
			return list, err
		}},
	}
}

// answer runs the query and returns its result. If the query panics, panicked describes
// the panic.
func (q question) answer(ctx context.Context, e *event.Engine) (got any, panicked string, err error) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprint(p)
		}
	}()
	got, err = q.ask(ctx, e)
	return got, "", err
}

// fillForDamage stores events of three hours, in one block for each hour.
func fillForDamage(t *testing.T, w *world) {
	t.Helper()
	for hour := range 3 {
		for i := range 40 {
			subject, session := fmt.Sprint("u", i%7), fmt.Sprint("s", i%11)
			for k, name := range []string{"open", "view", "close"} {
				w.send(t, subject, session, name, noon-int64(hour)*3600+int64(i*60+k*3), fmt.Sprint(hour, " ", i, " ", k, " a"), fmt.Sprint(hour, " ", i, " ", k, " b"))
			}
		}
	}
	check(t, w.Flush())
}

var damageRange = query.Range{Start: noon - 10*86400, End: noon + 86400}

// TestDamageIsAnError checks that a query returns an answer or an error, but does not
// panic, whatever the bytes of a block are. If a reference is invalid, the error must
// report that the file is damaged, and the damaged hour.
func TestDamageIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{Memory: 4 << 20})
	fillForDamage(t, w)
	trials := 60
	if os.Getenv("SVC_LONG") != "" {
		trials = 2000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	failed := 0
	for trial := range trials {
		var before []byte
		block := random.IntN(3)
		check(t, w.DamageBlock(1, block, trial%2 == 0, func(raw []byte) {
			before = slices.Clone(raw)
			for range 1 + random.IntN(30) {
				raw[5+random.IntN(len(raw)-5)] = byte(random.IntN(256))
			}
		}))
		for _, q := range questions(damageRange) {
			_, text, err := q.answer(t.Context(), w.Engine)
			if text != "" {
				t.Errorf("trial %d: %s panics: %.2000s", trial, q.name, text)
			}
			if err != nil && !errors.Is(err, event.ErrDamaged) && !fault.Is(err, fault.Invalid) {
				t.Errorf("trial %d: %s: got %v", trial, q.name, err)
			}
			if err != nil {
				failed++
			}
		}
		check(t, w.DamageBlock(1, block, false, func(raw []byte) { copy(raw, before) }))
	}
	check(t, w.Check())
	t.Logf("%d of %d answers were errors", failed, trials*len(questions(damageRange)))
	if failed == 0 {
		t.Error("damage was never found")
	}
}

// TestDamageStaysWhereItIs checks that operations that rewrite blocks refuse a damaged
// block and leave it unchanged. Events must still be accepted, even for the hour of that
// block, and queries of other hours must be answered.
func TestDamageStaysWhereItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	fillForDamage(t, w)
	want := w.export(t, "u0")
	flip := func(raw []byte) { raw[len(raw)-1] ^= 1 } // block 1 belongs to the hour before noon
	check(t, w.DamageBlock(1, 1, false, flip))

	for _, refused := range []struct {
		name string
		do   func() error
	}{
		{"export", func() error {
			return w.Export(t.Context(), 1, "u0", func(*event.Event) error { return nil })
		}},
		{"erasure", func() error { _, err := w.DeleteSubject(t.Context(), 1, "u0"); return err }},
		{"retention within the hour", func() error { return w.ApplyRetention(t.Context(), 1, noon-3600+60, 0) }},
	} {
		if err := refused.do(); !errors.Is(err, event.ErrDamaged) {
			t.Errorf("%s: got %v", refused.name, err)
		}
	}
	late := []string{"1 0 0 a"} // already stored
	for i := range 300 {
		late = append(late, fmt.Sprint("late ", i))
	}
	if got := w.send(t, "late", "", "open", noon-3500, late...); got != 300 {
		t.Errorf("accepted %d of 300 new events", got)
	}
	check(t, w.Flush())
	if _, err := w.Compact(); !errors.Is(err, event.ErrDamaged) {
		t.Errorf("joining it with the new block: got %v", err)
	}
	for _, q := range questions(query.Range{Start: noon, End: noon + 3599}) {
		if q.name == "export" {
			continue
		}
		if _, text, err := q.answer(t.Context(), w.Engine); text != "" || err != nil {
			t.Errorf("%s of another hour: %v %s", q.name, err, text)
		}
	}

	check(t, w.DamageBlock(1, 0, false, flip)) // the blocks before it have been removed
	check(t, w.Check())
	got := w.export(t, "u0")
	gone := slices.DeleteFunc(slices.Clone(want), func(one event.Event) bool {
		return slices.ContainsFunc(got, func(two event.Event) bool { return one.ID == two.ID })
	})
	if !reflect.DeepEqual(append(gone, got...), want) {
		t.Errorf("after the repair: got %+v, want the events from the cut on", got)
	}
}
