package svcsdk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Error is implemented by all errors of this package: [*UsageError], [*AuthError], [*APIError] and
// [*ConnectionError]. An [*UploadError] may wrap one of them. Use [errors.As] to distinguish them.
// The texts of these errors never contain a credential, an identifier of a user, a query or a body.
type Error interface {
	error
	svcError()
}

// UsageError is an error that the client found before it sent anything: no project is bound, an
// option or a path value is not valid, a required value is missing, or the client is closed.
type UsageError struct {
	Message string
}

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }
func (e *UsageError) svcError()     {}

func usage(format string, args ...any) *UsageError {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// AuthError means that a method of [Admin] was called without a credential. Nothing was sent.
type AuthError struct {
	Message string
	Cause   error // the error returned by the function of [WithTokenFunc], if any
}

// Error returns the message.
func (e *AuthError) Error() string { return e.Message }
func (e *AuthError) svcError()     {}

// Unwrap returns the cause.
func (e *AuthError) Unwrap() error { return e.Cause }

// APIError is the error for a response that has a status other than 2xx or is not JSON.
type APIError struct {
	Status  int    // HTTP status
	Message string // a text for people
	// Body is the decoded JSON. If the response is not JSON, Body is its text, cut to 64 KiB.
	Body any
	// RetryAfter is how long the server asks clients to wait before the next attempt, or nil if it
	// does not say.
	RetryAfter *time.Duration
	Method     string
	Path       string // the path template, as in "/public/{k}/events/me"
}

// Error returns the status and the message.
func (e *APIError) Error() string { return fmt.Sprintf("[%d] %s", e.Status, e.Message) }
func (e *APIError) svcError()     {}

// ConnectionError means that no complete response arrived.
type ConnectionError struct {
	Message string
	Cause   error
	Timeout bool // a time limit was exceeded
}

// Error returns the message.
func (e *ConnectionError) Error() string { return e.Message }
func (e *ConnectionError) svcError()     {}

// Unwrap returns the cause, so that [errors.Is] finds [context.Canceled].
func (e *ConnectionError) Unwrap() error { return e.Cause }

const keptErrorText = 64 << 10

// newAPIError creates an error from a response that cannot be used.
func newAPIError(c *call, a *answer, now time.Time) *APIError {
	e := &APIError{Status: a.status, Method: c.method, Path: c.path}
	if d, ok := retryAfter(a.header.Get("Retry-After"), now); ok {
		e.RetryAfter = &d
	}
	if len(a.body) > 0 && json.Unmarshal(a.body, &e.Body) != nil {
		e.Body = cutText(strings.ToValidUTF8(string(a.body), "\uFFFD"), keptErrorText)
	}
	e.Message = errorMessage(a.status, e.Body)
	return e
}

// errorMessage returns the human-readable text in the decoded body of an error.
func errorMessage(status int, body any) string {
	if object, ok := body.(map[string]any); ok {
		switch m := object["message"].(type) {
		case string:
			if m != "" {
				return m
			}
		case []any:
			var texts []string
			for _, x := range m {
				if t, ok := x.(string); ok {
					texts = append(texts, t)
				}
			}
			if text := strings.Join(texts, "; "); text != "" {
				return text
			}
		}
		if text, ok := object["error"].(string); ok && text != "" {
			return text
		}
	}
	return "HTTP " + strconv.Itoa(status)
}

// cutText cuts a text to at most n bytes. It does not split a character.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// retryAfter parses a Retry-After header, which holds seconds or a date.
func retryAfter(header string, now time.Time) (time.Duration, bool) {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0, false
	}
	if strings.Trim(header, "0123456789") == "" {
		const most = 1 << 31
		n, err := strconv.ParseInt(header, 10, 64)
		if err != nil || n > most {
			n = most
		}
		return time.Duration(n) * time.Second, true
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, date.Sub(now.Truncate(time.Second))), true
}
