package httpserver

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// badRequest begins what net/http itself says to a request that it cannot read. It
// writes that past every handler, as text, without the headers that a page needs to
// read it.
const badRequest = "HTTP/1.1 400 Bad Request"

// plainError is in what net/http writes so, and in no answer of a handler, which
// has a date.
var plainError = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// maxShown is how much of an unreadable request line is logged.
const maxShown = 200

// refuseMalformed lets a handler answer requests on a listener that net/http refuses
// as malformed. Connections with TLS of our own are left as they are: net/http must
// see those itself.
func refuseMalformed(l net.Listener, refuse http.HandlerFunc) net.Listener {
	return &refusing{l, refuse}
}

type refusing struct {
	net.Listener
	refuse http.HandlerFunc
}

// Accept waits for a connection.
func (l *refusing) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if _, secure := conn.(*tls.Conn); secure {
		return conn, nil
	}
	return &refusingConn{Conn: conn, refuse: l.refuse}, nil
}

// refusingConn is a connection whose last bytes are remembered, where they are: in
// the buffer of net/http, which does not change before it has answered. Where it
// reads past that, into the memory of a handler, they are of a body and are not.
type refusingConn struct {
	net.Conn
	refuse http.HandlerFunc
	buffer *byte // the start of that of net/http, into which it reads first
	last   []byte
	answer parts
	limits deadlines
}

// Read reads, and remembers what.
func (c *refusingConn) Read(b []byte) (int, error) {
	n, err := c.limits.Read(c.Conn, b)
	if n > 0 && c.buffer == nil {
		c.buffer = &b[0]
	}
	if n > 1 { // single bytes are read while a handler runs
		c.last = b[:n]
		if len(b) >= bufferSize && &b[0] != c.buffer { // a handler's, which may use it for something else
			c.last = nil
		}
	}
	return n, err
}

// Write passes everything on but what net/http says to a malformed request.
func (c *refusingConn) Write(b []byte) (int, error) {
	if c.answer.first != nil || len(b) > 512 || !bytes.HasPrefix(b, []byte(badRequest)) || !bytes.Contains(b, plainError) {
		return c.answer.write(c.Conn, b)
	}
	w := &rawAnswer{header: http.Header{}}
	c.refuse(w, c.request())
	if _, err := c.Conn.Write(w.bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// ReadFrom lets the kernel copy files to the connection, after what is held back.
func (c *refusingConn) ReadFrom(r io.Reader) (int64, error) {
	if err := c.answer.release(c.Conn); err != nil {
		return 0, err
	}
	return io.Copy(c.Conn, r)
}

// SetReadDeadline limits reads.
func (c *refusingConn) SetReadDeadline(t time.Time) error { return c.limits.SetRead(c.Conn, t) }

// SetWriteDeadline limits writes.
func (c *refusingConn) SetWriteDeadline(t time.Time) error { return c.limits.SetWrite(c.Conn, t) }

// SetDeadline limits both.
func (c *refusingConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// CloseWrite says that nothing follows. net/http does so before it closes a
// connection on which it has refused something.
func (c *refusingConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// request is what can be made out of a request that is malformed.
func (c *refusingConn) request() *http.Request {
	line, rest, _ := bytes.Cut(afterGoodOnes(c.last), []byte("\n"))
	method, target, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	if target, _, _ = strings.Cut(target, "?"); len(target) > maxShown {
		target = target[:maxShown]
	}
	r := &http.Request{Method: method, URL: &url.URL{Path: target}, Header: http.Header{}, RemoteAddr: c.RemoteAddr().String()}
	if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || len(method) > 10 {
		r.Method = ""
	}
	for line := range bytes.Lines(rest) {
		name, value, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		if !found || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			break // the rest may be a body
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		r.Header[name] = append(r.Header[name], strings.TrimSpace(value))
	}
	return r
}

// afterGoodOnes leaves out the requests before the malformed one that came with it.
func afterGoodOnes(sent []byte) []byte {
	unread := bytes.NewReader(sent)
	for from := bufio.NewReaderSize(unread, max(len(sent), 16)); ; {
		at := len(sent) - unread.Len() - from.Buffered()
		r, err := http.ReadRequest(from)
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
		}
		if err != nil || unread.Len()+from.Buffered() == 0 {
			return sent[at:]
		}
	}
}

// rawAnswer is an answer that goes to a connection as it is.
type rawAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is what is sent before the body.
func (w *rawAnswer) Header() http.Header { return w.header }

// WriteHeader keeps the status.
func (w *rawAnswer) WriteHeader(status int) { w.status = status }

// Write keeps a part of the body.
func (w *rawAnswer) Write(b []byte) (int, error) { return w.body.Write(b) }

// bytes are the whole answer.
func (w *rawAnswer) bytes() []byte {
	w.header.Set("Connection", "close")
	w.header.Set("Content-Length", strconv.Itoa(w.body.Len()))
	w.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", w.status, http.StatusText(w.status))
	_ = w.header.Write(&b) // to memory
	_, _ = io.WriteString(&b, "\r\n")
	return append(b.Bytes(), w.body.Bytes()...)
}
