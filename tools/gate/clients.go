package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// everyLibrary begins the names of the tests that run the client libraries: they wait for
// this step, because the libraries must be built first.
const everyLibrary = "^TestEveryLibrary"

// heaviest are the libraries whose check takes longest, which begin first.
var heaviest = []string{"rust", "python", "typescript", "browser"}

// clients has every client library check itself, two at a time, against the program built
// from here, and then has all of them play together: tests/clients.
func clients(ctx context.Context, _ *machine) result {
	scripts, err := filepath.Glob("clients/*/check")
	if err != nil || len(scripts) == 0 {
		return result{skipped: []skip{{"clients", "there is no clients/*/check"}}}
	}
	return withProgram(ctx, "clients", func(env []string) (total result) {
		all := checks(ctx, env, scripts)
		for i, r := range all {
			total.add(r)
			total.lines = append(total.lines, line(filepath.Base(filepath.Dir(scripts[i])), r))
		}
		together := together(ctx, env)
		total.add(together)
		total.lines = append(total.lines, line("together", together))
		return total
	})
}

// console has the console check itself in a browser.
func console(ctx context.Context, _ *machine) result {
	const script = "assets/console/check"
	if _, err := os.Stat(script); err != nil {
		return result{skipped: []skip{{"console", "there is no " + script}}}
	}
	return withProgram(ctx, "console", func(env []string) result { return runCheck(ctx, env, script) })
}

// withProgram calls run with what checks need in their environment: the program built from
// here, as users start it.
func withProgram(ctx context.Context, name string, run func(env []string) result) result {
	if _, err := exec.LookPath("bash"); err != nil {
		return missing(name, "bash, which the checks need, is not installed")
	}
	dir, err := os.MkdirTemp("", "svc-gate-")
	if err != nil {
		return result{failed: 1, output: err.Error() + "\n"}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "svc")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if built := command(ctx, released, "go", "build", "-o", program, "."); built.failed > 0 {
		return built
	}
	return run([]string{"SVC_BINARY=" + program, "GOGC="})
}

// missing is a step that cannot run here, which is a failure where everything should be
// there.
func missing(name, why string) result {
	if os.Getenv("SVC_REQUIRE_TOOLS") != "" {
		return result{failed: 1, output: fmt.Sprintf("%s: %s\n", name, why)}
	}
	return result{skipped: []skip{{name, why}}}
}

// checks runs the scripts, two at a time, and returns their results in the same order.
func checks(ctx context.Context, env, scripts []string) []result {
	rank := func(script string) int {
		if i := slices.Index(heaviest, filepath.Base(filepath.Dir(script))); i >= 0 {
			return i
		}
		return len(heaviest)
	}
	slices.SortStableFunc(scripts, func(a, b string) int { return rank(a) - rank(b) })
	results := make([]result, len(scripts))
	var running sync.WaitGroup
	queue := make(chan int, len(scripts))
	for i := range scripts {
		queue <- i
	}
	close(queue)
	for range 2 {
		running.Go(func() {
			for i := range queue {
				results[i] = runCheck(ctx, env, scripts[i])
			}
		})
	}
	running.Wait()
	return results
}

// lastLineOfCheck is how a check ends that has passed.
var lastLineOfCheck = regexp.MustCompile(`^(\d+) passed, (\d+) skipped$`)

// runCheck runs the script by which a client library or the console checks itself.
func runCheck(ctx context.Context, env []string, script string) (r result) {
	name, begin := filepath.ToSlash(filepath.Dir(script)), time.Now()
	c := exec.CommandContext(ctx, "bash", script)
	c.Env = append(os.Environ(), env...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	out, err := c.CombinedOutput()
	r.took = time.Since(begin)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if what, found := strings.CutPrefix(lines.Text(), "skipped: "); found {
			what, why, _ := strings.Cut(what, ": ")
			r.skipped = append(r.skipped, skip{name + " " + what, why})
		}
	}
	sum := lastLineOfCheck.FindStringSubmatch(lastLine(string(out)))
	switch {
	case err != nil:
		r.failed, r.output = 1, fmt.Sprintf("%s%v: %s\n", out, err, script)
	case sum == nil:
		r.failed, r.output = 1, fmt.Sprintf("%s%s does not end with %q\n", out, script, "N passed, M skipped")
	default:
		r.passed, _ = strconv.Atoi(sum[1])
	}
	return r
}

// together runs the tests for which every library plays.
func together(ctx context.Context, env []string) result {
	begin := time.Now()
	r := test(ctx, append(slices.Concat(released, env), "SVC_CLIENTS=1"), "-count=1", "-run="+everyLibrary, "./tests/clients")
	r.slowest, r.took = "", time.Since(begin)
	return r
}

// line says in one line how a library did.
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

// add adds what a part of a step has found out.
func (r *result) add(part result) {
	r.passed += part.passed
	r.failed += part.failed
	r.skipped = append(r.skipped, part.skipped...)
	r.output += part.output
}
