package httpserver

import (
	"cmp"
	"container/heap"
	"container/list"
	"crypto/tls"
	"log/slog"
	"math"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"svc/internal/control"
	"svc/internal/limit"
	"svc/internal/proxy"
)

const (
	// maxConnections is the default maximum on systems that do not limit the number of open
	// files.
	maxConnections = 10_000
	// reservedFiles is the number of open files that are reserved for the data, the index
	// and the log. If the process may open fewer than twice this number of files, half of
	// them are reserved.
	reservedFiles = 256
	// shortagePercent determines when a shortage of connections has ended: when less than
	// this percentage of the maximum is open.
	shortagePercent = 90
)

// connectionLimit returns the maximum number of open connections. files is the number of
// files that the process may open, or 0 if it is not limited; some of them are reserved
// for the data. If wanted is 0, the result is as large as files permits.
func connectionLimit(wanted int, files uint64) int {
	if files == 0 {
		return cmp.Or(wanted, maxConnections)
	}
	most := int(min(files-min(reservedFiles, files/2), math.MaxInt))
	return min(cmp.Or(wanted, most), most)
}

// addressShare limits the connections from one address: an address may have 1/addressShare of the
// maximum number of connections.
const addressShare = 8

// connections limits the public connections, over the network or a Unix socket. When the
// maximum is reached, a new connection replaces one that is idle between requests. If
// none is idle, it replaces one that has not sent a complete header. If there is no such
// connection either, the new connection waits. The control socket has no limit.
type connections struct {
	max, perAddress int
	exempt          func(remoteAddr string) bool
	log             *slog.Logger

	known sync.Map // net.Conn -> *connection

	mu       sync.Mutex // guards all following fields
	room     *sync.Cond // signals that a connection has ended or is idle, or that the listener is closed; uses mu
	open     int        // number of public connections
	idle     queue      // public connections that are idle
	peers    map[string]*peer
	most     byHeaderless // peers by their number of connections without a complete header
	short    bool         // whether the maximum was reached, and the shortage has not ended; see shortagePercent
	stopping bool
	counts   Counts // the current figures, except Open and Max
}

// Counts holds the figures of the public connections of a server. Counters start at zero.
type Counts struct {
	Open, Max int
	// Idle counts idle connections, and Headerless counts connections without a complete
	// header, that were closed to make room for new ones. Refused counts the new connections
	// that were closed immediately, because their address already had too many.
	Idle, Headerless, Refused uint64
}

// peer is an address of clients, with its public connections.
type peer struct {
	key        string
	open       int
	idle       queue
	headerless queue
	index      int // index in connections.most
}

// queue holds connections in the order in which they were added, as candidates for being closed to
// make room. If the state of a connection has changed, it may still be in the queue, but must not
// be closed.
type queue struct{ list.List }

// claim finds the first connection that is in the given state, sets its state to
// givenAway, and returns it. It returns nil if no connection is in that state.
func (q *queue) claim(state http.ConnState) *connection {
	for e := q.Front(); e != nil; e = e.Next() {
		one := e.Value.(*connection)
		if one.state.CompareAndSwap(int32(state), givenAway) {
			return one
		}
	}
	return nil
}

// dropBusy removes connections from the front of the queue until the first one is in the given
// state. place returns the field of a connection that holds its position in this queue.
func (q *queue) dropBusy(state http.ConnState, place func(*connection) **list.Element) {
	for q.Len() > 0 {
		one := q.Front().Value.(*connection)
		if one.is(state) {
			return
		}
		q.drop(place(one))
	}
}

// enter adds a connection at the end of the queue, or moves it there. place is the field of the
// connection that holds its position in this queue.
func (q *queue) enter(one *connection, place **list.Element) {
	if *place == nil {
		*place = q.PushBack(one)
		return
	}
	q.MoveToBack(*place)
}

// drop removes a connection from the queue. place is the field of the connection that holds its
// position in this queue. If the position is nil, drop does nothing.
func (q *queue) drop(place **list.Element) {
	if *place != nil {
		q.Remove(*place)
		*place = nil
	}
}

// byHeaderless is a heap of peers. The peer with the most connections that have not sent
// a complete header comes first.
type byHeaderless []*peer

