package event

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// A block is the events of one project and hour, written once and never
// changed. What every analysis reads lies in it as it is used; the rest is
// compressed.
//
//	1 byte    version, 1
//	4 bytes   CRC-32C of all that follows, little endian
//	uvarint   rows
//	uvarint   different names of events
//	uvarint   senders
//	          directory: for each column that is not empty, in the order of their
//	          numbers, its number (1 byte) and its length in bytes (uvarint)
//	1 byte    0, the end of the directory
//	          the columns, one after the other
//
// A uvarint is seven bits in a byte, the lowest first, the highest bit set where
// another byte follows. Rows are in the order of time, those of one second in the
// order of receipt. The columns:
//
//	 1  seconds     2 bytes a row, little endian: second in the hour
//	 2  names       places in 4; 0, 1, 2 or 4 bytes a row, little endian: as few as
//	                the number of names needs (1, 256, 65,536, more)
//	 3  senders     places in 5 to 9; width as in 2
//	 4  name of     numbers: the name's number in the project
//	 5  subjects    numbers, by sender: the distinct_id's number in the project
//	 6  sessions    numbers, by sender: the session_id's; 0 = none
//	 7  platforms   numbers, by sender; 0 = none
//	 8  regions     numbers, by sender; 0 = not known
//	 9  clients     packed: six lists of texts with places by sender: version of the
//	                platform, country, region, city, address, user agent. Each: uvarint
//	                how many different texts, the texts, the places as bits
//	10  received    packed: by row, a signed varint (zigzag): seconds from the event
//	                to its receipt; only one if it holds for all rows
//	11  ids         the event_ids that are UUIDs in lower case, 16 bytes each, or 15
//	                when there is a column 19; see block_ids.go
//	12  odd rows    4 bytes each, little endian: rows whose event_id is another text.
//	                They are not in 11
//	13  odd ids     their texts in groups of 256, each packed; before the groups their
//	                lengths in bytes, 4 bytes each, little endian
//	14  properties  see properties.go, like 15 to 18
//	15  bare        packed: rows that were sent with properties {}; a row without
//	                properties that is not listed was sent without any
//	16  rest keys   packed
//	17  rest rows   packed
//	18  rest values packed
//	19  UUIDs       1 byte: the version of all UUIDs of 11; then two bits of each, the
//	                first in the lowest bits of the first byte
//
// Numbers: 1 byte width (0 to 4), uvarint the smallest, then width bytes for
// each: its distance from the smallest, little endian. If all are 0 the column is
// empty.
//
// Texts: the length in bytes of each (uvarint), then the bytes of each.
//
// Bits: 0, 1, 2, 4, 8, 16 or 32 bits each, the first in the lowest bits of the
// first byte, as few as the highest place needs.
//
// Rows in a list are ascending; each is a uvarint, the distance from the one
// before (the first: from 0).
//
// Packed: 1 byte 0 and the bytes; or 1 byte 1 and chunks, each: uvarint length of
// its content (at most 262,144), uvarint stored length, and a zstd frame, or the
// bytes themselves if both lengths are the same. Packed nothing is nothing.
const blockVersion = 1

const (
	columnSeconds = iota + 1
	columnNames
	columnSenders
	columnNameOf
	columnSubjects
	columnSessions
	columnPlatforms
	columnRegions
	columnClients
	columnReceived
	columnIDs
	columnOddRows
	columnOddIDs
	columnProperties
	columnBare
	columnRestKeys
	columnRestRows
	columnRestValues
	columnUUIDs
	columnCount // one more than the last
)

const (
	blockSumEnd = 5
	lastSecond  = 3599
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockColumns are the bytes of each column by its number.
type blockColumns [columnCount][]byte

// encodeBlock makes a block of the rows of the hour that begins at a Unix
// second. Of the senders it keeps those that rows refer to, each once, in the
// order of their first use.
func encodeBlock(hour int64, r *rows) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	places, senders := joinSenders(r)
	var columns blockColumns
	columns[columnSeconds] = appendUint16s(nil, r.seconds)

	names, numbers := numberPlaces(r.names)
	columns[columnNames] = makeCodes(names, len(numbers)).raw
	columns[columnNameOf] = appendNumbers(nil, numbers)

	columns[columnSenders] = makeCodes(places, len(senders)).raw
	columns.setSenders(senders)

	columns[columnReceived] = encodeReceived(hour, r)
	columns.setIDs(r.ids)
	columns.setProperties(r.props)
	return columns.join(r.len(), len(numbers), len(senders)), nil
}

