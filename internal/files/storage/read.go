package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"svc/internal/outbound"
)

// span is the range of bytes to read from the content at one address. The content is an
// object or a part of one.
type span struct {
	size           int64 // size of the whole content
	offset, length int64 // length is greater than 0
}

// whole reports whether the span covers the whole content. Such a span is requested without a Range
// header.
func (s span) whole() bool { return s.offset == 0 && s.length == s.size }

// end returns the offset of the first byte after the span.
func (s span) end() int64 { return s.offset + s.length }

// header returns the value of the Range header that requests the span.
func (s span) header() string { return fmt.Sprintf("bytes=%d-%d", s.offset, s.end()-1) }

// get requests the span of the content at an address. The returned reader yields exactly
// the bytes of the span, or an error before the last one. If the storage ignores the
// range and sends the whole content, the reader skips the bytes outside of the span.
// authorize sets the credentials of the request; it is nil if none are needed.
func (s span) get(ctx context.Context, client *http.Client, to *url.URL, key string, authorize func(*http.Request)) (*content, error) {
	var ranges string
	if !s.whole() {
		ranges = s.header()
	}
	answer, err := request(ctx, client, to, ranges, authorize)
	if err != nil {
		return nil, err
	}
	partial, err := s.believe(answer, key)
	if err == nil && !partial && s.offset > 0 {
		if _, copyErr := io.CopyN(io.Discard, answer.Body, s.offset); copyErr != nil {
			err = broken(copyErr)
		}
	}
	if err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return &content{body: answer.Body, partial: partial, remaining: s.length, last: partial || s.end() == s.size}, nil
}

// request sends a GET request, with a Range header unless ranges is "".
func request(ctx context.Context, client *http.Client, to *url.URL, ranges string, authorize func(*http.Request)) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept-Encoding", "identity")
	if ranges != "" {
		r.Header.Set("Range", ranges)
	}
	if authorize != nil {
		authorize(r)
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, outbound.Explain(err)
	}
	return answer, nil
}

