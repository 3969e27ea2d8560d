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
	gramField  = "g" // grams of the text: its runs of one, two and three runes
	scopeField = "s" // the scopes of the record: its kind, and its kind within its project
)

// maxGrams is the maximum number of distinct grams (runs of one to three runes) of a
// document. A document with more grams is stored without them and has the scope
// wideScope, so that every query finds it.
const maxGrams = 100_000

const wideScope = "wide"

// scopeOf returns the term that all records of a kind have in scopeField. If project is
// not 0, only the records of that project have the term.
func scopeOf(kind store.Kind, project store.ProjectID) string {
	if project == 0 {
		return fmt.Sprintf("%d", kind)
	}
	return fmt.Sprintf("%d/%d", kind, project)
}

// documentID encodes the reference of a record as printable text. The encoded references
// have the same sort order as the references.
func documentID(ref string) string { return hex.EncodeToString([]byte(ref)) }

func parseDocumentID(id string) (ref string, err error) {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return "", fmt.Errorf("document %q: %w", id, err)
	}
	return string(raw), nil
}

// newDocument returns the document of the record c, and the number of grams in the
// document. text is the folded text of the record.
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

// gramsOf returns the distinct grams of a text, as defined by searchtext.Grams. ok is
// false if there are more than maxGrams. Indexing spends most of its time here. A gram is
// therefore first looked up in a set of numbers, with 21 bits for each rune, and becomes
// a string only if it is not in the set.
func gramsOf(text string) (grams bleveindex.TokenFrequencies, ok bool) {
	const runeBits = 21
	// a block of lines has about one distinct gram for every four bytes
	grams = make(bleveindex.TokenFrequencies, min(len(text)/4, maxGrams))
	var seen numbers
	var starts [3]int // start offsets of the last three runes
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

// numbers is a set of positive numbers.
type numbers struct {
	table []uint64 // a hash table with open addressing; 0 marks a free place
	used  int
}

// add adds n to the set and reports whether the set did not contain n before.
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

// present is the frequency that all terms of all documents share. It marks a term as
// present without counting it. bleve only reads it.
var present = &bleveindex.TokenFreq{}

// terms is a field that has already been analysed. If bleve analysed it, a panic in one
// of bleve's goroutines would end the process.
type terms struct {
	name  string
	terms bleveindex.TokenFrequencies
}

// Options returns the options of the field. It is only searched, and neither stored nor
// counted nor used for sorting.
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
