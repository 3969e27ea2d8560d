package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/internal/testutil"
)

// routerRoutes lists the path and the methods of every route of the API.
var routerRoutes = []struct{ path, methods string }{
	{"/healthz", "GET"}, {"/f/:project/:id/:name", "GET"},
	{"/api/v1/health", "GET"},
	{"/api/v1/auth/login", "POST"}, {"/api/v1/auth/status", "GET"},
	{"/api/v1/auth/me", "GET"}, {"/api/v1/auth/admin-profile", "GET PATCH"},
	{"/api/v1/auth/password", "PATCH"}, {"/api/v1/auth/account", "PATCH"},
	{"/api/v1/auth/api-scopes", "GET"}, {"/api/v1/auth/api-keys", "GET POST"},
	{"/api/v1/auth/api-keys/:id", "PATCH DELETE"},
	{"/api/v1/auth/api-keys/:id/rotate", "POST"},
	{"/api/v1/auth/tokens", "GET POST"},
	{"/api/v1/auth/tokens/:id", "PATCH DELETE"},
	{"/api/v1/auth/tokens/:id/rotate", "POST"},
	{"/api/v1/feedbacks/_status", "GET"}, {"/api/v1/logs/_status", "GET"}, {"/api/v1/events/_status", "GET"},
	{"/api/v1/webhooks/codehost/:k", "POST"}, {"/api/v1/webhooks/codehost-app", "POST"},
	{"/api/v1/public/terms", "GET"},
	{"/api/v1/public/terms/:slug", "GET"},
	{"/api/v1/public/:k", "GET"},
	{"/api/v1/public/:k/versions", "GET"},
	{"/api/v1/public/:k/versions/latest", "GET"}, {"/api/v1/public/:k/versions/latest-preview", "GET"},
	{"/api/v1/public/:k/versions/by-version/:v", "GET"},
	{"/api/v1/public/:k/versions/check-update", "POST"},
	{"/api/v1/public/:k/announcements", "GET"},
	{"/api/v1/public/:k/announcements/latest", "GET"},
	{"/api/v1/public/:k/feedbacks", "POST"},
	{"/api/v1/public/:k/feedbacks/options", "GET"}, {"/api/v1/public/:k/feedbacks/:id/reply", "GET"},
	{"/api/v1/public/:k/logs", "POST"}, {"/api/v1/public/:k/events", "POST"},
	{"/api/v1/public/:k/events/me", "GET DELETE"},
	{"/api/v1/admin/projects", "GET POST"},
	{"/api/v1/admin/projects/_status", "GET"}, {"/api/v1/admin/projects/statistics", "GET"},
	{"/api/v1/admin/projects/codehost-repo-preview", "GET"}, {"/api/v1/admin/projects/versions", "POST"},
	{"/api/v1/admin/projects/announcements", "POST"}, {"/api/v1/admin/projects/:k", "GET PATCH DELETE"},
	{"/api/v1/admin/projects/:k/aliases", "GET"},
	{"/api/v1/admin/projects/:k/aliases/:alias", "DELETE"},
	{"/api/v1/admin/projects/:k/locales", "GET POST"},
	{"/api/v1/admin/projects/:k/locales/:locale", "PATCH DELETE"},
	{"/api/v1/admin/projects/:k/versions", "GET POST"},
	{"/api/v1/admin/projects/:k/versions/_status", "GET"}, {"/api/v1/admin/projects/:k/versions/codehost-release-preview", "GET"},
	{"/api/v1/admin/projects/:k/versions/codehost-release-import", "POST"},
	{"/api/v1/admin/projects/:k/versions/by-version/:v", "PUT"},
	{"/api/v1/admin/projects/:k/versions/:id", "GET PATCH DELETE"},
	{"/api/v1/admin/projects/:k/versions/:id/mirror-assets", "POST"},
	{"/api/v1/admin/projects/:k/announcements", "GET POST"},
	{"/api/v1/admin/projects/:k/announcements/_status", "GET"}, {"/api/v1/admin/projects/:k/announcements/:id", "GET PATCH DELETE"},
	{"/api/v1/admin/projects/:k/feedbacks", "GET POST"},
	{"/api/v1/admin/projects/:k/feedbacks/:id", "GET PATCH DELETE"},
	{"/api/v1/admin/projects/:k/logs", "GET POST"},
	{"/api/v1/admin/projects/:k/logs/:id", "PATCH"},
	{"/api/v1/admin/projects/:k/events/subjects/:distinct_id", "DELETE"},
	{"/api/v1/admin/projects/:k/events/definitions", "GET"},
	{"/api/v1/admin/projects/:k/events/definitions/:id", "PATCH DELETE"},
	{"/api/v1/admin/projects/:k/events/stats/overview", "GET"}, {"/api/v1/admin/projects/:k/events/stats/timeseries", "GET"},
	{"/api/v1/admin/projects/:k/events/stats/breakdown", "GET"}, {"/api/v1/admin/projects/:k/events/stats/heatmap", "GET"},
	{"/api/v1/admin/projects/:k/events/analysis/funnel", "POST"}, {"/api/v1/admin/projects/:k/events/analysis/retention", "POST"},
	{"/api/v1/admin/projects/:k/events/analysis/paths", "POST"}, {"/api/v1/admin/projects/:k/events/analysis/query", "POST"},
	{"/api/v1/admin/projects/:k/events/dashboards/cards", "GET POST"},
	{"/api/v1/admin/projects/:k/events/dashboards/cards/:id", "PATCH DELETE"},
	{"/api/v1/admin/projects/:k/stats/requests/overview", "GET"}, {"/api/v1/admin/projects/:k/stats/requests/timeseries", "GET"},
	{"/api/v1/admin/projects/:k/stats/requests/version-adoption", "GET"}, {"/api/v1/admin/projects/:k/stats/requests/client-versions", "GET"},
	{"/api/v1/admin/projects/:k/stats/requests/platform-versions", "GET"}, {"/api/v1/admin/projects/:k/stats/requests/heatmap", "GET"},
	{"/api/v1/admin/projects/:k/stats/logs", "GET"}, {"/api/v1/admin/projects/:k/stats/feedbacks", "GET"},
	{"/api/v1/admin/projects/:k/files", "GET PUT"},
	{"/api/v1/admin/projects/:k/files/:id", "GET DELETE"},
	{"/api/v1/admin/projects/:k/files/:id/retry", "POST"}, {"/api/v1/admin/projects/:k/files/:id/refresh-cdn", "POST"},
	{"/api/v1/admin/projects/:k/files/uploads", "POST"},
	{"/api/v1/admin/projects/:k/files/uploads/:id", "GET DELETE"},
	{"/api/v1/admin/projects/:k/files/uploads/:id/chunks/:index", "PUT"},
	{"/api/v1/admin/projects/:k/files/uploads/:id/complete", "POST"},
	{"/api/v1/admin/projects/:k/codehost-webhook", "GET PUT DELETE"},
	{"/api/v1/admin/projects/:k/codehost-webhook/regenerate", "POST"},
	{"/api/v1/admin/projects/:k/codehost-integration", "GET PUT"},
	{"/api/v1/admin/projects/:k/codehost-integration/repo-template", "GET"},
	{"/api/v1/admin/projects/:k/translate", "POST"},
	{"/api/v1/admin/versions/statistics", "GET"}, {"/api/v1/admin/versions/:id", "GET PATCH DELETE"},
	{"/api/v1/admin/announcements/statistics", "GET"}, {"/api/v1/admin/announcements/:id", "PATCH DELETE"},
	{"/api/v1/admin/feedbacks/statistics", "GET"}, {"/api/v1/admin/feedbacks/:id", "PATCH DELETE"},
	{"/api/v1/admin/logs/statistics", "GET"},
	{"/api/v1/admin/storage", "GET"},
	{"/api/v1/admin/storage/backends", "POST"},
	{"/api/v1/admin/storage/backends/:id", "PATCH DELETE"},
	{"/api/v1/admin/storage/backends/:id/test", "POST"},
	{"/api/v1/admin/storage/cdn", "GET PUT DELETE"},
	{"/api/v1/admin/storage/cdn/test", "POST"},
	{"/api/v1/admin/codehost-app", "GET PUT DELETE"},
	{"/api/v1/admin/terms/documents", "GET"},
	{"/api/v1/admin/terms/documents/:slug", "GET PUT DELETE"},
	{"/api/v1/admin/translation", "GET PUT DELETE"},
	{"/api/v1/admin/translation/test", "POST"},
}

