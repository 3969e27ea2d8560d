package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module holds the files of a small module. Its tests have all possible outcomes.
var module = map[string]string{
	"go.mod": "module example\n\ngo 1.26\n",
	"calm/calm_test.go": `package calm

import "testing"

func TestPasses(t *testing.T) { t.Run("inner", func(t *testing.T) {}) }
func TestSkips(t *testing.T)  { t.Skip("needs a mountain: install one") }
func TestSilent(t *testing.T) { t.SkipNow() }
`,
	"busy/busy.go": "package busy\n\nfunc Go(f func()) { go f() }\n",
	"busy/busy_test.go": `package busy

import (
	"os"
	"testing"
)

func TestWorks(t *testing.T) {
	done := make(chan bool)
	Go(func() { done <- true })
	<-done
	t.Run("in full", func(t *testing.T) {
		if testing.Short() {
			t.Skip("needs a run without the race detector: leave out -short")
		}
		if os.Getenv("SVC_BINARY") == "" {
			t.Error("there is no program")
		}
	})
}
`,
	"main.go":                 "package main\n\nfunc main() {}\n",
	"guarded/guarded.go":      "package guarded\n\nimport \"sync\"\n\nvar Lock sync.Mutex\n",
	"guarded/guarded_test.go": "package guarded\n\nimport \"testing\"\n\nfunc TestLock(t *testing.T) { t.Parallel(); Lock.Lock() }\n",
	"none/none.go":            "package none\n",
}

// racy is a test with a data race.
const racy = `package busy

import "testing"

func TestRaces(t *testing.T) {
	n, done := 0, make(chan int)
	Go(func() { n++; done <- n })
	n++
	<-done
}
`

// in creates the module with additional files and makes its folder the current one. A file in more
// replaces a file of the module with the same name. No check is recorded as passed.
func in(t *testing.T, more map[string]string) {
	t.Helper()
	t.Setenv("SVC_GATE_STATE", t.TempDir())
	t.Chdir(written(t, more))
}

// written creates the module with additional files and returns its folder. A file in more replaces
// a file of the module with the same name.
func written(t *testing.T, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, module)
	write(t, dir, more)
	return dir
}

