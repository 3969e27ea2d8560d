// Package query computes analyses of events. It reads a Source, a snapshot of a project,
// and depends neither on files nor on locks. Queries run on a few workers. If the order
// of events matters, the subjects are divided among the workers: each worker reads all
// hours and follows its own subjects (paths, metrics), or receives the events of its own
// subjects (funnels). Otherwise, each hour is processed by any one worker, and the
// results are added up (retention, breakdowns, uniques).
//
//	query.go             queries and their results
//	source.go            Source, what a query reads
//	scan.go              workers, hours in order, the selection vector
//	matcher.go           finding the rows that match an operand; filters as predicates on codes
//	filter.go, value.go  Filter, and the text form of property values
//	partition.go         events sent to the worker of their subject
//	table.go             state by number within a budget, sets of subjects
//	buckets.go           days and weeks of a range
//	funnel.go, cohorts.go, paths.go, metric.go, metric_breakdown.go, breakdown.go,
//	uniques.go, series.go: one analysis each; series.go reads the hourly counters
package query

import "svc/internal/formula"

// Range is a time range. Both ends are Unix seconds and inclusive. Start must not be
// after End.
type Range struct {
	Start, End int64
	// OffsetMinutes is the local time zone, in minutes east of UTC, for days and weeks.
	OffsetMinutes int
}

// Dimension is an attribute that events are grouped by.
type Dimension string

// The dimensions. A property is grouped by the text form of its values.
const (
	ByEvent    Dimension = "event"
	ByPlatform Dimension = "platform"
	ByRegion   Dimension = "region"
	ByProperty Dimension = "property"
)

// Group is one value of a dimension. Key is the name of an event, a platform in lower
// case, a region, or the text form of a property. If Missing is true, the group holds the
// events without the property and Key is "".
type Group struct {
	Key     string
	Missing bool
	Count   int64
}

// Overview holds the totals of a range.
type Overview struct {
	Total      int64 // events, from the hourly counters
	EventTypes int64 // names with an event, from the hourly counters
	Users      int64 // distinct distinct_ids, from the events
	Sessions   int64 // distinct session_ids, from the events
}

// SeriesQuery requests counts over time, from the hourly counters.
type SeriesQuery struct {
	Range
	Hourly  bool      // hours; otherwise days
	Event   string    // restricts events to this name; "" = all
	GroupBy Dimension // "" = only the total; never a property
	Limit   int       // of groups
}

// Series holds a count for each bucket of a range, including empty buckets. Groups holds
// the groups with the greatest counts, the greatest first.
type Series struct {
	Starts []int64 // Unix second at which each bucket begins
	Counts []int64 // of all selected events, bucket by bucket
	Groups []SeriesGroup
}

// SeriesGroup holds the counts of one value of a dimension, bucket by bucket.
type SeriesGroup struct {
	Key    string
	Counts []int64
}

// BreakdownQuery requests counts by a dimension. Counts by a property are computed from
// the events, and counts by any other dimension from the hourly counters.
type BreakdownQuery struct {
	Range
	Dimension Dimension
	Property  string // first-level key, for ByProperty
	Event     string // restricts events to this name; "" = all
	Limit     int    // of groups
}

// Breakdown holds the count of each value. Groups is sorted by count, the greatest first,
// and then by key. It has at most BreakdownQuery.Limit entries.
type Breakdown struct {
	Total  int64 // of all values, including those beyond the limit
	Groups []Group
}

// FunnelQuery requests the number of users that reach each step.
type FunnelQuery struct {
	Range
	Steps  []Step // 2 to 8
	Window int64  // maximum number of seconds from the first step to the last
	// AnyEntry tries each event of the first step as the entry. If it is false, only each
	// user's first such event is an entry.
	AnyEntry bool
}

// Step is an event that matches all filters.
type Step struct {
	Event   string
	Filters []Filter
}

// CohortQuery requests a cohort for each period of the range.
type CohortQuery struct {
	Range
	StartEvent  string
	ReturnEvent string // "" = any event
	Weekly      bool   // weeks from Monday; otherwise days
	Periods     int    // 2 to 30
	Now         int64  // Unix second; later periods are undetermined
}

// Cohort is the group of users with their first start event in the same period.
type Cohort struct {
	Start int64  // Unix second at which the period begins
	Size  int64  // users
	Cells []Cell // one for each of CohortQuery.Periods periods, the first of which begins at Start
}

// Cell is the number of users of a cohort that returned in a period. Open means that the
// number is not determined yet.
type Cell struct {
	Users int64
	Open  bool
}

// PathsQuery requests how often each event follows another.
type PathsQuery struct {
	Range
	StartEvent string // event that starts a path; "" = the first event in the range
	Depth      int    // maximum number of events in a path, 2 to 6
	Branches   int    // edges kept for each step
	Users      bool   // one path for each user; otherwise for each session
}

// Paths holds the edges step by step. The edges of a step are sorted by frequency, the
// most frequent first, and then by name.
type Paths struct {
	Edges     []Edge
	Truncated bool // a step had more branches than the limit
}

// Edge is a step from one event to the next. The edges of a step that exceed the limit of
// branches are merged into one edge from OtherEvents to OtherEvents, which comes last.
type Edge struct {
	Step     int // from 1
	From, To string
	Count    int64
}

// OtherEvents replaces the events of merged edges. It is not a valid event name.
const OtherEvents = "(other)"

// Measure is the quantity computed from matching events.
type Measure string

// The measures.
const (
	MeasureCount   Measure = "count"          // number of events
	MeasureUsers   Measure = "unique_users"   // number of distinct users with an event
	MeasurePerUser Measure = "count_per_user" // events divided by the distinct users of the whole range; 0 without users
)

// MetricEvent is one operand of a metric.
type MetricEvent struct {
	Name    string
	Alias   byte // 'A' to 'Z'
	Measure Measure
	Filters []Filter
}

// MetricQuery requests numbers computed from events.
type MetricQuery struct {
	Range
	Events  []MetricEvent    // 1 to 6
	Filters []Filter         // applied to all events in addition to their own
	Formula *formula.Formula // of the aliases of Events; nil = none
	Hourly  bool             // for MetricTimeseries: hours; otherwise days
	// For MetricBreakdown, which uses only the first event:
	GroupBy  Dimension
	Property string
	Limit    int // of groups
}

// MetricValue holds the numbers for a whole range.
type MetricValue struct {
	Values []float64 // of each event of the query
	Result float64   // of the formula, or of the first event if there is none
}

// MetricSeries is one line over time.
type MetricSeries struct {
	Key    string // the alias, or "formula"
	Values []float64
}

// MetricTimeseries holds a number for each bucket.
type MetricTimeseries struct {
	Starts []int64 // Unix second at which each bucket begins
	Series []MetricSeries
}

// MetricBreakdown holds a number for each value of a dimension, sorted by number, the
// greatest first, and then by key.
type MetricBreakdown struct {
	Total  float64 // of all values, including those beyond the limit
	Groups []MetricGroup
}

// MetricGroup holds the number of one value of a dimension; Key and Missing are as in
// Group.
type MetricGroup struct {
	Key     string
	Missing bool
	Value   float64
}
