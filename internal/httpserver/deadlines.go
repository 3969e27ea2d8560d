package httpserver

import (
	"net"
	"os"
	"sync"
	"time"
)

// tolerance is by how much a time limit of a connection may be exceeded. Limits move
// on with each request; one that is set serves the requests of this time.
const tolerance = time.Second

// longAgo is later than the limit by which net/http ends a read that waits beside a
// handler, and earlier than every other limit.
var longAgo = time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC)

// deadlines are the time limits of a connection. For each request net/http limits
// reads seven times and reads once or twice, and each limit moves a timer of the
// runtime. So a limit of reads is set when something is read. The zero value has no
// limits, as new connections.
type deadlines struct {
	mu      sync.Mutex
	wanted  time.Time // of reads; guarded by mu, like what follows
	read    time.Time // as it is set
	write   time.Time // as it is set
	reading bool
}

// Read reads from a connection until the limit that was asked for last.
func (d *deadlines) Read(from net.Conn, b []byte) (int, error) {
	d.mu.Lock()
	if isPast(d.wanted) {
		d.mu.Unlock()
		return 0, os.ErrDeadlineExceeded
	}
	d.reading = true
	err := change(&d.read, d.wanted, from.SetReadDeadline)
	d.mu.Unlock()
	n := 0
	if err == nil {
		n, err = from.Read(b)
	}
	d.mu.Lock()
	d.reading = false
	d.mu.Unlock()
	return n, err
}

// SetRead limits reads. One that waits has the new limit at once.
func (d *deadlines) SetRead(of net.Conn, limit time.Time) error {
	d.mu.Lock()
	d.wanted = limit
	var err error
	if d.reading {
		err = change(&d.read, limit, of.SetReadDeadline)
	}
	d.mu.Unlock()
	return err
}

// SetWrite limits writes.
func (d *deadlines) SetWrite(of net.Conn, limit time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return change(&d.write, limit, of.SetWriteDeadline)
}

// change sets a limit, unless the one that is set ends as late, and no more than the
// tolerance later.
func change(limit *time.Time, wanted time.Time, set func(time.Time) error) error {
	if later := limit.Sub(wanted); later >= 0 && later <= tolerance {
		return nil
	}
	if !wanted.IsZero() && !isPast(wanted) {
		wanted = wanted.Add(tolerance)
	}
	*limit = wanted
	return set(wanted)
}

func isPast(limit time.Time) bool { return !limit.IsZero() && limit.Before(longAgo) }
