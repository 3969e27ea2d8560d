package jobs

import (
	"context"
	"time"
)

const (
	// verifyEvery is the interval at which the replica is verified.
	verifyEvery = 7 * 24 * time.Hour
	// verifyCheck is the interval at which the job looks whether the replica is due.
	verifyCheck = time.Hour
)

// keepVerifyingReplica verifies the replica once a week, also across restarts.
func (j *Jobs) keepVerifyingReplica(ctx context.Context) {
	for pause(ctx, verifyCheck) == nil {
		if j.Now().Sub(j.verification.get().Begun) < verifyEvery {
			continue
		}
		if err := j.do(ctx, j.verification, j.verification.work); err != nil && ctx.Err() == nil {
			j.Log.Error("the replica is not intact, or cannot be read", "error", err)
		}
	}
}
