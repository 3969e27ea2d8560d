package apitest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"svc/internal/control"
)

// patient is the timeout for events that should happen immediately. It is generous, so that a slow
// machine does not fail a test.
const patient = 30 * time.Second

// Impatient serves s over a TCP listener, like the program does, but with shorter timeouts and
// smaller buffers.
func (s *Server) Impatient(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: time.Second,
		ReadTimeout:       2 * time.Second,
		WriteTimeout:      2 * time.Second,
		IdleTimeout:       patient,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			if err := c.(*net.TCPConn).SetWriteBuffer(4 << 10); err != nil {
				t.Error(err)
			}
			return control.MarkConn(ctx, c)
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	s.URL = "http://" + listener.Addr().String()
}

// Dial opens a connection to the server and sends the beginning of a request.
func (s *Server) Dial(t *testing.T, beginning string) net.Conn {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := errors.Join(conn.SetDeadline(time.Now().Add(patient)), conn.(*net.TCPConn).SetReadBuffer(4<<10)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, beginning); err != nil {
		t.Fatal(err)
	}
	return conn
}
