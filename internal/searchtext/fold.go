package searchtext

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text returns s in the Unicode normalization form NFC and in lower case, with every control
// character replaced by a blank. It first converts s to NFC, so that İ written as two runes
// gives the same result as İ written as one rune. It then converts each rune to lower case
// separately. Finally it converts the result to NFC again, because some letters exist as a
// single rune only in lower case. Text is idempotent.
func Text(s string) string {
	if plain(s) {
		return s
	}
	if b, ok := appendComposed(make([]byte, 0, len(s)), s); ok {
		return string(b)
	}
	return compose(s)
}

// compose implements Text for all texts. It makes three passes.
func compose(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFC.String(s)))
}

// plain reports whether Text would return s unchanged. It recognizes most ASCII texts,
// without copying them.
func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// maxMarks is the maximum number of consecutive combining marks that appendComposed
// supports. Package norm splits sequences of more than 30 marks, and it also counts the
// marks in composed letters.
const maxMarks = 16

// appendComposed appends Text(s) to b in a single pass. This is possible if s is already in
// NFC, as nearly all texts are. ok is false if s must be folded by package norm instead.
// appendComposed makes the quick check of UAX #15, section 9, on the text and its lower
// case at the same time.
func appendComposed(b []byte, s string) (folded []byte, ok bool) {
	table := foldTable()
	marks, class := 0, uint8(0) // number of consecutive marks, and the combining class of the last one
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			b = append(b, byte(table[c]))
			marks, class = 0, 0
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		at := s[i:]
		i += width
		entry := uint16(foldOther)
		if r < 1<<16 {
			entry = table[r]
		} else if inert(at[:width]) && unicode.ToLower(r) == r {
			b = append(b, at[:width]...)
			marks, class = 0, 0
			continue
		}
		switch entry {
		case foldOther:
			return b, false
		case foldMark:
			next := norm.NFC.PropertiesString(at).CCC()
			if marks++; next < class || marks > maxMarks {
				return b, false
			}
			class = next
			b = append(b, at[:width]...)
		default:
			b = utf8.AppendRune(b, rune(entry))
			marks, class = 0, 0
		}
	}
	return b, true
}

// The entries of foldTable that are not runes. Neither value occurs as a rune in a folded
// text.
const (
	foldOther = 0 // must be folded by package norm
	foldMark  = 1 // a combining mark that is left unchanged and composes with nothing
)

// foldTable contains the folded form of each rune of the basic plane. All runes in it,
// and their folded forms, are inert.
var foldTable = sync.OnceValue(func() *[1 << 16]uint16 {
	var table [1 << 16]uint16
	for r := range rune(len(table)) {
		lower := unicode.ToLower(r)
		switch text := string(r); {
		case unicode.IsControl(r):
			table[r] = ' '
		case lower < 1<<16 && inert(text) && inert(string(lower)):
			table[r] = uint16(lower)
		case lower == r && norm.NFC.PropertiesString(text).CCC() != 0 && norm.NFC.QuickSpanString("a"+text) == len("a"+text):
			table[r] = foldMark
		}
	}
	return &table
})

// inert reports whether a rune, given as text, is composed and does not interact with the
// runes next to it.
func inert(text string) bool {
	return norm.NFC.PropertiesString(text).CCC() == 0 && norm.NFC.QuickSpanString(text) == len(text)
}
