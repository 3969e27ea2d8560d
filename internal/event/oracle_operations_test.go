package event_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/formula"
	"svc/internal/stats"
)

// operation is an operation that can be run on the model and on the engine. Its results
// on the two are compared.
type operation struct {
	text  string // description
	want  func(*model) string
	got   func(context.Context, *rig) (string, error)
	batch *event.Batch // the batch of an ingestion, nil for other operations
}

// rig is an engine that can be reopened, with its clock.
type rig struct {
	*event.Engine
	path     string
	head     int
	now      atomic.Int64      // Unix second
	recorder boltfile.Recorder // may be nil
	follow   bool              // the engine follows another one
}

// newRig opens an engine in a directory of the test.
func newRig(folder string, head int) (*rig, error) {
	r := &rig{path: filepath.Join(folder, "events"), head: head}
	return r, r.open()
}

func (r *rig) open() (err error) {
	r.Engine, err = event.Open(r.path, event.Options{
		Now:        func() time.Time { return time.Unix(r.now.Load(), 0) },
		HeadEvents: r.head, Recorder: r.recorder, Follow: r.follow,
	})
	return err
}

// answered returns an operation that must have equal results on the model and on the
// engine.
func answered[T any](text string, want func(*model) T, got func(context.Context, *rig) (T, error)) operation {
	return operation{
		text: text,
		want: func(m *model) string { return fmt.Sprintf("%+v", want(m)) },
		got: func(ctx context.Context, r *rig) (string, error) {
			answer, err := got(ctx, r)
			return fmt.Sprintf("%+v", answer), err
		},
	}
}

// quiet returns an operation that does not affect the model.
func quiet(text string, do func(*rig) error) operation {
	return operation{
		text: text,
		want: func(*model) string { return "" },
		got:  func(_ context.Context, r *rig) (string, error) { return "", do(r) },
	}
}

func ingest(b *event.Batch) operation {
	o := answered("Ingest "+describe(b),
		func(m *model) int { return m.ingest(b) },
		func(_ context.Context, r *rig) (int, error) {
			r.now.Store(max(r.now.Load(), b.Received))
			in, err := r.Ingest(b)
			return in.Accepted, err
		})
	o.batch = b
	return o
}

func flush() operation { return quiet("Flush", func(r *rig) error { return r.Flush() }) }

func compact() operation {
	return quiet("Compact until there is nothing left to do", func(r *rig) error {
		for range 100 {
			if worked, err := r.Compact(); err != nil || !worked {
				return err
			}
		}
		return fmt.Errorf("compaction does not come to an end")
	})
}

func reopen() operation {
	return quiet("Close and Open", func(r *rig) error {
		if err := r.Close(); err != nil {
			return err
		}
		return r.open()
	})
}

func deleteSubject(p event.Project, subject string) operation {
	return answered(fmt.Sprintf("DeleteSubject %d %q", p, subject),
		func(m *model) int64 { return m.of(p).deleteSubject(subject) },
		func(ctx context.Context, r *rig) (int64, error) { return r.DeleteSubject(ctx, p, subject) })
}

func clean(p event.Project, events, counters int64) operation {
	return operation{
		text: fmt.Sprintf("Clean %d events before %d, counters before %d", p, events, counters),
		want: func(m *model) string { m.of(p).clean(events, counters); return "" },
		got: func(ctx context.Context, r *rig) (string, error) {
			return "", r.ApplyRetention(ctx, p, events, counters)
		},
	}
}

func dropProject(p event.Project) operation {
	return operation{
		text: fmt.Sprintf("DropProject %d", p),
		want: func(m *model) string { delete(m.projects, p); return "" },
		got:  func(ctx context.Context, r *rig) (string, error) { return "", r.DropProject(ctx, p) },
	}
}

