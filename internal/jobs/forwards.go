package jobs

import (
	"context"
	"errors"
	"time"
)

// settleEvery is the interval at which the server looks for the issues of submissions
// with an unknown outcome. If there are no such submissions, this costs little.
const settleEvery = 5 * time.Minute

// keepSettling looks for the issues of submissions with an unknown outcome at regular intervals. If
// that keeps failing, for example because the code host does not respond, it logs only the first
// failure.
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
