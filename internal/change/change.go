// Package change contains the encoding of change sets. A change set lists, in order, the changes
// of one committed transaction to a file: the buckets that it made and dropped, the keys that it set
// and deleted, and the sequences that it set. The package has no side effects.
//
// A change set is a list of operations. Each begins with a byte, its Kind; the kinds are followed by
//
//	In        number of names, then each name: the bucket that the next operations change
//	Put       key, value
//	Delete    key
//	Make      name
//	Drop      name
//	Sequence  number
//
// Numbers are unsigned varints. Names, keys and values are their length as a number, followed by
// their bytes.
package change

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Kind is the kind of an operation.
type Kind byte

// The kinds of operations. Their values are stored.
const (
	in       Kind = 1 + iota // selects a bucket; not visible to readers of a set
	Put                      // sets the value of a key
	Delete                   // deletes a key
	Make                     // makes a bucket that does not exist
	Drop                     // deletes a bucket with everything in it
	Sequence                 // sets the sequence of the bucket
)

// MaxDepth limits the nesting of buckets.
const MaxDepth = 64

// ErrInvalid is returned for bytes that are not a change set.
var ErrInvalid = errors.New("invalid change set")

// Op is one operation. Its slices point into the set.
type Op struct {
	Kind   Kind
	Bucket [][]byte // the names of the bucket and of those around it, outermost first; valid until the next operation
	Moved  bool     // the bucket differs from that of the operation before
	Key    []byte   // of Put and Delete; name of the bucket that is made or dropped
	Value  []byte   // of Put
	Number uint64   // of Sequence
}

// Set builds a change set. The zero value is an empty set.
type Set struct{ encoded []byte }

// Bytes returns the encoded operations, which are valid until Reset. They are empty for an empty set.
func (s *Set) Bytes() []byte { return s.encoded }

// Reset empties the set. It keeps the memory for the next operations, unless that is more than maxKept.
func (s *Set) Reset() {
	if cap(s.encoded) > maxKept {
		s.encoded = nil
	}
	s.encoded = s.encoded[:0]
}

// maxKept is the size in bytes of the largest memory that Reset keeps.
const maxKept = 1 << 20

// In selects the bucket that the next operations change. The outermost name is first; no names
// select the root of the file.
func (s *Set) In(names ...[]byte) {
	s.kind(in)
	s.number(uint64(len(names)))
	for _, name := range names {
		s.text(name)
	}
}

// Put adds the new value of a key.
func (s *Set) Put(key, value []byte) {
	s.kind(Put)
	s.text(key)
	s.text(value)
}

// Delete adds the deletion of a key.
func (s *Set) Delete(key []byte) {
	s.kind(Delete)
	s.text(key)
}

// Make adds the creation of a bucket.
func (s *Set) Make(name []byte) {
	s.kind(Make)
	s.text(name)
}

// Drop adds the deletion of a bucket.
func (s *Set) Drop(name []byte) {
	s.kind(Drop)
	s.text(name)
}

// Sequence adds the new sequence of the bucket.
func (s *Set) Sequence(n uint64) {
	s.kind(Sequence)
	s.number(n)
}

func (s *Set) kind(k Kind)     { s.encoded = append(s.encoded, byte(k)) }
func (s *Set) number(n uint64) { s.encoded = binary.AppendUvarint(s.encoded, n) }

func (s *Set) text(b []byte) {
	s.number(uint64(len(b)))
	s.encoded = append(s.encoded, b...)
}

// Each visits the operations of an encoded set in order, until visit returns an error, which Each
// returns. For bytes that are not a change set, it returns ErrInvalid.
func Each(set []byte, visit func(Op) error) error {
	r := reader{rest: set}
	var names [][]byte
	moved := true
	for len(r.rest) > 0 && !r.bad {
		op := Op{Kind: r.kind(), Bucket: names, Moved: moved}
		switch op.Kind {
		case in:
			names, moved = r.names(names[:0]), true
			continue
		case Put:
			op.Key = r.text()
			op.Value = r.text()
		case Delete, Make, Drop:
			op.Key = r.text()
		case Sequence:
			op.Number = r.number()
		default:
			r.bad = true
		}
		if r.bad {
			break
		}
		moved = false
		if err := visit(op); err != nil {
			return err
		}
	}
	if r.bad {
		return fmt.Errorf("%w: %d bytes from its end", ErrInvalid, len(r.rest))
	}
	return nil
}

// reader reads the parts of an encoded set.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) kind() Kind {
	k := Kind(r.rest[0])
	r.rest = r.rest[1:]
	return k
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) text() []byte {
	n := r.number()
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) names(into [][]byte) [][]byte {
	n := r.number()
	if n > MaxDepth {
		r.bad = true
	}
	for ; n > 0 && !r.bad; n-- {
		into = append(into, r.text())
	}
	return into
}