// write writes files to a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// expect runs steps and checks the exit code and the last line of the output. The output must also
// match each regular expression in parts.
func expect(t *testing.T, code int, last string, parts []string, steps ...string) {
	t.Helper()
	var out bytes.Buffer
	got := run(t.Context(), steps, &out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if got != code || lines[len(lines)-1] != last {
		t.Errorf("got exit code %d and %q, want %d and %q:\n%s", got, lines[len(lines)-1], code, last, &out)
	}
	for _, part := range parts {
		if !regexp.MustCompile(part).MatchString(out.String()) {
			t.Errorf("got no %q in\n%s", part, &out)
		}
	}
}

func TestSkippedTestsArePrintedWithReasons(t *testing.T) { //nolint:paralleltest // changes the folder
	in(t, nil)
	expect(t, 0, "7 passed, 0 failed, 2 skipped", []string{
		`(?m)^tests +ok +\d+ s$`, `(?m)^format +ok`, `(?m)^ +slowest packages: .*example/calm \d+ s`,
		`(?m)^ +with the race detector 1 passed, `, `(?m)^ +skipped with, run without 2 passed, `,
		`(?m)^skipped: example/calm TestSkips: needs a mountain: install one$`,
		`(?m)^skipped: example/calm TestSilent: no reason given$`,
	}, "tests", "format")
}

func TestWhatFailsIsPrinted(t *testing.T) { //nolint:paralleltest // changes the folder
	in(t, map[string]string{
		"calm/more_test.go":     "package calm\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"got 1, want 2\") }\n",
		"broken/broken_test.go": "package broken\n\nvar x int = \"\"\n",
		"early/early_test.go":   "package early\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestEnds(*testing.T) { os.Exit(7) }\n",
		"none/ugly.go":          "package  none\n",
	})
	expect(t, 1, "6 passed, 4 failed, 2 skipped", []string{
		`(?m)^tests +FAILED`, `got 1, want 2`, `broken_test.go:3`, `FAIL\texample/early`, `RUN   TestEnds`,
		`(?m)^format +FAILED`, `(?m)^none.ugly.go$`,
	}, "tests", "format")
}

// TestRaceDetector checks that the gate runs a package with goroutines under the race detector, and
// that a race is found. Without a C compiler, the gate must run the package without the detector
// and report that.
func TestRaceDetector(t *testing.T) { //nolint:paralleltest // changes the folder
	in(t, map[string]string{"busy/race_test.go": racy})
	m, err := inspect(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if m.compiler == "" {
		t.Skip("needs a C compiler for the race detector: install gcc or clang")
	}
	expect(t, 1, "6 passed, 1 failed, 2 skipped", []string{`DATA RACE`}, "tests")
	concurrent, sequential, err := packages(t.Context())
	if err != nil || !slices.Equal(concurrent, []string{"example/busy"}) || !slices.Equal(sequential, []string{"example/calm", "example/guarded"}) {
		t.Errorf("got %q and %q, %v", concurrent, sequential, err)
	}
	if err := os.Remove("busy/race_test.go"); err != nil {
		t.Fatal(err)
	}
	m.compiler = ""
	if r := tests(t.Context(), m); r.failed > 0 || r.passed != 5 || len(r.skipped) != 3 || !strings.Contains(r.skipped[0].Reason, "no C compiler") {
		t.Errorf("without a compiler: got %+v", r)
	}
}

// TestPlatforms checks that the gate finds code that does not compile on another platform. This
// includes code in tests, and code that depends on types of another processor. It also checks that
// there are no other errors.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		files    map[string]string
		platform platform
		want     string // a part of the expected error; "" for none
	}{
		{"whole", nil, platform{"windows", "arm64"}, ""},
		{"another system", map[string]string{"busy/busy_windows.go": "package busy\n\nvar x int = nothing\n"}, platform{"darwin", "arm64"}, ""},
		{"a file of the system", map[string]string{"busy/busy_windows.go": "package busy\n\nvar x int = nothing\n"}, platform{"windows", "amd64"}, "undefined: nothing"},
		{"a test of the system", map[string]string{"calm/calm_darwin_test.go": "package calm_test\n\nimport _ \"example/busy\"\n\nvar x int = nothing\n"}, platform{"darwin", "amd64"}, "undefined: nothing"},
		{"what its tests add to a package", map[string]string{
			"busy/export_test.go": "package busy\n\nvar Added = 1\n",
			"busy/user_test.go":   "package busy_test\n\nimport \"example/busy\"\n\nvar _ string = busy.Added\n",
		}, platform{"windows", "amd64"}, "busy.Added"},
		{"what a system does not have", map[string]string{"none/signal.go": "package none\n\nimport \"syscall\"\n\nvar _ = syscall.SIGUSR1\n"}, platform{"windows", "amd64"}, "SIGUSR1"},
		{"the other processor", map[string]string{"none/links.go": "package none\n\nimport \"syscall\"\n\nfunc links(s syscall.Stat_t) uint64 { return s.Nlink }\n"}, platform{"linux", "arm64"}, "cannot use s.Nlink"},
		{"no Go", map[string]string{"none/none.go": "package\n"}, platform{"linux", "arm64"}, "none.go:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found, err := tc.platform.check(t.Context(), written(t, tc.files))
			if all := errors.Join(append(found, err)...); (all == nil) != (tc.want == "") || all != nil && !strings.Contains(all.Error(), tc.want) {
				t.Errorf("got %v, want %q", all, tc.want)
			}
		})
	}
}

// TestLibrariesCheckThemselves checks that the gate adds up the passes, skips and failures of the
// libraries' checks. Afterwards, the gate must run the tests that use all libraries.
func TestLibrariesCheckThemselves(t *testing.T) { //nolint:paralleltest // changes the folder
	needsBash(t)
	libraries := map[string]string{
		"main.go":               "package main\n\nfunc main() {}\n",
		"clients/rust/check":    "test -x \"$SVC_BINARY\"; echo 'skipped: Rust 1.85: no such compiler: install it'; echo '12 passed, 1 skipped'\n",
		"clients/haskell/check": "echo '30 passed, 0 skipped'\n",
		"tests/clients/clients_test.go": `package clients

import (
	"os"
	"testing"
)

func TestEveryLibraryPlays(t *testing.T) {
	if os.Getenv("SVC_CLIENTS") == "" {
		t.Fatal("nobody has asked")
	}
}
`,
	}
	in(t, libraries)
	expect(t, 0, "43 passed, 0 failed, 1 skipped", []string{
		`(?m)^clients +ok`, `(?m)^ +rust +12 passed, 1 skipped, \d+ s$`, `(?m)^ +haskell +30 passed, \d+ s$`, `(?m)^ +together +1 passed, `,
		`(?m)^skipped: clients/rust Rust 1.85: no such compiler: install it$`,
	}, "clients")
	libraries["clients/rust/check"] = "echo 'test waits ... FAILED'; exit 1\n"
	libraries["clients/haskell/check"] = "echo 'all is well'\n"
	in(t, libraries)
	expect(t, 1, "1 passed, 2 failed, 0 skipped", []string{`(?m)^clients +FAILED`, `test waits ... FAILED`, `(?m)^ +rust +FAILED`, `does not end with "N passed`}, "clients")
	expect(t, 0, "7 passed, 0 failed, 2 skipped", nil, "tests", "format")
}

