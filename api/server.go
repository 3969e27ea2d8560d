// Package api is the HTTP face of the service: the route table, who may call
// what, decoding and checking of requests, and the shape of answers. Rules of
// versions, languages and updates live in the packages below it.
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
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"svc/internal/auth"
	"svc/internal/backup"
	"svc/internal/control"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/jobs"
	"svc/internal/limit"
	"svc/internal/logging"
	"svc/internal/origin"
	index "svc/search"
	"svc/store"
)

// Config is what a Server is made of.
type Config struct {
	DB     *store.Store
	Search *index.Index // nil = searches look everywhere
	Events *event.Engine
	Log    *slog.Logger
	Now    func() time.Time // time.Now when nil

	JWTSecret []byte        // at least 32 bytes
	JWTLife   time.Duration // life of a login
	KeySalt   []byte        // of the hashes of API keys

	PublicRateLimit int            // requests a minute, address and endpoint; 0 = no limit
	DedupWindow     time.Duration  // in which the same submission is one record; 0 = off
	Proxies         origin.Proxies // whose forwarding headers count
	Geo             *origin.Geo    // places of addresses; nil = no look-up
	EventBatchMax   int            // events in a batch; 50 when 0
	EventClockSkew  time.Duration  // how old an event may say it is; a week when 0
	EventIPStorage  string         // IPAnonymized, which it is when empty, IPFull or IPNone
	BootstrapFile   string         // holds a generated first password until the first login
	Staging         string         // folder for files that are only there while they are needed
	Version         string         // of the program
	Gateway         netip.Addr     // of the container this runs in; the zero Addr elsewhere

	Data string     // the data directory, whose disk must have room; "" = is not looked at
	Jobs *jobs.Jobs // what can be listed and run; nil = nothing
	// Backup writes an archive of everything; nil = it cannot be done.
	Backup func(ctx context.Context, to io.Writer, o backup.Options) (*backup.Manifest, error)
}

// Server answers requests under /api/v1, /healthz, /readyz and, over the control
// connection only, /control and /metrics.
type Server struct {
	db      *store.Store
	log     *slog.Logger
	now     func() time.Time
	config  Config
	started time.Time

	tokens *auth.Tokens
	hasher *auth.Hasher
	logins *limit.Windows
	slow   *limit.Slow
	recent *limit.Duplicates // submissions
	counts *requestCounts

	forwarding *forwarding

	routes  []route
	router  *router
	metrics *requestMetrics
	life    life

	exposition    http.Handler     // of the metrics
	publicWindows []*limit.Windows // of Config.PublicRateLimit

	idPrefix string // of request ids, new at each start
}

// limitedAddresses bounds the tables of the rate limits: about 20 MiB when
// full.
const limitedAddresses = 100_000

// New makes a server. It fails for a secret that is too short.
func New(c Config) (*Server, error) {
	s := &Server{db: c.DB, log: c.Log, now: c.Now, config: c}
	if s.now == nil {
		s.now = time.Now
	}
	s.started = s.now()
	s.config.EventBatchMax = cmp.Or(c.EventBatchMax, 50)
	s.config.EventClockSkew = cmp.Or(c.EventClockSkew, 7*24*time.Hour)
	var err error
	if s.tokens, err = auth.NewTokens(c.JWTSecret, c.JWTLife); err != nil {
		return nil, fmt.Errorf("JWT_SECRET: %w", err)
	}
	s.hasher = auth.NewHasher()
	s.logins = limit.NewWindows(20, 5*time.Minute, limitedAddresses)
	s.slow = limit.NewSlow()
	s.recent = limit.NewDuplicates(c.DedupWindow, rememberedSubmissions)
	s.counts = newRequestCounts()
	s.forwarding = &forwarding{proxies: c.Proxies, gateway: c.Gateway, log: c.Log}
	s.routes = s.table()
	s.metrics = newRequestMetrics(s.routes)
	s.exposition = s.newExposition()
	patterns := make([]pattern, len(s.routes))
	for i, r := range s.routes {
		patterns[i] = pattern{r.method, r.path}
	}
	if s.router, err = newRouter(patterns); err != nil {
		return nil, err
	}
	var prefix [4]byte
	rand.Read(prefix[:])
	s.idPrefix = hex.EncodeToString(prefix[:]) + "-"
	return s, nil
}

// request is a request on its way through the server.
type request struct {
	*http.Request
	writer http.ResponseWriter
	route  *route
	params params
	id     string     // for the answer, the access log and the error log
	addr   netip.Addr // of the caller; the zero Addr on the control connection
	caller caller

	received time.Time

	// For counting:
	said      origin.Source // about the caller's system, in the body
	client    string        // version of the client that asks for an update
	clock     origin.Text   // the caller's time, in the body
	untracked bool          // the caller asks not to be tracked: nothing is looked up

	bodyBytes []byte
	bodyRead  bool
	values    url.Values
}

// param is a path parameter, percent-decoded.
func (r *request) param(name string) string { return r.params.get(name) }

// query is the first value of a query parameter.
func (r *request) query(name string) string {
	if r.values == nil {
		r.values = r.URL.Query()
	}
	return r.values.Get(name)
}

