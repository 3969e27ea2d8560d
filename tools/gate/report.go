package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// report prints what steps find out and adds it up. Steps may use it at the same
// time.
type report struct {
	mu             sync.Mutex
	out            io.Writer
	passed, failed int
	skipped        []skip
}

// step runs a step and prints a line about it, and its output when it failed.
func (r *report) step(name string, run func() result) {
	begin := time.Now()
	found := run()
	seconds := int(time.Since(begin).Round(time.Second).Seconds())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed += found.passed
	r.failed += found.failed
	r.skipped = append(r.skipped, found.skipped...)
	switch {
	case found.failed > 0:
		_, _ = fmt.Fprintf(r.out, "%-16s FAILED %4d s\n\n%s\n", name, seconds, found.output)
	case found.passed == 0 && len(found.skipped) > 0:
		_, _ = fmt.Fprintf(r.out, "%-16s skipped\n", name)
	default:
		_, _ = fmt.Fprintf(r.out, "%-16s ok     %4d s\n", name, seconds)
	}
	for _, line := range found.lines {
		_, _ = fmt.Fprintf(r.out, "%-16s %s\n", "", line)
	}
	if found.slowest != "" {
		_, _ = fmt.Fprintf(r.out, "%-16s slowest packages: %s\n", "", found.slowest)
	}
}

// sum prints what was skipped and the last line, and returns the exit code.
func (r *report) sum() int {
	for _, s := range r.skipped {
		_, _ = fmt.Fprintf(r.out, "skipped: %s: %s\n", s.name, s.reason)
	}
	_, _ = fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, len(r.skipped))
	if r.failed > 0 {
		return 1
	}
	return 0
}
