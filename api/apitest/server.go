// Package apitest runs the assembled server on a real data directory, for the tests of package api
// and of the packages below it. It sends requests to the server and validates every response against
// openapi.yaml. Only tests import this package.
//
//	server.go      Server, its options
//	main.go        Main: the checks at the end of every test package
//	exchange.go    requests and expected responses
//	connection.go  requests that net/http would not send
//	contract.go    openapi.yaml, and the validation of responses
//	journal.go     the log of the server
//	fixtures.go    projects, keys and records
//	events.go      batches of events
//	hooks.go       the events that hooks receive
//	paths.go       lists and their fields
//	install.go     third-party packages
//	state.go       the stored data of a server
//	standby.go     a standby of a server, and the comparison of their responses
//	differences.go the differences between them that are intended
//	every_on.go    gives every server a standby, with the build tag "standby"
//	every_off.go   does not
package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/internal/auth"
	"svc/internal/boltfile"
	"svc/internal/cdn"
	"svc/internal/codehost"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/files/engine"
	"svc/internal/files/slicecache"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/forward"
	"svc/internal/health"
	"svc/internal/jobs"
	"svc/internal/notify/delivery"
	"svc/internal/notify/smtp"
	"svc/internal/outbound"
	"svc/internal/proxy"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/requests"
	"svc/internal/seal"
	"svc/internal/translate"
	"svc/search"
	"svc/store"
)

// The password of the administrator, and the key that signs login tokens.
const (
	Password = "correct horse"
	Secret   = "0123456789abcdef0123456789abcdef"
)

// Server is a complete server that works on a temporary data directory.
type Server struct {
	URL      string // without /api/v1
	Admin    string // a login token
	DB       *store.Store
	Handler  *api.Server
	Config   api.Config // the configuration of Handler
	Dir      string
	Clock    *clock
	Client   *http.Client
	Index    *search.Index // nil without an index
	Events   *event.Engine
	Storages *storage.Storages
	Files    *engine.Engine
	Health   *health.Engine
	Hooks    *delivery.Engine

	StopFollowing func() // stops the index from following the store

	standby *standby // follows the server; nil without WithStandby
}

// Options contains the configuration of a server. Tests change it with an Option.
type Options struct {
	Config  api.Config
	Store   store.Options
	index   bool
	jobs    bool
	noAdmin bool
	cdn     string // base address of all CDNs
	host    string // base address of the code host's site and API
	mail    *smtp.Server
	standby bool // see WithStandby
}

// Option changes the Options of a server.
type Option func(*Options)

// WithRateLimit sets the maximum number of public requests per address and minute; 0 disables the
// limit.
func WithRateLimit(n int) Option { return func(o *Options) { o.Config.PublicRateLimit = n } }

// WithProxies sets the trusted proxies.
func WithProxies(p proxy.Proxies) Option { return func(o *Options) { o.Config.Proxies = p } }

// WithConfig changes any other field of the configuration.
func WithConfig(change func(*api.Config)) Option { return func(o *Options) { change(&o.Config) } }

// WithCDN redirects requests to CDNs to the given address.
func WithCDN(address string) Option { return func(o *Options) { o.cdn = address } }

// WithCodehost makes the server use the given address as the code host.
func WithCodehost(address string) Option {
	return func(o *Options) { o.host = address }
}

// WithMail makes the server send e-mail over the given mail server.
func WithMail(s *smtp.Server) Option { return func(o *Options) { o.mail = s } }

// WithStandby adds a standby, which follows the server. Each request that a test sends is then also
// sent to the standby, and the responses are compared. A server with a replication of its own has no
// standby.
func WithStandby() Option { return func(o *Options) { o.standby = true } }

// WithLog writes the server's log to w, as JSON.
func WithLog(w io.Writer) Option {
	return func(o *Options) { o.Config.Log = slog.New(slog.NewJSONHandler(w, nil)) }
}

// WithoutAdmin starts the server without an administrator, as at the first start.
func WithoutAdmin() Option { return func(o *Options) { o.noAdmin = true } }

// WithIndex adds a search index to the server and keeps it up to date.
func WithIndex() Option { return func(o *Options) { o.index = true } }

