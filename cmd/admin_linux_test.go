package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNewPasswordIsPrintedForPeople checks that the new password is printed only if the standard
// output is a terminal. It must not be written to a file, even if the messages go to a terminal.
func TestNewPasswordIsPrintedForPeople(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	server := exec.Command("svc", "serve", "--data", dir, "--listen", "127.0.0.1:0")
	log, err := server.StderrPipe()
	must(t, err)
	must(t, server.Start())
	t.Cleanup(func() {
		must(t, server.Process.Kill())
		_ = server.Wait() // the server was killed
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "http://") {
	}
	for _, tc := range []struct {
		name    string
		printed bool
	}{
		{"the standard output is a terminal", true},
		{"the standard output is a file", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reader, terminal, err := openPTY()
			must(t, err)
			defer func() { must(t, reader.Close()) }()
			var file bytes.Buffer
			command := exec.Command("svc", "admin", "reset-password", "--data", dir)
			command.Stdout, command.Stderr = &file, terminal
			if tc.printed {
				command.Stdout = terminal
			}
			must(t, command.Start())
			must(t, terminal.Close())
			shown, err := io.ReadAll(reader)
			if !errors.Is(err, syscall.EIO) { // a terminal returns this error when its last user has closed it
				must(t, err)
			}
			must(t, command.Wait())
			saved, err := os.ReadFile(filepath.Join(dir, "svc.bootstrap-admin.txt"))
			must(t, err)
			_, password, _ := strings.Cut(string(saved), "password:  ")
			if password, _, _ = strings.Cut(password, "\n"); password == "" {
				t.Fatalf("no password in %q", saved)
			}
			if got := strings.Contains(string(shown)+file.String(), password); got != tc.printed {
				t.Errorf("the password is printed: %v, want %v; terminal %q, file %q", got, tc.printed, shown, file.String())
			}
		})
	}
}
