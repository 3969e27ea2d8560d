package jobs

import (
	"context"
	"time"

	"svc/store"
)

const (
	// observePause is the minimum pause between two runs of the job, however often the store changes.
	observePause = time.Second
	// healthRetention is the time for which health counts are kept.
	healthRetention = 90 * 24 * time.Hour
	// observeRetry is the pause after a failed run.
	observeRetry = 2 * time.Second
)

// keepObserving observes the rollouts whenever the store has changed or a bucket of time has
// closed. If that keeps failing, it logs only the first failure.
func (j *Jobs) keepObserving(ctx context.Context) {
	for failing := false; ; {
		changed := j.DB.Changed() // before the run, so that no change is missed
		err := j.do(ctx, j.health, j.health.work)
		if err != nil && !failing && ctx.Err() == nil {
			j.Log.Error("rollouts not observed; retrying", "error", err)
		}
		failing = err != nil
		next := checkEvery
		if closes, ok := j.Health.Next(); ok {
			next = closes
		}
		if failing {
			next = observeRetry
		}
		if wait(ctx, next, changed, nil) != nil || pause(ctx, observePause) != nil {
			return
		}
	}
}

// dropHealth deletes a project's health counts that are older than their retention.
func (j *Jobs) dropHealth(ctx context.Context, p *store.Project, now time.Time) error {
	before := now.Add(-healthRetention).Unix()
	old, err := store.Read(j.DB, func(tx *store.Tx) (bool, error) { return tx.HasHealthBefore(p.ID, before), nil })
	if err != nil || !old { // avoids a write transaction
		return err
	}
	return j.dropInSteps(ctx, func(tx *store.Tx) (int, error) { return tx.DropHealth(p.ID, before, dropStep) })
}
