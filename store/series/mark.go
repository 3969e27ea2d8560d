package series

import (
	"fmt"
	"maps"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/fault"
	"svc/store/column"
)

// Mark calls the function change with the record of each id, and stores the record if the function
// returns true. ids must not contain an id twice. The function must not change the searchable text
// of the record. Mark writes the filter bits of each block only once, and decodes no other records
// of the blocks. The error is NotFound and names the id if there is no record with it; the caller
// must then roll back the transaction.
func (l List[R, T]) Mark(ids []ID, change func(T) bool) error {
	marked := map[uint64][]byte{} // the new filter bits by block
	for _, id := range ids {
		number, rec, err := l.find(id)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.NotFound, "%s %s not found", l.What, id)
		}
		if err != nil {
			return err
		}
		if !change(rec) {
			continue
		}
		if err := l.store(number, id, rec); err != nil {
			return err
		}
		block := number / column.BlockSize
		if block >= l.Blocks() {
			continue // the last block has no columns yet
		}
		if marked[block] == nil {
			words := l.words().Get(blockKey(block))
			if len(words) != 2*column.BlockSize {
				return fmt.Errorf("%w: block %d of %s has no whole columns", boltfile.ErrDamaged, block, l.What)
			}
			marked[block] = slices.Clone(words)
		}
		column.Columns{Words: marked[block]}.SetWord(int(number%column.BlockSize), rec.Word())
	}
	words := l.words()
	words.FillPercent = 0.9
	for _, block := range slices.Sorted(maps.Keys(marked)) {
		if err := words.Put(blockKey(block), marked[block]); err != nil {
			return err
		}
	}
	return nil
}
