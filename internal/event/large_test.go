package event

import (
	"bytes"
	"errors"
	"testing"

	"go.etcd.io/bbolt"
)

// TestValuesOfAnySize holds that a value is read as it was written last, whatever
// its size was before, and that a cursor finds it in its place.
func TestValuesOfAnySize(t *testing.T) {
	t.Parallel()
	db := openTestDB(t)
	sizes := []int{1, largeValue - 1, largeValue, 10 * largeValue}
	for _, before := range append([]int{0}, sizes...) {
		for _, size := range append([]int{0}, sizes...) {
			err := db.Update(func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte("values"))
				for _, key := range []string{"a", "c"} {
					err = errors.Join(err, putValue(b, []byte(key), bytes.Repeat([]byte(key), 2*largeValue)))
				}
				return errors.Join(err, write(b, before))
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Update(func(tx *bbolt.Tx) error { return write(tx.Bucket([]byte("values")), size) }); err != nil {
				t.Fatal(err)
			}
			err = db.Update(func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte("values"))
				if got := len(getValue(b, []byte("b"))); got != size {
					t.Errorf("%d bytes after %d: got %d", size, before, got)
				}
				var keys string
				err := eachValue(b, func(key, raw []byte) error {
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

// write stores a value of some bytes under b; of none it removes it.
func write(b *bbolt.Bucket, size int) error {
	if size == 0 {
		return deleteValue(b, []byte("b"))
	}
	return putValue(b, []byte("b"), bytes.Repeat([]byte("b"), size))
}

// TestLargeValuesAreWrittenOnce holds that writing a large value writes little
// else, however large its neighbours are.
func TestLargeValuesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	db := openTestDB(t)
	const size = 10 * largeValue
	for i := range 50 {
		var tx *bbolt.Tx
		err := db.Update(func(now *bbolt.Tx) error {
			tx = now
			b, err := tx.CreateBucketIfNotExists([]byte("values"))
			return errors.Join(err, putValue(b, be32(uint32(i*7%50)), make([]byte, size)))
		})
		if err != nil {
			t.Fatal(err)
		}
		stats := tx.Stats()
		if written, most := stats.GetPageAlloc(), int64(size+64<<10); written > most {
			t.Fatalf("value %d of %d bytes: %d bytes were written, want %d at most", i, size, written, most)
		}
	}
}
