package store

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"svc/internal/finding"
)

// submissions checks feedback and logs with their columns.
func (c *checker) submissions(p ProjectID, path string, counts map[countName]int64) error {
	err := checkSeries(c, p, path, feedbackSeries, func(f *Feedback, id ID) bool {
		if r := f.rating(); f.Rating != nil && (r < 1 || r > 5) || f.Status > StatusClosed || !isObject(f.CustomData) {
			return false
		}
		counts[countFeedback]++
		if f.Rating != nil {
			counts[countRated]++
			counts[countRatings] += int64(*f.Rating)
		}
		c.own(p, id, path+finding.Path(feedbackSeries.records))
		return true
	})
	if err != nil {
		return err
	}
	return checkSeries(c, p, path, logSeries, func(l *Log, _ ID) bool {
		if l.Level < 0 || l.Level > 3 || !isObject(l.CustomData) || !isObject(l.DeviceInfo) {
			return false
		}
		counts[countLevel(l.Level)]++
		return true
	})
}

// seriesCheck is how far the check of a series has come.
type seriesCheck struct {
	block  uint64   // whose columns are being made
	made   *builder // of the records so far
	broken bool     // a record of the block cannot be decoded: its columns are not known
	seal   func(block uint32) error
}

// checkSeries checks the records of a series, visits each that could be decoded,
// and compares the columns. visit is false for a record that cannot be.
func checkSeries[R any, T interface {
	*R
	submission
}](c *checker, p ProjectID, path string, s series[T], visit func(rec T, id ID) bool) error {
	content := c.tx.content(p)
	records := content.Bucket(s.records)
	at := seriesCheck{made: newColumns(blockSize), seal: func(block uint32) error { return seal[R](c.tx, p, s, block) }}
	next, before := uint64(0), ID{}
	err := c.each(records, func(key, raw []byte) error {
		broken := func(format string, args ...any) {
			c.report.Add(finding.Record, path+finding.Path(s.records, key), format, args...)
		}
		if len(key) != 8 {
			broken("the key has %d bytes, not the 8 of a number", len(key))
			return nil
		}
		number := binary.BigEndian.Uint64(key)
		checkColumns(c, content, path, s, &at, number)
		next = number + 1
		rec, id, err := decodeRecord[R](raw)
		switch {
		case err != nil:
			broken("%v", err)
		case bytes.Compare(id[:], before[:]) <= 0:
			broken("its id %s is not greater than the one before, %s", id, before)
		case !visit(rec, id):
			broken("record %s has a value that is out of range", id)
		default:
			before = id
			c.use(id)
			at.made.add(T(rec).word(), T(rec).searchText())
			return nil
		}
		c.unread[p], at.broken = true, true
		at.made.add(gone, "")
		return nil
	})
	if err != nil {
		return err
	}
	c.sequence(records, path+finding.Path(s.records), next)
	checkColumns(c, content, path, s, &at, max(next, s.length(content)))
	return extraColumns(c, path, content, s)
}

// checkColumns goes on to a number: the records up to it are gone, and the
// columns of the blocks before its own are complete.
func checkColumns[T submission](c *checker, content *bbolt.Bucket, path string, s series[T], at *seriesCheck, number uint64) {
	for at.block < number/blockSize {
		for len(at.made.words) < 2*blockSize {
			at.made.add(gone, "")
		}
		block := uint32(at.block)
		if which := otherColumn(content, s, block, at.made.columns()); which != nil && !at.broken {
			c.report.Add(finding.Columns, path+finding.Path(which, blockKey(block)), "they are not those of records %d to %d", at.block*blockSize, (at.block+1)*blockSize-1)
			c.fix(func() error { return at.seal(block) })
		}
		at.block++
		at.broken = false
		at.made = newColumns(blockSize)
	}
	for uint64(len(at.made.words)/2) < number%blockSize {
		at.made.add(gone, "")
	}
}

// otherColumn is the name of a column of a block that is not what it must be; nil
// when both are.
func otherColumn[T submission](content *bbolt.Bucket, s series[T], block uint32, want columns) []byte {
	switch {
	case !bytes.Equal(content.Bucket(s.words).Get(blockKey(block)), want.words):
		return s.words
	case !bytes.Equal(content.Bucket(s.texts).Get(blockKey(block)), want.texts):
		return s.texts
	}
	return nil
}

// extraColumns finds the columns of blocks that are not complete.
func extraColumns[T submission](c *checker, path string, content *bbolt.Bucket, s series[T]) error {
	for _, name := range [][]byte{s.words, s.texts} {
		b := content.Bucket(name)
		err := c.each(b, func(key, _ []byte) error {
			if len(key) == 4 && uint64(binary.BigEndian.Uint32(key)) < s.length(content)/blockSize {
				return nil
			}
			c.report.Add(finding.Columns, path+finding.Path(name, key), "there is no such block of records")
			key = bytes.Clone(key)
			c.fix(func() error { return b.Delete(key) })
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
