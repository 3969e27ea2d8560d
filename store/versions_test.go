package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/store"
)

// latest returns the versions with the latest flag. It reads them from the snapshot and
// from the file, and compares the two.
func latest(t *testing.T, db *store.Store, name string) (flagged []string) {
	t.Helper()
	for _, e := range snapshot(t, db, name).Versions(nil) {
		if e.Record.Latest {
			flagged = append(flagged, e.Record.Version)
		}
	}
	built, err := db.Built(name)
	if err != nil {
		t.Fatal(err)
	}
	var stored []string
	for _, e := range built.Versions(nil) {
		if e.Record.Latest {
			stored = append(stored, e.Record.Version)
		}
	}
	if !slices.Equal(flagged, stored) {
		t.Fatalf("latest: memory says %q, the file %q", flagged, stored)
	}
	return flagged
}

// editVersion changes a version in its own transaction.
func editVersion(db *store.Store, name, text string, fn func(*store.Tx, *store.Project, *store.Version) error) error {
	return edit(db, name, func(tx *store.Tx, p *store.Project) error {
		v, err := tx.VersionNamed(p.ID, text)
		if err != nil {
			return err
		}
		return fn(tx, p, v)
	})
}

// TestLatestMoves checks that the store sets and clears the latest flag of all versions
// as the rules require.
func TestLatestMoves(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	create := func(text string, asked *bool, edits ...func(*store.Version)) func() error {
		return func() error {
			return db.Update(func(tx *store.Tx) error { return tx.CreateVersion(p.ID, newVersion(t, text, edits...), asked) })
		}
	}
	change := func(text string, asked *bool, edits ...func(*store.Version)) func() error {
		return func() error {
			return editVersion(db, "app", text, func(tx *store.Tx, p *store.Project, v *store.Version) error {
				for _, edit := range edits {
					edit(v)
				}
				return tx.UpdateVersion(p.ID, v, asked, len(edits) > 0)
			})
		}
	}
	remove := func(text string) func() error {
		return func() error {
			return editVersion(db, "app", text, func(tx *store.Tx, p *store.Project, v *store.Version) error { return tx.DeleteVersion(p.ID, v) })
		}
	}
	preview := func(v *store.Version) { v.Preview = true }
	deprecated := func(v *store.Version) { v.Deprecated = true }
	for _, step := range []struct {
		name    string
		run     func() error
		invalid bool
		want    []string
	}{
		{"the first one", create("1.0", nil), false, []string{"1.0"}},
		{"a greater one takes it", create("3.0", nil), false, []string{"3.0"}},
		{"a smaller one does not", create("2.0", nil), false, []string{"3.0"}},
		{"a preview does not", create("4.0", nil, preview), false, []string{"3.0"}},
		{"asked for, a smaller one does", create("1.5", new(true)), false, []string{"1.5"}},
		{"not wanted, a greater one does not", create("5.0", new(false)), false, []string{"1.5"}},
		{"not together with deprecated", create("6.0", new(true), deprecated), true, []string{"1.5"}},
		{"an update takes it", change("2.0", new(true)), false, []string{"2.0"}},
		{"given back, the greatest has it", change("2.0", new(false)), false, []string{"5.0"}},
		{"as a preview it loses it", change("5.0", nil, preview), false, []string{"3.0"}},
		{"deleted, the next has it", remove("3.0"), false, []string{"2.0"}},
		{"another one deleted", remove("4.0"), false, []string{"2.0"}},
		{"deprecated without saying so: refused", change("2.0", nil, deprecated), true, []string{"2.0"}},
	} {
		before := db.Dump()
		err := step.run()
		if step.invalid != fault.Is(err, fault.Invalid) || !step.invalid && err != nil {
			t.Errorf("%s: got %v, want invalid %v", step.name, err, step.invalid)
		}
		if step.invalid && !maps.Equal(before, db.Dump()) {
			t.Errorf("%s: the refusal has changed something", step.name)
		}
		if got := latest(t, db, "app"); !slices.Equal(got, step.want) {
			t.Errorf("%s: got latest %q, want %q", step.name, got, step.want)
		}
	}
}