// check finds rows that are no rows, which only a fault of the program makes.
func (r *rows) check() error {
	n := r.len()
	if len(r.names) != n || len(r.clients) != n || len(r.received) != n || len(r.ids) != n || len(r.props) != n {
		return fmt.Errorf("columns of events have %d, %d, %d, %d, %d and %d rows",
			n, len(r.names), len(r.clients), len(r.received), len(r.ids), len(r.props))
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("%d rows of events in one block", n)
	}
	if !slices.IsSorted(r.seconds) || n > 0 && r.seconds[n-1] > lastSecond {
		return fmt.Errorf("%d rows of events of one hour are not in the order of time", n)
	}
	for _, client := range r.clients {
		if uint64(client) >= uint64(len(r.senders)) {
			return fmt.Errorf("an event has sender %d of %d", client, len(r.senders))
		}
	}
	return nil
}

// join writes the block.
func (columns *blockColumns) join(rows, names, senders int) []byte {
	size := 64
	for _, column := range columns {
		size += len(column)
	}
	raw := make([]byte, blockSumEnd, size)
	raw[0] = blockVersion
	raw = binary.AppendUvarint(raw, uint64(rows))
	raw = binary.AppendUvarint(raw, uint64(names))
	raw = binary.AppendUvarint(raw, uint64(senders))
	for number, column := range columns {
		if len(column) > 0 {
			raw = binary.AppendUvarint(append(raw, byte(number)), uint64(len(column)))
		}
	}
	raw = append(raw, 0)
	for _, column := range columns {
		raw = append(raw, column...)
	}
	binary.LittleEndian.PutUint32(raw[1:], crc32.Checksum(raw[blockSumEnd:], castagnoli))
	return raw
}

func (columns *blockColumns) setSenders(senders []sender) {
	var p part
	p.setSenders(senders)
	columns[columnSubjects] = appendNumbers(nil, p.subjects)
	columns[columnSessions] = appendNumbers(nil, p.sessions)
	columns[columnPlatforms] = appendNumbers(nil, p.platforms)
	columns[columnRegions] = appendNumbers(nil, p.regions)
	columns[columnClients] = encodeClients(senders)
}

// clientTexts are the texts of details in the order in which a block has them.
func (d *details) clientTexts() [6]*string {
	return [6]*string{&d.version, &d.countryName, &d.regionName, &d.city, &d.address, &d.agent}
}

func encodeClients(senders []sender) []byte {
	if !slices.ContainsFunc(senders, func(s sender) bool {
		return s.details != details{platform: s.platform, region: s.region}
	}) {
		return nil
	}
	var plain []byte
	for which := range (&details{}).clientTexts() {
		var texts []string
		known, places := map[string]uint32{}, make([]uint32, len(senders))
		for i := range senders {
			text := *senders[i].clientTexts()[which]
			place, ok := known[text]
			if !ok {
				place = uint32(len(texts))
				known[text] = place
				texts = append(texts, text)
			}
			places[i] = place
		}
		plain = appendTexts(binary.AppendUvarint(plain, uint64(len(texts))), texts)
		plain = appendBits(plain, places, bitWidth(uint32(len(texts)-1)))
	}
	return pack(nil, plain)
}

func encodeReceived(hour int64, r *rows) []byte {
	if r.len() == 0 {
		return nil
	}
	plain := make([]byte, 0, 2*r.len())
	first, same := r.received[0]-hour-int64(r.seconds[0]), true
	for i, at := range r.received {
		delay := at - hour - int64(r.seconds[i])
		same = same && delay == first
		plain = binary.AppendVarint(plain, delay)
	}
	if same {
		plain = binary.AppendVarint(nil, first)
	}
	return pack(nil, plain)
}
