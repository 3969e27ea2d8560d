package store_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"svc/internal/testutil"
	"svc/store"
)

func stateOf(t *testing.T, db *store.Store) store.State {
	t.Helper()
	s, err := db.State()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestState checks that the state of a store matches the operations performed on it.
func TestState(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := &store.Project{Key: "app", Name: "App"}
	if err := db.Update(func(tx *store.Tx) error { return tx.CreateProject(p) }); err != nil {
		t.Fatal(err)
	}
	before := stateOf(t, db)
	if before.Commits != 1 || before.FileBytes == 0 || before.Transactions != 0 || before.Oldest != 0 {
		t.Errorf("after one commit: got %+v", before)
	}
	refusal := errors.New("no")
	if err := db.Update(func(*store.Tx) error { return refusal }); !errors.Is(err, refusal) {
		t.Fatal(err)
	}

	// All submissions that arrive during a commit share the next one.
	release := sync.OnceFunc(db.Hold())
	defer release()
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			err := db.Submit(func(tx *store.Tx) error {
				if i == 0 {
					return tx.AddFeedback(p.ID, &store.Feedback{Content: "x"})
				}
				return tx.AddLog(p.ID, &store.Log{Content: "x"})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	testutil.Until(t, "all wait", func() bool { return stateOf(t, db).Waiting == 10 })
	release()
	group.Wait()
	s := stateOf(t, db)
	if s.Commits != before.Commits+1 || s.Failed != 0 || s.Group.Total() != 1 || s.Group.Sum != 10 || s.Waiting != 0 {
		t.Errorf("got %d commits, %d failed, %d groups of %d, %d waiting; want 1 more, 0, 1 of 10, 0", s.Commits, s.Failed, s.Group.Total(), s.Group.Sum, s.Waiting)
	}
	if s.Feedback != 1 || s.Logs != 9 {
		t.Errorf("got %d feedback and %d logs, want 1 and 9", s.Feedback, s.Logs)
	}
	if s.Sync.Total() != s.Commits || s.Sync.Sum > s.Commit.Sum || s.Sync.Sum <= 0 {
		t.Errorf("got %d syncs of %d ns in commits of %d ns", s.Sync.Total(), s.Sync.Sum, s.Commit.Sum)
	}
}

func TestOldestReader(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	inside := func() (s store.State) {
		err := db.View(func(*store.Tx) error {
			begun := time.Now()
			testutil.Until(t, "the reader grows old", func() bool {
				s = stateOf(t, db)
				return s.Oldest > time.Since(begun)/2
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := inside(); s.Transactions != 1 || s.Oldest <= 0 {
		t.Errorf("while one reads: got %d transactions, the oldest %s", s.Transactions, s.Oldest)
	}
	image, err := db.Image()
	if err != nil {
		t.Fatal(err)
	}
	if s := stateOf(t, db); s.Transactions != 1 || s.Oldest <= 0 {
		t.Errorf("with an image: got %d transactions, the oldest %s", s.Transactions, s.Oldest)
	}
	if err := errors.Join(image.Copy(filepath.Join(t.TempDir(), "copy")), image.Close()); err != nil {
		t.Fatal(err)
	}
	if s := stateOf(t, db); s.Transactions != 0 || s.Oldest != 0 {
		t.Errorf("when it is closed: got %d transactions, the oldest %s", s.Transactions, s.Oldest)
	}
}
