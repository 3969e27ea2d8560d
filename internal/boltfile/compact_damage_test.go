package boltfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"svc/internal/boltfile"
)

// TestCompactDamaged checks that Compact refuses a file with a damaged page, and that the
// file remains writable.
func TestCompactDamaged(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		damage func(page []byte, number uint64)
	}{
		{"cleared", func(page []byte, _ uint64) { clear(page) }},
		{"another number", func(page []byte, _ uint64) { page[0]++ }},
		{"more elements than fit", func(page []byte, _ uint64) { binary.NativeEndian.PutUint16(page[10:], 0xffff) }},
		{"a circle", func(page []byte, number uint64) {
			clear(page[8:])
			page[8], page[10] = 1, 1 // a branch with one child, which is the page itself
			binary.NativeEndian.PutUint64(page[24:], number)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.db")
			f := writerOf(t, path, slog.DiscardHandler)
			damageLeaf(t, f, tc.damage)
			if c, err := f.Compact(true); !errors.Is(err, boltfile.ErrDamaged) || c.Done {
				t.Errorf("got %+v, %v, want ErrDamaged", c, err)
			}
			if _, err := os.Stat(path + ".compact"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the smaller file is left: %v", err)
			}
			f.Lock()
			defer f.Unlock()
			if err := f.Update(func(tx *boltfile.Tx) error { return tx.Bucket([]byte("other")).Put([]byte("k"), []byte("v")) }); err != nil {
				t.Errorf("a write afterwards: %v", err)
			}
		})
	}
}

// damagedFile is the writer of a file that a test damages.
type damagedFile struct {
	*boltfile.Writer
	db *boltfile.DB
}

// writerOf creates a file with a bucket of many pages and another bucket, and returns its
// writer.
func writerOf(t *testing.T, path string, log slog.Handler) damagedFile {
	t.Helper()
	err := boltfile.Create(path, func(tx *boltfile.Tx) error {
		b, err := tx.CreateBucket(bucket)
		for n := range uint64(500) {
			err = errors.Join(err, b.Put(key(n), bytes.Repeat([]byte("x"), 100)))
		}
		_, other := tx.CreateBucket([]byte("other"))
		return errors.Join(err, other)
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := boltfile.Open(path, boltfile.Options{MapSize: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	f := damagedFile{boltfile.NewWriter(db, slog.New(log)), db}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// damageLeaf changes a page of the large bucket on disk. bbolt sees the change through its
// map.
func damageLeaf(t *testing.T, f damagedFile, change func(page []byte, number uint64)) {
	t.Helper()
	size := int64(f.db.Bolt().Info().PageSize)
	disk, err := os.OpenFile(f.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	tx, err := f.db.Bolt().Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for number := 2; ; number++ {
		info, err := tx.Page(number)
		if err != nil || info == nil {
			t.Fatalf("there is no large leaf: %v", err)
		}
		if info.Type != "leaf" || info.Count < 10 {
			continue
		}
		page := make([]byte, size)
		if _, err := disk.ReadAt(page, int64(number)*size); err != nil {
			t.Fatal(err)
		}
		change(page, uint64(number))
		if _, err := disk.WriteAt(page, int64(number)*size); err != nil {
			t.Fatal(err)
		}
		return
	}
}
