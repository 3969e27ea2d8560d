package engine_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/files/engine"
	"svc/internal/seal"
	"svc/store"
)

// endsWhenAwaited is a context that calls end when a caller calls its method Done to wait
// for it.
type endsWhenAwaited struct {
	context.Context
	end func()
}

func (c endsWhenAwaited) Done() <-chan struct{} {
	c.end()
	return c.Context.Done()
}

// TestFailureThatCannotBeNoted checks that a transfer keeps its slot for a while if its
// failure cannot be recorded. Otherwise the transfer would begin again immediately, over
// and over.
func TestFailureThatCannotBeNoted(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	f := d.file(d.stage("content"))
	closed, err := store.Open(filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	if err == nil {
		err = closed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.DB = closed // a closed store refuses writes, like a full disk
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	engine.TransferOne(d.Engine, endsWhenAwaited{ctx, stop}, f)
	if ctx.Err() == nil {
		t.Error("it gave its place back at once")
	}
}

// remote adds a WebDAV storage with the given address and returns its id.
func (d *depot) remote(url string) string {
	d.t.Helper()
	b := &store.StorageBackend{Name: "NAS", Kind: store.StorageWebDAV, BaseURL: url, Username: "u", Password: d.Keys.Seal(seal.StoragePassword, "p")}
	d.update(func(tx *store.Tx) error { return tx.PutStorageBackend(b) })
	return b.ID
}

// TestStorageAnswersNotFound checks that status 404 from a storage is not mistaken for missing
// staged content. The content must stay, and the transfer must be retried.
func TestStorageAnswersNotFound(t *testing.T) {
	t.Parallel()
	nas := httptest.NewServer(http.NotFoundHandler())
	defer nas.Close()
	d := newDepot(t, "")
	id := d.stage("content")
	backend := d.remote(nas.URL)
	f := d.file(id)
	f.Backend = backend
	err := engine.Transfer(d.Engine, t.Context(), f)
	if permanent := (engine.PermanentError{}); err == nil || errors.As(err, &permanent) {
		t.Errorf("got %v, want an error that passes", err)
	}
	staged := d.Storages.Local().Staged(string(id))
	if engine.IsGone(staged) {
		t.Error("the staged content is gone")
	}
	if err := os.Remove(staged); err != nil {
		t.Fatal(err)
	}
	err = engine.Transfer(d.Engine, t.Context(), f)
	if permanent := (engine.PermanentError{}); !errors.As(err, &permanent) || !strings.Contains(err.Error(), "no longer kept") {
		t.Errorf("got %v, want that the content is no longer kept", err)
	}
}

// TestDeletionOnAStorageThatIsGone checks that a deletion is dropped if its storage no longer
// exists.
func TestDeletionOnAStorageThatIsGone(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	gone := &store.FileDeletion{ID: "000000000001", ObjectKey: "f/app/000000000001/a.zip", Backend: "gone"}
	d.update(func(tx *store.Tx) error { return tx.PutFileDeletion(gone) })
	if err := d.DeleteObjects(t.Context(), "gone", []*store.FileDeletion{gone}); err != nil {
		t.Fatal(err)
	}
	left, err := store.Read(d.db, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(1) })
	if err != nil || len(left) > 0 {
		t.Errorf("got %+v, %v, want no deletion", left, err)
	}
}

// TestCleanUpOfWhatIsReady checks that the staged copy of a ready file is removed
// regardless of its age. It also checks that an object is kept if its directory on disk
// differs from its key only in upper and lower case.
func TestCleanUpOfWhatIsReady(t *testing.T) {
	t.Parallel()
	d := newDepot(t, "")
	id := d.stage("ready")
	d.update(func(tx *store.Tx) error {
		f, err := tx.FileByID(id)
		if err != nil {
			return err
		}
		f.Status = store.FileReady
		return tx.PutFile(d.p.ID, f)
	})
	object := filepath.Join(d.dir, "objects", "f", "APP", string(id), "app.zip")
	if err := errors.Join(os.MkdirAll(filepath.Dir(object), 0o700), os.WriteFile(object, []byte("ready"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := engine.CleanStaged(d.Engine); err != nil {
		t.Fatal(err)
	}
	d.age.Store(int64(26 * time.Hour))
	if err := engine.SweepLocal(d.Engine, t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := d.objects(); len(got) != 1 || got[0] != object {
		t.Errorf("got %q, want the object alone", got)
	}
}
