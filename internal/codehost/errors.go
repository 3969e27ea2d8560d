package codehost

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// ErrNotFound is what the code host does not have, or does not show to us.
var ErrNotFound = errors.New("not found at the code host")

// ErrNotInstalled is for calls that only the app may make, where there is no app or it
// is not installed on the repository.
var ErrNotInstalled = errors.New("the app of the code host is not installed on the repository")

const maxDetail = 300 // characters of an answer's message that are kept for the log

// Error is a call that failed. It is for the log: its text has what the code host said.
type Error struct {
	Call   string // method and path
	Status int    // of the answer; 0 = there was none
	Detail string // what the answer says, in one line
	// Reset is when the rate limit ends that refused the call; zero = it was not refused
	// by one.
	Reset time.Time
	// Unclear is whether the call may have been done although nothing says so: it changes
	// something, and its answer is lost or a failure of the code host.
	Unclear bool
	Err     error // why there is no answer
}

// Error is the whole story.
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

// Unwrap is why there is no answer.
func (e *Error) Unwrap() error { return e.Err }

// Is makes answers that something is not there ErrNotFound.
func (e *Error) Is(target error) bool {
	return target == ErrNotFound && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// status is that of the answer which made an error, or 0.
func status(err error) int {
	if e, ok := errors.AsType[*Error](err); ok && e.Reset.IsZero() {
		return e.Status
	}
	return 0
}

// oneLine shortens what another machine said for the log.
func oneLine(text string) string {
	line := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
	return string(line[:min(len(line), maxDetail)])
}
