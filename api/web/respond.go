package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"svc/internal/control"
	"svc/internal/fault"
)

// statuses maps each kind of fault to its HTTP status. No other code maps faults to statuses.
var statuses = map[fault.Kind]int{
	fault.Invalid:        http.StatusBadRequest,
	fault.Unauthorized:   http.StatusUnauthorized,
	fault.Forbidden:      http.StatusForbidden,
	fault.NotFound:       http.StatusNotFound,
	fault.Conflict:       http.StatusConflict,
	fault.Stale:          http.StatusPreconditionFailed,
	fault.LengthRequired: http.StatusLengthRequired,
	fault.TooLarge:       http.StatusRequestEntityTooLarge,
	fault.TooMany:        http.StatusTooManyRequests,
	fault.BadGateway:     http.StatusBadGateway,
	fault.Unavailable:    http.StatusServiceUnavailable,
	fault.NoSpace:        http.StatusInsufficientStorage,
	fault.Damaged:        http.StatusServiceUnavailable,
}

// errorView is the body of every error.
type errorView struct {
	StatusCode int    `json:"statusCode"`
	Message    any    `json:"message"` // a string, or a list of strings for validation errors
	Error      string `json:"error"`
}

// errGone reports that the client has disconnected. Its kind is fault.Invalid, because the server
// has not failed. No client reads the response.
var errGone = fault.New(fault.Invalid, "the request was given up by the client")

// StatusOf returns the HTTP status for the given error, which may be nil.
func StatusOf(err error) int {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return http.StatusOK
	case !ok:
		return http.StatusInternalServerError
	}
	return statuses[f.Kind]
}

// Fail responds with an error. All errors except those of type fault.Error and disk errors are
// internal. For an internal error, the client gets a constant text, and the details are logged with
// the request id.
func Fail(log *slog.Logger, w http.ResponseWriter, r *Request, err error) {
	delete(w.Header(), "Etag") // the tag describes a change that was not made
	f := explain(log, r, err)
	if f == nil {
		FailInternally(w)
		return
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", Seconds(f.RetryAfter))
	}
	if f.Changed != "" {
		w.Header().Set(OutcomeHeader, string(f.Changed))
	}
	if f.Kind == fault.Damaged {
		w.Header().Set(control.DamagedHeader, "true")
	}
	if f.Validation {
		writeError(w, statuses[f.Kind], f.Messages)
		return
	}
	writeError(w, statuses[f.Kind], f.Error())
}

// Explain logs err as Fail does and returns the HTTP status for err. It is for handlers that write
// the response themselves.
func Explain(log *slog.Logger, r *Request, err error) (status int) {
	if f := explain(log, r, err); f != nil {
		return statuses[f.Kind]
	}
	return http.StatusInternalServerError
}

// explain returns the part of an error that the client may see. If the error is internal, explain
// logs it and returns nil.
func explain(log *slog.Logger, r *Request, err error) *fault.Error {
	err = fault.Disk(err)
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		err = errGone
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		log.Error("request failed", "error", err, "method", r.Method, "path", r.LoggedPath(), "id", r.ID)
		return nil
	}
	if status := statuses[f.Kind]; status >= 500 && err.Error() != f.Error() {
		log.Warn("request refused", "error", err, "method", r.Method, "path", r.LoggedPath(), "id", r.ID)
	}
	return f
}

// FailInternally answers 500 after a bug or another internal failure.
func FailInternally(w http.ResponseWriter) {
	writeError(w, http.StatusInternalServerError, "unexpected error; the log has the details under this request's X-Request-Id")
}

// writeError sends an error body. The message is a string or a list of strings.
func writeError(w http.ResponseWriter, status int, message any) {
	body, err := Encode(errorView{StatusCode: status, Message: message, Error: http.StatusText(status)})
	if err != nil {
		panic(err) // texts always encode
	}
	WriteJSON(w, status, body)
}

// Seconds formats a duration in seconds, rounded up and at least one, for Retry-After and the
// rate-limit headers.
func Seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

// Respond sends a response with the JSON of v as its body.
func Respond(w http.ResponseWriter, status int, v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	WriteJSON(w, status, body)
	return nil
}

// Encode returns the JSON of v, without the escapes that only HTML needs.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendText appends text as a JSON string to a slice and returns the result. It encodes the text
// exactly as Encode does.
func AppendText(to []byte, text string) []byte {
	begin, from := len(to), 0
	to = append(to, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c > '~':
			all, err := Encode(text)
			if err != nil {
				panic(err) // texts always encode
			}
			return append(to[:begin], all...)
		case c == '"' || c == '\\':
			to = append(append(to, text[from:i]...), '\\')
			from = i
		}
	}
	return append(append(to, text[from:]...), '"')
}

// ContentTypeJSON is the value of the Content-Type header of JSON responses. It must not be modified.
var ContentTypeJSON = []string{"application/json; charset=utf-8"}

// MinBytesPerSecond is the minimum transfer rate of a client, in bytes per second. The server
// disconnects slower clients.
const MinBytesPerSecond = 64 << 10

// readingTime returns the time that a client has to read the given number of bytes.
func readingTime(bytes int) time.Duration {
	return 30*time.Second + time.Duration(bytes)*time.Second/MinBytesPerSecond
}

// WriteJSON sends a response with a complete JSON body. For a large body, it extends the write
// timeout in proportion to the size.
func WriteJSON(w http.ResponseWriter, status int, body []byte) {
	if len(body) > MinBytesPerSecond {
		// Writers without deadlines, as in tests without a connection, have no slow clients.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(readingTime(len(body))))
	}
	h := w.Header()
	h["Content-Type"] = ContentTypeJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has gone
}

// deletedView is the response to deletions and to account changes.
type deletedView struct {
	Success bool `json:"success"`
}

// PageView is a page of a list; Total counts all matches.
type PageView struct {
	Total    int  `json:"total"`
	Estimate bool `json:"total_is_estimate,omitempty"` // Total is an upper bound
	Data     any  `json:"data"`
}

// ListView is a list that is not paged.
type ListView struct {
	Data any `json:"data"`
}

// Views returns the result of the function view for each element of a list. The result is never
// nil, so that an empty list is not null in JSON.
func Views[R, V any](list []R, view func(R) V) []V {
	views := make([]V, len(list))
	for i, record := range list {
		views[i] = view(record)
	}
	return views
}

// NoDeadlines removes the read and write timeouts of a request by the owner. It is for requests
// with a body or a response that may take long to transfer.
func NoDeadlines(w http.ResponseWriter) {
	wire := http.NewResponseController(w)
	// A request without a connection has no timeouts.
	_, _ = wire.SetReadDeadline(time.Time{}), wire.SetWriteDeadline(time.Time{})
}

// NoWriteDeadline removes the write timeout, for work that may take longer. The caller must call
// done before it writes the response, to set the timeout again.
func NoWriteDeadline(w http.ResponseWriter) (done func()) {
	wire := http.NewResponseController(w)
	_ = wire.SetWriteDeadline(time.Time{}) // a request in process has no timeout, so ignore the error
	return func() { _ = wire.SetWriteDeadline(time.Now().Add(30 * time.Second)) }
}
