package block

import (
	"encoding/binary"
	"fmt"
	"slices"

	"svc/internal/event/encoding"
)

// block holds the bytes of each column of a block, and the counts from its header.
type block struct {
	n, names, senders int
	columns           rawColumns
}

// parse reads the header of a block. It verifies the lengths of the columns that have an
// entry for each row. Even in a damaged block, the numbers of rows, names and senders
// therefore never exceed the number of bytes, which limits the memory that is allocated
// for them.
func parse(raw []byte) (*block, error) {
	if len(raw) < sumEnd {
		return nil, errDamaged
	}
	if raw[0] != version {
		return nil, fmt.Errorf("%w: it has version %d, this program reads version %d", errDamaged, raw[0], version)
	}
	b := &block{}
	c := encoding.Reader{Rest: raw[sumEnd:]}
	b.n = c.Count(len(raw) / 2)
	b.names, b.senders = c.Count(b.n), c.Count(b.n)
	var lengths [columnCount]int
	for last := byte(0); !c.Bad; {
		number := c.Byte()
		if number == 0 {
			break
		}
		if number <= last || number >= columnCount {
			return nil, errDamaged
		}
		lengths[number], last = c.Count(len(raw)), number
	}
	for number, length := range lengths {
		b.columns[number] = c.Take(length)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if len(b.columns[columnSeconds]) != 2*b.n ||
		len(b.columns[columnNames]) != b.n*encoding.CodeWidth(b.names) ||
		len(b.columns[columnSenders]) != b.n*encoding.CodeWidth(b.senders) ||
		b.n > 0 && (b.names == 0 || b.senders == 0) {
		return nil, errDamaged
	}
	return b, nil
}

// Len returns the number of rows of a block. It reads only the header.
func Len(raw []byte) (int, error) {
	b, err := parse(raw)
	if err != nil {
		return 0, err
	}
	return b.n, nil
}

// Open reads a block in place. The columns that have an entry for each row share the
// memory of raw. Open does not verify the rows; Check does. In a valid block, seconds
// ascend, and every code refers to an element of its list.
func Open(hour int64, raw []byte) (*Columns, error) {
	b, err := parse(raw)
	if err != nil {
		return nil, err
	}
	return b.open(hour)
}

func (b *block) open(hour int64) (p *Columns, err error) {
	p = &Columns{
		Hour: hour, N: b.n, Senders: b.senders,
		Seconds:  b.columns[columnSeconds],
		Names:    encoding.Codes{Width: encoding.CodeWidth(b.names), Raw: b.columns[columnNames]},
		SenderOf: encoding.Codes{Width: encoding.CodeWidth(b.senders), Raw: b.columns[columnSenders]},
		Property: b.property,
		Keys:     b.keys,
	}
	names, err := encoding.OpenNumbers[uint32](b.columns[columnNameOf], b.names)
	if err != nil {
		return nil, err
	}
	p.NameOf = names.Unpack()
	if p.subjects.stored, err = encoding.OpenNumbers[uint32](b.columns[columnSubjects], b.senders); err != nil {
		return nil, err
	}
	if p.sessions.stored, err = encoding.OpenNumbers[uint32](b.columns[columnSessions], b.senders); err != nil {
		return nil, err
	}
	if p.platforms.stored, err = encoding.OpenNumbers[uint8](b.columns[columnPlatforms], b.senders); err != nil {
		return nil, err
	}
	p.regions.stored, err = encoding.OpenNumbers[uint16](b.columns[columnRegions], b.senders)
	return p, err
}

// Check verifies that a block is valid. The columns that Open returns for a valid block
// are also valid.
func Check(raw []byte) error {
	_, _, err := parseChecked(0, raw)
	return err
}

// parseChecked parses and verifies a block and returns its columns.
func parseChecked(hour int64, raw []byte) (*block, *Columns, error) {
	b, err := parse(raw)
	if err != nil {
		return nil, nil, err
	}
	if binary.LittleEndian.Uint32(raw[1:]) != encoding.Checksum(raw[sumEnd:]) {
		return nil, nil, fmt.Errorf("%w: its checksum does not match", errDamaged)
	}
	p, err := b.open(hour)
	if err != nil {
		return nil, nil, err
	}
	return b, p, p.check()
}

// check verifies that the rows are sorted and that their codes are valid.
func (p *Columns) check() error {
	last := 0
	for row := range p.N {
		second := p.Second(row)
		if second < last || second > lastSecond ||
			uint64(p.Names.At(row)) >= uint64(len(p.NameOf)) ||
			uint64(p.SenderOf.At(row)) >= uint64(p.Senders) {
			return fmt.Errorf("%w: row %d", errDamaged, row)
		}
		last = second
	}
	return nil
}

// Decode verifies and decodes a whole block. The rows do not share memory with raw.
func Decode(hour int64, raw []byte) (*Rows, error) {
	b, p, err := parseChecked(hour, raw)
	if err != nil {
		return nil, err
	}
	list := make([]uint32, p.N)
	for row := range list {
		list[row] = uint32(row)
	}
	return b.decode(p, list)
}

// DecodeSubject decodes only the rows of one subject, given by the number of its
// distinct_id. It is fast if the subject has none. The rows do not share memory with raw.
func DecodeSubject(hour int64, raw []byte, subject uint32) (*Rows, error) {
	p, err := Open(hour, raw)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(p.Subjects(), subject) {
		return &Rows{}, nil
	}
	b, p, err := parseChecked(hour, raw)
	if err != nil {
		return nil, err
	}
	var list []uint32
	subjects := p.Subjects()
	for row := range p.N {
		if subjects[p.SenderOf.At(row)] == subject {
			list = append(list, uint32(row))
		}
	}
	return b.decode(p, list)
}

// decode decodes the rows with the given ascending row numbers. p must contain the
// columns of the block.
func (b *block) decode(p *Columns, list []uint32) (*Rows, error) {
	all, err := b.decodeSenders(p)
	if err != nil {
		return nil, err
	}
	r := makeRows(len(list))
	senders := senderTable{}
	for i, row := range list {
		r.Seconds[i] = uint16(p.Second(int(row)))
		r.Names[i] = p.NameOf[p.Names.At(int(row))]
		r.SenderOf[i] = senders.code(all, p.SenderOf.At(int(row)))
	}
	r.Senders = senders.Values
	if err := b.decodeReceived(p, list, r.Received); err != nil {
		return nil, err
	}
	ids, err := b.idReader()
	if err != nil {
		return nil, err
	}
	for i, row := range list {
		if r.IDs[i], err = ids.at(int(row)); err != nil {
			return nil, err
		}
	}
	r.Props, err = b.decodeProperties(list)
	return r, err
}

func (b *block) decodeSenders(p *Columns) ([]Sender, error) {
	list := make([]Sender, b.senders)
	subjects, sessions, platforms, regions := p.Subjects(), p.Sessions(), p.Platforms(), p.Regions()
	for i := range list {
		list[i].Subject, list[i].Session = subjects[i], sessions[i]
		list[i].Platform, list[i].Region = platforms[i], regions[i]
	}
	if len(b.columns[columnClients]) == 0 {
		return list, nil
	}
	plain, err := encoding.Unpack(b.columns[columnClients])
	if err != nil {
		return nil, err
	}
	c := encoding.Reader{Rest: plain}
	for which := range (&Details{}).Texts() {
		count := c.Count(len(list))
		texts := c.Texts(nil, count)
		if len(texts) == 0 {
			return nil, errDamaged
		}
		width := encoding.BitWidth(uint32(len(texts) - 1))
		codes := encoding.Bits{Width: width, Raw: c.Take(encoding.BitBytes(len(list), width))}
		if c.Bad {
			return nil, errDamaged
		}
		for i := range list {
			code := codes.At(i)
			if uint64(code) >= uint64(len(texts)) {
				return nil, errDamaged
			}
			*list[i].Texts()[which] = texts[code]
		}
	}
	return list, c.Err()
}

// decodeReceived decodes the times of receipt of the rows with the given row numbers, and
// stores them in the slice into.
func (b *block) decodeReceived(p *Columns, list []uint32, into []int64) error {
	plain, err := encoding.Unpack(b.columns[columnReceived])
	if err != nil || b.n == 0 {
		return err
	}
	c := encoding.Reader{Rest: plain}
	form := c.Byte()
	if form > receivedBySender {
		return errDamaged
	}
	last := newReceipts(p.Hour, b.senders)
	next, delay := 0, int64(0)
	for row := 0; row < b.n && next < len(list); row++ {
		var at int64
		switch {
		case form == receivedBySender:
			sender := p.SenderOf.At(row)
			at = last.before(sender) + c.Varint()
			last.note(sender, at)
		case form == receivedByRow || row == 0:
			delay = c.Varint()
			fallthrough
		default:
			at = p.Hour + int64(p.Second(row)) + delay
		}
		if list[next] == uint32(row) {
			into[next] = at
			next++
		}
	}
	if c.Bad {
		return errDamaged
	}
	return nil
}
