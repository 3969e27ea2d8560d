package pages_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"svc/api/apitest"
)

// browser holds the headers that a browser sends when it opens an address.
var browser = map[string]string{"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Encoding": "identity"}

// policy returns the value of the given directive in a Content-Security-Policy.
func policy(t *testing.T, text, directive string) string {
	t.Helper()
	for part := range strings.SplitSeq(text, ";") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(part), directive); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Errorf("no %s in %q", directive, text)
	return ""
}

// TestPolicy checks which resources a page may load and which sites may embed it.
func TestPolicy(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, path := range []string{"/admin", "/login", "/no/such/page"} {
		_, _, header := s.Visit(t, "GET", path, browser)
		text, scripts := header.Get("Content-Security-Policy"), "'self'"
		if path == "/no/such/page" { // this page has no scripts
			scripts = "'none'"
		}
		for directive, want := range map[string]string{
			"default-src": "'self'", "script-src": scripts, "img-src": "'self' data: blob: https:", "connect-src": "'self'", "frame-ancestors": "'none'",
			"base-uri": "'none'", "form-action": "'self'", "object-src": "'none'", "require-trusted-types-for": "'script'",
		} {
			if got := policy(t, text, directive); got != want {
				t.Errorf("%s: %s is %q, want %q", path, directive, got, want)
			}
		}
		if strings.Contains(text, "unsafe") {
			t.Errorf("%s: %q allows what is not safe", path, text)
		}
		for name, want := range map[string]string{
			"Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin", "Content-Type": "text/html; charset=utf-8",
			"Access-Control-Allow-Origin": "",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

// TestConsolePage checks that the address of each console page is answered with the document of
// that page, and that other addresses below /admin are answered with index.html. Each response must
// have a new nonce. The document of a page must load additional files, all of which must exist.
func TestConsolePage(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	nonces := map[string]bool{}
	for _, tc := range []struct{ path, document string }{
		{"/admin", "page.admin.html"},
		{"/admin/", "page.admin.html"},
		{"/login", "page.login.html"},
		{"/login?returnTo=/admin/logs", "page.login.html"},
		{"/admin/projects", "page.admin.projects.html"},
		{"/admin/settings/codehost-app", "page.admin.settings.codehost-app.html"},
		{"/admin/projects/a%2Fb/codehost", "index.html"},
		{"/admin/nothing", "index.html"},
		{"/admin", "page.admin.html"},
	} {
		path := tc.path
		built, err := os.ReadFile("../../assets/console/dist/" + tc.document)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(built), "__NONCE__") {
			t.Errorf("%s has no place for the nonce", tc.document)
		}
		if preloads := strings.Contains(string(built), `<link rel="modulepreload"`); preloads != (tc.document != "index.html") {
			t.Errorf("%s: names files of a page: %v", tc.document, preloads)
		}
		for _, link := range regexp.MustCompile(`(?:href|src)="(/console/[^"]+)"`).FindAllStringSubmatch(string(built), -1) {
			if status, _, _ := s.Visit(t, "GET", link[1], nil); status != 200 {
				t.Errorf("%s: %s: got %d", tc.document, link[1], status)
			}
		}
		status, page, header := s.Visit(t, "GET", path, map[string]string{"Origin": "https://elsewhere.example"})
		nonce := regexp.MustCompile(`'nonce-([^']+)'`).FindStringSubmatch(policy(t, header.Get("Content-Security-Policy"), "style-src"))
		if status != 200 || len(nonce) != 2 || len(nonce[1]) < 22 {
			t.Fatalf("%s: got %d, %v", path, status, header)
		}
		if want := strings.ReplaceAll(string(built), "__NONCE__", nonce[1]); page != want {
			t.Errorf("%s: got %.2000s, want %.2000s", path, page, want)
		}
		if nonces[nonce[1]] {
			t.Errorf("%s: the nonce %s was there before", path, nonce[1])
		}
		nonces[nonce[1]] = true
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Access-Control-Allow-Origin": "", "Access-Control-Allow-Credentials": ""} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

// TestMissing checks that a request for a missing address is answered with a page for browsers and
// with an API error for programs.
func TestMissing(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, tc := range []struct {
		method, path string
		page         bool
	}{
		{"GET", "/no/such/page", true},
		{"HEAD", "/no/such/page", true},
		{"GET", "/admin/a/b/c/d", true},
		{"GET", "/console/none.js", true},
		{"GET", "/console/index.html", true},
		{"GET", "/admin//projects", true},
		{"POST", "/admin", false},
		{"DELETE", "/no/such/page", false},
		{"GET", "/api/v1/nothing", false},
		{"GET", "/api/v2", false},
	} {
		for _, accept := range []string{browser["Accept"], "*/*", "application/json"} {
			status, body, header := s.Visit(t, tc.method, tc.path, map[string]string{"Accept": accept})
			want := "application/json; charset=utf-8"
			if tc.page && strings.HasPrefix(accept, "text/html") {
				want = "text/html; charset=utf-8"
			}
			if got := header.Get("Content-Type"); status != 404 || got != want {
				t.Errorf("%s %s, %s: got %d %s, want 404 %s", tc.method, tc.path, accept, status, got, want)
			}
			if strings.HasPrefix(want, "text/html") && tc.method == "GET" && !strings.Contains(body, "noindex") {
				t.Errorf("%s: search engines may keep %s", tc.path, body)
			}
		}
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	status, body, header := s.Visit(t, "GET", "/robots.txt", nil)
	if status != 200 || header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(body, "User-agent: *\n") || !strings.Contains(body, "\nDisallow: /admin\n") {
		t.Errorf("got %d %v %s", status, header, body)
	}
	if status, _, _ := s.Visit(t, "GET", "/robots.txt", map[string]string{"If-None-Match": header.Get("ETag")}); status != 304 {
		t.Errorf("what is known: got %d, want 304", status)
	}
}

// TestHead checks that HEAD is answered like GET, without the body.
func TestHead(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, path := range []string{"/admin", "/login/", "/robots.txt", "/none"} {
		status, _, header := s.Visit(t, "GET", path, browser)
		got, body, head := s.Visit(t, "HEAD", path, browser)
		if got != status || body != "" || head.Get("Content-Length") != header.Get("Content-Length") || head.Get("Content-Type") != header.Get("Content-Type") {
			t.Errorf("HEAD %s: got %d %v, want %d %v", path, got, head, status, header)
		}
	}
}
