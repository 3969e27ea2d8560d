package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	svcsdk "svc/clients/go"
	"svc/clients/go/internal/live"
)

// TestNotesUpdatesItself checks that the program updates itself to a release on a real server.
func TestNotesUpdatesItself(t *testing.T) {
	t.Parallel()
	base := live.Start(t)
	dir := t.TempDir()
	ending := ""
	if runtime.GOOS == "windows" {
		ending = ".exe"
	}
	build := func(version string) string {
		path := filepath.Join(dir, "notes-"+version+"-"+runtime.GOOS+"-"+runtime.GOARCH+ending)
		command := exec.Command("go", "build", "-o", path, "-ldflags", "-X main.version="+version, ".")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		return path
	}
	program := build("1.0.0")
	notes := func(args ...string) string {
		t.Helper()
		command := exec.Command(program, append([]string{"-agree", "-file", filepath.Join(dir, "notes.txt")}, args...)...)
		command.Env = append(os.Environ(), "SVC_URL="+base, "XDG_STATE_HOME="+dir, "HOME="+dir, "LOCALAPPDATA="+dir)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("notes %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	publish(t, base, build("1.1.0"))

	if out := notes("add", "buy", "milk"); !strings.Contains(out, "1.1.0 is there") {
		t.Errorf("add says %q", out)
	}
	if out := notes("update"); !strings.Contains(out, "updated to 1.1.0") {
		t.Errorf("update says %q", out)
	}
	if out := notes("version"); out != "1.1.0\n" {
		t.Errorf("the version is %q", out)
	}
	if out := notes("list"); out != "1. buy milk\n" {
		t.Errorf("the notes are %q", out)
	}
	if out := notes("update"); out != "up to date\n" {
		t.Errorf("another update says %q", out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
		t.Errorf("%v is left", left)
	}
}

// publish publishes version 1.1.0 in the same way as CI.
func publish(t *testing.T, base, program string) {
	t.Helper()
	ctx := t.Context()
	ci, err := svcsdk.New(base, svcsdk.WithProject(project))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ci.Close(context.Background()) })
	if _, err := ci.Login(ctx, svcsdk.LoginInput{Username: "admin", Password: live.Password}); err != nil {
		t.Fatal(err)
	}
	if _, err := ci.Admin.CreateProject(ctx, svcsdk.ProjectCreate{Name: "Notes"}); err != nil {
		t.Fatal(err)
	}
	file, err := ci.Admin.UploadFile(ctx, program, nil)
	if err != nil {
		t.Fatal(err)
	}
	links := []svcsdk.DownloadLinkInput{{URL: "https://example.com/notes-plan9.zip", Platform: svcsdk.Set("plan9")}, {URL: strings.TrimSuffix(base, "/api/v1") + file.Path}}
	for version, fields := range map[string]svcsdk.VersionFields{
		"1.0.0": {IsLatest: new(false)}, "1.1.0": {DownloadLinks: svcsdk.Set(links)},
	} {
		if _, err := ci.Admin.UpsertVersion(ctx, version, fields); err != nil {
			t.Fatal(err)
		}
	}
}
