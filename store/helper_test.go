package store_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/release"
	"svc/store"
)

// clock is the clock of a store. It only advances when a test advances it.
type clock struct{ milliseconds atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.milliseconds.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time { return time.UnixMilli(c.milliseconds.Load()) }

func (c *clock) advance(d time.Duration) { c.milliseconds.Add(d.Milliseconds()) }

// openStore opens a store. It checks the whole file when the test ends.
func openStore(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	o.NoSync = true
	db, err := store.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if db.IsOpen() {
			closeStore(t, db)
		}
	})
	return db
}

// newStore returns an empty store.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
}

func closeStore(t testing.TB, db *store.Store) {
	t.Helper()
	if err := db.Check(); err != nil {
		t.Errorf("the file when it is closed: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// update runs fn in a write transaction. An error ends the test.
func update(t testing.TB, db *store.Store, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

// addProject creates a project with the given key.
func addProject(t testing.TB, db *store.Store, key string) *store.Project {
	t.Helper()
	p := &store.Project{Key: key, Name: "The " + key}
	update(t, db, func(tx *store.Tx) error { return tx.CreateProject(p) })
	return p
}

// addVersion creates a version with the given display text, which is also its number.
func addVersion(t testing.TB, db *store.Store, p store.ProjectID, text string, edits ...func(*store.Version)) *store.Version {
	t.Helper()
	v := newVersion(t, text, edits...)
	update(t, db, func(tx *store.Tx) error { return tx.CreateVersion(p, v, nil) })
	return v
}

func newVersion(t testing.TB, text string, edits ...func(*store.Version)) *store.Version {
	t.Helper()
	v := &store.Version{Version: text, Comparable: number(t, text), PublishedAt: 1}
	for _, edit := range edits {
		edit(v)
	}
	return v
}

func number(t testing.TB, text string) release.Comparable {
	t.Helper()
	c, ok := release.Parse(text)
	if !ok {
		t.Fatalf("%q is no comparable version", text)
	}
	return c
}

// snapshot returns the current snapshot of a project.
func snapshot(t testing.TB, db *store.Store, name string) *store.Snapshot {
	t.Helper()
	snap, err := db.Snapshot(name)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// texts returns the texts of a version in the languages with the given tag keys. All of
// them have the given title.
func texts(title string, keys ...string) map[string]store.VersionText {
	all := map[string]store.VersionText{}
	for _, key := range keys {
		all[key] = store.VersionText{Title: &title}
	}
	return all
}

// asJSON returns the JSON form of v. Tests compare records in this form, so that only
// stored fields matter.
func asJSON(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
