package event

import (
	"cmp"
	"fmt"
	"slices"
)

// A run is merged with all smaller ones when it is at most twice as large as they
// are together and there are four at least. A partition then has three or four
// runs on average and eight at most, and an entry is written some five times on
// its way through a partition.
const (
	hashMergeRuns = 4
	hashMergeSize = 2

	// smallHashRun is the size up to which runs count as if they had it.
	smallHashRun = 1 << 10
)

// hashTier is 0 for small runs and one more for each four times as many entries.
func hashTier(entries int) int {
	tier := 0
	for ; entries > smallHashRun; entries /= 4 {
		tier++
	}
	return tier
}

// compact does a bounded part of the work that is waiting and writes some 8 MB
// at most, unless more was added at once. It leaves out entries with a payload
// that is not alive; nil means that all are. worked is false if there was nothing
// to do. What it returns is for after the commit of the changes.
func (x *hashIndex) compact(in *hashPages, alive func(payload uint32) bool) (next *hashIndex, worked bool, err error) {
	next = x.clone()
	for done := 0; ; worked = true {
		p, picked := next.neediest()
		done += hashEntries(picked)
		if len(picked) == 0 || worked && done > x.mostPartition/2 {
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

func hashEntries(runs []hashRun) (total int) {
	for i := range runs {
		total += int(runs[i].entries)
	}
	return total
}

// neediest is where runs should be merged, and which. Fresh ones are first, then
// the partition with the most of them.
func (x *hashIndex) neediest() (p *hashPartition, picked []hashRun) {
	for _, other := range x.all() {
		if runs := x.pick(other); len(runs) > len(picked) {
			p, picked = other, runs
			if p == &x.fresh {
				break
			}
		}
	}
	return p, picked
}

// pick chooses the runs of a partition that should be merged.
func (x *hashIndex) pick(p *hashPartition) []hashRun {
	if x.tooLarge(p) {
		return slices.Clone(p.runs)
	}
	runs := slices.Clone(p.runs)
	slices.SortFunc(runs, func(a, b hashRun) int { return cmp.Compare(a.entries, b.entries) })
	pick, smaller := 0, 0
	for i, run := range runs {
		size := max(int(run.entries), smallHashRun)
		if i+1 >= hashMergeRuns && size <= hashMergeSize*smaller {
			pick = i + 1
		}
		smaller += size
	}
	return runs[:pick]
}

// tooLarge reports whether a partition has to be divided, or whether fresh
// entries have to be distributed.
func (x *hashIndex) tooLarge(p *hashPartition) bool {
	if p == &x.fresh {
		return hashEntries(p.runs) >= x.mostPartition/2
	}
	return hashEntries(p.runs) > x.mostPartition && p.depth < mostHashDepth
}

// merge makes one run of several, or several of which each belongs to another
// partition.
func (x *hashIndex) merge(in *hashPages, p *hashPartition, picked []hashRun, alive func(payload uint32) bool) error {
	old, tooLarge := *p, x.tooLarge(p)
	left := hashEntries(picked)
	if tooLarge && p != &x.fresh && alive != nil {
		var err error
		if left, err = x.countAlive(in, &old, picked, alive); err != nil {
			return err
		}
	}
	p.runs = slices.DeleteFunc(p.runs, func(r hashRun) bool { return slices.Contains(picked, r) })
	into := []*hashPartition{p}
	var halves []hashPartition
	switch {
	case tooLarge && p == &x.fresh:
		into = x.all()[1:]
	case tooLarge && left > x.mostPartition/2: // otherwise it is small again without what is not alive
		halves = p.halves()
		into = []*hashPartition{&halves[0], &halves[1]}
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

// halves are two partitions without runs that divide one.
func (p *hashPartition) halves() []hashPartition {
	depth := p.depth + 1
	return []hashPartition{{depth: depth, prefix: p.prefix}, {depth: depth, prefix: p.prefix | 1<<(32-depth)}}
}

// countAlive is how many entries of runs are alive.
func (x *hashIndex) countAlive(in *hashPages, p *hashPartition, runs []hashRun, alive func(payload uint32) bool) (n int, err error) {
	for i := range runs {
		c := hashCursor{x: x, in: in, p: p, r: &runs[i]}
		for {
			more, err := c.next()
			if err != nil {
				return 0, err
			}
			if !more {
				break
			}
			if alive(c.entry.payload) {
				n++
			}
		}
	}
	return n, nil
}

// mergeInto writes the entries of runs into partitions that divide theirs. It is
// told that at most left of them are alive.
func (x *hashIndex) mergeInto(in *hashPages, parts []*hashPartition, old *hashPartition, runs []hashRun, left int, alive func(payload uint32) bool) error {
	cursors := make([]*hashCursor, 0, len(runs))
	for i := range runs {
		c := &hashCursor{x: x, in: in, p: old, r: &runs[i]}
		more, err := c.next()
		if err != nil {
			return err
		}
		if more {
			cursors = append(cursors, c)
		}
	}
	share := func(p *hashPartition) int { return left>>(p.depth-old.depth) + 1 }
	w := x.write(in, parts[0], share(parts[0]))
	for len(cursors) > 0 {
		first := 0
		for i, c := range cursors {
			if c.entry.compare(cursors[first].entry) < 0 {
				first = i
			}
		}
		c := cursors[first]
		for len(parts) > 1 && c.entry.hash>>32 >= uint64(parts[1].prefix) {
			w.close()
			parts = parts[1:]
			w = x.write(in, parts[0], share(parts[0]))
		}
		if alive == nil || alive(c.entry.payload) {
			if err := w.add(c.entry); err != nil {
				return err
			}
		}
		more, err := c.next()
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

// drop removes the pages of runs.
func (x *hashIndex) drop(in *hashPages, p *hashPartition, runs []hashRun) {
	for i := range runs {
		for page := range 1 << runs[i].spread {
			in.delete(p.key(&runs[i], page, nil))
		}
	}
}

// hashCursor walks the entries of a run in their order. Pages are verified as it
// comes to them.
type hashCursor struct {
	x  *hashIndex
	in *hashPages
	p  *hashPartition
	r  *hashRun

	pages   int // that were begun
	page    hashPage
	place   uint64 // in the table of the page; one more than that of the entry
	at, end int    // entries of the page
	entry   hashEntry
}

// next goes to the next entry and is false when there is none.
func (c *hashCursor) next() (bool, error) {
	for c.at == c.end {
		switch {
		case c.page.open() && c.place < 1<<c.page.places:
			low, high, err := c.page.bounds(c.place)
			if err != nil {
				return false, err
			}
			c.at, c.end = low, high
			c.place++
		case c.pages < 1<<c.r.spread:
			page, err := c.x.page(c.in, c.p, c.r, c.pages, nil)
			if err != nil {
				return false, err
			}
			if err := page.verify(); err != nil {
				return false, fmt.Errorf("%w: hash index: run %d: %w", ErrDamaged, c.r.number, err)
			}
			c.page, c.place, c.at, c.end = page, 0, 0, 0
			c.pages++
		default:
			return false, nil
		}
	}
	entry := c.page.at(c.at)
	c.at++
	known := c.page.skip + c.page.places
	c.entry = hashEntry{
		hash: uint64(c.p.prefix)<<32 | uint64(c.pages-1)<<(64-c.page.skip) |
			(c.place-1)<<(64-known) | entry>>c.page.payload<<(64-hashBits),
		payload: c.page.payloadOf(entry),
	}
	return true, nil
}
