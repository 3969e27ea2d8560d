package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/testutil"
	"svc/store"
)

func createVersion(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil {
		return 0, err
	}
	v := &store.Version{}
	w.version(v)
	asked := maybe(w.rand, w.rand.IntN(2) == 0)
	err = tx.CreateVersion(p.ID, v, asked)
	if mine.named(v.Version) != nil {
		return fault.Conflict, err
	}
	c, listed := mine.catalog()
	next := *v
	plan, refused := c.PlanCreate(itemOf(&next), asked)
	if refused != nil {
		return fault.Invalid, err
	}
	mine.carryOut(plan, listed)
	next.Latest = plan.Latest
	mine.versions = append(mine.versions, &next)
	return 0, err
}

func updateVersion(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil || len(mine.versions) == 0 {
		return 0, err
	}
	old := one(w.rand, mine.versions)
	v, err := tx.Version(p.ID, old.ID)
	if err != nil {
		return 0, err
	}
	before := v.Version
	w.version(v)
	if w.rand.IntN(2) == 0 {
		v.Version = before
	}
	next := *v
	asked, sent := maybe(w.rand, w.rand.IntN(2) == 0), w.rand.IntN(2) == 0
	err = tx.UpdateVersion(p.ID, v, asked, sent)
	c, listed := mine.catalog()
	plan, refused := c.PlanUpdate(slices.Index(listed, old), itemOf(&next), asked, sent)
	if refused != nil {
		return fault.Invalid, err
	}
	if other := mine.named(next.Version); other != nil && other != old {
		return fault.Conflict, err
	}
	mine.carryOut(plan, listed)
	next.Latest = plan.Latest
	mine.versions[slices.IndexFunc(mine.versions, func(v *store.Version) bool { return v.ID == next.ID })] = &next
	return 0, err
}

func deleteVersion(w *world, s *state, tx *store.Tx) (fault.Kind, error) {
	mine, p, err := w.subject(s, tx)
	if mine == nil || err != nil || len(mine.versions) == 0 {
		return 0, err
	}
	old := one(w.rand, mine.versions)
	c, listed := mine.catalog()
	mine.carryOut(c.PlanDelete(slices.Index(listed, old)), listed)
	mine.versions = slices.DeleteFunc(mine.versions, func(v *store.Version) bool { return v.ID == old.ID })
	v, err := tx.Version(p.ID, old.ID)
	if err != nil {
		return 0, err
	}
	return 0, tx.DeleteVersion(p.ID, v)
}

// world is a store with its expected state.
type world struct {
	rand    *rand.Rand
	clock   *clock
	path    string
	options store.Options
	db      *store.Store
	state   *state
	old     []*memory
	stale   int // number of times that an old snapshot returned ErrStale
}

// memory is an old snapshot that the test still reads, with what it contained at first.
type memory struct {
	snap  *store.Snapshot
	shown string
	full  []*store.Version // a copy of each entry's version
}

// view returns the fields of a version that are visible in a language, as a text.
func view(p *store.Project, v *store.Version, language int) string {
	show := func(s *string) string {
		if s == nil {
			return "-"
		}
		return fmt.Sprintf("%d%.9s", len(*s), *s)
	}
	title, content, tag := show(v.Title), show(v.Content), ""
	if language >= 0 {
		if t, ok := v.Translations[locale.Key(p.Languages[language].Tag)]; ok {
			title, content, tag = show(t.Title), show(t.Content), p.Languages[language].Tag
		}
	}
	return fmt.Sprint(v.ID, v.Version, v.Comparable, title, content, tag, string(v.CustomData), v.Latest, v.Preview, v.Milestone, v.Deprecated, v.PublishedAt)
}

// viewed returns the same text as view, from the response that the snapshot has encoded.
func viewed(snap *store.Snapshot, e *store.VersionEntry, v *store.Version, language int) string {
	if e.Large {
		return view(snap.Project, v, language)
	}
	b, err := e.Encoding.Get(language, func() ([]byte, error) { return []byte(view(snap.Project, v, language)), nil })
	if err != nil {
		panic(err)
	}
	return string(b)
}

