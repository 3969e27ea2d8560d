package event

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// block is a block of events as it lies in the file: the bytes of its columns
// and how many there are of what.
type block struct {
	n, names, senders int
	columns           blockColumns
}

// parseBlock reads the beginning of a block. The columns by row have the length
// which the number of rows demands, so that a count in the block is never more
// than its bytes allow.
func parseBlock(raw []byte) (*block, error) {
	if len(raw) < blockSumEnd {
		return nil, errDamagedBlock
	}
	if raw[0] != blockVersion {
		return nil, fmt.Errorf("%w: it has version %d, this program reads version %d", errDamagedBlock, raw[0], blockVersion)
	}
	b := &block{}
	c := cursor{raw: raw[blockSumEnd:]}
	b.n = c.count(len(raw) / 2)
	b.names, b.senders = c.count(b.n), c.count(b.n)
	var lengths [columnCount]int
	for last := byte(0); !c.bad; {
		number := c.byte()
		if number == 0 {
			break
		}
		if number <= last || number >= columnCount {
			return nil, errDamagedBlock
		}
		lengths[number], last = c.count(len(raw)), number
	}
	for number, length := range lengths {
		b.columns[number] = c.take(length)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	if len(b.columns[columnSeconds]) != 2*b.n ||
		len(b.columns[columnNames]) != b.n*codeWidth(b.names) ||
		len(b.columns[columnSenders]) != b.n*codeWidth(b.senders) ||
		b.n > 0 && (b.names == 0 || b.senders == 0) {
		return nil, errDamagedBlock
	}
	return b, nil
}

// openBlock is a block in place: what the part has by row lies in raw. It does
// not look at the rows: that seconds ascend and places are in their lists is what
// checkBlock finds out.
func openBlock(hour int64, raw []byte) (*part, error) {
	b, err := parseBlock(raw)
	if err != nil {
		return nil, err
	}
	return b.part(hour)
}

func (b *block) part(hour int64) (p *part, err error) {
	p = &part{
		hour: hour, n: b.n,
		seconds:  b.columns[columnSeconds],
		names:    codes{codeWidth(b.names), b.columns[columnNames]},
		clients:  codes{codeWidth(b.senders), b.columns[columnSenders]},
		property: b.property,
	}
	if p.nameOf, err = readNumbers[uint32](b.columns[columnNameOf], b.names); err != nil {
		return nil, err
	}
	if p.subjects, err = readNumbers[uint32](b.columns[columnSubjects], b.senders); err != nil {
		return nil, err
	}
	if p.sessions, err = readNumbers[uint32](b.columns[columnSessions], b.senders); err != nil {
		return nil, err
	}
	if p.platforms, err = readNumbers[uint8](b.columns[columnPlatforms], b.senders); err != nil {
		return nil, err
	}
	p.regions, err = readNumbers[uint16](b.columns[columnRegions], b.senders)
	return p, err
}

// checkBlock finds out whether a block is what encodeBlock has written. Where it
// finds nothing, the part that openBlock makes of the block is sound.
func checkBlock(raw []byte) error {
	_, _, err := soundBlock(0, raw)
	return err
}

// soundBlock is a block and the part that it is, after checking both.
func soundBlock(hour int64, raw []byte) (*block, *part, error) {
	b, err := parseBlock(raw)
	if err != nil {
		return nil, nil, err
	}
	if binary.LittleEndian.Uint32(raw[1:]) != crc32.Checksum(raw[blockSumEnd:], castagnoli) {
		return nil, nil, fmt.Errorf("%w: its checksum does not match", errDamagedBlock)
	}
	p, err := b.part(hour)
	if err != nil {
		return nil, nil, err
	}
	return b, p, p.check()
}

// check finds rows that are not in order or refer to nothing.
func (p *part) check() error {
	last := 0
	for row := range p.n {
		second := p.second(row)
		if second < last || second > lastSecond ||
			uint64(p.names.at(row)) >= uint64(len(p.nameOf)) ||
			uint64(p.clients.at(row)) >= uint64(len(p.subjects)) {
			return fmt.Errorf("%w: row %d", errDamagedBlock, row)
		}
		last = second
	}
	return nil
}

// decodeBlock reads all of a block, after checking it. Nothing of the rows lies
// in raw.
func decodeBlock(hour int64, raw []byte) (*rows, error) {
	b, p, err := soundBlock(hour, raw)
	if err != nil {
		return nil, err
	}
	list := make([]uint32, p.n)
	for row := range list {
		list[row] = uint32(row)
	}
	return b.decode(p, list)
}

// subjectRows reads the rows of one subject. It costs little where the subject
// has none. Nothing of the rows lies in raw.
func subjectRows(hour int64, raw []byte, subject uint32) (*rows, error) {
	p, err := openBlock(hour, raw)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(p.subjects, subject) {
		return &rows{}, nil
	}
	b, p, err := soundBlock(hour, raw)
	if err != nil {
		return nil, err
	}
	var list []uint32
	for row := range p.n {
		if p.subjects[p.clients.at(row)] == subject {
			list = append(list, uint32(row))
		}
	}
	return b.decode(p, list)
}

// decode reads the rows of an ascending list. The part is that of the block.
func (b *block) decode(p *part, list []uint32) (*rows, error) {
	all, err := b.decodeSenders(p)
	if err != nil {
		return nil, err
	}
	r := makeRows(len(list))
	senders := senderTable{}
	for i, row := range list {
		r.seconds[i] = uint16(p.second(int(row)))
		r.names[i] = p.nameOf[p.names.at(int(row))]
		r.clients[i] = senders.place(all, p.clients.at(int(row)))
	}
	r.senders = senders.list
	if err := b.decodeReceived(p, list, r.received); err != nil {
		return nil, err
	}
	ids, err := b.idReader()
	if err != nil {
		return nil, err
	}
	for i, row := range list {
		if r.ids[i], err = ids.at(int(row)); err != nil {
			return nil, err
		}
	}
	r.props, err = b.decodeProperties(list)
	return r, err
}

func (b *block) decodeSenders(p *part) ([]sender, error) {
	list := make([]sender, b.senders)
	for i := range list {
		list[i].subject, list[i].session = p.subjects[i], p.sessions[i]
		list[i].platform, list[i].region = p.platforms[i], p.regions[i]
	}
	if len(b.columns[columnClients]) == 0 {
		return list, nil
	}
	plain, err := unpack(b.columns[columnClients])
	if err != nil {
		return nil, err
	}
	c := cursor{raw: plain}
	for which := range (&details{}).clientTexts() {
		count := c.count(len(list))
		texts := c.texts(nil, count)
		if len(texts) == 0 {
			return nil, errDamagedBlock
		}
		width := bitWidth(uint32(len(texts) - 1))
		places := bitColumn{width, c.take(bitBytes(len(list), width))}
		if c.bad {
			return nil, errDamagedBlock
		}
		for i := range list {
			place := places.at(i)
			if uint64(place) >= uint64(len(texts)) {
				return nil, errDamagedBlock
			}
			*list[i].clientTexts()[which] = texts[place]
		}
	}
	return list, c.err()
}

// decodeReceived reads when the rows of a list were received.
func (b *block) decodeReceived(p *part, list []uint32, into []int64) error {
	plain, err := unpack(b.columns[columnReceived])
	if err != nil {
		return err
	}
	_, size := binary.Varint(plain)
	same := size == len(plain) // one number for all rows
	next := 0
	for row := 0; row < b.n && next < len(list); row++ {
		delay, size := binary.Varint(plain)
		if size <= 0 {
			return errDamagedBlock
		}
		if !same {
			plain = plain[size:]
		}
		if list[next] == uint32(row) {
			into[next] = p.hour + int64(p.second(row)) + delay
			next++
		}
	}
	return nil
}
