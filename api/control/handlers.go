// Package control serves the owner of the data directory over the control connection: status,
// metrics, jobs, backup, check, compaction, profiles and the facts for svc doctor. It also serves
// the public health checks.
//
//	handlers.go         Handlers, and their routes
//	ready.go            /healthz and /readyz
//	status.go           svc status
//	metrics.go          /metrics
//	metric_families.go  the exported metrics
//	jobs.go             svc job
//	backup.go           svc backup
//	check.go            svc check
//	compact.go          svc compact
//	reindex.go          svc reindex, version
//	doctor.go           the facts for svc doctor
//	overview.go         the results of svc doctor, for the administrator
//	about.go            the running version and the published ones
//	forwarding.go       forwarding headers from unknown proxies
//	replication.go      svc replicate, svc promote
//	profiles.go         profiles for go tool pprof
package control

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"svc/api/web"
	"svc/internal/backup"
	"svc/internal/event"
	"svc/internal/jobs"
	"svc/internal/upstream"
	index "svc/search"
	"svc/store"
)

// Config contains the dependencies and settings of the handlers.
type Config struct {
	DB         *store.Store
	Search     *index.Index // nil if there is none
	Events     *event.Engine
	Jobs       *jobs.Jobs // jobs that can be listed and run; nil for none
	Requests   *web.Metrics
	Bodies     *web.Bodies
	Answers    *web.Answers
	Forwarding *Forwarding
	Log        *slog.Logger
	Now        func() time.Time

	Version string // version of the program
	Build   Build
	DocsURL string // base URL of the documentation; "" if unknown
	// Upstream queries the published versions of the program. It is nil if the program is not
	// published anywhere.
	Upstream *upstream.Client
	SiteURL  string // public address of the site; "" if unknown
	// DistributionURL is the base URL of links to files. It is "" if no host is configured for
	// them.
	DistributionURL string
	Examine         Examiner // nil disables examinations
	Data            string   // the data directory, to check the free space of its disk; "" disables the check
	KeySalt         []byte   // salt of the hashes of API keys
	Files           string   // the directory of local files

	// Dropped returns the number of requests that were not counted because the request statistics
	// were full.
	Dropped func() uint64
	// Copy makes consistent copies of both data files in a new folder. The name of the folder
	// begins with prefix.
	Copy func(prefix string) (folder string, err error)
	// Backup writes an archive of all data. It is nil if backups are not available.
	Backup func(ctx context.Context, to io.Writer, o backup.Options) (*backup.Manifest, error)
	// Replication is nil without replication.
	Replication *web.Replication
}

// Handlers serve the routes for the owner of the data directory and the public health checks.
type Handlers struct {
	Config
	started     time.Time
	examination examination
	life        life
	exposition  http.Handler // serves the metrics
	// count returns the state of the connections. It is nil until the server listens.
	count atomic.Pointer[func() Connections]
}

// Connections describes the public connections. Counters start at zero when the server starts.
type Connections struct {
	Open, Max int
	// Idle and Headerless count the connections that were closed to make room for new ones. Refused
	// counts the connections that were closed at once because their address had too many.
	Idle, Headerless, Refused uint64
}

// WatchConnections sets the function that returns the state of the connections.
func (h *Handlers) WatchConnections(count func() Connections) { h.count.Store(&count) }

func (h *Handlers) connections() Connections {
	if count := h.count.Load(); count != nil {
		return (*count)()
	}
	return Connections{}
}

// New returns the handlers of a server. The current time is the start of the server.
func New(c Config) *Handlers {
	h := &Handlers{Config: c, started: c.Now()}
	h.exposition = h.newExposition()
	return h
}

// Routes returns the routes for the owner of the data directory and the public health checks.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat([]web.Route{
		{Method: "GET", Path: "/healthz", Access: web.Anyone(), Handler: h.healthz, Quiet: true},
		{Method: "GET", Path: "/readyz", Access: web.Anyone(), Handler: h.ready, Quiet: true},
		{Method: "GET", Path: web.V1 + "/admin/status", Access: web.LoginOnly(), Handler: web.OK(h.showInstance)},
		{Method: "GET", Path: web.V1 + "/admin/about", Access: web.LoginOnly(), Handler: web.OK(h.about)},
		{Method: "GET", Path: web.V1 + "/health", Access: web.Anyone(), Handler: web.OK(h.health), Quiet: true},
	}, h.controlRoutes(), h.jobRoutes(), h.replicationRoutes(), h.profileRoutes(), h.doctorRoutes())
}
