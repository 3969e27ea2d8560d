// Command gate runs everything that decides about a change: formatting, vet,
// lint, all tests, all platforms, known vulnerabilities. It needs Go alone. What
// the machine has no tools for is skipped and printed with the reason, and the
// last line sums up: "N passed, N failed, N skipped".
//
//	go run ./tools/gate          every step
//	go run ./tools/gate lint     one step, or several
//
// A step counts as one, and the steps that run tests count each test and subtest.
// SVC_REQUIRE_TOOLS=1 makes a failure of a missing toolchain of a client library or the console.
//
//	main.go       the steps and the order they run in
//	steps.go      the steps that are one command
//	tests.go      the steps that run tests, from the output of go test -json
//	race.go       which packages run with the race detector, too
//	platforms.go  the step that type-checks for every platform
//	clients.go    the steps in which the client libraries and the console check themselves
//	report.go     what is printed
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"
)

// step is one thing that is checked.
type step struct {
	name string
	run  func(ctx context.Context, m *machine) result
}

// result is what a step found out.
type result struct {
	passed, failed int
	skipped        []skip
	output         string // what to print when something failed
	slowest        string // of test runs: the packages that took longest
	lines          []string
	took           time.Duration // of a part of a step
}

// skip is a step, a test or a part of a step that did not run.
type skip struct {
	name, reason string
}

// stages run one after the other. The lanes of a stage run at the same time, because tests
// often wait for the disk and for each other, and the steps of a lane one after the other.
// The client libraries are alone: some of their tests measure. So is the console, whose
// browsers take both processors.
var stages = [][][]step{
	{
		{
			{"race", raceTests},
		},
		{
			{"format", format},
			{"vet", vet},
			{"tests", tests},
			{"platforms", platforms},
			{"lint", lint},
			{"vulnerabilities", vulnerabilities},
		},
	},
	{
		{
			{"clients", clients},
		},
	},
	{
		{
			{"console", console},
		},
	},
}

func main() {
	collectSeldom()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(code)
}

// collectSeldom lets what runs here use five times the memory it needs before it is
// collected, not twice: programs that end within minutes on a machine with memory to
// spare. It saves lint a third of its processor time and the tests a tenth. GOGC wins
// over it. Tests of memory, and those that start svc, start it as users do.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		_ = os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
}

// run runs the named steps, or all of them, and returns the exit code.
func run(ctx context.Context, names []string, out io.Writer) int {
	chosen, unknown := choose(names)
	if unknown != "" {
		_, _ = fmt.Fprintf(out, "there is no step %q\n", unknown)
		return 2
	}
	m, err := inspect(ctx)
	if err != nil {
		_, _ = fmt.Fprintln(out, err)
		return 1
	}
	r := report{out: out}
	for _, lanes := range chosen {
		var running sync.WaitGroup
		for _, lane := range lanes {
			running.Go(func() {
				for _, s := range lane {
					if ctx.Err() == nil {
						r.step(s.name, func() result { return s.run(ctx, m) })
					}
				}
			})
		}
		running.Wait()
	}
	if ctx.Err() != nil {
		return 130
	}
	return r.sum()
}

// choose returns the stages with the named steps alone, or the first name that no
// step has.
func choose(names []string) (chosen [][][]step, unknown string) {
	if len(names) == 0 {
		return stages, ""
	}
	known := map[string]bool{}
	for _, lanes := range stages {
		var left [][]step
		for _, lane := range lanes {
			var kept []step
			for _, s := range lane {
				known[s.name] = true
				if slices.Contains(names, s.name) {
					kept = append(kept, s)
				}
			}
			left = append(left, kept)
		}
		chosen = append(chosen, left)
	}
	for _, name := range names {
		if !known[name] {
			return nil, name
		}
	}
	return chosen, ""
}