// WithJobs adds the background jobs to the server. They only run when a request starts them.
func WithJobs() Option { return func(o *Options) { o.jobs = true } }

// clock is the server's clock. It returns the real time plus the duration by which a test has
// advanced it.
type clock struct {
	Ahead   atomic.Int64
	stopped atomic.Pointer[time.Time]
}

func (c *clock) Now() time.Time {
	now := time.Now()
	if at := c.stopped.Load(); at != nil {
		now = *at
	}
	return now.Add(time.Duration(c.Ahead.Load()))
}

// Stop stops the clock, so that tests can expect an exact second. After that, only Advance changes
// the time.
func (c *clock) Stop() {
	now := time.Now()
	c.stopped.Store(&now)
}

func (c *clock) Advance(d time.Duration) { c.Ahead.Add(int64(d)) }

// passwordHash returns the Argon2id hash of Password. It is computed only once, because
// hashing is slow.
var passwordHash = sync.OnceValues(func() (string, error) {
	return auth.NewHasher().Hash(context.Background(), Password)
})

// NewServer starts a server with the administrator "admin", unless an option leaves it out.
func NewServer(t testing.TB, opts ...Option) *Server {
	t.Helper()
	s := &Server{Dir: t.TempDir(), Clock: &clock{}}
	description, err := readDescription()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Config: api.Config{
			Log: slog.New(slog.DiscardHandler), Now: s.Clock.Now,
			JWTSecret: []byte(Secret), JWTLife: 2 * time.Hour, KeySalt: []byte("salt"),
			Files:           engine.New(engine.Config{MaxSize: 4 << 30}),
			PublicRateLimit: 300, Proxies: proxy.Proxies{Count: 1}, Version: "test", OpenAPI: description,
			BootstrapFile: filepath.Join(s.Dir, datadir.Bootstrap), Staging: filepath.Join(s.Dir, "staging"),
		},
		Store:   store.Options{Now: s.Clock.Now},
		cdn:     "http://127.0.0.1:1", // refuses connections
		host:    "https://code.example",
		standby: everyServer,
	}
	for _, f := range opts {
		f(&o)
	}
	if o.Config.Files.CodeHost == "" {
		o.Config.Files.CodeHost = o.host
	}
	o.Store.SiteURL = o.Config.SiteURL
	var changes *spool.Spool
	if o.standby && o.Config.Replication == nil {
		changes = s.openSpool(t)
		o.Store.Recorder = changes.Recorder(format.Records)
	}
	s.openStore(t, o.Store)
	s.openEvents(t, event.Options{Now: s.Clock.Now, Recorder: changes.Recorder(format.Events)})
	if changes != nil {
		s.copyTo(t, changes, o)
	}
	if !o.noAdmin {
		s.makeAdmin(t)
	}
	s.build(t, s.Dir, o)
	return s
}

// openStore opens the records and closes them at the end of the test.
func (s *Server) openStore(t testing.TB, o store.Options) {
	t.Helper()
	database := filepath.Join(s.Dir, datadir.Database)
	var err error
	if s.DB, err = store.Open(database, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.DB.Close(), boltfile.Verify(database)); err != nil {
			t.Error(err)
		}
	})
}

