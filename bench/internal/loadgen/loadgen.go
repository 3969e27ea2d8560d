// Package loadgen sends HTTP requests to a server as fast as the server responds to them. It runs
// on the same cores as the server, so it must be cheap. Requests are prepared in advance, each
// connection has one goroutine, and only the status and the length of a response are parsed.
package loadgen

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Target is a server and the requests to send.
type Target struct {
	Name string
	Addr string
	// Requests holds complete HTTP/1.1 requests. Post and Get create them.
	Requests [][]byte
	// NewConnections opens a new connection for each request, like clients that rarely send
	// requests. Otherwise, connections are reused.
	NewConnections bool
}

// Result is the result of a run.
type Result struct {
	Answers int
	Bytes   int // total size of the response bodies
	Took    time.Duration
	Latency Histogram // from the first byte sent to the last byte received
}

// Rate returns the number of responses per second.
func (r Result) Rate() float64 { return float64(r.Answers) / r.Took.Seconds() }

// Post returns a request with a JSON body.
func Post(path, userAgent string, body []byte, headers ...string) []byte {
	b := begin("POST", path, userAgent, headers)
	b = fmt.Appendf(b, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	return append(b, body...)
}

// Get returns a request without a body.
func Get(path, userAgent string, headers ...string) []byte {
	return append(begin("GET", path, userAgent, headers), "\r\n"...)
}

// begin returns the part of a request that does not depend on the body. The headers that depend on
// the body follow it.
func begin(method, path, userAgent string, headers []string) []byte {
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: %s\r\nAccept: application/json\r\n", method, path, userAgent)
	for _, h := range headers {
		b = append(append(b, h...), "\r\n"...)
	}
	return b
}

// Send sends every request once. The requests are started in order and distributed over the
// connections.
func (t Target) Send(connections int) (Result, error) {
	var next atomic.Int64
	return t.drive(min(connections, len(t.Requests)), func(int, time.Time) int {
		if i := int(next.Add(1)) - 1; i < len(t.Requests) {
			return i
		}
		return -1
	})
}

// Run sends the requests repeatedly for the given time. Each connection starts with a different
// request and sends at least one request.
func (t Target) Run(connections int, wanted time.Duration) (Result, error) {
	sent := make([]int, connections)
	return t.drive(connections, func(connection int, begin time.Time) int {
		n := sent[connection]
		if n > 0 && time.Since(begin) >= wanted {
			return -1
		}
		sent[connection]++
		return (connection*len(t.Requests)/connections + n) % len(t.Requests)
	})
}

// drive runs the connections. Each one repeatedly calls next to get the index of a request, sends
// that request and waits for the response, until next returns -1. begin is the time at which all
// connections were open. The run ends with an error if a response has a status other than 200, 201,
// 202 or 204, or has no Content-Length.
func (t Target) drive(connections int, next func(connection int, begin time.Time) int) (Result, error) {
	clients := make([]*client, connections)
	for i := range clients {
		clients[i] = &client{target: &t, answer: make([]byte, 64<<10)}
		defer clients[i].close()
		if err := clients[i].connect(); err != nil {
			return Result{}, err
		}
	}
	begin := time.Now()
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() {
			for at := next(i, begin); at >= 0 && c.failed == nil; at = next(i, begin) {
				c.failed = c.ask(t.Requests[at])
			}
		})
	}
	group.Wait()
	result := Result{Took: time.Since(begin)}
	for _, c := range clients {
		if c.failed != nil { // the first error is enough; the others have the same reason
			return Result{}, fmt.Errorf("%s: %w", t.Name, c.failed)
		}
		result.Answers += c.answers
		result.Bytes += c.bytes
		result.Latency.Merge(&c.latency)
	}
	return result, nil
}

// client is a single connection. It shares no data with other connections while it runs.
type client struct {
	target  *Target
	conn    net.Conn
	answer  []byte
	answers int
	bytes   int
	latency Histogram
	failed  error
}

func (c *client) connect() (err error) {
	if c.conn, err = net.Dial("tcp", c.target.Addr); err != nil {
		return fmt.Errorf("connect to %s: %w", c.target.Name, err)
	}
	if tcp, ok := c.conn.(*net.TCPConn); ok && c.target.NewConnections {
		// Reset instead of closing: thousands of connections per second would use up the ports in
		// TIME_WAIT.
		return tcp.SetLinger(0)
	}
	return nil
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close() // the response has been received
	}
}

// ask sends a request and waits for the response.
func (c *client) ask(request []byte) error {
	begin := time.Now()
	if c.conn == nil {
		if err := c.connect(); err != nil {
			return err
		}
	}
	if _, err := c.conn.Write(request); err != nil {
		return fmt.Errorf("send request: %w", err)
	}
	body, err := c.read()
	if err != nil {
		return err
	}
	c.latency.Record(time.Since(begin))
	c.answers++
	c.bytes += body
	if c.target.NewConnections {
		c.close()
		c.conn = nil
	}
	return nil
}

// read reads a response from the connection and returns the length of its body.
func (c *client) read() (body int, err error) {
	n, whole := 0, 0
	for whole == 0 || n < whole {
		rest := c.answer // the body is discarded
		if whole == 0 {
			if n == len(c.answer) {
				c.answer = append(c.answer, make([]byte, n)...)
			}
			rest = c.answer[n:]
		}
		more, err := c.conn.Read(rest)
		if err != nil {
			return 0, fmt.Errorf("read response: %w", err)
		}
		n += more
		if whole > 0 {
			continue
		}
		if whole, body, err = lengths(c.answer[:n]); err != nil {
			return 0, err
		}
	}
	if n > whole {
		return 0, fmt.Errorf("%d bytes behind the answer", n-whole)
	}
	return body, nil
}

var (
	statusOK      = []byte("HTTP/1.1 20") // the beginning of the statuses 200, 201, 202 and 204
	noContent     = []byte("HTTP/1.1 204")
	headerEnd     = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
)

// lengths parses the beginning of a response. It returns the length of the whole response and that
// of its body, or 0 if the headers are not complete yet.
func lengths(begin []byte) (whole, body int, err error) {
	at := bytes.Index(begin, headerEnd)
	if at < 0 {
		return 0, 0, nil
	}
	header := begin[:at+2]
	if !bytes.HasPrefix(header, statusOK) {
		return 0, 0, fmt.Errorf("answer is none of 200, 201, 202 and 204: %.500s", begin)
	}
	if bytes.HasPrefix(header, noContent) {
		return at + len(headerEnd), 0, nil
	}
	_, value, found := bytes.Cut(header, contentLength)
	if !found {
		return 0, 0, fmt.Errorf("answer without Content-Length: %s", header)
	}
	value, _, _ = bytes.Cut(value, headerEnd[:2])
	if body, err = strconv.Atoi(string(value)); err != nil {
		return 0, 0, fmt.Errorf("read Content-Length: %w", err)
	}
	return at + len(headerEnd) + body, body, nil
}
