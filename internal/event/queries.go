package event

import (
	"context"

	"svc/internal/event/query"
	"svc/internal/stats"
)

// Package query computes the results from a snapshot of the project.

// ask calls the function answer with a snapshot of a project and returns its result.
func ask[Q, A any](
	ctx context.Context, e *Engine, p Project, q Q, answer func(*query.Source, context.Context, Q) (A, error),
) (a A, err error) {
	err = e.snapshot(ctx, p, func(v *snapshot) error {
		a, err = answer(v.source(), ctx, q)
		return err
	})
	return a, err
}

// Overview returns the totals of all events in a range.
func (e *Engine) Overview(ctx context.Context, p Project, r query.Range) (query.Overview, error) {
	return ask(ctx, e, p, r, (*query.Source).Overview)
}

// Series counts events over time, with the hourly counters.
func (e *Engine) Series(ctx context.Context, p Project, q query.SeriesQuery) (query.Series, error) {
	return ask(ctx, e, p, q, (*query.Source).Series)
}

// Breakdown counts events by the values of a dimension.
func (e *Engine) Breakdown(ctx context.Context, p Project, q query.BreakdownQuery) (query.Breakdown, error) {
	return ask(ctx, e, p, q, (*query.Source).Breakdown)
}

// PropertyKeys returns the keys of the properties that events have. Keys that occur in
// more hours come first.
func (e *Engine) PropertyKeys(ctx context.Context, p Project, q query.KeysQuery) ([]query.Key, error) {
	return ask(ctx, e, p, q, (*query.Source).PropertyKeys)
}

// Heatmap returns counts by hour of the week. If the parameter only is not "", Heatmap
// counts only the events with that name.
func (e *Engine) Heatmap(ctx context.Context, p Project, r query.Range, only string) (stats.Heatmap, error) {
	return ask(ctx, e, p, r, func(s *query.Source, _ context.Context, r query.Range) (stats.Heatmap, error) {
		return s.Heatmap(r, only)
	})
}

// Funnel returns the number of users that reach each step, and the median of the time
// that they take.
func (e *Engine) Funnel(ctx context.Context, p Project, q query.FunnelQuery) ([]query.FunnelStep, error) {
	return ask(ctx, e, p, q, (*query.Source).Funnel)
}

// Cohorts counts the users that return after a start event.
func (e *Engine) Cohorts(ctx context.Context, p Project, q query.CohortQuery) ([]query.Cohort, error) {
	return ask(ctx, e, p, q, (*query.Source).Cohorts)
}

// Paths counts how often each event follows another.
func (e *Engine) Paths(ctx context.Context, p Project, q query.PathsQuery) (query.Paths, error) {
	return ask(ctx, e, p, q, (*query.Source).Paths)
}

// MetricValue computes the value of a metric for a whole range.
func (e *Engine) MetricValue(ctx context.Context, p Project, q query.MetricQuery) (query.MetricValue, error) {
	return ask(ctx, e, p, q, (*query.Source).MetricValue)
}

// MetricTimeseries computes the value of a metric for each bucket (such as an hour or a
// day) of a range.
func (e *Engine) MetricTimeseries(ctx context.Context, p Project, q query.MetricQuery) (query.MetricTimeseries, error) {
	return ask(ctx, e, p, q, (*query.Source).MetricTimeseries)
}

// MetricBreakdown computes the value of a metric for each value of a dimension.
func (e *Engine) MetricBreakdown(ctx context.Context, p Project, q query.MetricQuery) (query.MetricBreakdown, error) {
	return ask(ctx, e, p, q, (*query.Source).MetricBreakdown)
}
