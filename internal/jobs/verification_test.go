package jobs_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"svc/internal/jobs"
	"svc/store"
)

// TestReplicaVerification checks that the replica is verified once a week, also across restarts.
func TestReplicaVerification(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(filepath.Join(t.TempDir(), "svc.db"), store.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		runs := 0
		work := func(d time.Duration) {
			j := jobs.New(jobs.Config{DB: db, Log: slog.New(slog.DiscardHandler), Flush: func() error { return nil },
				VerifyReplica: func(context.Context) error { runs++; return nil }})
			j.Start()
			time.Sleep(d) //nolint:forbidigo // by the fake clock of synctest
			if err := j.Stop(); err != nil {
				t.Error(err)
			}
		}
		for range 20 {
			work(24 * time.Hour)
		}
		if runs != 3 {
			t.Errorf("verified %d times in 20 days, want 3", runs)
		}
	})
}
