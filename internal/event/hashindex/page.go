package hashindex

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"svc/internal/event/encoding"
	"svc/internal/integrity"
)

// A page of a run consists of a table of places and the entries in order of their hashes.
// Of a hash, 36 bits are used. The first ones determine the partition and the page, and the
// next b, a number in the header of the page, select a place in the table. The remaining
// bits are stored in the entry, above the payload. The payload is stored as its distance
// from the smallest payload of the page. An entry has as many bits as these two need, or 64
// if they need more than 57. b is chosen so that the table and the entries together are
// nearly as small as possible.
//
//	CRC-32C of the rest    4 bytes
//	version                1 byte: 1
//	b                      1 byte
//	number of entries      4 bytes
//	smallest payload       4 bytes
//	bits of a payload      1 byte: as few as the greatest distance needs
//	table                  2^b numbers: the number of entries up to and including
//	                       this place; 1, 2 or 4 bytes each, as few as the last needs
//	entries                concatenated, the first in the lowest bits of the
//	                       first byte: the payload and, in the bits above it, (36 −
//	                       bits of partition and page − b) bits of the hash
//	zeros                  so that eight bytes can be read at each entry
//
// All integers are little endian.
const (
	pageVersion = 1
	pageHeader  = 15

	// maxEntryWidth is the maximum width of an entry, in bits, that can be read with
	// eight bytes at any bit offset.
	maxEntryWidth = 57

	// maxBucket is the maximum average number of entries of a place of the table.
	maxBucket = 64
)

var (
	errPage  = errors.New("page of entries is inconsistent")
	errOrder = errors.New("entries are not in order of their hashes")
)

// page is an encoded page of a run that is read in place.
type page struct {
	raw     []byte
	base    int    // offset of the entries
	from    uint32 // the smallest payload
	n       uint32 // number of entries
	places  uint8  // b: the number of bits that select a place
	number  uint8  // bytes of each number in the table
	width   uint8  // bits of each entry
	skip    uint8  // number of hash bits that the partition and the page determine
	payload uint8  // bits of each payload
}

// entryWidth returns the width of an entry in bits. known is the number of bits of the
// hash that the position of the entry determines, and payload the number of bits of the
// payload.
func entryWidth(known, payload int) int {
	width := hashBits - known + payload
	if width > maxEntryWidth {
		return (width + 7) / 8 * 8
	}
	return width
}

// numberWidth returns the width of the numbers in the table, in bytes.
func numberWidth(entries int) int {
	switch {
	case entries < 1<<8:
		return 1
	case entries < 1<<16:
		return 2
	}
	return 4
}

// shape sets the fields of p that depend on the number of entries, on the number of hash
// bits that are known (skip) or select a place (places), and on the number of bits of a
// payload.
func (p *page) shape(entries, skip, places, payload int) {
	p.n, p.places, p.skip, p.payload = uint32(entries), uint8(places), uint8(skip), uint8(payload)
	p.number, p.width = uint8(numberWidth(entries)), uint8(entryWidth(skip+places, payload))
}

// size returns the sizes of the table and the entries in bytes.
func (p *page) size() (table, entries int) {
	return int(p.number) << p.places, (int(p.n)-1)*int(p.width)>>3 + 8
}

// openPage reads the header of a page. skip is the number of leading hash bits that the
// key of the page determines.
func openPage(raw []byte, skip, payloadBytes int) (page, error) {
	var p page
	if len(raw) < pageHeader || raw[4] != pageVersion || int(raw[14]) > 8*payloadBytes {
		return p, errPage
	}
	places, n, payload := int(raw[5]), int(binary.LittleEndian.Uint32(raw[6:])), int(raw[14])
	p.from = binary.LittleEndian.Uint32(raw[10:])
	if uint64(p.from)>>(8*payloadBytes) > 0 {
		return p, errPage
	}
	if skip+places > hashBits || entryWidth(skip+places, payload) > 64 || places > 32 {
		return p, errPage
	}
	p.shape(n, skip, places, payload)
	table, entries := p.size()
	if len(raw) != pageHeader+table+entries {
		return p, errPage
	}
	p.raw, p.base = raw, pageHeader+table
	return p, nil
}

// verify verifies the checksum. openPage does not, because that would read the whole
// page. Callers that read the whole page anyway must call verify.
func (p *page) verify() error {
	if binary.LittleEndian.Uint32(p.raw) != encoding.Checksum(p.raw[4:]) {
		return encoding.ErrChecksum
	}
	return nil
}

func (p *page) open() bool { return p.raw != nil }

// upTo returns the number of entries in all places up to and including the given one. It
// reads the number from the table.
func (p *page) upTo(place uint64) uint32 {
	switch p.number {
	case 1:
		return uint32(p.raw[uint64(pageHeader)+place])
	case 2:
		return uint32(binary.LittleEndian.Uint16(p.raw[uint64(pageHeader)+2*place:]))
	}
	return binary.LittleEndian.Uint32(p.raw[uint64(pageHeader)+4*place:])
}

// bounds returns the half-open range of the entries that belong to a place.
func (p *page) bounds(place uint64) (low, high int, err error) {
	if place > 0 {
		low = int(p.upTo(place - 1))
	}
	high = int(p.upTo(place))
	if low > high || high > int(p.n) {
		return 0, 0, fmt.Errorf("%w: %w", integrity.ErrDamaged, errPage)
	}
	return low, high, nil
}

// payloadOf returns the payload of an entry that the method at has returned.
func (p *page) payloadOf(entry uint64) uint32 { return p.from + uint32(entry&(1<<p.payload-1)) }

