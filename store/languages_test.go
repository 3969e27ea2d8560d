package store_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/store"
)

// languages returns one text for each language of a project: the primary tag, followed by
// the synonyms.
func languages(p *store.Project) (all []string) {
	for _, l := range p.Languages {
		all = append(all, strings.Join(append([]string{l.Tag}, l.Synonyms...), " "))
	}
	return all
}

func found(t *testing.T, db *store.Store, name string) *store.Project {
	t.Helper()
	p, err := db.FindProject(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRegisterLanguage(t *testing.T) {
	t.Parallel()
	synonyms := func(list ...string) store.LanguageEdit { return store.LanguageEdit{Synonyms: &list} }
	for _, tc := range []struct {
		name, tag string
		edit      store.LanguageEdit
		at        int
		want      []string
		refused   string
	}{
		{"a new one comes last", "it", store.LanguageEdit{}, 2, []string{"de de-AT", "pt pt_BR", "it"}, ""},
		{"with synonyms", "it", synonyms("it-IT", "IT_it", "IT", "it(CH)"), 2, []string{"de de-AT", "pt pt_BR", "it it-IT it(CH)"}, ""},
		{"one that is there: the primary tag stays", "DE", synonyms("x"), 0, []string{"de x", "pt pt_BR"}, ""},
		{"by a synonym, too", "PT (br)", synonyms(), 1, []string{"de de-AT", "pt"}, ""},
		{"what is not sent stays", "de", store.LanguageEdit{Label: new(new("German"))}, 0, []string{"de de-AT", "pt pt_BR"}, ""},
		{"a synonym of another language", "it", synonyms("x", "De_at"), 0, nil, `aliases: "De_at" belongs to language "de"`},
		{"the tag of another language", "it", synonyms("PT"), 0, nil, `aliases: "PT" belongs to language "pt"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			db := newStore(t)
			p := addProject(t, db, "app")
			update(t, db, func(tx *store.Tx) error {
				return errors.Join(
					second(tx.RegisterLanguage(p, "de", synonyms("de-AT"))),
					second(tx.RegisterLanguage(p, "pt", synonyms("pt_BR"))))
			})
			at, before := -1, db.Dump()
			err := edit(db, "app", func(tx *store.Tx, p *store.Project) (err error) {
				tc.edit.Tag = &tc.tag // as a client sends it; this does not rename the language
				at, err = tx.RegisterLanguage(p, tc.tag, tc.edit)
				return err
			})
			if tc.refused != "" {
				if !fault.Is(err, fault.Invalid) || err.Error() != tc.refused {
					t.Errorf("got %v, want %s", err, tc.refused)
				}
				if !maps.Equal(before, db.Dump()) {
					t.Error("the refusal has changed something")
				}
				return
			}
			if err != nil || at != tc.at || !slices.Equal(languages(found(t, db, "app")), tc.want) {
				t.Errorf("got %d, %v, %q, want %d, %q", at, err, languages(found(t, db, "app")), tc.at, tc.want)
			}
		})
	}
}

func second(_ int, err error) error { return err }

// updateLanguage changes the language with the given tag.
func updateLanguage(db *store.Store, tag string, change store.LanguageEdit) error {
	return edit(db, "app", func(tx *store.Tx, p *store.Project) error {
		return tx.UpdateLanguage(p, p.Locales().Find(tag), change)
	})
}

func TestUpdateLanguage(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	list := []string{"de-AT", "ger"}
	update(t, db, func(tx *store.Tx) error {
		return errors.Join(
			second(tx.RegisterLanguage(p, "de", store.LanguageEdit{Synonyms: &list, Label: new(new("German"))})),
			second(tx.RegisterLanguage(p, "fr", store.LanguageEdit{})))
	})
	for _, step := range []struct {
		name    string
		tag     string
		edit    store.LanguageEdit
		want    []string
		refused string
	}{
		{"a synonym that the tag becomes is dropped", "de", store.LanguageEdit{Tag: new("GER")}, []string{"GER de-AT", "fr"}, ""},
		{"another spelling of the tag", "ger", store.LanguageEdit{Tag: new("Ger")}, []string{"Ger de-AT", "fr"}, ""},
		{"tag and synonyms at once", "ger", store.LanguageEdit{Tag: new("de"), Synonyms: &[]string{"ger", "DE"}}, []string{"de ger", "fr"}, ""},
		{"synonyms alone", "de", store.LanguageEdit{Synonyms: &[]string{}}, []string{"de", "fr"}, ""},
		{"the tag of another language", "de", store.LanguageEdit{Tag: new("FR")}, []string{"de", "fr"}, `locale "FR" belongs to language "fr"`},
		{"a synonym that is another's tag", "de", store.LanguageEdit{Synonyms: &[]string{"Fr"}}, []string{"de", "fr"}, `aliases: "Fr" belongs to language "fr"`},
		{"no label", "de", store.LanguageEdit{Label: new((*string)(nil))}, []string{"de", "fr"}, ""},
	} {
		err := updateLanguage(db, step.tag, step.edit)
		if step.refused == "" && err != nil || step.refused != "" && (!fault.Is(err, fault.Invalid) || err.Error() != step.refused) {
			t.Errorf("%s: got %v, want %q", step.name, err, step.refused)
		}
		if got := languages(found(t, db, "app")); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
	if label := found(t, db, "app").Languages[0].Label; label != nil {
		t.Errorf("label: got %q, want none", *label)
	}
}

// TestMoveTranslations checks that the texts of the project and its versions move to a
// new primary tag. The change must be visible in memory and in the file immediately.
func TestMoveTranslations(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	update(t, db, func(tx *store.Tx) error {
		p.Translations = map[string]store.ProjectText{"de": {Name: new("Die App")}, "fr": {Name: new("L'app")}}
		return errors.Join(register(tx, p, "de"), register(tx, p, "fr"), tx.PutProject(p))
	})
	large := func(v *store.Version) { v.Content = new(strings.Repeat("x", store.LargeText)) }
	addVersion(t, db, p.ID, "1.0", func(v *store.Version) { v.Translations = texts("Eins", "de") })
	addVersion(t, db, p.ID, "2.0", func(v *store.Version) { v.Translations = texts("Deux", "fr") })
	addVersion(t, db, p.ID, "3.0", large, func(v *store.Version) { v.Translations = texts("Drei", "de", "fr") })
	old := snapshot(t, db, "app")
	if err := updateLanguage(db, "de", store.LanguageEdit{Tag: new("de_AT")}); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, db, "app")
	if got := slices.Sorted(maps.Keys(snap.Project.Translations)); !slices.Equal(got, []string{"de-at", "fr"}) {
		t.Errorf("project: got translations %q", got)
	}
	for version, want := range map[string][]string{"1.0": {"de-at"}, "2.0": {"fr"}, "3.0": {"de-at", "fr"}} {
		v, err := db.FullVersion(snap, snap.Entry(snap.Catalog.Named(version)))
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(v.Translations)); !slices.Equal(got, want) {
			t.Errorf("version %s: got translations %q, want %q", version, got, want)
		}
	}
	if _, err := db.FullVersion(old, old.Entry(old.Catalog.Named("3.0"))); !errors.Is(err, store.ErrStale) {
		t.Errorf("the moved text by a snapshot from before: got %v, want ErrStale", err)
	}
	if got := slices.Sorted(maps.Keys(old.Entry(old.Catalog.Named("1.0")).Record.Translations)); !slices.Equal(got, []string{"de"}) {
		t.Errorf("a reader's version now has translations %q, want still de", got)
	}
}

// TestMoveTranslationsConflict checks that the stored texts of an unregistered language
// are not overwritten. In that case, nothing may change.
func TestMoveTranslationsConflict(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"project", "version"} {
		t.Run("of a "+where, func(t *testing.T) {
			t.Parallel()
			db := newStore(t)
			p := addProject(t, db, "app")
			update(t, db, func(tx *store.Tx) error { return errors.Join(register(tx, p, "de"), register(tx, p, "fr")) })
			addVersion(t, db, p.ID, "1.0", func(v *store.Version) { v.Translations = texts("Eins", "de") })
			if where == "version" {
				addVersion(t, db, p.ID, "2.0", func(v *store.Version) { v.Translations = texts("Deux", "fr") })
			}
			if err := edit(db, "app", func(tx *store.Tx, p *store.Project) error {
				p.Translations = map[string]store.ProjectText{"de": {Name: new("Die App")}}
				if where == "project" {
					p.Translations["fr"] = store.ProjectText{Name: new("L'app")}
				}
				return tx.RemoveLanguage(p, 1)
			}); err != nil {
				t.Fatal(err)
			}
			before, memory := db.Dump(), snapshot(t, db, "app")
			err := updateLanguage(db, "de", store.LanguageEdit{Tag: new("FR")})
			if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), `"fr"`) {
				t.Errorf("got %v, want a conflict that names fr", err)
			}
			if !maps.Equal(before, db.Dump()) || snapshot(t, db, "app") != memory {
				t.Error("the refusal has changed something")
			}
			// When the language is registered again, its texts are visible again.
			if err := edit(db, "app", func(tx *store.Tx, p *store.Project) error { return register(tx, p, "fr") }); err != nil {
				t.Fatal(err)
			}
			if got := languages(found(t, db, "app")); !slices.Equal(got, []string{"de", "fr"}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestRemoveLanguage checks that the texts of a removed language stay in the file. They
// must be visible again when the language is registered again, whatever the spelling of
// its tag.
func TestRemoveLanguage(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	update(t, db, func(tx *store.Tx) error { return errors.Join(register(tx, p, "de-AT"), register(tx, p, "fr")) })
	addVersion(t, db, p.ID, "1.0", func(v *store.Version) { v.Translations = texts("Eins", "de-at") })
	if err := edit(db, "app", func(tx *store.Tx, p *store.Project) error { return tx.RemoveLanguage(p, 0) }); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, db, "app")
	if got := languages(snap.Project); !slices.Equal(got, []string{"fr"}) || snap.Locales.Find("de-AT") != -1 || snap.Locales.Find("fr") != 0 {
		t.Errorf("got %q", got)
	}
	if err := edit(db, "app", func(tx *store.Tx, p *store.Project) error { return register(tx, p, "DE (at)") }); err != nil {
		t.Fatal(err)
	}
	snap = snapshot(t, db, "app")
	if title := snap.Entry(0).Record.Translations["de-at"].Title; snap.Locales.Find("de_at") != 1 || title == nil || *title != "Eins" {
		t.Errorf("registered again: got %d, %v, want 1, Eins", snap.Locales.Find("de_at"), title)
	}
}
