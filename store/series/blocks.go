package series

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"svc/internal/boltfile"
	"svc/store/column"
)

func blockKey(block uint64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(block)) }

func (l List[R, T]) words() *boltfile.Bucket { return l.content.Bucket(l.Words) }
func (l List[R, T]) texts() *boltfile.Bucket { return l.content.Bucket(l.Texts) }

// labels returns the bucket of the labels. It returns nil if the series has no labels, or if no block
// has any yet.
func (l List[R, T]) labels() *boltfile.Bucket {
	if l.Labels == nil {
		return nil
	}
	return l.content.Bucket(l.Labels)
}

// Blocks returns the number of complete blocks, including blocks from which all records
// have been deleted.
func (l List[R, T]) Blocks() uint64 { return l.Length() / column.BlockSize }

// appended adds a new record to the head, which holds the columns of the last block. If the record
// completes its block, appended writes the columns of the block to the file.
func (l List[R, T]) appended(number uint64, e Encoded) error {
	h := l.extendHead(number, e)
	if (number+1)%column.BlockSize != 0 {
		return nil
	}
	block := number / column.BlockSize
	if h == nil {
		return l.seal(block)
	}
	l.dropHead()
	return l.put(block, h.columns.Columns())
}

// seal computes the columns of a complete block from its records and writes them.
func (l List[R, T]) seal(block uint64) error {
	c, err := l.readColumns(block, l.Labels != nil)
	if err != nil {
		return err
	}
	return l.put(block, c)
}

// put writes the columns of a complete block.
func (l List[R, T]) put(block uint64, c column.Columns) error {
	words, texts := l.words(), l.texts()
	words.FillPercent, texts.FillPercent = 0.9, 0.9
	if err := words.Put(blockKey(block), c.Words); err != nil {
		return err
	}
	if err := texts.PutValue(blockKey(block), c.Texts); err != nil {
		return err
	}
	if err := l.putLabels(block, c.Labels); err != nil {
		return err
	}
	return l.changes.Packed(uint32(block), int64(len(c.Texts)))
}

// readColumns computes the columns of a block from its records. A number without a record
// gets the filter bits Gone and an empty text. The labels are set only if labeled is true.
func (l List[R, T]) readColumns(block uint64, labeled bool) (column.Columns, error) {
	first := block * column.BlockSize
	n := int(min(l.Length()-first, column.BlockSize))
	made := column.NewBuilder(n)
	cursor := l.records().Cursor()
	for key, raw := cursor.Seek(numberKey(first)); key != nil; key, raw = cursor.Next() {
		number, err := l.numberOf(key)
		if err != nil {
			return column.Columns{}, err
		}
		if number >= first+uint64(n) {
			break
		}
		rec, _, err := l.decode(raw)
		if err != nil {
			return column.Columns{}, err
		}
		var label column.Label
		if labeled {
			label = rec.Label()
		}
		pad(made, int(number-first))
		made.Add(rec.Word(), rec.SearchText(), label)
	}
	pad(made, n)
	return made.Columns(), nil
}

// pad adds entries with the filter bits Gone until the builder has n entries in all.
func pad(made *column.Builder, n int) {
	for len(made.Words) < 2*n {
		made.Add(Gone, "", column.Label{})
	}
}

// Text returns the concatenated folded texts of all records of a complete block. ok is false if the
// block has no columns.
func (l List[R, T]) Text(block uint32) (text string, ok bool, err error) {
	texts := l.texts().Value(blockKey(uint64(block)))
	if texts == nil {
		return "", false, nil
	}
	columns := column.Columns{Words: l.words().Get(blockKey(uint64(block))), Texts: texts}
	if !columns.Valid() {
		return "", false, fmt.Errorf("%w: block %d of %s", boltfile.ErrDamaged, block, l.What)
	}
	return string(columns.Body()), true, nil
}

// walk reads the columns of many blocks. It is fastest if blocks are read in order,
// because its cursors then only move to the next block.
type walk[R any, T Record[R]] struct {
	list         List[R, T]
	labeled      bool   // read the labels as well
	sealed       uint64 // number of blocks that have columns
	words, texts blockCursor
	labels       blockCursor
	last         column.Columns // columns of the incomplete block, once it has been read
}

