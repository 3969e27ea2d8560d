package store_test

import (
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"svc/internal/fault"
	"svc/internal/testutil"
	"svc/store"
)

// TestSubmissionsShareCommits checks that submissions of many goroutines share commits.
// Each must be visible when its Submit returns.
func TestSubmissionsShareCommits(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	p := addProject(t, db, "app")
	const writers, each = 16, 40
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := range each {
				l := &store.Log{Content: strconv.Itoa(w*each + i)}
				if err := db.Submit(func(tx *store.Tx) error { return tx.AddLog(p.ID, l) }); err != nil {
					t.Error(err)
				}
				if err := db.View(func(tx *store.Tx) error { _, err := tx.Log(p.ID, l.ID); return err }); err != nil {
					t.Errorf("log %s is not there after Submit: %v", l.Content, err)
				}
			}
		})
	}
	wait.Wait()
	var levels [4]int64
	err := db.View(func(tx *store.Tx) (err error) {
		levels, err = tx.LogStatistics()
		return err
	})
	if err != nil || levels[0] != writers*each {
		t.Errorf("got %d logs, %v; want %d", levels[0], err, writers*each)
	}
}

// TestSubmissionWithoutProject checks that a submission for a deleted project writes
// nothing and does not affect other submissions.
func TestSubmissionWithoutProject(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	p := addProject(t, db, "app")
	if err := edit(db, "app", (*store.Tx).DeleteProject); err != nil {
		t.Fatal(err)
	}
	err := db.Submit(func(tx *store.Tx) error { return tx.AddLog(p.ID, &store.Log{}) })
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

// TestSubmissionThatPanics checks that a panic in one submission ends its transaction,
// and that the other submissions return an error because nothing was stored.
func TestSubmissionThatPanics(t *testing.T) {
	t.Parallel()
	db := openStore(t, filepath.Join(t.TempDir(), "svc.db"), store.Options{})
	p := addProject(t, db, "app")
	logs := func() int64 {
		t.Helper()
		var levels [4]int64
		err := db.View(func(tx *store.Tx) (err error) {
			levels, err = tx.LogStatistics()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return levels[0]
	}
	release := sync.OnceFunc(db.Hold()) // so that all share a commit
	defer release()
	var acknowledged atomic.Int64
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			defer func() { _ = recover() }()
			err := db.Submit(func(tx *store.Tx) error {
				if i == 10 {
					panic("a bug")
				}
				return tx.AddLog(p.ID, &store.Log{})
			})
			if err == nil {
				acknowledged.Add(1)
			}
		})
	}
	testutil.Until(t, "all wait", func() bool { return stateOf(t, db).Waiting == 20 })
	release()
	wait.Wait()
	if got, want := logs(), acknowledged.Load(); got != want || want != 0 {
		t.Errorf("got %d logs of %d that were acknowledged, want none of either", got, want)
	}
	if err := db.Submit(func(tx *store.Tx) error { return tx.AddLog(p.ID, &store.Log{}) }); err != nil || logs() != 1 {
		t.Errorf("afterwards: %v, %d logs", err, logs())
	}
}