func routerPatterns() []Pattern {
	var all []Pattern
	for _, r := range routerRoutes {
		for method := range strings.FieldsSeq(r.methods) {
			all = append(all, Pattern{method, r.path})
		}
	}
	return all
}

// naiveLookup tries every pattern and returns the most specific match. Of two matches, the more
// specific one is static at the first segment in which they differ.
func naiveLookup(patterns []Pattern, method, path string) (best int, values Params, ok bool) {
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	rank := ""
	for i, p := range patterns {
		if p.Method != method {
			continue
		}
		if list, r := naiveMatch(strings.Split(strings.TrimSuffix(p.Path, "/"), "/"), segments); r > rank {
			best, values, ok, rank = i, list, true, r
		}
	}
	if !ok && method == http.MethodHead {
		return naiveLookup(patterns, http.MethodGet, path)
	}
	return best, values, ok
}

// naiveMatch returns the parameters and the rank of a match. The rank has an s for each static
// segment and a p for each parameter, so that a more specific match has a greater rank. The rank is
// "" if the pattern does not match.
func naiveMatch(want, got []string) (list Params, rank string) {
	if len(want) != len(got) {
		return nil, ""
	}
	for i, w := range want {
		value, err := url.PathUnescape(got[i])
		if name, isParam := strings.CutPrefix(w, ":"); isParam && err == nil && value != "" {
			list = append(list, struct{ Key, Value string }{name, value})
			rank += "p"
		} else if !isParam && err == nil && value == w {
			rank += "s"
		} else {
			return nil, ""
		}
	}
	return list, rank
}

