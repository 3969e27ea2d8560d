package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"svc/internal/boltfile"
)

// Internals of a store for tests.
const (
	LargeText = largeText
	LockWait  = boltfile.LockWait
	SlowTx    = boltfile.SlowTx
)

// IsOpen reports whether Close has not been called yet.
func (s *Store) IsOpen() bool { return s.View(func(*Tx) error { return nil }) == nil }

// CheckPages holds the pages of the whole file to the rules of bbolt.
func (s *Store) CheckPages() error {
	return s.alone(func(tx *Tx) error {
		var all []error
		for err := range tx.bolt.Check() {
			all = append(all, err)
		}
		return errors.Join(all...)
	})
}

// Check does that, and holds the records to the rules of docs/format/svc-db.md and the
// cache to its sum, once what deleted projects have left is removed.
func (s *Store) Check() error {
	err := errors.Join(s.Purge(), s.CheckPages(), s.alone((*Tx).checkRecords))
	if held, kept, _ := s.Held(); held != kept {
		err = errors.Join(err, fmt.Errorf("the cache counts %d bytes, its snapshots have %d", held, kept))
	}
	return err
}

// alone runs fn without other writers.
func (s *Store) alone(fn func(*Tx) error) error {
	s.file.Lock()
	defer s.file.Unlock()
	return s.file.View(func(t *boltfile.Tx) error { return fn(&Tx{bolt: t, store: s}) })
}

// Held returns the size that the cache counts, the size of its snapshots, and their number.
func (s *Store) Held() (counted, kept int64, snapshots int) {
	s.snapshots.mu.Lock()
	defer s.snapshots.mu.Unlock()
	for _, slot := range s.projects.Load().byID {
		if snap := slot.snap.Load(); snap != nil {
			kept += snap.cost
			snapshots++
		}
	}
	return s.snapshots.held, kept, snapshots
}

// Kept is the snapshot of a project that is in memory; nil when there is none.
func (s *Store) Kept(name string) *Snapshot {
	slot := s.projects.Load().byName[name]
	if slot == nil {
		return nil
	}
	return slot.snap.Load()
}

// Built is a snapshot made from the file alone.
func (s *Store) Built(name string) (snap *Snapshot, err error) {
	err = s.View(func(tx *Tx) error {
		p, err := tx.Project(name)
		if err != nil {
			return err
		}
		entries, announcements, err := readEntries(tx, p)
		if err == nil {
			snap = newSnapshot(p, entries, announcements)
		}
		return err
	})
	return snap, err
}

// Cost is the estimate of a snapshot's memory.
func (s *Snapshot) Cost() int64 { return s.cost }

// Dump is every key of the file with its value, by path.
func (s *Store) Dump() map[string]string {
	all := map[string]string{}
	err := s.file.View(func(t *boltfile.Tx) error {
		return t.ForEach(func(name []byte, b *boltfile.Bucket) error { return dump(all, fmt.Sprintf("%q", name), b) })
	})
	if err != nil {
		panic(err)
	}
	return all
}

func dump(all map[string]string, path string, b *boltfile.Bucket) error {
	all[path] = "bucket"
	return b.ForEach(func(key, value []byte) error {
		name := fmt.Sprintf("%s/%q", path, key)
		if value == nil {
			return dump(all, name, b.Bucket(key))
		}
		all[name] = string(bytes.Clone(value))
		return nil
	})
}

// Plus is the arithmetic of ids.
func Plus(id ID, n uint64) ID { return plus(id, n) }

// NewIDs is a source of ids that has issued last.
func NewIDs(last ID) func(time.Time) ID {
	source := &idSource{last: last}
	return source.next
}

// DecodeVersion reads the stored form of a version.
func DecodeVersion(raw []byte) (*Version, error) { return decode[Version](nil, raw) }

// Encode is the stored form of a record.
func Encode(v any) ([]byte, error) { return encode(v) }

// Overtake builds the snapshot of a project as a reader does, lets commit run
// before it is kept, and returns what is in memory then.
func (s *Store) Overtake(name string, commit func()) *Snapshot {
	d := s.projects.Load()
	slot := d.byName[name]
	generation := slot.generation.Load()
	snap, err := s.Built(name)
	if err != nil {
		panic(err)
	}
	commit()
	s.snapshots.keep(d, slot, snap, generation)
	return slot.snap.Load()
}

// Use marks a project as used later than all others will ever be.
func (s *Store) Use(name string) { s.projects.Load().byName[name].used.Store(1 << 62) }

// SetColumns puts other columns in the place of those of a block of logs.
func (tx *Tx) SetColumns(p ProjectID, block uint32, change func(words, texts []byte) (w, t []byte)) error {
	words, texts := tx.content(p).Bucket(logSeries.Words), tx.content(p).Bucket(logSeries.Texts)
	key := binary.BigEndian.AppendUint32(nil, block)
	w, t := change(bytes.Clone(words.Get(key)), bytes.Clone(texts.Value(key)))
	return errors.Join(words.Put(key, w), texts.PutValue(key, t))
}

// ShareTexts stores the texts of a block of logs among others, as readers must
// accept them, and reports whether they were in a bucket of their own.
func (tx *Tx) ShareTexts(p ProjectID, block uint32) (moved bool, err error) {
	texts, key := tx.content(p).Bucket(logSeries.Texts), binary.BigEndian.AppendUint32(nil, block)
	moved = texts.Bucket(key) != nil
	value := bytes.Clone(texts.Value(key))
	return moved, errors.Join(texts.DeleteValue(key), texts.Put(key, value))
}

// PurgeStep is one step of Purge.
func (s *Store) PurgeStep() (more bool, err error) {
	err = s.Update(func(tx *Tx) error {
		more, err = tx.purge()
		return err
	})
	return more, err
}

// First is the first key of a bucket at the root.
func (tx *Tx) First(bucket []byte) []byte {
	key, _ := tx.bolt.Bucket(bucket).Cursor().First()
	return bytes.Clone(key)
}
