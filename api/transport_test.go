package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/proxy"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	begin := s.Clock.Now().Unix()
	status, answer, header := s.Do(t, "GET", "/health", "no.such.token", "")
	if now := apitest.Field[int64](t, answer, "timestamp"); status != 200 || now < begin || now > s.Clock.Now().Unix() {
		t.Errorf("health: got %d %s", status, answer)
	}
	if header.Get("X-RateLimit-Limit") != "" {
		t.Error("health is limited")
	}
	if status, answer, _ := s.Send(t, "GET", "/healthz", nil, ""); status != 200 || answer != "ok" {
		t.Errorf("healthz: got %d %q", status, answer)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"healthz lives at the root only", "GET", "/healthz", "", 404, `{"message":"no such path or method"}`},
		{"status of a module without a project", "GET", "/auth/status", "", 200, `{"module":"auth","implemented":true}`},
		{"status of the projects", "GET", "/admin/projects/_status", "", 200, `{"module":"projects","implemented":true}`},
	})
}

// TestUnknownAddress checks that the server responds to every path and method outside of the route
// table with a 404 in the usual form of errors.
func TestUnknownAddress(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	known, at := apitest.LoadContract(t), makeTarget(t, s, "a")
	refused := func(method, path string) {
		t.Helper()
		status, answer, _ := s.Send(t, method, path, map[string]string{"Authorization": "Bearer " + s.Admin}, "{}")
		want := `"message":"no such path or method"`
		if strings.HasPrefix(path, "/f/") {
			want = "Not Found"
		}
		if status != 404 || method != "HEAD" && !strings.Contains(answer, want) {
			t.Errorf("%s %s: got %d %s, want 404", method, path, status, answer)
		}
	}
	for _, e := range api.Routes() {
		path := at.path(e.Path)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
			if known.Find(method, path) == nil {
				refused(method, path)
			}
		}
		refused(e.Method, path+"//")
		refused(e.Method, "/"+path)
		refused(e.Method, path+"/more/than/there/is")
		refused(e.Method, strings.ToUpper(path[:5])+path[5:])
	}
	for _, path := range []string{"/api", "/api/v1", "/api/v1/", "/api/v2/health", "/api/v1/public", "/api/v1/admin", "/index.html", "/metrics", "/debug/pprof/"} {
		refused("GET", path)
	}
}

// TestHead checks that HEAD is answered like GET, without the body.
func TestHead(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	at := makeTarget(t, s, "a")
	headers := map[string]string{"Authorization": "Bearer " + s.Admin}
	for _, e := range api.Routes() {
		if e.Method != "GET" {
			continue
		}
		for _, path := range []string{at.path(e.Path), at.path(e.Path) + "/"} {
			status, body, _ := s.Send(t, "GET", path, headers, "")
			got, nothing, header := s.Send(t, "HEAD", path, headers, "")
			if got != status || nothing != "" || header.Get("Content-Length") != strconv.Itoa(len(body)) {
				t.Errorf("HEAD %s: got %d, %d bytes, Content-Length %s, want %d, none and %d", path, got, len(nothing), header.Get("Content-Length"), status, len(body))
			}
		}
	}
}

