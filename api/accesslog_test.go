package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/proxy"
)

func TestAccessLog(t *testing.T) {
	t.Parallel()
	var log apitest.Journal
	s := apitest.NewServer(t, apitest.WithLog(&log), apitest.WithRateLimit(1))
	at := makeTarget(t, s, "a")
	for _, tc := range []struct {
		name, method, path string
		headers            map[string]string
		line               string // fields that the line must have
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
		_, answer, header := s.Send(t, tc.method, tc.path, tc.headers, "")
		line := log.Take(t, "id", header.Get("X-Request-Id"))
		raw, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		if why := apitest.CompareJSON(t, string(raw), tc.line); why != "" {
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
		s.Send(t, "GET", path, nil, "")
		s.Send(t, "HEAD", path, nil, "")
	}
	_, _, header := s.Send(t, "GET", "/api/v1/public/"+at.project, nil, "")
	log.Take(t, "id", header.Get("X-Request-Id"))
	for _, line := range log.Lines(t, "request") {
		if strings.Contains(fmt.Sprint(line["path"]), "health") {
			t.Errorf("health is logged: %v", line)
		}
	}
}

// TestAccessLogOfPrivateCallers checks the addresses in the access log. The address of a caller
// that asks not to be tracked must not be logged. The address of a sender of events must be logged
// in the form that event.ip_storage permits.
func TestAccessLogOfPrivateCallers(t *testing.T) {
	t.Parallel()
	const me = "/events/me?distinct_id=u"
	untracked := map[string]string{"x-svc-do-not-track": "1"}
	for storage, address := range map[string]string{"": "203.0.113.0", proxy.IPAnonymized: "203.0.113.0", proxy.IPFull: "203.0.113.77", proxy.IPNone: ""} {
		t.Run("storage "+storage, func(t *testing.T) {
			t.Parallel()
			var log apitest.Journal
			s := apitest.NewServer(t, apitest.WithLog(&log), apitest.WithConfig(func(c *api.Config) { c.EventIPStorage = storage }))
			s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`)
			for _, tc := range []struct {
				name, method, path, body string
				headers                  map[string]string
				want                     string
			}{
				{"events", "POST", "/events", `{"distinct_id":"u","events":[{"event_id":"1","name":"open"}]}`, nil, address},
				{"events that are refused", "POST", "/events", `{`, nil, address},
				{"what is stored of somebody", "GET", me, "", nil, address},
				{"delete it", "DELETE", me, "", nil, address},
				{"another request", "GET", "", "", nil, "203.0.113.77"},
				{"events, not to be tracked", "POST", "/events", `{"distinct_id":"u","events":[{"event_id":"2","name":"open"}]}`, untracked, ""},
				{"another request, not to be tracked", "GET", "", "", untracked, ""},
				{"no such path, not to be tracked", "GET", "/no/such/path", "", untracked, ""},
			} {
				headers := map[string]string{"X-Forwarded-For": "203.0.113.77"}
				maps.Copy(headers, tc.headers)
				_, _, header := s.Send(t, tc.method, "/api/v1/public/app"+tc.path, headers, tc.body)
				if line := log.Take(t, "id", header.Get("X-Request-Id")); line["address"] != tc.want {
					t.Errorf("%s: the line has the address %q, want %q", tc.name, line["address"], tc.want)
				}
			}
			if address != "203.0.113.77" && strings.Count(log.String(), "203.0.113.77") != 1 {
				t.Errorf("the log has the address elsewhere:\n%s", log.String())
			}
		})
	}
}

// TestLogKeepsSecrets checks that credentials and confidential texts never get into the log.
func TestLogKeepsSecrets(t *testing.T) {
	t.Parallel()
	var log apitest.Journal
	s := apitest.NewServer(t, apitest.WithLog(&log))
	s.Project(t, "a")
	key := s.Key(t, `{"name":"secret-name","scopes":["projects:read"]}`)
	_, login := s.LogIn(t, "admin", apitest.Password)
	s.LogIn(t, "admin", "secret-password")
	s.LogIn(t, "secret-user", apitest.Password)
	s.Must(t, 200, "PATCH", "/admin/projects/a", `{"description":"secret-body"}`)
	s.Must(t, 400, "PATCH", "/admin/projects/a", `{"docs_url":"secret-body"}`)
	s.Do(t, "PATCH", "/auth/password", s.Admin, apitest.Credentials("x", "secret-password"))
	for _, headers := range []map[string]string{
		{"X-API-Key": key}, {"Authorization": "Bearer " + key}, {"Authorization": "Bearer " + login}, {"Authorization": "Basic c2VjcmV0"},
		{"Cookie": "session=secret-cookie"}, {"Referer": "https://secret-page.example/"}, {"User-Agent": "secret-agent"},
		{"X-API-Key": "svc_secret"},
	} {
		s.Send(t, "GET", "/api/v1/admin/projects?search=secret-query&token=secret-query&x=%zz", headers, "")
		s.Send(t, "GET", "/api/v1/public/a/versions?locale=secret-query", headers, "")
	}
	status, answer := s.Owner(t, "POST", "/control/admin/reset-password", "")
	if status != 200 {
		t.Fatalf("got %d %s", status, answer)
	}
	for _, secret := range []string{
		"secret", apitest.Password, apitest.Secret, key, key[4:], login, s.Admin, apitest.Field[string](t, answer, "password"), s.DB.Account().Password,
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
		status  int // 0 = the server cuts the connection
		body    string
		logged  string // message of the only error in the log, "" for none
		detail  string // a text that must be in this entry, but not in the response
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
			var log apitest.Journal
			s := apitest.NewServer(t, apitest.WithLog(&log))
			if err := api.AddRoute(s.Handler, "/api/v1/fails", tc.handler); err != nil {
				t.Fatal(err)
			}
			status, body, err := plain(t, s, "/api/v1/fails?secret=query")
			if status != tc.status && err == nil || body != tc.body && tc.status != 0 || (err != nil) != (tc.status == 0) {
				t.Errorf("got %d %s, error %v, want %d %s", status, body, err, tc.status, tc.body)
			}
			if status, _, _ := s.Send(t, "GET", "/healthz", nil, ""); status != 200 {
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
			entries := log.Lines(t, tc.logged)
			if len(entries) != 1 || !strings.Contains(fmt.Sprint(entries[0]), tc.detail) || entries[0]["path"] != "/api/v1/fails" || len(fmt.Sprint(entries[0]["id"])) < 8 {
				t.Errorf("logged as %v", entries)
			}
			if strings.Contains(text, "secret") {
				t.Errorf("the query is in the log:\n%s", text)
			}
		})
	}
}
