package bolttest

import (
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
)

// BucketName is the name of the bucket that OpenBucket creates.
var BucketName = []byte("test")

// OpenBucket opens a new file with one bucket. At the end of the test, it verifies that
// the file is sound.
func OpenBucket(tb testing.TB) *boltfile.Writer {
	tb.Helper()
	db := Open(tb, filepath.Join(tb.TempDir(), "test.db"))
	UpdateBucket(tb, db, func(b *boltfile.Bucket) error { return nil })
	return db
}

// UpdateBucket runs fn in a write transaction.
func UpdateBucket(tb testing.TB, db *boltfile.Writer, fn func(b *boltfile.Bucket) error) {
	tb.Helper()
	err := db.Update(func(tx *boltfile.Tx) error {
		b, err := tx.CreateBucketIfNotExists(BucketName)
		if err != nil {
			return err
		}
		return fn(b)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// ViewBucket runs fn in a read transaction.
func ViewBucket(tb testing.TB, db *boltfile.Writer, fn func(b *boltfile.Bucket) error) {
	tb.Helper()
	if err := db.View(func(tx *boltfile.Tx) error { return fn(tx.Bucket(BucketName)) }); err != nil {
		tb.Fatal(err)
	}
}
