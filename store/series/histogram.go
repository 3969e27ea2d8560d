package series

import (
	"slices"
	"sort"

	"svc/internal/boltfile"
	"svc/store/column"
)

// maxCounted is the maximum number of matches of a search that Histogram counts. If there are more,
// it counts the newest ones.
const maxCounted = 50_000

// Histogram calls fn for each record that a query selects, regardless of the page. It passes the
// index of the record's bucket, which is an interval of time, and the record's filter bits. starts
// holds the Unix seconds at which the buckets begin, in ascending order; the last bucket ends with
// the range of the query. If a search has more than maxCounted matches, fn is not called for all of
// them, and found.Total is greater than the number of calls.
func (l List[R, T]) Histogram(q Query, starts []int64, fn func(bucket int, w column.Word)) (found Found, err error) {
	if l.Missing() || len(starts) == 0 {
		return Found{}, nil
	}
	first, end := l.span(q.From, q.To)
	buckets := position{starts: l.boundaries(starts, first, end)}
	if q.Search != nil {
		return l.matchHistogram(q, first, end, &buckets, fn)
	}
	walk := l.walk()
	walk.labeled = q.Label != nil
	for block := first / column.BlockSize; block*column.BlockSize < end; block++ {
		c, err := walk.read(block, false)
		if err != nil {
			return found, err
		}
		for i := range q.within(c, q.Filter, block, first, end).All() {
			fn(buckets.of(block*column.BlockSize+uint64(i)), c.Word(i))
			found.Total++
		}
	}
	return found, nil
}

// matchHistogram implements Histogram for a query with a search.
func (l List[R, T]) matchHistogram(
	q Query, first, end uint64, buckets *position, fn func(bucket int, w column.Word),
) (found Found, err error) {
	q.Offset, q.Limit = 0, maxCounted
	numbers, found, err := l.findText(q, first, end)
	if err != nil {
		return found, err
	}
	walk := l.walk()
	var c column.Columns
	read := uint64(1<<64 - 1)
	for _, n := range slices.Backward(numbers) { // the oldest first
		if block := n / column.BlockSize; block != read {
			if c, err = walk.read(block, false); err != nil {
				return found, err
			}
			read = block
		}
		fn(buckets.of(n), c.Word(int(n%column.BlockSize)))
	}
	return found, nil
}

// position finds the bucket to which a record number belongs. Numbers must be passed in ascending
// order. starts holds the first record number of each bucket.
type position struct {
	starts []uint64
	at     int
}

func (p *position) of(n uint64) int {
	for p.at+1 < len(p.starts) && p.starts[p.at+1] <= n {
		p.at++
	}
	return p.at
}

// boundaries returns, for each of the ascending times, the number of the first record in [first,
// end) that was created at or after that time. Each search begins at the previous result, because
// most neighbouring results are close together.
func (l List[R, T]) boundaries(times []int64, first, end uint64) []uint64 {
	all := make([]uint64, len(times))
	cursor := l.records().Cursor()
	low := first
	for i, moment := range times {
		low = reachedFrom(cursor, low, end, moment)
		all[i] = low
	}
	return all
}

// reachedFrom returns the least number in [low, end) of a record that was created at or after a
// moment, in Unix seconds. It returns end if there is none. It probes with growing steps before it
// uses binary search, because the result is usually close to low.
func reachedFrom(cursor *boltfile.Cursor, low, end uint64, moment int64) uint64 {
	reached := func(n uint64) bool {
		key, raw := cursor.Seek(numberKey(n))
		return key == nil || CreatedAt(idIn(raw)) >= moment
	}
	high := low
	for step := uint64(1); high < end && !reached(high); step *= 2 {
		low, high = high+1, high+step
	}
	high = min(high, end)
	return low + uint64(sort.Search(int(high-min(low, high)), func(i int) bool { return reached(low + uint64(i)) }))
}
