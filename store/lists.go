package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc/internal/boltfile"
	"svc/internal/platform"
	"svc/store/column"
)

// Selection is the part of a list that is asked for, newest first.
type Selection struct {
	Hidden        bool // hidden records count too
	Platform      *platform.Platform
	Find          *Find
	Offset, Limit int
	// MaxBytes leaves the records of the page unread if they take more than that as they
	// are stored; 0 = they are read.
	MaxBytes int
}

// shown passes what the list may show at all.
func (q Selection) shown() column.Filter {
	f := column.Filter{Mask: gone}
	if !q.Hidden {
		f = f.And(hidden, 0)
	}
	return f
}

func (q Selection) filter() column.Filter {
	f := q.shown()
	if q.Platform != nil {
		f = f.And(platformMask, platformWord(q.Platform))
	}
	return f
}

// FeedbackSelection is what a list of feedback is narrowed by; nil is no
// condition.
type FeedbackSelection struct {
	Selection
	Rating *int
	Status *FeedbackStatus
}

// LogSelection is what a list of logs is narrowed by; nil is no condition,
// and so are a From of 0 and a To of math.MaxInt64. Both are inclusive.
type LogSelection struct {
	Selection
	Level    *int
	From, To int64
}

// Found says how many records a list has.
type Found struct {
	Total int
	// Estimate says that Total is an upper bound: too much text would have to
	// be read to know.
	Estimate bool
	// Text says that what was searched for is in some record of the range of
	// time that may be shown, whatever the other conditions say.
	Text bool
	// Unread are the records of a page that exceeds Selection.MaxBytes.
	Unread []Unread
}

// Unread is a record that a list has not read.
type Unread struct {
	number uint64
	Bytes  int // as it is stored
}

// ListFeedback reads a part of the feedback of a project.
func (tx *Tx) ListFeedback(p ProjectID, q FeedbackSelection) ([]*Feedback, Found, error) {
	f := q.filter()
	if q.Rating != nil {
		f = f.And(7<<ratingShift, column.Word(*q.Rating)<<ratingShift)
	}
	if q.Status != nil {
		f = f.And(3<<statusShift, column.Word(*q.Status)<<statusShift)
	}
	return feedbackSeries.list(tx, p, f, q.Selection, 0, math.MaxInt64)
}

// ListLogs reads a part of the logs of a project.
func (tx *Tx) ListLogs(p ProjectID, q LogSelection) ([]*Log, Found, error) {
	f := q.filter()
	if q.Level != nil {
		f = f.And(3<<levelShift, column.Word(*q.Level)<<levelShift)
	}
	return logSeries.list(tx, p, f, q.Selection, q.From, q.To)
}

// list reads a part of the records that were created in a range of time, ends
// included.
func (s series[R, T]) list(tx *Tx, p ProjectID, f column.Filter, q Selection, from, to int64) ([]T, Found, error) {
	content := tx.content(p)
	if content == nil {
		return nil, Found{}, nil
	}
	first, end := s.span(content, from, to)
	var numbers []uint64
	var found Found
	var err error
	if q.Find == nil {
		numbers, found, err = s.count(content, f, first, end, q)
	} else {
		numbers, found, err = s.search(tx, content, p, f, first, end, q)
	}
	if err != nil {
		return nil, found, err
	}
	records := content.Bucket(s.records)
	if q.MaxBytes > 0 {
		if all := unread(records, numbers); sum(all) > q.MaxBytes {
			found.Unread = all
			return nil, found, nil
		}
	}
	page := make([]T, 0, len(numbers))
	for _, n := range numbers {
		rec, _, err := s.decode(records.Get(numberKey(n)))
		if err != nil {
			return nil, found, err
		}
		page = append(page, rec)
	}
	return page, found, nil
}

// unread returns the sizes of records.
func unread(records *boltfile.Bucket, numbers []uint64) []Unread {
	all := make([]Unread, len(numbers))
	for i, n := range numbers {
		all[i] = Unread{n, len(records.Get(numberKey(n)))}
	}
	return all
}

