package cmd

import (
	"context"
	"log/slog"
	"strings"

	"svc/internal/httpserver"
	"svc/internal/systemd"
)

// manager notifies the service manager of the server's state.
type manager struct {
	log    *slog.Logger
	status string
}

func newManager(log *slog.Logger, public *httpserver.Listeners) *manager {
	return &manager{log, "answering at " + strings.Join(public.URLs, " ")}
}

// follow notifies the service manager that the server is ready, and later that it is stopping.
// Errors are not fatal.
func (m *manager) follow(ctx context.Context) (dismiss func()) {
	m.tell(systemd.Ready(m.status))
	return background(ctx, func(ctx context.Context) {
		<-ctx.Done()
		m.tell(systemd.Stopping())
	})
}

// reloading notifies the service manager that the server is reloading while work runs.
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
