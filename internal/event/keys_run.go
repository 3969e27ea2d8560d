package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// A page of a run is a table of places and the entries in the order of their
// hashes. The first bits of a hash are those of the partition and of the page,
// the next b lead to a place in the table, and what is left of the 40 is in the
// entry, above the payload, of which only the distance from the smallest one of the
// page is kept. An entry has as many bits as these two need, or 64 where that is more
// than 57; b is chosen so that table and entries are about as small as can be.
//
//	CRC-32C of the rest    4 bytes
//	version                1: 2
//	b                      1
//	entries                4
//	smallest payload       4
//	bits of a payload      1: as few as the greatest distance needs
//	table                  2^b numbers: how many entries there are up to and with
//	                       this place; of 1, 2 or 4 bytes, the fewest for the last
//	entries                one after the other, the first in the lowest bits of the
//	                       first byte: the payload and, in the bits above it, (40 −
//	                       bits of partition and page − b) bits of the hash
//	zeros                  so that each entry can be read with eight bytes
//
// In pages of version 1, those of format 1, the payloads are as they are, with all of
// their bytes, the two fields about them are missing, and entries have whole bytes.
//
// All integers are little endian.
const (
	hashPageVersion = 2
	hashPageBytes   = 1 // the version whose entries have whole bytes
	hashPageHeader  = 15
	hashPageShorter = 10 // the header of version 1

	// widestEntry is how many bits an entry can have and be read with eight bytes
	// wherever it begins.
	widestEntry = 57

	// hashBucket is how many entries a place of the table has at most on average.
	hashBucket = 64
)

var (
	errHashSum   = errors.New("wrong checksum")
	errHashPage  = errors.New("page of entries does not fit together")
	errHashOrder = errors.New("entries are not in the order of their hashes")
)

// number reads an integer of size bytes, big endian.
func (c *cursor) number(size int) uint64 {
	number := uint64(0)
	for _, b := range c.take(size) {
		number = number<<8 | uint64(b)
	}
	return number
}

// hashPage is a page that is read in place.
type hashPage struct {
	raw     []byte
	table   int    // where the table begins
	base    int    // where the entries begin
	from    uint32 // the smallest payload
	n       uint32
	places  uint8 // b
	number  uint8 // bytes of a number of the table
	width   uint8 // bits of an entry
	skip    uint8 // bits of partition and page
	payload uint8 // bits
}

// hashWidth is how many bits an entry has if these many bits of the hash need not
// be in it.
func hashWidth(version byte, known, payload int) int {
	width := hashBits - known + payload
	if version == hashPageBytes || width > widestEntry {
		return (width + 7) / 8 * 8
	}
	return width
}

// numberWidth is how many bytes a number of the table has.
func numberWidth(entries int) int {
	switch {
	case entries < 1<<8:
		return 1
	case entries < 1<<16:
		return 2
	}
	return 4
}

// shape sets the widths.
func (p *hashPage) shape(version byte, entries, skip, places, payload int) {
	p.n, p.places, p.skip, p.payload = uint32(entries), uint8(places), uint8(skip), uint8(payload)
	p.number, p.width = uint8(numberWidth(entries)), uint8(hashWidth(version, skip+places, payload))
}

// size is how many bytes the table and the entries take.
func (p *hashPage) size() (table, entries int) {
	return int(p.number) << p.places, (int(p.n)-1)*int(p.width)>>3 + 8
}

// openHashPage reads a page without looking at its entries. skip is how many
// bits of the hashes its key has.
func openHashPage(raw []byte, skip, payloadBytes int) (hashPage, error) {
	var p hashPage
	if len(raw) < hashPageShorter {
		return p, errHashPage
	}
	version, places, n, payload := raw[4], int(raw[5]), int(binary.LittleEndian.Uint32(raw[6:])), 8*payloadBytes
	switch {
	case version == hashPageBytes:
		p.table = hashPageShorter
	case version == hashPageVersion && len(raw) >= hashPageHeader && int(raw[14]) <= payload:
		p.table, p.from, payload = hashPageHeader, binary.LittleEndian.Uint32(raw[10:]), int(raw[14])
	default:
		return p, errHashPage
	}
	if uint64(p.from)>>(8*payloadBytes) > 0 {
		return p, errHashPage
	}
	if skip+places > hashBits || hashWidth(version, skip+places, payload) > 64 || places > 32 {
		return p, errHashPage
	}
	p.shape(version, n, skip, places, payload)
	table, entries := p.size()
	if len(raw) != p.table+table+entries {
		return p, errHashPage
	}
	p.raw, p.base = raw, p.table+table
	return p, nil
}

