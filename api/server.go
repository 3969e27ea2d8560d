// Package api is the HTTP interface of the service. It contains the server, which processes each
// request in a fixed order of steps, and the table of all routes. That table combines the tables of
// these packages:
//
//	web           router, request, access, validation, responses
//	resource      projects, versions, announcements, feedback, logs, keys, search
//	analytics     events, analyses, request statistics
//	control       requests that only the owner of the data directory may make
//	transfer      export and import of a project
//	distribution  direct links, files and uploads, storages, CDN
//	feeds         feeds for updaters and feed readers
//	hooks         hooks, which report events to other systems
//	pages         pages for browsers, the client library for web pages
//
// server.go contains the server and the steps of a request. routes.go contains the table.
//
// A new resource needs a file in package resource, a file in package store, its paths in
// openapi.yaml, and tests.
package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"svc/api/analytics"
	"svc/api/codehost"
	apicontrol "svc/api/control"
	"svc/api/distribution"
	"svc/api/feeds"
	"svc/api/hooks"
	"svc/api/pages"
	"svc/api/resource"
	"svc/api/transfer"
	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/disk"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/files/engine"
	"svc/internal/geo"
	"svc/internal/health"
	"svc/internal/instance"
	"svc/internal/jobs"
	"svc/internal/limit"
	"svc/internal/notify/delivery"
	"svc/internal/proxy"
	"svc/internal/requests"
	"svc/internal/today"
	"svc/internal/translate"
	"svc/internal/upstream"
	index "svc/search"
	"svc/store"
)

// Config holds everything that a Server needs.
type Config struct {
	DB     *store.Store
	Search *index.Index // nil = searches scan all records
	Events *event.Engine
	// Requests counts the requests of apps.
	Requests *requests.Counter
	Health   *health.Engine // observes rollouts
	Log      *slog.Logger
	Now      func() time.Time // nil means time.Now

	JWTSecret []byte        // at least 32 bytes
	JWTLife   time.Duration // lifetime of a login
	KeySalt   []byte        // salt of the hashes of API keys

	PublicRateLimit int           // requests per minute, address and endpoint; 0 = no limit
	Proxies         proxy.Proxies // the proxies with trusted forwarding headers
	SubmissionMax   int64         // maximum size in bytes of the feedback and logs of a project; 0 = no limit
	Geo             *geo.Locator  // looks up the locations of addresses; nil = no lookup
	BodyBudget      int64         // memory in bytes for request bodies of callers without a credential; 0 means 64 MiB
	AnswerBudget    int64         // memory in bytes for large responses; 0 means 128 MiB
	SubmissionData  int64         // maximum total size in bytes of custom_data and device_info in a public submission; 0 means 64 KiB
	EventBatchMax   int           // maximum number of events in a batch; 0 means 50
	EventClockSkew  time.Duration // maximum age of an event; 0 means a week
	EventIPStorage  string        // IPAnonymized (the default when empty), IPFull or IPNone
	BootstrapFile   string        // file that contains the generated first password until the first login
	Staging         string        // folder for temporary files
	Version         string        // version of the program
	Build           apicontrol.Build
	DocsURL         string           // base URL of the documentation; "" = unknown
	Upstream        *upstream.Client // reports the published versions; nil disables the check
	Gateway         netip.Addr       // gateway of the container; the zero Addr outside of a container

	Files      *engine.Engine
	Hooks      *delivery.Engine  // sends events over hooks
	SiteURL    string            // public address of the site; "" = unknown
	Home       string            // what the start page shows; see pages.Config
	OpenAPI    []byte            // openapi.yaml, for the API reference
	Translator *translate.Client // client of the translation service
	// Codehost configures the access to the code host. The server sets DB, Log, Now, Keys,
	// BaseURL and Mirror.
	Codehost codehost.Config

	// Examine runs the checks of svc doctor. It may be nil.
	Examine apicontrol.Examiner

	Data string // the data directory; "" disables the check for free space on its disk
	// Free returns the number of free bytes on the disk that contains Data. If it is nil, a
	// disk.Gauge is used.
	Free func() (uint64, error)
	Jobs *jobs.Jobs // jobs that can be listed and run; nil for none
	// Backup writes an archive of all data. It is nil if backups are not available.
	Backup func(ctx context.Context, to io.Writer, o backup.Options) (*backup.Manifest, error)
	// Replication decides which requests a standby or a replicated primary answers, and when. nil = no
	// replication.
	Replication *web.Replication
}

const (
	defaultBodyBudget     = 64 << 20
	defaultAnswerBudget   = 128 << 20
	defaultSubmissionData = 64 << 10
)

