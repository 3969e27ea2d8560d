package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/release"
	"svc/store"
)

// state is the expected content of a store, in plain slices and maps. Its records are
// never changed, only replaced. Copying the slices and maps therefore copies the whole
// state.
type state struct {
	subjects []*subject // the projects in order of creation
	keys     map[store.ID][]store.ProjectID
}

// subject is a project with its versions.
type subject struct {
	project  store.Project
	versions []*store.Version // the versions in order of creation
}

func (s *state) clone() *state {
	c := &state{keys: maps.Clone(s.keys)}
	for _, one := range s.subjects {
		c.subjects = append(c.subjects, &subject{one.project, slices.Clone(one.versions)})
	}
	return c
}

// holder returns the project that has the given name as its key or alias.
func (s *state) holder(name string) *subject {
	for _, one := range s.subjects {
		if one.project.Key == name || one.project.HasAlias(name) {
			return one
		}
	}
	return nil
}

// named returns the version with the given display text.
func (s *subject) named(text string) *store.Version {
	for _, v := range s.versions {
		if v.Version == text {
			return v
		}
	}
	return nil
}

func itemOf(v *store.Version) release.Item {
	return release.Item{
		ID: v.ID, Version: v.Version, Comparable: v.Comparable, PublishedAt: v.PublishedAt,
		Latest: v.Latest, Preview: v.Preview, Milestone: v.Milestone, Deprecated: v.Deprecated,
	}
}

// catalog builds a catalog of the project's versions. It also returns the versions in the
// order of the catalog.
func (s *subject) catalog() (*release.Catalog, []*store.Version) {
	var items []release.Item
	byID := map[store.ID]*store.Version{}
	for _, v := range s.versions {
		byID[v.ID] = v
		items = append(items, itemOf(v))
	}
	c := release.NewCatalog(items, nil)
	listed := make([]*store.Version, c.Len())
	for at := range listed {
		listed[at] = byID[c.Item(at).ID]
	}
	return c, listed
}

// flag sets or clears the latest flag of a version in the state.
func (s *subject) flag(v *store.Version, latest bool) {
	changed := *v
	changed.Latest = latest
	s.versions[slices.Index(s.versions, v)] = &changed
}

func (s *subject) carryOut(plan release.Plan, listed []*store.Version) {
	for _, at := range plan.Clear {
		s.flag(listed[at], false)
	}
	if plan.Elect >= 0 {
		s.flag(listed[plan.Elect], true)
	}
}

// language returns the index of the language to which a tag belongs.
func (s *subject) language(tag string) int {
	return slices.IndexFunc(s.project.Languages, func(l store.Language) bool {
		return slices.ContainsFunc(append([]string{l.Tag}, l.Synonyms...), func(t string) bool { return locale.Key(t) == locale.Key(tag) })
	})
}

// An action changes the store and the state in the same way. It returns the kind of fault that the
// rules require, or 0 if they require none, and the error of the store.
type action func(w *world, s *state, tx *store.Tx) (want fault.Kind, got error)

// actions lists all actions. Each is chosen with a probability proportional to its
// weight.
var actions = []struct {
	weight int
	run    action
}{
	{2, createProject}, {4, putProject}, {3, renameProject}, {2, freeAlias}, {1, deleteProject},
	{3, registerLanguage}, {3, changeLanguage}, {1, removeLanguage},
	{14, createVersion}, {12, updateVersion}, {4, deleteVersion}, {1, putKey},
}

func (w *world) draw() action {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	n := w.rand.IntN(total)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			return a.run
		}
	}
	panic("the weights have another sum")
}

var (
	someKeys = []string{"a", "b", "c", "d", "e", "f", "g"}
	someTags = []string{"de", "DE", "fr", "it-IT", "it(it)", "it", "pt_BR", "x y"}
)

