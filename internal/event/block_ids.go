package event

import (
	"encoding/binary"
	"slices"
	"sort"
)

// The event_ids of a block: most are UUIDs, which take 16 bytes in place, or a
// little less where all are of one version; the others are odd.

// oddGroup is how many odd ids are packed together, so that one of them can be
// read without all.
const oddGroup = 256

func (columns *blockColumns) setIDs(ids []string) {
	var odd []string
	var oddRows []byte
	packed := make([]byte, 0, 16*len(ids))
	for row, id := range ids {
		if uuid, ok := packUUID(id); ok {
			packed = append(packed, uuid[:]...)
			continue
		}
		odd = append(odd, id)
		oddRows = binary.LittleEndian.AppendUint32(oddRows, uint32(row))
	}
	packed, columns[columnUUIDs] = shortenUUIDs(packed)
	var lengths, groups []byte
	for group := range slices.Chunk(odd, oddGroup) {
		before := len(groups)
		groups = pack(groups, appendTexts(nil, group))
		lengths = binary.LittleEndian.AppendUint32(lengths, uint32(len(groups)-before))
	}
	columns[columnIDs], columns[columnOddRows] = packed, oddRows
	columns[columnOddIDs] = append(lengths, groups...)
}

// idReader reads event_ids of a block.
type idReader struct {
	uuids   []byte
	width   int    // bytes of a UUID
	rest    []byte // of short ones
	oddRows codes  // ascending rows
	odd     int    // how many
	lengths codes  // of groups
	groups  []byte

	group int // that texts are of; -1 = none
	texts []string
}

func (b *block) idReader() (*idReader, error) {
	r := &idReader{uuids: b.columns[columnIDs], width: longUUID, rest: b.columns[columnUUIDs], group: -1}
	if len(r.rest) > 0 {
		r.width = shortUUID
	}
	rows := b.columns[columnOddRows]
	r.oddRows, r.odd = codes{4, rows}, len(rows)/4
	groups := (r.odd + oddGroup - 1) / oddGroup
	texts := b.columns[columnOddIDs]
	if len(rows)%4 != 0 || r.odd > b.n || len(r.uuids) != r.width*(b.n-r.odd) || len(texts) < 4*groups ||
		r.width == shortUUID && len(r.rest) != restOfUUIDs(b.n-r.odd) {
		return nil, errDamagedBlock
	}
	r.lengths, r.groups = codes{4, texts[:4*groups]}, texts[4*groups:]
	return r, nil
}

// at is the id of a row. It is fastest for rows in ascending order.
func (r *idReader) at(row int) (string, error) {
	before := sort.Search(r.odd, func(i int) bool { return int(r.oddRows.at(i)) >= row })
	if before < r.odd && int(r.oddRows.at(before)) == row {
		return r.oddText(before)
	}
	number := row - before
	if number < 0 || (number+1)*r.width > len(r.uuids) {
		return "", errDamagedBlock
	}
	if r.width == shortUUID {
		return unpackUUID(lengthenUUID(r.uuids, r.rest, number)), nil
	}
	return unpackUUID([longUUID]byte(r.uuids[number*longUUID:])), nil
}

func (r *idReader) oddText(odd int) (string, error) {
	if group := odd / oddGroup; group != r.group {
		if err := r.readGroup(group); err != nil {
			return "", err
		}
	}
	return r.texts[odd%oddGroup], nil
}

func (r *idReader) readGroup(group int) error {
	c := cursor{raw: r.groups}
	for before := range group {
		c.take(int(r.lengths.at(before)))
	}
	plain, err := unpack(c.take(int(r.lengths.at(group))))
	if err != nil || c.bad {
		return errDamagedBlock
	}
	c = cursor{raw: plain}
	r.texts = c.texts(r.texts[:0], min(oddGroup, r.odd-group*oddGroup))
	r.group = group
	if err := c.err(); err != nil {
		r.group = -1
		return err
	}
	return nil
}

