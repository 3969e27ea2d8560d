package transfer

import (
	"log/slog"
	"path/filepath"
	"testing"

	"svc/internal/event"
	"svc/store"
)

// TestCleanUpAfterImport checks that the events of a failed import are removed. If the only failure
// is that the disk has not confirmed the last step, the project is visible and its events must be
// kept.
func TestCleanUpAfterImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, "svc.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	events, err := event.Open(filepath.Join(dir, "events.db"), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := events.Close(); err != nil {
			t.Error(err)
		}
	})
	h := New(Config{DB: db, Events: events, Log: slog.New(slog.DiscardHandler)})
	for _, revealed := range []bool{false, true} {
		im := importer{handlers: h, ctx: t.Context()}
		if im.into, err = db.BeginImport(store.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		load := events.NewImporter(event.Project(im.into.Project()), false)
		if err := load.Define([]event.Definition{{Name: "open"}}); err != nil {
			t.Fatal(err)
		}
		if revealed {
			if _, err := im.into.Reveal(&store.Project{Key: "new"}); err != nil {
				t.Fatal(err)
			}
		}
		im.into.Abandon()
		im.cleanUp()
		if left := len(events.Projects()) == 1; left != revealed {
			t.Errorf("revealed %t: events are there: %t", revealed, left)
		}
	}
}