// verify looks at the checksum, which openHashPage leaves to those that read all
// of the page.
func (p *hashPage) verify() error {
	if binary.LittleEndian.Uint32(p.raw) != crc32.Checksum(p.raw[4:], castagnoli) {
		return errHashSum
	}
	return nil
}

func (p *hashPage) open() bool { return p.raw != nil }

// upTo is a number of the table.
func (p *hashPage) upTo(place uint64) uint32 {
	switch p.number {
	case 1:
		return uint32(p.raw[uint64(p.table)+place])
	case 2:
		return uint32(binary.LittleEndian.Uint16(p.raw[uint64(p.table)+2*place:]))
	}
	return binary.LittleEndian.Uint32(p.raw[uint64(p.table)+4*place:])
}

// bounds are the entries of a place of the table.
func (p *hashPage) bounds(place uint64) (low, high int, err error) {
	if place > 0 {
		low = int(p.upTo(place - 1))
	}
	high = int(p.upTo(place))
	if low > high || high > int(p.n) {
		return 0, 0, fmt.Errorf("%w: %w", ErrDamaged, errHashPage)
	}
	return low, high, nil
}

// payloadOf is the payload of an entry.
func (p *hashPage) payloadOf(entry uint64) uint32 { return p.from + uint32(entry&(1<<p.payload-1)) }

// at is an entry: bits of the hash and the payload.
func (p *hashPage) at(i int) uint64 {
	bit := i * int(p.width)
	return binary.LittleEndian.Uint64(p.raw[p.base+bit>>3:]) >> (bit & 7) & (^uint64(0) >> (64 - p.width))
}

// hashProbe is a lookup in one page.
type hashProbe struct {
	page  *hashPage
	place uint64 // in the table
	want  uint64 // what the entry has of the hash

	// After narrow:
	low, end int // the entries that are possible
	guess    int // one of them, if there are any
}

// probe begins to look up a hash.
func (p *hashPage) probe(hash uint64) hashProbe {
	known := p.skip + p.places
	return hashProbe{
		page: p, place: hash << p.skip >> (64 - p.places), // a shift by 64 gives 0
		want: hash << known >> (64 - hashBits + known),
	}
}

// narrow finds out where the hash would be.
func (o *hashProbe) narrow() (err error) {
	if o.low, o.end, err = o.page.bounds(o.place); err != nil {
		return err
	}
	o.guess = o.low
	// Hashes are even, so the place of an entry is about where it would be if they
	// were perfectly so.
	if share := o.want * uint64(o.end-o.low) >> (hashBits - o.page.skip - o.page.places); share < uint64(o.end-o.low) {
		o.guess += int(share)
	}
	return nil
}

// each visits the payloads of the hash until visit wants no more.
func (o *hashProbe) each(visit func(payload uint32) (more bool)) (more bool) {
	p, i := o.page, o.guess
	for i > o.low && p.at(i-1)>>p.payload >= o.want {
		i--
	}
	for ; i < o.end; i++ {
		entry := p.at(i)
		if entry>>p.payload > o.want {
			break
		}
		if entry>>p.payload == o.want && !visit(p.payloadOf(entry)) {
			return false
		}
	}
	return true
}