func (h byHeaderless) Len() int           { return len(h) }
func (h byHeaderless) Less(i, j int) bool { return h[i].headerless.Len() > h[j].headerless.Len() }
func (h byHeaderless) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *byHeaderless) Push(one any) {
	one.(*peer).index = len(*h)
	*h = append(*h, one.(*peer))
}

// Pop implements heap.Interface.
func (h *byHeaderless) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// connection is an open connection.
type connection struct {
	conn  net.Conn
	peer  *peer        // nil for the control socket
	state atomic.Int32 // http.ConnState or givenAway; StateNew until a complete header has arrived

	// idle, peerIdle and headerless are the positions of the connection in the queues
	// connections.idle, peer.idle and peer.headerless, or nil if it is not in that queue. They
	// and gone are guarded by connections.mu.
	idle, peerIdle, headerless *list.Element
	gone                       bool // whether it is no longer counted, because it has ended or was closed to make room
}

// givenAway is the state of a connection that the server closes to make room.
const givenAway = -1

func (c *connection) is(state http.ConnState) bool { return c.state.Load() == int32(state) }

func idlePlace(c *connection) **list.Element     { return &c.idle }
func peerIdlePlace(c *connection) **list.Element { return &c.peerIdle }

func newConnections(l Limits, log *slog.Logger) *connections {
	c := &connections{
		max: l.Connections, perAddress: max(1, l.Connections/addressShare), exempt: l.Exempt, log: log, peers: map[string]*peer{},
	}
	c.room = sync.NewCond(&c.mu)
	return c
}

// Counts returns the current figures.
func (c *connections) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts
	counts.Open, counts.Max = c.open, c.max
	return counts
}

// track records the new state of a connection. If a header arrives after the server has decided to
// close the connection, track panics. net/http recovers from the panic and drops the request, which
// must have no effect because its client could not learn the outcome.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	if state == http.StateNew {
		c.add(&connection{conn: conn})
		return
	}
	known, ok := c.known.Load(conn)
	if !ok {
		return
	}
	one := known.(*connection)
	if state == http.StateActive {
		switch one.state.Swap(int32(state)) {
		case int32(http.StateNew):
			c.mu.Lock()
			c.headerCame(one)
			c.room.Signal() // another address may now have the most connections without a header
			c.mu.Unlock()
		case givenAway:
			panic(http.ErrAbortHandler)
		}
		return // usually needs no lock, which matters because every request begins here
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	one.state.Store(int32(state))
	switch state {
	case http.StateIdle:
		if one.peer != nil && !one.gone {
			c.idle.enter(one, &one.idle)
			one.peer.idle.enter(one, &one.peerIdle)
			c.room.Signal() // the connection can now make room for another one
		}
	case http.StateClosed, http.StateHijacked:
		c.known.Delete(conn)
		c.leave(one)
	}
}

// add registers a new connection.
func (c *connections) add(one *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.Store(one.conn, one)
	if !control.OwnerConn(one.conn) {
		c.open++
		one.peer = c.peerOf(one.conn)
		one.peer.open++
		one.peer.headerless.enter(one, &one.headerless)
		heap.Fix(&c.most, one.peer.index)
	}
	if c.stopping {
		c.closeIfSilent(one)
	}
}

// peerOf returns the peer of a connection, and creates it if necessary. The caller must
// hold c.mu.
func (c *connections) peerOf(conn net.Conn) *peer {
	key := limit.AddrKey(proxy.Peer(conn.RemoteAddr().String()))
	p := c.peers[key]
	if p == nil {
		p = &peer{key: key}
		c.peers[key] = p
		heap.Push(&c.most, p)
	}
	return p
}

// headerCame removes a connection from the queue of connections without a complete
// header. The caller must hold c.mu.
func (c *connections) headerCame(one *connection) {
	if one.headerless != nil {
		one.peer.headerless.drop(&one.headerless)
		heap.Fix(&c.most, one.peer.index)
	}
}

