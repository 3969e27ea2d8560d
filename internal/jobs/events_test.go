package jobs

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
	"svc/store"
)

// TestEventsGoWithTheirTime checks that events and their counters are deleted according to their
// separate retentions in the project's settings, and that both are removed with the project.
func TestEventsGoWithTheirTime(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	events, err := event.Open(filepath.Join(t.TempDir(), "events.db"), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := events.Close(); err != nil {
			t.Error(err)
		}
	})
	p := project(t, db, "app", 20)
	now := time.Date(2026, 5, 10, 12, 34, 56, 0, time.UTC)
	b := &event.Batch{Project: event.Project(p.ID), Received: now.Unix(), Subject: "u"}
	for days := range 100 { // kept for exactly 90 days; an event that is one second older would be deleted
		at := now.AddDate(0, 0, -days).Unix()
		b.Items = append(b.Items,
			submission.Item{ID: fmt.Sprint(days), Name: "open", At: at},
			submission.Item{ID: fmt.Sprint(days, "late"), Name: "open", At: at - 1})
	}
	if _, err := events.Ingest(b); err != nil {
		t.Fatal(err)
	}
	j := quiet(db)
	j.Events = events
	if err := j.clean(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	stored := 0
	err = events.Export(t.Context(), b.Project, "u", func(*event.Event) error { stored++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := 2*90 + 1; stored != want {
		t.Errorf("%d events are left, want %d", stored, want)
	}
	o, err := events.Overview(t.Context(), b.Project, query.Range{End: now.Unix()})
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(2*20 + 2); o.Total != want {
		t.Errorf("%d events are left in counters, want %d: the hour at the edge stays whole", o.Total, want)
	}
	if err := j.clean(t.Context(), now.AddDate(0, 0, 91)); err != nil {
		t.Fatal(err)
	}
	if names := events.Names(b.Project); len(names) != 0 {
		t.Errorf("the names %+v are left, of which nothing else is", names)
	}
	if err := j.purgeEvents(t.Context()); err != nil || len(events.Projects()) != 1 {
		t.Fatalf("events of a project that there is were removed, %v", err)
	}
	if err := db.Update(func(tx *store.Tx) error { return tx.DeleteProject(p) }); err != nil {
		t.Fatal(err)
	}
	if err := j.purgeEvents(t.Context()); err != nil || len(events.Projects()) != 0 {
		t.Errorf("events of a project that is gone are still there, %v", err)
	}
}

// TestEventsOfImportsStay checks that the events of a project are kept while the project is being
// imported, although the project does not exist yet. They must be removed if the import is
// abandoned.
func TestEventsOfImportsStay(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	events, err := event.Open(filepath.Join(t.TempDir(), "events.db"), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := events.Close(); err != nil {
			t.Error(err)
		}
	})
	i, err := db.BeginImport(store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	load := events.NewImporter(event.Project(i.Project()), false)
	if err := load.Define([]event.Definition{{ID: "x", Name: "open"}}); err != nil {
		t.Fatal(err)
	}
	j := quiet(db)
	j.Events = events
	if err := j.purgeEvents(t.Context()); err != nil || len(events.Projects()) != 1 {
		t.Errorf("while it is brought in: %d projects have events, want 1; %v", len(events.Projects()), err)
	}
	i.Abandon()
	if err := j.purgeEvents(t.Context()); err != nil || len(events.Projects()) != 0 {
		t.Errorf("when it was given up: %d projects have events, want 0; %v", len(events.Projects()), err)
	}
}
