package series

import "svc/store/column"

// putLabels writes the labels of a complete block.
func (l List[R, T]) putLabels(block uint64, labels []byte) error {
	if l.Labels == nil {
		return nil
	}
	b, err := l.content.CreateBucketIfNotExists(l.Labels)
	if err != nil {
		return err
	}
	b.FillPercent = 0.9
	return b.Put(blockKey(block), labels)
}

// Unlabeled is a complete block with labels that have been computed, but not written.
type Unlabeled struct {
	block   uint64
	columns column.Columns
}

// ReadBlock visits the records of a block with a number in [from, end), the oldest first. It skips
// records that cannot be decoded. If the block is complete and has no stored labels, ok is true,
// and PutLabels can store the labels in made.
func (l List[R, T]) ReadBlock(block, from, end uint64, visit func(T) error) (made Unlabeled, ok bool, err error) {
	first := block * column.BlockSize
	b := column.NewBuilder(column.BlockSize)
	cursor := l.records().Cursor()
	for key, raw := cursor.Seek(numberKey(first)); key != nil; key, raw = cursor.Next() {
		number, err := l.numberOf(key)
		if err != nil {
			return made, false, err
		}
		if number >= first+column.BlockSize {
			break
		}
		rec, _, err := l.decode(raw)
		if err != nil {
			continue // the check of the file reports it
		}
		if number >= from && number < end {
			if err := visit(rec); err != nil {
				return made, false, err
			}
		}
		pad(b, int(number-first))
		b.Add(0, "", rec.Label())
	}
	pad(b, column.BlockSize)
	labels := l.labels()
	ok = block < l.Blocks() && (labels == nil || labels.Get(blockKey(block)) == nil)
	return Unlabeled{block, b.Columns()}, ok, nil
}

// PutLabels stores the labels of blocks that ReadBlock has read in an earlier transaction. It skips
// a block that has stored labels by now, or that no longer has columns.
func (l List[R, T]) PutLabels(blocks []Unlabeled) error {
	for _, u := range blocks {
		key := blockKey(u.block)
		words := column.Columns{Words: l.words().Get(key)}
		if words.Words == nil || l.labels() != nil && l.labels().Get(key) != nil {
			continue
		}
		b := column.NewBuilder(column.BlockSize)
		for i := range min(words.Len(), column.BlockSize) {
			if words.Word(i)&Gone != 0 { // it may have been removed since
				b.Add(0, "", column.Label{})
			} else {
				b.Add(0, "", u.columns.Label(i))
			}
		}
		if err := l.putLabels(u.block, b.Columns().Labels); err != nil {
			return err
		}
	}
	return nil
}
