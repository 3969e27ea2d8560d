package cmd

import (
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
)

// launch runs "svc serve" in the background with additional environment variables. The server is
// stopped at the end of the test.
func launch(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	return launchCommand(t, env, append([]string{"serve"}, args...)...)
}

// launchCommand is like launch, but runs another command that is a server.
func launchCommand(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	s := newServer(exec.Command("svc", args...))
	s.command.Dir = t.TempDir()
	s.command.Env = append(os.Environ(), env...)
	out, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.command.Stderr = other
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	go s.follow(out)
	t.Cleanup(func() {
		_ = s.command.Process.Kill()
		<-s.exited
	})
	return s
}

// await waits until the server's log matches a pattern and returns the match.
func (s *server) await(t *testing.T, pattern string) string {
	t.Helper()
	return s.wait(t, regexp.MustCompile(pattern))
}

// forget discards the log so far, so that later calls of await and silent only see new lines.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Reset()
}

func (s *server) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.command.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// silent fails the test if the log so far matches a pattern.
func (s *server) silent(t *testing.T, pattern string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if regexp.MustCompile(pattern).Match(s.log.Bytes()) {
		t.Errorf("%s is in the log:\n%s", pattern, s.log.String())
	}
}