func export(p event.Project, subject string) operation {
	show := func(e *event.Event) string { // the order of properties is not significant
		return fmt.Sprintf("\n\t%s %s %q %d %d %s %v", e.Name, e.ID, e.Session, e.At, e.Received, describe(decode(e.Properties)), e.Client)
	}
	return answered(fmt.Sprintf("Export %d %q", p, subject),
		func(m *model) (text string) {
			for _, e := range m.of(p).export(subject) {
				text += show(&e)
			}
			return text
		},
		func(ctx context.Context, r *rig) (text string, err error) {
			err = r.Export(ctx, p, subject, func(e *event.Event) error {
				text += show(e)
				return nil
			})
			return text, err
		})
}

func overview(p event.Project, r query.Range) operation {
	return answered(fmt.Sprintf("Overview %d %+v", p, r),
		func(m *model) query.Overview { return m.of(p).overview(r) },
		func(ctx context.Context, e *rig) (query.Overview, error) { return e.Overview(ctx, p, r) })
}

func series(p event.Project, q query.SeriesQuery) operation {
	return answered(fmt.Sprintf("Series %d %+v", p, q),
		func(m *model) query.Series { return m.of(p).series(q) },
		func(ctx context.Context, r *rig) (query.Series, error) { return r.Series(ctx, p, q) })
}

func breakdown(p event.Project, q query.BreakdownQuery) operation {
	return answered(fmt.Sprintf("Breakdown %d %+v", p, q),
		func(m *model) query.Breakdown { return m.of(p).breakdown(q) },
		func(ctx context.Context, r *rig) (query.Breakdown, error) { return r.Breakdown(ctx, p, q) })
}

func heatmap(p event.Project, r query.Range, name string) operation {
	return answered(fmt.Sprintf("Heatmap %d %+v %q", p, r, name),
		func(m *model) string { return shown(m.of(p).heatmap(r, name)) },
		func(ctx context.Context, e *rig) (string, error) {
			h, err := e.Heatmap(ctx, p, r, name)
			return shown(h), err
		})
}

// shown returns the cells that are not 0.
func shown(h stats.Heatmap) string {
	cells := map[string]int64{}
	for i, n := range h {
		if n != 0 {
			cells[fmt.Sprintf("%s %02d:00", time.Weekday(i/24), i%24)] = n
		}
	}
	return fmt.Sprint(cells)
}

func funnel(p event.Project, q funnelSpec) operation {
	return answered(fmt.Sprintf("Funnel %d %s", p, describe(q)),
		func(m *model) []query.FunnelStep { return m.of(p).funnel(q) },
		func(ctx context.Context, r *rig) ([]query.FunnelStep, error) {
			steps := make([]query.Step, len(q.Steps))
			for i, s := range q.Steps {
				filters, err := compiled(s.Filters)
				if err != nil {
					return nil, err
				}
				steps[i] = query.Step{Event: s.Event, Filters: filters}
			}
			return r.Funnel(ctx, p, query.FunnelQuery{Range: q.Range, Steps: steps, Window: q.Window, AnyEntry: q.AnyEntry})
		})
}

func cohorts(p event.Project, q query.CohortQuery) operation {
	return answered(fmt.Sprintf("Cohorts %d %+v", p, q),
		func(m *model) []query.Cohort { return m.of(p).cohorts(q) },
		func(ctx context.Context, r *rig) ([]query.Cohort, error) {
			list, err := r.Cohorts(ctx, p, q)
			for _, c := range list {
				for i := range c.Cells {
					if c.Cells[i].Open {
						c.Cells[i].Users = 0 // the contract does not determine it
					}
				}
			}
			return list, err
		})
}

func paths(p event.Project, q query.PathsQuery) operation {
	return answered(fmt.Sprintf("Paths %d %+v", p, q),
		func(m *model) query.Paths { return m.of(p).paths(q) },
		func(ctx context.Context, r *rig) (query.Paths, error) { return r.Paths(ctx, p, q) })
}

func metricValue(p event.Project, q metricSpec) operation {
	return answered(fmt.Sprintf("MetricValue %d %s", p, describe(q)),
		func(m *model) query.MetricValue { return m.of(p).value(q) },
		metric(p, q, (*event.Engine).MetricValue))
}

