//go:build shadow

package boltfile

import (
	"bytes"
	"fmt"
	"os"

	"svc/internal/change"
)

// shadow is a copy in memory of an open file, without its bucket node. It receives the change sets only, and is compared with
// the file when that is closed. Programs and tests that are built with the tag "shadow" have one for
// each file that they open for writing.
type shadow struct {
	Recorder         // the recorder of the caller; nil if there is none
	root     *branch // nil if the file was damaged when it was opened
	pending  []byte
}

// branch is a bucket.
type branch struct {
	sequence uint64
	keys     map[string][]byte
	below    map[string]*branch
}

func newBranch() *branch { return &branch{keys: map[string][]byte{}, below: map[string]*branch{}} }

// addShadow replaces the recorder by one that passes everything on to it.
func (d *DB) addShadow() {
	s := &shadow{Recorder: d.options.Recorder}
	s.root = d.loadAll()
	d.options.Recorder = s
}

// loadAll returns the content of the file. It is nil if the file is damaged, because bbolt may not end
// on damaged pages, and Open does not examine all of them.
func (d *DB) loadAll() (root *branch) {
	if d.examine() != nil {
		return nil
	}
	err := d.View(func(tx *Tx) (err error) {
		root, err = load(tx)
		return err
	})
	if err != nil {
		return nil
	}
	return root
}

func load(tx *Tx) (*branch, error) {
	root := newBranch()
	err := tx.ForEach(func(name []byte, b *Bucket) (err error) {
		if isNode(nil, name) {
			return nil
		}
		root.below[string(name)], err = loadBucket(b)
		return err
	})
	return root, err
}

func loadBucket(b *Bucket) (*branch, error) {
	loaded := newBranch()
	loaded.sequence = b.Sequence()
	err := b.ForEach(func(key, value []byte) (err error) {
		if value == nil {
			loaded.below[string(key)], err = loadBucket(b.Bucket(key))
			return err
		}
		loaded.keys[string(key)] = bytes.Clone(value)
		return nil
	})
	return loaded, err
}

func (s *shadow) Append(set []byte) (position uint64, err error) {
	s.pending = bytes.Clone(set)
	if s.Recorder != nil {
		return s.Recorder.Append(set)
	}
	return 0, nil
}

func (s *shadow) Settle(visible bool) {
	if visible && s.root != nil {
		if err := change.Each(s.pending, s.apply); err != nil {
			panic(fmt.Sprintf("shadow: %v", err))
		}
	}
	if s.Recorder != nil {
		s.Recorder.Settle(visible)
	}
}

func (s *shadow) apply(op change.Op) error {
	b := s.root
	for _, name := range op.Bucket {
		if b = b.below[string(name)]; b == nil {
			return fmt.Errorf("no bucket %q", op.Bucket)
		}
	}
	key := string(op.Key)
	switch op.Kind {
	case change.Put:
		b.keys[key] = bytes.Clone(op.Value)
	case change.Delete:
		delete(b.keys, key)
	case change.Make:
		if b.below[key] != nil {
			return fmt.Errorf("bucket %q exists in %q", key, op.Bucket)
		}
		b.below[key] = newBranch()
	case change.Drop:
		if b.below[key] == nil {
			return fmt.Errorf("no bucket %q in %q", key, op.Bucket)
		}
		delete(b.below, key)
	case change.Sequence:
		b.sequence = op.Number
	}
	return nil
}

// compareShadow panics if the file and its shadow differ.
func (d *DB) compareShadow() {
	s, _ := d.options.Recorder.(*shadow)
	if s == nil || s.root == nil {
		return
	}
	actual := d.loadAll()
	if actual == nil {
		return
	}
	if how := actual.differs(s.root); how != "" {
		fmt.Fprintf(os.Stderr, "shadow of %s: %s\n", d.Path(), how)
		panic("the change sets of a file do not lead to its content")
	}
}

// differs describes how a bucket differs from its shadow. It returns "" if they are equal.
func (b *branch) differs(s *branch) string {
	switch {
	case b.sequence != s.sequence:
		return fmt.Sprintf(": sequence %d, in the shadow %d", b.sequence, s.sequence)
	case len(b.keys) != len(s.keys) || len(b.below) != len(s.below):
		return fmt.Sprintf(": %d keys and %d buckets, in the shadow %d and %d", len(b.keys), len(b.below), len(s.keys), len(s.below))
	}
	for key, value := range b.keys {
		if other, ok := s.keys[key]; !ok || !bytes.Equal(value, other) {
			return fmt.Sprintf(": key %q has %d bytes, in the shadow %d", key, len(value), len(other))
		}
	}
	for name, below := range b.below {
		other := s.below[name]
		if other == nil {
			return fmt.Sprintf("/%q: not in the shadow", name)
		}
		if how := below.differs(other); how != "" {
			return fmt.Sprintf("/%q%s", name, how)
		}
	}
	return ""
}
