package store_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"svc/internal/platform"
	"svc/store"
)

// publish publishes a release and returns the stored version.
func publish(t *testing.T, db *store.Store, p store.ProjectID, text string, edits ...func(*store.Release)) (v *store.Version, created, stale bool) {
	t.Helper()
	r := &store.Release{Version: text, Comparable: number(t, text), CustomData: json.RawMessage(`{"source":"codehost-webhook"}`)}
	for _, edit := range edits {
		edit(r)
	}
	update(t, db, func(tx *store.Tx) (err error) {
		if _, created, stale, err = tx.PublishRelease(p, r); err == nil {
			v, err = tx.VersionNamed(p, text)
		}
		return err
	})
	return v, created, stale
}

func asPreview(r *store.Release) { r.Preview = true }

func updatedAt(seconds int64) func(*store.Release) {
	return func(r *store.Release) {
		at := time.Unix(seconds, 0)
		r.UpdatedAt = &at
	}
}

// TestReleaseTakesLatest checks rule W1, which decides whether a release becomes the
// latest version.
func TestReleaseTakesLatest(t *testing.T) {
	t.Parallel()
	deprecated := func(v *store.Version) { v.Deprecated = true }
	preview := func(v *store.Version) { v.Preview = true }
	for _, tc := range []struct {
		name   string
		before func(*testing.T, *store.Store, store.ProjectID)
		text   string
		edits  []func(*store.Release)
		want   string // the versions that have the latest flag afterwards
	}{
		{"preview: false", nil, "1.0", []func(*store.Release){asPreview}, ""},
		{"preview of the current latest: false, and the next best is elected", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "1.0")
			addVersion(t, db, p, "1.1")
		}, "1.1", []func(*store.Release){asPreview}, "1.0"},
		{"the existing record is deprecated: false", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "1.1")
			addVersion(t, db, p, "1.0", deprecated)
		}, "1.0", nil, "1.1"},
		{"no current latest: true", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "2.0-rc", preview)
		}, "1.0", nil, "1.0"},
		{"the first version of all: true", nil, "1.0", nil, "1.0"},
		{"the current latest is this version: true", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "2.0")
			latest := true
			update(t, db, func(tx *store.Tx) error { return tx.CreateVersion(p, newVersion(t, "1.0"), &latest) })
		}, "1.0", nil, "1.0"},
		{"higher than the current latest: true", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "1.0")
		}, "1.1", nil, "1.1"},
		{"equal to the current latest: true", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "1.0")
		}, "1.0.0", nil, "1.0.0"},
		{"lower than the current latest: false", func(t *testing.T, db *store.Store, p store.ProjectID) {
			t.Helper()
			addVersion(t, db, p, "1.1")
		}, "1.0", nil, "1.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			db := newStore(t)
			p := addProject(t, db, "app").ID
			if tc.before != nil {
				tc.before(t, db, p)
			}
			publish(t, db, p, tc.text, tc.edits...)
			var latest []string
			err := db.View(func(tx *store.Tx) error {
				return tx.EachVersion(p, func(v *store.Version) error {
					if v.Latest {
						latest = append(latest, v.Version)
					}
					return nil
				})
			})
			if got := strings.Join(latest, " "); err != nil || got != tc.want {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

// TestReleaseOverwrites checks rule W2: a release overwrites the fields that it provides
// and leaves all others unchanged.
func TestReleaseOverwrites(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	addVersion(t, db, p, "2.0")
	windows, title := platform.Windows, "by hand"
	before := addVersion(t, db, p, "1.0", func(v *store.Version) {
		v.Milestone, v.Deprecated, v.Platform, v.Platforms, v.Translations = true, true, &windows, []platform.Platform{windows}, texts("Titel", "de")
		v.Title, v.Content, v.DownloadURL, v.DownloadLinks = &title, &title, &title, []store.DownloadLink{{URL: title, Platform: "x"}}
	})
	address, published := "https://code.example/a", time.Unix(77, 0)
	v, created, _ := publish(t, db, p, "1.0", func(r *store.Release) { r.DownloadURL, r.PublishedAt = &address, &published })
	if created || v.ID != before.ID {
		t.Errorf("got version %s, created %v; want %s overwritten", v.ID, created, before.ID)
	}
	if v.Title != nil || v.Content != nil || *v.DownloadURL != address || v.PublishedAt != 77 || string(v.CustomData) != `{"source":"codehost-webhook"}` {
		t.Errorf("what the release says was not overwritten: %+v", v)
	}
	if len(v.DownloadLinks) != 1 || v.DownloadLinks[0] != (store.DownloadLink{URL: address}) {
		t.Errorf("got links %v, want the address as the only one", v.DownloadLinks)
	}
	if !v.Milestone || !v.Deprecated || *v.Platform != windows || len(v.Platforms) != 1 || *v.Translations["de"].Title != "Titel" {
		t.Errorf("more than what the release says was overwritten: %+v", v)
	}
	if v, _, _ = publish(t, db, p, "1.0"); v.DownloadURL != nil || v.DownloadLinks != nil {
		t.Errorf("without addresses: got %v and links %v, want none", *v.DownloadURL, v.DownloadLinks)
	}
}

// TestReleaseOfADeprecatedVersion checks that a release is published even if its version
// is deprecated in favour of another version.
func TestReleaseOfADeprecatedVersion(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	addVersion(t, db, p, "1.5")
	addVersion(t, db, p, "9.0", func(v *store.Version) { v.Comparable, v.Deprecated = number(t, "1.0"), true })
	v, created, stale := publish(t, db, p, "9.0")
	if created || stale || !v.Deprecated || v.Comparable.String() != "1.0" {
		t.Errorf("got %+v, created %v, stale %v; want it deprecated and comparable as before", v, created, stale)
	}
}

func TestReleaseThatIsStale(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	for _, step := range []struct {
		name           string
		edits          []func(*store.Release)
		created, stale bool
		at             int64
	}{
		{"the first one", []func(*store.Release){updatedAt(100)}, true, false, 100},
		{"an older one", []func(*store.Release){updatedAt(99)}, false, true, 100},
		{"the same one again", []func(*store.Release){updatedAt(100)}, false, false, 100},
		{"one that does not say", nil, false, false, 100},
		{"an older one still", []func(*store.Release){updatedAt(99)}, false, true, 100},
		{"a newer one", []func(*store.Release){updatedAt(101)}, false, false, 101},
	} {
		v, created, stale := publish(t, db, p, "1.0", step.edits...)
		if created != step.created || stale != step.stale || v.ReleaseUpdatedAt != step.at {
			t.Errorf("%s: got created %v, stale %v, at %d; want %v, %v, %d", step.name, created, stale, v.ReleaseUpdatedAt, step.created, step.stale, step.at)
		}
	}
	if _, _, stale := publish(t, db, p, "1.1", updatedAt(1)); stale {
		t.Error("another version is stale")
	}
}