func sum(all []Unread) (bytes int) {
	for _, one := range all {
		bytes += one.Bytes
	}
	return bytes
}

// UnreadFeedback reads feedback that a list has left unread; nil if it has been deleted
// since.
func (tx *Tx) UnreadFeedback(p ProjectID, u Unread) (*Feedback, error) {
	return feedbackSeries.readLater(tx, p, u)
}

// UnreadLog reads a log that a list has left unread; nil if it has been deleted since.
func (tx *Tx) UnreadLog(p ProjectID, u Unread) (*Log, error) { return logSeries.readLater(tx, p, u) }

func (s series[R, T]) readLater(tx *Tx, p ProjectID, u Unread) (T, error) {
	content := tx.content(p)
	if content == nil {
		return nil, nil
	}
	raw := content.Bucket(s.records).Get(numberKey(u.number))
	if raw == nil {
		return nil, nil
	}
	rec, _, err := s.decode(raw)
	return rec, err
}

// count walks the words from the newest block to the oldest.
func (s series[R, T]) count(content *boltfile.Bucket, f column.Filter, first, end uint64, q Selection) (numbers []uint64, found Found, err error) {
	pick := picker{offset: q.Offset, limit: q.Limit}
	walk := s.walk(content)
	for block := (end + column.BlockSize - 1) / column.BlockSize; block > first/column.BlockSize; block-- {
		c, err := walk.read(block-1, false)
		if err != nil {
			return nil, found, err
		}
		low, high := within(block-1, first, end)
		pick.take((block-1)*column.BlockSize, c.Match(f, low, min(high, c.Len())))
	}
	return pick.numbers, Found{Total: pick.total}, nil
}

// within cuts a range of numbers to a block and counts from its beginning.
func within(block, first, end uint64) (low, high int) {
	start := block * column.BlockSize
	low, high = 0, column.BlockSize
	if first > start {
		low = int(first - start)
	}
	if end < start+column.BlockSize {
		high = int(end - start)
	}
	return low, high
}

// picker counts marked records, newest first, and keeps the numbers of those
// on the page.
type picker struct {
	offset, limit int
	total         int
	numbers       []uint64
}

func (p *picker) take(start uint64, m column.Bitmap) {
	n := m.Count()
	if p.total+n > p.offset && len(p.numbers) < p.limit {
		at := p.total
		for i := column.BlockSize - 1; i >= 0 && len(p.numbers) < p.limit; i-- {
			if m.Has(i) {
				if at >= p.offset {
					p.numbers = append(p.numbers, start+uint64(i))
				}
				at++
			}
		}
	}
	p.total += n
}

func (p *picker) full() bool { return len(p.numbers) >= p.limit }

// LogLevels counts the logs of a project that were created in a range of time,
// ends included, by level.
func (tx *Tx) LogLevels(p ProjectID, from, to int64) (byLevel [4]int, err error) {
	err = logSeries.eachWord(tx.content(p), from, to, func(w column.Word) { byLevel[w>>levelShift&3]++ })
	return byLevel, err
}

// FeedbackRatings counts the feedback of a project that was created in a range
// of time, ends included, by rating; index 0 is unrated.
func (tx *Tx) FeedbackRatings(p ProjectID, from, to int64) (byRating [6]int, err error) {
	err = feedbackSeries.eachWord(tx.content(p), from, to, func(w column.Word) { byRating[w>>ratingShift&7]++ })
	return byRating, err
}

// eachWord calls fn with the words of all records in a range of time, hidden
// ones included.
func (s series[R, T]) eachWord(content *boltfile.Bucket, from, to int64, fn func(column.Word)) error {
	if content == nil {
		return nil
	}
	first, end := s.span(content, from, to)
	walk := s.walk(content)
	for block := first / column.BlockSize; block*column.BlockSize < end; block++ {
		c, err := walk.read(block, false)
		if err != nil {
			return err
		}
		low, high := within(block, first, end)
		for i := low; i < min(high, c.Len()); i++ {
			if w := c.Word(i); w&gone == 0 {
				fn(w)
			}
		}
	}
	return nil
}

