package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/internal/boltfile"
	"svc/store"
)

// file is the content of a closed store's file, without unused space at the end.
type file struct {
	bytes    []byte
	pageSize int
}

// page returns the bytes of a page.
func (f file) page(number int) []byte { return f.bytes[number*f.pageSize:][:f.pageSize] }

// kind returns the numbers of the pages with the given flags: 1 for branch pages, 2 for
// leaf pages, 16 for free pages.
func (f file) kind(flags uint16) (numbers []int) {
	for n := 2; n < len(f.bytes)/f.pageSize; n++ {
		if p := f.page(n); binary.NativeEndian.Uint16(p[8:]) == flags && binary.NativeEndian.Uint64(p) == uint64(n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func (f file) copy() file { return file{slices.Clone(f.bytes), f.pageSize} }

// newFile returns the file of a store that has enough versions for a tree of pages, a
// text that needs several pages, and one record of every other kind. If stopped is false,
// newFile reads the file before the store is closed, as if the process had been killed.
func newFile(t testing.TB, stopped bool) file {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error {
		app, small := &store.Project{Key: "app"}, &store.Project{Key: "small"}
		all := []error{tx.CreateProject(app), tx.CreateProject(small)}
		for i := range 40 {
			v := newVersion(t, fmt.Sprintf("1.%d", i))
			if i == 7 {
				v.Content = new(strings.Repeat("long ", 2000))
			}
			all = append(all, tx.CreateVersion(app.ID, v, nil))
		}
		return errors.Join(append(all,
			tx.CreateVersion(small.ID, newVersion(t, "1.0"), nil),
			tx.PutAPIKey(&store.APIKey{Name: "CI", Projects: []store.ProjectID{app.ID}}),
			tx.PutAccount(&store.Account{Username: "admin"}))...)
	})
	if !stopped {
		defer closeStore(t, db)
	} else {
		closeStore(t, db)
	}
	return inUse(read(t, path))
}

// inUse returns a file without the unused space at its end.
func inUse(b []byte) file {
	f := file{b, int(binary.NativeEndian.Uint32(b[16+8:]))}
	newer := max(binary.NativeEndian.Uint64(b[16+40:]), binary.NativeEndian.Uint64(f.page(1)[16+40:]))
	f.bytes = b[:int(newer)*f.pageSize]
	return f
}

// readAll reads all content of a store.
func readAll(db *store.Store) error {
	var all []error
	for _, p := range db.Projects() {
		snap, err := db.Snapshot(p.Key)
		if err != nil {
			all = append(all, err)
			continue
		}
		for _, e := range snap.Versions(nil) {
			_, err := db.FullVersion(snap, e)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// reopen opens a damaged file. If that succeeds, it checks that everything in the file
// can be read.
func reopen(t testing.TB, f file) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	if err := os.WriteFile(path, f.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		known := errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNewer)
		if !known || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want ErrDamaged with the path", err)
		}
		if !bytes.Equal(read(t, path), f.bytes) {
			t.Error("the file that was refused has changed")
		}
		return err
	}
	mendMeta(t, db, f)
	err = readAll(db)
	if err := errors.Join(db.CheckPages(), db.Close()); err != nil {
		t.Errorf("when it is closed: %v", err)
	}
	return err
}

// mendMeta repairs a damaged header of a meta page with two commits, which write both
// meta pages. Such damage is harmless, but CheckPages would report it.
func mendMeta(t testing.TB, db *store.Store, f file) {
	t.Helper()
	for n := range 2 {
		head := binary.NativeEndian.AppendUint16(binary.NativeEndian.AppendUint64(nil, uint64(n)), 4)
		if !bytes.HasPrefix(f.page(n), head) {
			for range 2 {
				update(t, db, func(*store.Tx) error { return nil })
			}
			return
		}
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	stopped, killed := newFile(t, true), newFile(t, false)
	noise := rand.NewChaCha8([32]byte{1})
	for _, tc := range []struct {
		name   string
		damage func(f *file)
	}{
		{"empty", func(f *file) { f.bytes = nil }},
		{"one byte", func(f *file) { f.bytes = f.bytes[:1] }},
		{"half a page", func(f *file) { f.bytes = f.bytes[:f.pageSize/2] }},
		{"one page", func(f *file) { f.bytes = f.bytes[:f.pageSize] }},
		{"one page and a half", func(f *file) { f.bytes = f.bytes[:f.pageSize*3/2] }},
		{"meta pages alone", func(f *file) { f.bytes = f.bytes[:2*f.pageSize] }},
		{"without the last page", func(f *file) { f.bytes = f.bytes[:len(f.bytes)-f.pageSize] }},
		{"without the last byte", func(f *file) { f.bytes = f.bytes[:len(f.bytes)-1] }},
		{"another file", func(f *file) { f.bytes = bytes.Repeat([]byte("text\n"), len(f.bytes)/5) }},
		{"zeros", func(f *file) { clear(f.bytes) }},
		{"random", func(f *file) { _, _ = noise.Read(f.bytes) }},
		{"both meta pages random", func(f *file) { _, _ = noise.Read(f.bytes[:2*f.pageSize]) }},
		{"both meta pages zero", func(f *file) { clear(f.bytes[:2*f.pageSize]) }},
		{"everything behind the meta pages random", func(f *file) { _, _ = noise.Read(f.bytes[2*f.pageSize:]) }},
		{"everything behind the meta pages zero", func(f *file) { clear(f.bytes[2*f.pageSize:]) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for name, f := range map[string]file{"stopped": stopped.copy(), "killed": killed.copy()} {
				tc.damage(&f)
				if err := reopen(t, f); !errors.Is(err, store.ErrDamaged) {
					t.Errorf("%s: got %v, want ErrDamaged", name, err)
				}
			}
		})
	}
	t.Run("what is not damaged", func(t *testing.T) {
		t.Parallel()
		if err := errors.Join(reopen(t, stopped.copy()), reopen(t, killed.copy())); err != nil {
			t.Error(err)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		path := t.TempDir()
		if _, err := store.Open(path, store.Options{}); err == nil || !strings.Contains(err.Error(), path+": not a regular file") {
			t.Errorf("got %v, want that %s is no file", err, path)
		}
	})
}

// TestDamagedMetaPage checks that one valid meta page is enough, and that its state is
// complete.
func TestDamagedMetaPage(t *testing.T) {
	t.Parallel()
	for _, stopped := range []bool{true, false} {
		f := newFile(t, stopped)
		for n := range 2 {
			one := f.copy()
			clear(one.page(n))
			if err := reopen(t, one); err != nil {
				t.Errorf("stopped %v, page %d: got %v, want the state of the other one", stopped, n, err)
			}
		}
	}
}

// last returns two offsets in a branch or leaf page: the offset of the page's last entry,
// and the offset of that entry's key. On other pages they have no meaning.
func last(page []byte) (entry, key int) {
	entry = min(16*max(1, int(binary.NativeEndian.Uint16(page[10:]))), len(page)/2)
	place := page[entry:]
	if page[8] == 2 {
		place = place[4:] // skip the flags
	}
	return entry, entry + min(int(binary.NativeEndian.Uint32(place)), len(page)/3)
}

// TestDamagedPage damages every page of a file in several ways. When Open reads a file left by a
// killed process, it reads all pages, so any damage must either be found or be harmless.
func TestDamagedPage(t *testing.T) {
	t.Parallel()
	f := newFile(t, false)
	noise := rand.NewChaCha8([32]byte{2})
	for _, tc := range []struct {
		name   string
		damage func(page []byte)
	}{
		{"random", func(page []byte) { _, _ = noise.Read(page) }},
		{"random behind the number", func(page []byte) { _, _ = noise.Read(page[8:]) }},
		{"random behind the head", func(page []byte) { _, _ = noise.Read(page[16:]) }},
		{"random keys and values", func(page []byte) { _, _ = noise.Read(page[len(page)/2:]) }},
		{"zero", func(page []byte) { clear(page) }},
		{"zero behind the head", func(page []byte) { clear(page[16:]) }},
		{"the most entries", func(page []byte) { binary.NativeEndian.PutUint16(page[10:], 1<<16-1) }},
		{"the longest overflow", func(page []byte) { binary.NativeEndian.PutUint32(page[12:], 1<<32-1) }},
		{"the other kind", func(page []byte) { page[8] ^= 3 }},
		{"no entries", func(page []byte) { clear(page[10:12]) }},
		{"another number", func(page []byte) { page[0] ^= 1 }},
		{"a last key that is too great", func(page []byte) { _, key := last(page); page[key] = 0xff }},
		{"a last key that is too small", func(page []byte) { _, key := last(page); page[key] = 0 }},
		{"a last key of a leaf that is too long", func(page []byte) { entry, _ := last(page); page[entry+11] = 0xff }},
		{"a last key of a branch that is too long", func(page []byte) { entry, _ := last(page); page[entry+7] = 0xff }},
		{"a last value that is too long", func(page []byte) { entry, _ := last(page); page[entry+14] = 0xff }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			for n := 2; n < len(f.bytes)/f.pageSize; n++ {
				bad := f.copy()
				tc.damage(bad.page(n))
				if err := reopen(t, bad); err != nil {
					refused++
					if !errors.Is(err, store.ErrDamaged) {
						t.Errorf("page %d: got %v, want ErrDamaged", n, err)
					}
				}
			}
			if refused == 0 {
				t.Error("no damage was found")
			}
		})
	}
}

// TestDamagedContent checks that Open finds wrong content on valid pages.
func TestDamagedContent(t *testing.T) {
	t.Parallel()
	put := func(bucket, key, value string) func(*boltfile.Tx) error {
		return func(tx *boltfile.Tx) error { return tx.Bucket([]byte(bucket)).Put([]byte(key), []byte(value)) }
	}
	for _, tc := range []struct {
		name    string
		rewrite func(*boltfile.Tx) error
	}{
		{"no meta bucket", func(tx *boltfile.Tx) error { return tx.DeleteBucket([]byte("meta")) }},
		{"no projects bucket", func(tx *boltfile.Tx) error { return tx.DeleteBucket([]byte("projects")) }},
		{"no owners bucket", func(tx *boltfile.Tx) error { return tx.DeleteBucket([]byte("owners")) }},
		{"no format", func(tx *boltfile.Tx) error { return tx.Bucket([]byte("meta")).Delete([]byte("format")) }},
		{"a format of the wrong size", put("meta", "format", "1")},
		{"a project that is not JSON", put("projects", "\x00\x00\x00\x01", "{")},
		{"a project of other types", put("projects", "\x00\x00\x00\x01", `{"key":1}`)},
		{"a project with an impossible version", put("projects", "\x00\x00\x00\x01", `{"optional_update":{"min":"x"}}`)},
		{"a project number of the wrong size", put("projects", "\x01", "{}")},
		{"a bucket among projects", func(tx *boltfile.Tx) error {
			_, err := tx.Bucket([]byte("projects")).CreateBucket([]byte("\x00\x00\x00\x09"))
			return err
		}},
		{"an API key that is not JSON", put("api_keys", "0123456789abcdef", "")},
		{"an API key with a short digest", put("api_keys", "0123456789abcdef", `{"digest":"00"}`)},
		{"an API key id of the wrong size", put("api_keys", "0123", `{}`)},
		{"an account that is not JSON", put("account", "admin", "\x00")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "svc.db")
			db := openStore(t, path, store.Options{})
			addProject(t, db, "app")
			closeStore(t, db)
			rewrite(t, path, tc.rewrite)
			b := read(t, path)
			if err := reopen(t, file{b, int(binary.NativeEndian.Uint32(b[16+8:]))}); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		})
	}
}

// TestDamagedVersion checks that a version that cannot be read only causes errors for its
// own project.
func TestDamagedVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	bad, good := addProject(t, db, "bad"), addProject(t, db, "good")
	v := addVersion(t, db, bad.ID, "1.0")
	addVersion(t, db, good.ID, "1.0")
	closeStore(t, db)
	rewrite(t, path, func(tx *boltfile.Tx) error {
		number := binary.BigEndian.AppendUint32(nil, uint32(bad.ID))
		return tx.Bucket([]byte("content")).Bucket(number).Bucket([]byte("versions")).Put(v.ID[:], []byte("{"))
	})
	db = openStore(t, path, store.Options{})
	if _, err := db.Snapshot("bad"); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("the damaged one: got %v, want ErrDamaged", err)
	}
	if _, err := db.Snapshot("good"); err != nil {
		t.Errorf("the other one: got %v", err)
	}
	update(t, db, func(tx *store.Tx) error {
		p, err := tx.Project("bad")
		if err != nil {
			return err
		}
		return tx.DeleteProject(p)
	})
}

// FuzzOpen overwrites a part of a file with arbitrary bytes. Open must return, and a file
// that it opens after a kill must be complete.
func FuzzOpen(f *testing.F) {
	stopped, killed := newFile(f, true), newFile(f, false)
	f.Fuzz(func(t *testing.T, clean bool, offset uint32, piece []byte) {
		if !clean {
			victim := killed.copy()
			copy(victim.bytes[int(offset)%len(victim.bytes):], piece)
			if err := reopen(t, victim); err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNewer) {
				t.Fatalf("got %v, want ErrDamaged", err)
			}
			return
		}
		victim, path := stopped.copy(), filepath.Join(t.TempDir(), "svc.db")
		copy(victim.bytes[int(offset)%len(victim.bytes):], piece)
		if err := os.WriteFile(path, victim.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(path, store.Options{NoSync: true})
		if err == nil { // the content of projects was not examined
			err = db.Close()
		}
		if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNewer) {
			t.Fatalf("got %v, want ErrDamaged", err)
		}
	})
}
