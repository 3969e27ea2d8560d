//go:build shadow

package boltfile_test

import (
	"errors"
	"testing"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
)

// TestShadowFindsWhatIsNotRecorded changes a file past the record. The comparison at the end finds
// each change, except for those of the bucket node.
func TestShadowFindsWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	first := func(tx *bbolt.Tx) *bbolt.Bucket { return tx.Bucket([]byte("first")) }
	for _, tc := range []struct {
		name   string
		change func(*bbolt.Tx) error
		found  bool
	}{
		{"nothing", func(*bbolt.Tx) error { return nil }, false},
		{"a key", func(tx *bbolt.Tx) error { return first(tx).Put([]byte("b"), []byte("2")) }, true},
		{"another value", func(tx *bbolt.Tx) error { return first(tx).Put([]byte("a"), []byte("2")) }, true},
		{"a key is deleted", func(tx *bbolt.Tx) error { return first(tx).Delete([]byte("a")) }, true},
		{"a bucket", func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("second")); return err }, true},
		{"a bucket is deleted", func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("first")) }, true},
		{"a sequence", func(tx *bbolt.Tx) error { return first(tx).SetSequence(1) }, true},
		{"the bucket node", func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("node")); return err }, false},
	} {
		path := newFile(t)
		db, err := boltfile.Open(path, boltfile.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *boltfile.Tx) error { return tx.Bucket([]byte("first")).Put([]byte("a"), []byte("1")) })
		if err := errors.Join(err, db.Bolt().Update(tc.change)); err != nil {
			t.Fatal(err)
		}
		if found := closePanics(db); found != tc.found {
			t.Errorf("%s: found %v, want %v", tc.name, found, tc.found)
		}
		_ = db.Bolt().Close() // the panic left it open
	}
}

// closePanics closes a file and reports whether that panicked.
func closePanics(db *boltfile.DB) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	_ = db.Close()
	return false
}
