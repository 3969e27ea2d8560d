package store_test

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/store"
)

// edit changes a project in its own transaction.
func edit(db *store.Store, name string, fn func(*store.Tx, *store.Project) error) error {
	return db.Update(func(tx *store.Tx) error {
		p, err := tx.Project(name)
		if err != nil {
			return err
		}
		return fn(tx, p)
	})
}

func rename(db *store.Store, name, key string) error {
	return edit(db, name, func(tx *store.Tx, p *store.Project) error { return tx.RenameProject(p, key) })
}

// names returns the key and the aliases of a project, the newest first.
func names(p *store.Project) (all []string) {
	all = append(all, p.Key)
	for _, a := range p.Aliases {
		all = append(all, a.Name)
	}
	return all
}

func TestCreateProject(t *testing.T) {
	t.Parallel()
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	first := addProject(t, db, "first")
	clock.advance(time.Minute)
	second := addProject(t, db, "second")
	if first.ID == second.ID {
		t.Errorf("both have number %d", first.ID)
	}
	if got, want := second.CreatedAt, clock.now().Unix(); got != want || second.UpdatedAt != want {
		t.Errorf("times: got %d and %d, want %d", got, second.UpdatedAt, want)
	}
	var keys []string
	for _, p := range db.Projects() {
		keys = append(keys, p.Key)
	}
	if want := []string{"second", "first"}; !slices.Equal(keys, want) {
		t.Errorf("Projects: got %q, want newest first: %q", keys, want)
	}
	if p, ok := db.ProjectByID(first.ID); !ok || p.Key != "first" {
		t.Errorf("by number: got %v, %v", p, ok)
	}
	if p, ok := db.ProjectByID(99); ok {
		t.Errorf("by another number: got %v, want none", p)
	}
}

func TestProjectNames(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	addProject(t, db, "was")
	if err := rename(db, "was", "app"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, text string
		found      bool
	}{
		{"the key", "app", true},
		{"in upper case", "APP", true},
		{"within blanks", " app\n", true},
		{"an alias", "was", true},
		{"an alias in upper case within blanks", "\tWAS ", true},
		{"empty", "", false},
		{"blank", " ", false},
		{"a part", "ap", false},
		{"more", "apps", false},
		{"a path", "app/", false},
		{"bytes that are not UTF-8", "app\xff", false},
		{"a long one", strings.Repeat("x", 100_000), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := db.FindProject(tc.text)
			again := db.View(func(tx *store.Tx) error { _, err := tx.Project(tc.text); return err })
			_, third := db.Snapshot(tc.text)
			for _, err := range []error{err, again, third} {
				if tc.found != (err == nil) || err != nil && !fault.Is(err, fault.NotFound) {
					t.Errorf("got %v, want found %v", err, tc.found)
				}
				if err != nil && len(err.Error()) > 400 {
					t.Errorf("a message of %d bytes, want a short one", len(err.Error()))
				}
			}
		})
	}
}

// TestRename renames projects repeatedly. After each step it checks which project each
// name belongs to.
func TestRename(t *testing.T) {
	t.Parallel()
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	addProject(t, db, "other")
	if err := rename(db, "other", "another"); err != nil {
		t.Fatal(err)
	}
	p := addProject(t, db, "a")
	addVersion(t, db, p.ID, "1.0")
	for _, step := range []struct {
		name     string
		run      func() error
		conflict bool
		want     []string // key, then aliases
	}{
		{"the old key becomes an alias", func() error { return rename(db, "a", "b") }, false, []string{"b", "a"}},
		{"the newest alias comes first", func() error { return rename(db, "b", "c") }, false, []string{"c", "b", "a"}},
		{"through an alias, back to one", func() error { return rename(db, "a", "b") }, false, []string{"b", "c", "a"}},
		{"to the key it has", func() error { return rename(db, "b", "b") }, false, []string{"b", "c", "a"}},
		{"to the key of another project", func() error { return rename(db, "b", "another") }, true, []string{"b", "c", "a"}},
		{"to the alias of another project", func() error { return rename(db, "b", "other") }, true, []string{"b", "c", "a"}},
		{"an alias is freed", func() error {
			return edit(db, "b", func(tx *store.Tx, p *store.Project) error { return tx.DeleteAlias(p, " A ") })
		}, false, []string{"b", "c"}},
		{"a project takes the freed name", func() error {
			return db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "a"}) })
		}, false, []string{"b", "c"}},
		{"a project may not take an alias", func() error {
			return db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "c"}) })
		}, true, []string{"b", "c"}},
		{"a project may not take a key", func() error {
			return db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: "b"}) })
		}, true, []string{"b", "c"}},
	} {
		clock.advance(time.Second)
		if err := step.run(); step.conflict != fault.Is(err, fault.Conflict) || !step.conflict && err != nil {
			t.Errorf("%s: got %v, want conflict %v", step.name, err, step.conflict)
		}
		got, ok := db.ProjectByID(p.ID)
		if !ok || !slices.Equal(names(got), step.want) {
			t.Errorf("%s: got %q, want %q", step.name, names(got), step.want)
		}
		for _, name := range step.want {
			if snap, err := db.Snapshot(name); err != nil || snap.Project != got || snap.Catalog.Len() != 1 {
				t.Errorf("%s: snapshot %q: got %v, %v, want that of the project", step.name, name, snap, err)
			}
		}
	}
	got, _ := db.ProjectByID(p.ID)
	if got.Aliases[0].CreatedAt != clock.now().Unix()-7 {
		t.Errorf("alias c: got created at %d, want %d", got.Aliases[0].CreatedAt, clock.now().Unix()-7)
	}
}

