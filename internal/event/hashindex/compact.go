package hashindex

import (
	"cmp"
	"fmt"
	"slices"

	"svc/internal/integrity"
)

// The rules for merging runs. A run is merged with all smaller runs if it is at most
// twice as large as all of these together, and if at least four runs are merged. A
// partition then has three or four runs on average and at most eight. An entry is written
// about five times while it is in a partition.
const (
	mergeRuns = 4
	mergeSize = 2

	// smallRun is the number of entries below which a run is treated by these rules as if it
	// had smallRun entries.
	smallRun = 1 << 10
)

// tierOf returns the tier of a run with the given number of entries. Small runs have tier
// 0, and each further tier begins at four times the size.
func tierOf(entries int) int {
	tier := 0
	for ; entries > smallRun; entries /= 4 {
		tier++
	}
	return tier
}

// Compact merges some of the runs that should be merged. It writes at most about 8 MB, or
// more if more was added at once. It removes the entries with a payload for which alive
// returns false. If alive is nil, it removes none. worked is false if there was nothing
// to do. next is valid after the changes to the Pages have been committed.
func (x *Index) Compact(in *Pages, alive func(payload uint32) bool) (next *Index, worked bool, err error) {
	next = x.clone()
	for done := 0; ; worked = true {
		p, picked := next.neediest()
		done += countEntries(picked)
		if len(picked) == 0 || worked && done > x.MaxPartition/2 {
			break
		}
		if err := next.merge(in, p, picked, alive); err != nil {
			return nil, false, err
		}
	}
	if !worked {
		return x, false, nil
	}
	next.save(in)
	return next, true, nil
}

func countEntries(runs []run) (total int) {
	for i := range runs {
		total += int(runs[i].entries)
	}
	return total
}

// neediest returns the partition in which the most runs should be merged, and these runs.
// The fresh runs take precedence over all others.
func (x *Index) neediest() (p *partition, picked []run) {
	for _, other := range x.parts() {
		if runs := x.pick(other); len(runs) > len(picked) {
			p, picked = other, runs
			if p == &x.fresh {
				break
			}
		}
	}
	return p, picked
}

// pick returns the runs of a partition that should be merged, if there are any.
func (x *Index) pick(p *partition) []run {
	if x.tooLarge(p) {
		return slices.Clone(p.runs)
	}
	runs := slices.Clone(p.runs)
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.entries, b.entries) })
	pick, smaller := 0, 0
	for i, run := range runs {
		size := max(int(run.entries), smallRun)
		if i+1 >= mergeRuns && size <= mergeSize*smaller {
			pick = i + 1
		}
		smaller += size
	}
	return runs[:pick]
}

// tooLarge reports whether a partition has to be divided. For the fresh partition, it
// reports whether its entries have to be distributed.
func (x *Index) tooLarge(p *partition) bool {
	if p == &x.fresh {
		return countEntries(p.runs) >= x.MaxPartition/2
	}
	return countEntries(p.runs) > x.MaxPartition && p.depth < maxDepth
}

// merge merges runs of a partition. The result is one run, or one run in each of several
// partitions if the partition is divided or distributed.
func (x *Index) merge(in *Pages, p *partition, picked []run, alive func(payload uint32) bool) error {
	old, tooLarge := *p, x.tooLarge(p)
	left := countEntries(picked)
	if tooLarge && p != &x.fresh && alive != nil {
		var err error
		if left, err = x.countAlive(in, &old, picked, alive); err != nil {
			return err
		}
	}
	p.runs = slices.DeleteFunc(p.runs, func(r run) bool { return slices.Contains(picked, r) })
	into := []*partition{p}
	var halves []partition
	switch {
	case tooLarge && p == &x.fresh:
		into = x.parts()[1:]
	case tooLarge && left > x.MaxPartition/2: // otherwise removing the dead entries makes the partition small enough
		halves = p.halves()
		into = []*partition{&halves[0], &halves[1]}
	}
	if err := x.mergeInto(in, into, &old, picked, left, alive); err != nil {
		return err
	}
	if halves != nil {
		place := x.partition(uint64(p.prefix) << 32)
		x.partitions = slices.Replace(x.partitions, place, place+1, halves...)
	}
	x.drop(in, &old, picked)
	return nil
}

// halves returns the two halves of p, as partitions without runs.
func (p *partition) halves() []partition {
	depth := p.depth + 1
	return []partition{{depth: depth, prefix: p.prefix}, {depth: depth, prefix: p.prefix | 1<<(32-depth)}}
}

