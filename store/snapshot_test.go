package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// TestFailedUpdateChangesNothing checks that a failed transaction changes nothing in the
// file and in memory, regardless of where it failed.
func TestFailedUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	addProject(t, db, "other")
	addVersion(t, db, p.ID, "1.0")
	update(t, db, func(tx *store.Tx) error {
		return errors.Join(tx.PutAPIKey(&store.APIKey{Name: "CI"}), tx.PutAccount(&store.Account{Username: "admin"}))
	})
	memory := func() []any {
		return []any{db.Kept("app"), db.Kept("other"), found(t, db, "app"), found(t, db, "other"), db.APIKeys()[0], db.Account(), len(db.Projects())}
	}
	snapshot(t, db, "app")
	inMemory, onDisk := memory(), fmt.Sprint(db.Dump())
	errFails := errors.New("fails")
	err := db.Update(func(tx *store.Tx) error {
		p, err := tx.Project("app")
		if err != nil {
			return err
		}
		other, err := tx.Project("other")
		return errors.Join(err,
			tx.CreateVersion(p.ID, newVersion(t, "2.0"), nil),
			tx.RenameProject(p, "new"), register(tx, p, "de"),
			tx.DeleteProject(other), tx.CreateProject(&store.Project{Key: "other"}),
			tx.PutAPIKey(&store.APIKey{Name: "more"}), tx.PutAccount(&store.Account{Username: "root"}),
			errFails)
	})
	if err == nil || err.Error() != "fails" {
		t.Fatalf("got %v, want the error of the function alone", err)
	}
	if got := memory(); !slices.Equal(got, inMemory) {
		t.Errorf("memory: got %v, want %v", got, inMemory)
	}
	if got := fmt.Sprint(db.Dump()); got != onDisk {
		t.Errorf("file: got %s, want %s", got, onDisk)
	}
	if _, err := db.FindProject("new"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the new name: got %v, want not found", err)
	}
}

func TestLargeTexts(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	text := func(n int) *string { return new(strings.Repeat("x", n)) }
	for version, tc := range map[string]struct {
		large bool
		edit  func(*store.Version)
	}{
		"1.0": {false, func(*store.Version) {}},
		"2.0": {false, func(v *store.Version) { v.Content = text(store.LargeText) }},
		"3.0": {true, func(v *store.Version) { v.Content = text(store.LargeText + 1) }},
		"4.0": {true, func(v *store.Version) {
			v.Content, v.Translations = text(store.LargeText), texts("y", "de")
		}},
		"5.0": {true, func(v *store.Version) {
			v.Translations = map[string]store.VersionText{"de": {Content: text(store.LargeText)}, "fr": {Content: text(1)}}
		}},
	} {
		v := addVersion(t, db, p.ID, version, tc.edit)
		for where, snap := range map[string]*store.Snapshot{"memory": snapshot(t, db, "app"), "the file": build(t, db, "app")} {
			e := snap.Entry(snap.Catalog.Named(version))
			if e.Large != tc.large || tc.large && (e.Record.Content != nil || e.Record.Translations != nil) {
				t.Errorf("%s in %s: got large %v, content kept %v, want large %v", version, where, e.Large, e.Record.Content != nil, tc.large)
			}
			full, err := db.FullVersion(snap, e)
			if err != nil || asJSON(t, full) != asJSON(t, v) {
				t.Errorf("%s in %s: got %.200s, %v", version, where, asJSON(t, full), err)
			}
			if !tc.large && full != e.Record {
				t.Errorf("%s in %s: a copy was made", version, where)
			}
		}
	}
}

