// Package control answers the owner of the data directory over the control
// connection: status, metrics, jobs, backup, check, compaction, profiles and what
// svc doctor asks. Whether the server is well and ready it tells everybody.
//
//	handlers.go         Handlers, and their routes
//	ready.go            /healthz and /readyz
//	status.go           svc status
//	metrics.go          /metrics
//	metric_families.go  the metrics that are in it
//	jobs.go             svc job
//	backup.go           svc backup
//	check.go            svc check
//	compact.go          svc compact
//	reindex.go          svc reindex, version
//	doctor.go           what svc doctor asks
//	overview.go         what svc doctor would say, for the administrator
//	about.go            which version runs, and which is published
//	forwarding.go       forwarding headers that came from unknown proxies
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

// Config is all that the handlers may touch.
type Config struct {
	DB         *store.Store
	Search     *index.Index // nil = there is none
	Events     *event.Engine
	Jobs       *jobs.Jobs // what can be listed and run; nil = nothing
	Requests   *web.Metrics
	Bodies     *web.Bodies
	Answers    *web.Answers
	Forwarding *Forwarding
	Log        *slog.Logger
	Now        func() time.Time

	Version string // of the program
	Build   Build
	DocsURL string // where the documentation is; "" = not known
	// Upstream says which versions of the program are published; nil = nobody does.
	Upstream *upstream.Client
	SiteURL  string // public address of the site; "" = not known
	// DistributionURL is what links of files begin with; "" = they have no host.
	DistributionURL string
	Examine         Examiner // nil = nothing is examined
	Data            string   // the data directory, whose disk must have room; "" = not checked
	KeySalt         []byte   // of the hashes of API keys
	Files           string   // the directory of local files

	// Dropped is the number of requests that the request statistics had no room for.
	Dropped func() uint64
	// Copy copies both data files, as they are at one moment, to a new folder whose
	// name begins with a prefix.
	Copy func(prefix string) (folder string, err error)
	// Backup writes an archive of everything; nil = it cannot be done.
	Backup func(ctx context.Context, to io.Writer, o backup.Options) (*backup.Manifest, error)
}

// Handlers answer the owner, and everybody about the health of the server.
type Handlers struct {
	Config
	started     time.Time
	examination examination
	life        life
	exposition  http.Handler // of the metrics
	// count counts the connections; nil until the server listens.
	count atomic.Pointer[func() Connections]
}

// Connections are figures of the public connections. Counters start at zero.
type Connections struct {
	Open, Max int
	// Idle and Headerless are those that were closed to make room, and Refused those that
	// were closed at once because their address had too many.
	Idle, Headerless, Refused uint64
}

// WatchConnections says where the figures of the connections come from.
func (h *Handlers) WatchConnections(count func() Connections) { h.count.Store(&count) }

func (h *Handlers) connections() Connections {
	if count := h.count.Load(); count != nil {
		return (*count)()
	}
	return Connections{}
}

// New makes handlers of a server that starts now.
func New(c Config) *Handlers {
	h := &Handlers{Config: c, started: c.Now()}
	h.exposition = h.newExposition()
	return h
}

// Routes lists the routes for the owner and those about health.
func (h *Handlers) Routes() []web.Route {
	return slices.Concat([]web.Route{
		{Method: "GET", Path: "/healthz", Access: web.Anyone(), Handler: h.healthz, Quiet: true},
		{Method: "GET", Path: "/readyz", Access: web.Anyone(), Handler: h.ready, Quiet: true},
		{Method: "GET", Path: web.V1 + "/admin/status", Access: web.LoginOnly(), Handler: web.OK(h.showInstance)},
		{Method: "GET", Path: web.V1 + "/admin/about", Access: web.LoginOnly(), Handler: web.OK(h.about)},
		{Method: "GET", Path: web.V1 + "/health", Access: web.Anyone(), Handler: web.OK(h.health), Quiet: true},
	}, h.controlRoutes(), h.jobRoutes(), h.profileRoutes(), h.doctorRoutes())
}
