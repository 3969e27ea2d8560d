package svcsdk

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// answer is a complete response with any status.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// mostBytes is the maximum size of a response in bytes.
const mostBytes = 32 << 20

// exchange sends a request, retrying after failures that permit it, and returns the last response.
func (c *Client) exchange(ctx context.Context, r *request) (*answer, error) {
	for done := 0; ; done++ {
		start := c.clock.monotonic()
		a, err := c.attempt(ctx, r)
		result := outcome{}
		if a != nil {
			result.status = a.status
			result.retryAfter, result.asked = retryAfter(a.header.Get("Retry-After"), c.clock.now())
		}
		if f, ok := errors.AsType[*attemptError](err); ok {
			result.failure, err = f.failure, f.ConnectionError
		}
		c.logger.Debug("request", "method", r.method, "path", r.path, "status", result.status,
			"attempt", done+1, "duration", c.clock.monotonic()-start)
		delay, again := result.retry(r.method, done, c.config.retries)
		if !again {
			return a, err
		}
		if result.retryAfter < delay {
			delay += time.Duration(float64(delay) * retrySpread * c.clock.random())
		}
		if err := c.pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// pause waits for d. It returns early if ctx ends or the client is closed.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.closing, func() { cancel(errClosed) })()
	err := c.clock.wait(ctx, d)
	if err == nil || errors.Is(err, error(errClosed)) {
		return err
	}
	return &ConnectionError{Message: "cancelled while waiting to try again", Cause: err, Timeout: errors.Is(err, context.DeadlineExceeded)}
}

// attemptError is the error of an attempt that got no complete response, together with the kind of
// failure.
type attemptError struct {
	*ConnectionError
	failure failure
}

// attempt sends a request once and reads the complete response.
func (c *Client) attempt(ctx context.Context, r *request) (*answer, error) {
	var progress connProgress
	limited, cancel := httptrace.WithClientTrace(ctx, progress.trace()), context.CancelFunc(func() {})
	if c.config.timeout > 0 {
		limited, cancel = context.WithTimeout(limited, c.config.timeout)
	}
	defer cancel()
	h, err := c.newHTTPRequest(limited, r)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(h)
	if err != nil {
		return nil, newAttemptError(ctx, err, &progress)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	if err != nil {
		progress.firstByte.Store(true)
		return nil, newAttemptError(ctx, err, &progress)
	}
	if len(body) > mostBytes {
		e := &ConnectionError{Message: fmt.Sprintf("the answer has more than %d MiB", mostBytes>>20)}
		return nil, &attemptError{e, resetAfterHeaders}
	}
	return &answer{response.StatusCode, response.Header, body}, nil
}

// connProgress records how far an attempt to send a request got. Goroutines of the transport set
// its fields.
type connProgress struct {
	asked, got, reused, firstByte, handshake atomic.Bool
}

func (p *connProgress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) {
			p.asked.Store(true)
			for _, b := range []*atomic.Bool{&p.got, &p.reused, &p.firstByte, &p.handshake} {
				b.Store(false)
			}
		},
		TLSHandshakeStart: func() { p.handshake.Store(true) },
		GotConn: func(i httptrace.GotConnInfo) {
			p.reused.Store(i.Reused)
			p.got.Store(true)
		},
		GotFirstResponseByte: func() { p.firstByte.Store(true) },
	}
}

// newAttemptError returns an error that describes why no complete response arrived. ctx is the
// caller's context.
func newAttemptError(ctx context.Context, err error, p *connProgress) *attemptError {
	// The text of a url.Error contains the whole address with its query, so leave it out.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	timeout := errors.Is(err, context.DeadlineExceeded)
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		timeout = true
	}
	f := classify(err, p, timeout)
	text := "connection failed: " + err.Error()
	if timeout {
		text = "time limit passed before the answer was complete"
	}
	if ctx.Err() != nil {
		f, err = aborted, context.Cause(ctx)
		text = "cancelled: " + err.Error()
		timeout = errors.Is(ctx.Err(), context.DeadlineExceeded)
	}
	return &attemptError{&ConnectionError{Message: text, Cause: err, Timeout: timeout}, f}
}

// failure is the reason why an attempt got no complete response.
type failure string

const (
	dnsFailed         failure = "dns"
	connectFailed     failure = "connect"
	connectTimeout    failure = "connect_timeout"
	handshakeFailed   failure = "tls_handshake"
	staleConnection   failure = "stale_connection"
	readTimeout       failure = "read_timeout"
	certificateBad    failure = "tls_certificate"
	resetAfterHeaders failure = "reset_after_headers"
	noAnswer          failure = "no_answer"
	aborted           failure = "aborted"
)

// classify determines the kind of failure from the progress of the connection. If the transport
// does not report progress, it uses only the error.
func classify(err error, p *connProgress, timeout bool) failure {
	if certificateError(err) {
		return certificateBad
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return dnsFailed
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		if timeout {
			return connectTimeout
		}
		return connectFailed
	}
	switch connecting := p.asked.Load() && !p.got.Load(); {
	case connecting && timeout:
		return connectTimeout
	case connecting && p.handshake.Load():
		return handshakeFailed
	case connecting:
		return connectFailed
	case timeout:
		return readTimeout
	case p.firstByte.Load():
		return resetAfterHeaders
	case p.reused.Load():
		return staleConnection
	}
	return noAnswer
}

func certificateError(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok
}

// outcome is the result of an attempt: a status or a failure.
type outcome struct {
	status     int
	failure    failure
	asked      bool // the response had a Retry-After
	retryAfter time.Duration
}

const (
	firstDelay  = 300 * time.Millisecond
	mostDelay   = 5 * time.Second
	mostAsked   = 30 * time.Second
	retrySpread = 0.25
)

// retry reports whether to repeat the attempt, and after which delay. done is the number of retries
// so far, and the parameter most is the maximum number. The caller adds a random part to the delay.
func (o outcome) retry(method string, done, most int) (time.Duration, bool) {
	if method != http.MethodGet && method != http.MethodHead || done >= most {
		return 0, false
	}
	switch o.failure {
	case "":
		if o.status < 502 || o.status > 504 || o.retryAfter > mostAsked {
			return 0, false
		}
	case dnsFailed, connectFailed, connectTimeout, handshakeFailed, staleConnection:
	default:
		return 0, false
	}
	return max(min(firstDelay<<min(done, 10), mostDelay), o.retryAfter), true
}
