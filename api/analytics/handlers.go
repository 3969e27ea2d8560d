// Package analytics handles requests about events and about request statistics. It ingests events,
// and it lets data subjects export and delete their events. It manages event definitions and the
// cards of dashboards. It parses analyses and passes them to the event engine. It also counts
// requests.
//
//	handlers.go         Handlers, and their routes
//	event_ingest.go     batches of events
//	events.go           the events of a subject: list, export, deletion
//	definitions.go      definitions of events
//	event_stats.go      overview, series, breakdown
//	analysis.go         funnel, retention, paths
//	metric.go           metrics with formulas
//	cards.go            cards of dashboards
//	request_counter.go  counting requests
//	request_stats.go    request statistics of a range
//	request_series.go   request statistics over time
//	downloads.go        downloads of files by day
//	report.go           how a version has done since its release
//	today.go            findings that need attention in a project
//	usage.go            how the update check treats the clients of the last week
package analytics

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/health"
	"svc/internal/today"
	"svc/store"
)

// Config contains the dependencies and settings of the handlers.
type Config struct {
	DB     *store.Store
	Events *event.Engine
	Flush  func() error // writes the request statistics that are still in memory
	Log    *slog.Logger
	Now    func() time.Time
	// Backup returns the state of scheduled backups. It is nil if there are none.
	Backup func() today.Backup

	BatchMax  int            // maximum number of events in a batch; 0 means 50
	ClockSkew time.Duration  // maximum age of an event; 0 means a week
	Health    *health.Engine // observes rollouts
	IPStorage string         // IPAnonymized (the default when empty), IPFull or IPNone
}

// Handlers serve the routes of events and of request statistics.
type Handlers struct{ Config }

// New returns handlers with the given configuration. It replaces zero values by defaults.
func New(c Config) *Handlers {
	c.BatchMax = cmp.Or(c.BatchMax, 50)
	c.ClockSkew = cmp.Or(c.ClockSkew, 7*24*time.Hour)
	return &Handlers{c}
}

// Routes returns the routes of events and of request statistics.
func (h *Handlers) Routes() []web.Route {
	const project = web.V1 + "/admin/projects/:k"
	read := web.ByScope("stats:read")
	return slices.Concat(h.eventRoutes(), h.requestStatsRoutes(), []web.Route{
		{Method: "GET", Path: web.V1 + "/admin/today", Access: web.LoginOnly(), Handler: web.OK(h.showInstanceToday)},
		{Method: "GET", Path: project + "/today", Access: read, Handler: web.OK(h.showToday)},
		{Method: "GET", Path: project + "/versions/:id/report", Access: read, Handler: web.OK(h.showReport)},
		{Method: "GET", Path: project + "/versions/usage", Access: read, Handler: web.OK(h.showUsage)},
	})
}

// problems collects the validation errors of a request. Its methods parse and check the parameters
// of events and statistics.
type problems struct{ web.Problems }
