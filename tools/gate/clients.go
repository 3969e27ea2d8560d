package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// heaviest lists the libraries with the longest checks. These checks start first.
var heaviest = []string{"rust", "python", "typescript", "browser"}

// versions holds the commands that print the versions of the tools for the libraries and the
// console.
var versions = struct{ node, python, rust, golang, chromium []string }{
	node:     []string{"node --version", "npm --version"},
	python:   []string{"$(clients/python/tools/python newest) --version", "$(clients/python/tools/python 3.10) --version", "node --version"},
	rust:     []string{"cargo --version", "rustc --version", "rustup toolchain list"},
	golang:   []string{"go version"},
	chromium: []string{`for name in chromium-headless-shell chromium chromium-browser google-chrome; do "$name" --version; done`},
}

// librariesInputs holds the inputs of the libraries' checks, by the name of the library's folder.
// Each check also depends on the library itself, the vectors and openapi.yaml.
var librariesInputs = map[string]inputs{
	"go":         {tools: versions.golang, paths: []string{".golangci.yml"}},
	"python":     {tools: versions.python},
	"rust":       {tools: versions.rust},
	"typescript": {tools: versions.node},
	"browser":    {tools: slices.Concat(versions.node, versions.chromium), paths: []string{"clients/typescript"}},
}

// togetherInputs holds the inputs of the tests that run all libraries.
var togetherInputs = inputs{
	paths: []string{"clients", "tests/clients", "internal/testutil/server", "openapi.yaml", "docs/clients.md"},
	tools: slices.Concat(versions.golang, versions.python, versions.rust, versions.node, versions.chromium),
}

// consoleInputs holds the inputs of the console's check. They include the packages that serve the
// console and its data.
var consoleInputs = inputs{
	paths: []string{
		"assets", "clients/typescript", "openapi.yaml",
		"api/pages", "api/web", "internal/demo", "internal/doctor", "internal/httpserver",
	},
	tools: slices.Concat(versions.node, versions.chromium),
}

// clients runs the check of every client library, two at a time, with the program built from this
// tree. It then runs the tests in tests/clients, which use all libraries. A library that has not
// changed since its last pass is not checked again. If only the program has changed, clients runs
// only the documented examples of each library, which use all parts of the library.
func clients(ctx context.Context, m *machine) (total result) {
	scripts, err := filepath.Glob("clients/*/check")
	if err != nil || len(scripts) == 0 {
		return result{skipped: []skip{{"clients", "there is no clients/*/check"}}}
	}
	rank := func(script string) int {
		if i := slices.Index(heaviest, filepath.Base(filepath.Dir(script))); i >= 0 {
			return i
		}
		return len(heaviest)
	}
	slices.SortStableFunc(scripts, func(a, b string) int { return rank(a) - rank(b) })
	program, failed := m.checkable(ctx, "clients")
	if program == "" {
		return failed
	}
	for _, r := range inPairs(scripts, func(script string) result { return m.library(ctx, program, script) }) {
		total.add(r)
	}
	total.add(m.wholeOrStory(ctx, program,
		check{"together", togetherInputs, func() result { return m.together(ctx, program, everyLibrary) }},
		check{name: "stories", run: func() result { return m.together(ctx, program, "^TestEveryLibraryRunsItsDocumentation$") }}))
	return total
}

// library runs the check of a library.
func (m *machine) library(ctx context.Context, program, script string) result {
	folder := filepath.ToSlash(filepath.Dir(script))
	in := librariesInputs[path.Base(folder)]
	in.paths = append([]string{folder, "clients/vectors", "openapi.yaml"}, in.paths...)
	r, _ := m.unlessUnchanged(ctx, check{path.Base(folder), in, func() result { return runCheck(ctx, program, script) }})
	return r
}

// together runs the tests in tests/clients that match the pattern. They use all libraries.
func (m *machine) together(ctx context.Context, program, pattern string) result {
	env := append(slices.Clone(released), "SVC_BINARY="+program, "SVC_CLIENTS=1", "GOGC=")
	r := m.test(ctx, env, "-count=1", "-run="+pattern, "./tests/clients")
	r.packages = nil
	return r
}

// console runs the console's check in a browser. If only the program has changed, it runs only one
// part of the check, the one with the name "story".
func console(ctx context.Context, m *machine) result {
	const script = "assets/console/check"
	if _, err := os.Stat(script); err != nil {
		return result{skipped: []skip{{"console", "there is no " + script}}}
	}
	program, failed := m.checkable(ctx, "console")
	if program == "" {
		return failed
	}
	return m.wholeOrStory(ctx, program,
		check{"console", consoleInputs, func() result { return runCheck(ctx, program, script) }},
		check{name: "story", run: func() result { return runCheck(ctx, program, script, "story") }})
}

// checkable returns the path of the program with which the checks of a step run. If the checks
// cannot run, it returns "" and the result of the step.
func (m *machine) checkable(ctx context.Context, step string) (program string, why result) {
	if _, err := exec.LookPath("bash"); err != nil {
		return "", missing(step, "bash, which the checks need, is not installed")
	}
	return m.program(ctx)
}

// missing returns the result of a step that cannot run on this machine. The step fails if
// SVC_REQUIRE_TOOLS is set, and is skipped otherwise.
func missing(name, why string) result {
	if os.Getenv("SVC_REQUIRE_TOOLS") != "" {
		return result{failed: 1, output: fmt.Sprintf("%s: %s\n", name, why)}
	}
	return result{skipped: []skip{{name, why}}}
}

// lastLineOfCheck matches the last line of a check that has passed.
var lastLineOfCheck = regexp.MustCompile(`^(\d+) passed, (\d+) skipped$`)

// runCheck runs the check script of a client library or the console.
func runCheck(ctx context.Context, program, script string, args ...string) (r result) {
	name := filepath.ToSlash(filepath.Dir(script))
	c := exec.CommandContext(ctx, "bash", append([]string{script}, args...)...)
	c.Env = append(os.Environ(), "SVC_BINARY="+program, "GOGC=")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	out, err := c.CombinedOutput()
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