// TestConsoleChecksItself checks the same as TestLibrariesCheckThemselves, for the console.
func TestConsoleChecksItself(t *testing.T) { //nolint:paralleltest // changes the folder
	needsBash(t)
	files := map[string]string{
		"main.go":              "package main\n\nfunc main() {}\n",
		"assets/console/check": "test -x \"$SVC_BINARY\"; echo 'skipped: Chromium: not here: install it'; echo '20 passed, 1 skipped'\n",
	}
	in(t, files)
	expect(t, 0, "20 passed, 0 failed, 1 skipped", []string{`(?m)^console +ok`, `(?m)^skipped: assets/console Chromium: not here: install it$`}, "console")
	files["assets/console/check"] = "echo 'the button is gone'; exit 1\n"
	in(t, files)
	expect(t, 1, "0 passed, 1 failed, 0 skipped", []string{`(?m)^console +FAILED`, `the button is gone`}, "console")
}

func needsBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash for the checks of libraries and console: install it")
	}
}

// TestShadows checks that the gate runs the tests of the packages that write with the build tag
// "shadow", and those of the API only with -all.
func TestShadows(t *testing.T) { //nolint:paralleltest // changes the folder
	tagged := func(name, body string) string {
		return "//go:build shadow\n\npackage " + name + "\n\nimport \"testing\"\n\nfunc TestShadow(t *testing.T) { " + body + " }\n"
	}
	in(t, map[string]string{
		"internal/boltfile/boltfile.go":    "package boltfile\n",
		"internal/boltfile/shadow_test.go": tagged("boltfile", "t.Skip()"),
		"internal/event/event.go":          "package event\n",
		"internal/event/shadow_test.go":    tagged("event", ""),
		"store/store.go":                   "package store\n",
		"store/shadow_test.go":             tagged("store", ""),
		"api/web/web.go":                   "package web\n",
		"api/web/shadow_test.go":           tagged("web", `t.Error("differs")`),
	})
	expect(t, 0, "2 passed, 0 failed, 0 skipped", []string{`(?m)^shadows +ok`}, "shadows")
	expect(t, 1, "2 passed, 1 failed, 0 skipped", []string{`(?m)^shadows +FAILED`, `differs`}, "-all", "shadows")
}

// TestStandbys checks that the gate runs the tests of the API with the build tag "standby".
func TestStandbys(t *testing.T) { //nolint:paralleltest // changes the folder
	tagged := func(name, body string) string {
		return "//go:build standby\n\npackage " + name + "\n\nimport \"testing\"\n\nfunc TestStandby(t *testing.T) { " + body + " }\n"
	}
	in(t, map[string]string{
		"api/pages/pages.go":        "package pages\n",
		"api/pages/standby_test.go": tagged("pages", ""),
	})
	expect(t, 0, "1 passed, 0 failed, 0 skipped", []string{`(?m)^standbys +ok`}, "standbys")
	in(t, map[string]string{
		"api/pages/pages.go":        "package pages\n",
		"api/pages/standby_test.go": tagged("pages", ""),
		"api/web/web.go":            "package web\n",
		"api/web/standby_test.go":   tagged("web", `t.Error("differs")`),
	})
	expect(t, 1, "1 passed, 1 failed, 0 skipped", []string{`(?m)^standbys +FAILED`, `differs`}, "standbys")
}

