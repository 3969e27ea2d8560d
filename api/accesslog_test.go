package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
)

// journal keeps what a server logs.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer  // guarded by mu, like all below
	more chan struct{} // closed by the next line; nil when nobody waits
}

// Write appends a line.
func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.more != nil {
		close(j.more)
		j.more = nil
	}
	return j.text.Write(b)
}

// grows returns a channel that the next line closes.
func (j *journal) grows() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return j.more
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// lines are the entries with a message, decoded.
func (j *journal) lines(t *testing.T, message string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(j.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in the line %s", err, line)
		}
		if fields["msg"] == message {
			lines = append(lines, fields)
		}
	}
	return lines
}

// take waits for the access log's line with a value, and returns it. The line
// is written after the answer was sent.
func (j *journal) take(t *testing.T, field string, value any) map[string]any {
	t.Helper()
	for late := time.After(20 * time.Second); ; {
		more := j.grows()
		for _, line := range j.lines(t, "request") {
			if line[field] == value {
				return line
			}
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("no line for a request with %s %v:\n%s", field, value, j)
		}
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log journal
	s := newServer(t, withLog(&log), withRateLimit(1))
	at := s.makeTarget(t, "a")
	for _, tc := range []struct {
		name, method, path string
		headers            map[string]string
		line               string // what it must say
	}{
		{"success", "GET", "/api/v1/public/a", nil, `{"method":"GET","route":"/api/v1/public/:k","path":"/api/v1/public/a","status":200,"address":"127.0.0.1"}`},
		{"HEAD", "HEAD", "/api/v1/public/a/", nil, `{"method":"HEAD","route":"/api/v1/public/:k","path":"/api/v1/public/a/","status":200}`},
		{"not found", "GET", "/api/v1/public/b", nil, `{"route":"/api/v1/public/:k","status":404}`},
		{"not let in", "GET", "/api/v1/admin/projects", nil, `{"route":"/api/v1/admin/projects","status":401}`},
		{"unknown path", "GET", "/nothing/at/all", nil, `{"route":"","path":"/nothing/at/all","status":404}`},
		{"preflight", "OPTIONS", "/nothing", map[string]string{"Origin": "https://a.example", "Access-Control-Request-Method": "PUT"}, `{"method":"OPTIONS","route":"","status":204,"bytes":0}`},
		{"path is decoded", "GET", "/api/v1/public/%C3%A4%20%2F%2e", nil, `{"path":"/api/v1/public/ä /."}`},
		{"line ends stay in their line", "GET", "/api/v1/public/a%0A%7B%22level%22:%22ERROR%22%7D", nil, `{"path":"/api/v1/public/a\n{\"level\":\"ERROR\"}"}`},
		{"page of a list", "GET", "/api/v1/public/a/versions?limit=5&offset=10&search=secret-query", nil, `{"limit":"5","offset":"10","path":"/api/v1/public/a/versions"}`},
		{"query without a page", "GET", "/api/v1/public/a?locale=secret-query", nil, `{"limit":"","offset":""}`},
		{"address by the proxy", "GET", "/api/v1/public/a", map[string]string{"X-Forwarded-For": "2001:DB8::1"}, `{"address":"2001:db8::1"}`},
	} {
		_, answer, header := s.send(t, tc.method, tc.path, tc.headers, "")
		line := log.take(t, "id", header.Get("X-Request-Id"))
		raw, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		if why := compareJSON(t, string(raw), tc.line); why != "" {
			t.Errorf("%s: %s\n%s", tc.name, why, raw)
		}
		if tc.method != "HEAD" && line["bytes"] != float64(len(answer)) {
			t.Errorf("%s: %v bytes, want %d", tc.name, line["bytes"], len(answer))
		}
		fields := []string{"address", "bytes", "id", "level", "method", "msg", "path", "route", "status", "time", "us"}
		if strings.Contains(tc.path, "?") {
			fields = append(fields, "limit", "offset")
		}
		if got := slices.Sorted(maps.Keys(line)); !slices.Equal(got, slices.Sorted(slices.Values(fields))) {
			t.Errorf("%s: the line has %v, want %v", tc.name, got, fields)
		}
	}
	for _, path := range []string{"/healthz", "/api/v1/health", "/api/v1/health/", "/healthz?x=1"} {
		s.send(t, "GET", path, nil, "")
		s.send(t, "HEAD", path, nil, "")
	}
	_, _, header := s.send(t, "GET", "/api/v1/public/"+at.project, nil, "")
	log.take(t, "id", header.Get("X-Request-Id"))
	for _, line := range log.lines(t, "request") {
		if strings.Contains(fmt.Sprint(line["path"]), "health") {
			t.Errorf("health is logged: %v", line)
		}
	}
}

// Nothing that opens a door or was said in confidence gets into the log.
func TestLogKeepsSecrets(t *testing.T) {
	t.Parallel()
	var log journal
	s := newServer(t, withLog(&log))
	s.project(t, "a")
	key := s.key(t, `{"name":"secret-name","scopes":["projects:read"]}`)
	_, login := s.logIn(t, "admin", testPassword)
	s.logIn(t, "admin", "secret-password")
	s.logIn(t, "secret-user", testPassword)
	s.must(t, 200, "PATCH", "/admin/projects/a", `{"description":"secret-body"}`)
	s.must(t, 400, "PATCH", "/admin/projects/a", `{"docs_url":"secret-body"}`)
	s.do(t, "PATCH", "/auth/password", s.admin, credentials("x", "secret-password"))
	for _, headers := range []map[string]string{
		{"X-API-Key": key}, {"Authorization": "Bearer " + key}, {"Authorization": "Bearer " + login}, {"Authorization": "Basic c2VjcmV0"},
		{"Cookie": "session=secret-cookie"}, {"Referer": "https://secret-page.example/"}, {"User-Agent": "secret-agent"},
		{"X-API-Key": "svc_secret"},
	} {
		s.send(t, "GET", "/api/v1/admin/projects?search=secret-query&token=secret-query&x=%zz", headers, "")
		s.send(t, "GET", "/api/v1/public/a/versions?locale=secret-query", headers, "")
	}
	status, answer := s.owner(t, "POST", "/control/admin/reset-password", "")
	if status != 200 {
		t.Fatalf("got %d %s", status, answer)
	}
	for _, secret := range []string{
		"secret", testPassword, testSecret, key, key[4:], login, s.admin, field[string](t, answer, "password"), s.db.Account().Password,
	} {
		if text := log.String(); strings.Contains(text, secret) {
			t.Errorf("%q is in the log:\n%s", secret, text)
		}
	}
}

func TestFailingHandler(t *testing.T) {
	t.Parallel()
	const unexpected = `{"statusCode":500,"message":"unexpected error; the log has the details under this request's X-Request-Id","error":"Internal Server Error"}`
	for _, tc := range []struct {
		name    string
		handler func(http.ResponseWriter) error
		status  int // 0: the connection is cut
		body    string
		logged  string // message of the only error in the log, "" for none
		detail  string // in that entry, not in the answer
		stack   bool
	}{
		{"panic", func(http.ResponseWriter) error { panic("inner detail") }, 500, unexpected, "panic", "inner detail", true},
		{"panic with an error", func(http.ResponseWriter) error { panic(errors.New("inner detail")) }, 500, unexpected, "panic", "inner detail", true},
		{"bug", func(http.ResponseWriter) error { var none *api.Server; none.ServeHTTP(nil, nil); return nil }, 500, unexpected, "panic", "nil pointer dereference", true},
		{"panic in the middle of the answer", func(w http.ResponseWriter) error {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("the beginning"))
			panic("inner detail")
		}, 0, "", "panic", "inner detail", true},
		{"abort", func(http.ResponseWriter) error { panic(http.ErrAbortHandler) }, 0, "", "", "", false},
		{"error that is not for clients", func(http.ResponseWriter) error { return errors.New("inner detail") }, 500, unexpected, "request failed", "inner detail", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log journal
			s := newServer(t, withLog(&log))
			if err := api.AddRoute(s.handler, "/api/v1/fails", tc.handler); err != nil {
				t.Fatal(err)
			}
			status, body, err := s.plain(t, "/api/v1/fails?secret=query")
			if status != tc.status && err == nil || body != tc.body && tc.status != 0 || (err != nil) != (tc.status == 0) {
				t.Errorf("got %d %s, error %v, want %d %s", status, body, err, tc.status, tc.body)
			}
			if status, _, _ := s.send(t, "GET", "/healthz", nil, ""); status != 200 {
				t.Errorf("the server answers %d afterwards", status)
			}
			text := log.String()
			if got := strings.Count(text, `"level":"ERROR"`); got != min(1, len(tc.logged)) {
				t.Errorf("the log has %d errors, want %d:\n%s", got, min(1, len(tc.logged)), text)
			}
			if got := strings.Count(text, "[running]"); (got == 1) != tc.stack || got > 1 {
				t.Errorf("the log has %d stacks, want one: %v\n%s", got, tc.stack, text)
			}
			if tc.logged == "" {
				return
			}
			entries := log.lines(t, tc.logged)
			if len(entries) != 1 || !strings.Contains(fmt.Sprint(entries[0]), tc.detail) || entries[0]["path"] != "/api/v1/fails" || len(fmt.Sprint(entries[0]["id"])) < 8 {
				t.Errorf("logged as %v", entries)
			}
			if strings.Contains(text, "secret") {
				t.Errorf("the query is in the log:\n%s", text)
			}
		})
	}
}
