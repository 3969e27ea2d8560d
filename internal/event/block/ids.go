package block

import (
	"encoding/binary"
	"slices"
	"sort"

	"svc/internal/event/encoding"
)

// The event_ids of a block. Most are UUIDs, which take 16 bytes each, or slightly less if
// all have the same version. All other IDs are called odd.

// oddGroup is the number of odd IDs (other than UUIDs) that are packed together. A single
// odd ID can be read without unpacking the other groups.
const oddGroup = 256

func (columns *rawColumns) setIDs(ids []string) {
	var odd []string
	var oddRows []byte
	packed := make([]byte, 0, 16*len(ids))
	for row, id := range ids {
		if uuid, ok := encoding.PackUUID(id); ok {
			packed = append(packed, uuid[:]...)
			continue
		}
		odd = append(odd, id)
		oddRows = binary.LittleEndian.AppendUint32(oddRows, uint32(row))
	}
	packed, columns[columnUUIDs] = encoding.ShortenUUIDs(packed)
	var lengths, groups []byte
	for group := range slices.Chunk(odd, oddGroup) {
		before := len(groups)
		groups = encoding.Pack(groups, encoding.AppendTexts(nil, group))
		lengths = binary.LittleEndian.AppendUint32(lengths, uint32(len(groups)-before))
	}
	columns[columnIDs], columns[columnOddRows] = packed, oddRows
	columns[columnOddIDs] = append(lengths, groups...)
}

// idReader reads the event_ids of a block one by one.
type idReader struct {
	uuids   []byte
	width   int            // bytes of a stored UUID
	rest    []byte         // the bits that shortened UUIDs lack
	oddRows encoding.Codes // the rows with odd IDs, ascending
	odd     int            // number of odd IDs
	lengths encoding.Codes // packed length of each group of odd IDs
	groups  []byte

	group int // number of the group that texts contains; -1 = none
	texts []string
}

func (b *block) idReader() (*idReader, error) {
	r := &idReader{uuids: b.columns[columnIDs], width: encoding.UUIDLength, rest: b.columns[columnUUIDs], group: -1}
	if len(r.rest) > 0 {
		r.width = encoding.ShortUUIDLength
	}
	rows := b.columns[columnOddRows]
	r.oddRows, r.odd = encoding.Codes{Width: 4, Raw: rows}, len(rows)/4
	groups := (r.odd + oddGroup - 1) / oddGroup
	texts := b.columns[columnOddIDs]
	if len(rows)%4 != 0 || r.odd > b.n || len(r.uuids) != r.width*(b.n-r.odd) || len(texts) < 4*groups ||
		r.width == encoding.ShortUUIDLength && len(r.rest) != encoding.UUIDRestLength(b.n-r.odd) {
		return nil, errDamaged
	}
	r.lengths, r.groups = encoding.Codes{Width: 4, Raw: texts[:4*groups]}, texts[4*groups:]
	return r, nil
}

// at returns the ID of a row. It is fastest if rows are read in ascending order.
func (r *idReader) at(row int) (string, error) {
	before := sort.Search(r.odd, func(i int) bool { return int(r.oddRows.At(i)) >= row })
	if before < r.odd && int(r.oddRows.At(before)) == row {
		return r.oddText(before)
	}
	number := row - before
	if number < 0 || (number+1)*r.width > len(r.uuids) {
		return "", errDamaged
	}
	if r.width == encoding.ShortUUIDLength {
		return encoding.UnpackUUID(encoding.LengthenUUID(r.uuids, r.rest, number)), nil
	}
	return encoding.UnpackUUID([encoding.UUIDLength]byte(r.uuids[number*encoding.UUIDLength:])), nil
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
	c := encoding.Reader{Rest: r.groups}
	for before := range group {
		c.Take(int(r.lengths.At(before)))
	}
	plain, err := encoding.Unpack(c.Take(int(r.lengths.At(group))))
	if err != nil || c.Bad {
		return errDamaged
	}
	c = encoding.Reader{Rest: plain}
	r.texts = c.Texts(r.texts[:0], min(oddGroup, r.odd-group*oddGroup))
	r.group = group
	if err := c.Err(); err != nil {
		r.group = -1
		return err
	}
	return nil
}

// IDs calls visit for the event_ids of the rows between two seconds of the hour, both
// inclusive, in order, until visit returns false. It reads little else of the block.
func IDs(raw []byte, from, to int, visit func(row int, id string) bool) error {
	b, err := parse(raw)
	if err != nil {
		return err
	}
	ids, err := b.idReader()
	if err != nil {
		return err
	}
	seconds := encoding.Codes{Width: 2, Raw: b.columns[columnSeconds]}
	row := sort.Search(b.n, func(row int) bool { return int(seconds.At(row)) >= from })
	for ; row < b.n && int(seconds.At(row)) <= to; row++ {
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
