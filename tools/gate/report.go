package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// report prints the results of steps and counts them. It is safe for concurrent use.
type report struct {
	mu             sync.Mutex
	out            io.Writer
	passed, failed int
	skipped        []skip
	steps          []elapsed
	packages       []elapsed
}

// step runs a step and returns its result. It prints a line about the step, and the output if the
// step failed.
func (r *report) step(name string, run func() result) result {
	begin := time.Now()
	found := run()
	seconds := time.Since(begin).Seconds()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed += found.passed
	r.failed += found.failed
	r.skipped = append(r.skipped, found.skipped...)
	r.steps = append(r.steps, elapsed{name, seconds})
	r.packages = append(r.packages, found.packages...)
	switch {
	case found.failed > 0:
		_, _ = fmt.Fprintf(r.out, "%-16s FAILED %4.0f s\n\n%s\n", name, seconds, found.output)
	case found.passed == 0 && len(found.skipped) > 0:
		_, _ = fmt.Fprintf(r.out, "%-16s skipped\n", name)
	default:
		_, _ = fmt.Fprintf(r.out, "%-16s ok     %4.0f s\n", name, seconds)
	}
	for _, line := range found.lines {
		_, _ = fmt.Fprintf(r.out, "%-16s %s\n", "", line)
	}
	if len(found.packages) > 0 {
		_, _ = fmt.Fprintf(r.out, "%-16s slowest packages: %s\n", "", slowest(found.packages))
	}
	return found
}

// sum prints the reason of each skip, and then the last line of the report. It returns the exit
// code of the gate.
func (r *report) sum() int {
	for _, s := range r.skipped {
		_, _ = fmt.Fprintf(r.out, "skipped: %s: %s\n", s.Name, s.Reason)
	}
	_, _ = fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped))
	if r.failed > 0 {
		return 1
	}
	return 0
}

// line formats the result of a part of a step as one line of output.
func line(name string, r result) string {
	outcome := fmt.Sprintf("%d passed", r.passed)
	if r.failed > 0 {
		outcome = "FAILED"
	}
	if len(r.skipped) > 0 {
		outcome += fmt.Sprintf(", %d skipped", len(r.skipped))
	}
	return fmt.Sprintf("%-12s %s, %.0f s", name, outcome, r.took.Seconds())
}

// part adds the result of a part of a step to r. If the part has checked or skipped anything, it
// also adds a line about the part.
func (r *result) part(name string, part result) {
	if part.passed+part.failed+len(part.skipped) > 0 {
		part.lines = append(part.lines, line(name, part))
	}
	r.add(part)
}

// add adds the counts and the output of a part to r.
func (r *result) add(part result) {
	r.passed += part.passed
	r.failed += part.failed
	r.skipped = append(r.skipped, part.skipped...)
	r.output += part.output
	r.lines = append(r.lines, part.lines...)
	r.packages = append(r.packages, part.packages...)
}

// inPairs calls the function run for each item, two at a time. It returns the results in the order
// of the items.
func inPairs[T any](items []T, run func(item T) result) []result {
	results, free := make([]result, len(items)), make(chan struct{}, 2)
	var running sync.WaitGroup
	for i, item := range items {
		free <- struct{}{}
		running.Go(func() {
			results[i] = run(item)
			<-free
		})
	}
	running.Wait()
	return results
}
