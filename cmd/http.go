package cmd

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

// newHTTP is the server for both listeners. Its limits are against clients that
// are slow on purpose; requests over the control socket are marked as the
// owner's.
func newHTTP(handler http.Handler, log *slog.Logger, all *connections) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          stdlog.New(serverLog{log}, "", 0),
		ConnContext:       control.MarkConn,
		ConnState:         all.track,
	}
	server.RegisterOnShutdown(all.closeSilent)
	return server
}

// serverLog takes what net/http says. Handshakes fail all day on a server that
// the internet can reach.
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

// runHTTP answers on the listeners until ctx ends or one of them fails. Then
// nothing new is accepted, and requests that are being answered have the limit
// to finish. When it returns, nothing is accepted and nobody is waited for.
func runHTTP(ctx context.Context, server *http.Server, limit time.Duration, log *slog.Logger, listeners ...net.Listener) error {
	ended := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { ended <- server.Serve(l) }()
	}
	running := len(listeners)
	var failure error
	select {
	case <-ctx.Done():
		log.Info("stopping")
	case failure = <-ended:
		running--
	}
	failure = errors.Join(failure, shutdown(server, limit, log))
	for range running {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failure = errors.Join(failure, err)
		}
	}
	return failure
}

func shutdown(server *http.Server, limit time.Duration, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("requests were cut off by the stop", "after", limit.String())
		return server.Close()
	}
	return err
}
