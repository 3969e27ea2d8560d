package series

import (
	"cmp"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"svc/internal/boltfile"
	"svc/store/column"
)

// Query selects a page of a list. The newest record comes first unless a field says
// otherwise.
type Query struct {
	Shown    column.Filter // selects the records that the list may show at all; see Found.Text
	Filter   column.Filter // selects the records of the list; a record that passes it must also pass Shown
	From, To int64         // creation times in Unix seconds, both inclusive; 0 and math.MaxInt64 set no bound
	Search   *Search       // nil selects all records that pass the filter
	// Label reports whether records with a given label are selected. nil selects all records.
	Label func(column.Label) bool

	// Groups orders the list by properties of the records: first come the records that pass the
	// first filter, then those that pass the second one, and so on. Each record that passes Filter
	// must pass exactly one of them. nil orders by age only.
	Groups []column.Filter
	Oldest bool // the oldest come first in each group

	Offset, Limit int
	// MaxBytes limits the total stored size of the page's records. If they exceed the limit, none of
	// them is read, and Found.Unread lists them. 0 means no limit.
	MaxBytes int
}

// Search limits a page to the records that contain all of the given terms.
type Search struct {
	Terms []string // folded; no term may be empty
	// Blocks lists the complete blocks that may contain the terms; the incomplete block is
	// always searched. If All is true, every block may contain them.
	Blocks []uint32
	All    bool
	// ExactBytes is the number of bytes of text to search before the total may become an
	// upper bound.
	ExactBytes int64
}

// Found describes the result of a query: the total number of records, and the records of
// the page that were not read.
type Found struct {
	Total int
	// Estimate reports that Total is an upper bound, because finding the exact number would
	// require reading too much text.
	Estimate bool
	// Text reports that at least one record in the range of time contains the terms. That record
	// may fail Query.Filter, but must pass Query.Shown.
	Text bool
	// Unread lists the records of the page if they exceed Query.MaxBytes.
	Unread []Unread
}

// Unread identifies a record of a page that was not read because of Query.MaxBytes.
type Unread struct {
	number uint64
	Bytes  int // stored size
}

// Page returns a page of the list.
func (l List[R, T]) Page(q Query) ([]T, Found, error) {
	if l.Missing() {
		return nil, Found{}, nil
	}
	first, end := l.span(q.From, q.To)
	var numbers []uint64
	var found Found
	var err error
	if q.Search == nil {
		numbers, found.Total, err = l.count(q, first, end)
	} else {
		numbers, found, err = l.findText(q, first, end)
	}
	if err != nil {
		return nil, found, err
	}
	records := l.records()
	if q.MaxBytes > 0 {
		all, bytes := make([]Unread, len(numbers)), 0
		for i, n := range numbers {
			all[i] = Unread{n, len(records.Get(numberKey(n)))}
			bytes += all[i].Bytes
		}
		if bytes > q.MaxBytes {
			found.Unread = all
			return nil, found, nil
		}
	}
	page := make([]T, 0, len(numbers))
	for _, n := range numbers {
		rec, _, err := l.decode(records.Get(numberKey(n)))
		if err != nil {
			return nil, found, err
		}
		page = append(page, rec)
	}
	return page, found, nil
}

// Read reads a record that Page left unread. It returns nil if the record has been
// deleted since.
func (l List[R, T]) Read(u Unread) (T, error) {
	if l.Missing() {
		return nil, nil
	}
	raw := l.records().Get(numberKey(u.number))
	if raw == nil {
		return nil, nil
	}
	rec, _, err := l.decode(raw)
	return rec, err
}

// count counts the records that pass the filter, in the order of the list, and returns the
// numbers of those on the page. It reads the filter bits once for each group.
func (l List[R, T]) count(q Query, first, end uint64) (numbers []uint64, total int, err error) {
	walk := l.walk()
	walk.labeled = q.Label != nil
	for _, group := range q.groups() {
		pick := q.rest(total, len(numbers))
		for block := range blocksIn(first, end, q.Oldest) {
			c, err := walk.read(block, false)
			if err != nil {
				return nil, 0, err
			}
			pick.take(block*column.BlockSize, q.within(c, group, block, first, end))
		}
		numbers, total = append(numbers, pick.numbers...), total+pick.total
	}
	return numbers, total, nil
}

// blocksIn yields the blocks of the records with the numbers in [first, end). The newest block
// comes first unless oldest is true.
func blocksIn(first, end uint64, oldest bool) iter.Seq[uint64] {
	low, n := first/column.BlockSize, (end+column.BlockSize-1)/column.BlockSize-first/column.BlockSize
	return func(yield func(uint64) bool) {
		for i := range n {
			block := low + i
			if !oldest {
				block = low + n - 1 - i
			}
			if !yield(block) {
				return
			}
		}
	}
}

