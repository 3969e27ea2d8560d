package event_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
)

// ingest stores one event of each name and returns the result.
func (w *world) ingest(t *testing.T, p event.Project, at int64, names ...string) event.Ingested {
	t.Helper()
	b := &event.Batch{Project: p, Received: at, Subject: "u"}
	for _, name := range names {
		b.Items = append(b.Items, submission.Item{ID: fmt.Sprint(name, at), Name: name, At: at})
	}
	in, err := w.Ingest(b)
	check(t, err)
	return in
}

// names returns the stored names, sorted.
func (w *world) names() []string {
	list := []string{}
	for _, d := range w.Names(1) {
		list = append(list, d.Name)
	}
	slices.Sort(list)
	return list
}

func (w *world) wantNames(t *testing.T, want ...string) {
	t.Helper()
	if got := w.names(); !slices.Equal(got, want) {
		t.Errorf("got the names %q, want %q", got, want)
	}
}

// counts returns the counters of each name.
func (w *world) counts(t *testing.T) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	_, list, err := w.Definitions(context.Background(), 1, event.DefinitionsQuery{Range: everything, Archived: true, Limit: 1 << 20})
	check(t, err)
	for _, d := range list {
		counts[d.Name] = d.Count
	}
	return counts
}

func idOf(t *testing.T, w *world, name string) string {
	t.Helper()
	list := w.Names(1)
	at := slices.IndexFunc(list, func(d event.Definition) bool { return d.Name == name })
	if at < 0 {
		t.Fatalf("there is no name %q", name)
	}
	return list[at].ID
}

// TestNamesAreLimited checks that a project never exceeds its limit on names, however the
// names arrive, and that events with existing names are still accepted.
func TestNamesAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{MaxNames: 3})
	steps := []struct {
		rule    string
		project event.Project
		names   []string
		want    event.Ingested
	}{
		{"below the limit", 1, []string{"a", "b"}, event.Ingested{Accepted: 2}},
		{"the limit is met within a batch", 1, []string{"c", "d", "a", "e"}, event.Ingested{Accepted: 2, NamesFull: true}},
		{"nothing is new", 1, []string{"d"}, event.Ingested{NamesFull: true}},
		{"names that are there", 1, []string{"a", "b", "c"}, event.Ingested{Accepted: 3}},
		{"another project", 2, []string{"d", "e"}, event.Ingested{Accepted: 2}},
	}
	for i, s := range steps {
		if got := w.ingest(t, s.project, noon+int64(i), s.names...); got != s.want {
			t.Errorf("%s: got %+v, want %+v", s.rule, got, s.want)
		}
	}
	check(t, w.DeleteDefinition(1, idOf(t, w, "b"), nil))
	if got, want := w.ingest(t, 1, noon+50, "d", "b"), (event.Ingested{Accepted: 1, NamesFull: true}); got != want {
		t.Errorf("a definition that was deleted: got %+v, want %+v", got, want)
	}
	w.reopen(t)
	if got, want := w.ingest(t, 1, noon+60, "d", "c"), (event.Ingested{Accepted: 1, NamesFull: true}); got != want {
		t.Errorf("after a start: got %+v, want %+v", got, want)
	}
	w.wantNames(t, "a", "b", "c")
}

// TestUnusedNamesAreForgotten checks that retention forgets a name that has no event, no
// counter and no edited definition, and that it does not forget any other name.
func TestUnusedNamesAreForgotten(t *testing.T) {
	t.Parallel()
	const old, recent = noon - 100*3600, noon - 3600
	for _, tc := range []struct {
		rule             string
		prepare          func(t *testing.T, w *world)
		events, counters int64 // older ones are removed
		kept             bool
	}{
		{"nothing refers to it", func(*testing.T, *world) {}, noon, noon, false},
		{"its definition was deleted", func(t *testing.T, w *world) {
			t.Helper()
			check(t, w.DeleteDefinition(1, idOf(t, w, "odd"), nil))
		}, noon, noon, false},
		{"it has an event", func(*testing.T, *world) {}, old, noon, true},
		{"it has a counter", func(*testing.T, *world) {}, noon, old, true},
		{"its events were erased and are counted", func(t *testing.T, w *world) {
			t.Helper()
			_, err := w.DeleteSubject(t.Context(), 1, "u")
			check(t, err)
		}, old, old, true},
		{"it has a display name", edit(func(d *event.Definition) { d.DisplayName = new(string) }), noon, noon, true},
		{"it has a description", edit(func(d *event.Definition) { d.Description = new(string) }), noon, noon, true},
		{"it is archived", edit(func(d *event.Definition) { d.Archived = true }), noon, noon, true},
		{"it was edited and put back", func(t *testing.T, w *world) {
			t.Helper()
			edit(func(d *event.Definition) { d.Archived = true })(t, w)
			edit(func(d *event.Definition) { d.Archived = false })(t, w)
		}, noon, noon, false},
		{"an event came since", func(t *testing.T, w *world) {
			t.Helper()
			w.ingest(t, 1, noon+1, "odd")
		}, noon, noon, true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, event.Options{})
			w.ingest(t, 1, old, "odd")
			w.ingest(t, 1, noon, "open")
			check(t, w.Flush())
			tc.prepare(t, w)
			check(t, w.ApplyRetention(t.Context(), 1, tc.events, tc.counters))
			for range 2 {
				if kept := slices.Contains(w.names(), "odd"); kept != tc.kept {
					t.Errorf("kept %v, want %v", kept, tc.kept)
				}
				w.reopen(t)
			}
			if !slices.Contains(w.names(), "open") {
				t.Error("a name that is in use is gone")
			}
		})
	}
}

