// Package codehosttest is a code host for tests. Its server behaves like the REST API of
// GitHub as far as clients depend on it. The server checks the tokens and permissions of
// apps, enforces rate limits, splits lists into pages, redirects requests for former
// names of repositories, and supports conditional requests. A test can make the server
// fail in various ways. The package also signs and sends deliveries.
//
//	host.go         the server: state, routes, rate limits, conditional requests
//	app.go          apps, installations, credentials
//	repository.go   repositories, releases, files, issues, workflows
//	break.go        faults
//	deliver.go      deliveries to webhooks
package codehosttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Host is a code host for tests. URL is the base address of its pages and of its API. A
// Host is safe for concurrent use.
type Host struct {
	URL string

	mux    *http.ServeMux
	closed chan struct{}

	mu       sync.Mutex // guards the following fields and all data to which they refer
	now      func() time.Time
	limit    int                // calls per hour that each caller may make; 0 = 5000, or 60 for anonymous callers
	spent    map[string]*window // by name of the caller
	apps     []*App
	tokens   map[string]*token
	repos    []*Repository
	former   map[string]*Repository // renamed repositories, by former name in lower case
	broken   []*breakage
	requests []Request
	last     int64 // the id that was assigned last
}

// window is the state of a caller's rate limit.
type window struct {
	used  int
	reset time.Time
}

// Request is a request that the host has received.
type Request struct {
	Method, Path, Query string
	Caller              string // "anonymous", "app {id}" or "installation {id}"; "" if the credentials were rejected
	Header              http.Header
	Body                []byte
}

// New starts a host. It is stopped at the end of the test.
func New(t testing.TB) *Host {
	t.Helper()
	h := NewAt("")
	server := httptest.NewServer(h)
	h.URL = server.URL
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return h
}

// NewAt returns a host without starting a server. The caller must serve it at the address
// url.
func NewAt(url string) *Host {
	h := &Host{
		URL: url, closed: make(chan struct{}), now: time.Now,
		spent: map[string]*window{}, tokens: map[string]*token{}, former: map[string]*Repository{}, last: 1_800_000_000,
	}
	h.mux = h.routes()
	return h
}

// Close ends all hanging requests.
func (h *Host) Close() { close(h.closed) }

// SetClock makes the host use the given clock instead of the system clock.
func (h *Host) SetClock(now func() time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = now
}

// SetLimit sets the number of calls that each caller may make per hour.
func (h *Host) SetLimit(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit, h.spent = n, map[string]*window{}
}

// Requests returns all requests that the host has received, in order, including requests
// for attachments.
func (h *Host) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// Asked returns the number of requests that have the given method and contain part in
// their path. If method is empty, any method matches.
func (h *Host) Asked(method, part string) int {
	n := 0
	for _, r := range h.Requests() {
		if (method == "" || r.Method == method) && strings.Contains(r.Path, part) {
			n++
		}
	}
	return n
}

// ServeHTTP serves the API and the downloads.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has disconnected
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.mu.Lock()
	caller, _ := h.caller(r)
	h.requests = append(h.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, caller.name, r.Header.Clone(), body})
	fault := h.fault(r)
	h.mu.Unlock()
	next := http.Handler(http.HandlerFunc(h.answer))
	if fault != nil {
		next = fault(h, next)
	}
	next.ServeHTTP(w, r)
}

// answer handles a request to which no fault applies.
func (h *Host) answer(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	made := httptest.NewRecorder()
	who, refused := h.caller(r)
	limits := h.count(who)
	switch {
	case refused != "":
		fail(made, http.StatusUnauthorized, refused)
	case limits.Get("X-Ratelimit-Remaining") == "-1":
		limits.Set("X-Ratelimit-Remaining", "0")
		fail(made, http.StatusForbidden,
			"API rate limit exceeded for "+who.name+". (But here's the good news: authenticated requests get a higher rate limit.)")
	default:
		h.mux.ServeHTTP(made, r)
	}
	header := w.Header()
	maps.Copy(header, made.Header())
	maps.Copy(header, limits)
	header.Set("Date", h.now().UTC().Format(http.TimeFormat))
	if r.Method == http.MethodGet && made.Code == http.StatusOK {
		etag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(append([]byte(who.name), made.Body.Bytes()...)))
		header.Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			if who.name != anonymous { // an unchanged response does not count against the rate limit of an authenticated caller
				h.spent[who.name].used--
			}
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(made.Code)
	_, _ = w.Write(made.Body.Bytes()) // fails if the client has disconnected
}

// count counts a call and returns the rate limit headers for the response. If the call
// exceeds the limit, the remaining number of calls in the headers is -1.
func (h *Host) count(who caller) http.Header {
	limit := h.limit
	if limit == 0 {
		limit = 5000
		if who.name == anonymous {
			limit = 60
		}
	}
	w := h.spent[who.name]
	if w == nil || !h.now().Before(w.reset) {
		w = &window{reset: h.now().Add(time.Hour).Truncate(time.Second)}
		h.spent[who.name] = w
	}
	remaining := limit - w.used - 1
	if remaining >= 0 {
		w.used++
	}
	header := http.Header{}
	header.Set("X-Ratelimit-Limit", strconv.Itoa(limit))
	header.Set("X-Ratelimit-Remaining", strconv.Itoa(max(remaining, -1)))
	header.Set("X-Ratelimit-Used", strconv.Itoa(w.used))
	header.Set("X-Ratelimit-Reset", strconv.FormatInt(w.reset.Unix(), 10))
	header.Set("X-Ratelimit-Resource", "core")
	header.Set("X-Github-Media-Type", "github.v3; format=json")
	return header
}

// id returns a number that has not been used before.
func (h *Host) id() int64 {
	h.last++
	return h.last
}

func (h *Host) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /app", h.getApp)
	m.HandleFunc("POST /app/installations/{id}/access_tokens", h.postToken)
	for method, routes := range map[string]map[string]repositoryHandler{
		"GET": {
			"":                     {h.getRepository, "metadata"},
			"/installation":        {h.getInstallation, ""},
			"/releases":            {h.getReleases, "contents"},
			"/releases/latest":     {h.getLatestRelease, "contents"},
			"/releases/tags/{tag}": {h.getRelease, "contents"},
			"/contents/{path...}":  {h.getContents, "contents"},
			"/issues":              {h.getIssues, "issues"},
		},
		"POST": {
			"/issues":                                  {h.postIssue, "issues"},
			"/issues/{number}/comments":                {h.postComment, "issues"},
			"/issues/comments/{comment}/reactions":     {h.postReaction, "issues"},
			"/actions/workflows/{workflow}/dispatches": {h.postDispatch, "actions"},
		},
	} {
		for path, handler := range routes {
			m.HandleFunc(method+" /repos/{owner}/{repo}"+path, h.repository(handler))
			m.HandleFunc(method+" /repositories/{repository}"+path, h.repository(handler))
		}
	}
	m.HandleFunc("GET /{owner}/{repo}/releases/download/{tag}/{asset}", h.getAsset)
	m.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "Not Found") })
	return m
}

// fail responds with an error in the API's format.
func fail(w http.ResponseWriter, status int, message string) {
	send(w, status, map[string]any{"message": message, "documentation_url": "https://docs.code.example/rest", "status": strconv.Itoa(status)})
}

// send responds with v encoded as JSON.
func send(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // all callers pass values that can be encoded
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text) // w is a recorder, to which writing never fails
}

// stamp returns a time in the API's format. For the zero time it returns nil, which
// becomes null in JSON.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}
