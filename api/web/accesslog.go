package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"svc/internal/control"
	"svc/internal/logging"
	"svc/internal/proxy"
)

// AccessLog writes one line for each request except health checks.
type AccessLog struct {
	Log *slog.Logger
	// FailuresOnly limits the log to requests with status 500 or higher, which are then logged as
	// warnings. It may change while requests are being answered.
	FailuresOnly atomic.Bool
	IPStorage    string // the form in which the addresses of event senders are logged; see proxy.StoredAddress
}

// Recorder records the status and size of a response for the access log.
type Recorder struct {
	http.ResponseWriter
	Status int // 0 = the response has not begun
	Bytes  int
}

// WriteHeader records the status and passes it on.
func (w *Recorder) WriteHeader(status int) {
	w.Status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes and passes them on.
func (w *Recorder) Write(b []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.Bytes += n
	return n, err
}

// ReadFrom implements io.ReaderFrom, so that the kernel can copy a file to the connection.
func (w *Recorder) ReadFrom(r io.Reader) (int64, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	n, err := io.Copy(w.ResponseWriter, r)
	w.Bytes += int(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *Recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes one line for each request except health checks. The only query parameters that it
// logs are limit and offset.
func (l *AccessLog) Write(r *Request, w *Recorder, end time.Time) {
	failures := l.FailuresOnly.Load()
	if r.Route != nil && r.Route.Quiet || failures && w.Status < http.StatusInternalServerError ||
		!failures && !l.Log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	var pattern string
	if r.Route != nil {
		pattern = r.Route.Path
	}
	attrs := [...]slog.Attr{
		slog.String("method", r.Method),
		slog.String("route", pattern),
		slog.String("path", r.LoggedPath()),
		slog.Int("status", w.Status),
		slog.Int("bytes", w.Bytes),
		slog.Int64("us", end.Sub(r.Received).Microseconds()),
		slog.String("address", l.address(r)),
		slog.String("id", r.ID),
		8: {}, 9: {}, // room for the limit and the offset
	}
	line := attrs[:8]
	if r.URL.RawQuery != "" {
		line = append(line, slog.String("limit", r.Query("limit")), slog.String("offset", r.Query("offset")))
	}
	if failures {
		l.Log.LogAttrs(context.Background(), slog.LevelWarn, "request", line...)
		return
	}
	logging.Info(l.Log, end, "request", line)
}

// address returns the caller's address for the access log. It returns "" if the client asks not to
// be tracked. For a sender of events, it returns the address in the form in which it is stored with
// the events.
func (l *AccessLog) address(r *Request) string {
	switch {
	case r.DoNotTrack():
		return ""
	case r.Route != nil && r.Route.EventSender:
		return proxy.StoredAddress(r.Addr, l.IPStorage)
	case r.Addr.IsValid():
		return r.Addr.String()
	case control.Owner(r.Context()):
		return "control"
	}
	return ""
}