func metricTimeseries(p event.Project, q metricSpec) operation {
	return answered(fmt.Sprintf("MetricTimeseries %d %s", p, describe(q)),
		func(m *model) query.MetricTimeseries { return m.of(p).timeseries(q) },
		metric(p, q, (*event.Engine).MetricTimeseries))
}

func metricBreakdown(p event.Project, q metricSpec) operation {
	return answered(fmt.Sprintf("MetricBreakdown %d %s", p, describe(q)),
		func(m *model) query.MetricBreakdown { return m.of(p).grouped(q) },
		metric(p, q, (*event.Engine).MetricBreakdown))
}

// metric runs one of the three kinds of metric queries on the engine.
func metric[T any](p event.Project, q metricSpec, ask func(*event.Engine, context.Context, event.Project, query.MetricQuery) (T, error)) func(context.Context, *rig) (T, error) {
	return func(ctx context.Context, r *rig) (T, error) {
		query, err := q.query()
		if err != nil {
			var none T
			return none, err
		}
		return ask(r.Engine, ctx, p, query)
	}
}

// query converts the metric to the engine's form.
func (q metricSpec) query() (query.MetricQuery, error) {
	made := query.MetricQuery{Range: q.Range, Hourly: q.Hourly, GroupBy: q.GroupBy, Property: q.Property, Limit: q.Limit}
	var err error
	if made.Filters, err = compiled(q.Filters); err != nil {
		return made, err
	}
	declared := map[byte]bool{}
	for _, o := range q.Events {
		declared[o.Alias] = true
		e := query.MetricEvent{Name: o.Name, Alias: o.Alias, Measure: o.Measure}
		if e.Filters, err = compiled(o.Filters); err != nil {
			return made, err
		}
		made.Events = append(made.Events, e)
	}
	if q.Formula != nil {
		made.Formula, err = formula.Parse(q.Formula.text(1), func(alias byte) bool { return declared[alias] })
	}
	return made, err
}

// compiled converts filters to the engine's form.
func compiled(filters []filterSpec) ([]query.Filter, error) {
	if filters == nil {
		return nil, nil
	}
	raw, err := json.Marshal(filters)
	if err != nil {
		return nil, err
	}
	list, problems := query.DecodeFilters(raw, "filters")
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s: %v", raw, problems)
	}
	return list, nil
}

// describe formats a value with everything that is needed to reproduce it by hand.
func describe(v any) string {
	switch v := v.(type) {
	case *event.Batch:
		text := fmt.Sprintf("%d from %q session %q at %d, offset %d %v, %+v", v.Project, v.Subject, v.Session, v.Received, v.OffsetMinutes, v.OffsetKnown, v.Client)
		for _, item := range v.Items {
			text += fmt.Sprintf("\n\t%s at %d, id %q, %s", item.Name, item.At, item.ID, item.Properties)
		}
		return text
	case metricSpec:
		text := fmt.Sprintf("%+v by %q %q limit %d hourly %v, all %s", v.Range, v.GroupBy, v.Property, v.Limit, v.Hourly, describe(v.Filters))
		for _, o := range v.Events {
			text += fmt.Sprintf("\n\t%c = %s of %s %s", o.Alias, o.Measure, o.Name, describe(o.Filters))
		}
		if v.Formula != nil {
			text += fmt.Sprintf("\n\tformula %q", v.Formula.text(1))
		}
		return text
	case funnelSpec:
		text := fmt.Sprintf("%+v window %d any entry %v", v.Range, v.Window, v.AnyEntry)
		for _, s := range v.Steps {
			text += fmt.Sprintf("\n\t%s %s", s.Event, describe(s.Filters))
		}
		return text
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// answers runs one operation on the model and the engine and compares the results.
func (o operation) answers(t *testing.T, m *model, r *rig) {
	t.Helper()
	want := o.want(m)
	if got, err := o.got(t.Context(), r); err != nil || got != want {
		t.Errorf("%s\n got %s (%v)\nwant %s", o.text, got, err, want)
	}
}
