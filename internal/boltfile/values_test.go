package boltfile_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
)

// TestValuesOfAnySize checks that the last written value of a key is read, regardless of
// the size of the previous value, and that a cursor returns it in order.
func TestValuesOfAnySize(t *testing.T) {
	t.Parallel()
	db := bolttest.Open(t, filepath.Join(t.TempDir(), "test.db"))
	sizes := []int{1, boltfile.LargeValue - 1, boltfile.LargeValue, 10 * boltfile.LargeValue}
	for _, before := range append([]int{0}, sizes...) {
		for _, size := range append([]int{0}, sizes...) {
			err := db.Update(func(tx *boltfile.Tx) error {
				b, err := tx.CreateBucket([]byte("values"))
				for _, key := range []string{"a", "c"} {
					err = errors.Join(err, b.PutValue([]byte(key), bytes.Repeat([]byte(key), 2*boltfile.LargeValue)))
				}
				return errors.Join(err, writeValue(b, before))
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(func(tx *boltfile.Tx) error { return writeValue(tx.Bucket([]byte("values")), size) }); err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *boltfile.Tx) error {
				b := tx.Bucket([]byte("values"))
				if got := len(b.Value([]byte("b"))); got != size {
					t.Errorf("%d bytes after %d: got %d", size, before, got)
				}
				var keys string
				err := b.EachValue(func(key, raw []byte) error {
					keys += string(key)
					if len(raw) == 0 || len(bytes.Trim(raw, string(key))) > 0 {
						t.Errorf("%d bytes after %d: %s has another value", size, before, key)
					}
					return nil
				})
				if want := map[bool]string{true: "abc", false: "ac"}[size > 0]; keys != want {
					t.Errorf("%d bytes after %d: got keys %s, want %s", size, before, keys, want)
				}
				return errors.Join(err, tx.DeleteBucket([]byte("values")))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// writeValue stores a value of the given size under the key "b", or deletes it if size is
// 0.
func writeValue(b *boltfile.Bucket, size int) error {
	if size == 0 {
		return b.DeleteValue([]byte("b"))
	}
	return b.PutValue([]byte("b"), bytes.Repeat([]byte("b"), size))
}

// TestLargeValuesAreWrittenOnce checks that writing a large value rewrites little other
// data, even if its neighbours are also large.
func TestLargeValuesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	db := bolttest.Open(t, filepath.Join(t.TempDir(), "test.db"))
	const size = 10 * boltfile.LargeValue
	for i := range 50 {
		var tx *boltfile.Tx
		err := db.Update(func(now *boltfile.Tx) error {
			tx = now
			b, err := tx.CreateBucketIfNotExists([]byte("values"))
			return errors.Join(err, b.PutValue([]byte{byte(i * 7 % 50)}, make([]byte, size)))
		})
		if err != nil {
			t.Fatal(err)
		}
		if written, most := tx.PageAlloc(), int64(size+64<<10); written > most {
			t.Fatalf("value %d of %d bytes: %d bytes were written, want %d at most", i, size, written, most)
		}
	}
}
