package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"svc/internal/control"
	"svc/internal/logging"
	"svc/internal/proxy"
)

// AccessLog writes one line for each request except health checks.
type AccessLog struct {
	Log       *slog.Logger
	IPStorage string // how addresses of senders of events are logged, as proxy.StoredAddress
}

// Recorder records the status and size of an answer for the access log.
type Recorder struct {
	http.ResponseWriter
	Status int // 0 = not begun
	Bytes  int
}

// WriteHeader passes the status on and keeps it.
func (w *Recorder) WriteHeader(status int) {
	w.Status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write passes the bytes on and counts them.
func (w *Recorder) Write(b []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.Bytes += n
	return n, err
}

// ReadFrom lets the kernel copy a file to the connection.
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

// Write writes one line for each request except health checks. Of the query it logs only limit
// and offset.
func (l *AccessLog) Write(r *Request, w *Recorder, end time.Time) {
	if r.Route != nil && r.Route.Quiet || !l.Log.Enabled(context.Background(), slog.LevelInfo) {
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
		8: {}, 9: {}, // of pages
	}
	line := attrs[:8]
	if r.URL.RawQuery != "" {
		line = append(line, slog.String("limit", r.Query("limit")), slog.String("offset", r.Query("offset")))
	}
	logging.Info(l.Log, end, "request", line)
}

// address returns the caller's address for the access log: none if the client asks not to be
// tracked, and for a sender of events the address that is stored with the events.
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
