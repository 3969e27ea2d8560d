package cmd

import (
	"context"
	"io"
	"os"
	"runtime/pprof"
	"time"
)

// closeTime is the maximum time that closing the data may take after the last request. With the
// default shutdown_timeout, the process ends before systemd kills it (TimeoutStopSec=30).
const closeTime = 15 * time.Second

// limitShutdown limits the time that a shutdown may take, because a broken disk can block it
// forever. If the caller does not call stop within limit after the end of ctx, the process exits
// with exitHung. No acknowledged data is lost.
func limitShutdown(ctx context.Context, limit time.Duration, stderr io.Writer) (stop func()) {
	ended := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		select {
		case <-ended:
			return
		case <-time.After(limit):
		}
		go func() { // writing to the standard error may block too
			say(stderr, "the shutdown did not finish within %s; the process exits\nthese goroutines were running:", limit)
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
