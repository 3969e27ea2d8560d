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

// module is a small module with tests of every outcome.
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

import "testing"

func TestRaces(t *testing.T) {
	n, done := 0, make(chan int)
	Go(func() { n++; done <- n })
	n++
	<-done
}
`,
	"guarded/guarded.go":      "package guarded\n\nimport \"sync\"\n\nvar Lock sync.Mutex\n",
	"guarded/guarded_test.go": "package guarded\n\nimport \"testing\"\n\nfunc TestLock(t *testing.T) { t.Parallel(); Lock.Lock() }\n",
	"none/none.go":            "package none\n",
}

// in makes the module with more files, or others, and goes there.
func in(t *testing.T, more map[string]string) {
	t.Helper()
	t.Chdir(written(t, more))
}

// written makes the module with more files, or others, and returns its folder.
func written(t *testing.T, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, files := range []map[string]string{module, more} {
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
	return dir
}

// expect runs steps and compares the exit code, the last line and parts of the rest.
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
	expect(t, 0, "5 passed, 0 failed, 2 skipped", []string{
		`(?m)^tests +ok +\d+ s$`, `(?m)^format +ok`, `(?m)^ +slowest packages: .*example/calm \d+ s`,
		`(?m)^skipped: example/calm TestSkips: needs a mountain: install one$`,
		`(?m)^skipped: example/calm TestSilent: no reason given$`,
	}, "tests", "format")
}

func TestWhatFailsIsPrinted(t *testing.T) { //nolint:paralleltest // changes the folder
	in(t, map[string]string{
		"calm/more_test.go":     "package calm\n\nimport \"testing\"\n\nfunc TestFails(t *testing.T) { t.Error(\"got 1, want 2\") }\n",
		"broken/broken_test.go": "package broken\n\nvar x int = \"\"\n",
		"early/early_test.go":   "package early\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestEnds(*testing.T) { os.Exit(7) }\n",
		"ugly.go":               "package  example\n",
	})
	expect(t, 1, "4 passed, 4 failed, 2 skipped", []string{
		`(?m)^tests +FAILED`, `got 1, want 2`, `broken_test.go:3`, `FAIL\texample/early`, `RUN   TestEnds`,
		`(?m)^format +FAILED`, `(?m)^ugly.go$`,
	}, "tests", "format")
}

// The package with a goroutine runs with the detector, which finds its race; without
// a C compiler that is skipped and said.
func TestRaceDetector(t *testing.T) { //nolint:paralleltest // changes the folder
	in(t, nil)
	m, err := inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.compiler == "" {
		t.Skip("needs a C compiler for the race detector: install gcc or clang")
	}
	expect(t, 1, "0 passed, 1 failed, 0 skipped", []string{`DATA RACE`}, "race")
	names, err := concurrent(t.Context())
	if err != nil || !slices.Equal(names, []string{"example/busy"}) {
		t.Errorf("got %q, %v, want the package with a goroutine alone", names, err)
	}
	m.compiler = ""
	if r := raceTests(t.Context(), m); r.failed != 0 || len(r.skipped) != 1 || !strings.Contains(r.skipped[0].reason, "no C compiler") {
		t.Errorf("without a compiler: got %+v", r)
	}
}

// What does not compile elsewhere is found, in tests as well, with the processor's own
// types, and nothing else is.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		files    map[string]string
		platform platform
		want     string // a part of what is found; "" = nothing
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

// Libraries check themselves: what they count, skip and fail at is the gate's, and the tests
// for which all play follow.
func TestLibrariesCheckThemselves(t *testing.T) { //nolint:paralleltest // changes the folder
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash for the checks of the libraries: install it")
	}
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
	expect(t, 0, "5 passed, 0 failed, 2 skipped", nil, "tests", "format")
}

// The console checks itself, in the same way.
func TestConsoleChecksItself(t *testing.T) { //nolint:paralleltest // changes the folder
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash for the check of the console: install it")
	}
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

func TestUnknownStep(t *testing.T) {
	t.Parallel()
	expect(t, 2, `there is no step "polish"`, nil, "polish")
}
