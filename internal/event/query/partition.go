package query

import (
	"reflect"
	"slices"
	"sync/atomic"

	"svc/internal/event/block"
)

// Partitioning is for analyses that follow each subject and need only few of the events.
// First, each worker scans some of the hours, and sorts the matching events by the worker
// to which their subject belongs. Then each worker processes the events of its own
// subjects, hour by hour. Every event is read once, and workers share no state. The two
// steps overlap: while one batch of hours is being processed, the next one is being
// scanned.

const (
	// A batch is full after the hour in which it reaches batchEvents events, or after
	// batchHours hours. Its partitions fit in the cache.
	batchEvents = 1 << 16
	batchHours  = 256
)

// matched is an event that matches an operand.
type matched struct {
	slot uint32 // slot of its subject
	when uint32 // second in the hour << 8 | mask of the operands that the event matches
}

func (d matched) second() uint32 { return d.when >> 8 }
func (d matched) mask() mask     { return mask(d.when) }

// batch holds the matching events of several consecutive hours.
type batch struct {
	first      int // index of the first hour
	hours      int
	matched    atomic.Int64
	partitions [batchHours + maxWorkers][maxWorkers][]matched // matching events by hour and worker; sorted by time, then receipt
}

// partitioner divides the matching events of a query among the workers.
type partitioner struct {
	query    *query
	operands []operand
	next     atomic.Int64                 // index of the next hour to scan
	scratch  [maxWorkers]partitionScratch // the buffers of each worker
}

// partitionScratch holds the buffers of a worker.
type partitionScratch struct {
	matcher  matcher
	selected selection
	parts    []*block.Columns
	scratch  []matched // a second buffer, for merging
}

// partition calls the function take for each hour and each worker, with the matching events that
// belong to the subjects of the worker, in order of time. start is the Unix second at which the
// hour begins. Calls for the same worker do not overlap.
func (q *query) partition(operands []operand, take func(w worker, start int64, events []matched)) error {
	d := &partitioner{query: q, operands: operands}
	full, empty := &batch{}, &batch{}
	for {
		empty.first = int(d.next.Load())
		empty.matched.Store(0)
		_, err := spread(q, func(q *query, w worker) (struct{}, error) {
			for i := range full.hours {
				take(w, q.hours[full.first+i].Start, full.partitions[i][w.own])
			}
			return struct{}{}, d.fill(q, w, empty)
		})
		if err != nil {
			return err
		}
		if empty.hours = min(int(d.next.Load()), len(q.hours)) - empty.first; empty.hours <= 0 {
			return nil
		}
		full, empty = empty, full
	}
}

// fill scans hours that no worker has scanned yet, until the batch is full.
func (d *partitioner) fill(q *query, w worker, into *batch) error {
	p := &d.scratch[w.own]
	for into.matched.Load() < batchEvents && int(d.next.Load())-into.first < batchHours {
		at := int(d.next.Add(1) - 1)
		if at >= len(q.hours) {
			return nil
		}
		partitions := &into.partitions[at-into.first]
		for i := range partitions {
			partitions[i] = partitions[i][:0]
		}
		var err error
		p.parts, err = q.visit(at, p.parts, func(_ int64, parts []*block.Columns) error { return d.hour(p, w.shift, parts, partitions) })
		if err != nil {
			return err
		}
		for _, list := range partitions {
			into.matched.Add(int64(len(list)))
		}
	}
	return nil
}

// hour divides the matching events of an hour among the workers.
func (d *partitioner) hour(p *partitionScratch, shift uint32, parts []*block.Columns, partitions *[maxWorkers][]matched) error {
	for _, part := range parts {
		p.matcher.Columns = part
		if err := p.matcher.match(d.operands); err != nil {
			return err
		}
		if !p.matcher.matching {
			continue
		}
		var before [maxWorkers]int
		for i, list := range partitions {
			before[i] = len(list)
		}
		if err := d.part(p, shift, partitions); err != nil {
			return err
		}
		for i, list := range partitions {
			p.scratch = mergeMatched(list, before[i], p.scratch)
		}
	}
	return nil
}

// part divides the matching events of one part of an hour among the workers. It appends them to the
// events of the previous parts.
func (d *partitioner) part(p *partitionScratch, shift uint32, partitions *[maxWorkers][]matched) error {
	l, s := &p.matcher, &p.selected
	low, high := l.Between(d.query.Start, d.query.End)
	for ; low < high; low += batchLength {
		s.pick(l, low, min(high, low+batchLength), false)
		s.bySubject(l.Columns)
		for i := range 1 << shift {
			if missing := s.n - (cap(partitions[i]) - len(partitions[i])); missing > 0 {
				before := cap(partitions[i])
				partitions[i] = slices.Grow(partitions[i], s.n)
				d.query.memory.take((cap(partitions[i]) - before) * int(reflect.TypeFor[matched]().Size()))
			}
		}
		if err := d.query.memory.over(); err != nil {
			return err
		}
		own := uint32(1)<<shift - 1
		for k, subject := range s.slots[:s.n] {
			list := &partitions[subject&own%maxWorkers]
			*list = append(*list, matched{subject>>shift + 1, uint32(l.Second(int(s.rows[k])))<<8 | uint32(s.masks[k])})
		}
	}
	return nil
}

// mergeMatched merges events[:from] and events[from:] in place. Both must be sorted by
// time. The merge is stable. room is a buffer, which mergeMatched returns for reuse.
func mergeMatched(events []matched, from int, room []matched) []matched {
	if from == 0 || from == len(events) || events[from-1].second() <= events[from].second() {
		return room
	}
	room = append(room[:0], events[from:]...)
	for at, i, j := len(events)-1, from, len(room); j > 0; at-- {
		if i > 0 && events[i-1].second() > room[j-1].second() {
			i--
			events[at] = events[i]
			continue
		}
		j--
		events[at] = room[j]
	}
	return room
}
