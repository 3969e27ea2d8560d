package store_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// backends lists the names of the storages. A star follows the name of the default.
func backends(t testing.TB, db *store.Store) string {
	t.Helper()
	list, err := store.Read(db, func(tx *store.Tx) ([]*store.StorageBackend, error) { return tx.StorageBackends() })
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range list {
		if b.Default {
			b.Name += "*"
		}
		names = append(names, b.Name)
	}
	return strings.Join(names, " ")
}

// TestOneStorageIsTheDefault checks that exactly one storage is the default at any time.
// At first it is the built-in one.
func TestOneStorageIsTheDefault(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	if got := backends(t, db); got != "Local*" {
		t.Errorf("at first: got %q", got)
	}
	a, b := addBackend(t, db, "a"), addBackend(t, db, "b")
	a.Default = true
	update(t, db, func(tx *store.Tx) error { return tx.PutStorageBackend(a) })
	if got := backends(t, db); got != "Local a* b" {
		t.Errorf("got %q", got)
	}
	b.Default = true
	update(t, db, func(tx *store.Tx) error { return tx.PutStorageBackend(b) })
	if got := backends(t, db); got != "Local a b*" {
		t.Errorf("got %q", got)
	}
	b.Default = false
	if err := db.Update(func(tx *store.Tx) error { return tx.PutStorageBackend(b) }); !fault.Is(err, fault.Invalid) {
		t.Errorf("no default: got %v", err)
	}
}

// TestStorageRules checks that changes that violate the rules for storages are refused.
func TestStorageRules(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	full, idle, inUse := addBackend(t, db, "full"), addBackend(t, db, "idle"), addBackend(t, db, "in-use")
	addFile(t, db, p.ID, 1, store.FilePending, func(f *store.File) { f.Backend = full.ID })
	p.StorageBackend = inUse.ID
	inUse.Default = true
	update(t, db, func(tx *store.Tx) error {
		if err := tx.PutProject(p); err != nil {
			return err
		}
		return tx.PutStorageBackend(inUse)
	})
	local := store.StorageBackend{ID: store.LocalStorage, Name: "Local", Kind: store.StorageLocal}
	with := func(b store.StorageBackend, edit func(*store.StorageBackend)) func(*store.Tx) error {
		edit(&b)
		return func(tx *store.Tx) error { return tx.PutStorageBackend(&b) }
	}
	remove := func(id string) func(*store.Tx) error {
		return func(tx *store.Tx) error { return tx.DeleteStorageBackend(id) }
	}
	for _, tc := range []struct { // each case depends on the previous ones; the last one deletes
		name string
		do   func(*store.Tx) error
		want fault.Kind
	}{
		{"another kind", with(*idle, func(b *store.StorageBackend) { b.Kind = store.StorageS3 }), fault.Invalid},
		{"a second local one", with(local, func(b *store.StorageBackend) { b.ID = "" }), fault.Invalid},
		{"an address of the built-in", with(local, func(b *store.StorageBackend) { b.BaseURL = "https://x" }), fault.Invalid},
		{"parts of the built-in", with(local, func(b *store.StorageBackend) { b.PartSizeKB = 64 }), fault.Invalid},
		{"parts of S3", with(store.StorageBackend{Kind: store.StorageS3}, func(b *store.StorageBackend) { b.PartSizeKB = 64 }), fault.Invalid},
		{"one that is not there", with(*idle, func(b *store.StorageBackend) { b.ID = "gone" }), fault.NotFound},
		{"deleting the built-in", remove(store.LocalStorage), fault.Invalid},
		{"deleting the default", remove(inUse.ID), fault.Conflict},
		{"deleting one with files", remove(full.ID), fault.Conflict},
		{"deleting one that is not", remove("gone"), fault.NotFound},
		{"deleting one of a long name", remove(strings.Repeat("x", 99)), fault.NotFound},
		{"a file for one that is not", func(tx *store.Tx) error { _, err := tx.StorageFor(p, "gone"); return err }, fault.NotFound},
		{"a new name of the built-in", with(local, func(b *store.StorageBackend) { b.Name = "Disk" }), 0},
		{"deleting one without anything", remove(idle.ID), 0},
	} {
		err := db.Update(tc.do)
		if tc.want == 0 && err != nil || tc.want != 0 && !fault.Is(err, tc.want) {
			t.Errorf("%s: got %v", tc.name, err)
		}
	}
}

