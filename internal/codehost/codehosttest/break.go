package codehosttest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// Fault simulates a failure. It returns a handler that replaces next, the handler of the
// host. The returned handler may call next if the host is to process the request before
// the failure.
type Fault func(h *Host, next http.Handler) http.Handler

// breakage is a fault that applies to some requests.
type breakage struct {
	method, part string
	left         int // number of requests to which the fault still applies; negative = no limit
	fault        Fault
}

// Break makes a fault apply to all requests with the given method that contain part in
// their path. If method is empty, it applies to any method.
func (h *Host) Break(method, part string, fault Fault) { h.BreakTimes(-1, method, part, fault) }

// BreakTimes is like Break, but the fault applies only to the given number of matching
// requests and not to later ones.
func (h *Host) BreakTimes(times int, method, part string, fault Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, &breakage{method, part, times, fault})
}

// Mend removes all faults. Requests that are hanging because of a fault continue to hang.
func (h *Host) Mend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = nil
}

// fault returns the fault that applies to a request, or nil.
func (h *Host) fault(r *http.Request) Fault {
	for _, b := range h.broken {
		if b.left != 0 && (b.method == "" || b.method == r.Method) && strings.Contains(r.URL.Path, b.part) {
			b.left--
			return b.fault
		}
	}
	return nil
}

// Answer returns a fault that responds with the given status and text.
func Answer(status int, text string) Fault {
	return func(*Host, http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text)) // fails if the client has disconnected
		})
	}
}

// Status returns a fault that responds with the given status and an error in the API's
// format.
func Status(status int) Fault {
	return func(*Host, http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fail(w, status, Secret)
		})
	}
}

// Secret is a part of the error message in each response of the fault Status. The server
// under test must not show it to visitors.
const Secret = "the-code-host-said-so"

// RateLimit returns a fault that refuses calls as if the hourly limit had been used up.
// The limit ends after the given duration.
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

// SecondaryLimit returns a fault that refuses calls as if too many had been made at the
// same time. If wait is negative, the response does not contain the end of the limit.
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

// Slow returns a fault that delays the response by wait, or until the client disconnects.
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

// Hang returns a fault that never responds. It ends when the client disconnects.
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

// Cut returns a fault that closes the connection without processing the request.
func Cut() Fault {
	return func(*Host, http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	}
}

// Lose returns a fault that processes the request and then closes the connection without
// responding.
func Lose() Fault {
	return func(_ *Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	}
}

// clock returns the current time of the host's clock.
func (h *Host) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now()
}
