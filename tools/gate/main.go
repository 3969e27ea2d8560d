// Command gate runs every check of a change: formatting, vet, lint, all tests, all
// platforms, known vulnerabilities, the client libraries and the console. It needs Go
// alone. It skips a check if its tools are not installed and prints the reason. The last
// line sums up: "N passed, N failed, N skipped".
//
//	go run ./tools/gate          every step
//	go run ./tools/gate lint     one step, or several
//	go run ./tools/gate -all     every step, even if its inputs have not changed
//
// A step counts as one. The steps that run tests count each test and subtest.
// SVC_REQUIRE_TOOLS=1 turns a missing toolchain of a client library or the console into a
// failure. SVC_GATE_STATE is the folder of the state that runs share; the default is
// svc-gate in the user's cache folder.
//
//	main.go       the steps and the order they run in
//	steps.go      the steps that are one command
//	tests.go      the Go tests: which of them run with the race detector
//	testrun.go    one run of go test, and its results
//	goroutines.go which packages start goroutines
//	platforms.go  the step that type-checks for every platform
//	clients.go    the client libraries and the console
//	record.go     the checks that have passed on this machine, with their inputs
//	report.go     the output
//	times.go      the times of the last runs
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
)

// step is one check of the gate.
type step struct {
	name string
	run  func(ctx context.Context, m *machine) result
}

// result is the outcome of a step, or of a part of one.
type result struct {
	passed, failed int
	skipped        []skip
	output         string // printed if something failed
	lines          []string
	packages       []elapsed // of test runs
	took           time.Duration
}

// skip is a step, a test or a part of a step that did not run.
type skip struct {
	Name, Reason string
}

// steps run in this order, two at a time. Two keep two cores busy: tests wait for the disk,
// for processes and for each other. The Go tests begin first, since they take longest.
var steps = []step{
	{"tests", tests},
	{"format", format},
	{"vet", vet},
	{"platforms", platforms},
	{"lint", lint},
	{"vulnerabilities", vulnerabilities},
	{"clients", clients},
	{"console", console},
}

func main() {
	raiseGCPercent()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(code)
}

// raiseGCPercent lets the gate and its tools use more memory for less collection. It saves
// lint a third of its processor time and the tests a tenth. GOGC in the environment wins.
// Tests of memory, and those that start svc, start it with the default.
func raiseGCPercent() {
	if os.Getenv("GOGC") == "" {
		_ = os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
}

// run runs the named steps, or all of them, and returns the exit code.
func run(ctx context.Context, args []string, out io.Writer) int {
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	flags.SetOutput(out)
	all := flags.Bool("all", false, "run checks whose inputs have not changed since they passed, too")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	chosen, unknown := choose(flags.Args())
	if unknown != "" {
		_, _ = fmt.Fprintf(out, "there is no step %q\n", unknown)
		return 2
	}
	m, err := inspect(ctx, *all)
	if err != nil {
		_, _ = fmt.Fprintln(out, err)
		return 1
	}
	r := report{out: out}
	inPairs(chosen, func(s step) result {
		if ctx.Err() != nil {
			return result{}
		}
		return r.step(s.name, func() result { return s.run(ctx, m) })
	})
	if ctx.Err() != nil {
		return 130
	}
	if len(flags.Args()) == 0 {
		r.keepTimes(m.state, commit(ctx))
	}
	return r.sum()
}

// choose returns the steps with these names, or all for none, or the first name that no step
// has.
func choose(names []string) (chosen []step, unknown string) {
	if len(names) == 0 {
		return steps, ""
	}
	for _, name := range names {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.name == name }) {
			return nil, name
		}
	}
	for _, s := range steps {
		if slices.Contains(names, s.name) {
			chosen = append(chosen, s)
		}
	}
	return chosen, ""
}
