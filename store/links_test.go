package store_test

import (
	"sync"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// TestLinkFollowsChanges checks that a link always leads to the state of the last commit,
// even if it was cached before.
func TestLinkFollowsChanges(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p, gone := addProject(t, db, "app"), addProject(t, db, "gone")
	nas := &store.StorageBackend{Name: "nas", Kind: store.StorageWebDAV, BaseURL: "https://nas.example/"}
	update(t, db, func(tx *store.Tx) error { return tx.PutStorageBackend(nas) })
	on := func(f *store.File) { f.Backend = nas.ID }
	deleted, kept := addFile(t, db, p.ID, 1, store.FileReady, on), addFile(t, db, p.ID, 2, store.FileReady, on)
	lost := addFile(t, db, gone.ID, 3, store.FileReady, on)
	look := func(f *store.File) (name string) {
		t.Helper()
		for range 2 {
			got, b, err := db.LinkedFile(f.ObjectKey)
			if err == nil && got.ID != f.ID || err != nil && !fault.Is(err, fault.NotFound) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if name = ""; err == nil {
				name = b.Name
			}
		}
		return name
	}
	for _, step := range []struct {
		name   string
		change func(tx *store.Tx) error
		want   [3]string // the storages of the deleted, the kept and the lost file
	}{
		{"at first", func(*store.Tx) error { return nil }, [3]string{"nas", "nas", "nas"}},
		{"the storage has another name", func(tx *store.Tx) error {
			nas.Name = "attic"
			return tx.PutStorageBackend(nas)
		}, [3]string{"attic", "attic", "attic"}},
		{"a file is deleted", func(tx *store.Tx) error { return deleteFile(tx, p.ID, deleted.ID, false) }, [3]string{"", "attic", "attic"}},
		{"a project is deleted", func(tx *store.Tx) error { return tx.DeleteProject(gone) }, [3]string{"", "attic", ""}},
	} {
		update(t, db, step.change)
		if got := [3]string{look(deleted), look(kept), look(lost)}; got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}

// TestLinkIsGoneWhileItIsAskedFor checks that no request can get a file after its
// deletion has returned, even if requests run concurrently.
func TestLinkIsGoneWhileItIsAskedFor(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	for n := range 20 {
		f := addFile(t, db, p.ID, n, store.FileReady)
		stop := make(chan struct{})
		var asking sync.WaitGroup
		for range 2 {
			asking.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						_, _, _ = db.LinkedFile(f.ObjectKey)
					}
				}
			})
		}
		update(t, db, func(tx *store.Tx) error { return deleteFile(tx, p.ID, f.ID, false) })
		close(stop)
		if _, _, err := db.LinkedFile(f.ObjectKey); !fault.Is(err, fault.NotFound) {
			t.Errorf("after the deletion: got %v, want NotFound", err)
		}
		asking.Wait()
		if _, _, err := db.LinkedFile(f.ObjectKey); !fault.Is(err, fault.NotFound) {
			t.Errorf("when all have asked: got %v, want NotFound", err)
		}
	}
}