func build(t *testing.T, db *store.Store, name string) *store.Snapshot {
	t.Helper()
	snap, err := db.Built(name)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestStale checks that an old snapshot returns either its own texts or ErrStale. It must
// never return new texts together with an old title.
func TestStale(t *testing.T) {
	t.Parallel()
	change := func(fn func(*store.Version)) func(*store.Store) error {
		return func(db *store.Store) error {
			return editVersion(db, "app", "1.0", func(tx *store.Tx, p *store.Project, v *store.Version) error {
				fn(v)
				return tx.UpdateVersion(p.ID, v, nil, false)
			})
		}
	}
	for _, tc := range []struct {
		name  string
		run   func(*store.Store) error
		stale bool
	}{
		{"nothing happened", func(*store.Store) error { return nil }, false},
		{"another title", change(func(v *store.Version) { v.Title = new("later") }), false},
		{"renamed", func(db *store.Store) error { return rename(db, "app", "new") }, false},
		{"another content", change(func(v *store.Version) { *v.Content += "!" }), true},
		{"a content of the same size", change(func(v *store.Version) { *v.Content = "y" + (*v.Content)[1:] }), true},
		{"a small content", change(func(v *store.Version) { v.Content = nil }), true},
		{"another translation", change(func(v *store.Version) { v.Translations["de"] = store.VersionText{Title: new("Später")} }), true},
		{"a title that has become a content", change(func(v *store.Version) { v.Translations["de"] = store.VersionText{Content: v.Translations["de"].Title} }), true},
		{"a translation more", change(func(v *store.Version) { v.Translations["fr"] = store.VersionText{} }), true},
		{"no translations", change(func(v *store.Version) { v.Translations = nil }), true},
		{"the version is deleted", func(db *store.Store) error {
			return editVersion(db, "app", "1.0", func(tx *store.Tx, p *store.Project, v *store.Version) error { return tx.DeleteVersion(p.ID, v) })
		}, true},
		{"the project is deleted", func(db *store.Store) error { return edit(db, "app", (*store.Tx).DeleteProject) }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			db := newStore(t)
			p := addProject(t, db, "app")
			addVersion(t, db, p.ID, "1.0", func(v *store.Version) {
				v.Title, v.Content, v.Translations = new("first"), new(strings.Repeat("x", store.LargeText)), texts("Erste", "de")
			})
			snap := snapshot(t, db, "app")
			before, err := db.FullVersion(snap, snap.Entry(0))
			if err != nil {
				t.Fatal(err)
			}
			want := asJSON(t, before)
			if err := tc.run(db); err != nil {
				t.Fatal(err)
			}
			after, err := db.FullVersion(snap, snap.Entry(0))
			if tc.stale != errors.Is(err, store.ErrStale) || !tc.stale && (err != nil || asJSON(t, after) != want) {
				t.Errorf("got %.200s, %v, want stale %v, else %.200s", asJSON(t, after), err, tc.stale, want)
			}
		})
	}
}

