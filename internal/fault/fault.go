// Package fault defines the errors whose text may be shown to clients. Every other
// error is internal: its text stays in the log.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/internal/integrity"
)

// Kind says what a client can do about an error. The api package alone
// translates kinds into HTTP statuses.
type Kind uint8

// The kinds, in the order of their statuses.
const (
	Invalid        Kind = iota + 1 // what was sent breaks a rule
	Unauthorized                   // no credential, or one that does not open this
	Forbidden                      // nobody may do this as things are
	NotFound                       // the thing addressed does not exist
	Conflict                       // it would collide with what is stored
	Stale                          // the record is not what it was when it was read
	LengthRequired                 // the body does not say how long it is
	TooLarge                       // the body is over its limit
	TooMany                        // a rate limit; see RetryAfter
	BadGateway                     // another service failed or answered nonsense; see RetryAfter
	Unavailable                    // not now; see RetryAfter
	NoSpace                        // the disk is full, nothing was stored
	Damaged                        // stored data cannot be read, nothing was changed
)

// Error carries texts for people: English, naming the field and the limit,
// never a secret.
type Error struct {
	Kind Kind
	// Messages has one entry, or for a validation failure one per broken rule.
	Messages []string
	// Validation marks a list of broken rules, which clients receive as an
	// array even when it has one entry.
	Validation bool
	// RetryAfter is how long to wait, where waiting helps; otherwise 0.
	RetryAfter time.Duration
}

// New makes an error of one text.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Messages: []string{fmt.Sprintf(format, args...)}}
}

// Validation makes an Invalid error of one text per broken rule.
func Validation(messages ...string) *Error {
	return &Error{Kind: Invalid, Messages: messages, Validation: true}
}

// After says how long to wait before trying again.
func (e *Error) After(wait time.Duration) *Error {
	e.RetryAfter = wait
	return e
}

// Error joins the texts as clients do.
func (e *Error) Error() string { return strings.Join(e.Messages, "; ") }

// Is reports whether target is integrity.ErrDamaged, which every fault of kind Damaged is.
func (e *Error) Is(target error) bool { return e.Kind == Damaged && target == integrity.ErrDamaged }

// Is reports whether err is a fault of the kind.
func Is(err error, kind Kind) bool {
	f, ok := errors.AsType[*Error](err)
	return ok && f.Kind == kind
}
