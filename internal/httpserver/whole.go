package httpserver

import (
	"bytes"
	"net"
	"strconv"
	"sync"
)

const (
	// bufferSize is that of the buffer in which net/http gathers an answer. What is
	// longer comes in two parts: the buffer when it is full, then the rest.
	bufferSize = 4 << 10
	// maxWhole is the size of answers that are sent in one piece.
	maxWhole = 64 << 10
)

// parts puts the two parts of an answer together, so that it takes one call to the
// system and the client wakes up once. An answer that is cut off after the first part
// loses it. A handler that calls Flush when the buffer is just full, in an answer of a
// length up to maxWhole, looks the same from here: that part waits for the next.
type parts struct {
	first *[]byte // nil when nothing is held back
	both  net.Buffers
}

// buffers hold first parts.
var buffers = sync.Pool{New: func() any { b := make([]byte, bufferSize); return &b }}

// write writes to a connection, or holds b back where the rest of the answer follows.
func (p *parts) write(to net.Conn, b []byte) (int, error) {
	if p.first == nil {
		if !unfinished(b) {
			return to.Write(b)
		}
		p.first = buffers.Get().(*[]byte)
		return copy(*p.first, b), nil
	}
	first := p.first
	p.first, p.both = nil, append(p.both[:0], *first, b)
	n, err := p.both.WriteTo(to)
	buffers.Put(first)
	return max(0, int(n)-bufferSize), err
}

// release writes what is held back.
func (p *parts) release(to net.Conn) error {
	if p.first == nil {
		return nil
	}
	first := p.first
	p.first = nil
	_, err := to.Write(*first)
	buffers.Put(first)
	return err
}

// unfinished reports whether b is the first part of an answer whose rest comes soon:
// its length says so. A header alone may be all there is, such as for HEAD.
func unfinished(b []byte) bool {
	if len(b) != bufferSize || !bytes.HasPrefix(b, []byte("HTTP/1.1 ")) {
		return false
	}
	header, body, ends := bytes.Cut(b, []byte("\r\n\r\n"))
	_, value, _ := bytes.Cut(header, []byte("\r\nContent-Length: "))
	value, _, _ = bytes.Cut(value, []byte("\r\n"))
	length, err := strconv.Atoi(string(value))
	return ends && err == nil && len(body) > 0 && len(body) < length && length <= maxWhole
}
