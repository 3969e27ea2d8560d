package jobs

import (
	"context"
	"errors"
	"time"
)

// settleEvery is the interval at which the issues of unconfirmed submissions are looked for. It
// costs little if there are none.
const settleEvery = 5 * time.Minute

// keepSettling regularly looks for issues after an unconfirmed creation. It logs a code host that
// does not answer once.
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
