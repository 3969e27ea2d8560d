package encoding

import (
	"encoding/binary"
	"math/bits"
)

// MaxBitWidth is the maximum width of a number, in bits.
const MaxBitWidth = 32

// BitWidth returns the number of bits that are needed to store any number from 0 to the
// given one.
func BitWidth(most uint32) int { return bits.Len32(most) }

// BitBytes returns the number of bytes that n numbers of width bits take.
func BitBytes(n, width int) int { return (n*width + 7) / 8 }

// AppendBits appends numbers with width bits each. The first number is stored in the
// lowest bits of the first byte.
func AppendBits(raw []byte, numbers []uint32, width int) []byte {
	word, filled := uint64(0), 0 // the bits that have not been written yet, and their number, which is less than 32
	for _, number := range numbers {
		word |= uint64(number) << filled
		if filled += width; filled >= 32 {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(word))
			word >>= 32
			filled -= 32
		}
	}
	for ; filled > 0; filled -= 8 {
		raw = append(raw, byte(word))
		word >>= 8
	}
	return raw
}

// Bits is a list of numbers of equal width that AppendBits has written.
type Bits struct {
	Width int // in bits, 0 to MaxBitWidth
	Raw   []byte
}

// wholeWords returns how many of the first n numbers can be read by loading eight bytes
// each without reading beyond the end of the list.
func (b Bits) wholeWords(n int) int {
	if len(b.Raw) < 8 {
		return 0
	}
	if b.Width == 0 {
		return n
	}
	return min(n, (len(b.Raw)-8)*8/b.Width+1)
}

// At returns the number with index i.
func (b Bits) At(i int) uint32 {
	bit := i * b.Width
	from := bit >> 3
	if from+8 <= len(b.Raw) {
		return uint32(binary.LittleEndian.Uint64(b.Raw[from:])>>(bit&7)) & (1<<b.Width - 1)
	}
	return uint32(b.lastWord(from)>>(bit&7)) & (1<<b.Width - 1)
}

// Gather sets into[i] to the number at indexes[i] of b, for each i.
func (b Bits) Gather(indexes, into []uint32) {
	mask, last := uint64(1)<<b.Width-1, len(b.Raw)-8
	into = into[:len(indexes)]
	for i, index := range indexes {
		bit := int(index) * b.Width
		if from := bit >> 3; from <= last {
			into[i] = uint32(binary.LittleEndian.Uint64(b.Raw[from:]) >> (bit & 7) & mask)
			continue
		}
		into[i] = b.At(int(index))
	}
}

// lastWord returns the bytes from an offset to the end as a number. There must be fewer
// than eight.
func (b Bits) lastWord(from int) (word uint64) {
	for at := len(b.Raw) - 1; at >= from; at-- {
		word = word<<8 | uint64(b.Raw[at])
	}
	return word
}

// Unpack adds a constant, add, to each number of the list and stores the sums in the
// slice into. It returns the greatest sum.
func (b Bits) Unpack(into []uint32, add uint32) (most uint32) {
	switch b.Width {
	case 0:
		for i := range into {
			into[i] = add
		}
		return add
	case 8:
		for i, number := range b.Raw[:len(into)] {
			into[i] = uint32(number) + add
			most = max(most, uint32(number))
		}
		return most + add
	case 16:
		raw := b.Raw[:2*len(into)]
		for i := range into {
			number := uint32(binary.LittleEndian.Uint16(raw[2*i:]))
			into[i] = number + add
			most = max(most, number)
		}
		return most + add
	}
	mask, bit := uint32(1<<b.Width-1), 0
	whole := b.wholeWords(len(into))
	for i := range into[:whole] {
		number := uint32(binary.LittleEndian.Uint64(b.Raw[bit>>3:])>>(bit&7)) & mask
		number = min(number, 1<<32-2) // prevents an overflow of the sum
		into[i] = number + add
		most = max(most, number)
		bit += b.Width
	}
	for i := whole; i < len(into); i++ {
		number := min(b.At(i), 1<<32-2)
		into[i] = number + add
		most = max(most, number)
	}
	return most + add
}

// MaxCountWidth is the maximum width, in bits, of numbers that Count accepts.
const MaxCountWidth = 16

// Count counts the numbers with indexes from low up to but not including high. For each
// such number n, it increments counts[n]. The width must be at most MaxCountWidth, and
// counts must have an element for every number of that width.
func (b Bits) Count(low, high int, counts []uint32) {
	counts = counts[:1<<b.Width]
	if b.Width == 0 {
		counts[0] += uint32(high - low)
		return
	}
	if b.Width <= 8 && high-low > 4*len(counts) {
		for ; low&7 != 0; low++ { // until a number begins at the start of a byte, as every eighth does
			counts[b.At(low)]++
		}
		low = b.countEights(low, high, counts)
	}
	mask := uint64(len(counts) - 1)
	for whole := b.wholeWords(high); low < whole; low++ {
		bit := low * b.Width
		counts[binary.LittleEndian.Uint64(b.Raw[bit>>3:])>>(bit&7)&mask]++
	}
	for ; low < high; low++ {
		counts[b.At(low)]++
	}
}

// countEights implements Count for numbers of at most eight bits. It loads eight numbers
// at a time as long as eight bytes can be read, and returns the index of the first number
// that it has not counted. low must be divisible by eight. Numbers of at most four bits
// are counted in pairs. Neighbouring numbers are counted in different tables, because
// incrementing a counter has to wait until the previous increment of the same counter has
// been stored.
func (b Bits) countEights(low, high int, counts []uint32) (next int) {
	var tables [4][256]uint32
	width := b.Width
	pairs := width <= 4
	step := uint(width)
	if pairs {
		step *= 2
	}
	mask := uint64(1)<<step - 1
	from := low / 8 * width
	for ; low+8 <= high && from+8 <= len(b.Raw); low, from = low+8, from+width {
		word := binary.LittleEndian.Uint64(b.Raw[from:])
		tables[0][uint8(word&mask)]++
		tables[1][uint8(word>>step&mask)]++
		tables[2][uint8(word>>(2*step)&mask)]++
		tables[3][uint8(word>>(3*step)&mask)]++
		if pairs {
			continue
		}
		tables[0][uint8(word>>(4*step)&mask)]++
		tables[1][uint8(word>>(5*step)&mask)]++
		tables[2][uint8(word>>(6*step)&mask)]++
		tables[3][uint8(word>>(7*step)&mask)]++
	}
	for code := range mask + 1 {
		n := tables[0][code] + tables[1][code] + tables[2][code] + tables[3][code]
		counts[code&(1<<width-1)] += n
		if pairs {
			counts[code>>width] += n
		}
	}
	return low
}

// Bitset is a set of small numbers.
type Bitset []uint64

// NewBitset returns an empty set for numbers less than end. Set ignores numbers that are
// too large for the set. They occur only in a damaged block.
func NewBitset(end uint32) Bitset { return make(Bitset, end/64+1) }

// Set adds a number.
func (s Bitset) Set(n uint32) {
	if int(n/64) < len(s) {
		s[n/64] |= 1 << (n % 64)
	}
}

// Has reports whether a number is in the set.
func (s Bitset) Has(n uint32) bool {
	return int(n/64) < len(s) && s[n/64]&(1<<(n%64)) != 0
}

// Missing returns the numbers in the half-open range [from, end) that are not in the set.
func (s Bitset) Missing(from, end uint32) (list []uint32) {
	for n := from; n < end; n++ {
		if !s.Has(n) {
			list = append(list, n)
		}
	}
	return list
}
