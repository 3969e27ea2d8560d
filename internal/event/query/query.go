// Package query computes analyses of events. It reads the events from a Source, which
// represents a snapshot of a project, and uses neither files nor locks itself. A query
// runs on a few workers. If the order of events matters, the subjects are divided among
// the workers. Each worker then either reads all hours and follows its own subjects
// (paths, metrics), or receives the events of its own subjects (funnels). If the order
// does not matter, any worker can process an hour, and the results are added up
// (retention, breakdowns, uniques).
//
// The events of an hour come in one or more parts, each of which is a block or a section
// of the events in memory. Within a part, names and property values have codes, which are
// indexes into a list of the part's distinct values.
//
//	query.go             queries and their results
//	source.go            Source, from which a query reads
//	scan.go              workers, hours in order, the selection vector
//	matcher.go           finding the rows that match an operand; filters as predicates on codes
//	filter.go, value.go  Filter, and the text form of property values
//	partition.go         events sent to the worker of their subject
//	table.go             state by number within a budget, sets of subjects
//	buckets.go           days and weeks of a range
//	durations.go         the median of many times in bounded memory
//	funnel.go, cohorts.go, paths.go, metric.go, metric_breakdown.go, breakdown.go,
//	uniques.go, keys.go, series.go: one analysis each; series.go reads the hourly counters
package query

import "svc/internal/formula"

// Range is a time range. Both ends are Unix seconds and inclusive. Start must not be
// after End.
type Range struct {
	Start, End int64
	// OffsetMinutes is the offset of the local time zone, in minutes east of UTC. It determines
	// when days and weeks begin.
	OffsetMinutes int
}

// Dimension is an attribute by which events are grouped.
type Dimension string

// The dimensions by which events can be grouped. A property is grouped by the text form
// of its values.
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
	Total      int64 // number of events, from the hourly counters
	EventTypes int64 // number of distinct event names, from the hourly counters
	Users      int64 // number of different distinct_ids, from the events
	Sessions   int64 // number of different session_ids, from the events
}

// SeriesQuery requests counts over time, from the hourly counters.
type SeriesQuery struct {
	Range
	Hourly  bool      // buckets are hours; otherwise days
	Event   string    // restricts events to this name; "" = all
	GroupBy Dimension // "" = only the total; a property is not allowed
	Limit   int       // maximum number of groups
}

// Series holds a count for each bucket of a range, including buckets without events.
// Groups contains the groups with the greatest counts, the greatest first.
type Series struct {
	Starts []int64 // Unix second at which each bucket begins
	Counts []int64 // counts of all selected events, bucket by bucket
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
	Limit     int    // maximum number of groups
}

// Breakdown holds the count of each value. Groups is sorted by count, the greatest first,
// and then by key. It has at most BreakdownQuery.Limit entries.
type Breakdown struct {
	Total  int64 // sum over all values, including those beyond the limit
	Groups []Group
}

// FunnelQuery requests the number of users that reach each step of a funnel, and the
// time they take.
type FunnelQuery struct {
	Range
	Steps  []Step // 2 to 8
	Window int64  // maximum number of seconds from the first step to the last
	// AnyEntry determines where a funnel can begin. If it is true, every event of the first
	// step can be the entry. If it is false, only each user's first such event can.
	AnyEntry bool
}

// FunnelStep is the result of one step of a funnel.
//
// The times of a user come from the chain of events with which the user first reaches the
// step. Each event of the chain is the earliest possible one after the entry. If several
// entries lead to the step in the same second, the times come from the latest entry. So
// each user has one time for each reached step, and the order in which events arrive does
// not matter.
//
// A median is the shortest time within which at least half of the counted users reached the
// step. It is exact below 4096 seconds; longer times are rounded down by less than 0.05 %.
type FunnelStep struct {
	Users       int64
	Median      int64 // seconds since the previous step; 0 for the first step or without users
	TotalMedian int64 // seconds since the first step; 0 for the first step or without users
}

// Step is a step of a funnel. It is reached by an event that has its name and matches all
// its filters.
type Step struct {
	Event   string
	Filters []Filter
}

// CohortQuery requests a cohort for each period of the range.
type CohortQuery struct {
	Range
	StartEvent  string
	ReturnEvent string // "" = any event
	Weekly      bool   // periods are weeks from Monday; otherwise days
	Periods     int    // 2 to 30
	Now         int64  // current time in Unix seconds; numbers for later periods are not determined yet
}

// Cohort is the group of users with their first start event in the same period.
type Cohort struct {
	Start int64  // Unix second at which the period begins
	Size  int64  // users
	Cells []Cell // one for each of CohortQuery.Periods periods, the first of which begins at Start
}

// Cell is the number of users of a cohort that returned in a period. Open means that the
// number can still change.
type Cell struct {
	Users int64
	Open  bool
}

// PathsQuery requests how often each event follows another.
type PathsQuery struct {
	Range
	StartEvent string // name of the event that starts a path; "" = the first event in the range
	Depth      int    // maximum number of events in a path, 2 to 6
	Branches   int    // number of edges that are kept for each step
	Users      bool   // one path for each user; otherwise for each session
}

// Paths holds the edges step by step. The edges of a step are sorted by frequency, the
// most frequent first, and then by name.
type Paths struct {
	Edges     []Edge
	Truncated bool // whether a step had more edges than Branches
}

// Edge counts how often, at a given step of a path, the event From is followed by the event To. The
// edges of a step beyond PathsQuery.Branches are merged into one edge from OtherEvents to
// OtherEvents, which comes last.
type Edge struct {
	Step     int // starts at 1
	From, To string
	Count    int64
}

// OtherEvents replaces the names of events in merged edges. It is not a valid event name.
const OtherEvents = "(other)"

// Measure determines the number that is computed from matching events.
type Measure string

// The measures that can be computed from events.
const (
	MeasureCount   Measure = "count"          // number of events
	MeasureUsers   Measure = "unique_users"   // number of distinct users that have sent such an event
	MeasurePerUser Measure = "count_per_user" // number of events divided by the number of distinct users in the whole range; 0 without users
)

// MetricEvent is one of the events of a metric: a name, filters, and the number to
// compute.
type MetricEvent struct {
	Name    string // "" stands for events of all names
	Alias   byte   // 'A' to 'Z'
	Measure Measure
	Filters []Filter
}

// MetricQuery requests numbers computed from events.
type MetricQuery struct {
	Range
	Events  []MetricEvent    // 1 to 6
	Filters []Filter         // apply to all events in addition to the filters of each
	Formula *formula.Formula // formula with the aliases of Events; nil = none
	Hourly  bool             // for MetricTimeseries: buckets are hours; otherwise days
	// For MetricBreakdown, which uses only the first event:
	GroupBy  Dimension
	Property string
	Limit    int // maximum number of groups
}

// MetricValue holds the numbers for a whole range.
type MetricValue struct {
	Values []float64 // one value for each event of the query
	Result float64   // value of the formula, or of the first event if there is no formula
}

// MetricSeries is one line of a chart: a number for each bucket.
type MetricSeries struct {
	Key    string // the alias of an event, or "formula"
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
	Total  float64 // sum of the values, including those beyond the limit
	Groups []MetricGroup
}

// MetricGroup holds the number of one value of a dimension. Key and Missing have the same meaning
// as in Group.
type MetricGroup struct {
	Key     string
	Missing bool
	Value   float64
}
