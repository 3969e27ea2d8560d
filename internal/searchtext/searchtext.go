// Package searchtext brings text into the one form in which it is searched: what is
// stored and what is asked for go through the same function.
//
//	searchtext.go  fields, words, grams, excerpts
//	fold.go        the form
package searchtext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Border stands between the fields of a record, so that no match crosses it.
// Text never contains it once folded.
const Border = '\x01'

// Version names the tables by which text is folded. What was folded by others
// may differ.
const Version = norm.Version + "/" + unicode.Version

// Fields folds the fields of a record into one text, each behind a Border.
// Missing ones leave nothing.
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

// Words are the blank-separated words of a folded text.
func Words(folded string) []string { return strings.Fields(folded) }

// Grams calls add with every run of one, two and three runes of a folded text,
// none of them across a Border. They come as slices of the text and repeat.
func Grams(folded string, add func(string)) {
	var at [3]int // where the last runes begin
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

// Required are the grams that every text containing the folded query has: the
// query itself when it is short, else its runs of three runes.
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

// ContainsAll reports whether a folded text contains all of some terms.
func ContainsAll(folded string, terms []string) bool {
	for _, term := range terms {
		if !strings.Contains(folded, term) {
			return false
		}
	}
	return true
}

// Excerpt cuts about length runes out of a text, around the first place where
// one of the folded terms is; the beginning when there is none. Cut ends are
// marked with an ellipsis, and white space is one blank.
func Excerpt(text string, terms []string, length int) string {
	text = strings.Join(strings.Fields(norm.NFC.String(text)), " ")
	folded := Text(text) // as many runes as text, but for a few letters
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
