package event

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// What the columns of a block are made of: numbers, places of few bits, rows and
// texts. Everything that reads is bounded by what it is given and never trusts a
// length.

// errDamagedBlock is a block that does not read as one.
var errDamagedBlock = fmt.Errorf("a block of events is %w", ErrDamaged)

// cursor reads a piece of a block from its beginning. After the first fault all
// that it reads is zero and bad is set, so that it is asked once, at the end.
type cursor struct {
	raw []byte
	bad bool
}

func (c *cursor) uvarint() uint64 {
	number, size := binary.Uvarint(c.raw)
	if size <= 0 {
		c.fail()
		return 0
	}
	c.raw = c.raw[size:]
	return number
}

// count reads a number that is at most limit.
func (c *cursor) count(limit int) int {
	number := c.uvarint()
	if number > uint64(limit) {
		c.fail()
		return 0
	}
	return int(number)
}

func (c *cursor) byte() byte {
	if taken := c.take(1); len(taken) == 1 {
		return taken[0]
	}
	return 0
}

// take is the next n bytes, in place.
func (c *cursor) take(n int) []byte {
	if n > len(c.raw) {
		c.fail()
		return nil
	}
	taken := c.raw[:n:n]
	c.raw = c.raw[n:]
	return taken
}

func (c *cursor) fail() { c.raw, c.bad = nil, true }

// err is the fault, if there was one. All must have been read.
func (c *cursor) err() error {
	if c.bad || len(c.raw) > 0 {
		return errDamagedBlock
	}
	return nil
}

// appendNumbers writes numbers of one kind: the width of each in bytes, the
// smallest of them, and the distance of each from it. All zero is nothing.
func appendNumbers[T uint8 | uint16 | uint32](raw []byte, numbers []T) []byte {
	if len(numbers) == 0 {
		return raw
	}
	least, most := slices.Min(numbers), slices.Max(numbers)
	if most == 0 {
		return raw
	}
	width := (bits.Len32(uint32(most-least)) + 7) / 8
	raw = binary.AppendUvarint(append(raw, byte(width)), uint64(least))
	for _, number := range numbers {
		distance := uint32(number - least)
		for range width {
			raw = append(raw, byte(distance))
			distance >>= 8
		}
	}
	return raw
}

