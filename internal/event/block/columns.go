package block

import (
	"encoding/binary"
	"sort"

	"svc/internal/event/encoding"
)

// Columns holds events of one hour, column by column: either a block of the file, which
// is read in place, or events that are still in memory. Rows are sorted by time; rows of
// the same second are sorted by receipt. An hour can have several Columns, which are then
// ordered by the receipt of their events.
type Columns struct {
	Hour int64 // Unix second at which the hour begins
	N    int   // number of rows

	Seconds  []byte         // for each row, the second in the hour: two bytes, little endian
	Names    encoding.Codes // for each row, an index into NameOf
	NameOf   []uint32       // for each distinct name, its number in the project
	Senders  int
	SenderOf encoding.Codes // for each row, the number of its sender, which is less than Senders

	subjects, sessions senderColumn[uint32]
	platforms          senderColumn[uint8]
	regions            senderColumn[uint16]

	// Property returns the values of a property, or nil if no event has it. Keys are
	// compared exactly. Property is safe for concurrent use. Each call returns a new
	// Column.
	Property func(key string) (*Column, error)
	// Keys calls the function see for each key of a property that at least one of the given rows
	// has. Rows must be ascending. A key may be seen twice.
	Keys func(rows []uint32, see func(key string)) error
}

// Second returns the time of an event in seconds since the start of the hour.
func (p *Columns) Second(row int) int { return int(binary.LittleEndian.Uint16(p.Seconds[2*row:])) }

// Column holds the values of one property for all rows. Each row has the code of its
// value. Code 0 means that the event does not have the property. JSON null is a value
// like any other, but has no text form.
type Column struct {
	// Values contains the distinct values as compact JSON, indexed by code. Values[0] is "".
	Values []string

	bits  encoding.Bits // for each row, its code minus the field first
	first uint32
}

// NewColumn returns a column. codes holds the code of each row, and values is indexed by
// code.
func NewColumn(codes []uint32, values []string) *Column {
	width := encoding.BitWidth(uint32(len(values) - 1))
	return &Column{Values: values, bits: encoding.Bits{Width: width, Raw: encoding.AppendBits(nil, codes, width)}}
}

// Codes stores the codes of the given rows in the slice into, which must have room for
// them. Invalid codes, which occur only in a damaged block, become 0.
func (c *Column) Codes(rows []uint32, into []uint32) {
	into = into[:len(rows)]
	c.bits.Gather(rows, into)
	for i, code := range into {
		if into[i] = code + c.first; into[i] >= uint32(len(c.Values)) {
			into[i] = 0
		}
	}
}

// Count returns, for each code, the number of rows that have it, from row low up to but
// not including row high. It uses the memory of room for the result if that is large
// enough.
func (c *Column) Count(low, high int, room []uint32) ([]uint32, error) {
	if c.bits.Width > encoding.MaxCountWidth {
		return c.countFew(low, high, room)
	}
	n := max(len(c.Values), int(c.first)+1<<c.bits.Width)
	counts := append(room[:0], make([]uint32, n)...)
	c.bits.Count(low, high, counts[c.first:])
	for _, n := range counts[len(c.Values):] {
		if n > 0 {
			return nil, errDamaged
		}
	}
	return counts[:len(c.Values)], nil
}

// countFew implements Count for codes of more than encoding.MaxCountWidth bits.
func (c *Column) countFew(low, high int, room []uint32) ([]uint32, error) {
	counts := append(room[:0], make([]uint32, len(c.Values))...)
	for row := low; row < high; row++ {
		code := c.bits.At(row) + c.first
		if uint64(code) >= uint64(len(counts)) {
			return nil, errDamaged
		}
		counts[code]++
	}
	return counts, nil
}

// columnBuilder builds the column of a property. Rows can be added in any order.
type columnBuilder struct {
	byRow []uint32
	encoding.Coder[string]
}

