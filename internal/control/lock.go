// Package control lets commands work on a data directory whether or not a server is
// running on it. The process that opens the directory holds its lock. If that process is
// a server, it listens on a socket in the directory, and commands send it requests. If a
// command gets the lock itself, it calls the same handler in its own process. Being able
// to open the socket or the lock is the credential, because only the owner of the
// directory can.
//
//	lock.go          the lock of the directory
//	lock_unix.go     checking the owner of the directory; lock_windows.go likewise
//	owner.go         connections of the owner
//	socket.go        the socket: Listen, Client
//	socket_linux.go  sockets with long paths; socket_other.go elsewhere
//	inprocess.go     the handler in the process of a command
package control

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"svc/internal/datadir"
)

// Lock is the lock of a data directory. The process that has the directory open holds it.
// The operating system releases the lock when the process ends, even if it is killed.
type Lock struct {
	dir  string
	file *flock.Flock
}

// Acquire acquires the lock of a data directory, which must exist. If another process
// holds it, Acquire fails immediately with a *HeldError.
func Acquire(dir string) (*Lock, error) {
	l := &Lock{dir: dir, file: flock.New(filepath.Join(dir, datadir.Lock))}
	ok, err := l.file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !ok {
		h := readHolder(dir)
		return nil, &HeldError{Dir: dir, PID: h.pid, Since: h.since}
	}
	readHolder(dir).removeSocket()
	// Ignore the error. The text is only for messages, and a server must start even if the
	// disk is full, because it can still serve requests.
	_ = writeHolder(dir, holder{pid: os.Getpid(), since: time.Now()})
	return l, nil
}

// Release releases the lock. It does not remove the lock file, because two processes
// could then each lock a different file of the same name.
func (l *Lock) Release() error {
	_ = writeHolder(l.dir, holder{})
	if err := l.file.Unlock(); err != nil {
		return fmt.Errorf("unlock %s: %w", l.dir, err)
	}
	return nil
}

// HeldError reports that another process has the data directory open. PID and Since are
// zero if that process has not written them to the lock file.
type HeldError struct {
	Dir   string
	PID   int
	Since time.Time
}

// Error names the process that holds the lock, and the local time at which it acquired
// the lock.
func (e *HeldError) Error() string {
	if e.PID == 0 {
		return "another process uses " + e.Dir
	}
	format := "15:04"
	if time.Since(e.Since) > 12*time.Hour {
		format = "2006-01-02 15:04"
	}
	return fmt.Sprintf("another process (pid %d, since %s) uses %s", e.PID, e.Since.Local().Format(format), e.Dir)
}

// holder is the content of the lock file. It describes the process that holds the lock,
// for messages and for finding a socket that could not be created in the directory. The
// lock itself is a lock of the operating system.
type holder struct {
	pid    int
	since  time.Time
	socket string // path of the socket if it is not in the directory
}

func (h holder) text() string {
	if h.pid == 0 {
		return ""
	}
	text := fmt.Sprintf("pid %d\nsince %s\n", h.pid, h.since.UTC().Format(time.RFC3339))
	if h.socket != "" {
		text += "socket " + h.socket + "\n"
	}
	return text
}

// readHolder reads the content of the lock file. Values that cannot be read, because they
// are being written or were never written, are zero.
func readHolder(dir string) holder {
	var h holder
	f, err := os.Open(filepath.Join(dir, datadir.Lock))
	if err != nil {
		return h
	}
	defer f.Close()
	content, err := io.ReadAll(io.NewSectionReader(f, textOffset, 4096))
	if err != nil {
		return h
	}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch name {
		case "pid":
			h.pid, _ = strconv.Atoi(value)
		case "since":
			h.since, _ = time.Parse(time.RFC3339, value)
		case "socket":
			h.socket = value
		}
	}
	return h
}

// writeHolder overwrites the content of the lock file in place, because a rename would
// lose the lock.
func writeHolder(dir string, h holder) error {
	f, err := os.OpenFile(filepath.Join(dir, datadir.Lock), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	text := h.text()
	_, err = f.WriteAt([]byte(text), textOffset)
	if err == nil {
		err = f.Truncate(int64(textOffset + len(text)))
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// removeSocket removes the socket of a killed process if it is outside of the data
// directory, together with the socket's own directory. The caller must hold the lock.
func (h holder) removeSocket() {
	folder := filepath.Dir(h.socket)
	if filepath.Base(h.socket) == datadir.Socket && strings.HasPrefix(filepath.Base(folder), tempPrefix) {
		_ = os.Remove(h.socket)
		_ = os.Remove(folder)
	}
}
