package httpserver

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/internal/control"
)

// strictTransport lets browsers use HTTPS only, for a year.
const strictTransport = "max-age=31536000"

// openPaths are answered over plain HTTP too: load balancers ask there, and
// nothing in the answers is worth protecting.
var openPaths = []string{"/healthz", "/readyz", "/api/v1/health"}

// onlySecure answers over HTTPS and the control socket. Plain requests are
// checks of the certificate authority, which challenges answers, or are sent on
// to the same path of one of the names.
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

// redirect keeps method and body. The port is the one at which the outside
// reaches HTTPS, whatever this process listens on.
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
