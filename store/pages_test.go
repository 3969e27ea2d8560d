package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"svc/internal/boltfile"
	"svc/internal/testutil"
	"svc/store"
)

// TestWholeFilesOpen checks that an undamaged file with a tree of any shape can be
// opened, both after a clean stop and after a kill.
func TestWholeFilesOpen(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	path := filepath.Join(t.TempDir(), "svc.db")
	closeStore(t, openStore(t, path, store.Options{}))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 20 {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: round%2 == 0, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		scatter := func(tx *bbolt.Tx) error { return scatter(r, tx.Bucket([]byte("content")), 3) }
		// In its own transaction, because bbolt 1.5 leaves pages behind if a bucket is deleted
		// after a write to its inner buckets.
		prune := func(tx *bbolt.Tx) error { return prune(r, tx.Bucket([]byte("content"))) }
		if err := errors.Join(db.Update(scatter), db.Update(prune), db.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := store.Open(path, store.Options{NoSync: true})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := errors.Join(again.CheckPages(), again.Close()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// prune deletes one random bucket.
func prune(r *rand.Rand, b *bbolt.Bucket) error {
	name := []byte{'b', byte(r.IntN(4))}
	switch below := b.Bucket(name); {
	case below == nil:
		return nil
	case r.IntN(3) == 0:
		return b.DeleteBucket(name)
	default:
		return prune(r, below)
	}
}

// scatter puts and deletes keys and values of all sizes, and creates buckets.
func scatter(r *rand.Rand, b *bbolt.Bucket, depth int) error {
	most := one(r, []int{4, 40, 400})
	for range r.IntN(300) {
		key := bytes.Repeat([]byte{byte(r.IntN(256))}, 1+r.IntN(most))
		if err := b.Delete(key); err == nil && r.IntN(3) > 0 {
			if err := b.Put(key, make([]byte, r.IntN(one(r, []int{10, 1000, 20_000})))); err != nil {
				return err
			}
		}
	}
	for range depth {
		name := []byte{'b', byte(r.IntN(4))}
		below, err := b.CreateBucketIfNotExists(name)
		if errors.Is(err, bolterrors.ErrIncompatibleValue) { // a value already has this key
			continue
		}
		if err := errors.Join(err, scatter(r, below, depth-1)); err != nil {
			return err
		}
	}
	return nil
}

// entries lists the entries that bbolt finds in an undamaged file.
func entries(t *testing.T, path string) (list []string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(b *bbolt.Bucket) error
	walk = func(b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return walk(b.Bucket(k))
			}
			list = append(list, string(k)+"="+string(v))
			return nil
		})
	}
	all := func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return walk(b) })
	}
	if err := errors.Join(db.View(all), db.Close()); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestExaminePages checks that ExaminePages passes the same entries to its function as
// bbolt finds. If a page is damaged, ExaminePages must refuse the file or, if that page
// is not in use, still pass all entries. The same must hold after a clean stop.
func TestExaminePages(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]file{"stopped": newFile(t, true), "killed": newFile(t, false)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.bolt")
			examine := func(f file) (shown []string, err error) {
				if err := os.WriteFile(path, f.bytes, 0o600); err != nil {
					t.Fatal(err)
				}
				err = boltfile.ExaminePages(path, func(k, v []byte) { shown = append(shown, string(k)+"="+string(v)) })
				return shown, err
			}
			whole, err := examine(f)
			if want := entries(t, path); err != nil || len(want) == 0 || !slices.Equal(whole, want) {
				t.Fatalf("got %d entries (%v), want %d", len(whole), err, len(want))
			}
			refused := 0
			for n := 2; n < len(f.bytes)/f.pageSize; n++ {
				bad := f.copy()
				clear(bad.page(n))
				switch shown, err := examine(bad); {
				case err == nil && len(shown) != len(whole): // damage inside a text is not detected
					t.Errorf("page %d: got %d entries, want %d", n, len(shown), len(whole))
				case err != nil && (!errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), path)):
					t.Errorf("page %d: got %v, want ErrDamaged with the path", n, err)
				case err != nil:
					refused++
				}
			}
			if refused < 5 {
				t.Errorf("got %d pages without which the file was refused, want those of every record", refused)
			}
		})
	}
}

func TestExaminePagesInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	nothing := func(_, _ []byte) {}
	if err := boltfile.ExaminePages(path, nothing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: got %v, want ErrNotExist", err)
	}
	openStore(t, path, store.Options{})
	if err := boltfile.ExaminePages(path, nothing); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a file that is open: got %v, want ErrLocked", err)
	}
}

// TestManyFreePages opens a file with more than 65,534 free pages. From that number on,
// the list of free pages stores its length in a different place.
func TestManyFreePages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	closeStore(t, openStore(t, path, store.Options{}))
	small := filepath.Join(t.TempDir(), "svc.db")
	const pageSize = 512
	db, err := bbolt.Open(small, 0o600, &bbolt.Options{PageSize: pageSize, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	old, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	big := []byte("big")
	err = errors.Join(bbolt.Compact(db, old, 0), old.Close(),
		db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("owners")).Put(big, make([]byte, 70_000*pageSize)) }),
		db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("owners")).Delete(big) }),
		db.Close())
	if err != nil {
		t.Fatal(err)
	}
	if list := int64(meta(t, small, 32)) * pageSize; binary.NativeEndian.Uint16(read(t, small)[list+10:]) != 1<<16-1 {
		t.Fatal("the list of free pages is not long enough for this test")
	}
	openStore(t, small, store.Options{})
}

