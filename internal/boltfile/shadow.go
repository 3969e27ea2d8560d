//go:build shadow

package boltfile

import (
	"bytes"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"svc/internal/change"
)

// shadow is a copy in memory of an open file. It receives the change sets only, and is compared with
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

// shadowed returns a recorder that passes everything on to o.Recorder.
func (o Options) shadowed(db *bbolt.DB) Recorder {
	s := &shadow{Recorder: o.Recorder}
	if (&examiner{}).examine(db.Path()) != nil { // Open did not examine all pages
		return s
	}
	err := db.View(func(tx *bbolt.Tx) (err error) {
		s.root, err = load((*Tx)(tx))
		return err
	})
	if err != nil {
		s.root = nil
	}
	return s
}

func load(tx *Tx) (*branch, error) {
	root := newBranch()
	err := tx.ForEach(func(name []byte, b *Bucket) (err error) {
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

func (s *shadow) Append(set []byte) error {
	s.pending = bytes.Clone(set)
	if s.Recorder != nil {
		return s.Recorder.Append(set)
	}
	return nil
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

// compare panics if the file and its shadow differ.
func (s *shadow) compare(db *bbolt.DB) {
	if s.root == nil || (&examiner{}).examine(db.Path()) != nil { // bbolt may not end on damaged pages
		return
	}
	var actual *branch
	err := db.View(func(tx *bbolt.Tx) (err error) {
		actual, err = load((*Tx)(tx))
		return err
	})
	if err != nil {
		return
	}
	if how := actual.differs(s.root); how != "" {
		fmt.Fprintf(os.Stderr, "shadow of %s: %s\n", db.Path(), how)
		panic("the change sets of a file do not lead to its content")
	}
}

// differs says how a bucket differs from its shadow, and is empty if they are equal.
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
