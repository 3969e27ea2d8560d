package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"svc/internal/boltfile"
)

// Unexported names of the package that tests use.
const (
	LargeText = largeText
	LockWait  = boltfile.LockWait
	SlowTx    = boltfile.SlowTx
)

// IsOpen reports whether Close has not been called yet.
func (s *Store) IsOpen() bool { return s.View(func(*Tx) error { return nil }) == nil }

// CheckPages checks the pages of the whole file against the rules of bbolt.
func (s *Store) CheckPages() error {
	return s.alone(func(tx *Tx) error {
		var all []error
		for err := range tx.bolt.Check() {
			all = append(all, err)
		}
		return errors.Join(all...)
	})
}

// Check removes the content of deleted projects. It then checks the pages, the records
// against docs/format/svc-db.md, and the size of the cached snapshots against their sum.
func (s *Store) Check() error {
	err := errors.Join(s.Purge(), s.CheckPages(), s.alone((*Tx).checkRecords))
	if held, kept, _ := s.Held(); held != kept {
		err = errors.Join(err, fmt.Errorf("the cache counts %d bytes, its snapshots have %d", held, kept))
	}
	return err
}

// alone runs fn in a write transaction while it blocks other writers.
func (s *Store) alone(fn func(*Tx) error) error {
	s.file.Lock()
	defer s.file.Unlock()
	return s.file.View(func(t *boltfile.Tx) error { return fn(&Tx{bolt: t, store: s}) })
}

// Held returns the size of the cached snapshots as the cache has counted it, the sum of
// their sizes, and their number.
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

// Kept returns the snapshot of a project that is in memory, or nil if there is none.
func (s *Store) Kept(name string) *Snapshot {
	slot := s.projects.Load().byName[name]
	if slot == nil {
		return nil
	}
	return slot.snap.Load()
}

// Built returns a snapshot that is built from the file alone.
func (s *Store) Built(name string) (snap *Snapshot, err error) {
	err = s.View(func(tx *Tx) error {
		p, err := tx.Project(name)
		if err != nil {
			return err
		}
		entries, announcements, err := readEntries(tx, p)
		if err != nil {
			return err
		}
		decided, err := readPolicies(tx, p.ID)
		if err == nil {
			snap = newSnapshot(p, decided, entries, announcements)
		}
		return err
	})
	return snap, err
}

// Cost returns the estimated memory of the snapshot.
func (s *Snapshot) Cost() int64 { return s.cost }

// Dump returns all keys of the file with their values, by path.
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

// Plus exports the addition of a number to an id.
func Plus(id ID, n uint64) ID { return plus(id, n) }

// NewIDs returns a source of ids that continues after the given id.
func NewIDs(last ID) func(time.Time) ID {
	source := &idSource{last: last}
	return source.next
}

// DecodeVersion decodes the stored form of a version.
func DecodeVersion(raw []byte) (*Version, error) { return decode[Version](nil, raw) }

// Encode returns the stored form of a record.
func Encode(v any) ([]byte, error) { return encode(v) }

// Overtake builds the snapshot of a project as a reader does, calls commit, and then
// stores the snapshot. It returns the snapshot that is in memory afterwards.
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

// Use marks a project as used more recently than any other project will be.
func (s *Store) Use(name string) { s.projects.Load().byName[name].used.Store(1 << 62) }

// SetColumns passes the columns of a block of logs to the function change and stores the columns
// that change returns.
func (tx *Tx) SetColumns(p ProjectID, block uint32, change func(words, texts []byte) (w, t []byte)) error {
	words, texts := tx.content(p).Bucket(logSeries.Words), tx.content(p).Bucket(logSeries.Texts)
	key := binary.BigEndian.AppendUint32(nil, block)
	w, t := change(bytes.Clone(words.Get(key)), bytes.Clone(texts.Value(key)))
	return errors.Join(words.Put(key, w), texts.PutValue(key, t))
}

// ShareTexts moves the texts of a block of logs to a page that also has other entries. Readers must
// accept texts in such a page. moved reports whether the texts had a bucket of their own before.
func (tx *Tx) ShareTexts(p ProjectID, block uint32) (moved bool, err error) {
	texts, key := tx.content(p).Bucket(logSeries.Texts), binary.BigEndian.AppendUint32(nil, block)
	moved = texts.Bucket(key) != nil
	value := bytes.Clone(texts.Value(key))
	return moved, errors.Join(texts.DeleteValue(key), texts.Put(key, value))
}

// PurgeStep runs one step of Purge.
func (s *Store) PurgeStep() (more bool, err error) {
	err = s.Update(func(tx *Tx) error {
		more, err = tx.purge()
		return err
	})
	return more, err
}

// First returns the first key of a bucket at the root.
func (tx *Tx) First(bucket []byte) []byte {
	key, _ := tx.bolt.Bucket(bucket).Cursor().First()
	return bytes.Clone(key)
}

// ForgetGroups removes what an earlier version of the program would not have stored about the logs of
// a project: groups and labels.
func (s *Store) ForgetGroups(p ProjectID) error {
	return s.Update(func(tx *Tx) error {
		s.takeGroups(p)
		content := tx.content(p)
		for _, name := range [][]byte{logGroupsBucket, logSeries.Labels} {
			if content.Bucket(name) == nil {
				continue
			}
			if err := content.DeleteBucket(name); err != nil {
				return err
			}
		}
		return content.Bucket(countsBucket).Delete([]byte(countLogGroups))
	})
}

// UncountedLogs returns the number of logs of a project that its groups in the file do not count yet.
func (s *Store) UncountedLogs(t interface{ Fatal(...any) }, p ProjectID) uint64 {
	groups, err := Read(s, func(tx *Tx) (*projectGroups, error) { return tx.groupsOf(p) })
	if err != nil {
		t.Fatal(err)
	}
	return groups.next - groups.counted
}

// Overwrite sets an entry in a bucket of a project, or deletes it if the value is nil. The result
// undoes the change.
func (s *Store) Overwrite(t interface{ Fatal(...any) }, p ProjectID, bucket string, key, value []byte) (undo func()) {
	var before []byte
	set := func(value []byte) {
		err := s.Update(func(tx *Tx) error {
			b := tx.content(p).Bucket([]byte(bucket))
			before = bytes.Clone(b.Get(key))
			if value == nil {
				return b.Delete(key)
			}
			return b.Put(key, value)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set(value)
	old := before
	return func() { set(old) }
}
