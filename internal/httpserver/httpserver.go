// Package httpserver opens the listeners that the settings specify, and serves HTTP on
// them. It supports TCP and Unix sockets, plain or with TLS. Timeouts and connection
// limits protect the server from slow clients. A shutdown lets requests in progress
// finish.
//
//	httpserver.go   Server: timeouts, serving, shutdown
//	listeners.go    Listeners: addresses, certificates
//	unix.go         Unix sockets for a reverse proxy on this machine
//	secure.go       redirects from HTTP to HTTPS
//	connections.go  the limit of open connections
//	files_unix.go   the limit of open files; files_windows.go likewise
package httpserver

import (
	"context"
	"errors"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"svc/internal/control"
)

// Server is an HTTP server. Its timeouts protect it from clients that are slow on
// purpose.
type Server struct {
	http        *http.Server
	connections *connections
	log         *slog.Logger
}

// Limits contains the limits for the public connections of a server. Connections to the
// control socket are not limited.
type Limits struct {
	// Connections is the maximum number of open connections. It is reduced if the limit of
	// open files permits fewer. 0 means as many as that limit permits.
	Connections int
	// Exempt reports whether an address may have more than an eighth of the connections, as
	// a reverse proxy needs. If Exempt is nil, every address may.
	Exempt func(remoteAddr string) bool
}

// NewServer returns a server. The server marks requests over the control socket as requests of the
// owner.
func NewServer(handler http.Handler, limits Limits, log *slog.Logger) *Server {
	most := connectionLimit(limits.Connections, openFiles())
	if most < limits.Connections {
		log.Warn("the process may not open enough files for max_connections", "wanted", limits.Connections, "max", most)
	}
	limits.Connections = most
	s := &Server{connections: newConnections(limits, log), log: log}
	s.http = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          stdlog.New(serverLog{log}, "", 0),
		ConnContext:       control.MarkConn,
		ConnState:         s.connections.track,
	}
	s.http.RegisterOnShutdown(s.connections.closeSilent)
	return s
}

// Serve accepts connections from the public listeners and from the listener of the control socket,
// which is the parameter owner and may be nil, until ctx ends or a listener fails. It then accepts
// no further connections and waits for requests in progress, but not longer than limit. If limit is
// 0, it interrupts them immediately. No request is in progress when Serve returns.
func (s *Server) Serve(ctx context.Context, limit time.Duration, owner net.Listener, public ...net.Listener) error {
	var listeners []net.Listener
	for _, l := range public {
		listeners = append(listeners, s.connections.limit(l))
	}
	if owner != nil {
		listeners = append(listeners, owner)
	}
	return s.run(ctx, limit, listeners)
}

// Connections returns the figures of the public connections.
func (s *Server) Connections() Counts { return s.connections.Counts() }

// serverLog logs the messages of net/http. It logs failed TLS handshakes only at the
// debug level, because they are frequent on a public server.
type serverLog struct{ log *slog.Logger }

func (l serverLog) Write(line []byte) (int, error) {
	text := strings.TrimSuffix(string(line), "\n")
	level := slog.LevelWarn
	if strings.HasPrefix(text, "http: TLS handshake error") {
		level = slog.LevelDebug
	}
	l.log.Log(context.Background(), level, "http", "message", text)
	return len(line), nil
}

func (s *Server) run(ctx context.Context, limit time.Duration, listeners []net.Listener) error {
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- s.http.Serve(l) }()
	}
	running := len(listeners)
	var failure error
	select {
	case <-ctx.Done():
		s.log.Info("stopping")
	case failure = <-ended:
		running--
	}
	failure = errors.Join(failure, s.shutdown(limit))
	for range running {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failure = errors.Join(failure, err)
		}
	}
	return failure
}

func (s *Server) shutdown(limit time.Duration) error {
	if limit == 0 {
		return s.http.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests interrupted by the shutdown", "after", limit.String())
		return s.http.Close()
	}
	return err
}
