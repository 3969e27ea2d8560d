package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The figures mean nothing here; that both sides answer does.
func TestSmallRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run([]string{"-rounds", "2", "-connections", "2", "-each", "20ms", "-versions", "30"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`^update check: 30 versions, `, `(?m)^  svc +[1-9]\d* /s +\d`, `(?m)^  bare httprouter handler +[1-9]\d* /s +\d`, `(?m)^  ratio +\d+\.\d\d .* in 2 rounds`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("got %q, want it to match %s", &out, want)
		}
	}
}

func TestSmallProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out strings.Builder
	if err := run([]string{"-rounds", "1", "-each", "20ms", "-versions", "30", "-profiles", dir}, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"svc.prof", "bare.prof"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, size %d", name, err, info.Size())
		}
	}
}