// Server answers requests under /api/v1, /healthz and /readyz and serves the pages. Requests to
// /control and /metrics are only answered over the control connection.
type Server struct {
	Control *apicontrol.Handlers // serves the owner of the data directory and tracks the state of the server

	log    *slog.Logger
	now    func() time.Time
	config Config

	gate         web.Gate
	access       web.AccessLog
	resource     *resource.Handlers
	analytics    *analytics.Handlers
	transfer     *transfer.Handlers
	distribution *distribution.Handlers
	codehost     *codehost.Handlers
	pages        *pages.Handlers
	feeds        *feeds.Handlers
	hooks        *hooks.Handlers
	hosts        distribution.Hosts
	counts       *analytics.RequestCounter

	forwarding *apicontrol.Forwarding
	repeats    web.Repeats
	bodies     *web.Bodies
	answers    *web.Answers
	clients    *web.Clients

	endpoints []endpoint
	router    *web.Router // finds the index of a request's route in endpoints
	metrics   web.Metrics

	publicWindows []*limit.Windows // limits set by Config.PublicRateLimit

	idPrefix string // prefix of request IDs; changes at each start
}

// New returns a server. It returns an error if a secret is too short.
func New(c Config) (*Server, error) {
	s := &Server{log: c.Log, now: c.Now, config: c}
	if s.now == nil {
		s.now = time.Now
	}
	s.bodies, s.answers = web.NewBodies(cmp.Or(c.BodyBudget, defaultBodyBudget)), web.NewAnswers(cmp.Or(c.AnswerBudget, defaultAnswerBudget))
	s.clients = web.NewClients(c.Geo)
	tokens, err := auth.NewTokens(c.JWTSecret, c.JWTLife)
	if err != nil {
		return nil, fmt.Errorf("JWT_SECRET: %w", err)
	}
	if s.config.Free == nil {
		s.config.Free = disk.NewGauge(c.Data).Free
	}
	s.gate = web.Gate{DB: c.DB, Tokens: tokens, KeySalt: c.KeySalt, Log: c.Log, Now: s.now, Replication: c.Replication}
	s.access = web.AccessLog{Log: c.Log, IPStorage: c.EventIPStorage}
	s.counts = analytics.NewRequestCounter(c.Requests, c.DB, c.Log)
	s.forwarding = apicontrol.NewForwarding(c.Proxies, c.Gateway, c.Log)
	s.analytics = analytics.New(analytics.Config{
		DB: c.DB, Events: c.Events, Flush: s.flushRequests, Log: c.Log, Now: s.now,
		BatchMax: c.EventBatchMax, ClockSkew: c.EventClockSkew, IPStorage: c.EventIPStorage, Backup: backupState(c.Jobs), Health: c.Health,
	})
	s.Control = apicontrol.New(apicontrol.Config{
		DB: c.DB, Search: c.Search, Events: c.Events, Jobs: c.Jobs, Requests: &s.metrics, Bodies: s.bodies, Answers: s.answers,
		Forwarding: s.forwarding, Log: c.Log, Now: s.now,
		Version: c.Version, Build: c.Build, DocsURL: c.DocsURL, Upstream: c.Upstream, Data: c.Data, KeySalt: c.KeySalt, Files: c.Files.Dir,
		Dropped: c.Requests.Dropped, Copy: s.copyData, Backup: c.Backup,
		SiteURL: c.SiteURL, DistributionURL: c.Files.BaseURL, Examine: c.Examine, Replication: c.Replication,
	})
	s.transfer = transfer.New(transfer.Config{
		DB: c.DB, Events: c.Events, Log: c.Log, Now: s.now, Version: c.Version, Staging: c.Staging, Flush: s.flushRequests, Copy: s.copyData,
		Files: c.Files,
	})
	s.distribution, s.hosts = distribution.New(c.Files, c.SiteURL, s.countDownload), distribution.NewHosts(c.Files.BaseURL, c.SiteURL)
	c.Codehost.DB, c.Codehost.Log, c.Codehost.Now, c.Codehost.Keys, c.Codehost.BaseURL = c.DB, c.Log, s.now, c.Files.Keys, c.Files.BaseURL
	if c.Files.BaseURL != "" {
		c.Codehost.Mirror = func(tx *store.Tx, p *store.Project, addresses []string) (int, error) {
			done, err := s.distribution.Mirror(tx, p, addresses, nil)
			return done.Queued, err
		}
	}
	s.codehost = codehost.New(c.Codehost)
	s.resource = resource.New(resource.Config{
		DB: c.DB, Search: c.Search, Log: c.Log, Now: s.now,
		SubmissionMax: c.SubmissionMax, DataMax: cmp.Or(c.SubmissionData, defaultSubmissionData),
		Keys: c.Files.Keys, Translator: c.Translator, Tokens: tokens, KeySalt: c.KeySalt, BootstrapFile: c.BootstrapFile,
		EventContents: func(ctx context.Context, p store.ProjectID) (int64, int, error) {
			return c.Events.Contents(ctx, event.Project(p))
		},
		Forward: c.Codehost.Forward, Health: c.Health,
	})
	s.feeds = feeds.New(feeds.Config{
		DB: c.DB, Now: s.now, Files: s.distribution, Health: c.Health, Hosts: s.hosts, BaseURL: c.Files.BaseURL, SiteURL: c.SiteURL,
	})
	s.hooks = hooks.New(hooks.Config{DB: c.DB, Keys: c.Files.Keys, Engine: c.Hooks})
	s.pages = pages.New(pages.Config{DB: c.DB, Log: c.Log, SiteURL: c.SiteURL, Home: c.Home, OpenAPI: c.OpenAPI, Now: s.now})
	if err := s.serve(slices.Concat(s.table(), s.pages.Routes(), s.feeds.Routes())); err != nil {
		return nil, err
	}
	var prefix [4]byte
	rand.Read(prefix[:])
	s.idPrefix = hex.EncodeToString(prefix[:]) + "-"
	return s, nil
}

