package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/dictionary"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
)

// Flush writes the events in memory as blocks.
func (e *Engine) Flush() error {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	return e.flush()
}

// flush writes the events in memory as blocks. The caller must hold
// e.maintaining.
func (e *Engine) flush() error {
	if err := e.file.Damage(); err != nil {
		return err
	}
	if e.Following() {
		return boltfile.ErrFollowing
	}
	if err := e.flushFrozen(); err != nil {
		return err
	}
	e.file.Lock()
	h := e.heads.Load()
	if h.frozen == nil && h.active.events > 0 {
		e.freeze(h)
	}
	e.file.Unlock()
	return e.flushFrozen()
}

// flushFrozen writes the frozen head, if there is one. If that fails, the head
// stays in memory and in the WAL.
func (e *Engine) flushFrozen() error {
	h := e.heads.Load().frozen
	if h == nil {
		return nil
	}
	prepared, err := prepareHead(h)
	e.file.Lock()
	defer e.file.Unlock()
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

// preparedProject holds the events of a project in the form in which they will
// be stored.
type preparedProject struct {
	head   *headProject
	blocks []preparedBlock
	keys   []hashindex.Entry
}

type preparedBlock struct {
	hour int64
	raw  []byte
}

// prepareHead encodes the events of a frozen head as blocks. Encoding takes long, so
// prepareHead runs outside of the transaction, while writers continue.
func prepareHead(h *head) (map[Project]*preparedProject, error) {
	all := map[Project]*preparedProject{}
	for number, of := range h.projects {
		p := &preparedProject{head: of, keys: make([]hashindex.Entry, len(of.ids))}
		for row, hash := range of.hashes {
			p.keys[row] = hashindex.Entry{Hash: hash, Payload: keyOf(of.at[row])}
		}
		slices.SortFunc(p.keys, hashindex.Entry.Compare) // sort now, because add would sort while writers wait
		for order := of.order(len(of.at), -1<<62, 1<<62); len(order) > 0; {
			var hour int64
			var first []uint64
			hour, first, order = cutHour(order)
			raw, err := block.Encode(hour, of.rows(first, true))
			if err != nil {
				return nil, err
			}
			p.blocks = append(p.blocks, preparedBlock{hour, raw})
		}
		all[number] = p
	}
	return all, nil
}

// writeHead moves a frozen head from the WAL to blocks. The caller must hold
// e.file's lock.
func (e *Engine) writeHead(h *head, prepared map[Project]*preparedProject) error {
	err := e.writePrepared(prepared, func(tx *boltfile.Tx) error {
		if err := tx.Bucket(metaBucket).Put(flushedKey, encoding.Key64(h.generation)); err != nil {
			return err
		}
		return dropWAL(tx, h.generation)
	})
	if !boltfile.Written(err) {
		return err
	}
	e.heads.Store(&heads{active: e.heads.Load().active})
	return err
}

// writePrepared writes events as blocks. It then calls also(tx) in the same transaction.
// The caller must hold e.file's lock.
func (e *Engine) writePrepared(prepared map[Project]*preparedProject, also func(*boltfile.Tx) error) error {
	next := map[*project]projectIndexes{}
	err := e.updateFile(func(tx *boltfile.Tx) error {
		for number, of := range prepared {
			p := e.project(number)
			if p == nil {
				continue // has been deleted
			}
			b := tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(number)))
			n, err := projectIndexes{}, error(nil)
			if n.keys, err = p.keys.Add(b.Bucket(keysBucket), of.keys); err != nil {
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

func addTexts(b *boltfile.Bucket, d *dictionary.Dictionary, texts *newTexts) (*dictionary.Dictionary, error) {
	if len(texts.list) == 0 {
		return d, nil
	}
	if d.Next() != texts.first {
		return nil, fmt.Errorf("dictionary continues at %d, not at %d", d.Next(), texts.first)
	}
	return d.Add(b, texts.list)
}

// writeProject writes the blocks and counters of a project, and the names of its events.
func (e *Engine) writeProject(b *boltfile.Bucket, p *project, of *preparedProject) error {
	blocks := b.Bucket(blocksBucket)
	for _, block := range of.blocks {
		key, err := nextPart(blocks, uint32(block.hour/3600))
		if err != nil {
			return err
		}
		if err := blocks.PutValue(key, block.raw); err != nil {
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

// The key of a block consists of the number of its hour since 1970 and the number of its
// part in the order of receipt, four bytes each.

func blockKey(hour, part uint32) []byte { return append(encoding.Key32(hour), encoding.Key32(part)...) }

// nextPart returns the key for a new block that follows all other blocks of an hour. hour
// is in hours since 1970.
func nextPart(blocks *boltfile.Bucket, hour uint32) ([]byte, error) {
	cursor := blocks.Cursor()
	key, _ := cursor.Seek(encoding.Key32(hour + 1))
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

// dropWAL removes the generations of the WAL up to and including the given one.
func dropWAL(tx *boltfile.Tx, generation uint64) error {
	wal := tx.Bucket(walBucket)
	var gone [][]byte
	err := wal.ForEachBucket(func(key []byte) error {
		if binary.BigEndian.Uint64(key) <= generation {
			gone = append(gone, append([]byte(nil), key...))
		}
		return nil
	})
	for _, key := range gone {
		err = errors.Join(err, wal.DeleteBucket(key))
	}
	return err
}
