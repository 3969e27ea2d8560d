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
	// maxSocketPath is what every system takes: the field for it has 104 bytes
	// on macOS and 108 on Linux, with the end mark.
	maxSocketPath = 100
	tempPrefix    = "svc-"
)

// BaseURL is what paths are appended to for requests through Client and
// InProcess.
const BaseURL = "http://svc"

// DamagedHeader marks an error answer that is caused by damaged data, so that a command ends
// with the exit code for it.
const DamagedHeader = "Svc-Damaged"

// Listen opens the control socket of a data directory for its owner only. The
// caller holds the lock, so a socket that is already there belongs to a process
// that is gone and is removed. Closing the listener removes the socket.
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

// listenElsewhere puts the socket into a private folder with a short name and
// writes into the lock file where it is.
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

// bind listens at address, which is a name for path, the file that is made.
// done is called when the socket is closed, or here when it cannot be opened.
func bind(address, path string, done func()) (*listener, error) {
	inner, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err != nil {
		done()
		return nil, err
	}
	inner.SetUnlinkOnClose(false) // it would remove address, not path
	l := &listener{UnixListener: inner, path: path, done: done}
	if runtime.GOOS != "windows" { // there the folder's access list counts
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// listener marks what it accepts, which no other listener can.
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

// Close removes the socket first, so that nobody connects to one that no longer
// answers.
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

// Client makes requests to BaseURL over the control socket of a data directory.
// Nothing is dialled before the first request, whose context limits it.
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