// leave removes a connection from all queues, and no longer counts it. The caller must hold c.mu.
func (c *connections) leave(one *connection) {
	if one.peer == nil || one.gone {
		return
	}
	one.gone = true
	c.headerCame(one)
	c.idle.drop(&one.idle)
	one.peer.idle.drop(&one.peerIdle)
	c.open--
	c.short = c.short && c.open > c.max*shortagePercent/100
	c.room.Signal()
	if one.peer.open--; one.peer.open == 0 {
		heap.Remove(&c.most, one.peer.index)
		delete(c.peers, one.peer.key)
	}
}

// closeSilent closes all connections, now and in the future, that have not sent a
// complete header. Browsers open such connections in advance, and a shutdown would wait
// five seconds for each of them.
func (c *connections) closeSilent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	for _, known := range c.known.Range {
		c.closeIfSilent(known.(*connection))
	}
}

// closeIfSilent closes a connection that has not sent a complete header.
func (c *connections) closeIfSilent(one *connection) {
	if one.state.CompareAndSwap(int32(http.StateNew), givenAway) {
		closeNow(one.conn)
	}
}

// closeNow closes a connection without sending the TLS close alert, because sending it
// takes up to five seconds if the client does not read.
func closeNow(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	_ = conn.Close()
}

// limit returns a listener that accepts connections from l only as far as the limits
// permit.
func (c *connections) limit(l net.Listener) net.Listener {
	_, unix := l.(proxyListener)
	return &limited{Listener: l, all: c, exempt: unix}
}

type limited struct {
	net.Listener
	all    *connections
	exempt bool // whether its peers are exempt from the limit for one address, because all have the same address
	closed bool // guarded by all.mu
}

// Accept waits for a connection. It returns the connection once the limit permits it.
func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.exempt && !l.all.mayEnter(conn) {
			closeNow(conn)
			continue
		}
		if !l.waitForRoom() {
			closeNow(conn)
			return nil, net.ErrClosed
		}
		return conn, nil
	}
}

// waitForRoom makes room for a new connection by closing another one, or waits until
// there is room. It returns false if the listener was closed.
func (l *limited) waitForRoom() bool {
	c := l.all
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.open >= c.max && !l.closed {
		if !c.short {
			c.short = true
			c.log.Warn("connection limit reached; idle connections and those without a request are closed for new ones", "max", c.max)
		}
		if !c.makeRoom(&c.idle, idlePlace, c.firstHeaderless()) {
			c.room.Wait()
		}
	}
	return !l.closed
}

// firstHeaderless returns a queue of connections that have not sent a complete header. It
// is the queue of the address with the most of these connections.
func (c *connections) firstHeaderless() *queue {
	if len(c.most) == 0 {
		return &queue{}
	}
	return &c.most[0].headerless
}

// mayEnter reports whether the address of conn may have one more connection. If the
// address already has the maximum, mayEnter first tries to close another one of its
// connections.
func (c *connections) mayEnter(conn net.Conn) bool {
	if c.exempt == nil || c.exempt(conn.RemoteAddr().String()) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.peers[limit.AddrKey(proxy.Peer(conn.RemoteAddr().String()))]
	if p == nil || p.open < c.perAddress || c.makeRoom(&p.idle, peerIdlePlace, &p.headerless) {
		return true
	}
	c.counts.Refused++
	return false
}

// makeRoom closes the connection that has been idle for the longest time. That is the first idle
// one in the parameter idle, a queue. If there is none, makeRoom closes the oldest connection in
// the queue headerless that has not sent a complete header. The function place returns the position
// of a connection in the first queue. makeRoom reports whether it has closed a connection. The
// caller must hold c.mu.
func (c *connections) makeRoom(idle *queue, place func(*connection) **list.Element, headerless *queue) bool {
	idle.dropBusy(http.StateIdle, place)
	one := idle.claim(http.StateIdle)
	if one != nil {
		c.counts.Idle++
	} else if one = headerless.claim(http.StateNew); one != nil {
		c.counts.Headerless++
	} else {
		return false
	}
	c.leave(one)
	closeNow(one.conn)
	return true
}

// Close closes the listener and makes a waiting Accept return.
func (l *limited) Close() error {
	l.all.mu.Lock()
	l.closed = true
	l.all.mu.Unlock()
	l.all.room.Broadcast()
	return l.Listener.Close()
}
