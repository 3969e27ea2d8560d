package api_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/proxy"
)

func TestRateLimit(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(3))
	s.Project(t, "a")
	const check = "/api/v1/public/a/versions/check-update"
	ask := func(what, address, path, body string, status, remaining int) {
		t.Helper()
		got, answer, header := s.Send(t, "POST", path, map[string]string{"X-Forwarded-For": address}, body)
		if got != status || header.Get("X-RateLimit-Limit") != "3" || header.Get("X-RateLimit-Remaining") != strconv.Itoa(remaining) {
			t.Errorf("%s: got %d %s, limit %s, remaining %s, want %d, 3, %d", what, got, answer, header.Get("X-RateLimit-Limit"), header.Get("X-RateLimit-Remaining"), status, remaining)
		}
		if reset, err := strconv.Atoi(header.Get("X-RateLimit-Reset")); err != nil || reset < 1 || reset > 60 {
			t.Errorf("%s: X-RateLimit-Reset is %s", what, header.Get("X-RateLimit-Reset"))
		}
		if after := header.Get("Retry-After"); (after == header.Get("X-RateLimit-Reset")) != (status == 429) {
			t.Errorf("%s: Retry-After is %q, X-RateLimit-Reset %q", what, after, header.Get("X-RateLimit-Reset"))
		}
	}
	const version = `{"current_comparable_version":"1.0"}`
	ask("counts what is found", "198.51.100.1", check, version, 404, 2)
	ask("counts what is wrong", "198.51.100.1", check, `{`, 400, 1)
	ask("counts for the endpoint, not the project", "198.51.100.1", "/api/v1/public/nobody/versions/check-update/", version, 404, 0)
	ask("over the limit", "198.51.100.1", check, version, 429, 0)
	ask("over the limit, before the body is read", "198.51.100.1", check, `{`, 429, 0)
	ask("same address, mapped into IPv6", "::ffff:198.51.100.1", check, version, 429, 0)
	ask("same address and a port", "198.51.100.1:4711", check, version, 429, 0)
	ask("same address, with what the client wrote before it", "203.0.113.7, 198.51.100.1", check, version, 429, 0)
	ask("another address", "198.51.100.2", check, version, 404, 2)
	ask("IPv6", "2001:db8:1:1::1", check, version, 404, 2)
	ask("IPv6, the same /64", "2001:db8:1:1:ffff::2", check, version, 404, 1)
	ask("IPv6, brackets and a port", "[2001:db8:1:1::3]:80", check, version, 404, 0)
	ask("IPv6, over the limit", "2001:DB8:1:1::4", check, version, 429, 0)
	ask("IPv6, another /64", "2001:db8:1:2::1", check, version, 404, 2)
	s.Clock.Advance(61 * time.Second)
	ask("after the window", "198.51.100.1", check, version, 404, 2)
}

// TestRateLimitWithoutProxy checks that a server without trusted proxies counts requests by the
// address of the connection, whatever the headers say.
func TestRateLimitWithoutProxy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		proxies proxy.Proxies
		header  string
		status  int
	}{
		{"no proxy", proxy.Proxies{Count: 0}, "X-Forwarded-For", 429},
		{"another header than the trusted one", proxy.Proxies{Count: 1, Headers: []string{"X-Client"}}, "X-Forwarded-For", 429},
		{"the trusted header", proxy.Proxies{Count: 1, Headers: []string{"x-client"}}, "X-Client", 400},
		{"the usual second header", proxy.Proxies{Count: 1}, "X-Real-IP", 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.WithRateLimit(1), apitest.WithProxies(tc.proxies))
			var got int
			for _, address := range []string{"198.51.100.1", "198.51.100.2"} {
				got, _, _ = s.Send(t, "POST", "/api/v1/public/a/versions/check-update", map[string]string{tc.header: address}, "{}")
			}
			if got != tc.status {
				t.Errorf("second request, of another address by %s: got %d, want %d", tc.header, got, tc.status)
			}
		})
	}
}

// TestRateLimitedRoutes checks which routes are rate limited, with and without a configured limit.
func TestRateLimitedRoutes(t *testing.T) {
	t.Parallel()
	at := sampleTarget
	for _, limit := range []int{0, 1} {
		s := apitest.NewServer(t, apitest.WithRateLimit(limit))
		var limited []string
		for _, e := range api.Routes() {
			for range 3 {
				status, _, header := s.Send(t, e.Method, at.path(e.Path), nil, "{}")
				seldom := strings.HasSuffix(e.Path, "/events/me") // limited regardless of the setting
				if counted := header.Get("X-RateLimit-Limit") != ""; counted != (e.Limited && (limit > 0 || seldom)) || status == 429 && !counted {
					t.Errorf("limit %d: %s %s: got %d, counted is %v", limit, e.Method, e.Path, status, counted)
				}
			}
			if e.Limited {
				limited = append(limited, e.Method+" "+e.Path)
			}
		}
		if got := strings.Join(limited, ", "); got != "POST /api/v1/public/:k/versions/check-update, POST /api/v1/public/:k/feedbacks, POST /api/v1/public/:k/logs, "+
			"POST /api/v1/public/:k/events, GET /api/v1/public/:k/events/me, DELETE /api/v1/public/:k/events/me" {
			t.Errorf("limited are %s", got)
		}
	}
}

