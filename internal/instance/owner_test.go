package instance_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/files/upload"
	"svc/internal/instance"
	"svc/internal/setting"
	"svc/store"
)

// start opens a data directory with a storage directory. If storage is "", it uses the
// default storage directory.
func start(t *testing.T, data, storage string) (*instance.Instance, error) {
	t.Helper()
	_, err := instance.MakeFolder(data)
	must(t, err)
	lock, err := control.Acquire(data)
	must(t, err)
	return instance.Open(lock, stored(t, data, storage), "1.0", silent)
}

func stored(t *testing.T, data, storage string) *setting.Settings {
	t.Helper()
	s := settings(t, data)
	if storage != "" {
		s.StorageDir = storage
	}
	return s
}

// starts checks that a data directory can be opened with a storage directory, and closes
// it again.
func starts(t *testing.T, data, storage string) {
	t.Helper()
	i, err := start(t, data, storage)
	if err != nil {
		t.Fatalf("%s with %s: %v", data, storage, err)
	}
	must(t, i.Close())
}

// refuses checks that opening a data directory with a storage directory fails with an
// OwnerError that names data and owner.
func refuses(t *testing.T, data, storage, owner string) {
	t.Helper()
	i, err := start(t, data, storage)
	if err == nil {
		t.Errorf("%s opens with the storage of %s", data, owner)
		must(t, i.Close())
		return
	}
	if other, ok := errors.AsType[*instance.OwnerError](err); !ok || other.Data != data || other.Owner != owner {
		t.Errorf("got %v, want an OwnerError for %s of %s", err, data, owner)
	}
	// the refused process must have released both locks
	lock, err := control.Acquire(data)
	must(t, err)
	must(t, lock.Release())
}

// copyFolder copies a data directory, which must not be open in any process.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
}

// tempDir returns the path of a new folder. The path does not contain symbolic links.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func TestStorageOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	storage, one, another := filepath.Join(dir, "storage"), filepath.Join(dir, "one"), filepath.Join(dir, "another")
	starts(t, one, storage)
	starts(t, one, storage)
	refuses(t, another, storage, one)
	starts(t, another, "")

	// the storage directory of one installation with the database of another
	must(t, os.Rename(filepath.Join(another, datadir.Files), filepath.Join(dir, "kept")))
	refuses(t, one, filepath.Join(dir, "kept"), another)
	must(t, os.Rename(filepath.Join(dir, "kept"), filepath.Join(one, datadir.Files)))
	refuses(t, one, "", another)
}

func TestStorageInUse(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	storage, data := filepath.Join(dir, "storage"), filepath.Join(dir, "data")
	i, err := start(t, data, storage)
	must(t, err)
	session, err := i.Files.Uploads.Create(upload.Request{Project: 1, Filename: "a.zip", Size: 1000, Backend: "local"})
	must(t, err)
	another := filepath.Join(dir, "another")
	starts(t, another, "")
	if _, err := instance.AdoptStorage(stored(t, another, storage)); !isHeld(err) {
		t.Errorf("adopting a storage in use: got %v, want a HeldError", err)
	}
	copied := filepath.Join(dir, "copied")
	must(t, i.Store.Close())
	copyFolder(t, data, copied)
	must(t, os.RemoveAll(filepath.Join(data, datadir.Database))) // otherwise the existing path would be the reason to refuse the copy
	if _, err := start(t, copied, storage); !isHeld(err) {
		t.Errorf("the storage is in use: got %v, want a HeldError", err)
	}
	if _, err := i.Files.Uploads.Get(1, session.ID); err != nil {
		t.Errorf("the upload of the first process: %v", err)
	}
}

// TestMovedAndCopied checks that a data directory can use its storage directory after it has been
// moved. A copy of the data directory must not be able to use the storage directory of the
// original.
func TestMovedAndCopied(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	storage, data, moved, copied := filepath.Join(dir, "storage"), filepath.Join(dir, "data"), filepath.Join(dir, "moved"), filepath.Join(dir, "copied")
	starts(t, data, storage)
	must(t, os.Rename(data, moved))
	starts(t, moved, storage)
	copyFolder(t, moved, copied)
	refuses(t, copied, storage, moved)
	must(t, os.RemoveAll(moved))
	starts(t, copied, storage)

	// the default storage directory is moved and copied with its data directory
	whole, again := filepath.Join(dir, "whole"), filepath.Join(dir, "again")
	starts(t, whole, "")
	copyFolder(t, whole, again)
	starts(t, again, "")
	starts(t, whole, "")
}

func TestAdoptStorage(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	storage, one, another := filepath.Join(dir, "storage"), filepath.Join(dir, "one"), filepath.Join(dir, "another")
	starts(t, one, storage)
	starts(t, another, "")
	before, err := instance.AdoptStorage(stored(t, another, storage))
	if err != nil || before != one {
		t.Fatalf("got %q, %v, want %q", before, err, one)
	}
	refuses(t, one, storage, another)
	i, err := start(t, another, storage)
	must(t, err)
	must(t, i.Store.View(func(tx *store.Tx) error {
		if tx.SweepAfter().Before(tx.Now()) {
			t.Error("sweeps go on after an adoption")
		}
		return nil
	}))
	must(t, i.Close())

	// a mark that cannot be read is an error until the directory is adopted
	mark := filepath.Join(storage, datadir.Owner)
	for _, text := range []string{"", "{", "{}", `{"owner":"x"}`} {
		must(t, os.WriteFile(mark, []byte(text), 0o600))
		if _, err := start(t, another, storage); err == nil || !strings.Contains(err.Error(), mark) {
			t.Errorf("the mark %q: got %v, want an error that names it", text, err)
		}
	}
	_, err = instance.AdoptStorage(stored(t, another, storage))
	must(t, err)
	starts(t, another, storage)
}
