package boltfile_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"svc/internal/boltfile"
)

// TestDeletedBucketsFreeTheirPages deletes buckets that contain buckets, in transactions that have changed them before.
func TestDeletedBucketsFreeTheirPages(t *testing.T) {
	t.Parallel()
	w := openRecorded(t, nil)
	root, outer, inner := []byte("root"), []byte("outer"), []byte("inner")
	fill := func(b *boltfile.Bucket) error {
		for i := range uint32(9) {
			nested, err := b.CreateBucket(binary.BigEndian.AppendUint32(nil, i))
			if err != nil {
				return err
			}
			if err := nested.Put([]byte("key"), make([]byte, 20_000)); err != nil {
				return err
			}
		}
		return nil
	}
	steps := []func(tx *boltfile.Tx) error{
		func(tx *boltfile.Tx) error {
			b, err := tx.CreateBucket(root)
			if err != nil {
				return err
			}
			for _, name := range [][]byte{outer, inner} {
				if b, err = b.CreateBucket(name); err != nil {
					return err
				}
				if err := fill(b); err != nil {
					return err
				}
			}
			return nil
		},
		func(tx *boltfile.Tx) error {
			b := tx.Bucket(root).Bucket(outer)
			if err := b.Put([]byte("k"), nil); err != nil {
				return err
			}
			if err := b.Bucket(inner).Put([]byte("k"), nil); err != nil {
				return err
			}
			return tx.Bucket(root).DeleteBucket(outer)
		},
		func(tx *boltfile.Tx) error { return fill(tx.Bucket(root)) },
		func(tx *boltfile.Tx) error {
			if err := tx.Bucket(root).Put([]byte("k"), nil); err != nil {
				return err
			}
			return tx.DeleteBucket(root)
		},
	}
	for i, step := range steps {
		if err := transact(t, w, step); err != nil {
			t.Fatal(err)
		}
		if err := w.View(func(tx *boltfile.Tx) (err error) {
			for found := range tx.Check() {
				err = fmt.Errorf("after step %d: %w", i, found)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}
