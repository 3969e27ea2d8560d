package searchtext

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is s in canonical composition (NFC), rune by rune in lower case, with
// every control character as a blank. It composes before, because İ in two
// runes must become what it does in one, and again afterwards, because some
// letters are one rune only when they are small. Folding twice changes nothing.
func Text(s string) string {
	if plain(s) {
		return s
	}
	if b, ok := appendComposed(make([]byte, 0, len(s)), s); ok {
		return string(b)
	}
	return compose(s)
}

// compose is Text of any text. It goes over the text three times.
func compose(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFC.String(s)))
}

// plain reports whether folding would change nothing, which it finds for most
// ASCII without a copy.
func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// maxMarks is how many marks in a row appendComposed takes. Package norm breaks
// up more than 30 of them, those in composed letters included.
const maxMarks = 16

// appendComposed appends Text of a text that is composed already, as nearly all
// are, in one pass. It gives up where only package norm can tell: the quick check
// of UAX #15, section 9, for the text and for its lower case at once.
func appendComposed(b []byte, s string) (folded []byte, ok bool) {
	table := foldTable()
	marks, class := 0, uint8(0) // in a row, and the combining class of the last
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

// The entries of foldTable that are no runes. Neither is ever in a folded text.
const (
	foldOther = 0 // only package norm can tell
	foldMark  = 1 // a mark that stays as it is and composes with nothing
)

// foldTable has for each rune of the basic plane what it is folded to. The runes
// in it are inert, and so is what they are folded to.
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

// inert reports whether a rune is its own composition and changes nothing around it.
func inert(text string) bool {
	return norm.NFC.PropertiesString(text).CCC() == 0 && norm.NFC.QuickSpanString(text) == len(text)
}
