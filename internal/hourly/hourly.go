// Package hourly is the value of the counters of one hour, as both databases have
// it: all counters in one value, so that adding to an hour rewrites a few kilobytes,
// a range of hours is read as it lies on the disk, and dropping an hour is the
// deletion of one key.
//
//	value   = form (1 byte) { counter }
//	counter = what, less that of the counter before (uvarint)
//	          [ length of text (uvarint) text ]   where counters have texts
//	          number (uvarint)
//
// What a counter counts is a number that its owner makes of it. Whether counters
// have texts is not in the value: the owner knows it by the bucket.
package hourly

import (
	"encoding/binary"
	"fmt"

	"svc/internal/integrity"
)

// form is the first byte of each value.
const form = 1

// ErrDamaged is for a value that cannot be read.
var ErrDamaged = fmt.Errorf("%w: counters of an hour", integrity.ErrDamaged)

// Encoder makes a value of counters in the order of what they count.
type Encoder struct {
	value []byte
	last  uint64
}

// NewEncoder makes an encoder with room for some bytes.
func NewEncoder(room int) *Encoder { return &Encoder{value: append(make([]byte, 0, room+1), form)} }

// Add adds a counter without a text. What it counts must not be less than that of
// the one before.
func (e *Encoder) Add(what, n uint64) {
	e.value = binary.AppendUvarint(e.value, what-e.last)
	e.value = binary.AppendUvarint(e.value, n)
	e.last = what
}

// AddText adds a counter with a text, as Add does.
func (e *Encoder) AddText(what uint64, text string, n uint64) {
	e.value = binary.AppendUvarint(e.value, what-e.last)
	e.value = binary.AppendUvarint(e.value, uint64(len(text)))
	e.value = append(e.value, text...)
	e.value = binary.AppendUvarint(e.value, n)
	e.last = what
}

// Value is the value of what was added.
func (e *Encoder) Value() []byte { return e.value }

// Each visits the counters of a value without texts, in order. The error is
// ErrDamaged.
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

// EachText visits the counters of a value with texts, in order. A text is valid
// during the call only. The error is ErrDamaged.
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
