// Command updatecheck prints how many update checks per second the service
// answers over HTTP, beside a bare httprouter handler that decodes the same
// body and writes a constant of the same size.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"svc/internal/load"
)

// bar is the ratio that the service must reach.
const bar = 0.8

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "updatecheck:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("updatecheck", flag.ContinueOnError)
	var plan load.Plan
	flags.IntVar(&plan.Rounds, "rounds", 15, "how often both are measured")
	flags.IntVar(&plan.Connections, "connections", 16, "keep-alive connections")
	flags.DurationVar(&plan.Each, "each", time.Second, "time of each in a round")
	versions := flags.Int("versions", 300, "versions of the project")
	profiles := flags.String("profiles", "", "instead, write a CPU profile of each to svc.prof and bare.prof in this folder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	subject, stop, err := startReal(dir, *versions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	all, err := subject.Once()
	if err != nil {
		return err
	}
	size := all.Bytes / all.Answers
	reference, stopReference, err := startBare(size, subject.Requests)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopReference()) }()

	if *profiles != "" {
		return errors.Join(
			profiled(out, filepath.Join(*profiles, "svc.prof"), plan, subject),
			profiled(out, filepath.Join(*profiles, "bare.prof"), plan, reference))
	}
	result, err := plan.Compare(subject, reference)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "update check: %d versions, answers of %d bytes on average, %d connections, %s %s/%s, %d cores\n%s",
		*versions, size, plan.Connections, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0),
		result.Report(subject, reference, bar))
	return err
}

// profiled keeps one target busy for as long as a comparison would and writes
// where the time went.
func profiled(out io.Writer, path string, plan load.Plan, t load.Target) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	result, err := t.Run(plan.Connections, time.Duration(plan.Rounds)*plan.Each)
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %d answers in %s, profile in %s\n", t.Name, result.Answers, result.Took.Round(time.Millisecond), path)
	}
	return err
}
