package event

import "encoding/binary"

// part is a stretch of events of one hour that lies in order: a block in the
// file, read in place, or the events of the hour that are still in memory. Its
// rows are in the order of time, those of one second in the order of receipt;
// the parts of an hour are in the order of receipt.
type part struct {
	hour int64 // Unix second at which it begins
	n    int   // rows

	seconds []byte   // two bytes each, little endian: second in the hour
	names   codes    // place in nameOf
	nameOf  []uint32 // numbers of names in the project, each once
	clients codes    // place in the columns of senders below

	subjects  []uint32 // by sender: number of the distinct_id, from 1
	sessions  []uint32 // by sender: number of the session_id, from 1; 0 = none
	platforms []uint8  // by sender: 0 = none
	regions   []uint16 // by sender: 0 = not known

	// property finds the values of a property, nil where no event has it. The
	// key is compared exactly. It may be called from several goroutines, each of
	// which gets a column of its own.
	property func(key string) (*column, error)
}

// second is when an event happened, in seconds since the hour began.
func (p *part) second(row int) int { return int(binary.LittleEndian.Uint16(p.seconds[2*row:])) }

// codes are small numbers of a fixed width: 0 (all are zero), 1, 2 or 4 bytes
// each, little endian.
type codes struct {
	width int
	raw   []byte
}

func (c codes) at(row int) uint32 {
	switch c.width {
	case 1:
		return uint32(c.raw[row])
	case 2:
		return uint32(binary.LittleEndian.Uint16(c.raw[2*row:]))
	case 4:
		return binary.LittleEndian.Uint32(c.raw[4*row:])
	}
	return 0
}

// column is one property of the rows of a part. Code 0 is an event that does
// not have it; JSON null is a value like others, whose text is missing.
type column struct {
	codes []uint32 // by row: place in values; 0 = not there
	// values are the distinct values as compact JSON. values[0] is "".
	values []string
}
