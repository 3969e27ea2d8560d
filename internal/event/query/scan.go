package query

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/debug"
	"sort"
	"sync"
	"sync/atomic"

	"svc/internal/event/block"
)

// query holds the hours that an analysis reads: the hours of a range that have events.
type query struct {
	ctx context.Context
	Range
	hours  []Hour
	shift  uint32 // there are 1<<shift workers; stored, because GOMAXPROCS can change while a query runs
	name   func(text string) (number uint32, ok bool)
	names  int // greater than the number of every name
	text   func(name uint32) string
	memory *budget
}

// between returns a copy of the query that is limited to r, which must lie within the
// query's range.
func (q *query) between(r Range) *query {
	part := *q
	part.Range = r
	low := sort.Search(len(q.hours), func(i int) bool { return q.hours[i].Start+hourSeconds > r.Start })
	high := sort.Search(len(q.hours), func(i int) bool { return q.hours[i].Start > r.End })
	part.hours = q.hours[low:max(low, high)]
	return &part
}

// worker identifies one of the goroutines of a query. There are 1<<shift workers. Subjects and
// sessions are divided among the workers by number: a worker owns the numbers that are congruent to
// the field own modulo the number of workers. Workers therefore share no state.
type worker struct{ own, shift uint32 }

// slot returns the index that the number of a subject or session has in the worker's tables, or 0
// if another worker owns the number. Numbers and indexes start at 1.
func (w worker) slot(number uint32) uint32 {
	if number&(1<<w.shift-1) != w.own {
		return 0
	}
	return number>>w.shift + 1
}

// maxWorkers limits the number of workers of one query, so that other work can use the
// remaining processors.
const maxWorkers = 4

// workersShift returns the binary logarithm of the number of workers for a query that
// starts now.
func workersShift() (shift uint32) {
	for 2<<shift <= min(runtime.GOMAXPROCS(0), maxWorkers) {
		shift++
	}
	return shift
}

// spread runs the function work once for each worker, concurrently, and returns the
// results. The first error stops the other workers and is returned. If a worker panics,
// spread panics in the caller's goroutine.
func spread[R any](q *query, work func(q *query, w worker) (R, error)) ([]R, error) {
	results := make([]R, 1<<q.shift)
	ctx, stop := context.WithCancelCause(q.ctx)
	defer stop(nil)
	one := *q
	one.ctx = ctx
	var done sync.WaitGroup
	var panicked atomic.Pointer[string]
	for i := range results {
		done.Go(func() {
			debug.SetPanicOnFault(true) // a page that the disk cannot read causes a panic instead of a crash
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(new(fmt.Sprintf("%v\n%s", p, debug.Stack())))
					stop(context.Canceled)
				}
			}()
			var err error
			if results[i], err = work(&one, worker{uint32(i), q.shift}); err != nil {
				stop(err)
			}
		})
	}
	done.Wait()
	if text := panicked.Load(); text != nil {
		panic(*text)
	}
	return results, context.Cause(ctx)
}

// each calls visit for all hours in order of time. start is the Unix second at which an hour
// begins, and parts holds its events.
func (q *query) each(visit func(start int64, parts []*block.Columns) error) error {
	var next atomic.Int64
	return q.share(&next, visit)
}

// share calls visit for the hours that no other worker has taken. next is the index of
// the next hour to take; all workers share it.
func (q *query) share(next *atomic.Int64, visit func(start int64, parts []*block.Columns) error) error {
	var parts []*block.Columns
	for {
		i := int(next.Add(1) - 1)
		if i >= len(q.hours) {
			return nil
		}
		var err error
		if parts, err = q.visit(i, parts, visit); err != nil {
			return err
		}
	}
}

// visit opens the hour with index i and calls the function visit with the parts of that
// hour. reuse holds parts of an earlier hour, to be reused; the caller must replace it
// with the result. The error is Invalid if the query has exceeded its memory budget.
func (q *query) visit(i int, reuse []*block.Columns, visit func(start int64, parts []*block.Columns) error) ([]*block.Columns, error) {
	if err := context.Cause(q.ctx); err != nil {
		return nil, err
	}
	parts, err := q.hours[i].Open(reuse)
	if err != nil {
		return nil, err
	}
	if err := visit(q.hours[i].Start, parts); err != nil {
		return nil, err
	}
	return parts, q.memory.over()
}