// TestConflictNamesTheHolder checks that the error for a name that is in use names the
// project that has the name.
func TestConflictNamesTheHolder(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	addProject(t, db, "old")
	if err := rename(db, "old", "new"); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"old": `project_key "old" is an alias of project "new"`,
		"new": `project_key "new" is taken by another project`,
	} {
		err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(&store.Project{Key: key}) })
		if !fault.Is(err, fault.Conflict) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDeleteAlias(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	addProject(t, db, "other")
	addProject(t, db, "a")
	if err := rename(db, "a", "b"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "other", "none", ""} {
		err := edit(db, "b", func(tx *store.Tx, p *store.Project) error { return tx.DeleteAlias(p, name) })
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: got %v, want not found", name, err)
		}
	}
	if err := edit(db, "b", func(tx *store.Tx, p *store.Project) error { return tx.DeleteAlias(p, "a") }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.FindProject("a"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the freed name: got %v, want not found", err)
	}
}

// TestDeleteProjectLeavesNoTrace checks that a store has the same content before a
// project is created and after it is deleted.
func TestDeleteProjectLeavesNoTrace(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	kept := addProject(t, db, "kept")
	addVersion(t, db, kept.ID, "1.0")
	old := &store.APIKey{Name: "old", Projects: []store.ProjectID{kept.ID}}
	update(t, db, func(tx *store.Tx) error { return tx.PutAPIKey(old) })
	before := db.Dump()

	p := addProject(t, db, "app")
	update(t, db, func(tx *store.Tx) error {
		old.Projects = append(old.Projects, p.ID)
		return errors.Join(
			tx.PutAPIKey(old),
			tx.RenameProject(p, "app-2"), tx.RenameProject(p, "app-3"),
			register(tx, p, "de"), register(tx, p, "fr"))
	})
	for _, text := range []string{"1.0", "2.0", "3.0"} {
		addVersion(t, db, p.ID, text, func(v *store.Version) { v.Translations = texts(text, "de") })
	}
	gone := addVersion(t, db, p.ID, "4.0")
	update(t, db, func(tx *store.Tx) error { return tx.DeleteVersion(p.ID, gone) })
	if maps.Equal(before, db.Dump()) {
		t.Fatal("the project has left nothing to delete")
	}
	snapshot(t, db, "app")
	if err := edit(db, "app", (*store.Tx).DeleteProject); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Purge(), db.TrimFeed(db.LastChange())); err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error { return tx.ForgetErasures(tx.Erasures()) })
	after := db.Dump()
	maps.DeleteFunc(before, func(path, _ string) bool { return strings.HasPrefix(path, `"feed"/`) })
	delete(before, `"meta"/"last_id"`)
	delete(after, `"meta"/"last_id"`)
	if !maps.Equal(before, after) {
		t.Errorf("got %q, want %q", after, before)
	}
	for _, name := range []string{"app", "app-2", "app-3"} {
		if _, err := db.Snapshot(name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
	if again := addProject(t, db, "app"); again.ID <= p.ID {
		t.Errorf("the next project has number %d, want one greater than %d", again.ID, p.ID)
	}
}

// register registers a language with only a tag.
func register(tx *store.Tx, p *store.Project, tag string) error {
	_, err := tx.RegisterLanguage(p, tag, store.LanguageEdit{})
	return err
}

// TestDeleteProjectWithKeyOfTheSameTransaction checks that deleting a project updates an
// API key that was written earlier in the same transaction.
func TestDeleteProjectWithKeyOfTheSameTransaction(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	k := &store.APIKey{Name: "CI"}
	update(t, db, func(tx *store.Tx) error {
		p := &store.Project{Key: "app"}
		if err := tx.CreateProject(p); err != nil {
			return err
		}
		k.Projects = []store.ProjectID{p.ID}
		return errors.Join(tx.PutAPIKey(k), tx.CreateVersion(p.ID, newVersion(t, "1.0"), nil), tx.DeleteProject(p))
	})
	if got := db.APIKeys()[0].Projects; len(got) != 0 {
		t.Errorf("the key reaches %v, want nothing", got)
	}
	if got := db.Projects(); len(got) != 0 {
		t.Errorf("got %v, want no project", got)
	}
}

func TestPutProject(t *testing.T) {
	t.Parallel()
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	p := addProject(t, db, "app")
	before, _ := db.FindProject("app")
	text := asJSON(t, before)
	clock.advance(time.Hour)
	if err := edit(db, "app", func(tx *store.Tx, p *store.Project) error {
		p.Description = new("new <b>")
		p.OptionalUpdate.Max = number(t, "2.0")
		return tx.PutProject(p)
	}); err != nil {
		t.Fatal(err)
	}
	after, _ := db.FindProject("app")
	if *after.Description != "new <b>" || after.OptionalUpdate.Max.String() != "2.0" || after.CreatedAt != p.CreatedAt {
		t.Errorf("got %s", asJSON(t, after))
	}
	if got, want := after.UpdatedAt, clock.now().Unix(); got != want {
		t.Errorf("updated at: got %d, want %d", got, want)
	}
	if got := asJSON(t, before); got != text {
		t.Errorf("a reader's project has become %s, want still %s", got, text)
	}
}
