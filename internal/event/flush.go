package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
)

// Flush writes the events in memory as blocks.
func (e *Engine) Flush() error {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	return e.flush()
}

// flush is Flush for those who hold e.maintaining.
func (e *Engine) flush() error {
	if err := e.flushFrozen(); err != nil {
		return err
	}
	e.writing.Lock()
	h := e.heads.Load()
	if h.frozen == nil && h.active.events > 0 {
		e.freeze(h)
	}
	e.writing.Unlock()
	return e.flushFrozen()
}

// flushFrozen writes the frozen head, if there is one. It stays in memory and in
// the tail when that fails.
func (e *Engine) flushFrozen() error {
	h := e.heads.Load().frozen
	if h == nil {
		return nil
	}
	prepared, err := prepareHead(h)
	e.writing.Lock()
	defer e.writing.Unlock()
	if err == nil {
		err = e.writeHead(h, prepared)
	}
	e.failed = err
	e.room.Broadcast()
	if err != nil {
		return fmt.Errorf("write events in memory: %w", err)
	}
	return nil
}

// preparedProject is the events of a project as they will be in the file.
type preparedProject struct {
	head   *headProject
	blocks []preparedBlock
	keys   []hashEntry
}

type preparedBlock struct {
	hour int64
	raw  []byte
}

// prepareHead encodes a frozen head, which takes long, so that the transaction
// is short.
func prepareHead(h *head) (map[Project]*preparedProject, error) {
	all := map[Project]*preparedProject{}
	for number, of := range h.projects {
		p := &preparedProject{head: of, keys: make([]hashEntry, len(of.ids))}
		for row, hash := range of.hashes {
			p.keys[row] = hashEntry{hash, keyOf(of.at[row])}
		}
		slices.SortFunc(p.keys, hashEntry.compare) // add would do it, but others wait for that
		for order := of.order(len(of.at), -1<<62, 1<<62); len(order) > 0; {
			var hour int64
			var first []uint64
			hour, first, order = cutHour(order)
			raw, err := encodeBlock(hour, of.rows(first, true))
			if err != nil {
				return nil, err
			}
			p.blocks = append(p.blocks, preparedBlock{hour, raw})
		}
		all[number] = p
	}
	return all, nil
}

// writeHead moves a frozen head from the tail to blocks. The caller holds
// e.writing.
func (e *Engine) writeHead(h *head, prepared map[Project]*preparedProject) error {
	err := e.writePrepared(prepared, func(tx *bbolt.Tx) error {
		if err := tx.Bucket(metaBucket).Put(flushedKey, be64(h.generation)); err != nil {
			return err
		}
		return dropTail(tx, h.generation)
	})
	if !boltfile.Written(err) {
		return err
	}
	e.heads.Store(&heads{active: e.heads.Load().active})
	return err
}

// writePrepared writes events as blocks, and in the same transaction what also
// writes. The caller holds e.writing.
func (e *Engine) writePrepared(prepared map[Project]*preparedProject, also func(*bbolt.Tx) error) error {
	next := map[*project]projectIndexes{}
	err := e.updateFile(func(tx *bbolt.Tx) error {
		for number, of := range prepared {
			p := e.project(number)
			if p == nil {
				continue // deleted meanwhile
			}
			b := tx.Bucket(projectsBucket).Bucket(be32(uint32(number)))
			n, err := projectIndexes{}, error(nil)
			if n.keys, err = p.keys.add(b.Bucket(keysBucket), of.keys); err != nil {
				return err
			}
			if n.subjects, err = addTexts(b.Bucket(subjectsBucket), p.subjects, &of.head.subjects); err != nil {
				return err
			}
			if n.sessions, err = addTexts(b.Bucket(sessionsBucket), p.sessions, &of.head.sessions); err != nil {
				return err
			}
			next[p] = n
			if err := e.writeProject(b, p, of); err != nil {
				return fmt.Errorf("project %d: %w", number, err)
			}
		}
		return also(tx)
	})
	if !boltfile.Written(err) {
		return err
	}
	for p, n := range next {
		p.projectIndexes = n
	}
	e.tidy.Store(false)
	return err
}

func addTexts(b *bbolt.Bucket, d *dictionary, texts *newTexts) (*dictionary, error) {
	if len(texts.list) == 0 {
		return d, nil
	}
	if d.next() != texts.first {
		return nil, fmt.Errorf("dictionary goes on at %d, not at %d", d.next(), texts.first)
	}
	return d.add(b, texts.list)
}

// writeProject writes blocks, counters and what is known of the names.
func (e *Engine) writeProject(b *bbolt.Bucket, p *project, of *preparedProject) error {
	blocks := b.Bucket(blocksBucket)
	for _, block := range of.blocks {
		key, err := nextPart(blocks, uint32(block.hour/3600))
		if err != nil {
			return err
		}
		if err := putValue(blocks, key, block.raw); err != nil {
			return err
		}
	}
	if err := addCounters(b.Bucket(countersBucket), of.head.counts); err != nil {
		return err
	}
	changed := map[uint32]struct{}{}
	for _, number := range of.head.names {
		changed[number] = struct{}{}
	}
	for number := range changed {
		if err := p.names.copy(number).put(b.Bucket(namesBucket), number); err != nil {
			return err
		}
	}
	return nil
}

// The key of a block is the hour since 1970 and the number of the part in the
// order of receipt, four bytes each.

func blockKey(hour, part uint32) []byte { return append(be32(hour), be32(part)...) }

// nextPart is the key of a new last part of an hour.
func nextPart(blocks *bbolt.Bucket, hour uint32) ([]byte, error) {
	cursor := blocks.Cursor()
	key, _ := cursor.Seek(be32(hour + 1))
	if key == nil {
		key, _ = cursor.Last()
	} else {
		key, _ = cursor.Prev()
	}
	if key == nil || binary.BigEndian.Uint32(key) != hour {
		return blockKey(hour, 0), nil
	}
	last := binary.BigEndian.Uint32(key[4:])
	if last == 1<<32-1 {
		return nil, errors.New("too many parts in one hour")
	}
	return blockKey(hour, last+1), nil
}

// dropTail removes the generations of the tail up to one.
func dropTail(tx *bbolt.Tx, generation uint64) error {
	tail := tx.Bucket(tailBucket)
	var gone [][]byte
	err := tail.ForEachBucket(func(key []byte) error {
		if binary.BigEndian.Uint64(key) <= generation {
			gone = append(gone, append([]byte(nil), key...))
		}
		return nil
	})
	for _, key := range gone {
		err = errors.Join(err, tail.DeleteBucket(key))
	}
	return err
}
