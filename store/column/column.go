// Package column implements the packed columns of blocks of records: the filter bits of
// each record, the searchable texts, and the labels. The package does not use transactions
// or keys. It takes bytes and returns bitmaps of records.
//
// column.go contains the columns, filters and bitmaps, label.go the labels, and needle.go
// the substring search.
package column

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"sort"
)

// BlockSize is the number of records in a block.
const BlockSize = 256

// Word holds the filter bits of a record. Each kind of record defines their meaning.
type Word uint16

// Columns holds the packed columns of a block. They are either slices of the memory-mapped file or
// built from records.
type Columns struct {
	Words  []byte
	Texts  []byte // a table of the offsets at which the texts end, followed by the texts
	Labels []byte // for each record, the position of its label among the distinct labels, which follow
}

// Len returns the number of records.
func (c Columns) Len() int { return len(c.Words) / 2 }

// Word returns the filter word of record i.
func (c Columns) Word(i int) Word { return Word(binary.LittleEndian.Uint16(c.Words[2*i:])) }

// SetWord replaces the filter word of record i. The columns must not be slices of the file.
func (c Columns) SetWord(i int, w Word) { binary.LittleEndian.PutUint16(c.Words[2*i:], uint16(w)) }

// Text returns the text of record i. The columns must be valid.
func (c Columns) Text(i int) []byte { return c.Body()[c.end(i-1):c.end(i)] }

// Body returns the concatenated texts without the table of their ends.
func (c Columns) Body() []byte { return c.Texts[4*c.Len():] }

func (c Columns) end(i int) int {
	if i < 0 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(c.Texts[4*i:]))
}

// Valid reports whether the ends of the texts ascend and the last one equals the length
// of the body. It returns false only for a damaged file.
func (c Columns) Valid() bool {
	if len(c.Texts) < 4*c.Len() {
		return false
	}
	last := uint32(0)
	for ends := c.Texts[:4*c.Len()]; len(ends) >= 4; ends = ends[4:] {
		end := binary.LittleEndian.Uint32(ends)
		if end < last {
			return false
		}
		last = end
	}
	return int(last) == len(c.Body())
}

// Builder builds columns.
type Builder struct {
	Words, ends, body []byte

	positions []byte // for each record, the position of its label in labels
	labels    []byte // the distinct labels
	known     map[Label]byte
}

// NewBuilder returns a builder with capacity for n records.
func NewBuilder(n int) *Builder {
	return &Builder{Words: make([]byte, 0, 2*n), ends: make([]byte, 0, 4*n), positions: make([]byte, 0, n)}
}

// Add appends a record.
func (b *Builder) Add(w Word, text string, label Label) {
	b.Words = binary.LittleEndian.AppendUint16(b.Words, uint16(w))
	b.body = append(b.body, text...)
	b.ends = binary.LittleEndian.AppendUint32(b.ends, uint32(len(b.body)))
	at, known := b.known[label]
	if !known {
		if b.known == nil {
			b.known = map[Label]byte{}
		}
		at = byte(len(b.known))
		b.known[label] = at
		b.labels = append(b.labels, label[:]...)
	}
	b.positions = append(b.positions, at)
}

// Columns returns the columns of the added records. They share the memory of the builder.
func (b *Builder) Columns() Columns {
	return Columns{b.Words, append(b.ends, b.body...), append(b.positions, b.labels...)}
}

// Filter selects records by their filter bits. A word passes if it equals the field want in all
// bits that are set in Mask.
type Filter struct{ Mask, want Word }

// And returns a filter that additionally requires the bits selected by mask to equal those of the
// parameter want.
func (f Filter) And(mask, want Word) Filter { return Filter{f.Mask | mask, f.want | want} }

func (f Filter) passes(w Word) bool { return w&f.Mask == f.want }

// Bitmap has one bit for each record of a block.
type Bitmap [BlockSize / 64]uint64

// Set marks record i by setting its bit.
func (m *Bitmap) Set(i int) { m[i/64] |= 1 << (i % 64) }

// Has reports whether record i is marked.
func (m *Bitmap) Has(i int) bool { return m[i/64]&(1<<(i%64)) != 0 }

// All yields the positions of the marked records in the block, the oldest record first.
func (m Bitmap) All() iter.Seq[int] {
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

// And returns the intersection of m and o.
func (m Bitmap) And(o Bitmap) Bitmap {
	for i := range m {
		m[i] &= o[i]
	}
	return m
}

// Count returns the number of marked records.
func (m *Bitmap) Count() (n int) {
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// Match returns the records with a position in [first, end) that pass the filter f. It tests four
// words at a time, because a large list has a million words.
func (c Columns) Match(f Filter, first, end int) (m Bitmap) {
	const (
		each = 0x0001000100010001 // bit 0 of each of four words
		high = each << 15
		// Multiplying by gather moves bits 0, 16, 32 and 48 to bits 48 to 51.
		gather = 1<<48 | 1<<33 | 1<<18 | 1<<3
	)
	mask, want := each*uint64(f.Mask), each*uint64(f.want)
	words := c.Words
	for i := range m {
		for at := 0; at < 64 && len(words) >= 8; at, words = at+4, words[8:] {
			wrong := (binary.LittleEndian.Uint64(words) ^ want) & mask
			passes := ^(wrong | (wrong&^high + high - each)) & high // the high bit of each word that passes
			m[i] |= passes >> 15 * gather >> 48 & 15 << at
		}
	}
	for i := c.Len() &^ 3; i < c.Len(); i++ {
		if f.passes(c.Word(i)) {
			m.Set(i)
		}
	}
	return m.And(between(first, end))
}

// between returns a bitmap of the records with a position in [first, end).
func between(first, end int) (m Bitmap) {
	for i := range m {
		low, high := max(first-64*i, 0), min(end-64*i, 64)
		if low < high {
			m[i] = ^uint64(0) >> (64 - high) &^ (1<<low - 1)
		}
	}
	return m
}

// MatchText returns the records that contain the needle. It searches only the records that are
// marked in the parameter among. A match cannot extend from one text into the next, because each
// text begins with a separator.
func (c Columns) MatchText(n *Needle, among Bitmap) (m Bitmap) {
	body := c.Body()
	if n.often || 2*among.Count() < c.Len() {
		for record := range among.All() {
			if n.index(body[c.end(record-1):c.end(record)]) >= 0 {
				m.Set(record)
			}
		}
		return m
	}
	record := -1
	for at := 0; at < len(body); at = c.end(record) { // skips the rest of the record after a match
		i := n.index(body[at:])
		if i < 0 {
			break
		}
		record = c.recordAt(at+i, record+1)
		m.Set(record)
	}
	return m.And(among)
}

// recordAt returns the position of the first record with a text that ends after the given offset in
// the body. It starts at the record in the parameter from, and tries the next few records before it
// uses binary search.
func (c Columns) recordAt(at, from int) int {
	step := 1
	for c.end(min(from+step, c.Len())-1) <= at {
		from += step
		step *= 2
	}
	if step == 1 {
		return from
	}
	return from + sort.Search(min(step, c.Len()-from), func(i int) bool { return c.end(from+i) > at })
}
