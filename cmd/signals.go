package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// watchSignals returns a context that ends on the first interrupt or termination signal. The second
// signal ends the process immediately. Calling stop ends the watch and the context.
func watchSignals(stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	end := func() {
		if ctx.Err() == nil {
			cancel()
			return
		}
		say(stderr, "stopped at once by a second signal")
		os.Exit(exitFailed)
	}
	ignore := func() {} // closing the terminal must not end a server
	unwatch := onSignals(map[os.Signal]func(){os.Interrupt: end, syscall.SIGTERM: end, syscall.SIGHUP: ignore})
	return ctx, func() {
		unwatch()
		cancel()
	}
}

// onSignals handles the signals that are keys of the map calls, until stop is called. Each time the
// process receives such a signal, onSignals calls the function in the map.
func onSignals(calls map[os.Signal]func()) (stop func()) {
	signals := make(chan os.Signal, 4)
	for s := range calls {
		signal.Notify(signals, s)
	}
	end := background(context.Background(), func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-signals:
				calls[s]()
			}
		}
	})
	return func() {
		signal.Stop(signals)
		end()
	}
}

// background calls the function work in a goroutine, with a context that ends when ctx ends or stop
// is called. stop waits until work has returned.
func background(ctx context.Context, work func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { work(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
