package httpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOnlySecure checks which requests over plain HTTP are served and which are
// redirected.
func TestOnlySecure(t *testing.T) {
	t.Parallel()
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") })
	challenges := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/.well-known/acme-challenge/") {
				_, _ = io.WriteString(w, "proof")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	guarded := onlySecure(next, []string{"a.example", "b.example"}, challenges)
	for _, tc := range []struct{ name, method, url, host, body, location string }{
		{"the same path and query", "GET", "/x%2Fy?a=1&b=%20", "a.example", "", "https://a.example/x%2Fy?a=1&b=%20"},
		{"the name that was asked", "GET", "/", "B.example:80", "", "https://b.example/"},
		{"no name of others", "GET", "/x", "evil.example", "", "https://a.example/x"},
		{"no host in the path", "GET", "//evil.example/x", "a.example", "", "https://a.example//evil.example/x"},
		{"methods with a body too", "POST", "/api/v1/auth/login", "a.example", "", "https://a.example/api/v1/auth/login"},
		{"a request without a path", "OPTIONS", "*", "a.example", "", "https://a.example/"},
		{"the authority", "GET", "/.well-known/acme-challenge/x", "a.example", "proof", ""},
		{"health", "GET", "/healthz", "10.0.0.1", "answer", ""},
		{"health of the interface", "GET", "/api/v1/health", "10.0.0.1", "answer", ""},
		{"readiness", "GET", "/readyz", "10.0.0.1", "answer", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(tc.method, tc.url, nil)
			r.Host = tc.host
			w := httptest.NewRecorder()
			guarded.ServeHTTP(w, r)
			want := http.StatusPermanentRedirect
			if tc.location == "" {
				want = http.StatusOK
			}
			if w.Code != want || w.Body.String() != tc.body || w.Header().Get("Location") != tc.location || w.Header().Get("Strict-Transport-Security") != "" {
				t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
			}
		})
	}
	r := httptest.NewRequest(http.MethodGet, "https://a.example/x", nil)
	w := httptest.NewRecorder()
	guarded.ServeHTTP(w, r)
	if w.Body.String() != "answer" || w.Header().Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("over HTTPS: got %q %v", w.Body, w.Header())
	}
}
