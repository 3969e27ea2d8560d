package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"svc/internal/fault"
)

// statuses is the only place where a kind of fault becomes a status.
var statuses = map[fault.Kind]int{
	fault.Invalid:      http.StatusBadRequest,
	fault.Unauthorized: http.StatusUnauthorized,
	fault.NotFound:     http.StatusNotFound,
	fault.Conflict:     http.StatusConflict,
	fault.TooLarge:     http.StatusRequestEntityTooLarge,
	fault.TooMany:      http.StatusTooManyRequests,
	fault.Unavailable:  http.StatusServiceUnavailable,
	fault.NoSpace:      http.StatusInsufficientStorage,
}

// errorView is the body of every error.
type errorView struct {
	StatusCode int    `json:"statusCode"`
	Message    any    `json:"message"` // a text, or a list of texts for broken rules
	Error      string `json:"error"`
}

// errGone is for a request that ended because its client went away. Nobody
// reads the answer, and nothing is wrong here.
var errGone = fault.New(fault.Invalid, "the request was given up by the client")

// fail answers with an error. What is neither a fault nor a disk that is full or
// fails is internal: the client gets a constant text, the log gets the rest with
// the request id.
func (s *Server) fail(w http.ResponseWriter, r *request, err error) {
	err = fault.Disk(err)
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		err = errGone
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		s.log.Error("request failed", "error", err, "method", r.Method, "path", r.shownPath(), "id", r.id)
		failInternally(w)
		return
	}
	if status := statuses[f.Kind]; status >= 500 && err.Error() != f.Error() {
		s.log.Warn("request refused", "error", err, "method", r.Method, "path", r.shownPath(), "id", r.id)
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", seconds(f.RetryAfter))
	}
	if f.Validation {
		writeError(w, statuses[f.Kind], f.Messages)
		return
	}
	writeError(w, statuses[f.Kind], f.Error())
}

// failInternally answers for a bug or an accident of ours.
func failInternally(w http.ResponseWriter) {
	writeError(w, http.StatusInternalServerError, "unexpected error; the log has the details under this request's X-Request-Id")
}

// writeError sends the body of an error; message is a text or a list of texts.
func writeError(w http.ResponseWriter, status int, message any) {
	body, err := encode(errorView{StatusCode: status, Message: message, Error: http.StatusText(status)})
	if err != nil {
		panic(err) // texts always encode
	}
	write(w, status, body)
}

// seconds is a duration as whole seconds, at least one: what Retry-After and
// the rate-limit headers carry.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

// respond answers with a JSON body.
func respond(w http.ResponseWriter, status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	write(w, status, body)
	return nil
}

// encode is JSON without escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var contentTypeJSON = []string{"application/json; charset=utf-8"}

// slowest is the pace, in bytes a second, below which a client is given up.
const slowest = 64 << 10

// write sends a finished body. A body that a slow line cannot take within the
// server's time limit gets more time by its size.
func write(w http.ResponseWriter, status int, body []byte) {
	if len(body) > slowest {
		deadline := time.Now().Add(time.Duration(30+len(body)/slowest) * time.Second)
		// A writer without deadlines, as in process, has no slow client.
		_ = http.NewResponseController(w).SetWriteDeadline(deadline)
	}
	h := w.Header()
	h["Content-Type"] = contentTypeJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has gone
}

// deletedView is the answer of deletions and of account changes.
type deletedView struct {
	Success bool `json:"success"`
}

func respondDeleted(w http.ResponseWriter) error {
	return respond(w, http.StatusOK, deletedView{Success: true})
}

// pageView is a page of a list; Total counts all matches.
type pageView struct {
	Total    int  `json:"total"`
	Estimate bool `json:"total_is_estimate,omitempty"` // Total is an upper bound
	Data     any  `json:"data"`
}

// listView is a list that is not paged.
type listView struct {
	Data any `json:"data"`
}
