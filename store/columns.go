package store

import (
	"encoding/binary"
	"iter"
	"math/bits"

	"svc/internal/platform"
)

// word holds what a record can be filtered by. Bit 0: hidden. Bit 1: gone,
// nothing is left of the record. Bits 2 to 4: 0, or 1 and the place of the
// platform in the list of platforms. The rest is the record's own.
type word uint16

const (
	hidden        word = 1 << 0
	gone          word = 1 << 1
	platformShift      = 2
	platformMask  word = 7 << platformShift
	ownShift           = 5
)

func flagWord(flag bool, w word) word {
	if flag {
		return w
	}
	return 0
}

func platformWord(p *platform.Platform) word {
	if p == nil {
		return 0
	}
	for i, known := range platform.All {
		if known == *p {
			return word(i+1) << platformShift
		}
	}
	return 0
}

// columns are the packed columns of a block, in place in the memory map or
// made from records.
type columns struct {
	words []byte
	texts []byte // ends of the texts, then the texts
}

func (c columns) len() int { return len(c.words) / 2 }

func (c columns) word(i int) word { return word(binary.LittleEndian.Uint16(c.words[2*i:])) }

// body is the texts alone, ends[i] of which is where text i ends.
func (c columns) body() []byte { return c.texts[4*c.len():] }

func (c columns) end(i int) int {
	if i < 0 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(c.texts[4*i:]))
}

// whole reports whether the ends of the texts are in order and that of the last
// is the end of them all. Only a damaged file has others.
func (c columns) whole() bool {
	last := uint32(0)
	for ends := c.texts[:4*c.len()]; len(ends) >= 4; ends = ends[4:] {
		end := binary.LittleEndian.Uint32(ends)
		if end < last {
			return false
		}
		last = end
	}
	return int(last) == len(c.body())
}

// builder makes columns.
type builder struct {
	words, ends, body []byte
}

func newColumns(n int) *builder {
	return &builder{words: make([]byte, 0, 2*n), ends: make([]byte, 0, 4*n)}
}

func (b *builder) add(w word, text string) {
	b.words = binary.LittleEndian.AppendUint16(b.words, uint16(w))
	b.body = append(b.body, text...)
	b.ends = binary.LittleEndian.AppendUint32(b.ends, uint32(len(b.body)))
}

func (b *builder) columns() columns { return columns{b.words, append(b.ends, b.body...)} }

// filter says which words pass: those that agree with want in the bits of
// mask.
type filter struct{ mask, want word }

func (f filter) and(mask, want word) filter { return filter{f.mask | mask, f.want | want} }

func (f filter) passes(w word) bool { return w&f.mask == f.want }

// marks is one bit for each record of a block.
type marks [blockSize / 64]uint64

func (m *marks) set(i int)      { m[i/64] |= 1 << (i % 64) }
func (m *marks) has(i int) bool { return m[i/64]&(1<<(i%64)) != 0 }

// all yields the marked records, the oldest first.
func (m marks) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range m {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

func (m marks) and(o marks) marks {
	for i := range m {
		m[i] &= o[i]
	}
	return m
}

func (m *marks) count() (n int) {
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// matching marks the records from first up to and without end whose words
// pass. It looks at four words at a time: there are a million in a large list.
func (c columns) matching(f filter, first, end int) (m marks) {
	const (
		each = 0x0001000100010001 // bit 0 of each of four words
		high = each << 15
		// gather times bits 0, 16, 32 and 48 has them in bits 48 to 51.
		gather = 1<<48 | 1<<33 | 1<<18 | 1<<3
	)
	mask, want := each*uint64(f.mask), each*uint64(f.want)
	words := c.words
	for i := range m {
		for at := 0; at < 64 && len(words) >= 8; at, words = at+4, words[8:] {
			wrong := (binary.LittleEndian.Uint64(words) ^ want) & mask
			passes := ^(wrong | (wrong&^high + high - each)) & high // where nothing is wrong
			m[i] |= passes >> 15 * gather >> 48 & 15 << at
		}
	}
	for i := c.len() &^ 3; i < c.len(); i++ {
		if f.passes(c.word(i)) {
			m.set(i)
		}
	}
	return m.and(between(first, end))
}

// between marks the records from first up to and without end.
func between(first, end int) (m marks) {
	for i := range m {
		low, high := max(first-64*i, 0), min(end-64*i, 64)
		if low < high {
			m[i] = ^uint64(0) >> (64 - high) &^ (1<<low - 1)
		}
	}
	return m
}
