package httpserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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
		wanted int
		files  uint64
		want   int
	}{
		{0, 0, 10_000}, // the limit of open files is not known
		{0, 64, 32},
		{0, 256, 128},
		{0, 1024, 768},
		{0, 4096, 3840},
		{0, 1 << 20, 1<<20 - 256},
		{0, 1<<64 - 1, 1<<63 - 1},
		{50, 1024, 50},
		{1000, 1024, 768},
		{20_000, 1 << 40, 20_000},
		{20_000, 0, 20_000},
	} {
		if got := connectionLimit(tc.wanted, tc.files); got != tc.want {
			t.Errorf("%d wanted with %d files: got %d connections, want %d", tc.wanted, tc.files, got, tc.want)
		}
	}
}

// talk sends a request that keeps the connection open, and reads the response.
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

// accept starts a server on the given listeners. The server allows one public connection,
// and runs until the test ends.
func accept(t *testing.T, owner net.Listener, public ...net.Listener) {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- NewServer(handler, Limits{Connections: 1}, slog.New(slog.DiscardHandler)).Serve(ctx, time.Minute, owner, public...)
	}()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
}

// TestUnixSocketHasRoom checks that a reverse proxy may have as many connections through
// a Unix socket as over the network, and that connections to the control socket are not
// counted.
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

// pipes is a listener for unbuffered connections. A write to one of them blocks until the
// other side reads.
type pipes struct {
	net.Listener // nil, because its methods are never called

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

// dial returns the client's side of a new connection.
func (p *pipes) dial(t *testing.T, config *tls.Config) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	p.come <- server
	return tls.Client(client, config)
}

// TestRoomAtOnce checks that a client that does not read the TLS close alert does not
// delay the connection that replaces its connection.
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
		go func() { _, _ = io.Copy(io.Discard, second) }() // read until the connection is closed
	})
}

// TestLongestIdleMakesRoom checks that a new connection replaces the one that has been
// idle for the longest time between two requests, and never one with a request in
// progress.
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
			ended <- NewServer(handler, Limits{Connections: 3}, slog.New(slog.DiscardHandler)).Serve(ctx, time.Minute, nil, l)
		}()
		dial := func() net.Conn {
			client, server := net.Pipe()
			l.come <- server
			talk(t, client)
			synctest.Wait() // wait until the connection is idle
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

// remoteConn is a connection with the given remote address.
type remoteConn struct {
	net.Conn
	from net.Addr
}

func (c remoteConn) RemoteAddr() net.Addr { return c.from }

// dialFrom returns the client's side of a new connection from the given address.
func (p *pipes) dialFrom(address string) net.Conn {
	client, server := net.Pipe()
	p.come <- remoteConn{server, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 4711))}
	return client
}

// serveCrowd starts a server that allows 16 connections, and two for each address except
// 10.0.0.1. The server runs until the test ends.
func serveCrowd(t *testing.T) (*Server, *pipes) {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	proxy := func(address string) bool { return strings.HasPrefix(address, "10.0.0.1:") }
	s, l := NewServer(handler, Limits{Connections: 16, Exempt: proxy}, slog.New(slog.DiscardHandler)), newPipes()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, time.Minute, nil, l) }()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
	return s, l
}

// closed reports whether the server has closed a pipe without sending data.
func closed(t *testing.T, c net.Conn) bool {
	t.Helper()
	err := c.SetReadDeadline(time.Time{}) // fails if the other end of the pipe is closed
	if err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Fatal(err)
	}
	return err != nil
}

// TestShareOfAnAddress checks that an address may have an eighth of the connections. A
// further one must replace an idle connection of the same address or, if there is none,
// the oldest one without a header. If all of them have requests in progress, the new
// connection must be closed.
func TestShareOfAnAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, first, second, other string }{
		{"IPv4", "198.51.100.1", "198.51.100.1", "198.51.100.2"},
		{"IPv6 by /64", "2001:db8:1:1::1", "2001:db8:1:1:ff::2", "2001:db8:1:2::1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, l := serveCrowd(t)
				silent, idle := l.dialFrom(tc.first), l.dialFrom(tc.second)
				talk(t, idle)
				other := l.dialFrom(tc.other)
				talk(t, other)
				synctest.Wait()
				third := l.dialFrom(tc.first)
				synctest.Wait()
				if !closed(t, idle) || closed(t, silent) || closed(t, other) {
					t.Error("the third connection has not taken the place of the idle one")
				}
				fourth := l.dialFrom(tc.second)
				synctest.Wait()
				if !closed(t, silent) || closed(t, third) {
					t.Error("the fourth connection has not taken the place of the oldest one without a header")
				}
				talk(t, fourth)
				talk(t, other)
				if c := s.Connections(); c.Open != 3 || c.Max != 16 || c.Idle != 1 || c.Headerless != 1 || c.Refused != 0 {
					t.Errorf("got %+v", c)
				}
				for range 20 { // a reverse proxy carries the connections of many clients
					talk(t, l.dialFrom("10.0.0.1"))
				}
				if c := s.Connections(); c.Open != 16 {
					t.Errorf("got %d connections, want 16", c.Open)
				}
			})
		})
	}
}

