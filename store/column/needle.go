package column

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Needle is a text to search for in many bodies of text. The search looks for two bytes
// of the needle that rarely occur together, and tests eight offsets at a time. It
// compares the whole text only at offsets at which both bytes match.
type Needle struct {
	text      []byte
	one, two  int    // offsets in text of the two bytes that the search looks for; the first is the rarest
	ones      uint64 // the first byte, repeated eight times
	twos      uint64 // the second byte, repeated eight times
	frequency int    // how often both bytes occur together in the sample
	rare      bool   // the first byte is rare enough to search for it alone
	often     bool   // in the sample, both bytes occur together at least once per two records on average
}

// Eight bytes with the value 1, and eight with the value 128.
const (
	eachByte = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

// NewNeedles returns needles for the given texts, the rarest first. sample is a typical text to
// search: a body, or the beginning of one. records is the number of records in it.
func NewNeedles(texts []string, sample []byte, records int) []Needle {
	var counts [256]int
	for _, b := range sample {
		counts[b]++
	}
	list := make([]Needle, len(texts))
	for i, text := range texts {
		n := Needle{text: []byte(text)}
		n.choose(sample, &counts)
		n.ones, n.twos = eachByte*uint64(text[n.one]), eachByte*uint64(text[n.two])
		// If one byte in 256 or more is this byte, stopping at each occurrence costs more than
		// comparing all positions.
		n.rare = counts[text[n.one]] < len(sample)/256
		n.often = n.frequency >= max(1, records/2)
		list[i] = n
	}
	slices.SortStableFunc(list, func(a, b Needle) int { return cmp.Compare(a.frequency, b.frequency) })
	return list
}

// choose selects the two bytes that the search looks for. The first is the byte of the needle that
// is rarest in the sample; counts holds how often each byte occurs in the sample. The second byte
// is rarely found in the sample at the same distance from the first.
func (n *Needle) choose(sample []byte, counts *[256]int) {
	for at, b := range n.text {
		if counts[b] < counts[n.text[n.one]] {
			n.one = at
		}
	}
	beside := make([]int, len(n.text))
	for at, b := range sample {
		start := at - n.one
		if b != n.text[n.one] || start < 0 || start+len(n.text) > len(sample) {
			continue
		}
		for i, b := range sample[start : start+len(n.text)] {
			if b == n.text[i] {
				beside[i]++
			}
		}
	}
	n.two = n.one
	for i, times := range beside {
		least := beside[n.two]
		if times < least || times == least && counts[n.text[i]] < counts[n.text[n.two]] {
			n.two = i
		}
	}
	n.frequency = beside[n.two]
}

// index returns the offset of the first match in a body, or -1.
func (n *Needle) index(body []byte) int {
	places := len(body) - len(n.text) + 1
	switch {
	case len(n.text) == 1:
		return bytes.IndexByte(body, n.text[0])
	case places < 8:
		return bytes.Index(body, n.text)
	}
	a, b := body[n.one:n.one+places], body[n.two:n.two+places]
	if n.rare {
		return n.indexRare(body, a)
	}
	for at := 0; at < places; at += 8 {
		at += skipUnmatched(a[at:], b[at:], n.ones, n.twos)
		at = min(at, places-8) // near the end, compares some positions a second time
		for both := bothIn(a[at:], b[at:], n.ones, n.twos) & eachHigh; both != 0; both &= both - 1 {
			start := at + bits.TrailingZeros64(both)/8
			if string(body[start:start+len(n.text)]) == string(n.text) {
				return start
			}
		}
	}
	return -1
}

// indexRare returns the offset of the first match in body, or -1, by searching for the
// rarest byte alone: bytes.IndexByte scans about ten bytes per nanosecond. a is the part
// of body in which that byte must be if there is a match.
func (n *Needle) indexRare(body, a []byte) int {
	for at := 0; at < len(a); at++ {
		i := bytes.IndexByte(a[at:], n.text[n.one])
		if i < 0 {
			return -1
		}
		at += i
		if string(body[at:at+len(n.text)]) == string(n.text) {
			return at
		}
	}
	return -1
}

// skipUnmatched returns the number of leading positions that cannot match, as a multiple of eight.
// A position can match if the byte of a there is the one repeated in ones, and the byte of b there
// is the one repeated in twos. skipUnmatched stops before the first eight positions that may match,
// and when fewer than 32 positions remain.
func skipUnmatched(a, b []byte, ones, twos uint64) int {
	all := len(a)
	for len(a) >= 32 && len(b) >= 32 {
		w0 := bothIn(a, b, ones, twos)
		w1 := bothIn(a[8:], b[8:], ones, twos)
		w2 := bothIn(a[16:], b[16:], ones, twos)
		w3 := bothIn(a[24:], b[24:], ones, twos)
		if (w0|w1|w2|w3)&eachHigh == 0 {
			a, b = a[32:], b[32:]
			continue
		}
		at := all - len(a)
		switch {
		case w0&eachHigh != 0:
			return at
		case w1&eachHigh != 0:
			return at + 8
		case w2&eachHigh != 0:
			return at + 16
		}
		return at + 24
	}
	return all - len(a)
}

// bothIn compares the first eight bytes of a with ones, and those of b with twos. In the result, it
// sets the highest bit of each byte at which both are equal. Only the lowest of these bits is
// reliable: higher ones may be set incorrectly. The other bits of each byte have no meaning.
func bothIn(a, b []byte, ones, twos uint64) uint64 {
	other := (binary.LittleEndian.Uint64(a) ^ ones) | (binary.LittleEndian.Uint64(b) ^ twos)
	return (other - eachByte) &^ other
}
