package jobs

import (
	"context"
	"errors"
	"time"
)

// settleEvery is how long feedback may wait for its issue to be looked for. Where none
// waits, a look costs little.
const settleEvery = 5 * time.Minute

// keepSettling looks again and again for issues whose creation the code host has not
// confirmed. A code host that stays away is reported once.
func (j *Jobs) keepSettling(ctx context.Context) {
	for failing := false; ; {
		err := j.do(ctx, j.forwards, j.forwards.work)
		failed := err != nil && !errors.Is(err, context.Canceled)
		if failed && !failing {
			j.Log.Warn("cannot find out whether feedback has become an issue; retrying", "error", err)
		}
		failing = failed
		if pause(ctx, settleEvery) != nil {
			return
		}
	}
}