// step runs one transaction of up to three actions. One in eight transactions fails at
// the end.
func (w *world) step(t *testing.T) {
	t.Helper()
	if w.rand.IntN(3) > 0 {
		w.clock.advance(time.Duration(w.rand.IntN(5000)-1000) * time.Millisecond)
	}
	errEnough := errors.New("enough")
	next := w.state.clone()
	err := w.db.Update(func(tx *store.Tx) error {
		for range 1 + w.rand.IntN(3) {
			want, got := w.draw()(w, next, tx)
			if want != 0 != (got != nil) || want != 0 && !fault.Is(got, want) {
				t.Fatalf("got %v, want a fault of kind %d", got, want)
			}
			if got != nil {
				return got
			}
		}
		if w.rand.IntN(8) == 0 {
			return errEnough
		}
		return nil
	})
	if err == nil {
		w.state = next
	}
}

// reopen closes and opens the store.
func (w *world) reopen(t *testing.T) {
	t.Helper()
	if w.db != nil {
		closeStore(t, w.db)
	}
	w.db, w.old = openStore(t, w.path, w.options), nil
}

// check compares everything that can be read from the store with the state.
func (w *world) check(t *testing.T) {
	t.Helper()
	var listed []string
	for _, p := range w.db.Projects() {
		listed = append(listed, p.Key)
	}
	var keys []string
	for _, one := range slices.Backward(w.state.subjects) {
		keys = append(keys, one.project.Key)
	}
	if !slices.Equal(listed, keys) {
		t.Fatalf("projects: got %q, want %q", listed, keys)
	}
	for _, name := range someKeys {
		if mine := w.state.holder(name); mine != nil {
			snap := w.checkProject(t, name, mine)
			if name == mine.project.Key {
				w.checkVersions(t, "memory", snap, mine)
			}
			if w.rand.IntN(8) == 0 {
				w.checkFile(t, name, snap, mine)
			}
		} else if _, err := w.db.Snapshot(name); !fault.Is(err, fault.NotFound) {
			t.Fatalf("%s: got %v, want not found", name, err)
		}
	}
	for _, k := range w.db.APIKeys() {
		if want := w.state.keys[k.ID]; !slices.Equal(k.Projects, want) {
			t.Fatalf("API key %v reaches %v, want %v", k.ID, k.Projects, want)
		}
	}
	counted, kept, snapshots := w.db.Held()
	if counted != kept || counted > w.options.SnapshotBytes && snapshots > 1 {
		t.Fatalf("the cache counts %d bytes, %d snapshots have %d, the budget is %d", counted, snapshots, kept, w.options.SnapshotBytes)
	}
	if w.rand.IntN(8) == 0 {
		w.checkOld(t)
	}
}

// checkProject compares a project in memory with the state.
func (w *world) checkProject(t *testing.T, name string, mine *subject) *store.Snapshot {
	t.Helper()
	p, err := w.db.FindProject(name)
	if err != nil || asJSON(t, p) != asJSON(t, mine.project) {
		t.Fatalf("%s: got %s, %v, want %s", name, asJSON(t, p), err, asJSON(t, mine.project))
	}
	snap, err := w.db.Snapshot(name)
	if err != nil || !reflect.DeepEqual(snap.Project, p) {
		t.Fatalf("%s: got snapshot %v, %v, want one of the project", name, snap, err)
	}
	b, err := snap.Encoding.Get(-1, func() ([]byte, error) { return []byte(p.Name), nil })
	if err != nil || string(b) != mine.project.Name {
		t.Fatalf("%s: got answer %s, want %s", name, b, mine.project.Name)
	}
	if w.rand.IntN(20) == 0 {
		w.remember(t, snap)
	}
	return snap
}

// checkVersions compares the versions of a snapshot, and their answers in one language,
// with the state.
func (w *world) checkVersions(t *testing.T, where string, snap *store.Snapshot, mine *subject) {
	t.Helper()
	_, listed := mine.catalog()
	if snap.Catalog.Len() != len(listed) {
		t.Fatalf("%s: got %d versions in %s, want %d", mine.project.Key, snap.Catalog.Len(), where, len(listed))
	}
	language := w.rand.IntN(len(mine.project.Languages)+1) - 1
	for at, want := range listed {
		e := snap.Entry(at)
		v, err := w.db.FullVersion(snap, e)
		if err != nil || !reflect.DeepEqual(v, want) || !reflect.DeepEqual(*snap.Catalog.Item(at), itemOf(want)) {
			t.Fatalf("%s: version %d in %s: got %.400s, %v, want %.400s", mine.project.Key, at, where, asJSON(t, v), err, asJSON(t, want))
		}
		if got, want := viewed(snap, e, v, language), view(&mine.project, want, language); got != want {
			t.Fatalf("%s: version %d in %s in language %d: got %s, want %s", mine.project.Key, at, where, language, got, want)
		}
	}
}

