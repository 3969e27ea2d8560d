package cmd_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"svc/internal/testutil"
)

// TestDiskThatHangs runs a server on a disk that stops answering. It checks that the server is not
// ready once a write has taken 30 seconds, that SIGTERM ends it with exit code 15, and that
// acknowledged records exist after the next start.
func TestDiskThatHangs(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace to let a system call hang: install the package strace")
	}
	data := filepath.Join(t.TempDir(), "data")
	p := launch(t, exec.Command("svc", "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error", "--shutdown-timeout", "0s"))
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)

	trace := filepath.Join(t.TempDir(), "trace")
	hang := exec.CommandContext(t.Context(), strace, "-f", "-p", strconv.Itoa(p.Process.Pid), "-o", trace, "-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=600s")
	if err := hang.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- hang.Wait() }()
	t.Cleanup(func() { _ = hang.Process.Kill() })
	tasks := filepath.Join("/proc", strconv.Itoa(p.Process.Pid), "task")
	testutil.Until(t, "strace to attach", func() bool {
		select {
		case err := <-ended:
			t.Skipf("needs strace to be allowed to trace: in a container add the capability SYS_PTRACE: %v", err)
		default:
		}
		status, err := os.ReadFile(filepath.Join(tasks, "..", "status"))
		return err == nil && !strings.Contains(string(status), "TracerPid:\t0\n")
	})
	go func() { // this request waits for the disk until the process ends
		if answer, err := http.Post(p.url+"/public/a/feedbacks", "application/json", strings.NewReader(`{"content":"x"}`)); err == nil {
			_ = answer.Body.Close()
		}
	}()
	testutil.Until(t, "readiness to report the write", func() bool {
		out, _ := command(t, "health", "--data", data)
		return strings.Contains(out, "svc.db: a write has not ended for ")
	})
	if metrics := string(get(t, data, "/metrics")); !regexp.MustCompile(`\nsvc_store_writer_seconds [3-9]\d`).MatchString(metrics) {
		t.Error("the metrics do not say for how long the write has lasted")
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	testutil.Until(t, "the end of every thread that strace does not hold", func() bool { return held(t, tasks) })
	if err := hang.Process.Kill(); err != nil { // kill strace, which holds the thread that hangs
		t.Fatal(err)
	}
	<-p.logged
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != 15 {
		t.Errorf("got exit code %d, want 15", code)
	}
	serve(t, data).ask(t, "GET", "/public/a", "", 200)
}

// held reports whether every thread of a process has ended or is stopped by a debugger. tasks is
// the directory /proc/PID/task. The thread that hangs may be any, also the first.
func held(t *testing.T, tasks string) bool {
	t.Helper()
	states, err := filepath.Glob(filepath.Join(tasks, "*", "status"))
	if err != nil || len(states) == 0 {
		t.Fatalf("no threads in %s: %v", tasks, err)
	}
	for _, file := range states {
		status, err := os.ReadFile(file)
		if err == nil && !regexp.MustCompile(`\nState:\t[tZX]`).Match(status) {
			return false
		}
	}
	return true
}
