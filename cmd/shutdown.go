package cmd

import (
	"context"
	"io"
	"os"
	"runtime/pprof"
	"time"
)

// closeTime is how long closing the data may take after the last request. With the default
// shutdown_timeout the process has ended before systemd kills it (TimeoutStopSec=30).
const closeTime = 15 * time.Second

// limitShutdown ends the process with exitHung if stop is not called within limit after the end
// of ctx: a disk may never answer. Nothing that was acknowledged is lost.
func limitShutdown(ctx context.Context, limit time.Duration, stderr io.Writer) (stop func()) {
	ended := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		select {
		case <-ended:
			return
		case <-time.After(limit):
		}
		go func() { // the standard error may be what hangs
			say(stderr, "the shutdown did not end within %s; the process ends without it\nthese goroutines were running:", limit)
			_ = pprof.Lookup("goroutine").WriteTo(stderr, 1)
			os.Exit(exitHung)
		}()
		<-time.After(time.Second)
		os.Exit(exitHung)
	})
	return func() {
		close(ended)
		undo()
	}
}
