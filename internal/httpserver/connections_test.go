package httpserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/testutil"
)

func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		files uint64
		want  int
	}{
		{0, 10_000}, // no limit is known
		{64, 32},
		{256, 128},
		{1024, 768},
		{4096, 3840},
		{1 << 40, 10_000},
		{1<<64 - 1, 10_000},
	} {
		if got := connectionLimit(tc.files); got != tc.want {
			t.Errorf("with %d files: got %d connections, want %d", tc.files, got, tc.want)
		}
	}
}

// talk sends a request that keeps its connection, and reads the answer.
func talk(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	must(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	must(t, err)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusNoContent {
		t.Errorf("got status %d", answer.StatusCode)
	}
}

// accept serves on listeners, with room for one connection, until the test ends.
func accept(t *testing.T, owner net.Listener, public ...net.Listener) {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- NewServer(handler, 1, slog.New(slog.DiscardHandler)).Serve(ctx, time.Minute, nil, owner, public...)
	}()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
}

// TestUnixSocketHasRoom: a reverse proxy at a Unix socket has as many connections
// as one over the network, and the owner's do not count.
func TestUnixSocketHasRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := filepath.Join(dir, "http.sock")
	front, err := listenUnix(t.Context(), socket, 0o600)
	must(t, err)
	owner, err := control.Listen(dir)
	must(t, err)
	accept(t, owner, front)
	dial := func(path string) net.Conn {
		t.Helper()
		c, err := (&net.Dialer{}).DialContext(t.Context(), "unix", path)
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		must(t, c.SetDeadline(time.Now().Add(time.Minute)))
		return c
	}
	first := dial(socket)
	talk(t, first)
	commands := dial(filepath.Join(dir, datadir.Socket))
	talk(t, commands)
	talk(t, dial(socket))
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want that the first connection has made room", err)
	}
	talk(t, commands)
}

// pipes is a listener whose connections have no buffer: who does not read lets
// the other side wait.
type pipes struct {
	net.Listener // nil: nobody asks for its address

	come chan net.Conn
	gone context.Context
	stop func()
}

func newPipes() *pipes {
	p := &pipes{come: make(chan net.Conn)}
	p.gone, p.stop = context.WithCancel(context.Background())
	return p
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.gone.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.stop()
	return nil
}

// dial gives the client's side of a new connection.
func (p *pipes) dial(t *testing.T, config *tls.Config) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	p.come <- server
	return tls.Client(client, config)
}

// TestRoomAtOnce: a client that does not read what TLS says at the end does not
// keep others from its place.
func TestRoomAtOnce(t *testing.T) {
	t.Parallel()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	trusted := &tls.Config{RootCAs: testutil.WriteCertificate(t, certFile, keyFile, "a.example"), ServerName: "a.example"}
	own, err := tls.LoadX509KeyPair(certFile, keyFile)
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		trusted.Time = func() time.Time { return own.Leaf.NotBefore.Add(time.Minute) }
		l := newPipes()
		accept(t, nil, (tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{own}})))
		talk(t, l.dial(t, trusted))
		begin := time.Now()
		second := l.dial(t, trusted)
		talk(t, second)
		if took := time.Since(begin); took > 0 {
			t.Errorf("the second client had to wait %s", took)
		}
		go func() { _, _ = io.Copy(io.Discard, second) }() // reads the end of its connection
	})
}

// TestLongestIdleMakesRoom: of the connections between two requests the one that has
// waited longest makes room for the next one to come, and one that is answered never
// does.
func TestLongestIdleMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				<-answer
			}
			w.WriteHeader(http.StatusNoContent)
		})
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		l := newPipes()
		go func() {
			ended <- NewServer(handler, 4, slog.New(slog.DiscardHandler)).Serve(ctx, time.Minute, http.NotFound, nil, l)
		}()
		dial := func() net.Conn {
			client, server := net.Pipe()
			l.come <- server
			talk(t, client)
			synctest.Wait() // until it is idle
			return client
		}
		gone := func(c net.Conn) {
			t.Helper()
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("got %v, want that this connection has made room", err)
			}
		}
		first, second, third := dial(), dial(), dial()
		talk(t, second)
		synctest.Wait()
		_, err := io.WriteString(first, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
		must(t, err)
		synctest.Wait()
		fourth := dial()
		gone(third)
		fifth := dial()
		gone(second)
		sixth := dial()
		gone(fourth)
		close(answer)
		got, err := http.ReadResponse(bufio.NewReader(first), nil)
		must(t, err)
		must(t, got.Body.Close())
		for _, c := range []net.Conn{first, fifth, sixth} {
			talk(t, c)
		}
		stop()
		must(t, <-ended)
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