// build creates the parts that use the databases, and starts to answer requests. contents is the data
// directory that has the contents of local files.
func (s *Server) build(t testing.TB, contents string, o Options) {
	t.Helper()
	if o.index {
		s.openIndex(t)
	}
	s.openFiles(t, contents, &o)
	o.Config.DB, o.Config.Search, o.Config.Events = s.DB, s.Index, s.Events
	o.Config.Requests = requests.NewCounter(s.DB, o.Config.Log)
	s.Health = health.New(health.Config{DB: s.DB, Log: o.Config.Log, Now: o.Config.Now})
	o.Config.Health = s.Health
	if o.jobs {
		o.Config.Jobs = jobs.New(jobs.Config{
			DB: s.DB, Events: s.Events, Search: s.Index, Log: o.Config.Log, Flush: o.Config.Requests.Flush, Health: s.Health,
		})
	}
	o.Config.Translator = translate.New(outbound.New(outbound.Config{Profile: outbound.Operator, Version: o.Config.Version}))
	o.Config.Codehost.Host = codehost.New(codehost.Config{
		HTTP: outbound.New(outbound.Config{Profile: outbound.Fixed, Version: o.Config.Version}), API: o.host, Web: o.host, Now: s.Clock.Now,
	})
	o.Config.Codehost.Forward = forward.New(forward.Config{
		DB: s.DB, Log: o.Config.Log, Now: s.Clock.Now, Keys: s.Files.Keys, Host: o.Config.Codehost.Host, Limit: 3, Period: time.Hour,
	})
	s.Hooks = delivery.New(delivery.Config{
		DB: s.DB, Keys: s.Files.Keys, Log: o.Config.Log, Now: s.Clock.Now, Mail: o.mail,
		Client: outbound.New(outbound.Config{Profile: outbound.Operator, Version: o.Config.Version}),
	})
	o.Config.Hooks = s.Hooks
	s.Config = o.Config
	var err error
	if s.Handler, err = api.New(o.Config); err != nil {
		t.Fatal(err)
	}
	s.Handler.Control.Started()
	h := httptest.NewServer(s.Handler)
	t.Cleanup(h.Close)
	s.URL, s.Client = h.URL, h.Client()
}

// openEvents opens the event engine and closes it at the end of the test.
func (s *Server) openEvents(t testing.TB, o event.Options) {
	t.Helper()
	var err error
	path := filepath.Join(s.Dir, datadir.Events)
	if s.Events, err = event.Open(path, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Events.Close(); err != nil {
			t.Error(err)
			return
		}
		if err := boltfile.Verify(path); err != nil {
			t.Error(err)
		}
	})
}

// openFiles opens the storage directory and closes it at the end of the test. contents is the data
// directory that has the contents of local files.
func (s *Server) openFiles(t testing.TB, contents string, o *Options) {
	t.Helper()
	dir, own := filepath.Join(contents, datadir.Files), filepath.Join(s.Dir, datadir.Files)
	client := outbound.New(outbound.Config{Profile: outbound.Operator, Version: o.Config.Version})
	storages, err := storage.NewStorages(dir, client)
	if err != nil {
		t.Fatal(err)
	}
	c := o.Config.Files.Config
	c.DB, c.Log, c.Now, c.Dir, c.Storages = s.DB, o.Config.Log, o.Config.Now, dir, storages
	c.CDN, c.Keys = cdn.NewClient(client, o.cdn, o.cdn), seal.NewKeys(o.Config.JWTSecret)
	c.Fetch = outbound.New(outbound.Config{Profile: outbound.Data, Version: o.Config.Version, Trusted: c.CodeHost})
	if c.Uploads, err = upload.Open(filepath.Join(own, "staging", "uploads"), o.Config.Now, o.Config.Log); err != nil {
		t.Fatal(err)
	}
	if c.Cache, err = slicecache.Open(slicecache.Config{Dir: filepath.Join(own, "cache"), MaxBytes: 1 << 30, Log: o.Config.Log}); err != nil {
		t.Fatal(err)
	}
	f := engine.New(c)
	o.Config.Files, s.Storages, s.Files = f, storages, f
	t.Cleanup(func() {
		if err := errors.Join(f.Cache.Close(), storages.Close()); err != nil {
			t.Error(err)
		}
	})
}

// openIndex opens the search index and keeps it up to date until the end of the test.
func (s *Server) openIndex(t testing.TB) {
	t.Helper()
	var err error
	if s.Index, err = search.Open(s.Dir, s.DB, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Index.Run(ctx) })
	s.StopFollowing = func() {
		stop()
		running.Wait()
	}
	t.Cleanup(func() {
		s.StopFollowing()
		if err := s.Index.Close(); err != nil {
			t.Error(err)
		}
	})
}