func TestVersionNames(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	other := addProject(t, db, "other")
	addVersion(t, db, p.ID, "1.0")
	addVersion(t, db, p.ID, "2.0")
	for _, tc := range []struct {
		name string
		kind fault.Kind
		run  func(tx *store.Tx) error
	}{
		{"created twice", fault.Conflict, func(tx *store.Tx) error { return tx.CreateVersion(p.ID, newVersion(t, "1.0"), nil) }},
		{"changed to that of another", fault.Conflict, func(tx *store.Tx) error {
			v, err := tx.VersionNamed(p.ID, "1.0")
			if err != nil {
				return err
			}
			v.Version = "2.0"
			return tx.UpdateVersion(p.ID, v, nil, false)
		}},
		{"created from bytes that are not UTF-8", fault.Invalid, func(tx *store.Tx) error {
			v := newVersion(t, "3.0")
			v.Version = "3.0\xff"
			return tx.CreateVersion(p.ID, v, nil)
		}},
		{"changed to bytes that are not UTF-8", fault.Invalid, func(tx *store.Tx) error {
			v, err := tx.VersionNamed(p.ID, "1.0")
			if err != nil {
				return err
			}
			v.Version = "\xff"
			return tx.UpdateVersion(p.ID, v, nil, false)
		}},
	} {
		before := db.Dump()
		if err := db.Update(tc.run); !fault.Is(err, tc.kind) {
			t.Errorf("%s: got %v, want a fault of kind %d", tc.name, err, tc.kind)
		}
		if !maps.Equal(before, db.Dump()) {
			t.Errorf("%s: the refusal has changed something", tc.name)
		}
	}
	addVersion(t, db, other.ID, "1.0") // versions of different projects may have equal names
}

// TestVersionIsRenamed checks that renaming a version frees the old display text, and
// that the new one leads to the version.
func TestVersionIsRenamed(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	v := addVersion(t, db, p.ID, "1.0")
	if err := editVersion(db, "app", "1.0", func(tx *store.Tx, p *store.Project, v *store.Version) error {
		v.Version = "one & only"
		return tx.UpdateVersion(p.ID, v, nil, false)
	}); err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *store.Tx) error {
		for text, want := range map[string]store.ID{"1.0": {}, "one & only": v.ID, "One & only": {}, "": {}} {
			got, err := tx.VersionNamed(p.ID, text)
			if err != nil || (got == nil) != (want == store.ID{}) || got != nil && got.ID != want {
				t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
			}
		}
		return tx.CreateVersion(p.ID, newVersion(t, "1.0"), nil)
	})
	if snap := snapshot(t, db, "app"); snap.Catalog.Named("one & only") < 0 || snap.Catalog.Named("1.0") < 0 || snap.Catalog.Len() != 2 {
		t.Errorf("got %d versions, want both names", snap.Catalog.Len())
	}
}

// TestVersionIsFoundByItsIDAlone checks that a version can be found by its id without its
// project, as long as it exists.
func TestVersionIsFoundByItsIDAlone(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	a, b := addProject(t, db, "a"), addProject(t, db, "b")
	ours, theirs := addVersion(t, db, a.ID, "1.0"), addVersion(t, db, b.ID, "1.0")
	check := func(when string, id store.ID, want store.ProjectID) {
		t.Helper()
		owner, ok, err := db.OwnerOf(id)
		if err != nil || ok != (want != 0) || owner != want {
			t.Errorf("%s: OwnerOf: got %d, %v, %v, want %d", when, owner, ok, err, want)
		}
		err = db.View(func(tx *store.Tx) error {
			p, v, err := tx.OwnedVersion(id)
			if err == nil && (p.ID != want || v.ID != id) {
				t.Errorf("%s: OwnedVersion: got project %d, version %v, want %d, %v", when, p.ID, v.ID, want, id)
			}
			return err
		})
		if want == 0 != fault.Is(err, fault.NotFound) || want != 0 && err != nil {
			t.Errorf("%s: OwnedVersion: got %v", when, err)
		}
	}
	check("ours", ours.ID, a.ID)
	check("theirs", theirs.ID, b.ID)
	check("nobody's", store.ID{1}, 0)
	if err := editVersion(db, "a", "1.0", func(tx *store.Tx, p *store.Project, v *store.Version) error {
		if _, err := tx.Version(b.ID, v.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("in another project: got %v, want not found", err)
		}
		return tx.DeleteVersion(p.ID, v)
	}); err != nil {
		t.Fatal(err)
	}
	check("deleted", ours.ID, 0)
	if err := edit(db, "b", (*store.Tx).DeleteProject); err != nil {
		t.Fatal(err)
	}
	check("deleted with its project", theirs.ID, 0)
	if err := db.View(func(tx *store.Tx) error { _, err := tx.Version(b.ID, theirs.ID); return err }); !fault.Is(err, fault.NotFound) {
		t.Errorf("in a project that is deleted: got %v, want not found", err)
	}
}

