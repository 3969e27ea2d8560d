package store

import (
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"go.etcd.io/bbolt"
)

// Find narrows a list to the records that contain all of some texts.
type Find struct {
	Terms  []string // folded; not empty
	Narrow Narrow
}

// Narrow is what an index knows about where terms can be. Everything that
// changed after Seen may match too: an index only saves work, it is never
// believed.
type Narrow struct {
	All  bool            // nothing is known: everything may match
	Refs map[string]bool // Change.Ref of what may match
	Seen uint64          // sequence of the last change the index has
}

// May reports whether a thing can match as far as the index goes.
func (n Narrow) May(ref string) bool { return n.All || n.Refs[ref] }

// After is n with everything that changed since the index saw it, which is
// everything when the feed no longer tells.
func (tx *Tx) After(n Narrow) (Narrow, error) {
	const many = 20_000 // more than this is not worth reading
	oldest, last := tx.FeedRange()
	switch {
	case n.All || n.Seen == last:
		return n, nil
	case n.Seen > last || n.Seen+1 < oldest:
		return Narrow{All: true}, nil
	}
	changes, err := tx.Changes(n.Seen, many)
	if err != nil {
		return n, err
	}
	if len(changes) == many {
		return Narrow{All: true}, nil
	}
	refs := make(map[string]bool, len(n.Refs)+len(changes))
	for ref := range n.Refs {
		refs[ref] = true
	}
	for _, c := range changes {
		refs[c.Ref()] = true
	}
	return Narrow{Refs: refs, Seen: n.Seen}, nil
}

// How much text is read to know the total of a search exactly: some ten
// milliseconds of one core. Beyond it the remaining candidates count as if they
// matched.
const (
	exactRecords = 10_000
	exactBytes   = 160 << 20
)

// wave is the number of blocks that are scanned between two looks at what has
// been found.
const wave = 128

// candidate is a block that may match.
type candidate struct {
	block   uint64
	columns columns
	passing marks // records in the range of time that pass the filter
	shown   marks // records in the range of time that may be shown
	matched marks // records that contain the terms
}

// search walks the blocks that may match, newest first, and looks into their
// texts on all cores.
func search[R any, T interface {
	*R
	submission
}](tx *Tx, content *bbolt.Bucket, s series[T], p ProjectID, f filter, first, end uint64, q Selection) ([]uint64, Found, error) {
	blocks, err := s.candidates(tx, content, p, q.Find.Narrow, first, end)
	if err != nil {
		return nil, Found{}, err
	}
	var found Found
	var needles []needle
	pick := picker{offset: q.Offset, limit: q.Limit}
	walk := newWalk(content, s)
	records, size := 0, 0
	for len(blocks) > 0 {
		if pick.full() && records >= exactRecords && size >= exactBytes {
			found.Estimate = true
			n, err := passing[R](walk, blocks, f, first, end)
			found.Total = pick.total + n
			return pick.numbers, found, err
		}
		next := make([]candidate, 0, wave)
		for _, b := range blocks[:min(wave, len(blocks))] {
			c := candidate{block: b}
			if c.columns, err = readBlock[R](walk, b, true); err != nil {
				return nil, found, err
			}
			low, high := within(b, first, end)
			c.passing = c.columns.matching(f, low, min(high, c.columns.len()))
			if c.passing == (marks{}) && found.Text {
				continue // nobody asks any more what is in it
			}
			c.shown = c.columns.matching(q.shown(), low, min(high, c.columns.len()))
			next = append(next, c)
			records += c.columns.len()
			size += len(c.columns.texts)
		}
		blocks = blocks[min(wave, len(blocks)):]
		if needles == nil && len(next) > 0 {
			needles = newNeedles(distinct(q.Find.Terms), next[0].columns.body())
		}
		scan(next, needles)
		for i := range next {
			c := &next[i]
			found.Text = found.Text || c.shown.and(c.matched) != marks{}
			pick.take(c.block*blockSize, c.passing.and(c.matched))
		}
	}
	found.Total = pick.total
	return pick.numbers, found, nil
}

// distinct leaves out terms that are part of others.
func distinct(terms []string) []string {
	var list []string
	for i, term := range terms {
		part := slices.ContainsFunc(terms[:i], func(t string) bool { return strings.Contains(t, term) }) ||
			slices.ContainsFunc(terms[i+1:], func(t string) bool { return t != term && strings.Contains(t, term) })
		if !part {
			list = append(list, term)
		}
	}
	return list
}

// candidates lists the blocks that may match, newest first. The incomplete
// block at the end is never in the index.
func (s series[T]) candidates(tx *Tx, content *bbolt.Bucket, p ProjectID, n Narrow, first, end uint64) ([]uint64, error) {
	n, err := tx.After(n)
	if err != nil || end == first {
		return nil, err
	}
	sealed := s.length(content) / blockSize
	low, high := first/blockSize, (end-1)/blockSize
	var blocks []uint64
	if n.All {
		for b := high; b+1 > low; b-- {
			blocks = append(blocks, b)
		}
		return blocks, nil
	}
	if high >= sealed {
		blocks = append(blocks, sealed)
	}
	prefix := Change{Kind: s.kind, Project: p}.Ref()
	prefix = prefix[:len(prefix)-4]
	for ref := range n.Refs {
		if len(ref) != len(prefix)+4 || ref[:len(prefix)] != prefix {
			continue
		}
		if b := uint64(binary.BigEndian.Uint32([]byte(ref[len(prefix):]))); b >= low && b <= high && b < sealed {
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b uint64) int { return cmp.Compare(b, a) })
	return blocks, nil
}

// passing counts the records of blocks that pass the filter, whatever their
// texts.
func passing[R any, T interface {
	*R
	submission
}](w *walk[T], blocks []uint64, f filter, first, end uint64) (n int, err error) {
	for _, b := range blocks {
		c, err := readBlock[R](w, b, false)
		if err != nil {
			return 0, err
		}
		low, high := within(b, first, end)
		m := c.matching(f, low, min(high, c.len()))
		n += m.count()
	}
	return n, nil
}

// scan marks in each candidate the records that contain all needles.
func scan(list []candidate, needles []needle) {
	workers := min(runtime.GOMAXPROCS(0), (len(list)+15)/16)
	if workers <= 1 {
		for i := range list {
			list[i].mark(needles)
		}
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(list); i += workers {
				list[i].mark(needles)
			}
		})
	}
	wait.Wait()
}

func (c *candidate) mark(needles []needle) {
	for i := range needles {
		m := c.columns.containing(&needles[i])
		if i > 0 {
			m = m.and(c.matched)
		}
		if c.matched = m; m == (marks{}) {
			return
		}
	}
}

// containing marks the records whose text contains the needle, which crosses
// no border between texts because each begins with one.
func (c columns) containing(n *needle) (m marks) {
	body := c.body()
	record := -1
	for at := 0; at < len(body); at = c.end(record) { // one match in a record is enough
		i := n.index(body[at:])
		if i < 0 {
			return m
		}
		record = c.holding(at+i, record+1)
		m.set(record)
	}
	return m
}

// holding is the first record from one on whose text ends behind a place in
// the body. It looks at the next ones first.
func (c columns) holding(at, from int) int {
	step := 1
	for c.end(min(from+step, c.len())-1) <= at {
		from += step
		step *= 2
	}
	if step == 1 {
		return from
	}
	return from + sort.Search(min(step, c.len()-from), func(i int) bool { return c.end(from+i) > at })
}
