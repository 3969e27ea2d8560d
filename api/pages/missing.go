package pages

import (
	"errors"
	"net/http"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
)

// ForPeople reports whether a request is that of somebody at a browser, who gets a page
// where there is nothing, and not the error of the interface.
func ForPeople(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasPrefix(r.URL.Path, "/api/") {
		return false
	}
	return strings.Contains(strings.Join(r.Header["Accept"], ","), "text/html")
}

// Missing answers that there is no page.
func (h *Handlers) Missing(w http.ResponseWriter, r *web.Request) {
	h.problem(w, r, http.StatusNotFound, func(t *words) string { return t.MissingTitle }, func(t *words) string { return t.MissingText })
}

// page is a handler whose errors are pages, too.
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
