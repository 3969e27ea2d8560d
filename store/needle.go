package store

import "bytes"

// needle is a text that is looked for in many bodies of text. It goes from one
// place of its rarest byte to the next, which processors find at tens of bytes
// a nanosecond, and compares only there.
type needle struct {
	text  []byte
	rare  int  // where in text its rarest byte is
	often bool // even that is frequent
}

// newNeedles makes needles of texts for bodies of which one is a sample.
func newNeedles(texts []string, sample []byte) []needle {
	var seen [256]int
	for _, b := range sample {
		seen[b]++
	}
	list := make([]needle, len(texts))
	for i, text := range texts {
		n := needle{text: []byte(text)}
		for at, b := range n.text {
			if seen[b] < seen[n.text[n.rare]] {
				n.rare = at
			}
		}
		// From one byte in sixteen on the stops cost more than they save.
		n.often = len(n.text) > 1 && seen[n.text[n.rare]] > len(sample)/16
		list[i] = n
	}
	return list
}

// index is where the needle is first in a body, or -1.
func (n *needle) index(body []byte) int {
	if n.often {
		return bytes.Index(body, n.text)
	}
	for at := n.rare; at < len(body); at++ {
		i := bytes.IndexByte(body[at:], n.text[n.rare])
		if i < 0 {
			return -1
		}
		at += i
		if start := at - n.rare; bytes.HasPrefix(body[start:], n.text) {
			return start
		}
	}
	return -1
}