func newColumnBuilder(rows int) *columnBuilder {
	return &columnBuilder{byRow: make([]uint32, rows), Coder: encoding.Coder[string]{Values: []string{""}}}
}

func (b *columnBuilder) set(row int, value string) { b.byRow[row] = b.Code(value) }

// column returns the column, or nil if no row has a value.
func (b *columnBuilder) column() *Column {
	if len(b.Values) == 1 {
		return nil
	}
	return NewColumn(b.byRow, b.Values)
}

// NewColumns returns the columns of r. The columns read properties with the function
// property, and ignore the properties in r. NewColumns does not retain r. hour is the
// Unix second at which the hour of the rows begins.
func NewColumns(hour int64, r *Rows, property func(key string) (*Column, error)) *Columns {
	n := r.Len()
	p := &Columns{Hour: hour, N: n, Seconds: encoding.AppendUint16s(make([]byte, 0, 2*n), r.Seconds), Property: property}

	codes, numbers := encoding.Distinct(r.Names)
	p.Names, p.NameOf = encoding.MakeCodes(codes, len(numbers)), numbers
	p.SenderOf = encoding.MakeCodes(r.SenderOf[:n], len(r.Senders))
	p.setSenders(r.Senders)
	return p
}

// setSenders builds the columns of senders.
func (p *Columns) setSenders(senders []Sender) {
	p.Senders = len(senders)
	p.subjects.numbers, p.sessions.numbers = make([]uint32, len(senders)), make([]uint32, len(senders))
	p.platforms.numbers, p.regions.numbers = make([]uint8, len(senders)), make([]uint16, len(senders))
	for i := range senders {
		s := &senders[i]
		p.subjects.numbers[i], p.sessions.numbers[i] = s.Subject, s.Session
		p.platforms.numbers[i], p.regions.numbers[i] = s.Platform, s.Region
	}
}

// senderColumn is a column with one entry for each sender. If it belongs to a block, it
// is unpacked on first use.
type senderColumn[T uint8 | uint16 | uint32] struct {
	stored  encoding.Numbers[T]
	numbers []T
}

func (c *senderColumn[T]) all() []T {
	if c.numbers == nil {
		c.numbers = c.stored.Unpack()
	}
	return c.numbers
}

// Subjects returns, for each sender, the number of its distinct_id. Numbers start at 1.
// If Open returned p, Subjects, Sessions, Platforms and Regions are not safe for
// concurrent use.
func (p *Columns) Subjects() []uint32 { return p.subjects.all() }

// Sessions returns, for each sender, the number of its session_id. Numbers start at 1; 0
// means that the sender has none.
func (p *Columns) Sessions() []uint32 { return p.sessions.all() }

// Platforms returns, for each sender, the number of its platform; 0 means none.
func (p *Columns) Platforms() []uint8 { return p.platforms.all() }

// Regions returns, for each sender, the number of its region; 0 means that it is not
// known.
func (p *Columns) Regions() []uint16 { return p.regions.all() }

// Between returns the half-open range [low, high) of the rows with times between two Unix
// seconds, both inclusive.
func (p *Columns) Between(from, to int64) (low, high int) {
	low, high = 0, p.N
	if from > p.Hour {
		low = sort.Search(p.N, func(row int) bool { return p.Hour+int64(p.Second(row)) >= from })
	}
	if to < p.Hour+lastSecond {
		high = sort.Search(p.N, func(row int) bool { return p.Hour+int64(p.Second(row)) > to })
	}
	return low, max(low, high)
}

// Search returns the first row in [low, high) that is not earlier than the given second
// of the hour, or high if there is none. It is fast if that row is near low, because it
// probes with growing steps before it uses binary search.
func (p *Columns) Search(low, high, second int) int {
	step := 1
	for low+step < high && p.Second(low+step) < second {
		step *= 2
	}
	from := low + step/2
	return from + sort.Search(min(low+step, high)-from, func(i int) bool { return p.Second(from+i) >= second })
}
