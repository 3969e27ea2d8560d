package jobs

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/datadir"
	"svc/search"
	"svc/store"
)

// TestIndexIsRenewedAfterErasures checks that the search index is rebuilt exactly once after a
// deletion.
func TestIndexIsRenewedAfterErasures(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	dir := filepath.Dir(db.Path())
	index, err := search.Open(dir, db, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := index.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	j := New(Config{DB: db, Search: index, Log: slog.New(slog.DiscardHandler), Flush: func() error { return nil }})
	p, f := project(t, db, "app", 20), store.Feedback{Content: "text"}
	change := func(fn func(*store.Tx) error) func() {
		return func() {
			if err := db.Update(fn); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		name    string
		do      func()
		renewed bool
	}{
		{"nothing was deleted", change(func(tx *store.Tx) error { return tx.AddFeedback(p.ID, &f) }), false},
		{"feedback was deleted", change(func(tx *store.Tx) error { return tx.DeleteFeedback(p.ID, &f) }), true},
		{"nothing was deleted since", func() {}, false},
		{"a project was deleted", change(func(tx *store.Tx) error { return tx.DeleteProject(p) }), true},
	} {
		step.do()
		before := folder(t, dir)
		if err := j.erase(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if renewed := !os.SameFile(before, folder(t, dir)); renewed != step.renewed {
			t.Errorf("%s: the index was built anew: %t, want %t", step.name, renewed, step.renewed)
		}
	}
}

func folder(t *testing.T, dir string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, datadir.Index))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestErasesEveryNight checks that the job runs at the first start and then once every night.
func TestErasesEveryNight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := quiet(openStore(t))
		j.Now = func() time.Time { return time.Now().UTC() }
		j.Start()
		<-time.After(time.Hour)
		for days, want := range []uint64{1, 2, 3} {
			if s := named(t, j, "erased-data"); s.Runs != want || s.Failed != 0 {
				t.Errorf("after %d days: got %+v, want %d runs", days, s, want)
			}
			<-time.After(24 * time.Hour)
		}
		if err := j.Stop(); err != nil {
			t.Error(err)
		}
	})
}
