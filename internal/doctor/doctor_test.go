package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"svc/internal/setting"
)

// today is the time at which the checks run in tests.
var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newInstallation returns an installation with an empty data folder. machine contains the
// text of each file of the fake machine, by name; /data in a text is replaced with the
// path of the data folder. variables have the form name=value and determine the settings.
func newInstallation(t *testing.T, machine map[string]string, variables ...string) *Installation {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := setting.Load(setting.Sources{
		Flag: func(name string) (string, bool) { return dir, name == "data" },
		Env: func(name string) (value string, set bool) {
			for _, variable := range variables {
				if value, set = strings.CutPrefix(variable, name+"="); set {
					return value, true
				}
			}
			return "", false
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &Installation{Settings: s, Now: today}
	files := fstest.MapFS{}
	for name, text := range machine {
		files[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "/data", dir))}
	}
	p.Machine = files
	return p
}

// expect fails the test unless the first finding of a check has the given status and a
// description that contains what. If the status is OK, it expects no findings.
func expect(t *testing.T, found []Finding, status Status, what string) {
	t.Helper()
	if status == OK {
		if len(found) > 0 {
			t.Errorf("got %+v, want nothing", found)
		}
		return
	}
	if len(found) == 0 || found[0].Status != status || !strings.Contains(found[0].What, what) {
		t.Errorf("got %+v, want a %s with %q", found, status, what)
		return
	}
	if found[0].Repair == "" {
		t.Errorf("%q says nothing about its repair", found[0].What)
	}
	if found[0].Code == "" || found[0].Values == nil {
		t.Errorf("%+v has no code, or no list of values", found[0])
	}
	rest := found[0].What + "\n" + found[0].Repair
	for _, value := range found[0].Values {
		if value == "0" {
			continue // the line names no other file
		}
		_, after, there := strings.Cut(rest, value)
		if !there {
			t.Errorf("%+v: the texts do not have %q in this order", found[0], value)
		}
		rest = after
	}
}

// status returns the status of the named check.
func status(t *testing.T, results []Result, name string) Status {
	t.Helper()
	for _, r := range results {
		if r.Name == name {
			return r.Status
		}
	}
	t.Fatalf("no check %s", name)
	return OK
}

// TestExamine checks that a check has the status of its worst unrepaired finding, and that only
// repairable findings are repaired.
func TestExamine(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	open := filepath.Join(p.Settings.Data, "README.txt")
	if err := os.WriteFile(open, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		fix               bool
		permissions, keys Status
	}{
		{false, Warning, Note},
		{true, OK, Note},
		{false, OK, Note},
	} {
		results := Examine(p, tc.fix)
		if got := status(t, results, "permissions"); got != tc.permissions {
			t.Errorf("fix %v: got permissions %s, want %s", tc.fix, got, tc.permissions)
		}
		if got := status(t, results, "keys"); got != tc.keys {
			t.Errorf("fix %v: got keys %s, want %s", tc.fix, got, tc.keys)
		}
	}
}

// TestExamineWhileServing checks that a server runs all checks except the check of its
// databases, and that it repairs nothing.
func TestExamineWhileServing(t *testing.T) {
	t.Parallel()
	p := newInstallation(t, nil)
	p.Facts = &Facts{FailedJobs: []FailedJob{{"backup", "no room"}}}
	all, own := Examine(p, false), ExamineWhileServing(p)
	if len(own) != len(all)-1 || slices.ContainsFunc(own, func(r Result) bool { return r.Name == "databases" }) {
		t.Errorf("got %d checks %+v, want those of %d but the databases", len(own), own, len(all))
	}
	if got := status(t, own, "jobs"); got != Warning {
		t.Errorf("got jobs %s, want a warning", got)
	}
	for _, tc := range []struct {
		results []Result
		want    Status
	}{
		{nil, OK}, {[]Result{{Status: OK}, {Status: Note}}, Note}, {[]Result{{Status: Problem}, {Status: Warning}}, Problem},
	} {
		if got := Worst(tc.results); got != tc.want {
			t.Errorf("worst of %+v: got %s, want %s", tc.results, got, tc.want)
		}
	}
}

// TestChecksAreNamed checks that every check has a unique name and a title.
func TestChecksAreNamed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range checks {
		if c.name == "" || c.title == "" || c.run == nil || seen[c.name] {
			t.Errorf("check %q (%q) is not complete, or there twice", c.name, c.title)
		}
		seen[c.name] = true
	}
}
