package httpserver

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestOtherFilesAreNoSockets checks that files that are not sockets are never removed.
func TestOtherFilesAreNoSockets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data.txt")
	if err := os.WriteFile(path, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := listenUnix(t.Context(), path, 0o660); err == nil {
		_ = l.Close()
		t.Fatal("got a socket in place of a file")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "keep" {
		t.Errorf("got %q %v, want the file as it was", text, err)
	}
}

// TestLiveSocketStays checks that a socket is only removed if no process listens on it.
func TestLiveSocketStays(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a socket of datagrams, which Windows has not: run this on Linux or macOS")
	}
	path := filepath.Join(t.TempDir(), "other.sock")
	// a process uses this socket, but it cannot be dialled
	other, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if l, err := listenUnix(t.Context(), path, 0o660); err == nil {
		_ = l.Close()
		t.Error("got a socket in place of one that is in use")
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("got %v, want the socket as it was", err)
	}
}
