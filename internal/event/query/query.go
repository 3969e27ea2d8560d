// Package query answers questions about events: it reads a Source, a snapshot of a
// project, and knows neither files nor locks. Queries run on a few workers. Where
// order counts, subjects are spread over them: each worker reads all hours and
// follows its own (paths, metrics), or is sent the events of its own (funnels).
// Where it does not, they share the hours and add up what they found (retention,
// breakdowns, uniques).
//
//	query.go             the questions and the answers
//	source.go            Source, what a query reads
//	scan.go              workers, hours in order, the selection vector
//	matcher.go           which rows match an operand; filters as predicates on codes
//	filter.go, value.go  Filter, and the text form of property values
//	partition.go         events sent to the worker of their subject
//	table.go             state by number within a budget, sets of subjects
//	buckets.go           days and weeks of a range
//	funnel.go, cohorts.go, paths.go, metric.go, metric_breakdown.go, breakdown.go,
//	uniques.go, series.go: one analysis each; series.go reads the hourly counters
package query

import "svc/internal/formula"

// Range is a range of time. Both ends are Unix seconds and belong to it; Start
// is not after End.
type Range struct {
	Start, End int64
	// OffsetMinutes is local time, minutes east of UTC, for days and weeks.
	OffsetMinutes int
}

// Dimension is what events are grouped by.
type Dimension string

// The dimensions. A property is grouped by the text form of its values.
const (
	ByEvent    Dimension = "event"
	ByPlatform Dimension = "platform"
	ByRegion   Dimension = "region"
	ByProperty Dimension = "property"
)

// Group is one value of a dimension. Key is a name of an event, a platform in
// lower case, a region, or the text form of a property. Missing is the group of
// events without the property; its Key is "".
type Group struct {
	Key     string
	Missing bool
	Count   int64
}

// Overview is what happened in a range.
type Overview struct {
	Total      int64 // events, by the hourly counters
	EventTypes int64 // names with an event, by the hourly counters
	Users      int64 // different distinct_ids, by the events
	Sessions   int64 // different session_ids, by the events
}

// SeriesQuery asks for counts over time, by the hourly counters.
type SeriesQuery struct {
	Range
	Hourly  bool      // hours; otherwise days
	Event   string    // only of this name; "" = all
	GroupBy Dimension // "" = only the total; never a property
	Limit   int       // of groups
}

// Series is a count for each bucket of a range, empty ones included.
type Series struct {
	Starts []int64 // Unix second at which each bucket begins
	Counts []int64 // of all events, bucket by bucket
	Groups []SeriesGroup
}

// SeriesGroup is the counts of one value of a dimension, bucket by bucket.
type SeriesGroup struct {
	Key    string
	Counts []int64
}

// BreakdownQuery asks for counts by a dimension: a property by the events, the
// others by the hourly counters.
type BreakdownQuery struct {
	Range
	Dimension Dimension
	Property  string // the key, for ByProperty
	Event     string // only of this name; "" = all
	Limit     int
}

// Breakdown is the count of each value, the most frequent first, ties by key.
type Breakdown struct {
	Total  int64 // of all values, also of those beyond the limit
	Groups []Group
}

// FunnelQuery asks how many get from one step to the next.
type FunnelQuery struct {
	Range
	Steps  []Step // 2 to 8
	Window int64  // seconds from the first step to the last
	// AnyEntry tries each event of the first step as the entry; otherwise it is
	// the first one of each user.
	AnyEntry bool
}

// Step is an event that matches all filters.
type Step struct {
	Event   string
	Filters []Filter
}

// CohortQuery asks who comes back.
type CohortQuery struct {
	Range
	StartEvent  string
	ReturnEvent string // "" = any event
	Weekly      bool   // weeks from Monday; otherwise days
	Periods     int    // 2 to 30
	Now         int64  // Unix second: what lies after it is not known yet
}

// Cohort is the users whose first start event was in one period.
type Cohort struct {
	Start int64  // Unix second at which the period begins
	Size  int64  // users
	Cells []Cell // one for each period, the own one first
}

// Cell is how many of a cohort came back in a period. Open is a period about
// which nothing can be said yet.
type Cell struct {
	Users int64
	Open  bool
}

// PathsQuery asks which event follows which.
type PathsQuery struct {
	Range
	StartEvent string // where each path begins; "" = at its first event
	Depth      int    // nodes, 2 to 6
	Branches   int    // edges kept for each step
	Users      bool   // one path for each user; otherwise for each session
}

// Paths are the edges step by step, the most frequent first, ties by name.
type Paths struct {
	Edges     []Edge
	Truncated bool // there were more branches in a step
}

// Edge is a step from one event to the next. What lies beyond the limit of
// branches is one edge from OtherEvents to OtherEvents, the last of its step.
type Edge struct {
	Step     int // from 1
	From, To string
	Count    int64
}

// OtherEvents stands for the events of edges that are not listed. It cannot be
// the name of an event.
const OtherEvents = "(other)"

// Measure is what is computed of matching events.
type Measure string

// The measures.
const (
	MeasureCount   Measure = "count"
	MeasureUsers   Measure = "unique_users"
	MeasurePerUser Measure = "count_per_user"
)

// MetricEvent is one operand of a metric.
type MetricEvent struct {
	Name    string
	Alias   byte // 'A' to 'Z'
	Measure Measure
	Filters []Filter
}

// MetricQuery asks for numbers made from events.
type MetricQuery struct {
	Range
	Events  []MetricEvent // 1 to 6
	Filters []Filter      // of all events, beside their own
	Formula *formula.Formula
	Hourly  bool // Metrics over time: hours; otherwise days
	// For breakdowns, which look at the first event only:
	GroupBy  Dimension
	Property string
	Limit    int
}

// MetricValue is one number for a whole range.
type MetricValue struct {
	Values []float64 // of each event of the query
	Result float64   // of the formula, without one of the first event
}

// MetricSeries is one line over time.
type MetricSeries struct {
	Key    string // the alias, or "formula"
	Values []float64
}

// MetricTimeseries is a number for each bucket.
type MetricTimeseries struct {
	Starts []int64 // Unix second at which each bucket begins
	Series []MetricSeries
}

// MetricBreakdown is a number for each value of a dimension, the greatest first,
// ties by key.
type MetricBreakdown struct {
	Total  float64 // of all values, also of those beyond the limit
	Groups []MetricGroup
}

// MetricGroup is the number of one value; see Group.
type MetricGroup struct {
	Key     string
	Missing bool
	Value   float64
}
