package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"svc/internal/control"
	"svc/internal/setting"
	"svc/store"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		err  error
		want int
	}{
		{"a command that failed", &runError{errors.New("x")}, 1},
		{"a command line that was not understood", errors.New("unknown flag"), 2},
		{"settings", &runError{setting.Errors{errors.New("x")}}, 2},
		{"a code that was given", &runError{fmt.Errorf("more: %w", withCode(10, errors.New("x")))}, 10},
		{"the lock", &runError{fmt.Errorf("more: %w", &control.HeldError{})}, 11},
		{"the lock of the database", &runError{fmt.Errorf("open: %w", store.ErrLocked)}, 11},
		{"newer data", &runError{fmt.Errorf("open: %w", store.ErrNewer)}, 12},
		{"damaged data", &runError{errors.Join(fmt.Errorf("open: %w", store.ErrDamaged), errors.New("close"))}, 13},
	} {
		if got := exitCode(tc.err); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, got, tc.want)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"one line", errors.New("a"), "svc: a\n"},
		{"what to do stands below", errors.New("a\nb"), "svc: a\n     b\n"},
		{"each problem of the settings is a line", setting.Errors{errors.New("a"), errors.New("b")}, "svc: a\nsvc: b\n"},
		{
			"root is told the user", &control.OwnerError{Dir: "/data", Owner: "svc", User: "root", Root: true},
			"svc: /data belongs to user svc, and this is user root\n     files that root makes there would stop the next start; use: sudo -u svc svc apikey list\n",
		},
		{
			"others are told what root can do", &control.OwnerError{Dir: "/my data", Owner: "root", User: "svc"},
			"svc: /my data belongs to user root, and this is user svc\n     as root: chown -R svc '/my data'\n",
		},
		{
			"a user without a name is one of a container", &control.OwnerError{Dir: "/data", Owner: "#0", User: "#65532"},
			"svc: /data belongs to user #0, and this is user #65532\n     as root: chown -R 65532 /data\n     in a container that is the folder or volume which is mounted there; do it outside\n",
		},
	} {
		var out bytes.Buffer
		printError(&out, tc.err, []string{"svc", "apikey", "list"})
		if out.String() != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.name, out.String(), tc.want)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, answer, want string }{
		{"one message", `{"statusCode":404,"message":"api key not found","error":"Not Found"}`, "api key not found"},
		{"a list of messages", `{"message":["name must not be empty","unknown scope"]}`, "name must not be empty\nunknown scope"},
		{"no message", `{}`, "the server responded with 404 Not Found"},
		{"another message", `{"message":{}}`, "the server responded with 404 Not Found"},
		{"no JSON", `<html>`, "the server responded with 404 Not Found"},
	} {
		if got := refusal("404 Not Found", []byte(tc.answer)).Error(); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want time.Duration // 0 if the text is rejected
	}{
		{"90s", 90 * time.Second}, {"30m", 30 * time.Minute}, {"12h", 12 * time.Hour}, {"30d", 720 * time.Hour},
		{"30", 0}, {"", 0}, {"0d", 0}, {"-1d", 0}, {"1.5h", 0}, {"1w", 0}, {"d", 0}, {" 1d", 0},
	} {
		got, err := lifetime("--expires", tc.text)
		if got != tc.want || (err == nil) != (tc.want > 0) || err != nil && exitCode(err) != exitUsage {
			t.Errorf("%q: got %s, %v; want %s", tc.text, got, err, tc.want)
		}
	}
}

func TestGrace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want int64 // -1 if the text is rejected
	}{
		{"60m", 60}, {"2h", 120}, {"1d", 1440}, {"120s", 2}, {"0", 0}, {"0m", 0}, {"00d", 0}, {"", 0},
		{"90s", -1}, {"60", -1}, {"x", -1}, {"-1m", -1},
	} {
		got, err := graceMinutes(tc.text)
		if err != nil {
			got = -1
		}
		if got != tc.want || err != nil && exitCode(err) != exitUsage {
			t.Errorf("%q: got %d, %v; want %d", tc.text, got, err, tc.want)
		}
	}
}

// TestReachEndsWhenInterrupted checks that a command stops waiting for the lock when its context
// ends.
func TestReachEndsWhenInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := control.Acquire(dir) // lock the directory in this process, which does not respond
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := connectOrLock(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