// checkFile compares a snapshot built from the file with one from memory.
func (w *world) checkFile(t *testing.T, name string, snap *store.Snapshot, mine *subject) {
	t.Helper()
	built, err := w.db.Built(name)
	if err != nil || built.Cost() != snap.Cost() {
		t.Fatalf("%s: got cost %d, want as from the file %d, %v", name, snap.Cost(), built.Cost(), err)
	}
	w.checkVersions(t, "the file", built, mine)
	for at, v := range built.Versions(nil) {
		if snap.Entry(at).Large != v.Large {
			t.Fatalf("%s: version %d is large in one place only", name, at)
		}
		if owner, ok, err := w.db.OwnerOf(v.Record.ID); !ok || owner != mine.project.ID || err != nil {
			t.Fatalf("%s: version %d: got owner %d, %v, want %d", name, at, owner, err, mine.project.ID)
		}
	}
}

// fingerprint returns everything that a snapshot contains in memory, as a text.
func fingerprint(t *testing.T, snap *store.Snapshot) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(asJSON(t, snap.Project))
	for at := range snap.Catalog.Len() {
		fmt.Fprint(&b, *snap.Catalog.Item(at), asJSON(t, snap.Entry(at).Record), snap.Entry(at).Large)
	}
	return b.String()
}

func (w *world) remember(t *testing.T, snap *store.Snapshot) {
	t.Helper()
	m := &memory{snap: snap, shown: fingerprint(t, snap)}
	for _, e := range snap.Versions(nil) {
		v, err := w.db.FullVersion(snap, e)
		if err != nil {
			t.Fatal(err)
		}
		m.full = append(m.full, v)
	}
	if w.old = append(w.old, m); len(w.old) > 4 {
		w.old = w.old[1:]
	}
}

// checkOld checks that an old snapshot never changes. Its texts in the file must either
// be unchanged or be reported as stale.
func (w *world) checkOld(t *testing.T) {
	t.Helper()
	for _, m := range w.old {
		if got := fingerprint(t, m.snap); got != m.shown {
			t.Fatalf("a snapshot has become %s, want still %s", got, m.shown)
		}
		for at, e := range m.snap.Versions(nil) {
			v, err := w.db.FullVersion(m.snap, e)
			if errors.Is(err, store.ErrStale) && e.Large {
				w.stale++
			} else if err != nil || !reflect.DeepEqual(v, m.full[at]) {
				t.Fatalf("an old version has become %.300s, %v, want still %.300s", asJSON(t, v), err, asJSON(t, m.full[at]))
			}
		}
	}
}

// TestStoreByModel runs random transactions on a store and on plain maps and slices. It compares
// the two after each transaction.
func TestStoreByModel(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for name, budget := range map[string]int64{
		"everything in memory": 64 << 20,
		"a few projects":       60 << 10,
		"one project":          1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			w := &world{
				rand: rand.New(rand.NewPCG(seed, 0)), clock: newClock(),
				path:  filepath.Join(t.TempDir(), "svc.db"),
				state: &state{keys: map[store.ID][]store.ProjectID{}},
			}
			w.options = store.Options{Now: w.clock.now, SnapshotBytes: budget}
			w.reopen(t)
			for n := range 800 {
				w.step(t)
				w.check(t)
				if n%100 == 99 {
					w.reopen(t)
					w.check(t)
				}
			}
			t.Logf("%d projects, %d stale texts", len(w.state.subjects), w.stale)
			update(t, w.db, func(tx *store.Tx) error {
				for _, one := range w.state.subjects {
					p, err := tx.Project(one.project.Key)
					if err := errors.Join(err, tx.DeleteProject(p)); err != nil {
						return err
					}
				}
				return nil
			})
			if counted, _, _ := w.db.Held(); counted != 0 {
				t.Errorf("after deleting everything the cache still counts %d bytes", counted)
			}
			if err := errors.Join(w.db.Purge(), w.db.TrimFeed(w.db.LastChange())); err != nil {
				t.Fatal(err)
			}
			for path := range maps.Keys(w.db.Dump()) {
				if strings.Count(path, "/") > 0 && !strings.HasPrefix(path, `"meta"`) && !strings.HasPrefix(path, `"node"`) && !strings.HasPrefix(path, `"api_keys"`) && path != `"storage_backends"/"local"` {
					t.Errorf("after deleting everything there is still %s", path)
				}
			}
		})
	}
}
