package series

import "svc/store/column"

const (
	// maxHeads and maxHeadBytes limit the memory that the heads of all lists use.
	maxHeads     = 32
	maxHeadBytes = 8 << 20 // bytes of texts; the texts of one block can take 1 MiB
)

// head holds the columns of the last, incomplete block of a list, so that its records need not be
// decoded when the block is completed. Heads are only a cache: if a list has no head, or if the
// head is of another length than the list, the columns are computed from the records.
type head struct {
	length  uint64 // length of the list
	bytes   int    // bytes of the texts
	columns *column.Builder
}

type headKey struct {
	owner uint32
	what  string // the name of the series
}

// Cache stores heads between transactions. It is not safe for concurrent use: the caller
// must hold the writer lock.
type Cache struct {
	of    map[headKey]*head
	bytes int // total bytes of the heads' texts
}

// Begin returns an empty set of heads for a new transaction.
func (c *Cache) Begin() *Heads { return &Heads{cache: c} }

// take removes a head from the cache and returns it, or nil if there is none.
func (c *Cache) take(of headKey) *head {
	h := c.of[of]
	if h != nil {
		delete(c.of, of)
		c.bytes -= h.bytes
	}
	return h
}

// keep adds a head. It removes arbitrary other heads if the cache is full.
func (c *Cache) keep(of headKey, h *head) {
	c.take(of)
	for other := range c.of {
		if len(c.of) < maxHeads && c.bytes+h.bytes <= maxHeadBytes {
			break
		}
		c.take(other)
	}
	if c.of == nil {
		c.of = map[headKey]*head{}
	}
	c.of[of] = h
	c.bytes += h.bytes
}

// Heads holds the heads that a transaction has taken from the cache. If the transaction
// fails, they are discarded, so that the cache never contains data that was not
// committed.
type Heads struct {
	cache *Cache
	taken map[headKey]*head
}

// Keep puts the heads back into the cache. The caller must call it only after the transaction has
// been committed.
func (t *Heads) Keep() {
	for of, h := range t.taken {
		t.cache.keep(of, h)
	}
}

// take returns the head of a list with the given length. It returns nil if there is no head, or if
// the head has another length. For a list without an incomplete block, it returns a new, empty
// head.
func (t *Heads) take(of headKey, length uint64) *head {
	h := t.taken[of]
	if h == nil {
		h = t.cache.take(of)
	}
	switch {
	case length%column.BlockSize == 0:
		h = &head{length: length, columns: column.NewBuilder(column.BlockSize)}
	case h == nil || h.length != length:
		return nil
	}
	if t.taken == nil {
		t.taken = map[headKey]*head{}
	}
	t.taken[of] = h
	return h
}

func (t *Heads) drop(of headKey) {
	delete(t.taken, of)
	t.cache.take(of)
}

func (l List[R, T]) headKey() headKey { return headKey{l.changes.Owner, l.What} }

// dropHead discards the head of the list, because its columns are outdated, too large, or
// no longer needed.
func (l List[R, T]) dropHead() { l.changes.Heads.drop(l.headKey()) }

// extendHead adds a new record to the head of the list and returns the head. It returns nil if
// there is no head, or if the head has become too large.
func (l List[R, T]) extendHead(number uint64, e Encoded) *head {
	h := l.changes.Heads.take(l.headKey(), number)
	if h == nil {
		return nil
	}
	h.length++
	h.bytes += len(e.text)
	if h.bytes > maxHeadBytes {
		l.dropHead()
		return nil
	}
	h.columns.Add(e.word, e.text, e.label)
	return h
}
