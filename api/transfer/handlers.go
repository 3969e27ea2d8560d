// Package transfer exports projects as archives and creates projects from archives. It works over
// the control connection. The validation rules for the records in an archive are next to the
// handlers of these records, in packages resource and analytics.
//
//	handlers.go  Handlers, and their routes
//	export.go    writing an archive
//	contents.go  writing files and their contents
//	views.go     lines specific to archives
//	import.go    reading an archive
//	records.go   reading lines of records
//	events.go    reading lines of events and counters
//	health.go    the health counts of versions
//	files.go     reading files, storing their contents, and removing both after a failure
package transfer

import (
	"log/slog"
	"time"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/files/engine"
	"svc/store"
)

// Config contains the dependencies of the handlers.
type Config struct {
	DB      *store.Store
	Events  *event.Engine
	Log     *slog.Logger
	Now     func() time.Time
	Version string // version of the program
	Staging string // directory for temporary files
	Files   *engine.Engine

	// Flush stores the request counts that are still in memory.
	Flush func() error
	// Copy copies both data files, as of one point in time, to a new directory. The name of the
	// directory begins with prefix.
	Copy func(prefix string) (folder string, err error)
}

// Handlers serves the routes of exports and imports.
type Handlers struct{ Config }

// New returns Handlers with the given configuration.
func New(c Config) *Handlers { return &Handlers{c} }

// Routes returns the routes of exports and imports.
func (h *Handlers) Routes() []web.Route { return h.transferRoutes() }

// problems collects the validation errors of a line in an archive.
type problems struct{ web.Problems }
