package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/store"
)

// addLogs stores n logs, one per second. Their levels and addresses repeat in turn.
func addLogs(t testing.TB, db *store.Store, c *clock, p store.ProjectID, n int) (all []*store.Log) {
	t.Helper()
	for len(all) < n {
		update(t, db, func(tx *store.Tx) error {
			i := len(all)
			ip := fmt.Sprintf("203.0.113.%d", i%5)
			l := &store.Log{Level: i % 4, Content: fmt.Sprintf("line %d", i), Sender: store.Sender{IP: &ip}}
			all = append(all, l)
			return tx.AddLog(p, l)
		})
		c.advance(time.Second)
	}
	return all
}

// listLogs reads all logs of a project, newest first.
func listLogs(t testing.TB, db *store.Store, p store.ProjectID, find *store.Find) []*store.Log {
	t.Helper()
	var list []*store.Log
	err := db.View(func(tx *store.Tx) error {
		page, found, err := tx.ListLogs(p, store.LogSelection{Selection: store.Selection{Hidden: true, Limit: 1 << 20, Find: find}, To: 1 << 40})
		if err == nil && found.Total != len(page) {
			return fmt.Errorf("total %d, %d on the page", found.Total, len(page))
		}
		list = page
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// idsOf returns the ids of the given logs.
func idsOf(logs []*store.Log) (list []string) {
	for _, l := range logs {
		list = append(list, l.ID.String())
	}
	return list
}

// TestPruneLogsEqualsFilter checks that pruning leaves the same records as filtering a
// slice, in lists, searches, counts and sizes. That must remain true after more logs are
// added.
func TestPruneLogsEqualsFilter(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now})
	p := addProject(t, db, "app")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var want []*store.Log
	for round := range 12 {
		want = append(want, addLogs(t, db, c, p.ID, 100+random.IntN(400))...)
		var which store.LogRange
		if round%3 != 2 {
			before := store.CreatedAt(want[random.IntN(len(want))].ID)
			which.Before = &before
		}
		if level := random.IntN(8); level < 4 {
			which.Level = &level
		}
		if random.IntN(3) == 0 {
			ip := fmt.Sprintf("203.0.113.%d", random.IntN(6))
			which.IP = &ip
		}
		goes := func(l *store.Log) bool {
			return (which.Before == nil || store.CreatedAt(l.ID) < *which.Before) &&
				(which.Level == nil || l.Level == *which.Level) && (which.IP == nil || *l.IP == *which.IP)
		}
		left := slices.DeleteFunc(slices.Clone(want), goes)
		if matched, deleted, err := db.PruneLogs(t.Context(), p.ID, which, true); err != nil || matched != len(want)-len(left) || deleted != 0 {
			t.Fatalf("round %d: a dry run matched %d and deleted %d, %v; want %d and 0", round, matched, deleted, err, len(want)-len(left))
		}
		if got := listLogs(t, db, p.ID, nil); len(got) != len(want) {
			t.Fatalf("round %d: %d logs after a dry run, want %d", round, len(got), len(want))
		}
		if matched, deleted, err := db.PruneLogs(t.Context(), p.ID, which, false); err != nil || matched != deleted || deleted != len(want)-len(left) {
			t.Fatalf("round %d: matched %d and deleted %d, %v; want %d", round, matched, deleted, err, len(want)-len(left))
		}
		want = left
		newestFirst := slices.Clone(want)
		slices.Reverse(newestFirst)
		if got := listLogs(t, db, p.ID, nil); !slices.Equal(idsOf(got), idsOf(newestFirst)) {
			t.Fatalf("round %d: %d logs are listed, want %d", round, len(got), len(want))
		}
		term := fmt.Sprintf("line %d", random.IntN(10))
		found := slices.DeleteFunc(slices.Clone(newestFirst), func(l *store.Log) bool { return !strings.Contains(l.Content, term) })
		if got := listLogs(t, db, p.ID, &store.Find{Terms: []string{term}, Candidates: store.Candidates{All: true}}); !slices.Equal(idsOf(got), idsOf(found)) {
			t.Fatalf("round %d: a search for %q finds %d logs, want %d", round, term, len(got), len(found))
		}
		err := db.View(func(tx *store.Tx) error {
			for _, l := range want {
				if got, err := tx.Log(p.ID, l.ID); err != nil || got.Content != l.Content {
					return fmt.Errorf("log %s: %+v, %w", l.ID, got, err)
				}
			}
			statistics, err := tx.LogStatistics()
			for level, n := range statistics {
				if mine := len(slices.DeleteFunc(slices.Clone(want), func(l *store.Log) bool { return l.Level != level })); int(n) != mine {
					return fmt.Errorf("%d logs of level %d are counted, want %d", n, level, mine)
				}
			}
			return err
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := db.Check(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// TestPruneLeavesNothing checks that a project takes as much space after all its logs
// were pruned as one that never had logs.
func TestPruneLeavesNothing(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now})
	p := addProject(t, db, "app")
	addLogs(t, db, c, p.ID, 5*256)
	before := c.now().Unix()
	if _, deleted, err := db.PruneLogs(t.Context(), p.ID, store.LogRange{Before: &before}, false); err != nil || deleted != 5*256 {
		t.Fatalf("got %d deleted, %v", deleted, err)
	}
	err := db.View(func(tx *store.Tx) error {
		if _, size, err := tx.SubmissionBytes(p.ID); size != 0 || err != nil {
			t.Errorf("the logs take %d bytes, want none", size)
		}
		things, err := tx.Searchable("", 100)
		if len(things) != 1 {
			t.Errorf("%d things can be searched, want the project alone: %+v", len(things), things)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	commits := db.Commits()
	if matched, deleted, err := db.PruneLogs(t.Context(), p.ID, store.LogRange{Before: &before}, false); err != nil || matched != 0 || deleted != 0 {
		t.Errorf("the second time: matched %d, deleted %d, %v; want nothing", matched, deleted, err)
	}
	if n := db.Commits() - commits; n != 0 {
		t.Errorf("pruning nothing takes %d commits, want none", n)
	}
}

// TestPruneInSteps checks that other writers can run between the transactions of a prune,
// that new records are not removed, and that a stopped prune can be repeated.
func TestPruneInSteps(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now})
	p := addProject(t, db, "app")
	addLogs(t, db, c, p.ID, 12*256)
	before := c.now().Unix()
	which := store.LogRange{Before: &before}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, deleted, err := db.PruneLogs(stopped, p.ID, which, false); !errors.Is(err, context.Canceled) || deleted != 0 {
		t.Errorf("stopped: deleted %d, %v", deleted, err)
	}
	commits := db.Commits()
	late := make(chan *store.Log)
	go func() {
		l := &store.Log{Content: "late"}
		if err := db.Submit(func(tx *store.Tx) error { return tx.AddLog(p.ID, l) }); err != nil {
			t.Error(err)
		}
		late <- l
	}()
	if _, deleted, err := db.PruneLogs(t.Context(), p.ID, which, false); err != nil || deleted != 12*256 {
		t.Errorf("deleted %d, %v; want %d", deleted, err, 12*256)
	}
	l := <-late
	if got := listLogs(t, db, p.ID, nil); len(got) != 1 || got[0].ID != l.ID {
		t.Errorf("%d logs are left, want the late one", len(got))
	}
	if n := db.Commits() - commits; n < 4 {
		t.Errorf("%d commits, want one for every four blocks at most", n)
	}
	if _, _, err := db.PruneLogs(t.Context(), p.ID+1, which, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("a project that does not exist: %v", err)
	}
}

// TestPruneFeedback checks that everything that belongs to feedback is removed with it.
// The Forward of feedback that is not stored yet must not be affected.
func TestPruneFeedback(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now})
	p := addProject(t, db, "app")
	three := 3
	first := &store.Feedback{Content: "first", Rating: &three}
	update(t, db, func(tx *store.Tx) error { return tx.AddFeedback(p.ID, first) })
	again := &store.Forward{Project: p.ID, ID: first.ID, Since: c.now().Unix()}
	key := store.StoredKey(first.ID)
	again.Key = &key
	waiting := &store.Forward{Project: p.ID, Feedback: &store.Feedback{Content: "waiting"}}
	for _, w := range []*store.Forward{again, waiting} {
		if err := db.TryForward(w); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * 256 {
		update(t, db, func(tx *store.Tx) error {
			return tx.AddFeedback(p.ID, &store.Feedback{Content: fmt.Sprint(i), Rating: &three})
		})
	}
	c.advance(time.Hour)
	if deleted, err := db.PruneFeedback(t.Context(), p.ID, c.now().Unix()); err != nil || deleted != 3*256+1 {
		t.Fatalf("got %d deleted, %v; want %d", deleted, err, 3*256+1)
	}
	if err := db.Check(); err != nil {
		t.Fatal(err)
	}
	forwards, err := db.Forwards()
	if err != nil || len(forwards) != 1 || forwards[0].ID != waiting.ID {
		t.Errorf("got forwards %+v, %v; want the one of feedback that is not stored", forwards, err)
	}
	if _, err := db.CompleteForward(waiting, nil, nil, true); err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *store.Tx) error {
		list, found, err := tx.ListFeedback(p.ID, store.FeedbackSelection{Selection: store.Selection{Limit: 10}})
		if err != nil || found.Total != 1 || len(list) != 1 || list[0].Content != "waiting" {
			t.Errorf("got %+v, %+v, %v; want the feedback that waited", list, found, err)
		}
		if _, _, err := tx.OwnedFeedback(first.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("the first one is found by its id: %v", err)
		}
		statistics, err := tx.FeedbackStatistics()
		if (statistics != store.FeedbackStatistics{Count: 1}) {
			t.Errorf("got %+v, want one without a rating", statistics)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if deleted, err := db.PruneFeedback(t.Context(), p.ID, c.now().Unix()); err != nil || deleted != 1 {
		t.Errorf("the one that waited: %d deleted, %v", deleted, err)
	}
}

// TestSubmissionBytes checks that the stored size of feedback and logs is updated with
// every change.
func TestSubmissionBytes(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	p := addProject(t, db, "app")
	f, l := &store.Feedback{Content: "short"}, &store.Log{Content: strings.Repeat("x", 1000)}
	update(t, db, func(tx *store.Tx) error { return errors.Join(tx.AddFeedback(p.ID, f), tx.AddLog(p.ID, l)) })
	sizes := func(db *store.Store) (feedback, logs int64) {
		t.Helper()
		if err := db.View(func(tx *store.Tx) (err error) {
			feedback, logs, err = tx.SubmissionBytes(p.ID)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return feedback, logs
	}
	feedback, logs := sizes(db)
	if feedback < 20 || feedback > 100 || logs < 1000 || logs > 1100 {
		t.Fatalf("got %d and %d bytes", feedback, logs)
	}
	f.Content = "short and longer"
	update(t, db, func(tx *store.Tx) error { return tx.PutFeedback(p.ID, f) })
	if longer, _ := sizes(db); longer != feedback+11 {
		t.Errorf("got %d bytes after a change, want %d", longer, feedback+11)
	}
	update(t, db, func(tx *store.Tx) error { return tx.DeleteFeedback(p.ID, f) })
	if left, _ := sizes(db); left != 0 {
		t.Errorf("got %d bytes of deleted feedback", left)
	}
}
