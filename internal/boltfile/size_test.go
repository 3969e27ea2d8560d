package boltfile_test

import (
	"encoding/binary"
	"log/slog"
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/fault"
)

// TestMaxSize checks that a file at its limit refuses transactions that need more space,
// without losing content. The file must still accept small changes, deletions, and
// transactions that fit into the freed space.
func TestMaxSize(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "limited.db")
	if err := boltfile.Create(path, func(*boltfile.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(path, boltfile.Options{MaxSize: 96 << 20, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	w := boltfile.NewWriter(db, slog.New(slog.DiscardHandler))
	write := func(change func(b *boltfile.Bucket) error) error {
		w.Lock()
		defer w.Unlock()
		return w.Update(func(tx *boltfile.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("data"))
			if err != nil {
				return err
			}
			return change(b)
		})
	}
	const mib, size = 1 << 20, 256
	put := func(n uint64) error {
		return write(func(b *boltfile.Bucket) error {
			for i := range uint64(mib / size) { // small values, so that the order of free pages does not matter
				if err := b.Put(binary.BigEndian.AppendUint64(nil, n<<32|i), make([]byte, size)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	// bbolt refuses growth when the next step of 16 MiB would exceed the limit.
	stored := uint64(0)
	for ; err == nil && stored < 200; stored++ {
		err = put(stored)
	}
	stored-- // the last one was refused
	if !fault.Is(err, fault.NoSpace) || stored < 30 || stored > 95 {
		t.Fatalf("got %v after %d MiB, want that there is no space below 96", err, stored)
	}
	if file, _, err := w.Size(); err != nil || file > 96<<20 {
		t.Errorf("the file has %d bytes, %v", file, err)
	}
	if err := write(func(b *boltfile.Bucket) error { return b.Put([]byte("small"), []byte("x")) }); err != nil {
		t.Errorf("a small change: %v", err)
	}
	for n := range uint64(3) {
		err := write(func(b *boltfile.Bucket) error {
			for i := range uint64(mib / size) {
				if err := b.Delete(binary.BigEndian.AppendUint64(nil, n<<32|i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("a deletion: %v", err)
		}
	}
	if err := put(1000); err != nil {
		t.Errorf("into the room of what was deleted: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := boltfile.Verify(path); err != nil {
		t.Error(err)
	}
}
