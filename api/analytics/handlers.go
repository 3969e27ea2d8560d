// Package analytics answers requests about events and about request statistics: it
// ingests events, lets data subjects export and delete their events, manages event
// definitions and the cards of dashboards, parses analyses and passes them to the event
// engine, and counts requests.
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
package analytics

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/geo"
	"svc/store"
)

// Config is all that the handlers may touch.
type Config struct {
	DB       *store.Store
	Events   *event.Engine
	Requests *RequestCounter
	Geo      *geo.Locator // places of addresses; nil = no lookup
	Log      *slog.Logger
	Now      func() time.Time

	BatchMax  int           // events in a batch; 50 when 0
	ClockSkew time.Duration // how old an event may say it is; a week when 0
	IPStorage string        // IPAnonymized, which it is when empty, IPFull or IPNone
}

// Handlers answer requests about events and about requests.
type Handlers struct{ Config }

// New makes handlers.
func New(c Config) *Handlers {
	c.BatchMax = cmp.Or(c.BatchMax, 50)
	c.ClockSkew = cmp.Or(c.ClockSkew, 7*24*time.Hour)
	return &Handlers{c}
}

// Routes lists the routes of events and of request statistics.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat(h.eventRoutes(), h.requestStatsRoutes())
}

// problems are the broken rules of a request, with the checks of events and of
// statistics.
type problems struct{ web.Problems }
