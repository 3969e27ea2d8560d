package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

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

// exactRecords is how many records a search looks into at least before its total
// may become an upper bound; Options.ExactBytes is how much text.
const exactRecords = 10_000

// Blocks are looked into in waves. What the first ones have tells how to look
// into the others, so each wave is twice as large as the one before.
const (
	firstWave = 16
	lastWave  = 1024
)

// scan is a search under way.
type scan struct {
	q          Selection
	filter     filter
	first, end uint64 // numbers of the records in the range of time
	mostBytes  int64  // of text to be looked into, beyond exactRecords

	needles []needle
	wave    []candidate
	records int   // that were looked into
	bytes   int64 // of text in their blocks
	pick    picker
	found   Found
}

// candidate is a block that may match.
type candidate struct {
	block   uint64
	columns columns
	passing marks // records in the range of time that pass the filter
	shown   marks // records in the range of time that may be shown
	matched marks // records to look into, then those of them that contain the terms
	damaged bool
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
	x := scan{q: q, filter: f, first: first, end: end, mostBytes: tx.store.exactBytes, pick: picker{offset: q.Offset, limit: q.Limit}}
	walk := newWalk(content, s)
	for size := firstWave; len(blocks) > 0 && !x.enough(); size = min(2*size, lastWave) {
		if blocks, err = gather[R](&x, walk, blocks, size); err != nil {
			return nil, x.found, err
		}
		if err = x.look(); err != nil {
			return nil, x.found, fmt.Errorf("search %s of project %d: %w", s.what, p, err)
		}
	}
	rest, err := passing[R](walk, blocks, f, first, end)
	x.found.Total = x.pick.total + rest
	x.found.Estimate = rest > 0
	return x.pick.numbers, x.found, err
}

// enough reports whether the page is complete and too much was looked into to
// go on: what is left counts as if it matched.
func (x *scan) enough() bool {
	return x.pick.full() && x.records >= exactRecords && x.bytes >= x.mostBytes
}

// gather makes the next wave of blocks that have something to look into and
// returns the blocks after it.
func gather[R any, T interface {
	*R
	submission
}](x *scan, w *walk[T], blocks []uint64, size int) (rest []uint64, err error) {
	x.wave = x.wave[:0]
	for ; len(blocks) > 0 && len(x.wave) < size && !x.enough(); blocks = blocks[1:] {
		c := candidate{block: blocks[0]}
		if c.columns, err = readBlock[R](w, c.block, true); err != nil {
			return nil, err
		}
		low, high := within(c.block, x.first, x.end)
		high = min(high, c.columns.len())
		c.passing = c.columns.matching(x.filter, low, high)
		c.matched = c.passing
		if !x.found.Text { // whether it is in what the filter leaves out counts, too
			c.shown = c.columns.matching(x.q.shown(), low, high)
			c.matched = c.shown
		}
		if c.matched == (marks{}) {
			continue
		}
		x.wave = append(x.wave, c)
		x.records += c.matched.count()
		x.bytes += int64(len(c.columns.texts))
	}
	return blocks, nil
}

// look finds the records of a wave that match.
func (x *scan) look() error {
	if x.needles == nil && len(x.wave) > 0 {
		x.needles = x.newNeedles()
	}
	share(len(x.wave), func(i int) { x.wave[i].mark(x.needles) })
	for i := range x.wave {
		c := &x.wave[i]
		if c.damaged {
			return fmt.Errorf("block %d is damaged", c.block)
		}
		x.found.Text = x.found.Text || c.shown.and(c.matched) != marks{}
		x.pick.take(c.block*blockSize, c.passing.and(c.matched))
	}
	return nil
}

// newNeedles makes needles of the terms for texts like those of the wave.
func (x *scan) newNeedles() []needle {
	const enough = 16 << 10
	longest := slices.MaxFunc(x.wave, func(a, b candidate) int { return cmp.Compare(len(a.columns.texts), len(b.columns.texts)) })
	sample, records := longest.columns.body(), longest.columns.len()
	if len(sample) > enough {
		sample, records = sample[:enough], records*enough/len(sample)
	}
	return newNeedles(distinct(x.q.Find.Terms), sample, records)
}

// share calls fn with each number below n on all cores, a few at a time so that
// none of them waits for another. Nobody works any more when it returns or
// panics: columns are not there any longer than their transaction.
func share(n int, fn func(i int)) {
	const step = 4
	var next atomic.Int64
	work := func() {
		for from := int(next.Add(step)) - step; from < n; from = int(next.Add(step)) - step {
			for i := from; i < min(from+step, n); i++ {
				fn(i)
			}
		}
	}
	var wait sync.WaitGroup
	defer wait.Wait()
	for range min(runtime.GOMAXPROCS(0), (n+step-1)/step) - 1 {
		wait.Go(work)
	}
	work()
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

// mark leaves in matched the records that contain all needles. The rarest comes
// first, so that the others are looked for in few records.
func (c *candidate) mark(needles []needle) {
	if c.damaged = !c.columns.whole(); c.damaged {
		return
	}
	for i := range needles {
		if c.matched == (marks{}) {
			return
		}
		c.matched = c.columns.containing(&needles[i], c.matched)
	}
}

// containing marks those of some records whose text contains the needle, which
// crosses no border between texts because each begins with one.
func (c columns) containing(n *needle, among marks) (m marks) {
	body := c.body()
	if n.often || 2*among.count() < c.len() {
		for record := range among.all() {
			if n.index(body[c.end(record-1):c.end(record)]) >= 0 {
				m.set(record)
			}
		}
		return m
	}
	record := -1
	for at := 0; at < len(body); at = c.end(record) { // one match in a record is enough
		i := n.index(body[at:])
		if i < 0 {
			break
		}
		record = c.holding(at+i, record+1)
		m.set(record)
	}
	return m.and(among)
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
