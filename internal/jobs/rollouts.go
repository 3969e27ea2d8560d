package jobs

import (
	"context"
	"errors"
	"time"

	"svc/store"
)

const (
	// stepEvery is the interval at which the server looks for rollouts whose next step is due,
	// while there are rollouts that advance by themselves.
	stepEvery = 2 * time.Second
	// stepPause is the minimum pause between two looks, however often the store changes.
	stepPause = time.Second
)

// keepAdvancing takes rollouts to their next step when it is due. A step that became due while the
// server was not running is taken at the start. If that keeps failing, keepAdvancing logs only the
// first failure.
func (j *Jobs) keepAdvancing(ctx context.Context) {
	for failing := false; ; {
		changed := j.DB.Changed() // before the look, so that no change is missed
		next := checkEvery
		err := j.do(ctx, j.rollouts, func(ctx context.Context) error {
			waiting, err := j.advance(ctx)
			if waiting || err != nil {
				next = stepEvery
			}
			return err
		})
		if err != nil && !failing && ctx.Err() == nil {
			j.Log.Error("rollouts not advanced; retrying", "error", err)
		}
		failing = err != nil
		if wait(ctx, next, changed, nil) != nil || pause(ctx, stepPause) != nil {
			return
		}
	}
}

// advanceRollouts advances the rollouts for which the next step is due.
func (j *Jobs) advanceRollouts(ctx context.Context) error {
	_, err := j.advance(ctx)
	return err
}

// advance is like advanceRollouts. In addition, waiting reports whether there are rollouts that
// advance by themselves. A rollout that fails does not stop the others.
func (j *Jobs) advance(ctx context.Context) (waiting bool, err error) {
	open, err := j.DB.OpenRollouts()
	for _, o := range open {
		ends, waits := o.Version.Rollout.StepEnds()
		waiting = waiting || waits
		if !waits || ends > j.Now().Unix() {
			continue
		}
		if ctx.Err() != nil {
			return waiting, errors.Join(err, ctx.Err())
		}
		err = errors.Join(err, j.takeStep(o))
	}
	return waiting, err
}

// takeStep takes a rollout to its next step, unless too few users have been seen on the version or
// a health rule is suspect.
func (j *Jobs) takeStep(o store.OpenRollout) error {
	var exposure int64
	var suspect bool
	if j.Health != nil {
		var err error
		if exposure, suspect, err = j.Health.Step(o); err != nil {
			return err
		}
	}
	if !o.Version.Rollout.Advances(j.Now().Unix(), exposure, suspect) {
		return nil
	}
	var advanced bool
	err := j.DB.Update(func(tx *store.Tx) (err error) {
		advanced, err = tx.AdvanceRollout(o.Project, o.Version.ID, exposure, suspect)
		return err
	})
	if advanced && err == nil {
		j.Log.Info("rollout advanced", "version", o.Version.Version, "id", o.Version.ID.String())
	}
	return err
}