// countAlive returns the number of entries in runs for which alive returns true.
func (x *Index) countAlive(in *Pages, p *partition, runs []run, alive func(payload uint32) bool) (n int, err error) {
	for i := range runs {
		c := cursor{x: x, in: in, p: p, r: &runs[i]}
		for {
			more, err := c.next()
			if err != nil {
				return 0, err
			}
			if !more {
				break
			}
			if alive(c.entry.Payload) {
				n++
			}
		}
	}
	return n, nil
}

// mergeInto merges runs of the partition old and writes their entries to the partitions
// in parts, which replace old. left is an upper bound for the number of entries that
// remain.
func (x *Index) mergeInto(in *Pages, parts []*partition, old *partition, runs []run, left int, alive func(payload uint32) bool) error {
	cursors := make([]*cursor, 0, len(runs))
	for i := range runs {
		c := &cursor{x: x, in: in, p: old, r: &runs[i]}
		more, err := c.next()
		if err != nil {
			return err
		}
		if more {
			cursors = append(cursors, c)
		}
	}
	share := func(p *partition) int { return left>>(p.depth-old.depth) + 1 }
	w := x.write(in, parts[0], share(parts[0]))
	for len(cursors) > 0 {
		first, least := 0, cursors[0].entry
		for i, c := range cursors[1:] {
			if e := c.entry; e.Hash < least.Hash || e.Hash == least.Hash && e.Payload < least.Payload {
				first, least = i+1, e
			}
		}
		for len(parts) > 1 && least.Hash>>32 >= uint64(parts[1].prefix) {
			w.close()
			parts = parts[1:]
			w = x.write(in, parts[0], share(parts[0]))
		}
		if alive == nil || alive(least.Payload) {
			if err := w.add(least); err != nil {
				return err
			}
		}
		more, err := cursors[first].next()
		if err != nil {
			return err
		}
		if !more {
			cursors = slices.Delete(cursors, first, first+1)
		}
	}
	w.close()
	return nil
}

// drop deletes the pages of runs.
func (x *Index) drop(in *Pages, p *partition, runs []run) {
	for i := range runs {
		for page := range 1 << runs[i].spread {
			in.delete(p.key(&runs[i], page, nil))
		}
	}
}

// cursor iterates over the entries of a run in order. The cursor verifies each page
// before reading its entries.
type cursor struct {
	x  *Index
	in *Pages
	p  *partition
	r  *run

	entry Entry

	ahead []Entry // the next entries
	room  [readAhead]Entry

	pages   int // number of pages that have been begun
	page    page
	ofPage  uint64 // first hash of the current page
	place   uint64 // next place in the table of the current page
	first   uint64 // first hash of the current place
	at, end int    // remaining entries of the current place
}

// readAhead is the number of entries that a cursor decodes at a time.
const readAhead = 128

// next advances to the next entry. It returns false at the end of the run. The bits of
// the hash that the index does not store are 0.
func (c *cursor) next() (bool, error) {
	for len(c.ahead) == 0 {
		if more, err := c.read(); err != nil || !more {
			return false, err
		}
	}
	c.entry, c.ahead = c.ahead[0], c.ahead[1:]
	return true, nil
}

// read decodes the next entries of the current page, possibly none. more is false at the
// end of the run.
func (c *cursor) read() (more bool, err error) {
	c.ahead = c.room[:0]
	for len(c.ahead) < readAhead {
		switch {
		case c.at < c.end:
			entry := c.page.at(c.at)
			c.at++
			c.ahead = append(c.ahead, Entry{c.first | entry>>c.page.payload<<(64-hashBits), c.page.payloadOf(entry)})
		case c.page.open() && c.place < 1<<c.page.places:
			if c.at, c.end, err = c.page.bounds(c.place); err != nil {
				return false, err
			}
			c.first = c.ofPage | c.place<<(64-c.page.skip-c.page.places)
			c.place++
		case len(c.ahead) > 0 || c.pages == 1<<c.r.spread:
			return len(c.ahead) > 0, nil
		default:
			if err := c.turn(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// turn moves the cursor to the next page.
func (c *cursor) turn() error {
	page, err := c.x.page(c.in, c.p, c.r, c.pages, nil)
	if err != nil {
		return err
	}
	if err := page.verify(); err != nil {
		return fmt.Errorf("%w: hash index: run %d: %w", integrity.ErrDamaged, c.r.number, err)
	}
	c.page, c.place, c.at, c.end = page, 0, 0, 0
	c.ofPage = uint64(c.p.prefix)<<32 | uint64(c.pages)<<(64-page.skip)
	c.pages++
	return nil
}
