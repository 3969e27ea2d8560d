package store

import "svc/store/column"

const (
	// maxHeads and maxHeadBytes bound the memory of heads: 8 MiB of texts.
	maxHeads     = 32
	maxHeadBytes = 256 << 10
)

// head has the columns of the last block of a series as far as it has come, so
// that completing the block need not decode its records. It is a cache: where
// there is none, or one of another length, the columns are made from the records.
type head struct {
	length  uint64 // of the series
	bytes   int    // of texts
	columns *column.Builder
}

type headKey struct {
	project ProjectID
	kind    Kind
}

// takeHead takes the head of a series into the transaction, so that one that
// fails leaves none behind. It returns nil when there is none for a series of a
// length.
func (tx *Tx) takeHead(of headKey, length uint64) *head {
	h := tx.heads[of]
	if h == nil {
		h = tx.store.heads[of]
		delete(tx.store.heads, of)
	}
	switch {
	case length%column.BlockSize == 0:
		h = &head{length: length, columns: column.NewBuilder(column.BlockSize)}
	case h == nil || h.length != length:
		return nil
	}
	if tx.heads == nil {
		tx.heads = map[headKey]*head{}
	}
	tx.heads[of] = h
	return h
}

// dropHead forgets the head of a series of which a record changes.
func (tx *Tx) dropHead(of headKey) {
	delete(tx.heads, of)
	delete(tx.store.heads, of)
}

// extendHead adds a new record to the head of its series and returns that; nil
// when there is none.
func (tx *Tx) extendHead(of headKey, number uint64, rec submission) *head {
	h := tx.takeHead(of, number)
	if h == nil {
		return nil
	}
	text := rec.searchText()
	h.length++
	h.bytes += len(text)
	if h.bytes > maxHeadBytes {
		tx.dropHead(of)
		return nil
	}
	h.columns.Add(rec.word(), text)
	return h
}

// keepHeads gives the heads of a committed transaction to the next one.
func (tx *Tx) keepHeads() {
	s := tx.store
	for of, h := range tx.heads {
		for other := range s.heads { // any
			if len(s.heads) < maxHeads {
				break
			}
			delete(s.heads, other)
		}
		s.heads[of] = h
	}
}
