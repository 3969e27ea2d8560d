package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// watchSignals gives a context that ends with the first interrupt or
// termination signal. The second ends the process at once. stop ends the watch.
func watchSignals(stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				switch {
				case s == syscall.SIGHUP:
					// A terminal that is closed must not end a server.
				case ctx.Err() == nil:
					cancel()
				default:
					say(stderr, "stopped at once by a second signal")
					os.Exit(exitFailed)
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
