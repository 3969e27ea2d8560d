// Package block implements the storage format of events. A block holds the events of one
// project and hour, column by column. It is written once, read in place, and never
// changed.
//
//	block.go       the format, and Encode
//	decode.go      Open, which reads in place; Decode and DecodeSubject, which copy; Check
//	columns.go     Columns, the input of queries: a block, or events in memory
//	rows.go        Rows, the decoded form of a block; Merge
//	ids.go         event_ids
//	properties.go  properties: columns of the frequent keys, and the rest
package block

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"svc/internal/event/encoding"
	"svc/internal/integrity"
)

// The columns of a block that every analysis reads are stored uncompressed, in the form
// in which they are used. All other columns are compressed.
//
//	1 byte    version, 1
//	4 bytes   CRC-32C of all that follows, little endian
//	uvarint   rows
//	uvarint   distinct names of events
//	uvarint   senders
//	          directory: for each column that is not empty, in the order of their
//	          numbers, its number (1 byte) and its length in bytes (uvarint)
//	1 byte    0, the end of the directory
//	          the columns, one after the other
//
// A uvarint has seven bits per byte, the lowest first; the highest bit is set if another
// byte follows. Rows are sorted by time; rows of the same second are sorted by receipt.
// The columns:
//
//	 1  seconds     2 bytes a row, little endian: second in the hour
//	 2  names       for each row, an index into column 4 in 0, 1, 2 or 4 bytes, little
//	                endian: as few as the number of names needs (1, 256, 65,536, more)
//	 3  senders     for each row, an index into columns 5 to 9; width as in column 2
//	 4  name of     numbers: the name's number in the project
//	 5  subjects    numbers, by sender: the distinct_id's number in the project
//	 6  sessions    numbers, by sender: the session_id's number in the project; 0 = none
//	 7  platforms   numbers, by sender; 0 = none
//	 8  regions     numbers, by sender; 0 = not known
//	 9  clients     packed: six lists of texts with codes by sender: version of the
//	                platform, country, region, city, address, user agent. Each: uvarint
//	                how many distinct texts, the texts, the codes as bits
//	10  received    packed: 1 byte form, then signed varints (zigzag) of seconds.
//	                Form 0: the time from the event to its receipt, one for all rows.
//	                Form 1: the same time, one for each row.
//	                Form 2: for each row, the time from a reference to its receipt.
//	                The reference is the receipt of the sender's previous row. For
//	                the first row of a sender, it is the receipt of the previous row
//	                that was the first of its sender, or else the start of the hour
//	11  ids         the event_ids that are UUIDs in lower case, 16 bytes each, or 15
//	                when there is a column 19; see ids.go
//	12  odd rows    4 bytes each, little endian: rows with another text as event_id.
//	                They are not in column 11
//	13  odd ids     the texts of the odd rows in groups of 256, each group packed.
//	                Before the groups: the packed length of each in bytes (4 bytes
//	                each, little endian)
//	14  properties  see properties.go, like 15 to 18
//	15  bare        packed: rows that were sent with properties {}; a row without
//	                properties that is not listed was sent without any
//	16  rest keys   packed
//	17  rest rows   packed
//	18  rest values packed
//	19  UUIDs       1 byte: the version of all UUIDs of column 11; then two bits of each, the
//	                first in the lowest bits of the first byte
//
// Numbers: width (1 byte, 0 to 4), the smallest number (uvarint), then width bytes for
// each number: its distance from the smallest, little endian. If all numbers are 0, the
// column is empty.
//
// Texts: the length in bytes of each (uvarint), then the bytes of each.
//
// Bits: 0 to 32 bits for each code, as few as the highest code needs, concatenated, the
// first code in the lowest bits of the first byte.
//
// Rows in a list are ascending. Each is a uvarint, the distance from the previous one
// (for the first, from 0).
//
// Packed: 1 byte 0 and the bytes; or 1 byte 1 and chunks, each: uvarint length of its
// content (at most 262,144), uvarint stored length, and a zstd frame, or the bytes
// themselves if both lengths are the same. Packing zero bytes gives zero bytes.
const version = 1

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
	columnCount // one more than the greatest number of a column
)

const (
	sumEnd     = 5
	lastSecond = 3599
)

// errDamaged is returned for bytes that are not a valid block.
var errDamaged = fmt.Errorf("a block of events is %w", integrity.ErrDamaged)

// rawColumns holds the encoded bytes of each column, indexed by column number.
type rawColumns [columnCount][]byte

// Encode encodes r as a block. hour is the Unix second at which the hour of the rows
// begins. Encode stores only senders to which a row refers, each once, in the order of
// first use.
func Encode(hour int64, r *Rows) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	codes, senders := joinSenders(r)
	var columns rawColumns
	columns[columnSeconds] = encoding.AppendUint16s(nil, r.Seconds)

	names, numbers := encoding.Distinct(r.Names)
	columns[columnNames] = encoding.MakeCodes(names, len(numbers)).Raw
	columns[columnNameOf] = encoding.AppendNumbers(nil, numbers)

	columns[columnSenders] = encoding.MakeCodes(codes, len(senders)).Raw
	columns.setSenders(senders)

	columns[columnReceived] = encodeReceived(hour, r, codes, len(senders))
	columns.setIDs(r.IDs)
	columns.setProperties(r.Props)
	return columns.join(r.Len(), len(numbers), len(senders)), nil
}

