package cmd_test

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNotReadyWhileNothingCanBeWritten makes all writes of a running server fail, and later lets
// them succeed again. It checks that the server is not ready in the meantime, and that it becomes
// ready again without any further write requests. The readiness check itself tries to write.
func TestNotReadyWhileNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	health := func(want string) {
		t.Helper()
		out, err := exec.Command("svc", "health", "--data", dir).CombinedOutput()
		if !strings.Contains(string(out), want) || (err == nil) != (want == "ready\n") {
			t.Errorf("svc health: got %s, %v; want %s", out, err, want)
		}
	}
	health("ready\n")

	limit := unix.Rlimit{}
	if err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: unix.RLIM_INFINITY}, &limit); err != nil {
		t.Fatal(err)
	}
	for _, submission := range []struct{ path, body string }{
		{"logs", `{"level":1,"content":"x"}`},
		{"events", `{"distinct_id":"u","events":[{"event_id":"1","name":"open"}]}`},
	} {
		response, err := http.Post(p.url+"/public/app/"+submission.path, "application/json", strings.NewReader(submission.body))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode < 500 {
			t.Errorf("%s: got %s; want that it fails", submission.path, response.Status)
		}
	}
	health("not ready: svc.db: the last write failed")
	health("events.db: the last write failed")
	if metrics := string(get(t, dir, "/metrics")); !strings.Contains(metrics, "\nsvc_ready{check=\"svc.db\"} 0\n") || strings.Contains(metrics, "\nsvc_events_commit_failures_total 0\n") {
		t.Errorf("the metrics do not say that writes fail:\n%s", metrics)
	}

	if err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); { // the server tries once a second
		if exec.CommandContext(t.Context(), "svc", "health", "--data", dir).Run() == nil {
			break
		}
	}
	health("ready\n")
	p.end(t, os.Interrupt)
	if code := p.ProcessState.ExitCode(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}
}