// TestDeletedStorageLeavesProjects checks that projects use the default after their storage is
// deleted. It also checks that a storage can be deleted only after an attempt to remove the objects
// of its deleted files.
func TestDeletedStorageLeavesProjects(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	b := addBackend(t, db, "nas")
	p.StorageBackend = b.ID
	update(t, db, func(tx *store.Tx) error { return tx.PutProject(p) })
	chosen := func(requested string) string {
		got, err := store.Read(db, func(tx *store.Tx) (string, error) {
			p, err := tx.Project("app")
			if err != nil {
				return "", err
			}
			b, err := tx.StorageFor(p, requested)
			return b.Name, err
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if chosen("") != "nas" || chosen(store.LocalStorage) != "Local" {
		t.Errorf("got %s, and when asked for local %s", chosen(""), chosen(store.LocalStorage))
	}
	f := addFile(t, db, p.ID, 1, store.FilePending, func(f *store.File) { f.Backend = b.ID })
	update(t, db, func(tx *store.Tx) error { return deleteFile(tx, p.ID, f.ID, false) })
	remove := func(tx *store.Tx) error { return tx.DeleteStorageBackend(b.ID) }
	if err := db.Update(remove); !fault.Is(err, fault.Conflict) {
		t.Errorf("with an object that nobody has tried to remove: got %v", err)
	}
	d := deletions(t, db, 1)[0]
	update(t, db, func(tx *store.Tx) error { return tx.PostponeFileDeletion(d, d.RetryAt, "no route to host") })
	update(t, db, remove)
	if got := chosen(""); got != "Local" {
		t.Errorf("got %s after the deletion", got)
	}
	if p, err := db.FindProject("app"); err != nil || p.StorageBackend != "" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestFilesOnStorage checks the number of files on a storage after files are created,
// deleted, and purged with their project.
func TestFilesOnStorage(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	b := addBackend(t, db, "nas")
	want := func(n int64) {
		t.Helper()
		if got, _ := store.Read(db, func(tx *store.Tx) (int64, error) { return tx.FilesOn(b.ID) }); got != n {
			t.Errorf("got %d, want %d", got, n)
		}
	}
	for n := range 3 {
		addFile(t, db, p.ID, n, store.FilePending, func(f *store.File) { f.Backend = b.ID })
	}
	addFile(t, db, p.ID, 9, store.FileReady)
	want(3)
	update(t, db, func(tx *store.Tx) error { return deleteFile(tx, p.ID, fileID(1), false) })
	want(2)
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(p) })
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	want(0)
}

// TestPublicStorage checks that the result of a probe is stored until the connection of
// the storage changes.
func TestPublicStorage(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	b := &store.StorageBackend{Name: "s3", Kind: store.StorageS3, BaseURL: "https://s3", Bucket: "files", Public: true}
	put := func() { update(t, db, func(tx *store.Tx) error { return tx.PutStorageBackend(b) }) }
	put()
	b.Public = true
	put()
	b.Name = "other"
	put()
	if !b.Public {
		t.Error("a new name makes it private")
	}
	b.Bucket = "private"
	put()
	if b.Public {
		t.Error("another bucket is public without a probe")
	}
}

// TestCDN checks that the CDN settings are empty at first, that they are stored, and that
// credentials are not sent to another provider.
func TestCDN(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	read := func() string {
		c, err := store.Read(db, func(tx *store.Tx) (*store.CDN, error) { return store.CDNSettings.Get(tx) })
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %t %t %s/%s %t", c.Provider, c.Enabled, c.Configured(), c.KeyID, c.Secret, c.UpdatedAt > 0)
	}
	const empty = "aliyun false false / false"
	if got := read(); got != empty {
		t.Errorf("at first: got %q", got)
	}
	c := &store.CDN{Provider: store.CDNAliyun, Enabled: true, KeyID: "id", Secret: "sealed"}
	put := func() { update(t, db, func(tx *store.Tx) error { return store.CDNSettings.Put(tx, c) }) }
	put()
	if got := read(); got != "aliyun true true id/sealed true" {
		t.Errorf("got %q", got)
	}
	c.SetProvider(store.CDNAliyun)
	put()
	if got := read(); got != "aliyun true true id/sealed true" {
		t.Errorf("the same provider: got %q", got)
	}
	c.SetProvider(store.CDNCloudflare)
	put()
	if got := read(); got != "cloudflare true false / true" {
		t.Errorf("another provider: got %q", got)
	}
	update(t, db, func(tx *store.Tx) error { return store.CDNSettings.Delete(tx) })
	if got := read(); got != empty {
		t.Errorf("cleared: got %q", got)
	}
}
