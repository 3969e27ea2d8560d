package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/integrity"
	"svc/store"
)

// nodeKeys lists the keys of the bucket node that earlier versions had in the bucket meta.
var nodeKeys = []string{"store_id", "backup_folder", "writer"}

// makeOlder gives a file that is not open the layout of a version without the bucket node.
func makeOlder(t *testing.T, path string) {
	t.Helper()
	err := bolttest.Change(path, func(tx *boltfile.Tx) error {
		meta, node := tx.Bucket([]byte("meta")), tx.Node()
		for _, key := range nodeKeys {
			if value := node.Get([]byte(key)); value != nil {
				if err := meta.Put([]byte(key), value); err != nil {
					return err
				}
			}
		}
		return tx.DeleteBucket([]byte("node"))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOlderFileKeepsItsNode opens and checks a file of a version without the bucket node. Nothing of
// it is lost.
func TestOlderFileKeepsItsNode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	folder := store.BackupFolder{Dir: "/backups", Device: 7}
	db := openStore(t, path, store.Options{Upgrade: boltfile.Upgrade{Version: "1.0"}})
	id := db.ID()
	addProject(t, db, "app")
	update(t, db, func(tx *store.Tx) error { return tx.PutBackupFolder(folder) })
	before := db.Dump()
	closeStore(t, db)
	makeOlder(t, path)

	report := integrity.NewReport(nil)
	if err := store.Check(t.Context(), path, report); err != nil || !report.Clean() {
		t.Errorf("check: error %v, findings %v", err, report.Listed())
	}
	for _, readOnly := range []bool{true, false, false} {
		db := openStore(t, path, store.Options{ReadOnly: readOnly})
		found, err := store.Read(db, (*store.Tx).BackupFolder)
		if err != nil || found == nil || *found != folder || db.ID() != id {
			t.Errorf("read-only %v: got folder %v, id %v, error %v; want %v, %v", readOnly, found, db.ID(), err, folder, id)
		}
		if readOnly {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		after := db.Dump()
		for key, value := range before {
			if after[key] != value {
				t.Errorf("%s: got %q, want %q", key, after[key], value)
			}
		}
		if len(after) != len(before) {
			t.Errorf("got %d entries, want %d", len(after), len(before))
		}
		closeStore(t, db)
	}
}

// TestRecorderSeesEverything records the upgrade of a file, its changes and Renew. A copy
// to which only these are applied has the same content and position, but keeps its own bucket node.
func TestRecorderSeesEverything(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	addProject(t, db, "app")
	closeStore(t, db)
	makeOlder(t, path)
	copied := copyOf(t, path)
	closeStore(t, openStore(t, copied, store.Options{})) // every directory has a bucket node of its own

	recording := &bolttest.Recording{Position: 1000}
	db = openStore(t, path, store.Options{Recorder: recording, Upgrade: boltfile.Upgrade{Version: "2.0"}})
	upgraded := recording.Position
	p := addProject(t, db, "other")
	addVersion(t, db, p.ID, "1.0")
	update(t, db, func(tx *store.Tx) error { return tx.MarkCleaned(time.Unix(5, 0)) })
	if _, err := db.CompactFile(true); err != nil {
		t.Fatal(err)
	}
	before := recording.Position
	update(t, db, func(tx *store.Tx) error { return tx.PutBackupFolder(store.BackupFolder{Dir: "/b", Device: 1}) })
	if err := db.Renew(); err != nil {
		t.Fatal(err)
	}
	if upgraded == 1000 || recording.Position <= before {
		t.Errorf("positions: %d after the upgrade, %d before Renew, %d after it; want them to grow", upgraded, before, recording.Position)
	}
	id := db.ID()
	closeStore(t, db)

	if err := recording.ApplyTo(copied); err != nil {
		t.Fatal(err)
	}
	want, position, err := boltfile.DigestFile(path)
	got, reached, err2 := boltfile.DigestFile(copied)
	if err := errors.Join(err, err2); err != nil || got != want || reached != position || position != recording.Position {
		t.Errorf("got digest %x at %d, want %x at %d; recorded to %d, error %v", got, reached, want, position, recording.Position, err)
	}
	db = openStore(t, copied, store.Options{})
	if db.ID() == id {
		t.Error("the copy has the id that Renew gave the other file")
	}
	for key := range db.Dump() {
		if strings.Contains(key, "backup_folder") || strings.Contains(key, "writer") {
			t.Errorf("the copy has %s", key)
		}
	}
}

// copyOf copies a file that is not open.
func copyOf(t *testing.T, path string) (copied string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied = filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}
