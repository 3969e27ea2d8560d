package instance_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/backup"
	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/store"
)

// TestOldUpgradeCopiesGo checks that backups made before an upgrade are deleted after a week, and
// that other files are kept.
func TestOldUpgradeCopiesGo(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := instance.DropUpgradeCopies(data, time.Now(), slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("without copies: %v", err)
	}
	if err := os.Mkdir(filepath.Join(data, datadir.Upgrades), 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"svc-before-1.tar.zst": 8 * 24 * time.Hour, "svc-before-2.tar.zst": 6 * 24 * time.Hour, "mine.tar.zst": 99 * 24 * time.Hour} {
		path := filepath.Join(data, datadir.Upgrades, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	// if a copy cannot be removed, that is an error, and the copy must not be logged as
	// removed
	inside := filepath.Join(data, datadir.Upgrades, "svc-before-0.tar.zst", "x")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Dir(inside), now, now.Add(-9*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := instance.DropUpgradeCopies(data, now, slog.New(slog.NewTextHandler(&log, nil))); err == nil || !strings.Contains(err.Error(), "svc-before-0.tar.zst") {
		t.Errorf("got %v, want the one that cannot be removed", err)
	}
	if text := log.String(); strings.Count(text, "deleted an old copy") != 1 || !strings.Contains(text, "svc-before-1.tar.zst") {
		t.Errorf("the log names another file than the one that is gone: %s", text)
	}
	for name, want := range map[string]bool{"svc-before-1.tar.zst": false, "svc-before-2.tar.zst": true, "mine.tar.zst": true} {
		if instance.Has(filepath.Join(data, datadir.Upgrades), name) != want {
			t.Errorf("%s is there: %v, want %v", name, !want, want)
		}
	}
}

// TestUpgradeCopyHasNothingDeleted checks that the backup that is made before an upgrade
// contains the stored data, but no deleted data.
func TestUpgradeCopyHasNothingDeleted(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	path := filepath.Join(data, datadir.Database)
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const stayName, goName = "the-name-that-stays", "the-name-that-goes"
	stays, goes := &store.Project{Key: "stays", Name: stayName}, &store.Project{Key: "goes", Name: strings.Repeat(goName, 1000)}
	for _, change := range []func(*store.Tx) error{
		func(tx *store.Tx) error { return tx.CreateProject(stays) },
		func(tx *store.Tx) error { return tx.CreateProject(goes) },
		func(tx *store.Tx) error { return tx.DeleteProject(goes) },
	} {
		if err := db.Update(change); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Purge(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if before, err := os.ReadFile(path); err != nil || !bytes.Contains(before, []byte(goName)) {
		t.Fatalf("the file has nothing of what was deleted, %v", err)
	}
	if err := instance.BeforeUpgrade(data, "1", slog.New(slog.DiscardHandler)).Before(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(instance.UpgradeCopy(data, "1"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	members := 0
	_, err = backup.Read(f, nil, func(m backup.Member, content io.Reader) error {
		members++
		all, err := io.ReadAll(content)
		if bytes.Contains(all, []byte(goName)) || !bytes.Contains(all, []byte(stayName)) {
			t.Errorf("%s has what was deleted, or not what stays", m.Name)
		}
		return err
	})
	if err != nil || members != 1 {
		t.Errorf("got %d members, %v, want the database", members, err)
	}
	if left, err := os.ReadDir(instance.StagingFolder(data)); err != nil || len(left) != 0 {
		t.Errorf("staging has %v, %v", left, err)
	}
}
