package series

import (
	"fmt"
	"math"

	"svc/internal/boltfile"
	"svc/store/column"
)

const (
	// pruneBlocks is the maximum number of blocks from which one transaction removes
	// records.
	pruneBlocks = 4
	// lookBlocks is the maximum number of blocks in which one transaction looks for records
	// to remove.
	lookBlocks = 16
)

// Pruning selects records to remove.
type Pruning[T any] struct {
	Before  int64 // records created before this time, in Unix seconds
	Filter  column.Filter
	Matches func(T) bool // nil selects all that pass the filter
}

// Part identifies some of the records of a block.
type Part struct {
	block   uint64
	records column.Bitmap
}

// Len returns the number of records.
func (p Part) Len() int { return p.records.Count() }

// Look examines a limited number of blocks for records to remove. The parameter from is the number
// of the first block to examine, and the result next is the number to pass in the next call. more
// is false if there are no further blocks.
func (l List[R, T]) Look(p Pruning[T], from uint64) (found []Part, next uint64, more bool, err error) {
	first, end := l.First(), l.Length()
	if p.Before != math.MaxInt64 {
		end = l.since(p.Before)
	}
	walk := l.walk()
	next = max(from, first/column.BlockSize)
	for last := next + lookBlocks; next < last && len(found) < pruneBlocks; next++ {
		if next*column.BlockSize >= end {
			return found, next, false, nil
		}
		c, err := walk.read(next, false)
		if err != nil {
			return nil, 0, false, err
		}
		part := Part{next, within(c, p.Filter, next, first, end)}
		if p.Matches != nil {
			if part.records, err = l.matching(part, p.Matches); err != nil {
				return nil, 0, false, err
			}
		}
		if part.records != (column.Bitmap{}) {
			found = append(found, part)
		}
	}
	return found, next, true, nil
}

// matching returns the records of a part for which matches returns true.
func (l List[R, T]) matching(part Part, matches func(T) bool) (column.Bitmap, error) {
	var matching column.Bitmap
	for i := range part.records.All() {
		rec, _, err := l.decode(l.records().Get(numberKey(part.block*column.BlockSize + uint64(i))))
		if err != nil {
			return matching, err
		}
		if matches(rec) {
			matching.Set(i)
		}
	}
	return matching, nil
}

// Remove removes the records of a part that have not been removed since Look, and returns their
// number. It calls the function forget for each record that it removes, and does not decode the
// other records of the block.
func (l List[R, T]) Remove(part Part, forget func(ID, column.Word) error) (n int, err error) {
	l.dropHead()
	walk := l.walk()
	walk.labeled = true
	c, err := walk.read(part.block, true)
	if err != nil {
		return 0, err
	}
	if !c.Valid() {
		return 0, fmt.Errorf("%w: block %d of %s", boltfile.ErrDamaged, part.block, l.What)
	}
	records, made := l.records(), column.NewBuilder(c.Len())
	for i := range c.Len() {
		w, text := c.Word(i), c.Text(i)
		var label column.Label
		if l.Labels != nil {
			label = c.Label(i)
		}
		if !part.records.Has(i) || w&Gone != 0 {
			made.Add(w, string(text), label)
			continue
		}
		key := numberKey(part.block*column.BlockSize + uint64(i))
		raw := records.Get(key)
		if len(raw) < len(ID{}) {
			return n, fmt.Errorf("%w: record %x of %s", boltfile.ErrDamaged, key, l.What)
		}
		l.changes.Stored(-int64(len(raw)))
		if err := forget(idIn(raw), w); err != nil {
			return n, err
		}
		if err := records.Delete(key); err != nil {
			return n, err
		}
		made.Add(Gone, "", column.Label{})
		n++
	}
	if part.block >= l.Blocks() {
		return n, nil // the last block has no columns yet
	}
	return n, l.put(part.block, made.Columns())
}
