package column

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Needle is a text to find in many bodies of text. It is recognized by two of its bytes
// that are rare together, at eight places at a time, and compared only where both are.
type Needle struct {
	text      []byte
	one, two  int    // where in text these bytes are; one is the rarest of all
	ones      uint64 // eight times the first of them
	twos      uint64 // eight times the second
	frequency int    // how often both are in the sample
	rare      bool   // the first is so rare that it is looked for alone
	often     bool   // both are in every other record, or more often
}

// In a word of eight bytes, each of them 1 and each of them 128.
const (
	eachByte = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

// NewNeedles returns needles for texts, the rarest first. The sample is a typical body with
// the given number of records.
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
		// From one in 256 on, to stop at each costs more than to look at all.
		n.rare = counts[text[n.one]] < len(sample)/256
		n.often = n.frequency >= max(1, records/2)
		list[i] = n
	}
	slices.SortStableFunc(list, func(a, b Needle) int { return cmp.Compare(a.frequency, b.frequency) })
	return list
}

// choose selects the byte that is rarest in the sample, given the frequencies, and a second
// byte that rarely has that distance from the first.
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

// index is where the needle is first in a body, or -1.
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
		at = min(at, places-8) // some of the last places twice
		for both := bothIn(a[at:], b[at:], n.ones, n.twos) & eachHigh; both != 0; both &= both - 1 {
			start := at + bits.TrailingZeros64(both)/8
			if string(body[start:start+len(n.text)]) == string(n.text) {
				return start
			}
		}
	}
	return -1
}

// indexRare goes from one place of the rarest byte to the next, which processors
// find at some ten bytes a nanosecond. In a are the bytes where it would be.
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

// skipUnmatched is a number of places, a multiple of eight, where a and b do not have
// their two bytes. It stops before the first eight places that may have them
// and where fewer than 32 are left.
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

// bothIn sets the highest bit of each of eight bytes where a has the one byte
// and b the other. A bit above one that is set may be set wrongly, and the other
// bits mean nothing.
func bothIn(a, b []byte, ones, twos uint64) uint64 {
	other := (binary.LittleEndian.Uint64(a) ^ ones) | (binary.LittleEndian.Uint64(b) ^ twos)
	return (other - eachByte) &^ other
}