// at returns entry i. The stored bits of the hash are above the bits of the payload.
func (p *page) at(i int) uint64 {
	bit := i * int(p.width)
	return binary.LittleEndian.Uint64(p.raw[p.base+bit>>3:]) >> (bit & 7) & (^uint64(0) >> (64 - p.width))
}

// probe is a lookup of a hash in one page.
type probe struct {
	page  *page
	place uint64 // place in the table to which the hash belongs
	want  uint64 // the bits of the hash that an entry would store

	// Set by locate:
	low, end int // the half-open range in which entries of the hash can be
	guess    int // an entry of the range that is probably close, if the range is not empty
}

// probe starts the lookup of a hash.
func (p *page) probe(hash uint64) probe {
	known := p.skip + p.places
	return probe{
		page: p, place: hash << p.skip >> (64 - p.places), // the result is 0 if there is only one place
		want: hash << known >> (64 - hashBits + known),
	}
}

// locate determines the range of the entries that can have the hash.
func (o *probe) locate() (err error) {
	if o.low, o.end, err = o.page.bounds(o.place); err != nil {
		return err
	}
	o.guess = o.low
	// hashes are uniformly distributed, so interpolation finds the approximate position of
	// an entry
	if share := o.want * uint64(o.end-o.low) >> (hashBits - o.page.skip - o.page.places); share < uint64(o.end-o.low) {
		o.guess += int(share)
	}
	return nil
}

// each calls visit for the payloads of the hash until visit returns false. It returns the
// last result of visit, or true if there are no payloads.
func (o *probe) each(visit func(payload uint32) (more bool)) (more bool) {
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

// encodePage encodes sorted entries as a page. The first skip bits of their hashes must
// be equal.
func encodePage(entries []Entry, skip int) []byte {
	p := page{}
	greatest := uint32(0)
	for i, e := range entries {
		if i == 0 || e.Payload < p.from {
			p.from = e.Payload
		}
		greatest = max(greatest, e.Payload)
	}
	payload := bits.Len32(greatest - p.from)
	p.shape(len(entries), skip, chooseBits(len(entries), skip, payload), payload)
	table, size := p.size()
	raw := make([]byte, pageHeader+table+size)
	raw[4], raw[5] = pageVersion, p.places
	binary.LittleEndian.PutUint32(raw[6:], p.n)
	binary.LittleEndian.PutUint32(raw[10:], p.from)
	raw[14] = p.payload

	known := p.skip + p.places
	place := uint64(0)
	for i, e := range entries {
		for ; place < e.Hash<<p.skip>>(64-p.places); place++ {
			p.put(raw, place, i)
		}
		bit := i * int(p.width)
		at := raw[pageHeader+table+bit>>3:]
		entry := e.Hash<<known>>(64-hashBits+known)<<p.payload | uint64(e.Payload-p.from)
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|entry<<(bit&7))
	}
	for ; place < 1<<p.places; place++ {
		p.put(raw, place, len(entries))
	}
	binary.LittleEndian.PutUint32(raw, encoding.Checksum(raw[4:]))
	return raw
}

// put writes the number of entries up to and including a place into the table of the
// encoded page raw.
func (p *page) put(raw []byte, place uint64, number int) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(number))
	copy(raw[uint64(pageHeader)+place*uint64(p.number):], b[:p.number])
}

// chooseBits returns the number b of bits that select a place. It is the largest b for
// which the page is at most two per cent larger than the smallest possible page. With a
// larger b, each place has fewer entries, so that a lookup examines fewer.
func chooseBits(entries, skip, payload int) int {
	size := func(places int) int {
		var p page
		p.shape(entries, skip, places, payload)
		table, size := p.size()
		return table + size
	}
	most := hashBits - skip
	least := max(0, hashBits+payload-64-skip) // otherwise an entry would have more than 64 bits
	low := min(most, max(least, bits.Len(uint(entries/maxBucket))))
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

// writer writes a run page by page.
type writer struct {
	x       *Index
	to      *Pages
	p       *partition
	run     run
	number  int     // index of the page that is being filled
	entries []Entry // entries of that page
}

// write returns a writer of a new run. The method close of the writer adds the run to the partition
// p. The parameter most is the maximum number of entries in the run.
func (x *Index) write(to *Pages, p *partition, most int) *writer {
	run := run{number: x.nextRun, tier: uint8(tierOf(most)) + 1}
	for most>>run.spread > x.MaxPage && run.spread < min(maxSpread, hashBits-p.depth) {
		run.spread++
	}
	x.nextRun++
	return &writer{x: x, to: to, p: p, run: run, entries: make([]Entry, 0, min(most, x.MaxPage))}
}

// add adds the next entry. Entries must be added in order. Duplicates are dropped.
func (w *writer) add(e Entry) error {
	for number := w.p.pageOf(&w.run, e.Hash); w.number != number; {
		if w.number > number {
			return errOrder
		}
		w.flush()
	}
	if n := len(w.entries); n > 0 {
		switch order := w.entries[n-1].Compare(e); {
		case order == 0:
			return nil
		case order > 0:
			return errOrder
		}
	}
	w.entries = append(w.entries, e)
	w.run.entries++
	return nil
}

// flush writes the current page. It writes a page even if the page has no entries,
// because a missing page is treated as damage.
func (w *writer) flush() {
	raw := encodePage(w.entries, int(w.p.depth+w.run.spread))
	w.to.put(w.p.key(&w.run, w.number, nil), raw)
	w.number++
	w.entries = w.entries[:0]
}

// close writes the remaining pages and adds the run to its partition, unless it has no
// entries.
func (w *writer) close() {
	if w.run.entries == 0 {
		return
	}
	for w.number < 1<<w.run.spread {
		w.flush()
	}
	w.p.runs = append(w.p.runs, w.run)
}
