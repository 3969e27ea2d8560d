package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// Error is the reason for which a request failed. Its text can be shown to clients. The
// wrapped error contains addresses and is only for the log.
type Error struct {
	text  string
	cause error
}

// Error returns the text that can be shown to clients.
func (e *Error) Error() string { return e.text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Explain converts an error of a request, or of reading the response, to an *Error. Its
// text is one of a fixed set, so that no data sent by the server is shown.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{reason(err), err}
}

func reason(err error) string {
	for _, known := range []error{errScheme, errAddress, errOwn, errRedirects, errDowngrade, errElsewhere, errIdle} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && !e.IsTimeout {
		return "the host name does not resolve"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the server is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "the server does not speak TLS"
	}
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), ok && timeout.Timeout():
		return "no answer in time"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the server cannot be reached"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection broke off"
	default:
		return "the request failed"
	}
}