func one[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func maybe[T any](r *rand.Rand, v T) *T {
	if r.IntN(2) == 0 {
		return nil
	}
	return &v
}

func (w *world) word() string { return fmt.Sprintf("<%d>", w.rand.IntN(1000)) }

// subject chooses a random project. It returns the project in the state, and the same
// project as the store reads it in the transaction.
func (w *world) subject(s *state, tx *store.Tx) (*subject, *store.Project, error) {
	if len(s.subjects) == 0 {
		return nil, nil, nil
	}
	mine := one(w.rand, s.subjects)
	theirs, err := tx.Project(one(w.rand, names(&mine.project)))
	return mine, theirs, err
}

func createProject(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	p := store.Project{Key: one(w.rand, someKeys), Name: w.word()}
	want := fault.Kind(0)
	if s.holder(p.Key) != nil {
		want = fault.Conflict
	}
	err := tx.CreateProject(&p)
	if err == nil {
		s.subjects = append(s.subjects, &subject{project: p})
	}
	return want, err
}

func putProject(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil {
		return 0, err
	}
	name, translations := w.word(), map[string]store.ProjectText{}
	for range w.rand.IntN(3) {
		translations[locale.Key(one(w.rand, someTags))] = store.ProjectText{Name: maybe(w.rand, w.word()), Description: new(w.word())}
	}
	for _, r := range []*store.Project{p, &mine.project} {
		r.Name, r.Translations, r.UpdatedAt = name, maps.Clone(translations), tx.Now().Unix()
	}
	return 0, tx.PutProject(p)
}

func renameProject(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil {
		return 0, err
	}
	key := one(w.rand, someKeys)
	if h := s.holder(key); h != nil && h != mine {
		return fault.Conflict, tx.RenameProject(p, key)
	}
	if key != mine.project.Key {
		aliases := []store.Alias{{Name: mine.project.Key, CreatedAt: tx.Now().Unix()}}
		for _, a := range mine.project.Aliases {
			if a.Name != key {
				aliases = append(aliases, a)
			}
		}
		mine.project.Key, mine.project.Aliases = key, aliases
	}
	mine.project.UpdatedAt = tx.Now().Unix()
	return 0, tx.RenameProject(p, key)
}

func freeAlias(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil {
		return 0, err
	}
	name := one(w.rand, someKeys)
	if !mine.project.HasAlias(name) {
		return fault.NotFound, tx.DeleteAlias(p, name)
	}
	mine.project.Aliases = slices.DeleteFunc(slices.Clone(mine.project.Aliases), func(a store.Alias) bool { return a.Name == name })
	mine.project.UpdatedAt = tx.Now().Unix()
	return 0, tx.DeleteAlias(p, name)
}

func deleteProject(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil {
		return 0, err
	}
	s.subjects = slices.DeleteFunc(s.subjects, func(one *subject) bool { return one == mine })
	for id, list := range s.keys {
		s.keys[id] = slices.DeleteFunc(slices.Clone(list), func(p store.ProjectID) bool { return p == mine.project.ID })
	}
	return 0, tx.DeleteProject(p)
}

func putKey(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	k := store.APIKey{Name: w.word()}
	for _, one := range s.subjects {
		if w.rand.IntN(2) == 0 {
			k.Projects = append(k.Projects, one.project.ID)
		}
	}
	err := tx.PutAPIKey(&k)
	s.keys[k.ID] = slices.Clone(k.Projects)
	return 0, err
}

// edited returns the language at an index with edit applied, or nil if one of the new
// tags belongs to another language.
func (s *subject) edited(at int, edit store.LanguageEdit) *store.Language {
	l := s.project.Languages[at]
	taken := func(tag string) bool { i := s.language(tag); return i >= 0 && i != at }
	if edit.Tag != nil {
		l.Tag = *edit.Tag
	}
	if edit.Synonyms != nil {
		l.Synonyms = *edit.Synonyms
	}
	l.Synonyms = locale.CleanSynonyms(l.Tag, l.Synonyms)
	if edit.Label != nil {
		l.Label = *edit.Label
	}
	if edit.Tag != nil && taken(l.Tag) || slices.ContainsFunc(l.Synonyms, taken) {
		return nil
	}
	return &l
}

func (w *world) languageEdit() (edit store.LanguageEdit) {
	if w.rand.IntN(2) == 0 {
		synonyms := []string{}
		for range w.rand.IntN(3) {
			synonyms = append(synonyms, one(w.rand, someTags))
		}
		edit.Synonyms = &synonyms
	}
	if w.rand.IntN(2) == 0 {
		edit.Label = new(maybe(w.rand, w.word()))
	}
	return edit
}

func registerLanguage(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil {
		return 0, err
	}
	tag, edit := one(w.rand, someTags), w.languageEdit()
	list := slices.Clone(mine.project.Languages)
	at := mine.language(tag)
	if at < 0 {
		at = len(list)
		list = append(list, store.Language{Tag: tag, CreatedAt: tx.Now().Unix()})
	}
	mine.project.Languages = list
	_, err = tx.RegisterLanguage(p, tag, edit)
	l := mine.edited(at, edit)
	if l == nil {
		return fault.Invalid, err
	}
	list[at], mine.project.UpdatedAt = *l, tx.Now().Unix()
	return 0, err
}

func changeLanguage(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil || len(p.Languages) == 0 {
		return 0, err
	}
	at, edit := w.rand.IntN(len(p.Languages)), w.languageEdit()
	edit.Tag = maybe(w.rand, one(w.rand, someTags))
	err = tx.UpdateLanguage(p, at, edit)
	l := mine.edited(at, edit)
	if l == nil {
		return fault.Invalid, err
	}
	from, to := locale.Key(mine.project.Languages[at].Tag), locale.Key(l.Tag)
	mine.project.Languages = slices.Clone(mine.project.Languages)
	mine.project.Languages[at], mine.project.UpdatedAt = *l, tx.Now().Unix()
	if from == to {
		return 0, err
	}
	translations, ok := moved(mine.project.Translations, from, to)
	mine.project.Translations = translations
	for i, v := range mine.versions {
		texts, free := moved(v.Translations, from, to)
		changed := *v
		changed.Translations = texts
		mine.versions[i], ok = &changed, ok && free
	}
	if !ok {
		return fault.Conflict, err
	}
	return 0, err
}

// moved returns a copy of a map in which a value has moved from one key to another. ok is
// false if the new key is in use.
func moved[T any](texts map[string]T, from, to string) (_ map[string]T, ok bool) {
	if _, taken := texts[to]; taken {
		return texts, false
	}
	after := maps.Clone(texts)
	if t, ok := texts[from]; ok {
		delete(after, from)
		after[to] = t
	}
	return after, true
}

func removeLanguage(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil || len(p.Languages) == 0 {
		return 0, err
	}
	at := w.rand.IntN(len(p.Languages))
	mine.project.Languages = slices.Delete(slices.Clone(mine.project.Languages), at, at+1)
	mine.project.UpdatedAt = tx.Now().Unix()
	return 0, tx.RemoveLanguage(p, at)
}

// version fills in the fields of a version. One version in thirty has texts that are too
// large for memory.
func (w *world) version(v *store.Version) {
	text := fmt.Sprintf("%d.%d", w.rand.IntN(6), w.rand.IntN(6))
	v.Version = text
	v.Comparable, _ = release.Parse(text)
	v.Title, v.Content = maybe(w.rand, w.word()), maybe(w.rand, w.word())
	if w.rand.IntN(30) == 0 {
		v.Content = new(strings.Repeat("x", store.LargeText-5) + w.word())
	}
	v.Preview, v.Milestone = w.rand.IntN(4) == 0, w.rand.IntN(4) == 0
	v.Deprecated = w.rand.IntN(6) == 0
	v.PublishedAt = int64(w.rand.IntN(3))
	v.CustomData = json.RawMessage(fmt.Sprintf(`{"a":%q}`, w.word()))
	v.Translations = nil
	for n := range w.rand.IntN(3) {
		if n == 0 {
			v.Translations = map[string]store.VersionText{}
		}
		v.Translations[locale.Key(one(w.rand, someTags))] = store.VersionText{Title: maybe(w.rand, w.word()), Content: new(w.word())}
	}
}
