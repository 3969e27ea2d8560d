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

// follow notifies the service manager that the server is ready. When ctx ends or dismiss is called,
// it notifies the service manager that the server is stopping. It logs errors and does not return
// them.
func (m *manager) follow(ctx context.Context) (dismiss func()) {
	m.tell(systemd.Ready(m.status))
	return background(ctx, func(ctx context.Context) {
		<-ctx.Done()
		m.tell(systemd.Stopping())
	})
}

// reloading calls the function work and notifies the service manager before and after the call, so
// that the server is shown as reloading in the meantime.
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
