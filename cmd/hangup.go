package cmd

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"svc/internal/systemd"
)

// followManager tells the service manager that the server is ready, and later
// that it stops, and in between reads what can be read again at each hangup
// signal. Nothing of it ends the server. stop waits for a reading that has
// begun.
func followManager(ctx context.Context, log *slog.Logger, f *front, reloads ...func() error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	tell := func(err error) {
		if err != nil {
			log.Warn("service manager", "error", err)
		}
	}
	status := "answering at " + strings.Join(f.urls, " ")
	tell(systemd.Ready(status))
	var follower sync.WaitGroup
	follower.Go(func() {
		for {
			select {
			case <-ctx.Done():
				tell(systemd.Stopping())
				return
			case <-hangups:
			}
			tell(systemd.Reloading())
			for _, reload := range reloads {
				if err := reload(); err != nil {
					log.Warn("not read again", "error", err)
				}
			}
			tell(systemd.Ready(status))
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		follower.Wait()
	}
}
