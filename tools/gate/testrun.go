package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// test runs go test without vet, which is a separate step.
func (m *machine) test(ctx context.Context, env []string, args ...string) result {
	begin, flags := time.Now(), []string{"test", "-json", "-vet=off", "-timeout=30m"}
	if m.all {
		flags = append(flags, "-count=1")
	}
	c := exec.CommandContext(ctx, "go", append(flags, args...)...)
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
	r.took = time.Since(begin)
	if err := c.Wait(); err != nil && r.failed == 0 {
		r.failed++
		r.output += fmt.Sprintf("%v: %s\n", err, c)
	}
	if r.failed > 0 {
		r.output += errors.String()
	}
	return r
}

// event is a line in the output of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // the package that is being built, in events of builds
	Test       string
	Output     string
	Elapsed    float64 // in seconds
}

// read reads the output of go test -json and counts the tests. It collects the reasons of skipped
// tests and the output of failed tests. A package may fail without a failed test, because it does
// not compile or ends early. That counts as one failure.
func read(in io.Reader) (r result) {
	type key struct{ pkg, test string }
	outputs, failed := map[key]*strings.Builder{}, map[string]int{}
	add := func(k key, text string) {
		if outputs[k] == nil {
			outputs[k] = &strings.Builder{}
		}
		outputs[k].WriteString(text)
	}
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
				r.packages = append(r.packages, elapsed{e.Package, e.Elapsed})
			}
			switch {
			case e.Action == "pass" && e.Test != "":
				r.passed++
			case e.Action == "skip" && e.Test != "":
				r.skipped = append(r.skipped, skip{e.Package + " " + e.Test, reason(text)})
			case e.Action == "fail":
				r.output += text
				if e.Test == "" { // add the output of tests that had no result
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
	return r
}

// elapsed is the duration of a step or of the tests of a package.
type elapsed struct {
	name    string
	seconds float64
}

var place = regexp.MustCompile(`^[\w.]+\.go:\d+: `)

// reason returns the reason of a skipped test from the output of the test, without the file and the
// line number.
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
