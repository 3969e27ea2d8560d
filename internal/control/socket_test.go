package control_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
)

// whoAsks is a handler that responds with "owner" or "stranger", depending on where the
// request comes from, and with the content of the request.
var whoAsks = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	who := "stranger"
	if control.Owner(r.Context()) {
		who = "owner"
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Seen", r.Method+" "+r.Host+" "+r.RequestURI)
	w.WriteHeader(http.StatusTeapot)
	_, _ = io.WriteString(w, who+string(body))
	w.Header().Set("X-Late", "1")
})

func acquire(t *testing.T, dir string) {
	t.Helper()
	l, err := control.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

// serve serves whoAsks on each listener, as the program serves its handler.
func serve(t *testing.T, listeners ...net.Listener) {
	t.Helper()
	server := &http.Server{Handler: whoAsks, ConnContext: control.MarkConn, ReadHeaderTimeout: time.Minute}
	for _, l := range listeners {
		go func() { _ = server.Serve(l) }()
	}
	t.Cleanup(func() { _ = server.Close() })
}

func ask(t *testing.T, client *http.Client, base string) (answer, seen string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/a%2Fb?x=1", strings.NewReader("!"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusTeapot || response.Header.Get("X-Late") != "" {
		t.Errorf("got status %d and header X-Late %q, want 418 and none", response.StatusCode, response.Header.Get("X-Late"))
	}
	return string(body), response.Header.Get("X-Seen")
}

func TestSocketAndProcessAreTheOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acquire(t, dir)
	socket, err := control.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	tcp, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, socket, tcp)

	const seen = "POST svc /a%2Fb?x=1"
	if got, how := ask(t, control.Client(dir), control.BaseURL); got != "owner!" || how != seen {
		t.Errorf("over the socket: got %q by %q, want owner! by %q", got, how, seen)
	}
	if got, how := ask(t, control.InProcess(whoAsks), control.BaseURL); got != "owner!" || how != seen {
		t.Errorf("in process: got %q by %q, want owner! by %q", got, how, seen)
	}
	if got, _ := ask(t, http.DefaultClient, "http://"+tcp.Addr().String()); got != "stranger!" {
		t.Errorf("over TCP: got %q, want stranger!", got)
	}
}

// TestOtherUnixSocketsAreStrangers checks that requests over a public Unix socket are not
// treated as requests of the owner, although public listeners and the control socket are
// the same kind of socket.
func TestOtherUnixSocketsAreStrangers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "public.sock")
	var config net.ListenConfig
	public, err := config.Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, public)
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	if got, _ := ask(t, client, control.BaseURL); got != "stranger!" {
		t.Errorf("got %q, want stranger!", got)
	}
}

func TestSocketIsPrivateAndGoesAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acquire(t, dir)
	socket, err := control.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, datadir.Socket)
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v, want mode 0600", info, err)
	}
	if err := socket.Close(); err != nil {
		t.Error(err)
	}
	if err := socket.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("second close: got %v, want %v", err, net.ErrClosed)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after closing: got %v, want that the socket is gone", err)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, end := startHolder(t, dir)
	end() // the killed process leaves its socket
	if _, err := os.Stat(filepath.Join(dir, datadir.Socket)); err != nil {
		t.Fatalf("no stale socket to test with: %v", err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, control.BaseURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := control.Client(dir).Do(request); err == nil {
		_ = response.Body.Close()
		t.Error("a stale socket answers")
	}

	acquire(t, dir)
	socket, err := control.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, socket)
	if got, _ := ask(t, control.Client(dir), control.BaseURL); got != "owner!" {
		t.Errorf("got %q, want owner!", got)
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 100), strings.Repeat("e", 100))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, the remains of the first time exist
		l, err := control.Acquire(dir)
		if err != nil {
			t.Fatal(err)
		}
		socket, err := control.Listen(dir)
		if err != nil {
			t.Fatal(err)
		}
		serve(t, socket)
		if got, _ := ask(t, control.Client(dir), control.BaseURL); got != "owner!" {
			t.Errorf("got %q, want owner!", got)
		}
		if err := socket.Close(); err != nil {
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
}