func TestVersionStatistics(t *testing.T) {
	t.Parallel()
	clock := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: clock.now})
	expect := func(when string, versions, projects int64, oldest, newest *int64) {
		t.Helper()
		want := asJSON(t, store.VersionStatistics{Versions: versions, Projects: projects, Newest: newest, Oldest: oldest})
		var got store.VersionStatistics
		if err := db.View(func(tx *store.Tx) (err error) { got, err = tx.VersionStatistics(); return err }); err != nil {
			t.Fatal(err)
		}
		if asJSON(t, got) != want {
			t.Errorf("%s: got %s, want %s", when, asJSON(t, got), want)
		}
	}
	expect("nothing", 0, 0, nil, nil)
	a, b := addProject(t, db, "a"), addProject(t, db, "b")
	expect("projects without versions", 0, 0, nil, nil)
	first := clock.now().Unix()
	addVersion(t, db, b.ID, "1.0")
	for n := range 3 {
		clock.advance(time.Hour)
		addVersion(t, db, a.ID, fmt.Sprintf("%d.0", n+1))
	}
	last := clock.now().Unix()
	expect("two projects", 4, 2, &first, &last)
	if err := editVersion(db, "b", "1.0", func(tx *store.Tx, p *store.Project, v *store.Version) error { return tx.DeleteVersion(p.ID, v) }); err != nil {
		t.Fatal(err)
	}
	expect("one version less", 3, 1, new(first+3600), &last)
	if err := edit(db, "a", (*store.Tx).DeleteProject); err != nil {
		t.Fatal(err)
	}
	expect("nothing again", 0, 0, nil, nil)
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		v    store.Version
		want bool
	}{
		{"none named: everywhere", store.Version{}, true},
		{"listed", store.Version{Platforms: []platform.Platform{platform.IOS, platform.Linux}}, true},
		{"not listed", store.Version{Platforms: []platform.Platform{platform.IOS}}, false},
		{"the single one", store.Version{Platform: new(platform.Linux)}, true},
		{"another single one", store.Version{Platform: new(platform.Web)}, false},
		{"single or listed", store.Version{Platform: new(platform.Linux), Platforms: []platform.Platform{platform.IOS}}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.v.Runs(platform.Linux); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// TestStoredAsWritten checks that a version is the same in memory, in the file, and after
// the file is opened again, and equals the version that was written.
func TestStoredAsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	p := addProject(t, db, "app")
	v := addVersion(t, db, p.ID, "1.0", func(v *store.Version) {
		v.Title, v.Content = new("<b>&\u2028</b>"), new("")
		v.CustomData = json.RawMessage(`{"html":"<a href='?a&b'>","n":1.0,"big":12345678901234567890,"line":"` + "\u2028" + `"}`)
		v.DownloadURL = new("https://example.org/?a=1&b=2")
		v.DownloadLinks = []store.DownloadLink{{URL: *v.DownloadURL, Name: "<exe>"}}
		v.Platform, v.Platforms = new(platform.Linux), []platform.Platform{platform.Linux}
		v.Translations = texts("<i>", "de")
	})
	want := asJSON(t, v)
	check := func(when string) {
		t.Helper()
		if got := asJSON(t, snapshot(t, db, "app").Entry(0).Record); got != want {
			t.Errorf("%s: got %s, want %s", when, got, want)
		}
	}
	check("after the commit")
	closeStore(t, db)
	db = openStore(t, path, store.Options{})
	check("after opening again")
	if strings.Contains(db.Dump()[`"content"/"\x00\x00\x00\x01"/"versions"/`+fmt.Sprintf("%q", v.ID[:])], `\u003c`) {
		t.Error("the file has escapes that only HTML needs")
	}
}

// TestWrittenVersionIsCopied checks that the caller can change a version after writing it
// without affecting the store.
func TestWrittenVersionIsCopied(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	v := addVersion(t, db, p.ID, "1.0", func(v *store.Version) {
		v.Title = new("title")
		v.CustomData = json.RawMessage(`{"a":1}`)
		v.Platforms = []platform.Platform{platform.Linux}
		v.DownloadLinks = []store.DownloadLink{{URL: "https://example.org"}}
		v.Translations = texts("Titel", "de")
	})
	kept := snapshot(t, db, "app").Entry(0).Record
	want := asJSON(t, kept)
	*v.Title, v.CustomData[1], v.Platforms[0], v.DownloadLinks[0].URL = "changed", '?', platform.Web, "changed"
	*v.Translations["de"].Title = "changed"
	v.Translations["fr"] = store.VersionText{}
	if got := asJSON(t, kept); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
