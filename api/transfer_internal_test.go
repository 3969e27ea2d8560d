package api

import (
	"path/filepath"
	"testing"

	"svc/internal/event"
	"svc/store"
)

// A disk that does not confirm the last step of an import leaves a project that
// everybody sees: it keeps its events. Before that step they go.
func TestCleanUpAfterImport(t *testing.T) {
	t.Parallel()
	s, path := countingServer(t)
	events, err := event.Open(filepath.Join(filepath.Dir(path), "events.db"), event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := events.Close(); err != nil {
			t.Error(err)
		}
	})
	s.config.Events = events
	for _, revealed := range []bool{false, true} {
		im := importer{server: s, ctx: t.Context()}
		if im.into, err = s.db.BeginImport(store.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		load := events.NewLoad(event.Project(im.into.Project()), false)
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