// exchange is a request and its response.
type exchange struct {
	web.Request
	out      web.Recorder
	endpoint *endpoint // nil until the route is found
	id       [1]string // header X-Request-Id
}

// counts returns the endpoint under which the request statistics count the request. It returns 0 if
// the request is not counted.
func (x *exchange) counts() store.Endpoint {
	// Links to the latest version redirect.
	succeeded := x.out.Status >= 200 && x.out.Status <= 299 || x.out.Status == http.StatusFound
	if x.endpoint == nil || !succeeded || x.Uncounted || x.Method == http.MethodHead {
		return 0
	}
	return x.endpoint.counts
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	begin := s.now()
	number := s.metrics.Begun.Add(1)
	x := &exchange{out: web.Recorder{ResponseWriter: w}}
	r, out := &x.Request, &x.out
	*r = web.Request{Request: hr, Writer: out, Addr: s.config.Proxies.Client(hr.RemoteAddr, hr.Header), Received: begin}
	r.ID = s.requestID(hr, number)
	defer s.finish(x)
	defer s.recover(x)
	s.forwarding.Observe(r)

	h := w.Header()
	x.id[0] = r.ID
	h["X-Request-Id"] = x.id[:]
	h["X-Content-Type-Options"] = noSniff
	link, feed := distribution.IsLink(hr.URL.Path), feeds.IsFeed(hr.URL.Path)
	switch {
	case feed:
		web.AllowEveryOrigin(h, hr)
	case link:
		distribution.SetLinkHeaders(h, hr)
	case pages.IsSDK(hr.URL.Path):
		pages.SetSDKHeaders(h, hr)
	default:
		web.SetCORS(h, hr)
	}
	served := feed || s.hosts.Serve(hr.Host, link) || control.Owner(hr.Context())
	if served && web.IsPreflight(hr) {
		out.WriteHeader(http.StatusNoContent)
		return
	}
	err := web.ErrNoPath
	if served {
		err = s.handle(x)
	}
	switch {
	case (link || feed) && errors.Is(err, web.ErrNoPath):
		distribution.RefuseLink(out)
	case served && errors.Is(err, web.ErrNoPath) && pages.ForPeople(hr):
		s.pages.Missing(out, r)
	case err != nil && out.Status != 0:
		web.Explain(s.log, r, err)
		panic(http.ErrAbortHandler) // the client must not mistake a partial response for a complete one
	case err != nil:
		web.Fail(s.log, out, r, err)
	}
	// Requests with an administrator's session are previews, not traffic of apps.
	if counts := x.counts(); counts != 0 && !s.gate.Administers(r) && !s.config.Replication.IsStandby() {
		s.counts.Count(r, counts)
	}
}

var noSniff = []string{"nosniff"}

// handle processes a request in a fixed order, which clients rely on. It finds the route, counts
// the request against the rate limit and checks the credential. The route's handler then validates
// the body, looks up the addressed records and applies the rules.
func (s *Server) handle(x *exchange) error {
	r, w := &x.Request, &x.out
	at, params, ok := s.router.Lookup(r.Method, r.URL.EscapedPath())
	if !ok {
		return web.ErrNoPath
	}
	x.endpoint = &s.endpoints[at]
	r.Route, r.Params = &x.endpoint.Route, params
	if r.Route.Replication != nil {
		if err := r.Route.Replication.Check(r); err != nil {
			return err
		}
	}
	if x.endpoint.limits != nil && x.endpoint.limits.Limited() {
		if err := s.takeTurn(x); err != nil {
			return err
		}
	}
	if r.Route.Submits {
		if err := s.checkRoom(); err != nil {
			return err
		}
	}
	if r.Route.Private {
		w.Header()["Cache-Control"] = noStore
	}
	if err := s.gate.Admit(r); err != nil {
		return err
	}
	if r.Route.Replication != nil {
		return r.Route.Replication.Execute(w, r, s.execute)
	}
	return s.execute(w, r)
}

