package encoding

import "encoding/binary"

// Codes is a list of indexes into a list of distinct values. Each takes 0, 1, 2 or 4
// bytes, little endian. If Width, the number of bytes, is 0, all indexes are 0.
type Codes struct {
	Width int
	Raw   []byte
}

// At returns the code of a row.
func (c Codes) At(row int) uint32 {
	switch c.Width {
	case 1:
		return uint32(c.Raw[row])
	case 2:
		return uint32(binary.LittleEndian.Uint16(c.Raw[2*row:]))
	case 4:
		return binary.LittleEndian.Uint32(c.Raw[4*row:])
	}
	return 0
}

// CodeWidth returns the width in bytes of indexes into a list of n elements.
func CodeWidth(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

// MakeCodes encodes indexes into a list of n elements.
func MakeCodes(codes []uint32, n int) Codes {
	width := CodeWidth(n)
	return Codes{Width: width, Raw: appendCodes(make([]byte, 0, width*len(codes)), codes, width)}
}

func appendCodes(raw []byte, codes []uint32, width int) []byte {
	switch width {
	case 1:
		for _, code := range codes {
			raw = append(raw, byte(code))
		}
	case 2:
		for _, code := range codes {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(code))
		}
	case 4:
		for _, code := range codes {
			raw = binary.LittleEndian.AppendUint32(raw, code)
		}
	}
	return raw
}

// Distinct encodes numbers as codes in a dictionary of their distinct values. distinct
// contains the distinct numbers in the order of first use, and codes contains the index
// in distinct of each number.
func Distinct(numbers []uint32) (codes, distinct []uint32) {
	codes = make([]uint32, len(numbers))
	most := uint32(0)
	for _, number := range numbers {
		most = max(most, number)
	}
	if uint64(most) > uint64(4*len(numbers)+1024) {
		return codes, distinctByMap(numbers, codes)
	}
	known := make([]uint32, most+1) // code of each number plus 1; 0 = none yet
	for i, number := range numbers {
		if known[number] == 0 {
			distinct = append(distinct, number)
			known[number] = uint32(len(distinct))
		}
		codes[i] = known[number] - 1
	}
	return codes, distinct
}

// distinctByMap implements Distinct for numbers that are too large for a table.
func distinctByMap(numbers, codes []uint32) (distinct []uint32) {
	var c Coder[uint32]
	for i, number := range numbers {
		codes[i] = c.Code(number)
	}
	return c.Values
}

// Coder encodes values as codes in a dictionary of their distinct values, one value at a
// time.
type Coder[T comparable] struct {
	Values []T // the distinct values by code, in the order of first use
	codes  map[T]uint32
}

// Code returns the code of a value. A new value gets the next code.
func (c *Coder[T]) Code(value T) uint32 {
	code, ok := c.codes[value]
	if !ok {
		if c.codes == nil {
			c.codes = map[T]uint32{}
		}
		code = uint32(len(c.Values))
		c.codes[value] = code
		c.Values = append(c.Values, value)
	}
	return code
}
