package requests

import (
	"log/slog"
	"path/filepath"
	"testing"

	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

// TestFlushIsTriedAgain checks that a flush also stores the counts of earlier flushes
// that failed.
func TestFlushIsTriedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &store.Project{Key: "lighthouse"}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(p) }); err != nil {
		t.Fatal(err)
	}
	c := NewCounter(db, slog.New(slog.DiscardHandler))
	endpoint, _ := store.ParseEndpoint("VERSION_CHECK_UPDATE")
	request := store.CountedRequest{
		Project: p.ID, Request: store.NewRequest(endpoint, platform.Windows, store.NewPlace("", "", ""), stats.Offset(0)), Client: "2.0.0",
	}
	const each = 64
	add := func() {
		for range each {
			c.Add(request)
		}
	}
	add()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := c.Flush(); err == nil {
			t.Fatal("a flush into a closed store did not fail")
		}
	}
	add()
	if c.db, err = store.Open(path, store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.db.Close() })
	for range 2 { // the second flush has nothing to add
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		var total int64
		err := c.db.View(func(tx *store.Tx) error {
			return tx.EachRequest(p.ID, 0, 1<<32-1, func(_ store.Hour, _ store.Request, n int64) { total += n })
		})
		if err != nil || total != 2*each {
			t.Errorf("got %d requests (%v), want %d", total, err, 2*each)
		}
	}
}
