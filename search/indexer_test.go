package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/searchtext"
	"svc/internal/testutil"
	"svc/store"
)

// TestFeedStaysBounded checks that processed changes are removed from the feed.
func TestFeedStaysBounded(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	stop := b.run()
	for range 40 {
		b.update(func(tx *store.Tx) error {
			for range 500 {
				if err := tx.PutProject(p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	held := func() (n uint64) {
		check(t, b.db.View(func(tx *store.Tx) error {
			oldest, last := tx.FeedRange()
			n = last - oldest
			return nil
		}))
		return n
	}
	testutil.Until(t, "feed is trimmed", func() bool { return held() <= feedTail+trimStep })
	b.seen()
	stop()
	if got := held(); got < feedTail-1 {
		t.Errorf("got %d changes held, want at least %d for an index that is restored", got, feedTail-1)
	}
}

// TestBurstIsIndexedInFewBatches checks that changes that arrive in quick succession are
// indexed in few batches, not one by one.
func TestBurstIsIndexedInFewBatches(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	defer b.run()()
	b.seen()
	before, begun := b.index.State().Batches, time.Now()
	const changes = 200
	for range changes {
		b.update(func(tx *store.Tx) error { return tx.PutProject(p) })
	}
	b.seen()
	most := uint64(2 + time.Since(begun)/gatherFor) // one batch at the start and one at the end
	if got := b.index.State().Batches - before; got > most {
		t.Errorf("%d changes in %v: got %d batches, want at most %d", changes, time.Since(begun), got, most)
	}
}

// TestGatheringChanges checks that searches find changes that are still being gathered,
// and that a large number of changes is indexed without a pause.
func TestGatheringChanges(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.index.gatherFor = time.Hour
	p := b.addProject("app")
	defer b.run()()
	b.seen() // the pause after this batch lasts longer than the test
	b.addLogs(p.ID, 3*256, numbered)
	if got := b.findLogs(p.ID, "line 77 "); got != 1 {
		t.Errorf("while changes gather: got %d logs, want 1", got)
	}
	if s := b.index.State(); s.Lag() == 0 {
		t.Error("a few changes are indexed during the pause")
	}
	b.update(func(tx *store.Tx) error {
		for range gatherChanges {
			if err := tx.PutProject(p); err != nil {
				return err
			}
		}
		return nil
	})
	b.seen()
}

// TestCopyOfTheIndexCatchesUp checks that an index catches up after it was replaced with
// an older copy, as by a restore.
func TestCopyOfTheIndexCatchesUp(t *testing.T) {
	t.Parallel()
	b, p := filled(t)
	b.closeIndex()
	copyTree(t, b.dir+"/copy", b.folder())
	b.openIndex()
	check(t, b.index.admit())
	b.addLogs(p, 3000, numbered)
	b.settle()
	b.closeIndex()
	remove(t, b.folder())
	copyTree(t, b.folder(), b.dir+"/copy")
	b.openIndex()
	check(t, b.index.admit())
	opened := b.index.engine
	if seen, ok := b.index.Seen(); !ok || seen == b.db.LastChange() {
		t.Errorf("older index is not used: it has seen %d of %d (%t)", seen, b.db.LastChange(), ok)
	}
	if got := b.findLogs(p, "line 77 "); !b.narrows(p, "line") || got != 2 {
		t.Errorf("before it has caught up: got %d logs, want 2", got)
	}
	b.settle()
	if b.index.engine != opened {
		t.Error("index was made anew")
	}
	if got := b.findLogs(p, "line 77 "); !b.narrows(p, "line") || got != 2 {
		t.Errorf("after: got %d logs, want 2", got)
	}
}

// TestSearchWhileEverythingMoves checks that a search always returns the same records as
// a scan of all records in the same transaction, while records are written and the index
// is updated, rebuilt and restarted.
func TestSearchWhileEverythingMoves(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	stop := b.run()
	var index atomic.Pointer[Index]
	index.Store(b.index)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	var rebuilds, restarts atomic.Int32
	wait.Go(func() { // a writer
		r := rand.New(rand.NewPCG(5, 5))
		for ctx.Err() == nil {
			err := b.db.Submit(func(tx *store.Tx) error { return writeSome(tx, p.ID, r) })
			if err != nil {
				t.Error(err)
			}
		}
	})
	wait.Go(func() { // a goroutine that rebuilds the index
		for ctx.Err() == nil {
			if index.Load().Rebuild(ctx, nil) == nil { // fails if another build is running or the index is closed
				rebuilds.Add(1)
			}
		}
	})
	wait.Go(func() { // a searcher
		r := rand.New(rand.NewPCG(6, 6))
		for n := 0; n < 200 || rebuilds.Load() < 5 || restarts.Load() < 5; n++ {
			if err := compareOnce(index.Load(), b.db, p.ID, r); err != nil {
				t.Error(err)
				break
			}
		}
		cancel()
	})
	for ctx.Err() == nil { // restarts of the index
		testutil.Until(t, "an index has been rebuilt", func() bool { return rebuilds.Load() > restarts.Load() || ctx.Err() != nil })
		restarts.Add(1)
		stop()
		b.closeIndex()
		b.openIndex()
		stop = b.run()
		index.Store(b.index)
	}
	wait.Wait()
	stop()
	t.Logf("%d rebuilds, %d restarts", rebuilds.Load(), restarts.Load())
}

// writeSome adds up to 2,000 feedback entries and edits some.
func writeSome(tx *store.Tx, p store.ProjectID, r *rand.Rand) error {
	list, found, err := tx.ListFeedback(p, store.FeedbackSelection{Selection: store.Selection{Hidden: true, Offset: r.IntN(500), Limit: 5}})
	if err != nil {
		return err
	}
	for _, f := range list {
		f.Content = fmt.Sprintf("edited %s %x", pick(r, vocabulary), r.Uint32())
		if r.IntN(3) == 0 {
			err = tx.DeleteFeedback(p, f)
		} else {
			err = tx.PutFeedback(p, f)
		}
		if err != nil {
			return err
		}
	}
	for range r.IntN(40) {
		if found.Total > 2000 {
			return nil
		}
		if err := tx.AddFeedback(p, &store.Feedback{Content: fmt.Sprintf("new %s %x", pick(r, vocabulary), r.Uint32())}); err != nil {
			return err
		}
	}
	return nil
}

func compareOnce(index *Index, db *store.Store, p store.ProjectID, r *rand.Rand) error {
	words := []string{"new", "edit", "超时", "connection", "e", fmt.Sprintf("%x", r.IntN(4096)), "not there"}
	terms := []string{searchtext.Text(pick(r, words))}
	n := index.Candidates(context.Background(), store.KindFeedback, p, terms)
	return db.View(func(tx *store.Tx) error {
		all := store.Selection{Hidden: true, Limit: 1 << 20}
		list, _, err := tx.ListFeedback(p, store.FeedbackSelection{Selection: all})
		if err != nil {
			return err
		}
		var want, got []store.ID
		for _, f := range list {
			if strings.Contains(searchtext.Text(f.Content), terms[0]) {
				want = append(want, f.ID)
			}
		}
		all.Find = &store.Find{Terms: terms, Candidates: n}
		list, found, err := tx.ListFeedback(p, store.FeedbackSelection{Selection: all})
		for _, f := range list {
			got = append(got, f.ID)
		}
		if err == nil && (!slices.Equal(got, want) || found.Total != len(want)) {
			return fmt.Errorf("%q (index: all %t, %d refs, seen %d): got %d entries, total %d, want %d", terms, n.All, len(n.Refs), n.Seen, len(got), found.Total, len(want))
		}
		return err
	})
}