// sent reports whether a query parameter is there, with or without a value.
func (r *request) sent(name string) bool {
	r.query(name)
	return r.values.Has(name)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	begin := s.now()
	number := s.metrics.begun.Add(1)
	out := recorder{ResponseWriter: w}
	r := &request{Request: hr, writer: &out, addr: s.config.Proxies.Client(hr.RemoteAddr, hr.Header), received: begin}
	r.id = s.requestID(hr, number)
	defer s.finish(r, &out)
	defer s.recover(r, &out)
	s.forwarding.see(r)

	h := w.Header()
	h["X-Request-Id"] = []string{r.id}
	h["X-Content-Type-Options"] = noSniff
	if cors(h, hr); preflight(hr) {
		out.WriteHeader(http.StatusNoContent)
		return
	}
	if err := s.handle(&out, r); err != nil {
		s.fail(&out, r, err)
	}
	s.count(r, out.status)
}

var noSniff = []string{"nosniff"}

// handle takes the steps in the order that clients rely on: route, rate limit,
// credential, and in the handler body, existence, rules.
func (s *Server) handle(w http.ResponseWriter, r *request) error {
	at, params, ok := s.router.lookup(r.Method, r.URL.EscapedPath())
	if !ok {
		return errNoPath
	}
	r.route, r.params = &s.routes[at], params
	if r.route.limits != nil {
		if err := s.takeTurn(w, r); err != nil {
			return err
		}
	}
	if r.route.private {
		w.Header()["Cache-Control"] = noStore
	}
	if err := s.admit(r); err != nil {
		return err
	}
	return r.route.handler(w, r)
}

var (
	errNoPath = fault.New(fault.NotFound, "no such path or method")
	noStore   = []string{"no-store"}
)

// takeTurn counts a request against the limit of its route and address.
func (s *Server) takeTurn(w http.ResponseWriter, r *request) error {
	v := r.route.limits.Take(limit.AddrKey(r.addr), s.now())
	if v.Limit == 0 {
		return nil
	}
	h := w.Header()
	values := &[3]string{strconv.Itoa(v.Limit), strconv.Itoa(v.Remaining), seconds(v.Reset)}
	h["X-Ratelimit-Limit"] = values[0:1:1]
	h["X-Ratelimit-Remaining"] = values[1:2:2]
	h["X-Ratelimit-Reset"] = values[2:3:3]
	if !v.Allowed {
		return fault.New(fault.TooMany, "too many requests: at most %d %s; try again in %s seconds", v.Limit, r.route.per, seconds(v.Reset)).After(v.Reset)
	}
	return nil
}

// recover turns a panic, which is a bug of ours, into a 500 and one log entry.
func (s *Server) recover(r *request, w *recorder) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	s.log.Error("panic", "value", fmt.Sprint(p), "method", r.Method, "path", r.shownPath(), "id", r.id, "stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler) // the answer had begun: cut it off
	}
	failInternally(w)
}

// requestID is the id that a trusted proxy gave the request, or one made of its
// number.
func (s *Server) requestID(r *http.Request, number uint64) string {
	if given := r.Header["X-Request-Id"]; len(given) == 1 && usableID(given[0]) && s.config.Proxies.Trusted(r.RemoteAddr) {
		return given[0]
	}
	return s.idPrefix + strconv.FormatUint(number, 36)
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

// recorder remembers what was answered, for the access log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

// WriteHeader passes the status on and keeps it.
func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write passes the bytes on and counts them.
func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// finish counts a request that was answered, and logs it.
func (s *Server) finish(r *request, w *recorder) {
	end := s.now()
	s.metrics.of(r).answered(w.status, end.Sub(r.received))
	s.logAccess(r, w, end)
}

// logAccess writes one line for each request but health checks. Query values
// stay out of it, except those that say which page was asked for.
func (s *Server) logAccess(r *request, w *recorder, end time.Time) {
	if r.route != nil && r.route.quiet || !s.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	var pattern string
	if r.route != nil {
		pattern = r.route.path
	}
	attrs := [...]slog.Attr{
		slog.String("method", r.Method),
		slog.String("route", pattern),
		slog.String("path", r.shownPath()),
		slog.Int("status", w.status),
		slog.Int("bytes", w.bytes),
		slog.Int64("us", end.Sub(r.received).Microseconds()),
		slog.String("address", s.address(r)),
		slog.String("id", r.id),
		8: {}, 9: {}, // of pages
	}
	said := attrs[:8]
	if r.URL.RawQuery != "" {
		said = append(said, slog.String("limit", r.query("limit")), slog.String("offset", r.query("offset")))
	}
	logging.Info(s.log, end, "request", said)
}

// shownPath is the path for logs. It does not say whose events were deleted.
func (r *request) shownPath() string {
	if r.route != nil && strings.HasSuffix(r.route.path, "/:distinct_id") {
		return r.route.path
	}
	return r.URL.Path
}

func (s *Server) address(r *request) string {
	switch {
	case r.addr.IsValid():
		return r.addr.String()
	case control.Owner(r.Context()):
		return "control"
	}
	return ""
}