// Find limits a list to the records that contain all of some texts.
type Find struct {
	Terms      []string // folded; not empty
	Candidates Candidates
}

// Candidates is what an index knows about where terms can be. Everything that
// changed after Seen may match too: an index only saves work, it is never
// believed.
type Candidates struct {
	All  bool            // nothing is known: everything may match
	Refs map[string]bool // Change.Ref of what may match
	Seen uint64          // sequence of the last change the index has
}

// Contain reports whether a record may match as far as the index knows.
func (n Candidates) Contain(ref string) bool { return n.All || n.Refs[ref] }

// WithChanges returns n with every record added that changed since the index saw it, or
// all records when the feed no longer reaches that far or the changes are too many.
func (tx *Tx) WithChanges(n Candidates) (Candidates, error) {
	const many = 20_000 // more than this is not worth reading
	oldest, last := tx.FeedRange()
	switch {
	case n.All || n.Seen == last:
		return n, nil
	case n.Seen > last || n.Seen+1 < oldest:
		return Candidates{All: true}, nil
	}
	changes, err := tx.Changes(n.Seen, many)
	if err != nil {
		return n, err
	}
	if len(changes) == many {
		return Candidates{All: true}, nil
	}
	refs := make(map[string]bool, len(n.Refs)+len(changes))
	for ref := range n.Refs {
		refs[ref] = true
	}
	for _, c := range changes {
		refs[c.Ref()] = true
	}
	return Candidates{Refs: refs, Seen: n.Seen}, nil
}

// exactRecords is how many records a search looks into at least before its total
// may become an upper bound; Options.ExactBytes is how much text.
const exactRecords = 10_000

// Blocks are searched in batches. What the first ones have tells how to search
// the others, so each batch is twice as large as the one before.
const (
	firstBatch = 16
	lastBatch  = 1024
)

// scan is a search in progress.
type scan struct {
	q          Selection
	filter     column.Filter
	first, end uint64 // numbers of the records in the range of time
	exactBytes int64  // of text to be looked into, beyond exactRecords

	needles []column.Needle
	batch   []candidateBlock
	records int   // that were looked into
	bytes   int64 // of text in their blocks
	pick    picker
	found   Found
}

// candidateBlock is a block that may match.
type candidateBlock struct {
	block   uint64
	columns column.Columns
	passing column.Bitmap // records in the range of time that pass the filter
	shown   column.Bitmap // records in the range of time that may be shown
	matched column.Bitmap // records to look into, then those of them that contain the terms
	damaged bool
}

// search walks the blocks that may match, newest first, and looks into their
// texts on all cores.
func (s series[R, T]) search(tx *Tx, content *boltfile.Bucket, p ProjectID, f column.Filter, first, end uint64, q Selection) ([]uint64, Found, error) {
	blocks, err := s.candidateBlocks(tx, content, p, q.Find.Candidates, first, end)
	if err != nil {
		return nil, Found{}, err
	}
	x := scan{q: q, filter: f, first: first, end: end, exactBytes: tx.store.exactBytes, pick: picker{offset: q.Offset, limit: q.Limit}}
	walk := s.walk(content)
	for size := firstBatch; len(blocks) > 0 && !x.enough(); size = min(2*size, lastBatch) {
		if blocks, err = walk.gather(&x, blocks, size); err != nil {
			return nil, x.found, err
		}
		if err = x.matchBatch(); err != nil {
			return nil, x.found, fmt.Errorf("search %s of project %d: %w", s.what, p, err)
		}
	}
	rest, err := walk.countMatches(blocks, f, first, end)
	x.found.Total = x.pick.total + rest
	x.found.Estimate = rest > 0
	return x.pick.numbers, x.found, err
}

