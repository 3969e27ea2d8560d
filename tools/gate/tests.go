package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// tests runs every test once, except those of the step "clients". Packages that start goroutines
// run under the race detector with -short. Some of their tests skip themselves under the detector,
// because it would find nothing or distort a measurement. The gate then runs those tests again
// without the detector. The packages that start no goroutines run without the detector at the same
// time as the others.
func tests(ctx context.Context, m *machine) (total result) {
	concurrent, sequential, err := packages(ctx)
	if err != nil {
		return result{failed: 1, output: err.Error() + "\n"}
	}
	if m.compiler == "" {
		total.skipped = []skip{{"race detector", fmt.Sprintf(
			"no C compiler, which it needs: %d packages were tested without it; install gcc or clang", len(concurrent))}}
		program, built := m.program(ctx)
		total.add(built)
		total.add(m.plain(ctx, program, slices.Concat(concurrent, sequential)...))
		return total
	}
	var raced, plain result
	var running sync.WaitGroup
	running.Go(func() { raced = m.race(ctx, concurrent) })
	running.Go(func() { plain = m.plain(ctx, "", sequential...) })
	running.Wait()
	skipped := raced.skipped
	raced.skipped = nil
	total.part("with the race detector", raced)
	total.part("without", plain)
	total.part("skipped with, run without", m.withoutDetector(ctx, skipped))
	return total
}

// everyLibrary matches the tests that the step "clients" runs after it has built the libraries.
const everyLibrary = "^TestEveryLibrary"

// uninstrumented excludes the password hash from the race detector, which would double the duration
// of the hash. The hash uses a single goroutine and its own 19 MiB of memory.
const uninstrumented = "-gcflags=golang.org/x/crypto/argon2=-race=false"

// race runs the tests of packages under the race detector.
func (m *machine) race(ctx context.Context, packages []string) result {
	if len(packages) == 0 {
		return result{}
	}
	// By default, a program under the detector waits a second before it exits, and the tests start
	// many programs.
	env := []string{"GORACE=atexit_sleep_ms=0", "CGO_ENABLED=1", "CC=" + m.compiler}
	args := []string{"-race", "-short", "-skip=" + everyLibrary, uninstrumented}
	return m.test(ctx, env, append(args, packages...)...)
}

// plain runs the tests of packages without the race detector. In SVC_BINARY, it passes them the path
// of the program.
func (m *machine) plain(ctx context.Context, program string, args ...string) result {
	if len(args) == 0 {
		return result{}
	}
	env := append(slices.Clone(released), "SVC_BINARY="+program)
	return m.test(ctx, env, append([]string{"-skip=" + everyLibrary}, args...)...)
}

// withoutDetector runs the tests that skipped themselves under the race detector. A test that lacks
// a tool skips itself again and is then reported.
func (m *machine) withoutDetector(ctx context.Context, skipped []skip) (total result) {
	if len(skipped) == 0 {
		return result{}
	}
	begin := time.Now()
	program, built := m.program(ctx)
	if built.failed > 0 {
		return built
	}
	byPackage := map[string][]string{}
	for _, s := range skipped {
		pkg, name, _ := strings.Cut(s.Name, " ")
		byPackage[pkg] = append(byPackage[pkg], pattern(name))
	}
	results := inPairs(slices.Sorted(maps.Keys(byPackage)), func(pkg string) result {
		return m.plain(ctx, program, "-run="+strings.Join(byPackage[pkg], "|"), pkg)
	})
	for _, r := range results {
		total.add(r)
	}
	total.took = time.Since(begin)
	return total
}

// pattern returns the value of -run that matches exactly the given test or subtest.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
