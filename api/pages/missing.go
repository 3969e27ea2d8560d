package pages

import (
	"errors"
	"net/http"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
)

// ForPeople reports whether a request was made by a browser to display a page. If nothing exists at
// the address, such a request is answered with a page instead of an API error.
func ForPeople(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasPrefix(r.URL.Path, "/api/") {
		return false
	}
	return strings.Contains(strings.Join(r.Header["Accept"], ","), "text/html")
}

// Missing responds with the page for status 404.
func (h *Handlers) Missing(w http.ResponseWriter, r *web.Request) {
	h.problem(w, r, http.StatusNotFound, func(t *words) string { return t.MissingTitle }, func(t *words) string { return t.MissingText })
}

// page wraps a handler so that the response to an error is a page.
func (h *Handlers) page(answer web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *web.Request) error {
		err := answer(w, r)
		switch {
		case err == nil:
		case fault.Is(err, fault.NotFound):
			h.Missing(w, r)
		default:
			status := web.Explain(h.Log, r, err)
			if f, ok := errors.AsType[*fault.Error](err); ok && f.RetryAfter > 0 {
				w.Header().Set("Retry-After", web.Seconds(f.RetryAfter))
			}
			h.problem(w, r, status, func(t *words) string { return t.FailedTitle }, func(t *words) string { return t.FailedText })
		}
		return nil
	}
}
