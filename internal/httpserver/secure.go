package httpserver

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/internal/control"
)

// strictTransport makes browsers use only HTTPS for a year.
const strictTransport = "max-age=31536000"

// openPaths lists the paths for which requests over plain HTTP are not redirected. Load
// balancers request them, and the responses contain nothing confidential.
var openPaths = []string{"/healthz", "/readyz", "/api/v1/health"}

// onlySecure returns a handler that passes requests over HTTPS and over the control socket to the
// handler next. It passes all other requests to the handler that challenges returns, which responds
// to the challenges of the certificate authority. The remaining requests are passed to the handler
// next if they are for openPaths. Otherwise they are redirected to the same path on one of the
// names.
func onlySecure(next http.Handler, names []string, challenges func(http.Handler) http.Handler) http.Handler {
	plain := challenges(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(openPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		redirect(w, r, names)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.TLS != nil:
			w.Header()["Strict-Transport-Security"] = []string{strictTransport}
			next.ServeHTTP(w, r)
		case control.Owner(r.Context()):
			next.ServeHTTP(w, r)
		default:
			plain.ServeHTTP(w, r)
		}
	})
}

// redirect redirects a request to HTTPS, with the same method and body. The target has
// the default port, regardless of the port on which this process listens.
func redirect(w http.ResponseWriter, r *http.Request, names []string) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if host = strings.ToLower(host); !slices.Contains(names, host) {
		host = names[0]
	}
	to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if !strings.HasPrefix(to.Path, "/") {
		to.Path, to.RawPath = "/", ""
	}
	w.Header()["Location"] = []string{to.String()}
	w.WriteHeader(http.StatusPermanentRedirect)
}
