package store

import "svc/store/column"

const (
	// maxHeads and maxHeadBytes bound the memory of all heads.
	maxHeads     = 32
	maxHeadBytes = 8 << 20 // of texts; a block of long ones has 1 MiB
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
		h = tx.store.heads.take(of)
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
	tx.store.heads.take(of)
}

// extendHead adds a new record to the head of its series and returns that; nil
// when there is none.
func (tx *Tx) extendHead(of headKey, number uint64, e Encoded) *head {
	h := tx.takeHead(of, number)
	if h == nil {
		return nil
	}
	h.length++
	h.bytes += len(e.text)
	if h.bytes > maxHeadBytes {
		tx.dropHead(of)
		return nil
	}
	h.columns.Add(e.word, e.text)
	return h
}

// keepHeads gives the heads of a committed transaction to the next one.
func (tx *Tx) keepHeads() {
	for of, h := range tx.heads {
		tx.store.heads.keep(of, h)
	}
}

// heads are those that wait for the next transaction.
type heads struct {
	of    map[headKey]*head
	bytes int // of their texts
}

// take removes the head of a series and returns it; nil when there is none.
func (s *heads) take(of headKey) *head {
	h := s.of[of]
	if h != nil {
		delete(s.of, of)
		s.bytes -= h.bytes
	}
	return h
}

// keep adds a head. Others, any of them, make room for it.
func (s *heads) keep(of headKey, h *head) {
	s.take(of)
	for other := range s.of {
		if len(s.of) < maxHeads && s.bytes+h.bytes <= maxHeadBytes {
			break
		}
		s.take(other)
	}
	s.of[of] = h
	s.bytes += h.bytes
}
