// Package load measures HTTP servers on this machine beside each other. Its
// generator is meant to cost little, because it runs on the cores that it
// measures: requests are bytes made beforehand, and of an answer only status
// and length are read.
package load

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Target is a server and what it is asked.
type Target struct {
	Name string
	Addr string
	// Requests are complete HTTP/1.1 requests, sent in turn on each connection.
	Requests [][]byte
}

// Result is what a run has done.
type Result struct {
	Answers int
	Bytes   int // of bodies
	Took    time.Duration
	CPU     time.Duration // of the whole process: the server and the generator
}

// Rate is answers per second.
func (r Result) Rate() float64 { return float64(r.Answers) / r.Took.Seconds() }

// Once sends every request once, on one connection.
func (t Target) Once() (Result, error) {
	return t.Shared(1)
}

// Shared sends every request once, over a number of connections, roughly in
// their order.
func (t Target) Shared(connections int) (Result, error) {
	shared := make([][][]byte, connections)
	for i, request := range t.Requests {
		shared[i%connections] = append(shared[i%connections], request)
	}
	return t.drive(shared, func(client, sent int) bool { return sent < len(shared[client]) })
}

// Run keeps a number of connections busy for some time. Each waits for its
// answer before it asks again, and asks at least once. An answer other than 200,
// 201 and 202, or without a Content-Length, is an error.
func (t Target) Run(connections int, wanted time.Duration) (Result, error) {
	end := time.Now().Add(wanted)
	lists := make([][][]byte, connections)
	for i := range lists { // each begins somewhere else
		at := i * len(t.Requests) / connections
		lists[i] = append(slices.Clone(t.Requests[at:]), t.Requests[:at]...)
	}
	return t.drive(lists, func(_, sent int) bool { return sent == 0 || time.Now().Before(end) })
}

// drive lets one connection for each list send what is on it, again and again,
// while more says so of what each has sent.
func (t Target) drive(lists [][][]byte, more func(client, sent int) bool) (Result, error) {
	clients := make([]*client, len(lists))
	for i := range clients {
		conn, err := net.Dial("tcp", t.Addr)
		if err != nil {
			return Result{}, fmt.Errorf("connect to %s: %w", t.Name, err)
		}
		defer conn.Close()
		clients[i] = &client{conn: conn, answer: make([]byte, 64<<10)}
	}
	used, err := CPUTime()
	if err != nil {
		return Result{}, err
	}
	begin := time.Now()
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() {
			c.run(lists[i], func(sent int) bool { return more(i, sent) })
		})
	}
	group.Wait()
	result := Result{Took: time.Since(begin)}
	if result.CPU, err = CPUTime(); err != nil {
		return Result{}, err
	}
	result.CPU -= used
	var failed error
	for _, c := range clients {
		result.Answers += c.answers
		result.Bytes += c.bytes
		failed = errors.Join(failed, c.failed)
	}
	if failed != nil {
		return Result{}, fmt.Errorf("%s: %w", t.Name, failed)
	}
	return result, nil
}

// client is one connection. Nothing of it is shared while it runs.
type client struct {
	conn    net.Conn
	answer  []byte
	answers int
	bytes   int
	failed  error
}

func (c *client) run(requests [][]byte, more func(sent int) bool) {
	for more(c.answers) {
		if _, c.failed = c.conn.Write(requests[c.answers%len(requests)]); c.failed != nil {
			return
		}
		var body int
		if body, c.failed = c.read(); c.failed != nil {
			return
		}
		c.answers++
		c.bytes += body
	}
}

// read takes one answer off the connection and returns the length of its body.
func (c *client) read() (body int, err error) {
	n, whole := 0, 0
	for whole == 0 || n < whole {
		if n == len(c.answer) {
			c.answer = append(c.answer, make([]byte, n)...)
		}
		more, err := c.conn.Read(c.answer[n:])
		if err != nil {
			return 0, fmt.Errorf("read answer: %w", err)
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
	statusOK      = []byte("HTTP/1.1 20") // 200, 201, 202
	headerEnd     = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
)

// lengths are those of a whole answer and its body when its beginning is
// known; 0 as long as that does not say.
func lengths(begin []byte) (whole, body int, err error) {
	at := bytes.Index(begin, headerEnd)
	if at < 0 {
		return 0, 0, nil
	}
	header := begin[:at+2]
	if !bytes.HasPrefix(header, statusOK) {
		return 0, 0, fmt.Errorf("answer is none of 200, 201 and 202: %.500s", begin)
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