// edit returns a function that changes the definition of the name "odd".
func edit(change func(*event.Definition)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		_, err := w.UpdateDefinition(1, idOf(t, w, "odd"), func(d *event.Definition) error {
			change(d)
			return nil
		})
		check(t, err)
	}
}

// TestForgottenNumbersAreGivenAgain checks that names that reuse the numbers of forgotten
// names are counted and found as if the forgotten names had never existed. This must hold
// immediately and after a restart, and the file must be sound.
func TestForgottenNumbersAreGivenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{MaxNames: 8})
	w.ingest(t, 1, noon-50*3600, "a", "b", "c", "d", "e")
	w.ingest(t, 1, noon, "b", "d")
	check(t, w.ApplyRetention(t.Context(), 1, noon-3600, noon-3600))
	w.wantNames(t, "b", "d")
	w.ingest(t, 1, noon+1, "f", "b", "g", "h", "i")
	want := map[string]int64{"b": 2, "d": 1, "f": 1, "g": 1, "h": 1, "i": 1}
	for _, when := range []string{"in memory", "after a start", "in blocks"} {
		if got := w.counts(t); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
		groups, err := w.Breakdown(t.Context(), 1, query.BreakdownQuery{Range: everything, Dimension: query.ByEvent, Limit: 20})
		if err != nil || len(groups.Groups) != len(want) {
			t.Errorf("%s: got %+v, %v, want %d groups", when, groups, err, len(want))
		}
		for _, e := range w.export(t, "u") {
			if want[e.Name] == 0 {
				t.Errorf("%s: an event is named %q", when, e.Name)
			}
		}
		w.reopen(t)
	}
	if got, want := w.ingest(t, 1, noon+2, "j", "k", "l"), (event.Ingested{Accepted: 2, NamesFull: true}); got != want {
		t.Errorf("got %+v, want %+v: room for 2 of 8 names is left", got, want)
	}
	check(t, w.Close())
	if r := report(t, w.path); !r.Clean() {
		t.Errorf("the check found %v", r.Listed())
	}
	w.open(t)
}

// TestManyStoredNamesAreForgotten checks that surplus names are forgotten in a file that
// already has more names than the limit, and that events with new names are then
// accepted.
func TestManyStoredNamesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{MaxNames: 1 << 20})
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("random-%d", i))
	}
	w.ingest(t, 1, noon-50*3600, many...)
	w.ingest(t, 1, noon, "open")
	w.o.MaxNames = 0
	w.reopen(t)
	if got, want := w.ingest(t, 1, noon+1, "new", "open"), (event.Ingested{Accepted: 1, NamesFull: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	check(t, w.ApplyRetention(t.Context(), 1, noon-3600, noon-3600))
	w.wantNames(t, "open")
	if got, want := w.ingest(t, 1, noon+2, "new"), (event.Ingested{Accepted: 1}); got != want {
		t.Errorf("after retention: got %+v, want %+v", got, want)
	}
	if got := event.NumbersOfNames(w.Engine, 1); got > 5001 {
		t.Errorf("there are %d numbers", got)
	}
	check(t, w.ApplyRetention(t.Context(), 1, noon+3600, noon+3600))
	w.wantNames(t)
	if got := event.NumbersOfNames(w.Engine, 1); got != 0 {
		t.Errorf("%d numbers are held for no name", got)
	}
}

// TestNamesAreForgottenBesideQueries checks that a query never shows an event under
// another event's name while names are being added and forgotten.
func TestNamesAreForgottenBesideQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	const rounds = 40
	nameAt := func(at int64) string { return fmt.Sprintf("name-%d", at) }
	ctx, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() {
		for ctx.Err() == nil {
			err := w.Export(t.Context(), 1, "u", func(e *event.Event) error {
				if want := nameAt(e.At); e.Name != want && e.Name != want+".b" {
					t.Errorf("an event of %s is named %q", want, e.Name)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for i := range int64(rounds) {
		at := noon + i*3600
		w.ingest(t, 1, at, nameAt(at), nameAt(at)+".b")
		check(t, w.ApplyRetention(t.Context(), 1, at, at))
	}
	stop()
	reader.Wait()
	w.wantNames(t, nameAt(noon+(rounds-1)*3600), nameAt(noon+(rounds-1)*3600)+".b")
}