// readNumbers reads n numbers. n must be bounded by the block.
func readNumbers[T uint8 | uint16 | uint32](raw []byte, n int) ([]T, error) {
	numbers := make([]T, n)
	if len(raw) == 0 {
		return numbers, nil
	}
	c := cursor{raw: raw}
	width, least := int(c.byte()), c.uvarint()
	if c.bad || width > 4 || len(c.raw) != n*width || least > uint64(^T(0)) {
		return nil, errDamagedBlock
	}
	raw = c.raw
	switch width {
	case 1:
		for i, distance := range raw[:n] {
			numbers[i] = T(least) + T(distance)
		}
	case 2:
		for i := range numbers {
			numbers[i] = T(least) + T(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	case 3:
		for i := range numbers {
			b := raw[3*i : 3*i+3]
			distance := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
			numbers[i] = T(least) + T(distance)
		}
	case 4:
		for i := range numbers {
			numbers[i] = T(least) + T(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	default: // 0: all are the same
		for i := range numbers {
			numbers[i] = T(least)
		}
	}
	return numbers, nil
}

// bitWidth is the width in bits of numbers up to most: 0, 1, 2, 4, 8, 16 or 32,
// so that none lies across two bytes that another one shares.
func bitWidth(most uint32) int {
	if most == 0 {
		return 0
	}
	width := 1
	for most>>width > 0 { // a shift by 32 gives 0
		width *= 2
	}
	return width
}

// bitBytes is what n numbers of a width take.
func bitBytes(n, width int) int { return (n*width + 7) / 8 }

// appendBits writes numbers of a width, the first in the lowest bits.
func appendBits(raw []byte, numbers []uint32, width int) []byte {
	if width >= 8 {
		return appendCodes(raw, numbers, width/8)
	}
	if width == 0 {
		return raw
	}
	for start := 0; start < len(numbers); start += 8 / width {
		packed := byte(0)
		for i, number := range numbers[start:min(start+8/width, len(numbers))] {
			packed |= byte(number) << (i * width)
		}
		raw = append(raw, packed)
	}
	return raw
}

// bitColumn is numbers as appendBits has written them.
type bitColumn struct {
	width int
	raw   []byte
}

func (b bitColumn) at(i int) uint32 {
	if b.width >= 8 {
		return codes{b.width / 8, b.raw}.at(i)
	}
	if b.width == 0 {
		return 0
	}
	bit := i * b.width
	return uint32(b.raw[bit>>3]>>(bit&7)) & (1<<b.width - 1)
}

// unpack writes each number plus add to into and says which is the greatest that
// it may have written.
func (b bitColumn) unpack(into []uint32, add uint32) (most uint32) {
	if b.width < 8 {
		b.unpackBytes(into, add)
		return 1<<b.width - 1 + add
	}
	switch b.width {
	case 8:
		for i, number := range b.raw[:len(into)] {
			into[i] = uint32(number) + add
			most = max(most, uint32(number))
		}
	case 16:
		raw := b.raw[:2*len(into)]
		for i := range into {
			number := uint32(binary.LittleEndian.Uint16(raw[2*i:]))
			into[i] = number + add
			most = max(most, number)
		}
	default:
		for i := range into {
			number := min(binary.LittleEndian.Uint32(b.raw[4*i:]), 1<<32-2) // so that add does not pass the end
			into[i] = number + add
			most = max(most, number)
		}
	}
	return most + add
}

// unpackBytes is unpack for several numbers in a byte.
func (b bitColumn) unpackBytes(into []uint32, add uint32) {
	raw := b.raw
	switch b.width {
	case 0:
		for i := range into {
			into[i] = add
		}
	case 4:
		for ; len(into) >= 2; into, raw = into[2:], raw[1:] {
			packed := uint32(raw[0])
			into[0], into[1] = packed&15+add, packed>>4+add
		}
	case 2:
		for ; len(into) >= 4; into, raw = into[4:], raw[1:] {
			packed := uint32(raw[0])
			into[0], into[1], into[2], into[3] = packed&3+add, packed>>2&3+add, packed>>4&3+add, packed>>6+add
		}
	case 1:
		for ; len(into) >= 8; into, raw = into[8:], raw[1:] {
			packed := uint32(raw[0])
			for i := range into[:8] {
				into[i] = packed>>i&1 + add
			}
		}
	}
	left := bitColumn{b.width, raw}
	for i := range into {
		into[i] = left.at(i) + add
	}
}

// appendRowList writes rows in ascending order as the distance of each from the
// one before.
func appendRowList(raw []byte, list []uint32) []byte {
	last := uint32(0)
	for _, row := range list {
		raw = binary.AppendUvarint(raw, uint64(row-last))
		last = row
	}
	return raw
}

// rowList reads count rows below n in ascending order.
func (c *cursor) rowList(count, n int) []uint32 {
	if count > len(c.raw) {
		c.fail()
		return nil
	}
	list := make([]uint32, count)
	row := 0
	for i := range list {
		step := c.count(n)
		row += step
		if row >= n || i > 0 && step == 0 {
			c.fail()
			return nil
		}
		list[i] = uint32(row)
	}
	return list
}

// appendTexts writes the lengths of texts, then the texts.
func appendTexts(raw []byte, texts []string) []byte {
	for _, text := range texts {
		raw = binary.AppendUvarint(raw, uint64(len(text)))
	}
	for _, text := range texts {
		raw = append(raw, text...)
	}
	return raw
}

// texts reads count texts that appendTexts has written and appends them to list.
// They are copies that outlive the block.
func (c *cursor) texts(list []string, count int) []string {
	if count > len(c.raw) {
		c.fail()
		return list
	}
	lengths := c.raw
	start, total := 0, 0
	for range count {
		length, next := lengthAt(lengths, start)
		if next < 0 || length > len(lengths)-total {
			c.fail()
			return list
		}
		start, total = next, total+length
	}
	c.raw = c.raw[start:]
	all := string(c.take(total))
	if c.bad {
		return list
	}
	list = slices.Grow(list, count)
	at, from := 0, 0
	for range count {
		length, next := lengthAt(lengths, at)
		list = append(list, all[from:from+length])
		at, from = next, from+length
	}
	return list
}

// lengthAt reads a uvarint that is a length and says where the next one begins;
// -1 = there is none here.
func lengthAt(raw []byte, at int) (length, next int) {
	if at < len(raw) && raw[at] < 0x80 {
		return int(raw[at]), at + 1
	}
	return longLengthAt(raw, at)
}

func longLengthAt(raw []byte, at int) (length, next int) {
	number, size := binary.Uvarint(raw[at:])
	if size <= 0 || number > math.MaxInt32 {
		return 0, -1
	}
	return int(number), at + size
}