// bodyRoutes returns the routes that read a JSON body according to openapi.yaml. It omits those
// that first verify the signature of the body.
func bodyRoutes(t *testing.T) (routes []api.Endpoint) {
	t.Helper()
	for _, e := range api.Routes() {
		o := apitest.LoadContract(t).Find(e.Method, sampleTarget.path(e.Path))
		if o != nil && o.RequestBody != nil && !o.Raw() && e.Access != "signed" {
			routes = append(routes, e)
		}
	}
	if len(routes) < 15 {
		t.Fatalf("only %d routes read a body", len(routes))
	}
	return routes
}

// blanks is a reader of n space characters.
type blanks struct{ n int64 }

// Read fills b with space characters.
func (r *blanks) Read(b []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), r.n)], manyBlanks)
	r.n -= int64(n)
	return n, nil
}

var manyBlanks = strings.Repeat(" ", 64<<10)

// bodyLimit returns the maximum size of a body for a route, in bytes.
func bodyLimit(e api.Endpoint) int64 {
	switch {
	case strings.HasPrefix(e.Path, "/api/v1/auth/"):
		return 4 << 10
	case strings.HasSuffix(e.Path, "/check-update"):
		return 64 << 10
	case e.Access == "public":
		return 1 << 20
	}
	return 32 << 20
}

// TestBodyLimit checks that the server responds to a body over the limit with 413. If the length is
// announced, the server refuses the body before any of it is sent. Otherwise it refuses the body
// when the limit is exceeded.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	at := makeTarget(t, s, "a")
	before := s.WholeState(t, "a")
	// A server that responds without having asked for the body closes the connection, so use a new
	// connection for each request.
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}
	upload := func(e api.Endpoint, announced int64, body io.Reader, more map[string]string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), e.Method, s.URL+at.path(e.Path), body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = announced
		r.Header.Set("Authorization", "Bearer "+s.Admin)
		for name, value := range more {
			r.Header.Set(name, value)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", e.Method, e.Path, err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		apitest.LoadContract(t).Check(t, r, answer.StatusCode, answer.Header, b)
		return answer.StatusCode, string(b)
	}
	for _, e := range bodyRoutes(t) {
		limit := bodyLimit(e)
		name, message := e.Method+" "+e.Path, fmt.Sprintf(`"message":"the request body must have at most %d bytes"`, limit)
		unsent := &blanks{limit + 1}
		if got, answer := upload(e, limit+1, unsent, map[string]string{"Expect": "100-continue"}); got != 413 || !strings.Contains(answer, message) || unsent.n != limit+1 {
			t.Errorf("%s, announced: got %d %s after %d bytes, want 413 after none", name, got, answer, limit+1-unsent.n)
		}
		unsent = &blanks{limit + 1}
		if got, _ := upload(e, limit+1, unsent, map[string]string{"Expect": "100-continue", "Authorization": ""}); e.Access != "public" && got != 401 {
			t.Errorf("%s, not let in: got %d, want 401 before the body counts", name, got)
		}
	}
	for _, e := range []api.Endpoint{ // a few routes are enough, because the same code reads all bodies
		{Method: "POST", Path: "/api/v1/public/:k/versions/check-update", BodyLimit: 64 << 10},
		{Method: "PATCH", Path: "/api/v1/admin/projects/:k", BodyLimit: 32 << 20},
	} {
		if got, answer := upload(e, -1, &blanks{e.BodyLimit + 1}, nil); got != 413 {
			t.Errorf("%s %s, a byte too many, not announced: got %d %s, want 413", e.Method, e.Path, got, answer)
		}
		for _, announced := range []int64{e.BodyLimit, -1} {
			body := io.MultiReader(&blanks{e.BodyLimit - 30}, strings.NewReader(`{"current_version":"1.0.0"   }`))
			if got, answer := upload(e, announced, body, nil); got != 200 {
				t.Errorf("%s %s, exactly at the limit: got %d %s, want 200", e.Method, e.Path, got, answer)
			}
		}
	}
	if after := s.WholeState(t, "a"); updatedAt.ReplaceAllString(after, "") != updatedAt.ReplaceAllString(before, "") {
		t.Errorf("bodies that say nothing changed something\nbefore %s\nafter  %s", before, after)
	}
}

// updatedAt matches the field that changes with every accepted PATCH.
var updatedAt = regexp.MustCompile(`"updated_at":\d+`)
