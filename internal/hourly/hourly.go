// Package hourly defines the form in which both databases store the counters of an hour.
// All counters of an hour are in one value. Adding counters therefore rewrites only a few
// kilobytes, a range of hours is read sequentially, and removing an hour deletes a single
// key.
//
//	value   = form (1 byte) { counter }
//	counter = what, minus that of the previous counter (uvarint)
//	          [ length of text (uvarint) text ]   if counters have texts
//	          number (uvarint)
//
// The caller defines the meaning of the number called what. The value does not record
// whether its counters have texts; callers know that from the bucket.
package hourly

import (
	"encoding/binary"
	"fmt"

	"svc/internal/integrity"
)

// form is the first byte of each value. It identifies the encoding.
const form = 1

// ErrDamaged reports a value that cannot be decoded.
var ErrDamaged = fmt.Errorf("%w: counters of an hour", integrity.ErrDamaged)

// Encoder encodes counters. They must be added in ascending order of the number that identifies
// them, the parameter what of Add and AddText.
type Encoder struct {
	value []byte
	last  uint64
}

// NewEncoder returns an encoder with room for the given number of bytes.
func NewEncoder(room int) *Encoder { return &Encoder{value: append(make([]byte, 0, room+1), form)} }

// Add adds a counter without a text and with the value n. The parameter what identifies the counter
// and must not be less than in the previous call.
func (e *Encoder) Add(what, n uint64) {
	e.value = binary.AppendUvarint(e.value, what-e.last)
	e.value = binary.AppendUvarint(e.value, n)
	e.last = what
}

// AddText adds a counter with a text and with the value n. The parameter what identifies the
// counter and must not be less than in the previous call.
func (e *Encoder) AddText(what uint64, text string, n uint64) {
	e.value = binary.AppendUvarint(e.value, what-e.last)
	e.value = binary.AppendUvarint(e.value, uint64(len(text)))
	e.value = append(e.value, text...)
	e.value = binary.AppendUvarint(e.value, n)
	e.last = what
}

// Value returns the encoded counters.
func (e *Encoder) Value() []byte { return e.value }

// Each decodes a value with counters that have no texts, and calls visit for each counter, in
// order. The error is ErrDamaged if the value cannot be decoded.
func Each(value []byte, visit func(what uint64, n int64)) error {
	if len(value) == 0 || value[0] != form {
		return ErrDamaged
	}
	what := uint64(0)
	for value = value[1:]; len(value) > 0; {
		step, size := binary.Uvarint(value)
		if size <= 0 {
			return ErrDamaged
		}
		n, more := binary.Uvarint(value[size:])
		if more <= 0 {
			return ErrDamaged
		}
		value = value[size+more:]
		what += step
		visit(what, int64(n))
	}
	return nil
}

// EachText decodes a value with counters that have texts, and calls visit for each counter, in
// order. The text is valid only during the call of visit. The error is ErrDamaged if the value
// cannot be decoded.
func EachText(value []byte, visit func(what uint64, text []byte, n int64)) error {
	if len(value) == 0 || value[0] != form {
		return ErrDamaged
	}
	what := uint64(0)
	for value = value[1:]; len(value) > 0; {
		step, size := binary.Uvarint(value)
		if size <= 0 {
			return ErrDamaged
		}
		value = value[size:]
		length, size := binary.Uvarint(value)
		if size <= 0 || length > uint64(len(value)-size) {
			return ErrDamaged
		}
		text := value[size : size+int(length)]
		value = value[size+int(length):]
		n, size := binary.Uvarint(value)
		if size <= 0 {
			return ErrDamaged
		}
		value = value[size:]
		what += step
		visit(what, text, int64(n))
	}
	return nil
}