// TestPagesInCircles checks that Open does not loop forever if a page refers to itself,
// or if two pages refer to the same one.
func TestPagesInCircles(t *testing.T) {
	t.Parallel()
	f := newFile(t, false)
	branches := f.kind(1)
	if len(branches) == 0 {
		t.Fatal("no branch page to try")
	}
	for _, n := range branches {
		for to := 2; to < len(f.bytes)/f.pageSize; to++ {
			bad := f.copy()
			first := bad.page(n)[16+8:]
			if binary.NativeEndian.Uint64(first) == uint64(to) {
				continue
			}
			binary.NativeEndian.PutUint64(first, uint64(to))
			_ = reopen(t, bad) // the page may be an old one that is no longer in use
		}
	}
	// A branch page without entries would make the pages below it appear free.
	refused := 0
	for _, n := range branches {
		bad := f.copy()
		clear(bad.page(n)[10:12])
		if reopen(t, bad) != nil {
			refused++
		}
	}
	if refused == 0 {
		t.Error("branch pages without entries: none was refused")
	}
	root := f.copy()
	for i := range 2 {
		meta := root.page(i)[16:]
		page := root.page(int(binary.NativeEndian.Uint64(meta[16:])))
		if binary.NativeEndian.Uint16(page[8:]) != 2 {
			continue
		}
		// The first entry of the root is a bucket: use its page as the root.
		place, key := binary.NativeEndian.Uint32(page[16+4:]), binary.NativeEndian.Uint32(page[16+8:])
		copy(page[16+place+key:], meta[16:24])
	}
	if err := reopen(t, root); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a bucket inside itself: got %v, want ErrDamaged", err)
	}
}

// TestDamagedFreePages checks that Open refuses a list of free pages that contains pages
// in use, because the next commits would overwrite them.
func TestDamagedFreePages(t *testing.T) {
	t.Parallel()
	f := newFile(t, true)
	list := f.kind(16)
	meta := max(binary.NativeEndian.Uint64(f.page(0)[16+32:]), binary.NativeEndian.Uint64(f.page(1)[16+32:]))
	if !slices.Contains(list, int(meta)) {
		meta = min(binary.NativeEndian.Uint64(f.page(0)[16+32:]), binary.NativeEndian.Uint64(f.page(1)[16+32:]))
	}
	for _, tc := range []struct {
		name string
		id   uint64
	}{
		{"a meta page", 1},
		{"the list itself", meta},
		{"the root", binary.NativeEndian.Uint64(f.page(0)[16+16:])},
		{"behind the file", uint64(len(f.bytes) / f.pageSize)},
		{"one listed twice", binary.NativeEndian.Uint64(f.page(int(meta))[16+8:])},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			bad := f.copy()
			binary.NativeEndian.PutUint64(bad.page(int(meta))[16:], tc.id)
			if err := reopen(t, bad); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		})
	}
}

// TestDamagedEntry damages each entry of each leaf page. Findings about pages in use must
// describe the damage.
func TestDamagedEntry(t *testing.T) {
	t.Parallel()
	f := newFile(t, false)
	u16, u32 := binary.NativeEndian.PutUint16, binary.NativeEndian.PutUint32
	const each, bucket, small = 0, 1, 2 // which entries to damage: all, buckets, or buckets whose only page is in the value
	for _, tc := range []struct {
		name   string
		which  int
		damage func(entry, value []byte)
		want   string
	}{
		{"a key behind the page", each, func(entry, _ []byte) { u32(entry[4:], 1<<20) }, "has an entry that extends beyond it"},
		{"a key that is too long", each, func(entry, _ []byte) { u32(entry[8:], 1<<15+1) }, "has an entry that extends beyond it"},
		{"a value that ends behind the page", each, func(entry, _ []byte) { u32(entry[12:], 1<<20) }, "has an entry that extends beyond it"},
		{"a bucket on a page that is not there", bucket, func(_, value []byte) { value[7] = 1 }, "does not exist"},
		{"a bucket on a meta page", bucket, func(_, value []byte) { clear(value[:8]); value[0] = 1 }, "does not exist"},
		{"a bucket on a page of another one", bucket, func(_, value []byte) { clear(value[:8]); value[0] = 2 }, "is used twice"},
		{"a bucket without its head", bucket, func(entry, _ []byte) { u32(entry[12:], 15) }, "has a bucket of the wrong size"},
		{"a small bucket without its page", small, func(entry, _ []byte) { u32(entry[12:], 31) }, "has a bucket without a page"},
		{"a small bucket of another kind", small, func(_, value []byte) { value[16+8] = 1 }, "has a bucket of the wrong kind"},
		{"a small bucket with the most entries", small, func(_, value []byte) { u16(value[16+10:], 1<<16-1) }, "is too short for its content"},
		{"a small bucket with a bucket in it", small, func(_, value []byte) {
			if value[16+10] > 0 {
				value[32] = 1
			}
		}, "has a bucket with wrong entries"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for _, n := range f.kind(2) {
				for i := range int(binary.NativeEndian.Uint16(f.page(n)[10:])) {
					bad := f.copy()
					entry := bad.bytes[n*f.pageSize+16+16*i:]
					value := entry[binary.NativeEndian.Uint32(entry[4:])+binary.NativeEndian.Uint32(entry[8:]):]
					isBucket := entry[0] == 1
					isSmall := isBucket && binary.NativeEndian.Uint64(value) == 0
					if tc.which == bucket && !isBucket || tc.which == small && !isSmall {
						continue
					}
					tc.damage(entry, value)
					if err := reopen(t, bad); err != nil && strings.Contains(err.Error(), tc.want) {
						found++
					}
				}
			}
			if found == 0 {
				t.Errorf("got no error that says %q", tc.want)
			}
		})
	}
}