// blockIDs visits the event_ids of the rows of a block from one second in the hour
// to another, both included, in their order, until visit returns false. It reads
// little else of the block.
func blockIDs(raw []byte, from, to int, visit func(row int, id string) bool) error {
	b, err := parseBlock(raw)
	if err != nil {
		return err
	}
	ids, err := b.idReader()
	if err != nil {
		return err
	}
	seconds := codes{2, b.columns[columnSeconds]}
	row := sort.Search(b.n, func(row int) bool { return int(seconds.at(row)) >= from })
	for ; row < b.n && int(seconds.at(row)) <= to; row++ {
		id, err := ids.at(row)
		if err != nil {
			return err
		}
		if !visit(row, id) {
			return nil
		}
	}
	return nil
}

// The lengths of UUIDs. In those of one version six bits are the same: the version
// in the upper half of byte 6, and binary 10 as the highest bits of byte 8 (RFC
// 9562). Without them 15 bytes and two bits are left: the lower half of byte 8 goes
// where the version was, and its other two bits to another column, behind the
// version.
const (
	longUUID  = 16
	shortUUID = 15

	// fewUUIDs are too few for the other column to pay off.
	fewUUIDs = 8
)

// restOfUUIDs is how many bytes a version and two bits of each of n take.
func restOfUUIDs(n int) int { return 1 + (n+3)/4 }

// shortenUUIDs shortens UUIDs in place, if they are of one version. Otherwise rest
// is nil.
func shortenUUIDs(uuids []byte) (shorter, rest []byte) {
	n := len(uuids) / longUUID
	if n < fewUUIDs {
		return uuids, nil
	}
	version := uuids[6] >> 4
	for i := range n {
		if u := uuids[i*longUUID:]; u[6]>>4 != version || u[8]>>6 != 2 {
			return uuids, nil
		}
	}
	rest = make([]byte, restOfUUIDs(n))
	rest[0] = version
	for i := range n {
		u := [longUUID]byte(uuids[i*longUUID:])
		short := uuids[i*shortUUID:][:shortUUID]
		copy(short, u[:8])
		short[6] = u[6]<<4 | u[8]&15
		copy(short[8:], u[9:])
		rest[1+i/4] |= u[8] >> 4 & 3 << (i % 4 * 2)
	}
	return uuids[:n*shortUUID], rest
}

// lengthenUUID is one of those that were shortened.
func lengthenUUID(uuids, rest []byte, i int) (u [longUUID]byte) {
	short := uuids[i*shortUUID:][:shortUUID]
	copy(u[:], short[:8])
	u[6] = rest[0]<<4 | short[6]>>4
	u[8] = 2<<6 | rest[1+i/4]>>(i%4*2)&3<<4 | short[6]&15
	copy(u[9:], short[8:])
	return u
}

const hexDigits = "0123456789abcdef"

// uuidPlaces are the places of the pairs of digits in the text of a UUID.
var uuidPlaces = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexValues are the values of lower-case hexadecimal digits; 255 = none.
var hexValues = func() (values [256]byte) {
	for i := range values {
		values[i] = 255
	}
	for value, digit := range []byte(hexDigits) {
		values[digit] = byte(value)
	}
	return values
}()

// packUUID is the 16 bytes of a UUID that is written the canonical way in lower
// case. Other texts, also other ways to write a UUID, have none.
func packUUID(text string) (packed [16]byte, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return packed, false
	}
	for i, at := range uuidPlaces {
		high, low := hexValues[text[at]], hexValues[text[at+1]]
		if high|low > 15 {
			return packed, false
		}
		packed[i] = high<<4 | low
	}
	return packed, true
}

// unpackUUID is the text that packUUID was given.
func unpackUUID(packed [16]byte) string {
	text := [36]byte{8: '-', 13: '-', 18: '-', 23: '-'}
	for i, at := range uuidPlaces {
		text[at], text[at+1] = hexDigits[packed[i]>>4], hexDigits[packed[i]&15]
	}
	return string(text[:])
}