func (l List[R, T]) walk() *walk[R, T] {
	return &walk[R, T]{
		list: l, sealed: l.Blocks(),
		words: newBlockCursor(l.words()), texts: newBlockCursor(l.texts()), labels: newBlockCursor(l.labels()),
	}
}

// read returns the columns of a block. For a complete block, they are slices of the file;
// for the incomplete block, they are computed from its records. The texts of a complete
// block are set only if texts is true.
func (w *walk[R, T]) read(block uint64, texts bool) (c column.Columns, err error) {
	if block >= w.sealed {
		if w.last.Words == nil {
			w.last, err = w.list.readColumns(block, w.labeled)
		}
		return w.last, err
	}
	c.Words = w.words.read(block)
	if texts {
		c.Texts = w.texts.read(block)
	}
	if len(c.Words) != 2*column.BlockSize || texts && len(c.Texts) < 4*column.BlockSize {
		return c, fmt.Errorf("%w: block %d of %s has no whole columns", boltfile.ErrDamaged, block, w.list.What)
	}
	if !w.labeled || w.list.Labels == nil {
		return c, nil
	}
	if c.Labels = w.labels.read(block); c.Labels == nil { // the block was completed before the series had labels
		made, err := w.list.readColumns(block, true)
		c.Labels = made.Labels
		return c, err
	}
	if !c.Labeled() {
		return c, fmt.Errorf("%w: block %d of %s has no whole labels", boltfile.ErrDamaged, block, w.list.What)
	}
	return c, nil
}

// blockCursor is a cursor in the bucket of one of the columns.
type blockCursor struct {
	bucket *boltfile.Bucket
	cursor *boltfile.Cursor
	next   uint64 // the block after the last one that was read
}

// newBlockCursor returns a cursor in a bucket. If the bucket is nil, the cursor finds nothing.
func newBlockCursor(b *boltfile.Bucket) blockCursor {
	if b == nil {
		return blockCursor{}
	}
	return blockCursor{bucket: b, cursor: b.Cursor()}
}

// read returns the column of a block, or nil if there is none.
func (c *blockCursor) read(block uint64) []byte {
	if c.bucket == nil {
		return nil
	}
	key := blockKey(block)
	var at, value []byte
	switch c.next {
	case block:
		at, value = c.cursor.Next()
	case block + 2:
		at, value = c.cursor.Prev()
	}
	if at == nil { // the block is elsewhere, or this is the first read
		at, value = c.cursor.Seek(key)
	}
	if c.next = block + 1; !bytes.Equal(at, key) {
		return nil
	}
	return c.bucket.ValueAt(key, value)
}

// trimBlocks is the maximum number of blocks from which one call of Trim removes the columns.
const trimBlocks = 256

// Trim removes the columns of blocks in which the numbers of all records are less than the
// parameter first. The result more reports whether another call may remove further columns.
func (l List[R, T]) Trim(first uint64) (more bool, err error) {
	blocks, err := l.Needless(first)
	if err != nil {
		return false, err
	}
	for _, block := range blocks {
		if err := l.words().Delete(blockKey(block)); err != nil {
			return false, err
		}
		if err := l.texts().DeleteValue(blockKey(block)); err != nil {
			return false, err
		}
		if labels := l.labels(); labels != nil {
			if err := labels.Delete(blockKey(block)); err != nil {
				return false, err
			}
		}
		if err := l.changes.Packed(uint32(block), 0); err != nil {
			return false, err
		}
	}
	return len(blocks) == trimBlocks, nil
}

// Needless lists the blocks from which the next call of Trim would remove the columns.
func (l List[R, T]) Needless(first uint64) (blocks []uint64, err error) {
	cursor := l.words().Cursor()
	for key, _ := cursor.First(); key != nil && len(blocks) < trimBlocks; key, _ = cursor.Next() {
		if len(key) != 4 {
			return nil, fmt.Errorf("%w: block %x of %s", boltfile.ErrDamaged, key, l.What)
		}
		block := uint64(binary.BigEndian.Uint32(key))
		if block >= first/column.BlockSize {
			break
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}
