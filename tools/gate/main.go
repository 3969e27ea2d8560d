// Command gate runs every check of a change: formatting, vet, lint, all tests, all
// platforms, known vulnerabilities, the client libraries and the console. It requires only
// Go. If the tools of a check are not installed, it skips the check and prints the reason.
// The last line has the totals: "N passed, N failed, N skipped".
//
//	go run ./tools/gate          every step
//	go run ./tools/gate lint     one step, or several
//	go run ./tools/gate -all     every step, even if its inputs have not changed
//
// A step counts as one check. The steps that run tests count each test and subtest instead.
// If SVC_REQUIRE_TOOLS is 1, a missing toolchain of a client library or the console is a
// failure. SVC_GATE_STATE is the folder of the state that runs share. The default is
// svc-gate in the user's cache folder.
//
//	main.go       the steps and their order
//	steps.go      the steps that run a single command
//	tests.go      the Go tests, and the choice of those that use the race detector
//	shadows.go    the tests that write, with what is recorded compared with the files
//	standbys.go   the tests of the API, with the responses of a standby compared
//	testrun.go    one run of go test, and its results
//	goroutines.go which packages start goroutines
//	platforms.go  the step that type-checks the program for every platform
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

// result is the outcome of a step or of a part of a step.
type result struct {
	passed, failed int
	skipped        []skip
	output         string // printed if something failed
	lines          []string
	packages       []elapsed // durations of the packages in test runs
	took           time.Duration
}

// skip is a step, a test or a part of a step that did not run.
type skip struct {
	Name, Reason string
}

// steps lists the steps in the order in which they start. Two steps run at a time, which keeps two
// cores busy, because tests often wait for the disk or for processes. The Go tests start first,
// because they take longest.
var steps = []step{
	{"tests", tests},
	{"shadows", shadows},
	{"standbys", standbys},
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

// raiseGCPercent makes the gate and its tools use more memory and collect garbage less often. This
// saves lint a third of its processor time and the tests a tenth. GOGC in the environment takes
// precedence. Tests that measure memory or start svc use the default value.
func raiseGCPercent() {
	if os.Getenv("GOGC") == "" {
		_ = os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
}

// run runs the named steps and returns the exit code. Without names, it runs all steps.
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

// choose returns the steps with the given names, or all steps if there are no names. If a name is
// not valid, it returns that name as unknown.
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