// enough reports whether the page is complete and too much was looked into to
// go on: what is left counts as if it matched.
func (x *scan) enough() bool {
	return x.pick.full() && x.records >= exactRecords && x.bytes >= x.exactBytes
}

// gather makes the next batch of blocks that have something to look into and
// returns the blocks after it.
func (w *walk[R, T]) gather(x *scan, blocks []uint64, size int) (rest []uint64, err error) {
	x.batch = x.batch[:0]
	for ; len(blocks) > 0 && len(x.batch) < size && !x.enough(); blocks = blocks[1:] {
		c := candidateBlock{block: blocks[0]}
		if c.columns, err = w.read(c.block, true); err != nil {
			return nil, err
		}
		low, high := within(c.block, x.first, x.end)
		high = min(high, c.columns.Len())
		c.passing = c.columns.Match(x.filter, low, high)
		c.matched = c.passing
		if !x.found.Text { // whether it is in what the filter leaves out counts, too
			c.shown = c.columns.Match(x.q.shown(), low, high)
			c.matched = c.shown
		}
		if c.matched == (column.Bitmap{}) {
			continue
		}
		x.batch = append(x.batch, c)
		x.records += c.matched.Count()
		x.bytes += int64(len(c.columns.Texts))
	}
	return blocks, nil
}

// matchBatch finds the records of a batch that match.
func (x *scan) matchBatch() error {
	if x.needles == nil && len(x.batch) > 0 {
		x.needles = x.newNeedles()
	}
	parallel(len(x.batch), func(i int) { x.batch[i].match(x.needles) })
	for i := range x.batch {
		c := &x.batch[i]
		if c.damaged {
			return fmt.Errorf("%w: block %d", ErrDamaged, c.block)
		}
		x.found.Text = x.found.Text || c.shown.And(c.matched) != column.Bitmap{}
		x.pick.take(c.block*column.BlockSize, c.passing.And(c.matched))
	}
	return nil
}

// NewNeedles makes needles of the terms for texts like those of the batch.
func (x *scan) newNeedles() []column.Needle {
	const enough = 16 << 10
	longest := slices.MaxFunc(x.batch, func(a, b candidateBlock) int { return cmp.Compare(len(a.columns.Texts), len(b.columns.Texts)) })
	sample, records := longest.columns.Body(), longest.columns.Len()
	if len(sample) > enough {
		sample, records = sample[:enough], records*enough/len(sample)
	}
	return column.NewNeedles(distinct(x.q.Find.Terms), sample, records)
}

// parallel calls fn with each number below n on all cores, a few at a time so that
// none of them waits for another. Nobody works any more when it returns or
// panics: columns are not there any longer than their transaction.
func parallel(n int, fn func(i int)) {
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

// candidateBlocks lists the blocks that may match, newest first. The incomplete
// block at the end is never in the index.
func (s series[R, T]) candidateBlocks(tx *Tx, content *boltfile.Bucket, p ProjectID, n Candidates, first, end uint64) ([]uint64, error) {
	n, err := tx.WithChanges(n)
	if err != nil || end == first {
		return nil, err
	}
	sealed := s.length(content) / column.BlockSize
	low, high := first/column.BlockSize, (end-1)/column.BlockSize
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

// countMatches counts the records of blocks that pass the filter, whatever their
// texts.
func (w *walk[R, T]) countMatches(blocks []uint64, f column.Filter, first, end uint64) (n int, err error) {
	for _, b := range blocks {
		c, err := w.read(b, false)
		if err != nil {
			return 0, err
		}
		low, high := within(b, first, end)
		m := c.Match(f, low, min(high, c.Len()))
		n += m.Count()
	}
	return n, nil
}

// match leaves in matched the records that contain all needles. The rarest comes
// first, so that the others are looked for in few records.
func (c *candidateBlock) match(needles []column.Needle) {
	if c.damaged = !c.columns.Valid(); c.damaged {
		return
	}
	for i := range needles {
		if c.matched == (column.Bitmap{}) {
			return
		}
		c.matched = c.columns.MatchText(&needles[i], c.matched)
	}
}
