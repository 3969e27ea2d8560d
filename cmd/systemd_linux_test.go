package cmd

import (
	"net"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// TestServiceManagerIsTold checks the messages that a server process sends to its service manager.
func TestServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = manager.Close() })
	hears := func(want string) {
		t.Helper()
		message := make([]byte, 1024)
		if err := manager.SetReadDeadline(time.Now().Add(giveUp)); err != nil {
			t.Fatal(err)
		}
		n, err := manager.Read(message)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).Match(message[:n]) {
			t.Fatalf("got %q, want %s", message[:n], want)
		}
	}
	const ready = `^READY=1\nSTATUS=answering at http://127\.0\.0\.1:\d+$`

	s := launch(t, []string{"NOTIFY_SOCKET=" + path}, "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	hears(ready)
	s.signal(t, syscall.SIGHUP)
	hears(`^RELOADING=1\nMONOTONIC_USEC=[1-9]\d+$`)
	hears(ready)
	s.signal(t, syscall.SIGTERM)
	hears(`^STOPPING=1\nSTATUS=stopping$`)
	<-s.exited
	if got := s.command.ProcessState.ExitCode(); got != 0 {
		t.Errorf("got exit code %d, want 0", got)
	}
}

// TestServiceManagerThatIsGone checks that a server starts even if its service manager does not
// exist.
func TestServiceManagerThatIsGone(t *testing.T) {
	t.Parallel()
	s := launch(t, []string{"NOTIFY_SOCKET=" + filepath.Join(t.TempDir(), "nobody")}, "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	url := s.await(t, `http://127[0-9.:]+`)
	if got := fetch(t, nil, url+"/healthz"); got.body != "ok" {
		t.Errorf("got %q", got.body)
	}
	s.await(t, `"service manager".*notify the service manager`)
}
