package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/store"
)

// kept lists the names of the projects that have a snapshot in memory.
func kept(db *store.Store) (names []string) {
	for _, p := range db.Projects() {
		if db.Kept(p.Key) != nil {
			names = append(names, p.Key)
		}
	}
	slices.Sort(names)
	return names
}

// projectsOfOneSize opens a store with five projects of the same size and a budget for
// the snapshots of three. None of the snapshots is in memory yet.
func projectsOfOneSize(t *testing.T) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		addVersion(t, db, addProject(t, db, key).ID, "1.0")
	}
	cost := snapshot(t, db, "a").Cost()
	closeStore(t, db)
	db = openStore(t, path, store.Options{SnapshotBytes: 3*cost + cost/2})
	if got := kept(db); got != nil {
		t.Fatalf("before anybody asked: got %q in memory, want none", got)
	}
	return db
}

func TestLeastRecentlyUsedGoes(t *testing.T) {
	t.Parallel()
	db := projectsOfOneSize(t)
	expect := func(when string, want ...string) {
		t.Helper()
		if got := kept(db); !slices.Equal(got, want) {
			t.Errorf("%s: got %q in memory, want %q", when, got, want)
		}
	}
	ask := func(names ...string) {
		t.Helper()
		for _, name := range names {
			snapshot(t, db, name)
		}
	}
	ask("a", "b", "c")
	expect("as many as there is room for", "a", "b", "c")
	ask("a", "d")
	expect("b was used longest ago", "a", "c", "d")
	ask("e")
	expect("then c", "a", "d", "e")
	addVersion(t, db, found(t, db, "b").ID, "2.0")
	expect("a write is a use", "b", "d", "e")
	if err := edit(db, "a", (*store.Tx).PutProject); err != nil {
		t.Fatal(err)
	}
	expect("a mere change of a project brings nothing into memory", "b", "d", "e")
	if err := edit(db, "d", (*store.Tx).DeleteProject); err != nil {
		t.Fatal(err)
	}
	expect("the deleted one is gone", "b", "e")
	ask("c")
	expect("and has left room", "b", "c", "e")
}

// TestBudgetHoldsWhileOthersRead checks that snapshots are evicted even if concurrent
// readers use all other projects.
func TestBudgetHoldsWhileOthersRead(t *testing.T) {
	t.Parallel()
	db := projectsOfOneSize(t)
	for _, name := range []string{"a", "b", "c"} {
		snapshot(t, db, name)
		db.Use(name)
	}
	snapshot(t, db, "d")
	if got := kept(db); len(got) != 3 || !slices.Contains(got, "d") {
		t.Errorf("got %q in memory, want d and two others", got)
	}
}

// TestLargerThanTheBudget checks that a snapshot is cached even if it exceeds the budget.
// Otherwise each request would read the project again.
func TestLargerThanTheBudget(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{SnapshotBytes: 1})
	for _, key := range []string{"a", "b"} {
		addVersion(t, db, addProject(t, db, key).ID, "1.0")
	}
	for _, name := range []string{"a", "b", "a"} {
		first := snapshot(t, db, name)
		if snapshot(t, db, name) != first {
			t.Errorf("%s was built twice", name)
		}
		if got := kept(db); !slices.Equal(got, []string{name}) {
			t.Errorf("got %q in memory, want %s alone", got, name)
		}
	}
}

// TestCostIsNotBelowWhatIsHeld encodes every response for a project and checks that their
// total size does not exceed the estimated cost.
func TestCostIsNotBelowWhatIsHeld(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &world{rand: rand.New(rand.NewPCG(seed, 0))}
	db := newStore(t)
	p := addProject(t, db, "app")
	update(t, db, func(tx *store.Tx) error {
		p.Translations = map[string]store.ProjectText{}
		for n := range 32 {
			tag := fmt.Sprintf("l%d", n)
			p.Translations[tag] = store.ProjectText{Name: new(tag), Description: new(strings.Repeat("d", 1024))}
			if err := register(tx, p, tag); err != nil {
				return err
			}
		}
		return nil
	})
	for n := range 40 {
		addVersion(t, db, p.ID, fmt.Sprintf("1.%d", n), func(v *store.Version) {
			text := new(strings.Repeat("n", w.rand.IntN(4000)))
			v.Title, v.Content, v.CustomData = new(strings.Repeat("t", 128)), text, []byte(`{"a":"`+strings.Repeat("c", w.rand.IntN(4000))+`"}`)
			v.Translations = map[string]store.VersionText{}
			for n := range w.rand.IntN(6) {
				v.Translations[fmt.Sprintf("l%d", n)] = store.VersionText{Title: text, Content: new(fmt.Sprint(n))}
			}
			for n := range w.rand.IntN(32) {
				v.DownloadLinks = append(v.DownloadLinks, store.DownloadLink{URL: strings.Repeat("u", w.rand.IntN(2048)), Name: fmt.Sprint(n)})
			}
		})
	}
	snap := snapshot(t, db, "app")
	size, seen := len(asJSON(t, snap.Project)), map[*byte]bool{}
	hold := func(e *store.Encoding, language int, answer any) {
		b, err := e.Get(language, func() ([]byte, error) { return []byte(asJSON(t, answer)), nil })
		if err != nil {
			t.Fatal(err)
		}
		if !seen[&b[0]] {
			seen[&b[0]] = true
			size += len(b)
		}
	}
	for _, e := range snap.Versions(nil) {
		size += len(asJSON(t, e.Record))
		for language := range len(snap.Project.Languages) + 1 {
			answer := *e.Record
			answer.Translations = nil
			if text, ok := e.Record.Translations[fmt.Sprintf("l%d", language-1)]; ok {
				answer.Title, answer.Content = text.Title, text.Content
			}
			hold(e.Encoding, language-1, answer)
		}
	}
	for language := range len(snap.Project.Languages) + 1 {
		answer := *snap.Project
		answer.Translations, answer.Languages = nil, nil
		if text, ok := snap.Project.Translations[fmt.Sprintf("l%d", language-1)]; ok {
			answer.Name, answer.Description = *text.Name, text.Description
		}
		hold(snap.Encoding, language-1, answer)
	}
	if snap.Cost() < int64(size) || snap.Cost() > 4*int64(size) {
		t.Errorf("got an estimate of %d bytes, want at least the %d that are held, and not many times more", snap.Cost(), size)
	}
}