// execute calls the handler of the route, once for all copies of a request with an Idempotency-Key.
func (s *Server) execute(w http.ResponseWriter, r *web.Request) error {
	if r.Repeatable() {
		return s.repeats.Answer(w, r)
	}
	return r.Route.Handler(w, r)
}

var noStore = []string{"no-store"}

// checkRoom refuses public submissions while the disk has less free space than disk.Reserve, so
// that they cannot fill it. Administration, deletions and logins continue. If the file system
// does not answer, the write that follows reports its error.
func (s *Server) checkRoom() error {
	if s.config.Data == "" {
		return nil
	}
	if free, err := s.config.Free(); err != nil || free >= disk.Reserve {
		return nil
	}
	return fault.New(fault.NoSpace,
		"the disk of the server is nearly full, nothing was stored; try again when there is space").After(time.Minute)
}

// takeTurn counts a request against the route's rate limit for the client's address. It returns an
// error if the address has exceeded that limit.
func (s *Server) takeTurn(x *exchange) error {
	v := x.endpoint.limits.Take(limit.AddrKey(x.Addr), x.Received)
	if v.Limit == 0 { // the limit was removed after the caller checked it
		return nil
	}
	h := x.out.Header()
	values := &[3]string{strconv.Itoa(v.Limit), strconv.Itoa(v.Remaining), web.Seconds(v.Reset)}
	h["X-Ratelimit-Limit"] = values[0:1:1]
	h["X-Ratelimit-Remaining"] = values[1:2:2]
	h["X-Ratelimit-Reset"] = values[2:3:3]
	if !v.Allowed {
		return fault.New(fault.TooMany, "too many requests: at most %d %s; try again in %s seconds", v.Limit, x.endpoint.per,
			web.Seconds(v.Reset)).After(v.Reset)
	}
	return nil
}

// recover turns a panic of a handler into a 500 and one log entry. A panic is always a bug in this
// program.
func (s *Server) recover(x *exchange) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	s.log.Error("panic", "value", fmt.Sprint(p), "method", x.Method, "path", x.LoggedPath(), "id", x.ID, "stack", string(debug.Stack()))
	if x.out.Status != 0 {
		panic(http.ErrAbortHandler) // the response has begun; abort it
	}
	web.FailInternally(&x.out)
}

// requestID returns the ID that a trusted proxy gave the request. Otherwise it returns an ID
// derived from the number of the request.
func (s *Server) requestID(r *http.Request, number uint64) string {
	if given := r.Header["X-Request-Id"]; len(given) == 1 && usableID(given[0]) && s.config.Proxies.Trusted(r.RemoteAddr) {
		return given[0]
	}
	var space [32]byte
	return string(strconv.AppendUint(append(space[:0], s.idPrefix...), number, 36))
}

func usableID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// finish counts and logs an answered request.
func (s *Server) finish(x *exchange) {
	end := s.now()
	var metrics *web.RouteMetrics
	if x.endpoint != nil {
		metrics = x.endpoint.metrics
	} else {
		metrics = s.metrics.Without(x.Request.Request)
	}
	metrics.Answered(x.out.Status, end.Sub(x.Received))
	x.Release()
	s.access.Write(&x.Request, &x.out, end)
}

// EnsureAdmin creates the administrator at the first start. See resource.Handlers.EnsureAdmin.
func (s *Server) EnsureAdmin(ctx context.Context, password string) (generated string, created bool, err error) {
	return s.resource.EnsureAdmin(ctx, password)
}

// copyData copies both data files, as of one point in time, to a new folder in the staging folder.
// The name of the new folder begins with prefix.
func (s *Server) copyData(prefix string) (folder string, err error) {
	folder, _, err = instance.CopyData(s.config.DB, s.config.Events, s.now, s.config.Staging, prefix)
	return folder, err
}

// countDownload counts a download. A standby counts nothing, because the primary cannot know of it.
func (s *Server) countDownload(r store.CountedRequest) {
	if !s.config.Replication.IsStandby() {
		s.config.Requests.Add(r)
	}
}

// flushRequests writes the request statistics, unless the server accepts no writes.
func (s *Server) flushRequests() error {
	if s.config.Replication.Accepts() != nil {
		return nil
	}
	return s.config.Requests.Flush()
}

// backupState returns a function that returns the state of the scheduled backups. It returns nil if
// j is nil.
func backupState(j *jobs.Jobs) func() today.Backup {
	if j == nil {
		return nil
	}
	return func() today.Backup {
		state := j.Backups()
		since, running := j.BackingUp()
		return today.Backup{Every: state.Every, Started: since, Last: state.Last, Running: running}
	}
}
