package search

import (
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/document"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"svc/internal/searchtext"
	"svc/store"
)

// The fields of a document.
const (
	gramField  = "g" // runs of one, two and three runes
	scopeField = "s" // kind; kind and project
)

// maxGrams is the number of different grams up to which a document has them.
// One with more, a very long text, has the scope wide instead and is found by
// every query.
const maxGrams = 100_000

const wideScope = "wide"

// scopeOf is the term that all records of a kind have, and of a project when
// that is not 0.
func scopeOf(kind store.Kind, project store.ProjectID) string {
	if project == 0 {
		return fmt.Sprintf("%d", kind)
	}
	return fmt.Sprintf("%d/%d", kind, project)
}

// documentID is a reference in a printable form that keeps the order.
func documentID(ref string) string { return hex.EncodeToString([]byte(ref)) }

func parseDocumentID(id string) (ref string, err error) {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return "", fmt.Errorf("document %q: %w", id, err)
	}
	return string(raw), nil
}

// newDocument makes the document of a thing from its folded text and says how
// many grams it has.
func newDocument(c store.Change, text string) (d *document.Document, size int) {
	scopes := bleveindex.TokenFrequencies{scopeOf(c.Kind, 0): present, scopeOf(c.Kind, c.Project): present}
	grams, ok := gramsOf(text)
	if !ok {
		scopes[wideScope] = present
	}
	d = document.NewDocument(documentID(c.Ref()))
	d.AddField(terms{scopeField, scopes})
	d.AddField(terms{gramField, grams})
	return d, len(grams)
}

// gramsOf are the different grams of a text, as searchtext.Grams has them; ok is
// false when they are too many. Most of the work of indexing is here, so a
// gram is looked up as a number, 21 bits a rune, before it becomes a string.
func gramsOf(text string) (grams bleveindex.TokenFrequencies, ok bool) {
	const runeBits = 21
	// A block of lines has a gram for every fourth byte.
	grams = make(bleveindex.TokenFrequencies, min(len(text)/4, maxGrams))
	var seen numbers
	var starts [3]int // of the last runes
	runes, last := 0, uint64(0)
	for at := 0; at < len(text); {
		r, width := utf8.DecodeRuneInString(text[at:])
		if r == searchtext.Border {
			runes, last = 0, 0
			at += width
			continue
		}
		starts[0], starts[1], starts[2] = starts[1], starts[2], at
		at += width
		last = last<<runeBits | uint64(r)
		runes = min(runes+1, 3)
		for n := range runes {
			if seen.add(last & (1<<(runeBits*(n+1)) - 1)) {
				grams[text[starts[2-n]:at]] = present
			}
		}
		if len(grams) > maxGrams {
			return nil, false
		}
	}
	return grams, true
}

// numbers is a set of numbers above 0.
type numbers struct {
	table []uint64 // open addressing; 0 is free
	used  int
}

// add reports whether n was not yet in the set.
func (s *numbers) add(n uint64) bool {
	if 2*s.used >= len(s.table) {
		old := s.table
		s.table = make([]uint64, max(1024, 4*len(old)))
		s.used = 0
		for _, m := range old {
			if m != 0 {
				s.add(m)
			}
		}
	}
	mask := uint64(len(s.table) - 1)
	for i := n * 0x9e3779b97f4a7c15 >> 32 & mask; ; i = (i + 1) & mask {
		switch s.table[i] {
		case n:
			return false
		case 0:
			s.table[i] = n
			s.used++
			return true
		}
	}
}

// present says of a term that a document has it, without a count. bleve only
// reads it, so all terms of all documents share it.
var present = &bleveindex.TokenFreq{}

// terms is a field whose analysis is done already: bleve would do it in
// goroutines of its own, in which a panic ends the process.
type terms struct {
	name  string
	terms bleveindex.TokenFrequencies
}

// Options returns the options of a field that is only looked up: it is not stored,
// counted or sorted by.
func (t terms) Options() bleveindex.FieldIndexingOptions {
	return bleveindex.IndexField | bleveindex.SkipFreqNorm
}

func (t terms) Name() string                                          { return t.name }
func (t terms) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return t.terms }
func (t terms) Analyze()                                              {}
func (t terms) AnalyzedLength() int                                   { return 1 }
func (t terms) ArrayPositions() []uint64                              { return nil }
func (t terms) Value() []byte                                         { return nil }
func (t terms) NumPlainTextBytes() uint64                             { return 0 }
func (t terms) Size() int                                             { return 0 }
func (t terms) EncodedFieldType() byte                                { return 't' }
