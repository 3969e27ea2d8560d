// Package searchtext folds texts into the form in which they are searched. Stored texts
// and queries are folded by the same function.
//
//	searchtext.go  fields, words, grams, excerpts
//	fold.go        the folding
package searchtext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Border separates the fields of a record, so that no match spans two fields. It occurs
// nowhere else in folded text.
const Border = '\x01'

// Version identifies the Unicode tables that the folding uses. With another version,
// texts may be folded differently.
const Version = norm.Version + "/" + unicode.Version

// Fields folds the fields of a record and joins them to one text, with a Border before
// each field. It skips fields that are nil or empty.
func Fields(fields ...*string) string {
	var b strings.Builder
	for _, f := range fields {
		if f != nil && *f != "" {
			text := Text(*f)
			b.Grow(1 + len(text))
			b.WriteByte(Border)
			b.WriteString(text)
		}
	}
	return b.String()
}

// Words returns the words of a folded text, which are separated by blanks.
func Words(folded string) []string { return strings.Fields(folded) }

// Grams calls the function add for every run of one, two and three consecutive runes of a folded
// text that contains no Border. The runs are substrings of the text. The same run can occur several
// times.
func Grams(folded string, add func(string)) {
	var at [3]int // offsets of the last three runes
	n := 0
	for i, r := range folded {
		if r == Border {
			n = 0
			continue
		}
		at[0], at[1], at[2] = at[1], at[2], i
		n = min(n+1, 3)
		end := i + utf8.RuneLen(r)
		for k := range n {
			add(folded[at[2-k]:end])
		}
	}
}

// Required returns grams that occur in every text that contains the folded query: the query
// itself if it has at most three runes, and otherwise all of its runs of three runes.
func Required(query string) []string {
	if utf8.RuneCountInString(query) <= 3 {
		return []string{query}
	}
	var grams []string
	seen := map[string]bool{}
	Grams(query, func(g string) {
		if utf8.RuneCountInString(g) == 3 && !seen[g] {
			seen[g] = true
			grams = append(grams, g)
		}
	})
	return grams
}

// ContainsAll reports whether a folded text contains all terms.
func ContainsAll(folded string, terms []string) bool {
	for _, term := range terms {
		if !strings.Contains(folded, term) {
			return false
		}
	}
	return true
}

// Excerpt returns a part of a text, of about length runes, around the first occurrence of
// one of the folded terms. If no term occurs, it returns the beginning of the text. An
// ellipsis marks each end that was cut off. White space is collapsed.
func Excerpt(text string, terms []string, length int) string {
	text = strings.Join(strings.Fields(norm.NFC.String(text)), " ")
	folded := Text(text) // a rune corresponds to a rune of text, except for a few letters
	at := -1
	for _, term := range terms {
		if i := strings.Index(folded, term); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	runes := []rune(text)
	from := 0
	if at > 0 {
		from = max(0, utf8.RuneCountInString(folded[:at])-length/4)
	}
	to := min(len(runes), from+length)
	from = max(0, min(from, to-length))
	cut := string(runes[from:to])
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(runes) {
		cut += "…"
	}
	return cut
}
