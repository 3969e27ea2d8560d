package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain runs svc instead of the tests if the test binary is started as svc. The examples thus
// run the real program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"svc": main})
}

// TestExamples runs the examples in the documentation literally. Each page has its own server. The
// comment above a code block determines its kind. A "serve" block starts the server. The "run"
// blocks are run in order in one shell. If a "prints" block follows, the output must contain
// everything in that block.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"README.md", "docs/api-keys.md", "docs/moving.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			checkExamples(t, t.TempDir(), readExamples(t, page))
		})
	}
}

// checkExamples runs examples in dir and compares their outputs.
func checkExamples(t *testing.T, dir string, examples []example) {
	t.Helper()
	outputs := runExamples(t, dir, serve(t, dir, examples), examples)
	for i, e := range examples {
		switch {
		case e.kind != "prints":
		case e.language == "json":
			compareAnswer(t, outputs[i-1], e)
		default:
			compareLines(t, outputs[i-1], e)
		}
	}
}

// example is a fenced code block.
type example struct {
	at       string // page and number of the block, for messages
	kind     string
	language string
	text     string
}

func readExamples(t *testing.T, page string) []example {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var examples []example
	block := regexp.MustCompile("(?s)<!-- (serve|run|prints) -->\n```(sh|json|text|xml|yaml)\n(.*?)```\n")
	for i, m := range block.FindAllStringSubmatch(string(text), -1) {
		examples = append(examples, example{fmt.Sprintf("%s, example %d", page, i+1), m[1], m[2], m[3]})
	}
	if marks := strings.Count(string(text), "<!-- "); len(examples) == 0 || len(examples) != marks {
		t.Fatalf("%s: got %d examples, want as many as there are comments: %d", page, len(examples), marks)
	}
	return examples
}

// shell returns a bash command that runs the script in dir. In the script, "go run ." works as in
// the source folder. The script does not inherit the caller's settings of svc.
func shell(t *testing.T, dir, script string, env ...string) *exec.Cmd {
	t.Helper()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s to run the examples: install it", tool)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", `go() { shift 2; svc "$@"; }`+"\n"+script)
	c.Dir = dir
	c.Env = env
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "GORACE"} {
		c.Env = append(c.Env, name+"="+os.Getenv(name))
	}
	return c
}

// serve runs the example that starts the server, but on a free port. It returns the server's
// address. The server is stopped at the end of the test.
func serve(t *testing.T, dir string, examples []example) string {
	t.Helper()
	at := slices.IndexFunc(examples, func(e example) bool { return e.kind == "serve" })
	if at < 0 {
		t.Fatal("no example starts the server")
	}
	c := shell(t, dir, `svc() { exec svc "$@"; }`+"\n"+examples[at].text, "SVC_LISTEN=127.0.0.1:0", "ADMIN_PASSWORD="+password)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	found, ended := make(chan string, 1), make(chan string)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(log); lines.Scan(); {
			fmt.Fprintln(&all, lines.Text())
			var line struct{ Msg, URL string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				found <- line.URL
			}
		}
		ended <- all.String()
	}()
	select {
	case url := <-found:
		t.Cleanup(func() {
			all := <-ended
			if err := c.Wait(); c.ProcessState.ExitCode() != 0 {
				t.Errorf("%s: the server ended with %v; its log:\n%s", examples[at].at, err, all)
			}
		})
		return url
	case all := <-ended:
		t.Fatalf("%s: the server ended: %v; its log:\n%s", examples[at].at, c.Wait(), all)
		return ""
	}
}

// password is the administrator's password in the examples.
const password = "correct horse"

// runExamples runs the examples and returns the output of each.
func runExamples(t *testing.T, dir, url string, examples []example) []string {
	t.Helper()
	const end = "\x1e"
	var script strings.Builder
	for _, e := range examples {
		if e.kind == "run" {
			script.WriteString(e.text)
		}
		fmt.Fprintf(&script, "printf '%s'\n", end)
	}
	c := shell(t, dir, script.String(), "SVC_URL="+url, "PASSWORD="+password)
	var errors strings.Builder
	c.Stderr = &errors
	out, err := c.Output()
	outputs := strings.Split(string(out), end)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", examples[len(outputs)-1].at, err, outputs[len(outputs)-1], &errors)
	}
	return outputs
}

// compareAnswer fails the test unless the output is a JSON object that has all fields of the
// example.
func compareAnswer(t *testing.T, output string, e example) {
	t.Helper()
	var got, want any
	if err := json.Unmarshal([]byte(output), &got); err != nil {
		t.Fatalf("%s: answer %q: %v", e.at, output, err)
	}
	if err := json.Unmarshal([]byte(e.text), &want); err != nil {
		t.Fatalf("%s: %v", e.at, err)
	}
	if !has(got, want) {
		t.Errorf("%s: got %s, want at least %s", e.at, output, e.text)
	}
}

// compareLines fails the test unless the output has the lines of the example, in the same order.
// Other text may surround each of them. An ellipsis stands for any text.
func compareLines(t *testing.T, output string, e example) {
	t.Helper()
	rest := output
	for line := range strings.Lines(e.text) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(line)), "…", ".*")
		found := regexp.MustCompile(pattern).FindStringIndex(rest)
		if found == nil {
			t.Errorf("%s: got %s, want the line %s", e.at, output, line)
			return
		}
		rest = rest[found[1]:]
	}
}

// has reports whether a JSON value equals want, except that its objects may have additional fields.
func has(got, want any) bool {
	wanted, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(got, want)
	}
	fields, ok := got.(map[string]any)
	for name, value := range wanted {
		field, there := fields[name]
		ok = ok && there && has(field, value)
	}
	return ok
}

// TestReadmeNamesEveryCommand checks that the table of commands in the README lists the same
// commands as the program.
func TestReadmeNamesEveryCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `svc ([a-z -]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		words := strings.Fields(m[1])
		named[words[0]] = true
		if out, err := exec.CommandContext(t.Context(), "svc", append(words, "--help")...).CombinedOutput(); err != nil || !strings.Contains(string(out), "svc "+m[1]) {
			t.Errorf("README.md names svc %s: %v\n%s", m[1], err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), "svc", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) {2,}`).FindAllStringSubmatch(string(out), -1) {
		if !named[m[1]] {
			t.Errorf("README.md has no row for svc %s", m[1])
		}
	}
}

// TestLinksLeadSomewhere checks that the targets of links between the pages exist.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}
