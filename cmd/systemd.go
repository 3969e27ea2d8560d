package cmd

import (
	"context"
	"log/slog"
	"strings"

	"svc/internal/httpserver"
	"svc/internal/systemd"
)

// manager is the service manager, which is told how the server stands.
type manager struct {
	log    *slog.Logger
	status string
}

func newManager(log *slog.Logger, public *httpserver.Listeners) *manager {
	return &manager{log, "answering at " + strings.Join(public.URLs, " ")}
}

// follow tells the service manager that the server is ready, and later that it
// stops. Nothing of it ends the server.
func (m *manager) follow(ctx context.Context) (dismiss func()) {
	m.tell(systemd.Ready(m.status))
	return background(ctx, func(ctx context.Context) {
		<-ctx.Done()
		m.tell(systemd.Stopping())
	})
}

// reloading tells that the server reads something again while work does it.
func (m *manager) reloading(work func()) {
	m.tell(systemd.Reloading())
	work()
	m.tell(systemd.Ready(m.status))
}

func (m *manager) tell(err error) {
	if err != nil {
		m.log.Warn("service manager", "error", err)
	}
}