// TestTrailingSlash checks that a slash at the end of a path makes no difference.
func TestTrailingSlash(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	at := makeTarget(t, s, "a")
	for _, e := range api.Routes() {
		path := at.path(e.Path)
		for _, credential := range []string{"", "Bearer " + s.Admin} {
			if credential != "" && e.Method != "GET" { // the request would be executed twice
				continue
			}
			without, _, _ := s.Send(t, e.Method, path, map[string]string{"Authorization": credential}, "")
			if isLink(e) { // a link must be exactly the object key
				without = 404
			}
			with, answer, _ := s.Send(t, e.Method, path+"/", map[string]string{"Authorization": credential}, "")
			if with != without {
				t.Errorf("%s %s/: got %d %s, want %d as without the slash", e.Method, path, with, answer, without)
			}
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(1))
	s.Project(t, "a")
	const check = "/api/v1/public/a/versions/check-update"
	for _, tc := range []struct {
		name, method, path, origin string
		status                     int
	}{
		{"success", "GET", "/api/v1/public/a", "https://app.example", 200},
		{"healthz", "GET", "/healthz", "https://app.example:8443", 200},
		{"origin of a local file", "GET", "/api/v1/public/a", "null", 200},
		{"origin of an app", "HEAD", "/api/v1/public/a", "capacitor://localhost", 200},
		{"not let in", "GET", "/api/v1/admin/projects", "https://app.example", 401},
		{"not found", "GET", "/api/v1/public/b", "https://app.example", 404},
		{"unknown path", "GET", "/nothing", "https://app.example", 404},
		{"unknown method", "OPTIONS", "/api/v1/public/a", "https://app.example", 404},
		{"validation", "POST", check, "https://app.example", 400},
		{"too many", "POST", check, "https://app.example", 429},
	} {
		status, answer, header := s.Send(t, tc.method, tc.path, map[string]string{"Origin": tc.origin}, "")
		if status != tc.status {
			t.Errorf("%s: got %d %s, want %d", tc.name, status, answer, tc.status)
		}
		expose := header.Get("Access-Control-Expose-Headers")
		for _, name := range []string{"ETag", "Retry-After", "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
			if !strings.Contains(expose, name) {
				t.Errorf("%s: pages may not read %s, only %q", tc.name, name, expose)
			}
		}
		if got := header.Get("Access-Control-Allow-Origin"); got != tc.origin || header.Get("Access-Control-Allow-Credentials") != "true" || header.Get("Vary") != "Origin" {
			t.Errorf("%s: allowed is %q with credentials %q, varying by %q", tc.name, got, header.Get("Access-Control-Allow-Credentials"), header.Get("Vary"))
		}
	}
	_, _, header := s.Send(t, "GET", "/api/v1/public/a", nil, "")
	for name := range header {
		if strings.HasPrefix(name, "Access-Control") {
			t.Errorf("without an origin the answer has %s: %s", name, header.Get(name))
		}
	}
	if header.Get("Vary") != "Origin" {
		t.Error("a cache could give the answer without an origin to one with an origin")
	}
}

// TestPreflight checks that the server responds to a preflight for every path. A preflight needs no
// credential and does not count against a rate limit.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(1))
	paths := []string{"/", "/nothing", "/healthz", "/control/version", "/api/v1/public/%2e%2e"}
	for _, e := range api.Routes() {
		if !isLink(e) && !isSDK(e) { // these have separate tests: TestLinkPreflight and TestSDKPreflight
			paths = append(paths, sampleTarget.path(e.Path))
		}
	}
	for _, path := range paths {
		status, answer, header := s.Send(t, "OPTIONS", path, map[string]string{
			"Origin": "https://app.example", "Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "authorization, x-svc-platform, x-anything",
		}, "")
		if status != 204 || answer != "" {
			t.Errorf("%s: got %d %s, want 204", path, status, answer)
		}
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin": "https://app.example", "Access-Control-Allow-Credentials": "true", "Access-Control-Max-Age": "86400",
			"Access-Control-Allow-Methods": "GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS", "Access-Control-Allow-Headers": "authorization, x-svc-platform, x-anything",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
	if status, _, _ := s.Send(t, "POST", "/api/v1/public/a/versions/check-update", nil, "{}"); status != 400 {
		t.Errorf("request after its preflight: got %d, want 400", status)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	behind, alone := apitest.NewServer(t), apitest.NewServer(t, apitest.WithProxies(proxy.Proxies{Count: 0}))
	for _, tc := range []struct {
		name, given string
		server      *apitest.Server
		kept        bool
	}{
		{"of the proxy in front", "01HZX-req_1.2", behind, true},
		{"eight characters", "abcd1234", behind, true},
		{"64 characters", strings.Repeat("a", 64), behind, true},
		{"short", "abcd123", behind, false},
		{"long", strings.Repeat("a", 65), behind, false},
		{"with a blank", "abcd 1234", behind, false},
		{"that ends a JSON text", `abcd1234","x":"`, behind, false},
		{"outside ASCII", "abcd1234ä", behind, false},
		{"empty", "", behind, false},
		{"without a proxy", "01HZX-req_1.2", alone, false},
	} {
		for _, path := range []string{"/api/v1/health", "/api/v1/nothing", "/api/v1/auth/me"} {
			_, _, header := tc.server.Send(t, "GET", path, map[string]string{"X-Request-Id": tc.given}, "")
			if got := header.Get("X-Request-Id"); (got == tc.given) != tc.kept || len(got) < 8 {
				t.Errorf("id %s, %s: got %q for %q, want it kept: %v", tc.name, path, got, tc.given, tc.kept)
			}
		}
	}
	ids := map[string]bool{}
	for range 50 {
		_, _, header := behind.Send(t, "GET", "/api/v1/health", nil, "")
		ids[header.Get("X-Request-Id")] = true
	}
	if len(ids) != 50 {
		t.Errorf("50 requests got %d ids", len(ids))
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", behind.URL+"/healthz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["X-Request-Id"] = []string{"abcd1234", "abcd1235"}
	answer, err := behind.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("X-Request-Id"); strings.HasPrefix(got, "abcd") {
		t.Errorf("of two ids %q was taken", got)
	}
}

// TestAnswerHeaders checks that caches do not store responses that only the administrator may see. It
// also checks that browsers do not guess the content type of any response.
func TestAnswerHeaders(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	at := makeTarget(t, s, "a")
	for _, e := range api.Routes() {
		for _, credential := range []string{"", "Bearer " + s.Admin} {
			if e.Method == "DELETE" && credential != "" {
				continue
			}
			status, _, header := s.Send(t, e.Method, at.path(e.Path), map[string]string{"Authorization": credential}, "")
			name := fmt.Sprintf("%s %s, %d", e.Method, e.Path, status)
			if header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: X-Content-Type-Options is missing", name)
			}
			private := e.Access != "public" || strings.HasPrefix(e.Path, "/api/v1/auth/") || strings.HasSuffix(e.Path, "/events/me")
			if got := header.Get("Cache-Control"); (got == "no-store") != private {
				t.Errorf("%s: Cache-Control is %q, private is %v", name, got, private)
			}
		}
	}
}

// plain sends a GET request to a path that openapi.yaml does not describe.
func plain(t *testing.T, s *apitest.Server, path string) (status int, body string, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(b), err
}
