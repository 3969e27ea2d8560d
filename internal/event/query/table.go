package query

import (
	"iter"
	"math/bits"
	"reflect"
	"sync/atomic"

	"svc/internal/fault"
)

// budget limits the memory of one query. It covers only the memory that grows with the
// data: the state of subjects and sessions, and lists of values. The goroutines of a
// query share one budget.
type budget struct {
	max  int64 // maximum number of bytes
	used atomic.Int64

	what string // the analysis, for the error message
	less string // advice for reducing the query, for the error message
}

// take adds to the number of bytes in use. It never fails, so that inner loops need no error
// handling. Instead, callers must check b.over() regularly, so that little memory is allocated
// between two checks.
func (b *budget) take(bytes int) { b.used.Add(int64(bytes)) }

// over returns an error of kind Invalid, for the client, if more than max bytes are in
// use.
func (b *budget) over() error {
	if b.used.Load() <= b.max {
		return nil
	}
	return fault.New(fault.Invalid, "%s needs more than %d MiB of memory: %s", b.what, b.max>>20, b.less)
}

// pageLength is the number of entries of a table that are allocated together.
const pageLength = 1024

// table maps numbers to entries, which are initially zero. It allocates memory only for
// the pages of entries that are accessed, and an entry never moves.
type table[T any] struct {
	pages  []*[pageLength]T
	memory *budget
}

// at returns the entry of a number, and allocates its page if necessary.
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

// used yields the pages that were accessed, with their indexes.
func (t *table[T]) used() iter.Seq2[int, *[pageLength]T] {
	return func(yield func(int, *[pageLength]T) bool) {
		for at, page := range t.pages {
			if page != nil && !yield(at, page) {
				return
			}
		}
	}
}

// bitset is a set of numbers.
type bitset struct{ words table[uint64] }

func newBitset(memory *budget) *bitset { return &bitset{table[uint64]{memory: memory}} }

// add adds a number and reports whether it was new.
func (s *bitset) add(number uint32) bool {
	word, bit := s.words.at(number/64), uint64(1)<<(number%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// release subtracts the memory of the set from the bytes in use of its budget.
func (s *bitset) release() {
	bytes := 8 * len(s.words.pages)
	for range s.words.used() {
		bytes += 8 * pageLength
	}
	s.words.memory.take(-bytes)
}

// clear removes all numbers without releasing the memory of the set.
func (s *bitset) clear() {
	for _, page := range s.words.used() {
		clear(page[:])
	}
}

// without returns a set of the elements of s that are not in other.
func (s *bitset) without(other *bitset, memory *budget) *bitset {
	left := newBitset(memory)
	for at, page := range s.words.used() {
		var theirs *[pageLength]uint64
		if at < len(other.words.pages) {
			theirs = other.words.pages[at]
		}
		var into *[pageLength]uint64
		for i, word := range page {
			if theirs != nil {
				word &^= theirs[i]
			}
			if word == 0 {
				continue
			}
			if into == nil {
				left.words.at(uint32(at) * pageLength) // allocates the page
				into = left.words.pages[at]
			}
			into[i] = word
		}
	}
	return left
}

// common returns the number of elements that are in both sets.
func (s *bitset) common(other *bitset) (n int64) {
	for at, page := range s.words.pages[:min(len(s.words.pages), len(other.words.pages))] {
		theirs := other.words.pages[at]
		if page == nil || theirs == nil {
			continue
		}
		for i, word := range page {
			n += int64(bits.OnesCount64(word & theirs[i]))
		}
	}
	return n
}

// union adds the elements of another set.
func (s *bitset) union(other *bitset) {
	for at, page := range other.words.used() {
		s.words.at(uint32(at) * pageLength) // allocates the page
		for i, word := range page {
			s.words.pages[at][i] |= word
		}
	}
}

// len returns the number of elements.
func (s *bitset) len() (n int64) {
	for _, page := range s.words.used() {
		for _, word := range page {
			n += int64(bits.OnesCount64(word))
		}
	}
	return n
}

// members holds one set of subjects for each group. The groups that occur first, which
// are usually the frequent ones, have a bitset each. All other groups, most of which have
// few subjects, share a hash table of pairs.
type members struct {
	sets   []*bitset // the bitset of each group; nil if the group's subjects are in pairs
	made   int       // number of bitsets in sets
	memory *budget

	pairs []uint64 // group << 32 | slot of a subject; 0 = free
	n     int      // number of pairs
}

// maxSets is the maximum number of groups with a bitset.
const maxSets = 256

// add adds a subject to a group and reports whether it was new. Slots start at 1.
func (m *members) add(group, slot uint32) bool {
	if more := int(group) + 1 - len(m.sets); more > 0 && m.made < maxSets {
		m.sets = append(m.sets, make([]*bitset, more)...)
	}
	if int(group) >= len(m.sets) {
		return m.addPair(group, slot)
	}
	if m.sets[group] == nil {
		if m.made == maxSets {
			return m.addPair(group, slot)
		}
		m.sets[group] = newBitset(m.memory)
		m.made++
	}
	return m.sets[group].add(slot)
}

func (m *members) addPair(group, slot uint32) bool {
	pair := uint64(group)<<32 | uint64(slot)
	if 2*m.n >= len(m.pairs) {
		m.grow()
	}
	if !insertPair(m.pairs, pair) {
		return false
	}
	m.n++
	return true
}

// grow doubles the size of the hash table.
func (m *members) grow() {
	old := m.pairs
	m.pairs = make([]uint64, max(1024, 2*len(old)))
	m.memory.take(8 * (len(m.pairs) - len(old)))
	for _, pair := range old {
		if pair != 0 {
			insertPair(m.pairs, pair)
		}
	}
}

// insertPair inserts a pair into a table with free space. The length of the table must be
// a power of two. It returns false if the pair was already present.
func insertPair(table []uint64, pair uint64) bool {
	last := uint64(len(table) - 1)
	const mix = 0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio
	for at := (pair * mix) >> 32 & last; ; at = (at + 1) & last {
		switch table[at] {
		case pair:
			return false
		case 0:
			table[at] = pair
			return true
		}
	}
}
