package jobs

import (
	"context"
	"time"

	"svc/store"
)

// deliverRetry is the pause after a failure to read the deliveries of hooks.
const deliverRetry = 2 * time.Second

// keepDelivering sends events to hooks when they are due. If that keeps failing, it logs only the
// first failure.
func (j *Jobs) keepDelivering(ctx context.Context) {
	for failing := false; ; {
		changed := j.DB.HooksChanged() // before the look, so that no change is missed
		next, err := j.Hooks.Next()
		if err == nil && next == 0 {
			err = j.do(ctx, j.deliveries, j.deliveries.work)
		}
		if err != nil {
			if !failing && ctx.Err() == nil {
				j.Log.Error("events not sent to hooks; retrying", "error", err)
			}
			next = deliverRetry
		}
		failing = err != nil
		if wait(ctx, next, changed, nil) != nil {
			return
		}
	}
}

// dropHookDeliveries deletes the deliveries of hooks that are older than their retention.
func (j *Jobs) dropHookDeliveries(ctx context.Context) error {
	old, err := store.Read(j.DB, (*store.Tx).HasOldHookDeliveries)
	if err != nil || !old { // avoids a write transaction
		return err
	}
	return j.dropInSteps(ctx, func(tx *store.Tx) (int, error) { return tx.DropHookDeliveries(dropStep) })
}
