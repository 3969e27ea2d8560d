package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// tests runs all tests but those that the step "clients" runs.
func tests(ctx context.Context, _ *machine) result {
	return test(ctx, released, "-skip="+everyLibrary, "./...")
}

// raceTests runs the tests of packages with goroutines once more, with the race
// detector. It makes them several times slower, so those that do the same thing
// many times do it less often.
func raceTests(ctx context.Context, m *machine) result {
	if m.compiler == "" {
		return result{skipped: []skip{{"race", "no C compiler, which the race detector needs: install gcc or clang"}}}
	}
	packages, err := concurrent(ctx)
	if err != nil {
		return result{failed: 1, output: err.Error() + "\n"}
	}
	if len(packages) == 0 {
		return result{skipped: []skip{{"race", "no package has goroutines"}}}
	}
	// Programs under the detector wait a second before they end, unless told not
	// to; the tests run many of them.
	env := []string{"GORACE=atexit_sleep_ms=0", "CGO_ENABLED=1", "CC=" + m.compiler}
	return test(ctx, env, append([]string{"-race", "-short", "-skip=" + everyLibrary, unwatched}, packages...)...)
}

// test runs go test. Vet is a step of its own.
func test(ctx context.Context, env []string, args ...string) result {
	c := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-vet=off", "-timeout=30m"}, args...)...)
	c.Env = append(os.Environ(), env...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.StdoutPipe()
	if err != nil {
		return result{failed: 1, output: err.Error() + "\n"}
	}
	if err := c.Start(); err != nil {
		return result{failed: 1, output: err.Error() + "\n"}
	}
	r := read(out)
	if err := c.Wait(); err != nil && r.failed == 0 {
		r.failed++
		r.output += fmt.Sprintf("%v: %s\n", err, c)
	}
	if r.failed > 0 {
		r.output += errors.String()
	}
	return r
}

// event is one line of go test -json, see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a package that is built
	Test       string
	Output     string
	Elapsed    float64 // seconds
}

// read counts the tests of a run, collects why tests were skipped and what those
// printed that failed. A package that fails without a failed test, because it does
// not compile or ends early, counts as one.
func read(in io.Reader) (r result) {
	type key struct{ pkg, test string }
	outputs, failed := map[key]*strings.Builder{}, map[string]int{}
	add := func(k key, text string) {
		if outputs[k] == nil {
			outputs[k] = &strings.Builder{}
		}
		outputs[k].WriteString(text)
	}
	var took []elapsed
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			r.output += lines.Text() + "\n"
			continue
		}
		k := key{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			r.output += e.Output
		case "output":
			add(k, e.Output)
		case "pass", "skip", "fail":
			var text string
			if outputs[k] != nil {
				text = outputs[k].String()
			}
			delete(outputs, k)
			if e.Test == "" {
				took = append(took, elapsed{e.Package, e.Elapsed})
			}
			switch {
			case e.Action == "pass" && e.Test != "":
				r.passed++
			case e.Action == "skip" && e.Test != "":
				r.skipped = append(r.skipped, skip{e.Package + " " + e.Test, reason(text)})
			case e.Action == "fail":
				r.output += text
				if e.Test == "" { // tests that did not come to an end
					for k, left := range outputs {
						if k.pkg == e.Package {
							r.output += left.String()
							delete(outputs, k)
						}
					}
				}
				if e.Test != "" || failed[e.Package] == 0 {
					r.failed++
					failed[e.Package]++
				}
			}
		}
	}
	r.slowest = slowest(took)
	return r
}

// elapsed is how many seconds the tests of a package took.
type elapsed struct {
	pkg     string
	seconds float64
}

// slowest names the packages that a run waited for, where making tests faster pays.
func slowest(took []elapsed) string {
	slices.SortFunc(took, func(a, b elapsed) int { return cmp.Compare(b.seconds, a.seconds) })
	var names []string
	for _, e := range took[:min(len(took), 6)] {
		names = append(names, fmt.Sprintf("%s %.0f s", strings.TrimPrefix(e.pkg, "svc/"), e.seconds))
	}
	return strings.Join(names, ", ")
}

var place = regexp.MustCompile(`^[\w.]+\.go:\d+: `)

// reason is what a skipped test says, without the place that says it.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		said = append(said, place.ReplaceAllString(line, ""))
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}
