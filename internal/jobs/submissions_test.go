package jobs

import (
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"svc/store"
)

// TestSubmissionsGoWithTheirTime checks that logs and feedback are kept for the project's retention
// or, if the project has none, for the instance's retention. If neither is set, they are kept
// forever.
func TestSubmissionsGoWithTheirTime(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	begun := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	now.Store(begun.Unix())
	db, err := store.Open(filepath.Join(t.TempDir(), "svc.db"), store.Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	five, long := 5, 3650
	plain, own, forever := project(t, db, "plain", 90), project(t, db, "own", 90), project(t, db, "long", 90)
	own.LogRetentionDays, own.FeedbackRetentionDays = &five, &long
	forever.LogRetentionDays = &long
	for _, p := range []*store.Project{own, forever} {
		if err := db.Update(func(tx *store.Tx) error { return tx.PutProject(p) }); err != nil {
			t.Fatal(err)
		}
	}
	projects := []*store.Project{plain, own, forever}
	for day := range 21 {
		now.Store(begun.AddDate(0, 0, day).Unix())
		for _, p := range projects {
			err := db.Update(func(tx *store.Tx) error {
				if err := tx.AddLog(p.ID, &store.Log{Content: "x"}); err != nil {
					return err
				}
				return tx.AddFeedback(p.ID, &store.Feedback{Content: "x"})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() (counts []int64) {
		for _, p := range projects {
			c, err := store.Read(db, func(tx *store.Tx) (store.Contents, error) { return tx.Contents(p.ID) })
			if err != nil {
				t.Fatal(err)
			}
			counts = append(counts, c.Logs, c.Feedback)
		}
		return counts
	}
	clean := func(logs, feedback int) {
		t.Helper()
		j := quiet(db)
		j.LogRetentionDays, j.FeedbackRetentionDays = logs, feedback
		if err := j.clean(t.Context(), time.Unix(now.Load(), 0)); err != nil {
			t.Fatal(err)
		}
	}
	// The records of the day itself are kept, and so are records with an age of exactly the
	// retention.
	for _, step := range []struct {
		logs, feedback int
		want           []int64
	}{
		{0, 0, []int64{21, 21, 6, 21, 21, 21}},
		{10, 0, []int64{11, 21, 6, 21, 21, 21}},
		{30, 3, []int64{11, 4, 6, 21, 21, 4}},
	} {
		clean(step.logs, step.feedback)
		if got := left(); !slices.Equal(got, step.want) {
			t.Errorf("instance: %d days of logs, %d of feedback: got %d, want %d", step.logs, step.feedback, got, step.want)
		}
	}
}

// TestWrongClockKeepsSubmissions checks that no log is deleted if the clock is two years ahead.
func TestWrongClockKeepsSubmissions(t *testing.T) {
	t.Parallel()
	db := openStore(t)
	p := project(t, db, "p", 90)
	now := time.Now()
	err := db.Update(func(tx *store.Tx) error {
		if err := tx.AddLog(p.ID, &store.Log{Content: "x"}); err != nil {
			return err
		}
		return tx.MarkCleaned(now.Add(-25 * time.Hour))
	})
	if err != nil {
		t.Fatal(err)
	}
	j := quiet(db)
	j.LogRetentionDays = 30
	if err := j.cleanIfDue(t.Context(), now.AddDate(2, 0, 0)); err == nil {
		t.Error("a wrong clock is no error")
	}
	c, err := store.Read(db, func(tx *store.Tx) (store.Contents, error) { return tx.Contents(p.ID) })
	if err != nil || c.Logs != 1 {
		t.Errorf("got %d logs, %v; want the one", c.Logs, err)
	}
}