// TestDeletedProject checks that a reader can continue to use a snapshot after the
// project was deleted. Later readers must not find the project.
func TestDeletedProject(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	addVersion(t, db, p.ID, "1.0", func(v *store.Version) { v.Title = new("first") })
	snap := snapshot(t, db, "app")
	if err := edit(db, "app", (*store.Tx).DeleteProject); err != nil {
		t.Fatal(err)
	}
	v, err := db.FullVersion(snap, snap.Entry(snap.Catalog.Latest()))
	if err != nil || *v.Title != "first" || snap.Project.Key != "app" {
		t.Errorf("got %v, %v, want the version as it was", v, err)
	}
	if _, err := db.Snapshot("app"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
	again := addProject(t, db, "app")
	if snap := snapshot(t, db, "app"); snap.Catalog.Len() != 0 || snap.Project.ID != again.ID {
		t.Errorf("the next project of this name has %d versions, want none", snap.Catalog.Len())
	}
}

func TestEncoding(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	update(t, db, func(tx *store.Tx) error { return errors.Join(register(tx, p, "de"), register(tx, p, "fr")) })
	addVersion(t, db, p.ID, "1.0")
	addVersion(t, db, p.ID, "2.0")
	made := 0
	get := func(version string, language int, answer string) []byte {
		t.Helper()
		snap := snapshot(t, db, "app")
		b, err := snap.Entry(snap.Catalog.Named(version)).Encoding.Get(language, func() ([]byte, error) {
			made++
			return []byte(answer), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	expect := func(when string, got []byte, want string, times int) {
		t.Helper()
		if string(got) != want || made != times {
			t.Errorf("%s: got %s after %d times, want %s after %d", when, got, made, want, times)
		}
	}
	plain := get("1.0", -1, "plain")
	expect("asked for first", plain, "plain", 1)
	expect("asked for again", get("1.0", -1, "other"), "plain", 1)
	expect("in a language", get("1.0", 0, "deutsch"), "deutsch", 2)
	same := get("1.0", 1, "plain")
	expect("in a language without texts", same, "plain", 3)
	if &same[0] != &plain[0] {
		t.Error("equal answers are held twice")
	}
	expect("of another version", get("2.0", -1, "two"), "two", 4)

	addVersion(t, db, p.ID, "3.0")
	expect("after another version has come", get("1.0", 0, "other"), "deutsch", 4)
	if err := editVersion(db, "app", "2.0", func(tx *store.Tx, p *store.Project, v *store.Version) error {
		return tx.UpdateVersion(p.ID, v, new(true), false)
	}); err != nil {
		t.Fatal(err)
	}
	expect("of a version that was written", get("2.0", -1, "two again"), "two again", 5)
	expect("of one that lost the flag", get("3.0", -1, "three"), "three", 6)
	if err := edit(db, "app", func(tx *store.Tx, p *store.Project) error { return tx.RemoveLanguage(p, 0) }); err != nil {
		t.Fatal(err)
	}
	expect("after a change of languages", get("1.0", 0, "français"), "français", 7)
	errMake := errors.New("cannot")
	if _, err := snapshot(t, db, "app").Encoding.Get(-1, func() ([]byte, error) { return nil, errMake }); !errors.Is(err, errMake) {
		t.Errorf("got %v, want %v", err, errMake)
	}
	if b, err := snapshot(t, db, "app").Encoding.Get(-1, func() ([]byte, error) { return []byte("now"), nil }); err != nil || string(b) != "now" {
		t.Errorf("after a failure: got %s, %v, want another try", b, err)
	}
}

func TestVersionsOfSnapshot(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	for _, text := range []string{"2.0", "10.0", "1.0"} {
		addVersion(t, db, p.ID, text)
	}
	snap := snapshot(t, db, "app")
	list := func(keep func(*store.VersionEntry) bool) (all []string) {
		for _, e := range snap.Versions(keep) {
			all = append(all, e.Record.Version)
		}
		return all
	}
	if got := list(func(e *store.VersionEntry) bool { return e.Record.Version != "2.0" }); !slices.Equal(got, []string{"10.0", "1.0"}) {
		t.Errorf("some: got %q", got)
	}
	if got := list(nil); !slices.Equal(got, []string{"10.0", "2.0", "1.0"}) {
		t.Errorf("all, after some were listed: got %q", got)
	}
}

// TestOvertaken checks that a reader's snapshot is not stored if the reader began before
// a commit and finished after it.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		commit func(*testing.T, *store.Store)
		kept   bool
	}{
		{"by nothing", func(*testing.T, *store.Store) {}, true},
		{"by another project", func(t *testing.T, db *store.Store) { addProject(t, db, "other") }, true},
		{"by a version", func(t *testing.T, db *store.Store) { addVersion(t, db, found(t, db, "app").ID, "2.0") }, false},
		{"by a change of the project", func(t *testing.T, db *store.Store) {
			if err := edit(db, "app", (*store.Tx).PutProject); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"by its deletion", func(t *testing.T, db *store.Store) {
			if err := edit(db, "app", (*store.Tx).DeleteProject); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "svc.db")
			db := openStore(t, path, store.Options{})
			p := addProject(t, db, "app")
			addVersion(t, db, p.ID, "1.0")
			closeStore(t, db)
			db = openStore(t, path, store.Options{})
			before := build(t, db, "app")
			kept := db.Overtake("app", func() { tc.commit(t, db) })
			if got := kept != nil && fingerprint(t, kept) == fingerprint(t, before); got != tc.kept {
				t.Errorf("kept: got %v, want %v", got, tc.kept)
			}
			if counted, sum, _ := db.Held(); counted != sum {
				t.Errorf("the cache counts %d bytes, its snapshots have %d", counted, sum)
			}
		})
	}
}
