package encoding

import "encoding/binary"

// Reader reads values from a slice of bytes, one after the other. After the first error,
// all methods return zero values, so that the caller has to check for an error only once,
// at the end.
type Reader struct {
	Rest []byte // the unread bytes
	Bad  bool   // whether an error has occurred
}

// Uvarint reads an unsigned number of variable length.
func (r *Reader) Uvarint() uint64 {
	number, size := binary.Uvarint(r.Rest)
	if size <= 0 {
		r.Fail()
		return 0
	}
	r.Rest = r.Rest[size:]
	return number
}

// Count reads a uvarint. If it is greater than limit, Count records an error and returns
// 0.
func (r *Reader) Count(limit int) int {
	number := r.Uvarint()
	if number > uint64(limit) {
		r.Fail()
		return 0
	}
	return int(number)
}

// Varint reads a signed number in zigzag form.
func (r *Reader) Varint() int64 {
	number := r.Uvarint()
	return int64(number>>1) ^ -int64(number&1)
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if taken := r.Take(1); len(taken) == 1 {
		return taken[0]
	}
	return 0
}

// Number reads an integer of size bytes, big endian.
func (r *Reader) Number(size int) uint64 {
	number := uint64(0)
	for _, b := range r.Take(size) {
		number = number<<8 | uint64(b)
	}
	return number
}

// Take returns the next n bytes without copying them.
func (r *Reader) Take(n int) []byte {
	if n > len(r.Rest) {
		r.Fail()
		return nil
	}
	taken := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return taken
}

// Fail records an error that the caller has found.
func (r *Reader) Fail() { r.Rest, r.Bad = nil, true }

// Err returns an error that wraps integrity.ErrDamaged if there was an error or if unread
// bytes remain, and nil otherwise.
func (r *Reader) Err() error {
	if r.Bad || len(r.Rest) > 0 {
		return errDamaged
	}
	return nil
}
