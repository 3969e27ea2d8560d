// Package transfer exports a project as an archive and imports one, over the control
// connection. The rules for the line of a record are beside the record's handlers,
// in resource and analytics.
//
//	handlers.go  Handlers, and their routes
//	export.go    writing an archive
//	contents.go  writing files and their contents
//	views.go     lines that only an archive has
//	import.go    reading an archive
//	records.go   reading lines of records
//	events.go    reading lines of events and counters
//	files.go     reading files, storing their contents, and what takes both back
package transfer

import (
	"log/slog"
	"time"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/instance"
	"svc/store"
)

// Config is all that the handlers may touch.
type Config struct {
	DB      *store.Store
	Events  *event.Engine
	Log     *slog.Logger
	Now     func() time.Time
	Version string // of the program
	Staging string // folder for files that are only there while they are needed
	Files   *instance.Files

	// Flush writes down the requests that were counted.
	Flush func() error
	// Copy copies both data files, as they are at one moment, to a new folder whose
	// name begins with a prefix.
	Copy func(prefix string) (folder string, err error)
}

// Handlers answer exports and imports.
type Handlers struct{ Config }

// New makes handlers.
func New(c Config) *Handlers { return &Handlers{c} }

// Routes lists the routes of exports and imports.
func (h *Handlers) Routes() []web.Route { return h.transferRoutes() }

// problems are the broken rules of a line of an archive.
type problems struct{ web.Problems }
