package series

import (
	"bytes"
	"encoding/binary"
	"errors"

	"svc/internal/boltfile"
	"svc/internal/integrity"
	"svc/store/column"
)

// Check contains the parameters of a check of a list, which depend on the rest of the file.
type Check[T any] struct {
	Report *integrity.Report
	Path   string // path of the owner's bucket
	First  uint64 // columns of blocks before the block of this record number may be missing
	Repair bool   // repair columns and sequences
	// Each calls visit for the entries of a bucket.
	Each func(b *boltfile.Bucket, visit func(key, value []byte) error) error
	// Sequence checks that the sequence of a bucket is not less than used, the number that follows
	// the greatest one in use.
	Sequence func(b *boltfile.Bucket, path string, used uint64) error
	// Visit is called with each record and its stored size. It reports whether all values of
	// the record are in range.
	Visit func(rec T, id ID, size int) (inRange bool, err error)
}

// checking is the state of a check while it runs.
type checking[R any, T Record[R]] struct {
	Check[T]
	list   List[R, T]
	block  uint64          // the number of the block for which made contains the columns
	made   *column.Builder // the columns of the block, from the records read so far
	broken bool            // a record of the block cannot be decoded, so its columns are unknown
	unread bool            // a record of any block cannot be decoded
	next   uint64          // the number that follows the last record read
	before ID              // the id of the last record read
}

// Check verifies all records of the list and compares them with the columns. unread reports whether
// any record could not be read.
func (l List[R, T]) Check(check Check[T]) (unread bool, err error) {
	records := l.records()
	first := check.First / column.BlockSize
	c := checking[R, T]{Check: check, list: l, block: first, made: column.NewBuilder(column.BlockSize)}
	// After the first record, every block except the last has columns or records. A number
	// beyond these blocks is damaged, and advancing to it block by block could take forever.
	most := (first + uint64(l.words().Len()+records.Len()/column.BlockSize+2)) * column.BlockSize
	err = c.Each(records, func(key, raw []byte) error { return c.record(key, raw, most) })
	if err != nil {
		return c.unread, err
	}
	return c.unread, errors.Join(
		c.Sequence(records, c.Path+integrity.Path(l.Records), c.next),
		c.advance(min(max(c.next, l.Length()), most)),
		c.extra(),
	)
}

// record checks one record. It reports damage if the record's number is not less than the parameter
// most.
func (c *checking[R, T]) record(key, raw []byte, most uint64) error {
	broken := func(format string, args ...any) {
		c.Report.Add(integrity.Record, c.Path+integrity.Path(c.list.Records, key), format, args...)
	}
	number, err := c.list.numberOf(key)
	if err != nil {
		broken("the key has %d bytes, not the 8 of a number", len(key))
		return nil
	}
	if number >= most {
		broken("number %d is far beyond the others", number)
		return nil
	}
	if err := c.advance(number); err != nil {
		return err
	}
	c.next = number + 1
	rec, id, err := c.list.decode(raw)
	if err != nil {
		broken("%v", err)
	} else if bytes.Compare(id[:], c.before[:]) <= 0 {
		broken("its id %s is not greater than the one before, %s", id, c.before)
	} else if inRange, err := c.Visit(rec, id, len(raw)); err != nil {
		return err
	} else if !inRange {
		broken("record %s has a value that is out of range", id)
	} else {
		c.before = id
		c.made.Add(rec.Word(), rec.SearchText(), rec.Label())
		return nil
	}
	c.unread, c.broken = true, true
	c.made.Add(Gone, "", column.Label{})
	return nil
}

// advance moves the check to the given record number. Numbers that it skips have no record. For all
// blocks before the block of the number, it compares the stored columns with those of the records.
func (c *checking[R, T]) advance(number uint64) error {
	for ; c.block < number/column.BlockSize; c.block++ {
		pad(c.made, column.BlockSize)
		want := c.made.Columns()
		if which := c.otherColumn(want); which != nil && !c.broken {
			first := c.block * column.BlockSize
			c.Report.Add(integrity.Columns, c.Path+integrity.Path(which, blockKey(c.block)), "they are not those of records %d to %d", first,
				first+column.BlockSize-1)
			if c.Repair {
				if err := c.list.put(c.block, want); err != nil {
					return err
				}
			}
		}
		c.broken = false
		c.made = column.NewBuilder(column.BlockSize)
	}
	pad(c.made, int(number%column.BlockSize))
	return nil
}

// otherColumn returns the name of the first stored column of the block that differs from want, or
// nil if none differs.
func (c *checking[R, T]) otherColumn(want column.Columns) []byte {
	switch key := blockKey(c.block); {
	case !bytes.Equal(c.list.words().Get(key), want.Words):
		return c.list.Words
	case !bytes.Equal(c.list.texts().Value(key), want.Texts):
		return c.list.Texts
	}
	// labels are missing in blocks that were completed before the series had any
	if labels := c.list.labels(); labels != nil {
		if stored := labels.Get(blockKey(c.block)); stored != nil && !bytes.Equal(stored, want.Labels) {
			return c.list.Labels
		}
	}
	return nil
}

// extra finds columns that belong to no complete block. A repair removes them.
func (c *checking[R, T]) extra() error {
	for _, name := range [][]byte{c.list.Words, c.list.Texts, c.list.Labels} {
		if name == nil {
			continue
		}
		b := c.list.content.Bucket(name)
		if b == nil { // no block has labels yet
			continue
		}
		var extra [][]byte
		err := c.Each(b, func(key, _ []byte) error {
			if len(key) == 4 && uint64(binary.BigEndian.Uint32(key)) < c.list.Blocks() {
				return nil
			}
			c.Report.Add(integrity.Columns, c.Path+integrity.Path(name, key), "there is no such block of records")
			extra = append(extra, bytes.Clone(key))
			return nil
		})
		for _, key := range extra {
			if err == nil && c.Repair {
				err = b.DeleteValue(key)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
