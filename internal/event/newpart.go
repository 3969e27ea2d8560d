package event

import "encoding/binary"

// newPart makes a part of the rows of one hour, of which it keeps nothing.
// Properties are looked up with a function that is the caller's; r has none.
func newPart(hour int64, r *rows, property func(key string) (*column, error)) *part {
	n := r.len()
	p := &part{hour: hour, n: n, seconds: appendUint16s(make([]byte, 0, 2*n), r.seconds), property: property}

	places, numbers := numberPlaces(r.names)
	p.names, p.nameOf = makeCodes(places, len(numbers)), numbers
	p.clients = makeCodes(r.clients[:n], len(r.senders))
	p.setSenders(r.senders)
	return p
}

// setSenders makes the columns of senders.
func (p *part) setSenders(senders []sender) {
	p.subjects = make([]uint32, len(senders))
	p.sessions = make([]uint32, len(senders))
	p.platforms = make([]uint8, len(senders))
	p.regions = make([]uint16, len(senders))
	for i := range senders {
		s := &senders[i]
		p.subjects[i], p.sessions[i] = s.subject, s.session
		p.platforms[i], p.regions[i] = s.platform, s.region
	}
}

// place is the place of a value in the column, which it is added to if it is new.
// places are those of the values that are there.
func (c *column) place(places map[string]uint32, value string) uint32 {
	place, ok := places[value]
	if !ok {
		place = uint32(len(c.values))
		places[value] = place
		c.values = append(c.values, value)
	}
	return place
}

// numberPlaces replaces numbers, of which few are different, by their places in
// a list of the different ones, which is in the order of first use.
func numberPlaces(numbers []uint32) (places, different []uint32) {
	places = make([]uint32, len(numbers))
	most := uint32(0)
	for _, number := range numbers {
		most = max(most, number)
	}
	if uint64(most) > uint64(4*len(numbers)+1024) {
		return places, mapPlaces(numbers, places)
	}
	known := make([]uint32, most+1) // place + 1
	for i, number := range numbers {
		if known[number] == 0 {
			different = append(different, number)
			known[number] = uint32(len(different))
		}
		places[i] = known[number] - 1
	}
	return places, different
}

// mapPlaces is numberPlaces for numbers too large for a table.
func mapPlaces(numbers, places []uint32) (different []uint32) {
	known := map[uint32]uint32{}
	for i, number := range numbers {
		place, ok := known[number]
		if !ok {
			place = uint32(len(different))
			known[number] = place
			different = append(different, number)
		}
		places[i] = place
	}
	return different
}

// codeWidth is the width in bytes of places in a list of n.
func codeWidth(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

// makeCodes are places in a list of n with the width which that takes.
func makeCodes(places []uint32, n int) codes {
	width := codeWidth(n)
	return codes{width: width, raw: appendCodes(make([]byte, 0, width*len(places)), places, width)}
}

func appendCodes(raw []byte, places []uint32, width int) []byte {
	switch width {
	case 1:
		for _, place := range places {
			raw = append(raw, byte(place))
		}
	case 2:
		for _, place := range places {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(place))
		}
	case 4:
		for _, place := range places {
			raw = binary.LittleEndian.AppendUint32(raw, place)
		}
	}
	return raw
}

func appendUint16s(raw []byte, numbers []uint16) []byte {
	for _, number := range numbers {
		raw = binary.LittleEndian.AppendUint16(raw, number)
	}
	return raw
}
