package event

import (
	"encoding/binary"
	"fmt"
	"slices"

	"svc/internal/boltfile"
	"svc/internal/event/block"
	"svc/internal/event/dictionary"
	"svc/internal/event/encoding"
	"svc/internal/event/hashindex"
)

// maxMerged limits the total size, in bytes, of the blocks that are merged into one. It
// thereby limits the memory and the duration of the transaction.
const maxMerged = 4 << 20

// Compact does one piece of work that makes later reads cheaper: it merges blocks of an
// hour, or runs (sorted parts) of an index. worked is false if there was no such work.
func (e *Engine) Compact() (worked bool, err error) {
	e.maintaining.Lock()
	defer e.maintaining.Unlock()
	if e.Following() {
		return false, boltfile.ErrFollowing
	}
	if e.tidy.Load() {
		return false, nil
	}
	e.tidy.Store(true)
	for _, number := range e.Projects() {
		p := e.project(number)
		if p == nil {
			continue
		}
		worked, err := e.compactProject(p)
		if worked || err != nil {
			e.tidy.Store(false)
		}
		if err != nil {
			return false, fmt.Errorf("compact events of project %d: %w", number, err)
		}
		if worked {
			return true, nil
		}
	}
	return false, nil
}

func (e *Engine) compactProject(p *project) (worked bool, err error) {
	if worked, err = e.mergeBlocks(p); worked || err != nil {
		return worked, err
	}
	var changes indexChanges
	err = e.file.View(func(tx *boltfile.Tx) (err error) {
		changes, worked, err = p.compact(tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(p.number))))
		return err
	})
	if err != nil || !worked {
		return false, err
	}
	e.file.Lock()
	defer e.file.Unlock()
	err = e.updateFile(func(tx *boltfile.Tx) error {
		b := tx.Bucket(projectsBucket).Bucket(encoding.Key32(uint32(p.number)))
		for _, name := range changes.path {
			b = b.Bucket(name)
		}
		return changes.pages.Write(b)
	})
	if !boltfile.Written(err) {
		return false, err
	}
	p.projectIndexes = changes.next
	return true, err
}

// indexChanges is the result of compacting one of a project's indexes. It is valid while
// the caller holds Engine.maintaining.
type indexChanges struct {
	next  projectIndexes
	path  [][]byte // path of the index's bucket, starting in the project's bucket
	pages *hashindex.Pages
}

// compact does a limited part of the pending compaction in one of the indexes. b is the
// bucket of the project. worked is false if no index needs compacting.
func (x projectIndexes) compact(b *boltfile.Bucket) (c indexChanges, worked bool, err error) {
	keys := b.Bucket(keysBucket)
	c.next, c.path, c.pages = x, [][]byte{keysBucket}, hashindex.NewPages(keys)
	if c.next.keys, worked, err = x.keys.Compact(c.pages, aliveHours(b.Bucket(blocksBucket))); worked || err != nil {
		return c, worked, err
	}
	c.path = [][]byte{subjectsBucket, dictionary.IndexBucket}
	if c.next.subjects, c.pages, worked, err = x.subjects.Compact(b.Bucket(subjectsBucket)); worked || err != nil {
		return c, worked, err
	}
	c.path = [][]byte{sessionsBucket, dictionary.IndexBucket}
	c.next.sessions, c.pages, worked, err = x.sessions.Compact(b.Bucket(sessionsBucket))
	return c, worked, err
}

// errNothing ends a transaction without a commit if the function of the transaction
// returns it.
var errNothing = boltfile.ErrNothing

// aliveHours returns a function that reports whether there are still blocks of the hour
// that a payload of the index of event IDs contains.
func aliveHours(blocks *boltfile.Bucket) func(payload uint32) bool {
	var hours [1 << 16 / 64]uint64
	cursor := blocks.Cursor()
	for key, _ := cursor.First(); key != nil; {
		hour := binary.BigEndian.Uint32(key)
		hours[hour&0xffff/64] |= 1 << (hour % 64)
		key, _ = cursor.Seek(encoding.Key32(hour + 1))
	}
	return func(payload uint32) bool {
		hour := payload >> slotBits & 0xffff
		return hours[hour/64]&(1<<(hour%64)) != 0
	}
}

// stored is a block with its key in the file.
type stored struct {
	key []byte
	raw []byte
}

// mergeBlocks finds the first hour that has blocks to be merged, and merges these blocks
// into one. worked is false if there is no such hour.
func (e *Engine) mergeBlocks(p *project) (worked bool, err error) {
	var keys [][]byte
	var parts []*block.Rows
	var hour int64
	err = e.file.View(func(tx *boltfile.Tx) error {
		for _, one := range findMerge(projectBucket(tx, p.number, blocksBucket)) {
			hour = int64(binary.BigEndian.Uint32(one.key)) * 3600
			r, err := block.Decode(hour, one.raw)
			if err != nil {
				return fmt.Errorf("events of hour %d: %w", hour/3600, err)
			}
			parts, keys = append(parts, r), append(keys, append([]byte(nil), one.key...))
		}
		return nil
	})
	if err != nil || len(keys) == 0 {
		return false, err
	}
	merged, err := block.Encode(hour, block.Merge(parts))
	if err != nil {
		return false, err
	}
	e.file.Lock()
	defer e.file.Unlock()
	return true, e.updateFile(func(tx *boltfile.Tx) error {
		blocks := projectBucket(tx, p.number, blocksBucket)
		for _, key := range keys[1:] {
			if err := blocks.DeleteValue(key); err != nil {
				return err
			}
		}
		return blocks.PutValue(keys[0], merged)
	})
}

// findMerge returns the blocks that should be merged next, or nil if there are none. They
// belong to one hour and are adjacent in the order of receipt.
func findMerge(blocks *boltfile.Bucket) []stored {
	var list []stored
	due := func() []stored {
		if len(list) < 2 {
			return nil
		}
		for i, one := range list {
			list[i].raw = blocks.ValueAt(one.key, one.raw)
		}
		return dueForMerge(list)
	}
	cursor := blocks.Cursor()
	for key, raw := cursor.First(); key != nil; key, raw = cursor.Next() {
		if len(list) > 0 && binary.BigEndian.Uint32(list[0].key) != binary.BigEndian.Uint32(key) {
			if found := due(); len(found) > 0 {
				return found
			}
			list = list[:0]
		}
		list = append(list, stored{key, raw})
	}
	return due()
}

// dueForMerge selects those of the blocks of an hour that should be merged: the first
// block that is at most twice as large as all later blocks together, and all later
// blocks. It considers only as many of the last blocks as maxMerged permits. The sizes of
// blocks therefore form a geometric sequence, and an event is rewritten a logarithmic
// number of times (the logarithmic method of Bentley and Saxe, 1980).
func dueForMerge(list []stored) []stored {
	best, sum := len(list), 0
	for i, one := range slices.Backward(list) {
		size := len(one.raw)
		if sum+size > maxMerged {
			break
		}
		if size <= 2*sum {
			best = i
		}
		sum += size
	}
	return list[best:]
}