// encodeHashPage makes a page of entries that are in order and have the first
// skip bits in common.
func encodeHashPage(entries []hashEntry, skip int) []byte {
	p := hashPage{table: hashPageHeader}
	greatest := uint32(0)
	for i, e := range entries {
		if i == 0 || e.payload < p.from {
			p.from = e.payload
		}
		greatest = max(greatest, e.payload)
	}
	payload := bits.Len32(greatest - p.from)
	p.shape(hashPageVersion, len(entries), skip, hashPlaces(len(entries), skip, payload), payload)
	table, size := p.size()
	raw := make([]byte, hashPageHeader+table+size)
	raw[4], raw[5] = hashPageVersion, p.places
	binary.LittleEndian.PutUint32(raw[6:], p.n)
	binary.LittleEndian.PutUint32(raw[10:], p.from)
	raw[14] = p.payload

	known := p.skip + p.places
	place := uint64(0)
	for i, e := range entries {
		for ; place < e.hash<<p.skip>>(64-p.places); place++ {
			p.put(raw, place, i)
		}
		bit := i * int(p.width)
		at := raw[hashPageHeader+table+bit>>3:]
		entry := e.hash<<known>>(64-hashBits+known)<<p.payload | uint64(e.payload-p.from)
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|entry<<(bit&7))
	}
	for ; place < 1<<p.places; place++ {
		p.put(raw, place, len(entries))
	}
	binary.LittleEndian.PutUint32(raw, crc32.Checksum(raw[4:], castagnoli))
	return raw
}

// put writes a number of the table.
func (p *hashPage) put(raw []byte, place uint64, number int) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(number))
	copy(raw[uint64(p.table)+place*uint64(p.number):], b[:p.number])
}

// hashPlaces chooses b: the largest one that takes two per cent more than the
// smallest page at most. A lookup then looks at few entries.
func hashPlaces(entries, skip, payload int) int {
	size := func(places int) int {
		var p hashPage
		p.shape(hashPageVersion, entries, skip, places, payload)
		table, size := p.size()
		return table + size
	}
	most := hashBits - skip
	least := max(0, hashBits+payload-64-skip) // an entry has at most 64 bits
	low := min(most, max(least, bits.Len(uint(entries/hashBucket))))
	high := min(most, max(low, bits.Len(uint(entries))))
	smallest := size(low)
	for places := low + 1; places <= high; places++ {
		smallest = min(smallest, size(places))
	}
	for high > low && size(high) > smallest+smallest/50 {
		high--
	}
	return high
}

// hashWriter writes a run page by page.
type hashWriter struct {
	x       *hashIndex
	to      *hashPages
	p       *hashPartition
	run     hashRun
	number  int         // of the page that is being filled
	entries []hashEntry // of it
}

// write begins a run of a partition of x, which gets it when it is closed. most
// is the most entries it can have.
func (x *hashIndex) write(to *hashPages, p *hashPartition, most int) *hashWriter {
	run := hashRun{number: x.nextRun, tier: uint8(hashTier(most)) + 1}
	for most>>run.spread > x.mostPage && run.spread < min(mostHashSpread, hashBits-p.depth) {
		run.spread++
	}
	x.nextRun++
	return &hashWriter{x: x, to: to, p: p, run: run, entries: make([]hashEntry, 0, min(most, x.mostPage))}
}

// add takes the next entry. They come in order; one that is equal to the last is
// left out.
func (w *hashWriter) add(e hashEntry) error {
	for number := w.p.pageOf(&w.run, e.hash); w.number != number; {
		if w.number > number {
			return errHashOrder
		}
		w.flush()
	}
	if n := len(w.entries); n > 0 {
		switch order := w.entries[n-1].compare(e); {
		case order == 0:
			return nil
		case order > 0:
			return errHashOrder
		}
	}
	w.entries = append(w.entries, e)
	w.run.entries++
	return nil
}

// flush writes a page, also one without entries: one that is not there is
// damage.
func (w *hashWriter) flush() {
	raw := encodeHashPage(w.entries, int(w.p.depth+w.run.spread))
	w.to.put(w.p.key(&w.run, w.number, nil), raw)
	w.number++
	w.entries = w.entries[:0]
}

// close writes the other pages and gives the run to its partition. One without
// entries is none.
func (w *hashWriter) close() {
	if w.run.entries == 0 {
		return
	}
	for w.number < 1<<w.run.spread {
		w.flush()
	}
	w.p.runs = append(w.p.runs, w.run)
}
