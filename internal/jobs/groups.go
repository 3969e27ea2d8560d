package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/internal/fault"
)

// groupRetry is the minimum pause between two runs of the job that groups logs, however often the
// store changes.
const groupRetry = 10 * time.Second

// keepGrouping groups logs that were stored without a group, at the start and after an import. If
// that keeps failing, it logs only the first failure.
func (j *Jobs) keepGrouping(ctx context.Context) {
	for failing := false; ; {
		changed := j.DB.Changed() // before the run, so that no change is missed
		err := j.do(ctx, j.groups, j.groups.work)
		if err != nil && !failing && ctx.Err() == nil {
			j.Log.Error("logs not grouped; retrying", "error", err)
		}
		failing = err != nil
		if wait(ctx, checkEvery, changed, nil) != nil || pause(ctx, groupRetry) != nil {
			return
		}
	}
}

// groupLogs groups the logs of all projects. A project that fails does not stop the others.
func (j *Jobs) groupLogs(ctx context.Context) (err error) {
	for _, p := range j.DB.Projects() {
		if failed := j.DB.GroupLogs(ctx, p.ID); failed != nil && !fault.Is(failed, fault.NotFound) {
			err = errors.Join(err, fmt.Errorf("group the logs of project %s: %w", p.Key, failed))
		}
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return err
}
