package event

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
	"svc/internal/finding"
)

// Repair puts right what Check finds and what can be derived from blocks and
// texts, in a file that nobody else has open: all of it in one transaction, or
// nothing. The memory that it takes grows with the index of event ids, by about 6
// bytes an event. The errors are those of Open, or that of ctx.
func Repair(ctx context.Context, path string) (err error) {
	db, err := boltfile.Open(path, boltfile.Options{MapSize: mapSize})
	if err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, boltfile.Close(db)) }()
	if err := layout.RefuseOlder(db); err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		fixes := map[string]func() error{}
		c := newChecker(ctx, tx, finding.NewReport(nil))
		c.fix = func(name string, fix func() error) { fixes[name] = fix }
		if err := c.run(); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(fixes)) {
			if err := fixes[name](); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	return nil
}

// entriesAtOnce is how many entries of an index that is made anew come in one
// load.
const entriesAtOnce = defaultHashPartition / 2

// indexMaker makes a hash index from entries in any order.
type indexMaker struct {
	x       *hashIndex
	b       *bbolt.Bucket
	entries []hashEntry
}

func (m *indexMaker) add(e hashEntry) error {
	if m.entries = append(m.entries, e); len(m.entries) < entriesAtOnce {
		return nil
	}
	return m.load()
}

// load adds the entries that wait and tidies up.
func (m *indexMaker) load() (err error) {
	if m.x, err = m.x.add(m.b, m.entries); err != nil {
		return err
	}
	m.entries = m.entries[:0]
	for worked := true; worked; {
		pages := changing(m.b)
		if m.x, worked, err = m.x.compact(pages, nil); err != nil {
			return err
		}
		if err := pages.write(m.b); err != nil {
			return err
		}
	}
	return nil
}

// renewBucket makes a bucket anew, empty.
func renewBucket(in *bbolt.Bucket, name []byte) (*bbolt.Bucket, error) {
	if in.Bucket(name) != nil {
		if err := in.DeleteBucket(name); err != nil {
			return nil, err
		}
	}
	return in.CreateBucket(name)
}

// renewKeys makes the index of event ids from the blocks that can be read.
func (p *projectCheck) renewKeys() error {
	b, err := renewBucket(p.bucket, keysBucket)
	if err != nil {
		return err
	}
	m := indexMaker{x: emptyHashIndex(keyPayload), b: b}
	blocks := p.bucket.Bucket(blocksBucket)
	cursor := blocks.Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		if len(key) != 8 {
			continue
		}
		hour := int64(binary.BigEndian.Uint32(key)) * 3600
		r, err := decodeBlock(hour, valueOf(blocks, key, raw))
		if err != nil {
			continue // the report has it
		}
		for row, id := range r.ids {
			if err := m.add(hashEntry{p.secret.hash(id), keyOf(hour + int64(r.seconds[row]))}); err != nil {
				return err
			}
		}
	}
	return m.load()
}

// renewTextIndex makes the index of a dictionary from the texts that can be read.
func renewTextIndex(dictionary *bbolt.Bucket, s secret) error {
	b, err := renewBucket(dictionary, dictionaryIndex)
	if err != nil {
		return err
	}
	m := indexMaker{x: emptyHashIndex(dictionaryPayload), b: b}
	cursor := dictionary.Bucket(dictionaryTexts).Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		chunk, err := openTextChunk(raw)
		if err != nil || len(key) != 4 {
			continue // the report has it
		}
		for slot := range dictionaryChunk {
			if text, ok := chunk.text(slot); ok {
				number := binary.BigEndian.Uint32(key)*dictionaryChunk + uint32(slot) + 1
				if err := m.add(hashEntry{s.hash(text), number}); err != nil {
					return err
				}
			}
		}
	}
	return m.load()
}
