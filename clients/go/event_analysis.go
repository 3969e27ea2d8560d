package svcsdk

import (
	"context"
	"net/http"
)

// GetEventOverview counts events, senders, sessions and names. total and event_types are counted
// by the hour: the first and the last hour of the range count whole. unique_users and
// unique_sessions are counted by the second. See docs/numbers.md.
func (a *Admin) GetEventOverview(ctx context.Context, opts *RangeOptions) (*EventOverview, error) {
	return fetch[EventOverview](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/stats/overview").where(opts))
}

// GetEventTimeseries counts events over time. Every hour or day of the range has its bucket. More
// than 20,000 of them answer 400. What limit leaves out of the series is still in data.
func (a *Admin) GetEventTimeseries(ctx context.Context, opts *EventTimeseriesOptions) (*EventSeries, error) {
	return fetch[EventSeries](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/stats/timeseries").where(opts))
}

// GetEventBreakdown counts events by name, platform, region or property.
func (a *Admin) GetEventBreakdown(ctx context.Context, opts *EventBreakdownOptions) (*EventBreakdown, error) {
	return fetch[EventBreakdown](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/stats/breakdown").where(opts))
}

// GetEventHeatmap counts events by hour of the week. In the local time of each client: by what its
// clock says, else by its country, else by tz_offset_minutes.
func (a *Admin) GetEventHeatmap(ctx context.Context, opts *EventHeatmapOptions) (*Heatmap, error) {
	return fetch[Heatmap](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/stats/heatmap").where(opts))
}

// GetFunnel counts who gets from one step to the next. A sender counts for a step if it did all
// steps up to there in order, the last one at most window_seconds after the first. Steps may fall
// into the same second; one event is one step at most.
func (a *Admin) GetFunnel(ctx context.Context, in FunnelInput) (*Funnel, error) {
	return fetch[Funnel](ctx, a.call(http.MethodPost, "/admin/projects/{k}/events/analysis/funnel").body(in))
}

// GetRetention counts who comes back. A sender is in the cohort of the day or week of its first
// start event in the range. A period that is not over and in which nobody came back yet is null,
// and so is one that lies ahead. More than 20,000 cohorts answer 400.
func (a *Admin) GetRetention(ctx context.Context, in RetentionInput) (*Retention, error) {
	return fetch[Retention](ctx, a.call(http.MethodPost, "/admin/projects/{k}/events/analysis/retention").body(in))
}

// GetPaths counts which event follows which.
func (a *Admin) GetPaths(ctx context.Context, in PathsInput) (*Paths, error) {
	return fetch[Paths](ctx, a.call(http.MethodPost, "/admin/projects/{k}/events/analysis/paths").body(in))
}

// RunEventQuery computes a number from events. A number for the whole range (value), over time
// (timeseries) or by the values of a dimension (breakdown), of one event or of several with a
// formula. More than 20,000 buckets answer 400.
func (a *Admin) RunEventQuery(ctx context.Context, in EventQuery) (*EventQueryResult, error) {
	return fetch[EventQueryResult](ctx, a.call(http.MethodPost, "/admin/projects/{k}/events/analysis/query").body(in))
}

// ListDashboardCards lists the cards of the dashboard. By sort_order, then by age. There are no
// pages.
func (a *Admin) ListDashboardCards(ctx context.Context) (*Page[DashboardCard], error) {
	return fetch[Page[DashboardCard]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/dashboards/cards"))
}

// CreateDashboardCard adds a card. A card keeps a question, never an answer. query is held to all
// rules of POST …/analysis/query, so that a card that is stored can be asked.
func (a *Admin) CreateDashboardCard(ctx context.Context, in DashboardCardCreate) (*DashboardCard, error) {
	return fetch[DashboardCard](ctx, a.call(http.MethodPost, "/admin/projects/{k}/events/dashboards/cards").body(in))
}

// GetDashboardCard reads a card.
func (a *Admin) GetDashboardCard(ctx context.Context, id string) (*DashboardCard, error) {
	return fetch[DashboardCard](ctx, a.call(http.MethodGet, "/admin/projects/{k}/events/dashboards/cards/{id}", id))
}

// UpdateDashboardCard changes a card.
func (a *Admin) UpdateDashboardCard(ctx context.Context, id string, in DashboardCardFields) (*DashboardCard, error) {
	return fetch[DashboardCard](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/events/dashboards/cards/{id}", id).body(in))
}

// DeleteDashboardCard removes a card.
func (a *Admin) DeleteDashboardCard(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/events/dashboards/cards/{id}", id))
}

// EventOverview is a count of events, senders, sessions and names.
type EventOverview struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// All events.
	Total int64 `json:"total"`
	// Different senders.
	UniqueUsers int64 `json:"unique_users"`
	// Different sessions; events without one do not count.
	UniqueSessions int64 `json:"unique_sessions"`
	// Different names.
	EventTypes int64 `json:"event_types"`
}

// EventSeries is a count of events over time.
type EventSeries struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// Length of a bucket.
	Granularity string `json:"granularity"`
	// As asked for.
	TZOffsetMinutes int64 `json:"tz_offset_minutes"`
	// The only name that is counted; null for all.
	EventName *string `json:"event_name"`
	// What the series are split by.
	GroupBy *string `json:"group_by"`
	// All events, ascending.
	Data []SeriesBucket `json:"data"`
	// One for each value, the most frequent first; null without `group_by`.
	Series []ValueSeries `json:"series"`
}

// SeriesBucket is the count of an hour or a day.
type SeriesBucket struct {
	// When it begins.
	Bucket int64 `json:"bucket"`
	// How many.
	Count int64 `json:"count"`
}

// ValueSeries is the count of one value over time.
type ValueSeries struct {
	// The value: an endpoint, a name, a platform or a region.
	Key string `json:"key"`
	// The same buckets as those of all requests.
	Data []SeriesBucket `json:"data"`
}

// EventBreakdown is a count of events by the values of a dimension.
type EventBreakdown struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// What is counted by.
	Dimension string `json:"dimension"`
	// Key of the property, if one was sent.
	PropertyKey *string `json:"property_key"`
	// Of all values.
	Total int64 `json:"total"`
	// The most frequent first.
	Data []ValueCount `json:"data"`
}

// ValueCount is the count of one value.
type ValueCount struct {
	// The value. Empty for events that do not have the property, and for those where it is empty.
	Key string `json:"key"`
	// The value for people: `(not reported)` for events that do not have the property.
	Label string `json:"label"`
	// How many events.
	Count int64 `json:"count"`
}

// Heatmap is a count by hour of the week.
type Heatmap struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// As asked for.
	TZOffsetMinutes int64 `json:"tz_offset_minutes"`
	// Every hour of the week, ascending.
	Data []HeatmapCell `json:"data"`
}

// HeatmapCell is the count of one hour of the week.
type HeatmapCell struct {
	// From Sunday, which is 0.
	Weekday int64 `json:"weekday"`
	// Hour of that day.
	Hour int64 `json:"hour"`
	// How many.
	Count int64 `json:"count"`
}

// EventFilter chooses events by a property.
type EventFilter struct {
	// First-level key, exactly.
	Property string `json:"property"`
	// How to compare. Without the property only `neq`, `not_in` and `not_exists` hold.
	Op string `json:"op"`
	// What to compare with, as text: `1`, `1.0` and `"1"` are the same. For `in` and `not_in` a list,
	// or a text with commas; the first 50 count. For `gt` and the like a number.
	Value any `json:"value,omitempty"`
}

// FunnelInput is the steps of a funnel.
type FunnelInput struct {
	// The steps, in order.
	Steps []FunnelStepInput `json:"steps"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	StartTime *int64 `json:"start_time,omitempty"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	EndTime *int64 `json:"end_time,omitempty"`
	// An integer, or a text that is one.
	TZOffsetMinutes *int64 `json:"tz_offset_minutes,omitempty"`
	// An integer, or a text that is one.
	WindowSeconds *int64 `json:"window_seconds,omitempty"`
	// Where a sender begins: at its first event that fits the first step, or at any of them.
	Entry *string `json:"entry,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// FunnelStepInput is a step of a funnel.
type FunnelStepInput struct {
	// Name of the event, exactly.
	EventName string `json:"event_name"`
	// Conditions, all of which must hold.
	Filters []EventFilter `json:"filters,omitzero"`
}

// Funnel says who gets from one step to the next.
type Funnel struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// From the first step to the last.
	WindowSeconds int64 `json:"window_seconds"`
	// The steps, in order.
	Data []FunnelStep `json:"data"`
}

// FunnelStep is how many reached a step.
type FunnelStep struct {
	// Number of the step.
	Step int64 `json:"step"`
	// Name of the event.
	EventName string `json:"event_name"`
	// Senders that got here.
	Users int64 `json:"users"`
	// Of those that got to the step before.
	ConversionRate float64 `json:"conversion_rate"`
	// Of those that began.
	TotalConversionRate float64 `json:"total_conversion_rate"`
	// Senders that got to the step before and not here.
	Dropped int64 `json:"dropped"`
}

// RetentionInput says who counts as coming back.
type RetentionInput struct {
	// Name of the event, exactly.
	StartEvent string `json:"start_event"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	StartTime *int64 `json:"start_time,omitempty"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	EndTime *int64 `json:"end_time,omitempty"`
	// An integer, or a text that is one.
	TZOffsetMinutes *int64 `json:"tz_offset_minutes,omitempty"`
	// Name of the event that counts as coming back; empty is any.
	ReturnEvent *string `json:"return_event,omitempty"`
	// Length of a period. Weeks begin on Monday.
	Period *string `json:"period,omitempty"`
	// An integer, or a text that is one.
	Periods *int64 `json:"periods,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// Retention says who comes back.
type Retention struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// Length of a period.
	Period string `json:"period"`
	// How many periods each cohort is watched.
	Periods int64 `json:"periods"`
	// One for each period of the range, empty ones included.
	Cohorts []Cohort `json:"cohorts"`
}

// Cohort is those who began in the same period.
type Cohort struct {
	// When its period begins.
	Cohort int64 `json:"cohort"`
	// Senders.
	Size int64 `json:"size"`
	// One for each period, its own first; null where nothing can be said yet.
	Cells []*CohortCell `json:"cells"`
}

// CohortCell is how many of a cohort came back in a period.
type CohortCell struct {
	// Periods after that of the cohort.
	Period int64 `json:"period"`
	// Senders that came back.
	Users int64 `json:"users"`
	// Of the cohort.
	Rate float64 `json:"rate"`
}

// PathsInput says which sequences of events are counted.
type PathsInput struct {
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	StartTime *int64 `json:"start_time,omitempty"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	EndTime *int64 `json:"end_time,omitempty"`
	// An integer, or a text that is one.
	TZOffsetMinutes *int64 `json:"tz_offset_minutes,omitempty"`
	// Where each path begins; empty is at its first event.
	StartEvent *string `json:"start_event,omitempty"`
	// An integer, or a text that is one.
	Depth *int64 `json:"depth,omitempty"`
	// An integer, or a text that is one.
	BranchLimit *int64 `json:"branch_limit,omitempty"`
	// What a path is made of: a session, or everything of a sender.
	Scope *string `json:"scope,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// Paths says which event follows which.
type Paths struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// What a path is made of.
	Scope string `json:"scope"`
	// Events of a path that were looked at.
	Depth int64 `json:"depth"`
	// Whether a step had more branches than are listed.
	Truncated bool `json:"truncated"`
	// Step by step, the most frequent first.
	Data []PathEdge `json:"data"`
}

// PathEdge is how often one event followed another.
type PathEdge struct {
	// Number of the step.
	Step int64 `json:"step"`
	// Name of an event, or `(other)` for all that are not listed.
	FromEvent string `json:"from_event"`
	// Name of the event that followed, or `(other)`.
	ToEvent string `json:"to_event"`
	// How many paths.
	Count int64 `json:"count"`
}

// EventQuery is a question about events.
type EventQuery struct {
	// What to compute.
	Type string `json:"type"`
	// What to count.
	Events []MetricEvent `json:"events"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	StartTime *int64 `json:"start_time,omitempty"`
	// Seconds since 1970, or a text of that. The end is now if it is left out, the start seven days
	// before the end; both belong to the range.
	EndTime *int64 `json:"end_time,omitempty"`
	// An integer, or a text that is one.
	TZOffsetMinutes *int64 `json:"tz_offset_minutes,omitempty"`
	// Conditions, all of which must hold.
	Filters []EventFilter `json:"filters,omitzero"`
	// Arithmetic of the aliases with + - * / and parentheses, such as `A / B * 100`; empty is none.
	Formula *string `json:"formula,omitempty"`
	// For type `breakdown`, which needs it; not used for others.
	GroupBy *MetricGroupBy `json:"group_by,omitempty"`
	// For `timeseries`: length of a bucket.
	Granularity *string `json:"granularity,omitempty"`
	// For `breakdown`: how many values.
	Limit *int64 `json:"limit,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// MetricEvent is an event of a query and what is counted of it.
type MetricEvent struct {
	// Name of the event, exactly.
	Name string `json:"name"`
	// A letter of its own, for the formula and the answer.
	Alias string `json:"alias"`
	// Events, different senders, or events for each sender of the range.
	Measure *string `json:"measure,omitempty"`
	// Conditions, all of which must hold.
	Filters []EventFilter `json:"filters,omitzero"`
}

// MetricGroupBy is the dimension of a query.
type MetricGroupBy struct {
	// What to group by.
	Kind string `json:"kind"`
	// First-level key, for kind `property`.
	Key *string `json:"key,omitempty"`
}

// EventQueryResult is the answer to a query. Which fields are filled depends on Type: "value" has
// Values and Result, "timeseries" has Series, "breakdown" has Total and Buckets.
type EventQueryResult struct {
	// First second of the range.
	StartTime int64 `json:"start_time"`
	// Last second of the range.
	EndTime int64 `json:"end_time"`
	// As asked for.
	Type string `json:"type"`
	// Number of each alias.
	Values map[string]float64 `json:"values,omitempty"`
	// The formula, or the number of the first event.
	Result *float64 `json:"result,omitempty"`
	// One for each event, or one of the formula.
	Series []MetricSeries `json:"series,omitempty"`
	// Of all values.
	Total *float64 `json:"total,omitempty"`
	// The greatest first.
	Buckets []MetricGroup `json:"buckets,omitempty"`
}

// MetricSeries is one line of a query over time.
type MetricSeries struct {
	// The alias, or `formula`.
	Key string `json:"key"`
	// Every bucket of the range, ascending.
	Data []MetricPoint `json:"data"`
}

// MetricPoint is the figure of an hour or a day.
type MetricPoint struct {
	// When it begins.
	Bucket int64 `json:"bucket"`
	// The number; it may have a fraction.
	Count float64 `json:"count"`
}

// MetricGroup is the figure of one value.
type MetricGroup struct {
	// The value. Empty for events that do not have the property, and for those where it is empty.
	Key string `json:"key"`
	// The value for people: `(not reported)` for events that do not have the property.
	Label string `json:"label"`
	// The number; it may have a fraction.
	Count float64 `json:"count"`
}

// DashboardCard is a question kept on the dashboard.
type DashboardCard struct {
	// Id of the card.
	CardID string `json:"card_id"`
	// Key of the project.
	ProjectKey string `json:"project_key"`
	// What people call it.
	Title string `json:"title"`
	// What it shows.
	Description *string `json:"description"`
	// A body of `POST …/analysis/query`, as it was sent.
	Query map[string]any `json:"query"`
	// Whatever the dashboard keeps with it.
	Layout map[string]any `json:"layout"`
	// Its place among the others.
	SortOrder int64 `json:"sort_order"`
	// When it was added.
	CreatedTime int64 `json:"created_time"`
	// When it was changed last.
	UpdatedTime int64 `json:"updated_time"`
}

// DashboardCardCreate is a new card.
type DashboardCardCreate struct {
	// What people call it.
	Title string     `json:"title"`
	Query EventQuery `json:"query"`
	// What it shows.
	Description Opt[string] `json:"description,omitzero"`
	// Whatever the dashboard wants to keep with it.
	Layout Opt[map[string]any] `json:"layout,omitzero"`
	// Its place among the others.
	SortOrder *int64 `json:"sort_order,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// DashboardCardFields are the fields of a card that change.
type DashboardCardFields struct {
	// What people call it.
	Title *string `json:"title,omitempty"`
	// What it shows.
	Description Opt[string] `json:"description,omitzero"`
	Query       *EventQuery `json:"query,omitempty"`
	// Whatever the dashboard wants to keep with it.
	Layout Opt[map[string]any] `json:"layout,omitzero"`
	// Its place among the others.
	SortOrder *int64 `json:"sort_order,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// EventTimeseriesOptions say what is counted over time.
type EventTimeseriesOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// "hour" or "day"; "day" when empty.
	Granularity string `query:"granularity"`
	// Only this event.
	EventName string `query:"event_name"`
	// One series for each "event", "platform" or "region".
	GroupBy string `query:"group_by"`
	// How many at most; the default of the server when 0.
	Limit int `query:"limit"`
}

// EventBreakdownOptions say what is counted by what.
type EventBreakdownOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// "event", "platform", "region" or "property"; "event" when empty.
	Dimension string `query:"dimension"`
	// Name of the property, for the dimension "property".
	PropertyKey string `query:"property_key"`
	// Only this event.
	EventName string `query:"event_name"`
	// How many at most; the default of the server when 0.
	Limit int `query:"limit"`
}

// EventHeatmapOptions say what is counted by hour of the week.
type EventHeatmapOptions struct {
	// Begin of the range, inclusive. Left out: a week before its end.
	StartTime *int64 `query:"start_time"`
	// End of the range, inclusive. Left out: now.
	EndTime *int64 `query:"end_time"`
	// Minutes east of UTC in which days begin.
	TZOffsetMinutes int `query:"tz_offset_minutes"`
	// Only this event.
	EventName string `query:"event_name"`
}