// inOrder visits the rows of an hour that are in the range, sorted by time and then by
// receipt. Each call of visit covers the rows of one part, from low up to but not
// including high. at is the index of the part.
func inOrder(parts []*block.Columns, r Range, visit func(at, low, high int)) {
	lows, highs := make([]int, len(parts)), make([]int, len(parts))
	for i, p := range parts {
		lows[i], highs[i] = p.Between(r.Start, r.End)
	}
	for {
		// find the part with the earliest row, and the part with the earliest of the other rows
		first, other := -1, -1
		for i, p := range parts {
			if lows[i] == highs[i] {
				continue
			}
			switch {
			case first < 0 || p.Second(lows[i]) < parts[first].Second(lows[first]):
				first, other = i, first
			case other < 0 || p.Second(lows[i]) < parts[other].Second(lows[other]):
				other = i
			}
		}
		if first < 0 {
			return
		}
		end := highs[first]
		if other >= 0 {
			until := parts[other].Second(lows[other]) // in the same second, the rows of the part that was received first come first
			if first < other {
				until++
			}
			end = parts[first].Search(lows[first], highs[first], until)
		}
		visit(first, lows[first], end)
		lows[first] = end
	}
}

// mask is the set of operands, such as the steps of a funnel, that an event matches. Each operand
// has one bit.
type mask = uint8

// batchLength is the number of rows processed together, so that their intermediate
// results stay in the cache.
const batchLength = 2048

// selection holds the selected rows of a part, as columns. They are selected from at most
// batchLength consecutive rows.
type selection struct {
	n     int
	rows  [batchLength]uint32
	masks [batchLength]mask
	slots [batchLength]uint32 // slots or numbers of the rows' subjects
	codes [batchLength]uint32 // codes of a property's values
}

// named selects the rows in [low, high) whose event name has a nonzero mask. The range must
// not be longer than batchLength. byName holds the mask for each name code and has at least
// 256 entries.
func (s *selection) named(p *block.Columns, byName []mask, low, high int) {
	n := uint(0) // unsigned, which makes the remainder below cheaper
	if p.Names.Width == 1 {
		table := (*[256]mask)(byName)
		for i, code := range p.Names.Raw[low:high] {
			m := table[code]
			s.rows[n%batchLength], s.masks[n%batchLength] = uint32(low+i), m
			if m != 0 {
				n++
			}
		}
		s.n = int(n)
		return
	}
	for row := low; row < high; row++ {
		m := byName[p.Names.At(row)]
		s.rows[n%batchLength], s.masks[n%batchLength] = uint32(row), m
		if m != 0 {
			n++
		}
	}
	s.n = int(n)
}

// owned removes the rows of subjects that do not belong to the worker, and sets slots to
// the slots of the remaining rows' subjects.
func (s *selection) owned(p *block.Columns, bySender []subjectState) {
	n := uint(0)
	raw := p.SenderOf.Raw
	for k, row := range s.rows[:s.n] {
		var from subjectState
		switch p.SenderOf.Width {
		case 1:
			from = bySender[raw[row]]
		case 2:
			from = bySender[binary.LittleEndian.Uint16(raw[2*row:])]
		default:
			from = bySender[p.SenderOf.At(int(row))]
		}
		at, m := n%batchLength, s.masks[k]&from.wants
		s.rows[at], s.masks[at], s.slots[at] = row, m, from.slot
		if m != 0 {
			n++
		}
	}
	s.n = int(n)
}

// bySubject sets slots to the numbers of the rows' subjects.
func (s *selection) bySubject(p *block.Columns) {
	rows, raw, subjects := s.rows[:s.n], p.SenderOf.Raw, p.Subjects()
	switch p.SenderOf.Width {
	case 1:
		for k, row := range rows {
			s.slots[k] = subjects[raw[row]]
		}
	case 2:
		for k, row := range rows {
			s.slots[k] = subjects[binary.LittleEndian.Uint16(raw[2*row:])]
		}
	default:
		for k, row := range rows {
			s.slots[k] = subjects[p.SenderOf.At(int(row))]
		}
	}
}