// check returns an error if the columns of the rows are inconsistent, which only a
// programming error can cause.
func (r *Rows) check() error {
	n := r.Len()
	if len(r.Names) != n || len(r.SenderOf) != n || len(r.Received) != n || len(r.IDs) != n || len(r.Props) != n {
		return fmt.Errorf("columns of events have %d, %d, %d, %d, %d and %d rows",
			n, len(r.Names), len(r.SenderOf), len(r.Received), len(r.IDs), len(r.Props))
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("%d rows of events in one block", n)
	}
	if !slices.IsSorted(r.Seconds) || n > 0 && r.Seconds[n-1] > lastSecond {
		return fmt.Errorf("%d rows of events of one hour are not in order of time", n)
	}
	for _, client := range r.SenderOf {
		if uint64(client) >= uint64(len(r.Senders)) {
			return fmt.Errorf("an event has sender %d of %d", client, len(r.Senders))
		}
	}
	return nil
}

// join joins the header and the columns into a block.
func (columns *rawColumns) join(rows, names, senders int) []byte {
	size := 64
	for _, column := range columns {
		size += len(column)
	}
	raw := make([]byte, sumEnd, size)
	raw[0] = version
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
	return Seal(raw)
}

// Seal computes the checksum of a block, writes it into raw, and returns raw.
func Seal(raw []byte) []byte {
	binary.LittleEndian.PutUint32(raw[1:], encoding.Checksum(raw[sumEnd:]))
	return raw
}

func (columns *rawColumns) setSenders(senders []Sender) {
	var p Columns
	p.setSenders(senders)
	columns[columnSubjects] = encoding.AppendNumbers(nil, p.Subjects())
	columns[columnSessions] = encoding.AppendNumbers(nil, p.Sessions())
	columns[columnPlatforms] = encoding.AppendNumbers(nil, p.Platforms())
	columns[columnRegions] = encoding.AppendNumbers(nil, p.Regions())
	columns[columnClients] = encodeClients(senders)
}

// Texts returns pointers to the text fields of d, in the order in which a block stores
// them.
func (d *Details) Texts() [6]*string {
	return [6]*string{&d.Version, &d.CountryName, &d.RegionName, &d.City, &d.Address, &d.Agent}
}

func encodeClients(senders []Sender) []byte {
	if !slices.ContainsFunc(senders, func(s Sender) bool {
		return s.Details != Details{Platform: s.Platform, Region: s.Region}
	}) {
		return nil
	}
	var plain []byte
	for which := range (&Details{}).Texts() {
		var texts encoding.Coder[string]
		codes := make([]uint32, len(senders))
		for i := range senders {
			codes[i] = texts.Code(*senders[i].Texts()[which])
		}
		plain = encoding.AppendTexts(binary.AppendUvarint(plain, uint64(len(texts.Values))), texts.Values)
		plain = encoding.AppendBits(plain, codes, encoding.BitWidth(uint32(len(texts.Values)-1)))
	}
	return encoding.Pack(nil, plain)
}

// The encodings of the column of receipt times.
const (
	receivedOnce     = 0 // the delay, from event to receipt, is the same for all rows
	receivedByRow    = 1 // the delay of each row
	receivedBySender = 2 // for each row, the time since the receipt of the sender's previous row
)

// encodeReceived encodes the times of receipt. If events are sent one by one, their
// delays are similar. If many events are sent in one request, they have the same time of
// receipt. encodeReceived therefore chooses between an encoding of delays and one of
// distances. codes holds the code of each row's sender, and senders is the number of
// senders.
func encodeReceived(hour int64, r *Rows, codes []uint32, senders int) []byte {
	if r.Len() == 0 {
		return nil
	}
	first, same := r.Received[0]-hour-int64(r.Seconds[0]), true
	delays := append(make([]byte, 0, 2*r.Len()), receivedByRow)
	distances := append(make([]byte, 0, 2*r.Len()), receivedBySender)
	last := newReceipts(hour, senders)
	for i, at := range r.Received {
		delay := at - hour - int64(r.Seconds[i])
		same = same && delay == first
		delays = binary.AppendVarint(delays, delay)
		distances = binary.AppendVarint(distances, at-last.before(codes[i]))
		last.note(codes[i], at)
	}
	if same {
		return encoding.Pack(nil, binary.AppendVarint([]byte{receivedOnce}, first))
	}
	// Repetition compresses well, so use the form with more zeros.
	if zeros(distances) > zeros(delays) {
		delays = distances
	}
	return encoding.Pack(nil, delays)
}

// zeros returns the number of zero bytes in raw.
func zeros(raw []byte) int { return bytes.Count(raw, []byte{0}) }

// receipts tracks the last time of receipt of each sender, in Unix seconds. It computes
// the times from which form 2 of column 10 measures the receipt of each row.
type receipts struct {
	last  []int64 // last time of receipt of each sender
	known []bool  // whether a sender has an entry in last
	first int64   // receipt of the last row that was the first one of its sender; initially the start of the hour
}

func newReceipts(hour int64, senders int) receipts {
	return receipts{last: make([]int64, senders), known: make([]bool, senders), first: hour}
}

// before returns the time from which the receipt of a sender's next row is measured.
func (l *receipts) before(sender uint32) int64 {
	if l.known[sender] {
		return l.last[sender]
	}
	return l.first
}

func (l *receipts) note(sender uint32, at int64) {
	if !l.known[sender] {
		l.known[sender], l.first = true, at
	}
	l.last[sender] = at
}
