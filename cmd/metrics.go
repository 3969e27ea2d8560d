package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
)

// metricsConnections bounds those who ask for metrics: nobody needs more.
const metricsConnections = 64

// serveMetrics answers with the metrics, and nothing else, on an address of their
// own until stop is called.
func serveMetrics(ctx context.Context, address string, metrics http.Handler, log *slog.Logger) (url string, stop func(), err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("metrics: %w\nuse another address with --metrics-listen or SVC_METRICS_LISTEN", err)
	}
	paths := http.NewServeMux()
	paths.Handle("GET /metrics", metrics)
	all := newConnections(metricsConnections, log)
	server := newHTTP(paths, log, all)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(all.limit(listener)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not answered any more", "error", err)
		}
	}()
	return "http://" + reachable(listener.Addr()) + "/metrics", func() {
		_ = server.Close() // whoever asks now can do without
		<-ended
	}, nil
}