// TestReadersSeeCommitsWhole checks that concurrent readers always see the same commit in all parts
// of a snapshot. A reader must never see an older commit than it has seen before.
func TestReadersSeeCommitsWhole(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]int64{"everything in memory": 64 << 20, "built again and again": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{SnapshotBytes: budget})
			addProject(t, db, "other")
			writeNumber(t, db, 0)
			done := make(chan struct{})
			var readers sync.WaitGroup
			for range 3 {
				readers.Go(func() {
					for last := 0; ; {
						last = readNumber(t, db, last)
						if _, err := db.Snapshot("other"); err != nil {
							t.Error(err)
						}
						select {
						case <-done:
							return
						default:
						}
					}
				})
			}
			for n := range 150 {
				writeNumber(t, db, n+1)
			}
			close(done)
			readers.Wait()
			if got := readNumber(t, db, 0); got != 150 {
				t.Errorf("at the end: got %d, want 150", got)
			}
		})
	}
}

// writeNumber writes n into every part of the project "app". For every tenth number, it
// deletes the project and creates it again.
func writeNumber(t *testing.T, db *store.Store, n int) {
	t.Helper()
	text := fmt.Sprint(n)
	fill := func(v *store.Version) {
		v.Title = &text
		if v.Version == "2.0" {
			v.Content = new(text + strings.Repeat(" ", store.LargeText))
		}
	}
	update(t, db, func(tx *store.Tx) error {
		if n%10 == 0 {
			return replaceProject(t, tx, text, fill)
		}
		p, err := tx.Project("app")
		if err != nil {
			return err
		}
		for _, version := range []string{"1.0", "2.0"} {
			v, err := tx.VersionNamed(p.ID, version)
			if err != nil {
				return err
			}
			fill(v)
			if err := tx.UpdateVersion(p.ID, v, nil, false); err != nil {
				return err
			}
		}
		p.Name = text
		if err := tx.RenameProject(p, []string{"app", "app-2"}[n%2]); err != nil {
			return err
		}
		_, err = tx.RegisterLanguage(p, "de", store.LanguageEdit{Label: new(&text)})
		return err
	})
}

func replaceProject(t *testing.T, tx *store.Tx, text string, fill func(*store.Version)) error {
	t.Helper()
	t.Helper()
	if old, err := tx.Project("app"); err == nil {
		if err := tx.DeleteProject(old); err != nil {
			return err
		}
	}
	p := &store.Project{Key: "app", Name: text}
	if err := tx.CreateProject(p); err != nil {
		return err
	}
	for _, version := range []string{"1.0", "2.0"} {
		if err := tx.CreateVersion(p.ID, newVersion(t, version, func(v *store.Version) { v.Version = version; fill(v) }), nil); err != nil {
			return err
		}
	}
	_, err := tx.RegisterLanguage(p, "de", store.LanguageEdit{Label: new(&text)})
	return err
}

// readNumber returns the number in the parts of the project. It checks that all parts
// have the same number and that it is not less than last.
func readNumber(t *testing.T, db *store.Store, last int) int {
	t.Helper()
	snap, err := db.Snapshot("app")
	if err != nil {
		t.Error(err)
		return last
	}
	var n int
	if _, err := fmt.Sscan(snap.Project.Name, &n); err != nil || n < last {
		t.Errorf("got %q after %d", snap.Project.Name, last)
	}
	part := func(name, got string) {
		if got != snap.Project.Name {
			t.Errorf("%s: got %s in a snapshot of %s", name, got, snap.Project.Name)
		}
	}
	part("language", *snap.Project.Languages[0].Label)
	for _, e := range snap.Versions(nil) {
		part("title", *e.Record.Title)
		for language := range 2 {
			b, err := e.Encoding.Get(language-1, func() ([]byte, error) { return []byte(*e.Record.Title), nil })
			if err != nil {
				t.Error(err)
			}
			part("answer", string(b))
		}
		switch full, err := db.FullVersion(snap, e); {
		case err == nil && e.Large:
			part("text", strings.TrimSpace(*full.Content))
		case err != nil && !errors.Is(err, store.ErrStale):
			t.Error(err)
		}
	}
	b, err := snap.Encoding.Get(-1, func() ([]byte, error) { return []byte(snap.Project.Name), nil })
	if err != nil {
		t.Error(err)
	}
	part("answer of the project", string(b))
	return n
}
