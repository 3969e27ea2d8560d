package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"svc/internal/control"
	"svc/internal/fault"
	"svc/internal/replica"
)

// Headers of a server with replication.
const (
	// StandbyHeader is the age of the data of a standby: the whole seconds since the last contact of the
	// primary.
	StandbyHeader = "X-Svc-Standby"
	// OutcomeHeader is the header of a failed write: none if nothing has changed, unknown otherwise.
	OutcomeHeader = "X-Svc-Outcome"
)

// Replication connects a server with its replication. A nil *Replication is a server without
// replication. A promotion turns a standby into a primary while requests are answered.
type Replication struct {
	// Status describes the replication now. Its role decides whether the server is a standby.
	Status func() replica.Status
	// Counters counts the requests to the target and their failures since the start, by operation, and
	// the bytes that were sent.
	Counters func() (requests, failures map[string]uint64, bytes uint64)
	// ClockOffset returns how far the clock of the target is ahead, if that is known. nil = unknown.
	ClockOffset func() (ahead time.Duration, known bool)
	// Standby reports whether the server is a standby, and the time since the last contact of the
	// primary that the standby knows. nil = the server has always been a primary.
	Standby func() (behind time.Duration, standby bool)
	// Admit returns the fault with which a primary refuses writes now, or nil.
	Admit func() error
	// Confirm waits until everything that has been committed so far is at the target. nil = changes are
	// sent asynchronously.
	Confirm func(context.Context) error
	// Position returns the position of the last commit. It is set if Confirm is.
	Position func() uint64
	// Snapshot makes a snapshot and waits until it is complete.
	Snapshot func(context.Context) error
	// Promote turns a standby into a primary. nil = the server has always been a primary.
	Promote func(ctx context.Context, oldPrimaryIsDown bool) (replica.Promotion, error)
}

// Behind reports whether the server is a standby, and the time since the last contact of its
// primary.
func (p *Replication) Behind() (behind time.Duration, standby bool) {
	if p == nil || p.Standby == nil {
		return 0, false
	}
	return p.Standby()
}

// maxBehind is how far a standby may be behind that answers reads for a load balancer.
const maxBehind = time.Minute

// Ready returns "" if the server accepts writes, or reads if that is enough. Otherwise it returns the
// reason for users.
func (p *Replication) Ready(reads bool) (message string) {
	behind, standby := p.Behind()
	switch {
	case standby && !reads:
		return "this server is a standby"
	case standby && behind > maxBehind:
		return fmt.Sprintf("this standby has not heard from its primary for %d seconds", int(behind.Seconds()))
	case !standby && p.Status().Fenced:
		return "another server has become the primary"
	}
	return ""
}

// IsStandby reports whether the server is a standby.
func (p *Replication) IsStandby() bool {
	_, standby := p.Behind()
	return standby
}

// Accepts returns the fault with which the server refuses every write now, or nil if it accepts writes.
func (p *Replication) Accepts() error {
	switch {
	case p == nil:
		return nil
	case p.IsStandby():
		return errStandby
	case p.Admit == nil:
		return nil
	}
	return p.Admit()
}

// standbyWait is the value of Retry-After for requests that only a primary can answer.
const standbyWait = 30 * time.Second

var errStandby = error(fault.New(fault.Unavailable, "this server is a standby and only answers requests that change nothing; "+
	"send this request to the primary").After(standbyWait).Outcome(fault.OutcomeNone))

// ErrNotCopied rejects a request for a file if its content has not arrived at the standby yet.
var ErrNotCopied = error(fault.New(fault.Unavailable,
	"this server is a standby, and the content of the file has not arrived yet; try again in 30 seconds").After(standbyWait))

// Check returns an error if the server must not execute the request because of its replication. It
// sets the header of a standby.
func (p *Replication) Check(r *Request) error {
	if r.Route.ReadOnly() {
		if behind, standby := p.Behind(); standby {
			r.Writer.Header()[StandbyHeader] = []string{strconv.FormatInt(int64(behind.Seconds()), 10)}
		}
		return nil
	}
	if r.Route.Access.Kind == Owner && !control.Owner(r.Context()) {
		return nil // Gate hides the route
	}
	return p.Accepts()
}

// Execute calls a handler. If changes are sent synchronously and the route may change something,
// the client receives nothing until everything that the handler has committed is at the target. If
// that fails, the response of the handler is discarded, and Execute returns the reason. A refusal
// does not wait if it is the response to a request that has changed nothing.
func (p *Replication) Execute(w http.ResponseWriter, r *Request, handler Handler) error {
	if p.Confirm == nil || r.Route.ReadOnly() {
		return handler(w, r)
	}
	header := w.Header()
	before := maps.Clone(header)
	held := &heldWriter{ResponseWriter: w, request: r, begun: p.Position()}
	writer := r.Writer
	r.Writer = held
	err := handler(held, r)
	r.Writer = writer
	if err != nil && !held.asked && !held.mustWait(StatusOf(err)) {
		return err
	}
	if !held.confirmed() {
		clear(header)
		maps.Copy(header, before)
		return held.failure
	}
	return err
}

// Confirm waits until everything that has been committed so far is at the target, if changes are
// sent synchronously. Only handlers that write a part of their response before the last commit have
// to call it.
func (r *Request) Confirm() error {
	if p := r.Route.Replication; p != nil && p.Confirm != nil {
		if !r.ByOwner() { // the owner's requests may have no deadlines
			defer r.restartDeadline()
		}
		return p.Confirm(r.Context())
	}
	return nil
}

// heldWriter passes a response on once all changes are at the target, and discards the response if
// that fails.
type heldWriter struct {
	http.ResponseWriter
	request *Request
	begun   uint64 // position before the handler was called
	asked   bool   // whether the response has begun or has failed
	failure error  // set when asked is set
}

// mustWait reports whether a response with the given status must wait until all changes are at the target. A
// refusal need not if nothing was committed, unless it can tell the client that an earlier request has
// succeeded: what it creates exists, or what it deletes does not.
func (w *heldWriter) mustWait(status int) bool {
	switch {
	case status < http.StatusBadRequest, status == http.StatusConflict, status == http.StatusPreconditionFailed,
		status == http.StatusNotFound && w.request.Method == http.MethodDelete:
		return true
	}
	return w.request.Route.Replication.Position() != w.begun // perhaps by another request
}

func (w *heldWriter) confirmed() bool {
	if !w.asked {
		w.asked, w.failure = true, w.request.Confirm()
	}
	return w.failure == nil
}

// WriteHeader passes the status on or discards it.
func (w *heldWriter) WriteHeader(status int) {
	if status >= http.StatusOK && !w.asked && !w.mustWait(status) {
		w.asked = true
	}
	if status < http.StatusOK || w.confirmed() {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write passes the bytes on or discards them. Discarding is not an error, because the handler must
// not report one.
func (w *heldWriter) Write(b []byte) (int, error) {
	if !w.confirmed() {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// FlushError sends what has been written.
func (w *heldWriter) FlushError() error {
	if !w.confirmed() {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
