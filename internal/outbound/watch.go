package outbound

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Watch is a RoundTripper for the requests to one server. It remembers when the server accepts the
// next request, and how far its clock is ahead. It is safe for concurrent use.
type Watch struct {
	base http.RoundTripper

	mu     sync.Mutex // guards the fields below
	until  time.Time  // the server wants no request before this time
	offset time.Duration
	dated  bool // whether offset is known
}

// NewWatch returns a Watch that sends requests with base.
func NewWatch(base http.RoundTripper) *Watch { return &Watch{base: base} }

// maxRetryAfter limits the time for which a server can refuse requests.
const maxRetryAfter = time.Hour

// RoundTrip sends r.
func (w *Watch) RoundTrip(r *http.Request) (*http.Response, error) {
	begin := time.Now()
	answer, err := w.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	date, dateErr := http.ParseTime(answer.Header.Get("Date"))
	if dateErr == nil {
		// The server cuts fractions of a second off. It took the time after it had got the request.
		w.offset, w.dated = date.Add(time.Second/2).Sub(begin.Add(now.Sub(begin)/2)), true
	}
	switch text := answer.Header.Get("Retry-After"); {
	case answer.StatusCode < http.StatusBadRequest:
		w.until = time.Time{}
	case text != "":
		w.until = now.Add(min(retryAfter(text, date), maxRetryAfter))
	}
	return answer, nil
}

// retryAfter returns the time that a header names as seconds or as a date, which it compares with that
// of the response. It is 0 if the header is not valid.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil && !now.IsZero() {
		return max(at.Sub(now), 0)
	}
	return 0
}

// ClockOffset returns how far the clock of the server is ahead of that of this machine, to about a
// second. known is false before the first response.
func (w *Watch) ClockOffset() (ahead time.Duration, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.offset, w.dated
}

// Busy adds to the error of a request the time for which the server wants no further one, if it has
// named one. See RetryAfter.
func (w *Watch) Busy(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := time.Until(w.until); err != nil && wait > 0 {
		return &busyError{err, wait}
	}
	return err
}

// busyError is the error of a request to a server that wants no further one for some time.
type busyError struct {
	error
	wait time.Duration
}

func (e *busyError) Unwrap() error { return e.error }

// RetryAfter returns the duration for which the server wants no further request, or 0 if the error does
// not contain one.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*busyError](err); ok {
		return e.wait
	}
	return 0
}