// groups returns the groups of the list. If Groups is nil, all records belong to one group.
func (q Query) groups() []column.Filter {
	if q.Groups == nil {
		return []column.Filter{q.Filter}
	}
	return q.Groups
}

// rest returns a picker for the next group. total is the number of records in the groups
// before it, and picked is the number of records that are already on the page.
func (q Query) rest(total, picked int) picker {
	return picker{offset: max(q.Offset-total, 0), limit: q.Limit - picked, oldest: q.Oldest}
}

// within returns the records of a block that pass the filter f and have a number in
// [first, end).
func within(c column.Columns, f column.Filter, block, first, end uint64) column.Bitmap {
	low, high := bounds(block, first, end)
	return c.Match(f, low, min(high, c.Len()))
}

// within returns the records of a block that pass the filter f and the query's condition for
// labels, and have a number in [first, end).
func (q *Query) within(c column.Columns, f column.Filter, block, first, end uint64) column.Bitmap {
	m := within(c, f, block, first, end)
	if q.Label == nil || m == (column.Bitmap{}) {
		return m
	}
	return c.MatchLabel(q.Label, m)
}

// bounds returns the part of the range [first, end) that lies in a block, as positions
// within the block.
func bounds(block, first, end uint64) (low, high int) {
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

// picker counts the records that are marked in the bitmaps of blocks, in the order of the list, and
// collects the numbers of those that are on the page.
type picker struct {
	offset, limit int
	oldest        bool // whether the oldest record comes first
	total         int
	numbers       []uint64
}

func (p *picker) take(start uint64, m column.Bitmap) {
	n := m.Count()
	if p.total+n > p.offset && len(p.numbers) < p.limit {
		at := p.total
		for n := 0; n < column.BlockSize && len(p.numbers) < p.limit; n++ {
			i := n
			if !p.oldest {
				i = column.BlockSize - 1 - n
			}
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

// EachWord calls fn with the filter bits of each record that was created in the range [from, to],
// in Unix seconds.
func (l List[R, T]) EachWord(from, to int64, fn func(column.Word)) error {
	if l.Missing() {
		return nil
	}
	first, end := l.span(from, to)
	walk := l.walk()
	for block := first / column.BlockSize; block*column.BlockSize < end; block++ {
		c, err := walk.read(block, false)
		if err != nil {
			return err
		}
		low, high := bounds(block, first, end)
		for i := low; i < min(high, c.Len()); i++ {
			if w := c.Word(i); w&Gone == 0 {
				fn(w)
			}
		}
	}
	return nil
}

// exactRecords is the minimum number of records that are searched before the total of a search may
// become an upper bound. Search.ExactBytes is the corresponding limit for the text.
const exactRecords = 10_000

// Blocks are searched in batches. The first batch has only firstBatch blocks, because its text
// serves as the sample from which the needles are built. Each later batch is twice as large as the
// one before, up to lastBatch blocks.
const (
	firstBatch = 16
	lastBatch  = 1024
)

// scan is the state of a search while it runs.
type scan struct {
	Query
	first, end uint64 // numbers of the records in the range of time

	needles []column.Needle
	batch   []candidateBlock
	records int   // number of records that were searched
	bytes   int64 // bytes of text in the blocks searched
	pick    picker
	found   Found
}

// candidateBlock is a block that may match.
type candidateBlock struct {
	block   uint64
	columns column.Columns
	passing column.Bitmap // records in the range of time that pass the filter
	shown   column.Bitmap // records in the range of time that may be shown
	matched column.Bitmap // records to search; after match, those of them that contain the terms
	damaged bool
}

// findText searches the texts of the blocks that may match, on all cores and in the order of the
// list. The minimum amount of text to search is for all groups together.
func (l List[R, T]) findText(q Query, first, end uint64) (numbers []uint64, found Found, err error) {
	blocks := l.candidates(q, first, end)
	x := scan{Query: q, first: first, end: end}
	walk := l.walk()
	walk.labeled = q.Label != nil
	for _, group := range q.groups() {
		x.Filter, x.pick = group, q.rest(x.found.Total, len(numbers))
		if err := walk.findGroup(&x, blocks); err != nil {
			return nil, x.found, err
		}
		if numbers = append(numbers, x.pick.numbers...); !x.found.Text {
			break // no record contains the terms: to find that out, the first group was searched without the filter
		}
	}
	return numbers, x.found, nil
}

// findGroup searches the blocks for the records of a group, and adds them to the total.
func (w *walk[R, T]) findGroup(x *scan, blocks []uint64) (err error) {
	for size := firstBatch; len(blocks) > 0 && !x.enough(); size = min(2*size, lastBatch) {
		if blocks, err = w.gather(x, blocks, size); err != nil {
			return err
		}
		if err = x.matchBatch(); err != nil {
			return fmt.Errorf("search %s: %w", w.list.What, err)
		}
	}
	rest, err := w.countMatches(blocks, x)
	x.found.Total += x.pick.total + rest
	x.found.Estimate = x.found.Estimate || rest > 0
	return err
}

// enough reports whether the search can stop: the page is complete and the minimum amount
// of text has been searched. The total then includes all records of the remaining blocks,
// which makes it an upper bound.
func (x *scan) enough() bool {
	return x.pick.full() && x.records >= exactRecords && x.bytes >= x.Search.ExactBytes
}

// gather reads the next batch, which has at most size blocks. It skips blocks without records to
// search. rest holds the blocks that follow the batch.
func (w *walk[R, T]) gather(x *scan, blocks []uint64, size int) (rest []uint64, err error) {
	x.batch = x.batch[:0]
	for ; len(blocks) > 0 && len(x.batch) < size && !x.enough(); blocks = blocks[1:] {
		c := candidateBlock{block: blocks[0]}
		if c.columns, err = w.read(c.block, true); err != nil {
			return nil, err
		}
		c.passing = x.within(c.columns, x.Filter, c.block, x.first, x.end)
		c.matched = c.passing
		if !x.found.Text { // no match yet: also search records that do not pass the filter, for Found.Text
			c.shown = within(c.columns, x.Shown, c.block, x.first, x.end)
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

// matchBatch finds the matching records of a batch.
func (x *scan) matchBatch() error {
	if x.needles == nil && len(x.batch) > 0 {
		x.needles = x.newNeedles()
	}
	parallel(len(x.batch), func(i int) { x.batch[i].match(x.needles) })
	for i := range x.batch {
		c := &x.batch[i]
		if c.damaged {
			return fmt.Errorf("%w: block %d", boltfile.ErrDamaged, c.block)
		}
		x.found.Text = x.found.Text || c.shown.And(c.matched) != column.Bitmap{}
		x.pick.take(c.block*column.BlockSize, c.passing.And(c.matched))
	}
	return nil
}

// newNeedles builds needles from the terms. The sample is taken from the block with the most text
// in the batch.
func (x *scan) newNeedles() []column.Needle {
	const enough = 16 << 10
	longest := slices.MaxFunc(x.batch, func(a, b candidateBlock) int { return cmp.Compare(len(a.columns.Texts), len(b.columns.Texts)) })
	sample, records := longest.columns.Body(), longest.columns.Len()
	if len(sample) > enough {
		sample, records = sample[:enough], records*enough/len(sample)
	}
	return column.NewNeedles(distinct(x.Search.Terms), sample, records)
}

// parallel calls fn with each number below n, on all cores. A worker takes a few numbers
// at a time, so that workers rarely wait for each other. All workers have stopped when it
// returns or panics, because columns are only valid inside their transaction.
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

// distinct returns the terms that are not part of another term, because a record that
// contains the longer term contains them, too.
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

// candidates lists the blocks that may match, in the order of the list.
func (l List[R, T]) candidates(q Query, first, end uint64) (blocks []uint64) {
	if end == first {
		return nil
	}
	s, sealed := q.Search, l.Blocks()
	if s.All {
		return slices.Collect(blocksIn(first, end, q.Oldest))
	}
	low, high := first/column.BlockSize, (end-1)/column.BlockSize
	if high >= sealed {
		blocks = append(blocks, sealed)
	}
	for _, block := range s.Blocks {
		if b := uint64(block); b >= low && b <= high && b < sealed {
			blocks = append(blocks, b)
		}
	}
	slices.Sort(blocks)
	if !q.Oldest {
		slices.Reverse(blocks)
	}
	return blocks
}

// countMatches counts the records of the given blocks that pass the filter, regardless of
// their texts.
func (w *walk[R, T]) countMatches(blocks []uint64, x *scan) (n int, err error) {
	for _, b := range blocks {
		c, err := w.read(b, false)
		if err != nil {
			return 0, err
		}
		m := x.within(c, x.Filter, b, x.first, x.end)
		n += m.Count()
	}
	return n, nil
}

// match removes from c.matched the records that do not contain all needles. The rarest needle is
// searched first, so that the others have to be searched in few records.
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
