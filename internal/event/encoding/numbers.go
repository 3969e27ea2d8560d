package encoding

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendNumbers appends a list of numbers: the width of a distance in bytes, the smallest
// number, and the distance of each number from the smallest. It appends nothing if all
// numbers are zero.
func AppendNumbers[T uint8 | uint16 | uint32](raw []byte, numbers []T) []byte {
	if len(numbers) == 0 {
		return raw
	}
	smallest, greatest := slices.Min(numbers), slices.Max(numbers)
	if greatest == 0 {
		return raw
	}
	width := (bits.Len32(uint32(greatest-smallest)) + 7) / 8
	raw = binary.AppendUvarint(append(raw, byte(width)), uint64(smallest))
	for _, number := range numbers {
		distance := uint32(number - smallest)
		for range width {
			raw = append(raw, byte(distance))
			distance >>= 8
		}
	}
	return raw
}

// Numbers is a list of numbers written by AppendNumbers.
type Numbers[T uint8 | uint16 | uint32] struct {
	n, width int
	smallest T
	raw      []byte
}

// OpenNumbers reads the header of a list of n numbers. Because raw can be much shorter
// than n bytes, the caller must ensure that n is not larger than the size of its input.
func OpenNumbers[T uint8 | uint16 | uint32](raw []byte, n int) (Numbers[T], error) {
	if len(raw) == 0 {
		return Numbers[T]{n: n}, nil
	}
	r := Reader{Rest: raw}
	width, smallest := int(r.Byte()), r.Uvarint()
	if r.Bad || width > 4 || len(r.Rest) != n*width || smallest > uint64(^T(0)) {
		return Numbers[T]{}, errDamaged
	}
	return Numbers[T]{n, width, T(smallest), r.Rest}, nil
}

// Unpack returns the numbers.
func (c *Numbers[T]) Unpack() []T {
	numbers, raw, smallest := make([]T, c.n), c.raw, c.smallest
	switch c.width {
	case 1:
		for i, distance := range raw[:c.n] {
			numbers[i] = smallest + T(distance)
		}
	case 2:
		for i := range numbers {
			numbers[i] = smallest + T(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	case 3:
		for i := range numbers {
			b := raw[3*i : 3*i+3]
			distance := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
			numbers[i] = smallest + T(distance)
		}
	case 4:
		for i := range numbers {
			numbers[i] = smallest + T(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	default: // width 0: all numbers are equal
		for i := range numbers {
			numbers[i] = smallest
		}
	}
	return numbers
}

// AppendUint16s appends numbers as two bytes each, little endian.
func AppendUint16s(raw []byte, numbers []uint16) []byte {
	for _, number := range numbers {
		raw = binary.LittleEndian.AppendUint16(raw, number)
	}
	return raw
}
