package event_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/testutil"
)

// dump returns all stored data of a project.
func dump(t *testing.T, e *event.Engine, p event.Project) (events, counts []string, names []event.Definition) {
	t.Helper()
	check(t, e.Flush())
	check(t, e.EachEvent(context.Background(), p, func(subject string, one *event.Event) error {
		events = append(events, fmt.Sprintf("%s %+v %s", subject, *one, one.Properties))
		return nil
	}))
	check(t, e.EachCount(context.Background(), p, func(c event.Count) error {
		counts = append(counts, fmt.Sprintf("%+v", c))
		return nil
	}))
	return events, counts, e.Names(p)
}

// pour copies a project to another engine, which merges blocks at the same time.
func pour(t *testing.T, from *event.Engine, p event.Project, to *event.Engine, at event.Project, counted bool) (repeated int) {
	t.Helper()
	l := to.NewImporter(at, counted)
	if counted {
		check(t, l.Define(from.Names(p)))
	}
	var list []*event.Batch
	add := func() {
		n, err := l.Add(list)
		check(t, err)
		repeated += len(list) - n
		list = nil
		_, err = to.Compact()
		check(t, err)
	}
	check(t, from.EachEvent(context.Background(), p, func(subject string, e *event.Event) error {
		list = append(list, &event.Batch{
			Project: at, Received: e.Received, Subject: subject, Session: e.Session, Client: e.Client,
			Items: []submission.Item{{ID: e.ID, Name: e.Name, At: e.At, Properties: e.Properties}},
		})
		if len(list) == 7 {
			add()
		}
		return nil
	}))
	add()
	if counted {
		check(t, from.EachCount(context.Background(), p, func(c event.Count) error { return l.Count([]event.Count{c}) }))
	}
	check(t, l.Finish())
	return repeated
}

// TestLoad checks that an imported project equals the original, and that its events,
// subjects and sessions can be looked up.
func TestLoad(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for seed := range uint64(8) {
		g := newGenerator(seed)
		from := newWorld(t, event.Options{HeadEvents: 50})
		for range 30 {
			b := g.batch()
			b.Project = 1
			_, err := from.Ingest(b)
			check(t, err)
		}
		for i, d := range from.Names(1) {
			switch i % 4 {
			case 1:
				check(t, from.DeleteDefinition(1, d.ID, nil))
			case 2:
				_, err := from.UpdateDefinition(1, d.ID, func(d *event.Definition) error { d.Archived = true; return nil })
				check(t, err)
			}
		}
		events, counts, names := dump(t, from.Engine, 1)
		to := newWorld(t, event.Options{HeadEvents: 40})
		to.send(t, "somebody", "else", "open", noon, "1", "2")
		if repeated := pour(t, from.Engine, 1, to.Engine, 9, true); repeated != 0 {
			t.Errorf("seed %d: %d events were there twice", seed, repeated)
		}
		check(t, to.Check())
		gotEvents, gotCounts, gotNames := dump(t, to.Engine, 9)
		// Merging blocks can change the order of events of different seconds.
		for _, list := range [][]string{events, gotEvents} {
			slices.Sort(list)
		}
		if !slices.Equal(gotEvents, events) {
			t.Errorf("seed %d: got %d events, want %d", seed, len(gotEvents), len(events))
		}
		if !slices.Equal(gotCounts, counts) {
			t.Errorf("seed %d: got counters\n%q\nwant\n%q", seed, gotCounts, counts)
		}
		if got, want := fmt.Sprint(nameTexts(gotNames)), fmt.Sprint(nameTexts(names)); got != want {
			t.Errorf("seed %d: got names\n%s\nwant\n%s", seed, got, want)
		}
		to.reopen(t)
		check(t, to.Check())
		if again := pour(t, from.Engine, 1, to.Engine, 9, false); again != len(events) {
			t.Errorf("seed %d: of %d events only %d are known when they come again", seed, len(events), again)
		}
	}
}

// nameTexts returns definitions as texts.
func nameTexts(list []event.Definition) (texts []string) {
	for _, d := range list {
		texts = append(texts, fmt.Sprintf("%s %s %v %d %d", d.ID, d.Name, d.Archived, d.FirstSeen, d.LastSeen))
	}
	return texts
}

// TestLoadOfEventsAlone checks that counters and definitions are derived from the events
// if only events are imported.
func TestLoadOfEventsAlone(t *testing.T) {
	t.Parallel()
	from, to := newWorld(t, event.Options{}), newWorld(t, event.Options{})
	from.send(t, "u", "s", "open", noon, "1", "2", "3")
	from.send(t, "v", "", "close", noon-7200, "4")
	events, counts, names := dump(t, from.Engine, 1)
	pour(t, from.Engine, 1, to.Engine, 1, false)
	gotEvents, gotCounts, gotNames := dump(t, to.Engine, 1)
	if !slices.Equal(gotEvents, events) || !slices.Equal(gotCounts, counts) {
		t.Errorf("got %q and %q, want %q and %q", gotEvents, gotCounts, events, counts)
	}
	for _, got := range gotNames {
		i := slices.IndexFunc(names, func(d event.Definition) bool { return d.Name == got.Name })
		if i < 0 || got.ID == "" || got.FirstSeen != names[i].FirstSeen || got.LastSeen != names[i].LastSeen {
			t.Errorf("got name %+v of %+v", got, names)
		}
	}
	if len(gotNames) != len(names) || to.total(t) != 4 {
		t.Errorf("got %d names and %d events", len(gotNames), to.total(t))
	}
}

// TestLoadOfDefinitions checks that an imported definition without times gets them from
// its events, and has none if it has no events.
func TestLoadOfDefinitions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, event.Options{})
	l := w.NewImporter(3, false)
	check(t, l.Define([]event.Definition{{ID: "a", Name: "alone"}, {ID: "b", Name: "open"}, {Name: "deleted", FirstSeen: 5, LastSeen: 6}}))
	_, err := l.Add([]*event.Batch{{Project: 3, Received: noon, Subject: "u", Items: []submission.Item{{ID: "1", Name: "open", At: noon}, {ID: "2", Name: "deleted", At: noon}}}})
	check(t, err)
	check(t, l.Finish())
	want := "[a alone false 0 0 b open false 1789999200 1789999200  deleted false 5 6]"
	if got := fmt.Sprint(nameTexts(w.Names(3))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