// makeAdmin creates the administrator and signs a login token for it.
func (s *Server) makeAdmin(t testing.TB) {
	t.Helper()
	hash, err := passwordHash()
	if err != nil {
		t.Fatal(err)
	}
	account := &store.Account{Username: "admin", Password: hash, Epoch: 1}
	if err := s.DB.Update(func(tx *store.Tx) error { return tx.PutAccount(account) }); err != nil {
		t.Fatal(err)
	}
	tokens, err := auth.NewTokens([]byte(Secret), 2*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if s.Admin, err = tokens.Sign(account.ID.String(), 1, s.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// request is a request that can be sent to several servers.
type request struct {
	method, path string
	headers      map[string]string
	body         string
}

// send sends the request to the server with a base URL, reads the response and closes its body.
func (r request) send(ctx context.Context, client *http.Client, base string) (*http.Response, []byte, error) {
	q, err := http.NewRequestWithContext(ctx, r.method, base+r.path, strings.NewReader(r.body))
	if err != nil {
		return nil, nil, err
	}
	for name, value := range r.headers {
		q.Header.Set(name, value)
	}
	answer, err := client.Do(q)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer, b, err
}

// Do sends a request to a path below /api/v1 and validates the response against openapi.yaml. It
// sends no credential if credential is empty.
func (s *Server) Do(t testing.TB, method, path, credential, body string) (int, string, http.Header) {
	t.Helper()
	headers := map[string]string{}
	if credential != "" {
		headers["Authorization"] = "Bearer " + credential
	}
	return s.Send(t, method, "/api/v1"+path, headers, body)
}

// Send sends a request with the given headers and validates the response against openapi.yaml.
func (s *Server) Send(t testing.TB, method, path string, headers map[string]string, body string) (int, string, http.Header) {
	t.Helper()
	answer, b := s.exchange(t, method, path, headers, body) //nolint:bodyclose // exchange has closed it
	LoadContract(t).Check(t, answer.Request, answer.StatusCode, answer.Header, b)
	s.compare(t, request{method, path, headers, body}, answer, b)
	return answer.StatusCode, string(b), answer.Header
}

// Visit requests a page. The test fails if openapi.yaml describes the path.
func (s *Server) Visit(t testing.TB, method, path string, headers map[string]string) (int, string, http.Header) {
	t.Helper()
	answer, b := s.exchange(t, method, path, headers, "") //nolint:bodyclose // exchange has closed it
	if o := LoadContract(t).Find(method, answer.Request.URL.EscapedPath()); o != nil {
		t.Errorf("%s %s is %s of openapi.yaml", method, path, o.OperationID)
	}
	s.compare(t, request{method, path, headers, ""}, answer, b)
	return answer.StatusCode, string(b), answer.Header
}

// exchange sends a request, reads the response and closes its body.
func (s *Server) exchange(t testing.TB, method, path string, headers map[string]string, body string) (*http.Response, []byte) {
	t.Helper()
	answer, b, err := request{method, path, headers, body}.send(t.Context(), s.Client, s.URL)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer, b
}

// Must sends a request as the administrator and returns the response. It fails the test unless the
// response has the expected status.
func (s *Server) Must(t testing.TB, status int, method, path, body string) string {
	t.Helper()
	got, answer, _ := s.Do(t, method, path, s.Admin, body)
	if got != status {
		t.Fatalf("%s %s: got %d %s, want %d", method, path, got, answer, status)
	}
	return answer
}

// Owner sends a request as if over the control connection.
func (s *Server) Owner(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	r := request{method, path, nil, body}
	answer, b, err := r.send(t.Context(), control.InProcess(s.Handler), control.BaseURL) //nolint:bodyclose // send has closed it
	if err != nil {
		t.Fatal(err)
	}
	s.compareOwner(t, r, answer, b)
	return answer.StatusCode, string(b)
}

// Key creates an API key with the given request body and returns its token.
func (s *Server) Key(t testing.TB, body string) string {
	t.Helper()
	return Field[string](t, s.Must(t, 201, "POST", "/auth/api-keys", body), "token")
}

// Field returns the value of a field of a JSON object.
func Field[T any](t testing.TB, object, name string) T {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	var v T
	if err := json.Unmarshal(fields[name], &v); err != nil {
		t.Fatalf("field %s of %s: %v", name, object, err)
	}
	return v
}