// TestUnchangedChecks checks that a check runs again if and only if its inputs or tools have
// changed since it passed. If only the program has changed, only the story of each library and of
// the console runs.
func TestUnchangedChecks(t *testing.T) { //nolint:paralleltest // changes the folder
	needsBash(t)
	in(t, map[string]string{
		"main.go":              "package main\n\nfunc main() {}\n",
		"openapi.yaml":         "openapi: 3.1.0\n",
		"clients/rust/check":   "echo rust >>\"$SVC_GATE_STATE/ran\"; echo '2 passed, 0 skipped'\n",
		"clients/go/check":     "echo go >>\"$SVC_GATE_STATE/ran\"; [ ! -e fails ] || exit 1; echo 'skipped: lint: not here'; echo '3 passed, 1 skipped'\n",
		"clients/go/lib.go.in": "1\n",
		"assets/console/check": "echo console $1 >>\"$SVC_GATE_STATE/ran\"; echo '4 passed, 0 skipped'\n",
		"tests/clients/clients_test.go": `package clients

import (
	"os"
	"testing"
)

func note(t *testing.T, name string) {
	f, err := os.OpenFile(os.Getenv("SVC_GATE_STATE")+"/ran", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString(name + "\n")
}

func TestEveryLibraryPlays(t *testing.T)                { note(t, "plays") }
func TestEveryLibraryRunsItsDocumentation(t *testing.T) { note(t, "documentation") }
`,
	})
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	everything := "console, documentation, go, plays, rust"
	for _, tc := range []struct {
		name  string
		files map[string]string
		flags []string
		code  int
		ran   string
	}{
		{"a machine without a record", nil, nil, 0, everything},
		{"nothing has changed", nil, nil, 0, ""},
		{"everything is asked for", nil, []string{"-all"}, 0, everything},
		{"a library", map[string]string{"clients/go/lib.go.in": "2\n"}, nil, 0, "documentation, go, plays"},
		{"the description", map[string]string{"openapi.yaml": "openapi: 3.1.1\n"}, nil, 0, everything},
		{"the program", map[string]string{"main.go": "package main\n\nfunc main() { println(1) }\n"}, nil, 0, "console story, documentation"},
		{"the program once more", nil, nil, 0, ""},
		{"a package that serves the console", map[string]string{"api/web/web.go": "package web\n"}, nil, 0, "console"},
		{"a check that fails", map[string]string{"fails": ""}, []string{"-all"}, 1, everything},
		{"it has passed before", nil, nil, 0, ""},
		{"a change that fails", map[string]string{"clients/go/lib.go.in": "3\n"}, nil, 1, "documentation, go, plays"},
		{"and fails again", nil, nil, 1, "go"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			write(t, ".", tc.files)
			var out bytes.Buffer
			if code := run(t.Context(), append(tc.flags, "clients", "console"), &out); code != tc.code {
				t.Errorf("got exit code %d, want %d:\n%s", code, tc.code, &out)
			}
			path := filepath.Join(os.Getenv("SVC_GATE_STATE"), "ran")
			text, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			ran := strings.Fields(strings.ReplaceAll(string(text), "console story", "console_story"))
			slices.Sort(ran)
			if got := strings.ReplaceAll(strings.Join(ran, ", "), "_", " "); got != tc.ran {
				t.Errorf("ran %s; want %s:\n%s", got, tc.ran, &out)
			}
			if tc.ran == "" && (!strings.Contains(out.String(), "unchanged since a pass on 20") || !strings.Contains(out.String(), "skipped: clients/go lint: not here")) {
				t.Errorf("does not say what it did not run:\n%s", &out)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestTimesAreKept checks that the file of times has a line for each complete run, the newest last.
func TestTimesAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range timesKept + 5 {
		r := report{out: t.Output(), steps: []elapsed{{"tests", float64(n)}}, packages: []elapsed{{"svc/store", 2}, {"svc/api", 3}, {"svc/store", 2}}}
		r.keepTimes(dir, "0123456")
	}
	text, err := os.ReadFile(filepath.Join(dir, "times"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if want := " 0123456 passed: tests 24 s; store 4 s, api 3 s"; err != nil || len(lines) != timesKept || !strings.HasSuffix(lines[timesKept-1], want) {
		t.Errorf("got %v\n%s", err, text)
	}
}

func TestUnknownStep(t *testing.T) {
	t.Parallel()
	expect(t, 2, `there is no step "polish"`, nil, "polish")
}
