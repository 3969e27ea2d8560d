package search

import (
	"math/rand/v2"
	"os"
	"testing"

	"svc/internal/boltfile/bolttest"
	"svc/internal/testutil"
	"svc/store"
)

// newFollower returns a store that records its changes, and one that follows it. Each has an index of its
// own.
func newFollower(t *testing.T) (primary, follower *box, recording *bolttest.Recording) {
	t.Helper()
	recording = &bolttest.Recording{}
	primary = newBox(t)
	follower = &box{t: t, dir: t.TempDir(), options: store.Options{Follow: true}}
	primary.close()
	content, err := os.ReadFile(primary.file())
	check(t, err)
	check(t, os.WriteFile(follower.file(), content, 0o600))
	primary.options.Recorder = recording
	primary.open()
	follower.open()
	t.Cleanup(follower.close)
	return primary, follower, recording
}

// TestFollowerIsSearched applies random changes to a store that follows, while its own index processes
// them. Each search finds what a scan of every record finds.
func TestFollowerIsSearched(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	primary, follower, recording := newFollower(t)
	w := &world{box: primary, r: rand.New(rand.NewPCG(rand.Uint64(), 1))}
	w.addContents()
	m := &world{box: follower, r: w.r}
	stop := m.run()
	reached := uint64(0)
	for range 60 {
		w.change()
		if w.r.IntN(3) > 0 {
			continue
		}
		changes := recording.Changes(reached)
		reached = recording.Position
		check(t, m.db.Apply(changes, reached))
		switch w.r.IntN(4) {
		case 0:
			m.seen()
		case 1:
			stop()
			m.close()
			m.open()
			stop = m.run()
		}
		m.projects = w.projects
		for range 10 {
			m.compare()
		}
	}
	m.seen()
	stop()
}

// TestFollowerKeepsTheFeed checks that the index of a store that follows leaves the feed alone, and is
// rebuilt if the other store has removed changes from it that the index has not processed.
func TestFollowerKeepsTheFeed(t *testing.T) {
	t.Parallel()
	primary, follower, recording := newFollower(t)
	p := primary.addProject("app")
	primary.addLogs(p.ID, 600, numbered)
	for range 26 {
		primary.update(func(tx *store.Tx) error {
			for range 500 {
				if err := tx.PutProject(p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check(t, follower.db.Apply(recording.Changes(0), recording.Position))
	follower.settle()
	oldest := func(b *box) (first uint64) {
		check(t, b.db.View(func(tx *store.Tx) error { first, _ = tx.FeedRange(); return nil }))
		return first
	}
	if got := oldest(follower); got != 1 {
		t.Fatalf("the feed begins with %d, want 1", got)
	}

	reached := recording.Position
	primary.addLogs(p.ID, 600, numbered)
	check(t, primary.db.TrimFeed(primary.db.LastChange()))
	check(t, follower.db.Apply(recording.Changes(reached), recording.Position))
	follower.settle()
	if got := follower.findLogs(p.ID, "line 7 of"); got != 2 {
		t.Errorf("found %d logs, want 2", got)
	}
}
