package codehosttest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// Fault is a kind of failure. It may call next, so that the host does its work first.
type Fault func(h *Host, next http.Handler) http.Handler

// breakage is a fault for some requests.
type breakage struct {
	method, part string
	left         int // number of requests to fail; negative means all
	fault        Fault
}

// Break makes all requests fail that have part in their path. An empty method matches any.
func (h *Host) Break(method, part string, fault Fault) { h.BreakTimes(-1, method, part, fault) }

// BreakTimes is Break for the next times requests.
func (h *Host) BreakTimes(times int, method, part string, fault Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, &breakage{method, part, times, fault})
}

// Mend removes all faults. Requests that hang continue to hang.
func (h *Host) Mend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = nil
}

// fault returns the fault for a request, or nil.
func (h *Host) fault(r *http.Request) Fault {
	for _, b := range h.broken {
		if b.left != 0 && (b.method == "" || b.method == r.Method) && strings.Contains(r.URL.Path, b.part) {
			b.left--
			return b.fault
		}
	}
	return nil
}

// Answer answers with a status and a text. Tests look for its first line in the answers to clients.
func Answer(status int, text string) Fault {
	return func(*Host, http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text)) // the client may have disconnected
		})
	}
}

// Status answers with an error in the API's form.
func Status(status int) Fault {
	return func(*Host, http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fail(w, status, Secret)
		})
	}
}

// Secret is in the message of each error of Status, and must not be shown to visitors.
const Secret = "the-code-host-said-so"

// RateLimit refuses calls as if the hourly limit was used up. The limit ends after wait.
func RateLimit(wait time.Duration) Fault {
	return func(h *Host, _ http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			now := h.clock()
			w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
			w.Header().Set("X-Ratelimit-Limit", "5000")
			w.Header().Set("X-Ratelimit-Remaining", "0")
			w.Header().Set("X-Ratelimit-Reset", strconv.FormatInt(now.Add(wait).Unix(), 10))
			fail(w, http.StatusForbidden, "API rate limit exceeded for installation.")
		})
	}
}

// SecondaryLimit refuses calls as if there were too many at once. With a negative wait it does not
// give a time.
func SecondaryLimit(status int, wait time.Duration) Fault {
	return func(h *Host, _ http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", h.clock().UTC().Format(http.TimeFormat))
			w.Header().Set("X-Ratelimit-Remaining", "4711")
			if wait >= 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
			}
			fail(w, status, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
		})
	}
}

// Slow answers after wait unless the client disconnects earlier.
func Slow(wait time.Duration) Fault {
	return func(h *Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
				next.ServeHTTP(w, r)
			case <-r.Context().Done():
			case <-h.closed:
			}
		})
	}
}

// Hang does not answer until the client disconnects.
func Hang() Fault {
	return func(h *Host, _ http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-h.closed:
			}
		})
	}
}

// Cut closes the connection instead of answering.
func Cut() Fault {
	return func(*Host, http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	}
}

// Lose handles the request and closes the connection instead of answering.
func Lose() Fault {
	return func(_ *Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	}
}

// clock returns the time of the host.
func (h *Host) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now()
}
