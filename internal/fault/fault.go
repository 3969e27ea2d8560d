// Package fault defines errors with texts that clients may see. All other errors are
// internal, and their texts only appear in the log.
package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"svc/internal/integrity"
)

// Kind determines how a client can react to an error. Only package api translates kinds
// into HTTP statuses.
type Kind uint8

// The kinds of faults, in the order of their HTTP statuses.
const (
	Invalid        Kind = iota + 1 // the request breaks a rule
	Unauthorized                   // the request has no credential, or one without access
	Forbidden                      // no caller may do this in the current state
	NotFound                       // the addressed record does not exist
	Conflict                       // the change would conflict with stored data
	Stale                          // the record has changed since it was read
	LengthRequired                 // the length of the body is missing
	TooLarge                       // the body exceeds its limit
	TooMany                        // a rate limit is exceeded; see RetryAfter
	BadGateway                     // another service failed or responded incorrectly; see RetryAfter
	Unavailable                    // temporarily unavailable; see RetryAfter
	NoSpace                        // the disk is full, so nothing was stored
	Damaged                        // stored data cannot be read, so nothing was changed
)

// Error is an error with texts for clients. The texts are in English, name the field and
// the limit, and never contain a secret.
type Error struct {
	Kind Kind
	// Messages has one entry or, for a validation error, one entry for each rule that is
	// violated.
	Messages []string
	// Validation means that Messages is a list of violated rules. Clients receive such a list as an
	// array, even if it has only one entry.
	Validation bool
	// RetryAfter is the time after which a retry can succeed, or 0 if waiting does not help.
	RetryAfter time.Duration
	// Changed tells the client of a replicated server whether the request has changed data. It is ""
	// in all other faults.
	Changed Outcome
}

// Outcome tells clients whether a failed request has changed data.
type Outcome string

// The outcomes. The header X-Svc-Outcome has the same values.
const (
	OutcomeNone    Outcome = "none"    // the request has changed nothing
	OutcomeUnknown Outcome = "unknown" // the change may be kept or lost
)

// New returns an error with one text.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Messages: []string{fmt.Sprintf(format, args...)}}
}

// Validation returns an error of kind Invalid with one text for each rule that is
// violated.
func Validation(messages ...string) *Error {
	return &Error{Kind: Invalid, Messages: messages, Validation: true}
}

// After sets RetryAfter to wait and returns e.
func (e *Error) After(wait time.Duration) *Error {
	e.RetryAfter = wait
	return e
}

// Outcome sets Changed to o and returns e.
func (e *Error) Outcome(o Outcome) *Error {
	e.Changed = o
	return e
}

// Error returns the messages, joined with semicolons as in the client libraries.
func (e *Error) Error() string { return strings.Join(e.Messages, "; ") }

// Is makes faults of kind Damaged match integrity.ErrDamaged.
func (e *Error) Is(target error) bool { return e.Kind == Damaged && target == integrity.ErrDamaged }

// Is reports whether err is a fault of the given kind.
func Is(err error, kind Kind) bool {
	f, ok := errors.AsType[*Error](err)
	return ok && f.Kind == kind
}

// Catch calls the function work and returns its error. If the function panics, Catch returns an
// error that contains the stack.
func Catch(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return work()
}
