package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"svc/internal/datadir"
)

const (
	// maxSocketPath is a length that paths of sockets can have on every system. The system's
	// field has 104 bytes on macOS and 108 on Linux, including the terminating zero.
	maxSocketPath = 100
	tempPrefix    = "svc-"
)

// BaseURL is the prefix of URLs for requests through Client and InProcess.
const BaseURL = "http://svc"

// DamagedHeader is set on error responses that were caused by damaged data, so that a
// command can exit with the code for damaged data.
const DamagedHeader = "Svc-Damaged"

// Listen opens the control socket of a data directory, to which only the owner has
// access. The caller must hold the lock; a socket that already exists therefore belongs
// to a process that has ended, and Listen removes it. Closing the listener removes the
// socket.
func Listen(dir string) (net.Listener, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, fmt.Errorf("open control socket: %w", err)
	}
	return l, nil
}

func listen(dir string) (*listener, error) {
	path := filepath.Join(dir, datadir.Socket)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(path) <= maxSocketPath {
		return bind(path, path, func() {})
	}
	if short, done, err := shortPath(dir); err == nil {
		return bind(short, path, done)
	}
	return listenElsewhere(dir)
}

// listenElsewhere creates the socket in a private directory with a short path, and stores
// the socket's path in the lock file.
func listenElsewhere(dir string) (*listener, error) {
	folder, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, datadir.Socket)
	removeFolder := func() { _ = os.Remove(folder) }
	l, err := bind(path, path, removeFolder)
	if err != nil {
		return nil, err
	}
	h := readHolder(dir)
	h.socket = path
	if err := writeHolder(dir, h); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// bind creates the socket file at path and listens on it. It opens the socket as address,
// which is path or a shorter name for it. It calls done when the socket is closed, or
// immediately if it cannot be opened.
func bind(address, path string, done func()) (*listener, error) {
	inner, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err != nil {
		done()
		return nil, err
	}
	inner.SetUnlinkOnClose(false) // the listener would remove address instead of path
	l := &listener{UnixListener: inner, path: path, done: done}
	if runtime.GOOS != "windows" { // on Windows, the ACL of the directory controls access
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// listener listens on the control socket. Its connections are of type ownerConn, so that
// OwnerConn recognizes them. Other packages cannot create connections of this type.
type listener struct {
	*net.UnixListener
	path   string
	done   func()
	closed sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.UnixListener.Accept()
	if err != nil {
		return nil, err
	}
	return ownerConn{c}, nil
}

// Close removes the socket first, and then closes the listener, so that clients cannot
// connect to a socket on which no process listens.
func (l *listener) Close() error {
	err := net.ErrClosed
	l.closed.Do(func() {
		removed := os.Remove(l.path)
		if errors.Is(removed, fs.ErrNotExist) {
			removed = nil
		}
		err = errors.Join(removed, l.UnixListener.Close())
		l.done()
	})
	return err
}

// Client returns a client for requests to BaseURL over the control socket of a data
// directory. It connects at the first request, within the time that the context of that
// request allows.
func Client(dir string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dial(ctx, dir)
		},
	}}
}

func dial(ctx context.Context, dir string) (net.Conn, error) {
	var d net.Dialer
	path := filepath.Join(dir, datadir.Socket)
	if len(path) <= maxSocketPath {
		return d.DialContext(ctx, "unix", path)
	}
	if elsewhere := readHolder(dir).socket; elsewhere != "" {
		return d.DialContext(ctx, "unix", elsewhere)
	}
	short, done, err := shortPath(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	return d.DialContext(ctx, "unix", short)
}
