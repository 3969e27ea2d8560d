package httpserver

import (
	"container/list"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"svc/internal/control"
)

const (
	// maxConnections are never exceeded: each takes some 20 KiB of memory.
	maxConnections = 10_000
	// reservedFiles are left for the data, the index and the log when connections
	// have taken all others; where fewer than twice as many are allowed, half.
	reservedFiles = 256
	// shortagePercent is the part of all connections, in percent, below which a
	// shortage is over.
	shortagePercent = 90
)

// connectionLimit is how many connections may be open at the same time so that
// a process that may open some files can still open those of the data; 0 is any
// number of files.
func connectionLimit(files uint64) int {
	if files == 0 {
		return maxConnections
	}
	return int(min(files-min(reservedFiles, files/2), maxConnections))
}

// connections are those that are open. The public, over the network or a Unix
// socket, has at most so many; who comes then takes the place of one that is kept
// alive without need, or waits. The control socket has no limit.
type connections struct {
	max int
	log *slog.Logger

	known sync.Map // net.Conn -> *connection

	mu   sync.Mutex // guards what follows
	room *sync.Cond // of mu: one has ended, or the listener
	open int        // of the public
	// order has all of them and a mark. Before it are those of the public that have
	// been between two requests, the one that has waited longest first, and among
	// them some that are answered meanwhile: a request moves its connection once,
	// when it ends, which takes no memory.
	order    *list.List // of *connection
	mark     *list.Element
	short    bool // there was no room, and there is little
	stopping bool
}

// connection is one that is open.
type connection struct {
	conn   net.Conn
	public bool
	state  atomic.Int32  // http.ConnState; while it is StateNew, nothing has come
	place  *list.Element // in order; guarded by mu
}

func (c *connection) is(state http.ConnState) bool { return c.state.Load() == int32(state) }

func newConnections(limit int, log *slog.Logger) *connections {
	c := &connections{max: limit, log: log, order: list.New()}
	c.mark = c.order.PushBack(nil)
	c.room = sync.NewCond(&c.mu)
	return c
}

// track follows a connection of the server.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	if state == http.StateNew {
		c.add(&connection{conn: conn, public: !control.OwnerConn(conn)})
		return
	}
	known, ok := c.known.Load(conn)
	if !ok {
		return
	}
	one := known.(*connection)
	if state == http.StateActive { // takes no lock: every request begins so
		one.state.Store(int32(state))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	one.state.Store(int32(state))
	switch state {
	case http.StateIdle:
		if one.public {
			c.order.MoveBefore(one.place, c.mark)
			c.room.Signal() // it can make room
		}
	case http.StateClosed, http.StateHijacked:
		c.order.Remove(one.place)
		c.known.Delete(conn)
		if one.public {
			c.open--
			c.room.Signal()
			c.short = c.short && c.open > c.max*shortagePercent/100
		}
	}
}

// add notes a new connection.
func (c *connections) add(one *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.place = c.order.PushBack(one)
	c.known.Store(one.conn, one)
	if one.public {
		c.open++
	}
	if c.stopping {
		closeNow(one.conn)
	}
}

// closeSilent closes connections on which nothing has come yet, such as browsers
// open in advance, and those to come. A stop would wait five seconds for each to
// say something.
func (c *connections) closeSilent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	for _, known := range c.known.Range {
		if one := known.(*connection); one.is(http.StateNew) {
			closeNow(one.conn) // nothing was sent on it, so nothing can be lost
		}
	}
}

// closeNow closes a connection at once. TLS would send its alert first, and wait
// five seconds for a client that does not read.
func closeNow(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	_ = conn.Close()
}

// limit lets a listener accept no more than there is room for.
func (c *connections) limit(l net.Listener) net.Listener { return &limited{Listener: l, all: c} }

type limited struct {
	net.Listener
	all    *connections
	closed bool // guarded by all.mu
}

// Accept waits for room and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	l.all.mu.Lock()
	for l.all.open >= l.all.max && !l.closed {
		if !l.all.short {
			l.all.short = true
			l.all.log.Warn("connection limit reached; new connections wait", "max", l.all.max)
		}
		if idle := l.all.longestIdle(); idle != nil {
			closeNow(idle.conn) // its end signals room
		}
		l.all.room.Wait()
	}
	l.all.mu.Unlock()
	return l.Listener.Accept()
}

// longestIdle takes the connection that has waited longest for its next request out of
// those before the mark; nil when there is none. The caller must hold c.mu.
func (c *connections) longestIdle() *connection {
	for c.order.Front() != c.mark {
		first := c.order.Front()
		c.order.MoveToBack(first)
		if one := first.Value.(*connection); one.is(http.StateIdle) {
			return one
		}
	}
	return nil
}

// Close ends the waiting too.
func (l *limited) Close() error {
	l.all.mu.Lock()
	l.closed = true
	l.all.mu.Unlock()
	l.all.room.Broadcast()
	return l.Listener.Close()
}
