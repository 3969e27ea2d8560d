package store_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/limit"
	"svc/internal/testutil"
	"svc/store"
)

// forward returns a Forward of new feedback. Its key is nil if the parameter key is 0.
func forward(p store.ProjectID, key byte, content string) *store.Forward {
	w := &store.Forward{Project: p, Repo: "example/app", Feedback: &store.Feedback{Content: content, Rating: new(4)}}
	if key != 0 {
		w.Key = &limit.Key{key}
	}
	return w
}

// tryForward stores a Forward and returns it.
func tryForward(t testing.TB, db *store.Store, w *store.Forward) *store.Forward {
	t.Helper()
	if err := db.TryForward(w); err != nil {
		t.Fatal(err)
	}
	return w
}

// complete completes a Forward with issue number 7.
func complete(t testing.TB, db *store.Store, w *store.Forward, late bool) *store.Feedback {
	t.Helper()
	f, err := db.CompleteForward(w, new(int64(7)), new("https://codehost.example/7"), late)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func addFeedback(t testing.TB, db *store.Store, p store.ProjectID, content string) *store.Feedback {
	t.Helper()
	f := &store.Feedback{Content: content}
	update(t, db, func(tx *store.Tx) error { return tx.AddFeedback(p, f) })
	return f
}

// contents returns the contents of the feedback of a project, the newest first.
func contents(t testing.TB, db *store.Store, p store.ProjectID) (list []string) {
	t.Helper()
	err := db.View(func(tx *store.Tx) error {
		page, found, err := tx.ListFeedback(p, store.FeedbackSelection{Selection: store.Selection{Limit: math.MaxInt}})
		for _, f := range page {
			list = append(list, f.Content)
		}
		if found.Total != len(page) {
			t.Errorf("got a total of %d, want %d", found.Total, len(page))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestForwardIsInvisible checks that feedback is not visible anywhere before its Forward
// is complete. It must then appear at the position of its id.
func TestForwardIsInvisible(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app").ID
	addFeedback(t, db, p, "before")
	w := tryForward(t, db, forward(p, 1, "issue"))
	after := addFeedback(t, db, p, "after")

	sees := func(want ...string) {
		t.Helper()
		if got := contents(t, db, p); !slices.Equal(got, want) {
			t.Errorf("the list has %q, want %q", got, want)
		}
		err := db.View(func(tx *store.Tx) error {
			st, err := tx.FeedbackStatistics()
			if int(st.Count) != len(want) || st.Rated != int64(len(want)-2) || st.Ratings != 4*int64(len(want)-2) {
				t.Errorf("got %+v, want the numbers of %q", st, want)
			}
			ratings, ratingsErr := tx.FeedbackRatings(p, 0, math.MaxInt64)
			if ratings != [6]int{0: 2, 4: len(want) - 2} {
				t.Errorf("got ratings %v, want those of %q", ratings, want)
			}
			exported := 0
			each := tx.EachFeedback(p, func(*store.Feedback) error { exported++; return nil })
			if exported != len(want) {
				t.Errorf("an export has %d, want %d", exported, len(want))
			}
			_, found := tx.Feedback(p, w.ID)
			_, _, owned := tx.OwnedFeedback(w.ID)
			if visible := len(want) == 3; visible != (found == nil) || visible != (owned == nil) {
				t.Errorf("reading it by its id: got %v and %v", found, owned)
			}
			return errors.Join(err, ratingsErr, each)
		})
		if err != nil {
			t.Error(err)
		}
	}
	sees("after", "before")
	if s, err := db.State(); s.Feedback != 2 || err != nil {
		t.Errorf("got %d counted as stored, %v, want 2", s.Feedback, err)
	}
	f := complete(t, db, w, false)
	if f.ID != w.ID || !f.Forwarded || *f.IssueNumber != 7 || *f.IssueURL != "https://codehost.example/7" || f.ID.String() >= after.ID.String() {
		t.Errorf("got %s with id %s, want the issue under id %s", asJSON(t, f), f.ID, w.ID)
	}
	sees("after", "issue", "before")
	again := complete(t, db, w, false)
	if s, err := db.State(); asJSON(t, again) != asJSON(t, f) || s.Feedback != 3 || err != nil {
		t.Errorf("completed again: got %s, %d stored, %v, want %s", asJSON(t, again), s.Feedback, err, asJSON(t, f))
	}
	sees("after", "issue", "before")
}

// TestForwardInSealedBlock completes feedback after its block has columns. A search must
// find its text, and the feed must contain the change.
func TestForwardInSealedBlock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		before, after int
	}{
		{"first of a block", 256, 300},
		{"in the middle", 100, 300},
		{"last of a block", 255, 0},
		{"in a block that is not complete", 10, 20},
	} {
		for _, reopened := range []bool{false, true} {
			t.Run(fmt.Sprint(tc.name, ", reopened ", reopened), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "svc.db")
				db := openStore(t, path, store.Options{})
				p := addProject(t, db, "app").ID
				addMany := func(n int) {
					update(t, db, func(tx *store.Tx) (err error) {
						for range n {
							err = errors.Join(err, tx.AddFeedback(p, &store.Feedback{Content: "other"}))
						}
						return err
					})
				}
				addMany(tc.before)
				if reopened { // without the columns of the last block in memory
					closeStore(t, db)
					db = openStore(t, path, store.Options{})
				}
				w := tryForward(t, db, forward(p, 1, "A Needle"))
				addMany(tc.after)
				if reopened {
					closeStore(t, db)
					db = openStore(t, path, store.Options{})
				}
				seen := db.LastChange()
				complete(t, db, w, false)
				err := db.View(func(tx *store.Tx) error {
					// The result of an index that read the feed before the Forward was completed.
					find := &store.Find{Terms: []string{"needle"}, Candidates: store.Candidates{Refs: map[string]bool{}, Seen: seen}}
					page, _, err := tx.ListFeedback(p, store.FeedbackSelection{Selection: store.Selection{Find: find, Limit: 10}})
					if len(page) != 1 || page[0].ID != w.ID {
						t.Errorf("a search finds %d, want the one completed", len(page))
					}
					changes, changesErr := tx.Changes(seen, 10)
					if sealed := tc.before/256 < (tc.before+tc.after+1)/256; sealed {
						if len(changes) != 1 || changes[0].Kind != store.KindFeedback || int(changes[0].Block) != tc.before/256 {
							t.Fatalf("the feed has %v, want the block", changes)
						}
						text, _, err := tx.SearchText(changes[0])
						if err != nil || !strings.Contains(text, "needle") {
							t.Errorf("got %v, want the needle in the text of the block", err)
						}
					}
					return errors.Join(err, changesErr)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestForwardOutlivesTheProcess checks that a Forward is still found by its key after a
// restart, and can then be completed or abandoned.
func TestForwardOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	p := addProject(t, db, "app").ID
	begun := tryForward(t, db, forward(p, 1, "issue"))
	nobody := tryForward(t, db, forward(p, 0, "from nobody"))
	closeStore(t, db)
	db = openStore(t, path, store.Options{})

	addFeedback(t, db, p, "after")
	f, w, err := db.EarlierForward(p, limit.Key{1})
	if err != nil || f != nil || asJSON(t, w) != asJSON(t, begun) || w.Feedback.ID != begun.ID || *w.Key != *begun.Key || w.Project != p {
		t.Fatalf("got %s, %s, %v, want what was begun", asJSON(t, f), asJSON(t, w), err)
	}
	if _, w, _ := db.EarlierForward(p, limit.Key{2}); w != nil {
		t.Errorf("another key: got %s, want nothing", asJSON(t, w))
	}
	all, err := db.Forwards()
	if err != nil || len(all) != 2 {
		t.Fatalf("got %s, %v, want both", asJSON(t, all), err)
	}
	complete(t, db, w, false)
	if err := db.AbandonForward(nobody); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Forwards(); len(all) != 0 || err != nil {
		t.Errorf("afterwards: got %s, %v, want none", asJSON(t, all), err)
	}
	if got := contents(t, db, p); !slices.Equal(got, []string{"after", "issue"}) {
		t.Errorf("got %q", got)
	}
}

// TestForwardDuplicates checks how long an earlier submission is found by its key.
func TestForwardDuplicates(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: c.now, DedupWindow: time.Minute})
	p := addProject(t, db, "app").ID
	earlier := func(key byte) string {
		t.Helper()
		f, w, err := db.EarlierForward(p, limit.Key{key})
		switch {
		case err != nil:
			t.Fatal(err)
		case f != nil:
			return "stored: " + f.Content
		case w != nil:
			return "begun: " + w.Feedback.Content
		}
		return "nothing"
	}
	expect := func(when string, key byte, want string) {
		t.Helper()
		if got := earlier(key); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	expect("before all", 1, "nothing")
	quick := tryForward(t, db, forward(p, 1, "quick"))
	expect("in progress", 1, "begun: quick")
	quickly := complete(t, db, quick, false)
	expect("complete", 1, "stored: quick")
	c.advance(time.Minute)
	expect("after the window", 1, "nothing")

	complete(t, db, tryForward(t, db, forward(p, 2, "late")), true)
	c.advance(23 * time.Hour)
	expect("settled by a job, a day later", 2, "stored: late")
	again := tryForward(t, db, forward(p, 3, "again"))
	c.advance(time.Hour)
	tryForward(t, db, again)
	expect("tried again", 3, "begun: again")
	if err := db.ForgetForwards(c.now().Add(-2 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	expect("forgotten", 2, "nothing")
	expect("not old enough to be forgotten", 3, "begun: again")

	late := tryForward(t, db, forward(p, 2, "late"))
	complete(t, db, late, true)
	update(t, db, func(tx *store.Tx) error {
		f, err := tx.Feedback(p, late.ID)
		return errors.Join(err, tx.DeleteFeedback(p, f), tx.DeleteFeedback(p, quickly))
	})
	expect("deleted since", 2, "nothing")
	newer := tryForward(t, db, forward(p, 2, "newer"))
	if err := db.AbandonForward(late); err != nil {
		t.Fatal(err)
	}
	expect("under the key of one that is gone", 2, "begun: newer")
	if err := db.AbandonForward(newer); err != nil {
		t.Fatal(err)
	}
	expect("abandoned", 2, "nothing")
}

// TestForwardsAreBounded checks that a project can have only a limited number of Forwards
// while the code host does not answer. Other projects must not be affected.
func TestForwardsAreBounded(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p, other := addProject(t, db, "app"), addProject(t, db, "other")
	var first *store.Forward
	for i := range 1000 {
		w := tryForward(t, db, forward(p.ID, 0, "x"))
		if i == 0 {
			first = w
		}
	}
	if err := db.TryForward(forward(p.ID, 0, "x")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("one more: got %v, want a fault of kind Unavailable", err)
	}
	tryForward(t, db, first) // already counted, so it is accepted
	tryForward(t, db, forward(other.ID, 0, "x"))
	complete(t, db, first, false)
	tryForward(t, db, forward(p.ID, 0, "x"))
}

func TestForwardOfDeletedProject(t *testing.T) {
	t.Parallel()
	db := newStore(t)
	p := addProject(t, db, "app")
	w, other := tryForward(t, db, forward(p.ID, 1, "issue")), forward(p.ID, 2, "other")
	complete(t, db, tryForward(t, db, forward(p.ID, 3, "settled")), true)
	update(t, db, func(tx *store.Tx) error { return tx.DeleteProject(p) })
	_, err := db.CompleteForward(w, nil, nil, false)
	if !fault.Is(err, fault.NotFound) || !fault.Is(db.TryForward(other), fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
	all, err := db.Forwards()
	f, known, earlierErr := db.EarlierForward(p.ID, limit.Key{1})
	if err := errors.Join(err, earlierErr, db.AbandonForward(w)); err != nil || len(all) != 0 || f != nil || known != nil {
		t.Errorf("got %s, %s, %s, %v, want nothing", asJSON(t, all), asJSON(t, f), asJSON(t, known), err)
	}
	if err := db.Purge(); err != nil {
		t.Fatal(err)
	}
	for path := range db.Dump() {
		if strings.HasPrefix(path, `"content"/`) || strings.HasPrefix(path, `"owners"/`) {
			t.Errorf("there is still %s", path)
		}
	}
}

// TestForwardsByModel randomly begins, completes and abandons Forwards between other
// feedback, and compares the result with a slice.
func TestForwardsByModel(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{})
	p := addProject(t, db, "app").ID
	type place struct {
		content string
		shown   bool
		id      store.ID
	}
	var places []*place // places in the order of their numbers
	open := map[*place]*store.Forward{}
	for n := range 600 {
		content := fmt.Sprint("feedback ", n)
		switch r.IntN(8) {
		case 0, 1:
			w := tryForward(t, db, forward(p, 0, content))
			places = append(places, &place{content, false, w.ID})
			open[places[len(places)-1]] = w
		case 2:
			for pl, w := range open {
				complete(t, db, w, false)
				pl.shown = true
				delete(open, pl)
				break
			}
		case 3:
			for pl, w := range open {
				if err := db.AbandonForward(w); err != nil {
					t.Fatal(err)
				}
				delete(open, pl)
				break
			}
		case 4:
			if len(places) == 0 {
				continue
			}
			pl := one(r, places)
			err := db.Update(func(tx *store.Tx) error {
				f, err := tx.Feedback(p, pl.id)
				if err != nil {
					return err
				}
				return tx.DeleteFeedback(p, f)
			})
			if pl.shown != (err == nil) {
				t.Fatalf("round %d: deleting: got %v, shown %v", n, err, pl.shown)
			}
			pl.shown = false
		default:
			f := addFeedback(t, db, p, content)
			places = append(places, &place{content, true, f.ID})
		}
		if n%97 == 0 {
			closeStore(t, db)
			db = openStore(t, path, store.Options{})
		}
	}
	var want []string
	for _, pl := range slices.Backward(places) {
		if pl.shown {
			want = append(want, pl.content)
		}
	}
	if got := contents(t, db, p); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if all, err := db.Forwards(); err != nil || len(all) != len(open) {
		t.Errorf("got %d that are open, %v, want %d", len(all), err, len(open))
	}
}

// TestForwardOfStoredFeedback checks that stored feedback is unchanged, and can still be edited,
// while it becomes an issue. The feedback must have exactly one Forward until the outcome is known
// or the feedback is deleted.
func TestForwardOfStoredFeedback(t *testing.T) {
	t.Parallel()
	c := newClock()
	path := filepath.Join(t.TempDir(), "svc.db")
	db := openStore(t, path, store.Options{Now: c.now})
	p := addProject(t, db, "app").ID
	f := addFeedback(t, db, p, "dark")
	c.advance(40 * 24 * time.Hour)
	begin := func(f *store.Feedback) *store.Forward {
		key := store.StoredKey(f.ID)
		return tryForward(t, db, &store.Forward{Project: p, Key: &key, ID: f.ID, Repo: "example/app", Since: c.now().Unix(), Feedback: f})
	}
	known := func(f *store.Feedback) *store.Forward {
		t.Helper()
		stored, w, err := db.EarlierForward(p, store.StoredKey(f.ID))
		if stored != nil || err != nil {
			t.Fatalf("got %s, %v", asJSON(t, stored), err)
		}
		return w
	}
	read := func(id store.ID) (*store.Feedback, error) {
		return store.Read(db, func(tx *store.Tx) (*store.Feedback, error) { return tx.Feedback(p, id) })
	}
	begin(f)
	closeStore(t, db)
	db = openStore(t, path, store.Options{Now: c.now})
	c.advance(10 * 24 * time.Hour)
	if err := db.ForgetForwards(c.now()); err != nil {
		t.Fatal(err)
	}
	w := known(f)
	if w == nil || w.ID != f.ID || !w.Stored() || w.Begun() != w.Tried || w.Begun() != c.now().Add(-10*24*time.Hour).Unix() || w.Feedback != nil {
		t.Fatalf("ten days later: got %s, want what was begun, without a copy of the feedback", asJSON(t, w))
	}

	update(t, db, func(tx *store.Tx) error {
		changed, err := tx.Feedback(p, f.ID)
		changed.Content, changed.Status = "darker", store.StatusResolved
		return errors.Join(err, tx.PutFeedback(p, changed))
	})
	done := complete(t, db, w, false)
	if now, err := read(f.ID); err != nil || asJSON(t, now) != asJSON(t, done) || now.Content != "darker" || now.Status != store.StatusResolved || !now.Forwarded || *now.IssueNumber != 7 {
		t.Errorf("got %s, %v, want the issue and the change made meanwhile", asJSON(t, now), err)
	}
	if w := known(f); w != nil {
		t.Errorf("afterwards: got %s, want nothing", asJSON(t, w))
	}
	if again, err := db.CompleteForward(w, new(int64(8)), nil, true); err != nil || *again.IssueNumber != 7 {
		t.Errorf("completed again: got %s, %v, want what there is", asJSON(t, again), err)
	}
	if got := contents(t, db, p); !slices.Equal(got, []string{"darker"}) {
		t.Errorf("the list has %q", got)
	}

	abandoned := addFeedback(t, db, p, "abandoned")
	if err := db.AbandonForward(begin(abandoned)); err != nil || known(abandoned) != nil {
		t.Errorf("abandoned: got %v", err)
	}
	if now, err := read(abandoned.ID); err != nil || now.Forwarded {
		t.Errorf("abandoned: got %s, %v", asJSON(t, now), err)
	}
	deleted := addFeedback(t, db, p, "deleted")
	w = begin(deleted)
	update(t, db, func(tx *store.Tx) error { return tx.DeleteFeedback(p, deleted) })
	if known(deleted) != nil {
		t.Error("deleted: it is still known")
	}
	if _, err := db.CompleteForward(w, new(int64(9)), nil, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted: got %v, want not found", err)
	}
	if all, err := db.Forwards(); len(all) != 0 || err != nil {
		t.Errorf("got %s, %v, want none", asJSON(t, all), err)
	}
}