func compareWithNaive(t *testing.T, r *Router, patterns []Pattern, method, path string) (matched bool) {
	t.Helper()
	index, p, ok := r.Lookup(method, path)
	wantIndex, wantParams, wantOK := naiveLookup(patterns, method, path)
	if ok != wantOK || ok && index != wantIndex || !slices.Equal(p, wantParams) {
		t.Fatalf("%s %q: got %d %v %v, want %d %v %v", method, path, index, p, ok, wantIndex, wantParams, wantOK)
	}
	return ok
}

func TestRouterEqualsNaiveMatcher(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	patterns := routerPatterns()
	r, err := NewRouter(patterns)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d, %d routes", seed, len(patterns))
	random := rand.New(rand.NewPCG(seed, 0))
	matched := 0
	rounds := 200_000
	for range rounds {
		method, path := randomRequest(random, patterns)
		if compareWithNaive(t, r, patterns, method, path) {
			matched++
		}
	}
	if matched < rounds/5 || matched > rounds*4/5 {
		t.Errorf("%d of %d paths matched, so the test no longer tries both outcomes", matched, rounds)
	}
}

// randomRequest returns a request that matches one of the patterns. Occasionally it damages the
// path.
func randomRequest(random *rand.Rand, patterns []Pattern) (method, path string) {
	odd := []string{"", "%", "%2", "%zz", "%2F", "%2e%2E", "..", ".", "%25", "%2541", "%%34%31", "a%20b", ":k", "*", "1.0.0", "%E4%B8%AD", "中", "+"}
	some := func() Pattern { return patterns[random.IntN(len(patterns))] }
	p := some()
	method = p.Method
	switch random.IntN(12) {
	case 0:
		method = http.MethodHead
	case 1:
		method = some().Method
	}
	segments := strings.Split(p.Path, "/")[1:]
	for i, s := range segments {
		if isParam(s) {
			segments[i] = fmt.Sprintf("v%d", i)
		}
		switch words := strings.Split(some().Path, "/")[1:]; random.IntN(24) {
		case 0:
			segments[i] = odd[random.IntN(len(odd))]
		case 1:
			segments[i] = words[random.IntN(len(words))]
		case 2:
			segments[i] = words[min(i, len(words)-1)]
		case 3:
			segments[i] = escapeAll(segments[i])
		}
	}
	path = "/" + strings.Join(segments, "/")
	switch random.IntN(20) {
	case 0, 1:
		path += "/"
	case 2:
		path += "//"
	case 3:
		path = path[:random.IntN(len(path)+1)]
	}
	return method, path
}

// escapeAll percent-encodes every byte, alternating between upper and lower case hex digits.
func escapeAll(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, []string{"%%%02x", "%%%02X"}[i%2], text[i])
	}
	return b.String()
}

