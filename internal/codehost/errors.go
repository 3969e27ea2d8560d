package codehost

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"svc/internal/fault"
)

// ErrNotFound reports that the code host does not have the resource or hides it from this program.
var ErrNotFound = errors.New("not found at the code host")

// ErrNotInstalled reports that a call must be made as the app, but no app is configured or the app
// is not installed on the repository.
var ErrNotInstalled = errors.New("the app of the code host is not installed on the repository")

const maxDetail = 300 // maximum length in characters of a message kept for the log

// Error describes a failed call. Its text is meant for the log, because it contains the code host's
// message.
type Error struct {
	Call   string // method and path
	Status int    // status of the response; 0 if there was none
	Detail string // message in the response, as one line
	// Reset is the time at which the rate limit that refused the call ends. It is zero if the call
	// failed for another reason.
	Reset time.Time
	// Unclear reports whether the call may have taken effect in spite of the error. It is
	// set for calls that change data if the response was lost or reported a failure of the
	// code host.
	Unclear bool
	Err     error // the cause if there was no response
}

// Error returns the call and all details of its failure.
func (e *Error) Error() string {
	text := "code host: " + e.Call
	if e.Status != 0 {
		text += fmt.Sprintf(": status %d", e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if !e.Reset.IsZero() {
		text += ": rate limited until " + e.Reset.UTC().Format(time.RFC3339)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause if there was no response, and nil otherwise.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors with status 404 or 410 match ErrNotFound.
func (e *Error) Is(target error) bool {
	return target == ErrNotFound && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// Explain converts the error of a call to a fault with a text for the administrator. The parameter
// missing is the text for ErrNotFound. The code host's message remains in the error chain, so that
// it can be logged.
func Explain(err error, missing string, now time.Time) error {
	answer := fault.New(fault.BadGateway, "the code host returned an unexpected answer; the log has the details")
	e, ok := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, ErrNotFound):
		answer = fault.New(fault.NotFound, "%s", missing)
	case ok && !e.Reset.IsZero():
		answer = fault.New(fault.BadGateway, "the code host accepts no more requests until %s", e.Reset.UTC().Format(time.RFC3339))
		answer.RetryAfter = max(e.Reset.Sub(now), time.Second)
	}
	return fmt.Errorf("%w: %w", answer, err)
}

// status returns the status of the response that caused an error, or 0.
func status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok && e.Reset.IsZero() {
		return e.Status
	}
	return 0
}

// oneLine shortens a message from the code host to a single line for the log.
func oneLine(text string) string {
	line := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
	return string(line[:min(len(line), maxDetail)])
}
