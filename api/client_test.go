package api_test

import (
	"context"
	"encoding/json"
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
	"svc/internal/control"
	"svc/internal/event"
	"svc/internal/jobs"
	"svc/internal/origin"
	"svc/search"
	"svc/store"
)

const (
	testPassword = "correct horse"
	testSecret   = "0123456789abcdef0123456789abcdef"
)

// server is a real server on a real data file.
type server struct {
	URL     string // without /api/v1
	admin   string // a login token
	db      *store.Store
	handler *api.Server
	dir     string
	clock   *clock
	client  *http.Client
	index   *search.Index // nil without one
	events  *event.Engine

	stopFollowing func() // lets the index fall behind
}

type options struct {
	config  api.Config
	store   store.Options
	index   bool
	jobs    bool
	noAdmin bool
}

type option func(*options)

func withRateLimit(n int) option { return func(o *options) { o.config.PublicRateLimit = n } }

func withProxies(p origin.Proxies) option { return func(o *options) { o.config.Proxies = p } }

// withConfig changes anything else of the configuration.
func withConfig(change func(*api.Config)) option { return func(o *options) { change(&o.config) } }

func withLog(w io.Writer) option {
	return func(o *options) { o.config.Log = slog.New(slog.NewJSONHandler(w, nil)) }
}

// withoutAdmin starts a server as new as at its first start.
func withoutAdmin() option { return func(o *options) { o.noAdmin = true } }

// quickly leaves out the check of the whole file after each commit, for tests
// with thousands of them.
func quickly() option { return func(o *options) { o.store.Strict = false } }

// withIndex lets searches ask an index, which follows the store.
func withIndex() option { return func(o *options) { o.index = true } }

// withJobs gives the server jobs that run when they are asked for.
func withJobs() option { return func(o *options) { o.jobs = true } }

// clock is the server's clock: the real time plus what a test adds.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// passwordHash is made once: an Argon2id hash takes its time.
var passwordHash = sync.OnceValues(func() (string, error) {
	return auth.NewHasher().Hash(context.Background(), testPassword)
})

// newServer starts a server with the administrator "admin", unless an option
// leaves it out.
func newServer(t testing.TB, opts ...option) *server {
	t.Helper()
	s := &server{dir: t.TempDir(), clock: &clock{}}
	o := options{
		config: api.Config{
			Log: slog.New(slog.DiscardHandler), Now: s.clock.now,
			JWTSecret: []byte(testSecret), JWTLife: 2 * time.Hour, KeySalt: []byte("salt"),
			PublicRateLimit: 300, Proxies: origin.Proxies{Count: 1}, Version: "test",
			BootstrapFile: filepath.Join(s.dir, "svc.bootstrap-admin.txt"), Staging: filepath.Join(s.dir, "staging"),
		},
		store: store.Options{Now: s.clock.now, Strict: true},
	}
	for _, f := range opts {
		f(&o)
	}
	var err error
	if s.db, err = store.Open(filepath.Join(s.dir, "svc.db"), o.store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	s.openEvents(t)
	if !o.noAdmin {
		s.makeAdmin(t)
	}
	if o.index {
		s.openIndex(t)
	}
	o.config.DB, o.config.Search, o.config.Events = s.db, s.index, s.events
	if o.jobs {
		o.config.Jobs = jobs.New(jobs.Config{DB: s.db, Events: s.events, Log: o.config.Log, Flush: func() error { return nil }})
	}
	if s.handler, err = api.New(o.config); err != nil {
		t.Fatal(err)
	}
	s.handler.Started()
	h := httptest.NewServer(s.handler)
	t.Cleanup(h.Close)
	s.URL, s.client = h.URL, h.Client()
	return s
}

// openEvents opens the event engine until the end of the test.
func (s *server) openEvents(t testing.TB) {
	t.Helper()
	var err error
	if s.events, err = event.Open(filepath.Join(s.dir, "events.db"), event.Options{Now: s.clock.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.events.Close(); err != nil {
			t.Error(err)
		}
	})
}

// openIndex opens the index and lets it run until the end of the test.
func (s *server) openIndex(t testing.TB) {
	t.Helper()
	var err error
	if s.index, err = search.Open(s.dir, s.db, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.index.Run(ctx) })
	s.stopFollowing = func() {
		stop()
		running.Wait()
	}
	t.Cleanup(func() {
		s.stopFollowing()
		if err := s.index.Close(); err != nil {
			t.Error(err)
		}
	})
}

// makeAdmin stores the administrator and signs a token for it.
func (s *server) makeAdmin(t testing.TB) {
	t.Helper()
	hash, err := passwordHash()
	if err != nil {
		t.Fatal(err)
	}
	account := &store.Account{Username: "admin", Password: hash, Epoch: 1}
	if err := s.db.Update(func(tx *store.Tx) error { return tx.PutAccount(account) }); err != nil {
		t.Fatal(err)
	}
	tokens, err := auth.NewTokens([]byte(testSecret), 2*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if s.admin, err = tokens.Sign(account.ID.String(), 1, s.clock.now()); err != nil {
		t.Fatal(err)
	}
}

// do sends a request to a path below /api/v1 and holds the answer to
// openapi.yaml. An empty credential sends none.
func (s *server) do(t testing.TB, method, path, credential, body string) (int, string, http.Header) {
	t.Helper()
	headers := map[string]string{}
	if credential != "" {
		headers["Authorization"] = "Bearer " + credential
	}
	return s.send(t, method, "/api/v1"+path, headers, body)
}

// send sends any request and holds the answer to openapi.yaml.
func (s *server) send(t testing.TB, method, path string, headers map[string]string, body string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	loadContract(t).check(t, r, answer.StatusCode, answer.Header, b)
	return answer.StatusCode, string(b), answer.Header
}

// must sends a request as the administrator and expects a status.
func (s *server) must(t testing.TB, status int, method, path, body string) string {
	t.Helper()
	got, answer, _ := s.do(t, method, path, s.admin, body)
	if got != status {
		t.Fatalf("%s %s: got %d %s, want %d", method, path, got, answer, status)
	}
	return answer
}

// owner sends a request as over the control connection.
func (s *server) owner(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://svc"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.InProcess(s.handler).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// key makes an API key of which body is the description and returns its text.
func (s *server) key(t testing.TB, body string) string {
	t.Helper()
	return field[string](t, s.must(t, 201, "POST", "/auth/api-keys", body), "token")
}

// field is a field of a JSON object.
func field[T any](t testing.TB, object, name string) T {
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