func TestRouterRules(t *testing.T) {
	t.Parallel()
	patterns := routerPatterns()
	r, err := NewRouter(patterns)
	if err != nil {
		t.Fatal(err)
	}
	const admin, public = "/api/v1/admin/projects", "/api/v1/public"
	for _, tc := range []struct{ name, method, path, want string }{
		{"a path without parameters", "GET", "/api/v1/health", "/api/v1/health"},
		{"parameters by name", "PUT", admin + "/demo/files/uploads/u1/chunks/7", admin + "/:k/files/uploads/:id/chunks/:index k=demo id=u1 index=7"},
		{"a static segment wins over a parameter", "GET", admin + "/statistics", admin + "/statistics"},
		{"a static segment wins in the middle", "GET", public + "/terms/versions", public + "/terms/:slug slug=versions"},
		{"the general route takes what the special one does not", "GET", public + "/terms/versions/latest", public + "/:k/versions/latest k=terms"},
		{"a static segment wins over a parameter after a parameter", "GET", admin + "/demo/versions/_status", admin + "/:k/versions/_status k=demo"},
		{"a special route of another method does not count", "DELETE", admin + "/demo/versions/_status", admin + "/:k/versions/:id k=demo id=_status"},
		{"a reserved word is a value where no route has it", "GET", admin + "/versions", admin + "/:k k=versions"},
		{"HEAD is served by GET", "HEAD", public + "/demo", public + "/:k k=demo"},
		{"HEAD is not served by POST", "HEAD", "/api/v1/auth/login", ""},
		{"a slash at the end is ignored", "GET", public + "/demo/", public + "/:k k=demo"},
		{"a slash at the end of a static path is ignored", "GET", "/api/v1/health/", "/api/v1/health"},
		{"two slashes at the end are no match", "GET", public + "/demo//", ""},
		{"an empty parameter is no match", "GET", public + "//versions", ""},
		{"an empty last parameter is no match", "GET", public + "/", ""},
		{"a doubled slash is no match", "GET", "/api/v1//health", ""},
		{"another method is no match", "DELETE", "/api/v1/health", ""},
		{"a method in lower case is no match", "get", "/api/v1/health", ""},
		{"a static path is compared with its case", "GET", "/api/v1/Health", ""},
		{"a longer path is no match", "GET", "/api/v1/health/x", ""},
		{"a shorter path is no match", "GET", "/api/v1", ""},
		{"no path at all", "GET", "", ""},
		{"the whole server", "OPTIONS", "*", ""},
		{"an escaped slash does not split a segment", "GET", public + "/demo/versions/by-version/1.0%2Fb%20c", public + "/:k/versions/by-version/:v k=demo v=1.0/b c"},
		{"an escaped slash at the end belongs to the value", "GET", public + "/demo%2F", public + "/:k k=demo/"},
		{"a parameter is decoded once", "GET", public + "/%2541", public + "/:k k=%41"},
		{"a parameter is decoded once, all escaped", "GET", public + "/%25%34%31", public + "/:k k=%41"},
		{"a plus is a plus", "GET", public + "/a+b", public + "/:k k=a+b"},
		{"escaped UTF-8", "GET", public + "/%E4%B8%AD", public + "/:k k=中"},
		{"letters of a static path may be escaped", "GET", "/api/v1/%61dmin/projects", admin},
		{"every character of a static path may be escaped", "GET", "/" + escapeAll("api") + "/v1/" + escapeAll("admin") + "/projects/x/versions/" + escapeAll("_status"), admin + "/:k/versions/_status k=x"},
		{"an escaped dot is a value", "GET", public + "/%2E%2E", public + "/:k k=.."},
		{"a dot is a value", "GET", public + "/../versions", public + "/:k/versions k=.."},
		{"dots do not climb", "GET", "/api/v1/public/%2e%2e/health", ""},
		{"a malformed escape is no match", "GET", public + "/%zz", ""},
		{"a cut escape is no match", "GET", public + "/demo%2", ""},
		{"decoding makes no escape out of a malformed one", "GET", public + "/%%34%31", ""},
		{"decoding makes no escape out of a cut one", "GET", public + "/%4%31", ""},
		{"a pattern's own text is only a value", "GET", public + "/:k", public + "/:k k=:k"},
		{"an asterisk is only a value", "GET", public + "/*", public + "/:k k=*"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if i, p, ok := r.Lookup(tc.method, tc.path); ok {
				got = patterns[i].Path
				for _, one := range p {
					got += " " + one.Key + "=" + p.get(one.Key)
				}
			}
			if got != tc.want {
				t.Errorf("%s %s: got %q, want %q", tc.method, tc.path, got, tc.want)
			}
			compareWithNaive(t, r, patterns, tc.method, tc.path)
		})
	}
}

func TestRouterRoot(t *testing.T) {
	t.Parallel()
	r, err := NewRouter([]Pattern{{"GET", "/:k"}, {"GET", "/"}})
	if err != nil {
		t.Fatal(err)
	}
	if i, p, ok := r.Lookup("GET", "/"); i != 1 || p.get("k") != "" || !ok {
		t.Errorf("got %d, %v, %v, want the root", i, p, ok)
	}
	if i, p, ok := r.Lookup("GET", "/a"); i != 0 || p.get("k") != "a" || !ok {
		t.Errorf("got %d, %v, %v, want k=a", i, p, ok)
	}
}