// reader converts the result of get to an interface. If there is an error, the interface
// is nil, and not a nil pointer in an interface.
func reader(c *content, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// probeRange reads bytes 7 to 13 of probeText. alone reports whether the storage sent
// only those bytes. If reading them fails, probeRange checks that at least the whole text
// can be read.
func probeRange(get func(span) (*content, error)) (alone bool, err error) {
	size := int64(len(probeText))
	alone, err = probeSpan(get, span{size, 7, 7})
	if err != nil {
		if _, failed := probeSpan(get, span{size, 0, size}); failed == nil {
			return false, nil
		}
		return false, fmt.Errorf("read: %w", err)
	}
	return alone, nil
}

// probeSpan reads a span of probeText and checks its bytes. alone reports whether the
// storage sent only the span.
func probeSpan(get func(span) (*content, error), s span) (alone bool, err error) {
	c, err := get(s)
	if err != nil {
		return false, err
	}
	got, err := io.ReadAll(c)
	if err = errors.Join(err, c.Close()); err == nil && string(got) != probeText[s.offset:s.end()] {
		err = lied("it sent other bytes than those that were written")
	}
	return c.partial, err
}

// believe checks that the header of a response fits the request. partial reports whether
// the body contains only the span instead of the whole content.
func (s span) believe(answer *http.Response, key string) (partial bool, err error) {
	header := answer.Header
	expected := s.size
	switch answer.StatusCode {
	case http.StatusPartialContent:
		if s.whole() || !s.is(header.Get("Content-Range")) {
			return false, lied("it sent another range than the one asked for")
		}
		partial, expected = true, s.length
	case http.StatusOK:
		if isHTML(header) && !slices.Contains([]string{".html", ".htm", ".xhtml"}, strings.ToLower(path.Ext(key))) {
			return false, lied("it sent a web page instead of the object")
		}
	case http.StatusNotFound, http.StatusGone:
		return false, errAbsent
	default:
		return false, statusError(answer.StatusCode)
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false, lied("it sent the object compressed")
	}
	if answer.ContentLength >= 0 && answer.ContentLength != expected {
		return false, lied(fmt.Sprintf("it sent %d bytes instead of %d", answer.ContentLength, expected))
	}
	return partial, nil
}

// is reports whether a Content-Range header describes the span. The header need not state
// the total size.
func (s span) is(contentRange string) bool {
	text, total, _ := strings.Cut(contentRange, "/")
	return text == fmt.Sprintf("bytes %d-%d", s.offset, s.end()-1) && (total == "*" || total == strconv.FormatInt(s.size, 10))
}

func isHTML(header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// content is a reader for a span in the body of a response. It returns an error if the body ends
// before the span does. If the field last is true, it also returns an error if the body continues
// after the span.
type content struct {
	body      io.ReadCloser
	partial   bool  // whether the body contains only the span
	remaining int64 // bytes of the span that have not been read yet
	last      bool  // whether the body must end with the span
	err       error
}

// Read returns io.EOF at the end of the span. If the body must end with the span, Read
// returns the last bytes only after it has verified that the body ends there.
func (c *content) Read(p []byte) (int, error) {
	switch {
	case c.err != nil:
		return 0, c.err
	case c.remaining == 0:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	n, err := c.body.Read(p[:min(int64(len(p)), c.remaining)])
	c.remaining -= int64(n)
	extra := 0
	if c.remaining == 0 && c.last && err == nil {
		extra, err = io.ReadFull(c.body, make([]byte, 1))
	}
	switch {
	case extra > 0:
		c.err = lied("it sent more bytes than the object has")
	case err != nil && (c.remaining > 0 || c.last && err != io.EOF):
		c.err = broken(err)
	default:
		return n, nil
	}
	return 0, c.err
}

func (c *content) Close() error { return c.body.Close() }

// joined is a reader for a range that extends over several parts of an object. It opens
// each part after it has read the previous one.
type joined struct {
	open    func(index, offset, length int64) (io.ReadCloser, error)
	object  Object
	offset  int64 // offset in the object of the next byte to read
	end     int64
	current io.ReadCloser
}

func (j *joined) Read(p []byte) (int, error) {
	if j.offset == j.end || len(p) == 0 {
		return 0, eofAt(j.offset == j.end)
	}
	if j.current == nil {
		if err := j.next(); err != nil {
			return 0, err
		}
	}
	n, err := j.current.Read(p)
	j.offset += int64(n)
	if errors.Is(err, io.EOF) {
		err = j.Close()
	}
	return n, err
}

// next opens the part that contains the next byte.
func (j *joined) next() (err error) {
	index := j.offset / j.object.PartSize
	first := index * j.object.PartSize
	until := min(first+j.object.PartSize, j.end)
	j.current, err = j.open(index, j.offset-first, until-j.offset)
	return err
}

func (j *joined) Close() error {
	if j.current == nil {
		return nil
	}
	err := j.current.Close()
	j.current = nil
	return err
}

func eofAt(end bool) error {
	if end {
		return io.EOF
	}
	return nil
}

// broken returns the error for a transfer that the server ended early.
func broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w (%w)", errBroken, outbound.Explain(err))
}

// lied returns the error for a response that contradicts the request or itself. The parameter how
// describes the contradiction.
func lied(how string) error {
	return fmt.Errorf("the storage cannot be trusted: %s (%w)", how, io.ErrUnexpectedEOF)
}

// statusError is the error for a response with an unsuccessful status.
type statusError int

// Error returns the status and what it means.
func (status statusError) Error() string {
	meaning := map[statusError]string{
		http.StatusUnauthorized:          "the credentials are refused",
		http.StatusForbidden:             "access is denied",
		http.StatusRequestEntityTooLarge: "the upload is too large for it or for a proxy before it; set a part size",
		http.StatusLocked:                "it is locked",
		http.StatusInsufficientStorage:   "the storage is full",
	}[status]
	if meaning == "" {
		return fmt.Sprintf("the storage answered %d", int(status))
	}
	return fmt.Sprintf("the storage answered %d: %s", int(status), meaning)
}

var (
	errAbsent  = fmt.Errorf("the object is not in the storage: %w", fs.ErrNotExist)
	errPresent = fmt.Errorf("the object is in the storage already: %w", fs.ErrExist)
)