// TestAddressWithBusyConnections checks that an address gets no further connection while
// it has requests in progress on all of its connections.
func TestAddressWithBusyConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			<-answer
			w.WriteHeader(http.StatusNoContent)
		})
		s, l := NewServer(handler, Limits{Connections: 16, Exempt: func(string) bool { return false }}, slog.New(slog.DiscardHandler)), newPipes()
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, time.Minute, nil, l) }()
		var busy []net.Conn
		for range 2 {
			c := l.dialFrom("198.51.100.1")
			_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			must(t, err)
			busy = append(busy, c)
		}
		synctest.Wait()
		third := l.dialFrom("198.51.100.1")
		synctest.Wait()
		if !closed(t, third) || s.Connections().Refused != 1 {
			t.Errorf("a third connection was accepted: %+v", s.Connections())
		}
		close(answer)
		for _, c := range busy {
			got, err := http.ReadResponse(bufio.NewReader(c), nil)
			must(t, err)
			must(t, got.Body.Close())
		}
		stop()
		must(t, <-ended)
	})
}

// TestSilentConnectionsMakeRoom checks that, when all connections are in use, a new one
// replaces one that has not sent a header, so that no client has to wait. The replaced
// connection must belong to the address with the most connections without a header.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, l := serveCrowd(t)
		few := []net.Conn{l.dialFrom("198.51.100.1"), l.dialFrom("198.51.100.2")} // these clients are slow, but few
		var many []net.Conn
		for range 100 {
			many = append(many, l.dialFrom("10.0.0.1"))
		}
		synctest.Wait()
		begin := time.Now()
		for i := range 20 {
			c := l.dialFrom(fmt.Sprintf("203.0.113.%d", i))
			talk(t, c)
			must(t, c.Close())
			synctest.Wait() // wait until the server has noticed; otherwise the next connection replaces another one
		}
		for _, c := range few {
			talk(t, c)
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("others had to wait %s", took)
		}
		open := 0
		for _, c := range many {
			if !closed(t, c) {
				open++
			}
		}
		if c := s.Connections(); open == 0 || open > 14 || c.Headerless < 86 {
			t.Errorf("%d silent connections are open, %+v", open, c)
		}
	})
}

// lateConn is a connection that receives its request when the server closes it.
type lateConn struct {
	net.Conn
	request io.Reader
	closed  chan struct{}
	once    sync.Once
}

func (c *lateConn) Read(b []byte) (int, error) {
	<-c.closed
	return c.request.Read(b)
}

func (c *lateConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// TestHeaderComesTooLate checks that a request has no effect if its header arrives after
// its connection was given away to make room for another one.
func TestHeaderComesTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var paths sync.Map
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths.Store(r.URL.Path, true)
			w.WriteHeader(http.StatusNoContent)
		})
		ctx, stop := context.WithCancel(context.Background())
		l, ended := newPipes(), make(chan error, 1)
		s := NewServer(handler, Limits{Connections: 1}, slog.New(slog.DiscardHandler))
		go func() { ended <- s.Serve(ctx, time.Minute, nil, l) }()
		_, server := net.Pipe()
		l.come <- &lateConn{Conn: server, request: strings.NewReader("GET /late HTTP/1.1\r\nHost: x\r\n\r\n"), closed: make(chan struct{})}
		synctest.Wait()
		client := l.dialFrom("198.51.100.1")
		talk(t, client)
		synctest.Wait()
		if _, late := paths.Load("/late"); late || s.Connections().Headerless != 1 {
			t.Errorf("the late request was answered: %t; connections %+v", late, s.Connections())
		}
		stop()
		must(t, errors.Join(client.Close(), <-ended))
	})
}

// TestHeaderComesInTime checks that a connection is not closed to make room once its
// header has arrived, even if the queues have not been updated yet.
func TestHeaderComesInTime(t *testing.T) {
	t.Parallel()
	c := newConnections(Limits{Connections: 1}, slog.New(slog.DiscardHandler))
	_, server := net.Pipe()
	c.track(server, http.StateNew)
	known, _ := c.known.Load(server)
	one := known.(*connection)
	c.mu.Lock()
	noted := make(chan struct{})
	go func() {
		c.track(server, http.StateActive) // blocks until the lock is free
		close(noted)
	}()
	for !one.is(http.StateActive) {
		runtime.Gosched()
	}
	if c.makeRoom(&c.idle, idlePlace, c.firstHeaderless()) {
		t.Error("a connection whose header has come made room")
	}
	c.mu.Unlock()
	<-noted
	must(t, server.SetReadDeadline(time.Time{})) // fails on a closed pipe
}