// TestRouterExceptionsToExceptions checks a chain of routes in which each one takes precedence over
// the one before.
func TestRouterExceptionsToExceptions(t *testing.T) {
	t.Parallel()
	patterns := []Pattern{{"GET", "/:a/:b/c"}, {"GET", "/x/:b/c"}, {"GET", "/x/y/:d"}, {"GET", "/:a/z/:d"}}
	for range patterns {
		patterns = append(patterns[1:], patterns[0])
		r, err := NewRouter(patterns)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/x/y/c", "/x/y/e", "/x/q/c", "/q/y/c", "/q/z/c", "/x/z/c", "/x/z/e", "/q/q/q"} {
			compareWithNaive(t, r, patterns, "GET", path)
		}
	}
}

func TestRouterRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		patterns []Pattern
		want     string
	}{
		{"the same route twice", []Pattern{{"GET", "/a"}, {"GET", "/a"}}, "GET /a: matches the same paths as /a"},
		{"two names for one parameter", []Pattern{{"GET", "/a/:x"}, {"PUT", "/a/:y/b"}}, `PUT /a/:y/b: parameter "y" is called "x" in other routes`},
		{"one name for two parameters", []Pattern{{"GET", "/:x/:x"}}, `GET /:x/:x: parameter "x" occurs twice`},
		{"a parameter without a name", []Pattern{{"GET", "/a/:"}}, `segment ":"`},
		{"a second colon", []Pattern{{"GET", "/:a:b"}}, `segment ":a:b"`},
		{"a rest of the path", []Pattern{{"GET", "/a/*rest"}}, `segment "*rest"`},
		{"a character that may arrive in two forms", []Pattern{{"GET", "/a b"}}, `segment "a b"`},
		{"a segment that is not ASCII", []Pattern{{"GET", "/ä"}}, `segment "ä"`},
		{"an empty segment", []Pattern{{"GET", "/a//b"}}, `segment ""`},
		{"a slash at the end", []Pattern{{"GET", "/a/"}}, `segment ""`},
		{"no slash at the beginning", []Pattern{{"GET", "a"}}, "must begin with a slash"},
		{"no path", []Pattern{{"GET", ""}}, "must begin with a slash"},
		{"no method", []Pattern{{"", "/a"}}, "must be in capitals"},
		{"a method in lower case", []Pattern{{"get", "/a"}}, "must be in capitals"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := NewRouter(tc.patterns)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

//nolint:paralleltest // counts the allocations of the whole process
func TestRouterStaticDoesNotAllocate(t *testing.T) {
	testutil.WithoutDetector(t)
	r, err := NewRouter(routerPatterns())
	if err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(100, func() { r.Lookup("HEAD", "/api/v1/admin/projects/statistics") })
	if got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

// FuzzRouter builds a router from arbitrary patterns, one on each line. If NewRouter accepts the
// patterns, it compares the router with naiveLookup.
func FuzzRouter(f *testing.F) {
	f.Add("GET /a/:x\nGET /a/b", "GET", "/a/%62")
	f.Add("GET /:k/v\nGET /t/:s\nGET /t/:s/u\nGET /t", "HEAD", "/t/v/")
	f.Add("GET /", "GET", "")
	f.Add("GET /ab/:x\nGET /a/:x/c\nGET /abc\nGET /a", "GET", "/ab/%2F")
	f.Fuzz(func(t *testing.T, table, method, path string) {
		var patterns []Pattern
		for line := range strings.Lines(table) {
			method, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			patterns = append(patterns, Pattern{method, path})
		}
		r, err := NewRouter(patterns)
		if err != nil {
			return
		}
		compareWithNaive(t, r, patterns, method, path)
	})
}

func BenchmarkRouter(b *testing.B) {
	r, err := NewRouter(routerPatterns())
	if err != nil {
		b.Fatal(err)
	}
	for _, bc := range []struct{ name, method, path string }{
		{"static", "GET", "/api/v1/admin/projects/statistics"},
		{"narrow", "GET", "/api/v1/public/terms/privacy-policy"},
		{"wide", "POST", "/api/v1/public/demo/versions/check-update"},
		{"two_parameters", "GET", "/api/v1/admin/projects/demo/versions/0197f2c4"},
		{"escaped", "GET", "/api/v1/public/demo/versions/by-version/1%2E0%2Fb"},
		{"none", "GET", "/api/v1/admin/projects/demo/nothing"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Lookup(bc.method, bc.path)
			}
		})
	}
}
