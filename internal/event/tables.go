package event

import (
	"math/bits"
	"reflect"
	"sync/atomic"

	"svc/internal/fault"
)

// budget bounds the memory of one query. What it counts is what grows with the
// data: state of subjects and sessions, and lists of values. The goroutines of a
// query share it.
type budget struct {
	most int64 // bytes
	used atomic.Int64

	what string // the analysis, for people
	less string // how to ask for less
}

// take counts bytes that will be used. It does not refuse them: whoever takes
// looks at over between the parts of its work, so that inner loops need no
// error. What is taken in between is small.
func (b *budget) take(bytes int) { b.used.Add(int64(bytes)) }

// over is an error for the client when more was taken than there is.
func (b *budget) over() error {
	if b.used.Load() <= b.most {
		return nil
	}
	return fault.New(fault.Invalid, "%s needs more than %d MiB of memory: %s", b.what, b.most>>20, b.less)
}

// pageLength is the number of entries that are allocated together.
const pageLength = 1024

// table is state by number, zero at first. Only pages of which something was
// touched take memory, and an entry never moves.
type table[T any] struct {
	pages  []*[pageLength]T
	memory *budget
}

// at is the entry of a number.
func (t *table[T]) at(number uint32) *T {
	if at := number / pageLength; at < uint32(len(t.pages)) && t.pages[at] != nil {
		return &t.pages[at][number%pageLength]
	}
	return t.grow(number)
}

func (t *table[T]) grow(number uint32) *T {
	at := int(number / pageLength)
	if more := at + 1 - len(t.pages); more > 0 {
		t.memory.take(8 * more)
		t.pages = append(t.pages, make([]*[pageLength]T, more)...)
	}
	t.memory.take(pageLength * int(reflect.TypeFor[T]().Size()))
	t.pages[at] = new([pageLength]T)
	return &t.pages[at][number%pageLength]
}

// bitset is a set of numbers.
type bitset struct{ words table[uint64] }

func newBitset(memory *budget) *bitset { return &bitset{table[uint64]{memory: memory}} }

// add reports whether the number was not there.
func (s *bitset) add(number uint32) bool {
	word, bit := s.words.at(number/64), uint64(1)<<(number%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// union adds the numbers of another set.
func (s *bitset) union(other *bitset) {
	for at, page := range other.words.pages {
		if page == nil {
			continue
		}
		s.words.at(uint32(at) * pageLength) // makes the page
		for i, word := range page {
			s.words.pages[at][i] |= word
		}
	}
}

// len is how many numbers there are.
func (s *bitset) len() (n int64) {
	for _, page := range s.words.pages {
		if page == nil {
			continue
		}
		for _, word := range page {
			n += int64(bits.OnesCount64(word))
		}
	}
	return n
}
