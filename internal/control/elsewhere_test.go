package control

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/datadir"
)

// TestSocketElsewhere checks how a socket is created on systems that cannot name it
// through a handle of its directory. This also works on all other systems, so the test
// runs on all of them.
func TestSocketElsewhere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 100))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := listenElsewhere(dir)
	if err != nil {
		t.Fatal(err)
	}
	h := readHolder(dir)
	if h.pid != os.Getpid() || h.socket != socket.path {
		t.Fatalf("the lock file says pid %d, socket %q; want %d, %q", h.pid, h.socket, os.Getpid(), socket.path)
	}
	server := &http.Server{ConnContext: MarkConn, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Owner(r.Context()) {
			t.Error("not the owner")
		}
	})}
	go func() { _ = server.Serve(socket) }()
	t.Cleanup(func() { _ = server.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, BaseURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := Client(dir).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()

	// a killed process leaves its socket behind, which the next holder of the lock must
	// remove
	if err := lock.file.Unlock(); err != nil {
		t.Fatal(err)
	}
	lock, err = Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(socket.path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the folder of the socket is gone", err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}

func TestOnlyOurFoldersAreRemoved(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, datadir.Socket)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	holder{socket: path}.removeSocket()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a lock file that names another folder removed its file: %v", err)
	}
}
