package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
)

// listenUnix opens a Unix socket for a reverse proxy on this machine. It replaces a
// socket that a killed process has left behind.
func listenUnix(ctx context.Context, path string, mode fs.FileMode) (net.Listener, error) {
	const hint = "use another path with --listen or SVC_LISTEN"
	if err := removeDeadSocket(ctx, path); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, hint)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, hint)
	}
	if runtime.GOOS != "windows" { // on Windows, the ACL of the folder controls access
		if err := os.Chmod(path, mode); err != nil {
			return nil, errors.Join(fmt.Errorf("permissions of the socket: %w", err), l.Close())
		}
	}
	return proxyListener{l}, nil
}

// removeDeadSocket removes the socket at path if no process listens on it. It never
// removes a file of another kind.
func removeDeadSocket(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket && runtime.GOOS != "windows": // Windows does not report a type for sockets
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	d := net.Dialer{Timeout: time.Second}
	c, err := d.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		_ = c.Close()
		return fmt.Errorf("another process listens on %s", path)
	case refused(err):
		return os.Remove(path)
	}
	return fmt.Errorf("cannot tell whether another process listens on %s: %w", path, err)
}

// refused reports whether err means that a connection was refused, so that no process
// listens. Other errors do not prove that, because dialling also fails if the listener's
// queue is full.
func refused(err error) bool {
	const windows = syscall.Errno(10061) // WSAECONNREFUSED; on Windows, syscall.ECONNREFUSED has a different number
	return errors.Is(err, syscall.ECONNREFUSED) || runtime.GOOS == "windows" && errors.Is(err, windows)
}

// proxyListener is a listener that gives its connections the loopback address as their
// remote address. The headers of a reverse proxy are therefore trusted as if it had
// connected over TCP from this machine.
type proxyListener struct{ net.Listener }

func (l proxyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return proxyConn{c}, nil
}

type proxyConn struct{ net.Conn }

func (proxyConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
