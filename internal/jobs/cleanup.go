package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/internal/boltfile"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/store"
)

const (
	// cleanAt is the local hour at which old data is deleted.
	cleanAt = 3
	// checkEvery is the interval at which a job compares the clock with its schedule. It
	// limits the delay of the job after the machine has slept or the clock has been set.
	checkEvery = time.Hour
	// dropStep is the maximum number of values that one transaction deletes. dropPause is
	// the pause between two such transactions, in which other writers can write.
	dropStep  = 500
	dropPause = 10 * time.Millisecond
)

// keepPurging removes the remains of deleted projects, at the start and whenever a
// project is deleted. After a failure it retries with increasing pauses.
func (j *Jobs) keepPurging(ctx context.Context) {
	for failures := 0; ; {
		next := checkEvery
		if err := j.do(ctx, j.deleted, j.purge); err != nil {
			next = store.RetryPause(failures)
			failures++
			if ctx.Err() == nil {
				j.Log.Error("content of deleted projects not removed; retrying later", "in", next.String(), "error", err)
			}
		} else {
			failures = 0
		}
		if wait(ctx, next, j.DB.ProjectDeleted(), nil) != nil {
			return
		}
	}
}

// keepClean deletes expired data every night, and erases it from the files. If it has missed a
// night, it does so immediately.
func (j *Jobs) keepClean(ctx context.Context) {
	for {
		now := j.Now()
		if err := j.cleanIfDue(ctx, now); err != nil && !errors.Is(err, context.Canceled) {
			j.Log.Error("expired data not deleted; retrying later", "error", err)
		}
		if err := j.eraseIfDue(ctx, now); err != nil && !errors.Is(err, context.Canceled) {
			j.Log.Error("deleted data is still in free pages of the files; retrying later", "error", err)
		}
		if pause(ctx, min(nextNight(now).Sub(now), checkEvery)) != nil {
			return
		}
	}
}

// nextNight returns the first scheduled clean-up time after t.
func nextNight(t time.Time) time.Time {
	if at := nightOf(t, 0); at.After(t) {
		return at
	}
	return nightOf(t, 1)
}

// lastNight returns the most recent scheduled clean-up time at or before t.
func lastNight(t time.Time) time.Time {
	if at := nightOf(t, 0); !at.After(t) {
		return at
	}
	return nightOf(t, -1)
}

// nightOf returns the scheduled clean-up time on the date of t plus the given number of days.
func nightOf(t time.Time, away int) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d+away, cleanAt, 0, 0, 0, t.Location())
}

func (j *Jobs) cleanIfDue(ctx context.Context, now time.Time) error {
	var last time.Time
	err := j.DB.View(func(tx *store.Tx) error {
		last = tx.CleanedAt()
		return nil
	})
	// a time in the future was recorded while the clock was wrong
	if err == nil && !last.Before(lastNight(now)) && !last.After(now) {
		return nil
	}
	return j.do(ctx, j.retention, func(ctx context.Context) error {
		if err != nil { // handled like a failure of the work itself
			return err
		}
		if err := j.clock.check(now); err != nil {
			return err
		}
		return j.clean(ctx, now)
	})
}

// purge removes the remains of deleted projects. It removes uploads last, because it may
// have to wait until an upload has been completed, which takes as long as hashing the
// upload.
func (j *Jobs) purge(ctx context.Context) error {
	err := errors.Join(j.DB.Purge(), j.purgeEvents(ctx))
	if j.Files != nil {
		err = errors.Join(err, j.Files.PurgeUploads())
	}
	return err
}

// clean deletes all data that is older than the retention of its project. It can be interrupted and
// repeated.
func (j *Jobs) clean(ctx context.Context, now time.Time) error {
	var damage error
	for _, p := range j.DB.Projects() {
		err := errors.Join(j.dropRequests(ctx, p, now), j.dropHealth(ctx, p, now), j.dropEvents(ctx, p, now), j.dropSubmissions(ctx, p, now))
		if err != nil {
			err = fmt.Errorf("clean up project %s: %w", p.Key, err)
		}
		if errors.Is(err, boltfile.ErrDamaged) { // only part of the data is damaged, so continue with the rest
			damage = errors.Join(damage, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(j.dropDeliveries(ctx), j.dropHookDeliveries(ctx), damage); err != nil {
		return err
	}
	if err := j.DB.Update(func(tx *store.Tx) error { return tx.MarkCleaned(now) }); err != nil {
		return err
	}
	j.clock.trust(now)
	return nil
}

// dropInSteps calls the function drop in one transaction after the other, with pauses, until a call
// deletes fewer than dropStep records. The function must delete at most dropStep records, and
// return how many it deleted.
func (j *Jobs) dropInSteps(ctx context.Context, drop func(*store.Tx) (n int, err error)) error {
	for n := dropStep; n == dropStep; {
		err := j.DB.Update(func(tx *store.Tx) (err error) {
			n, err = drop(tx)
			return err
		})
		if err != nil {
			return err
		}
		if err := pause(ctx, dropPause); err != nil {
			return err
		}
	}
	return nil
}

// dropDeliveries removes the expired records of webhook deliveries that the code host has sent.
func (j *Jobs) dropDeliveries(ctx context.Context) error {
	return j.dropInSteps(ctx, func(tx *store.Tx) (int, error) { return tx.DropDeliveries(dropStep) })
}

// dropRequests deletes a project's request statistics that are older than the project's retention.
func (j *Jobs) dropRequests(ctx context.Context, p *store.Project, now time.Time) error {
	before := store.HourOf(now.Add(-days(p.StatsRetentionDays)))
	old, err := store.Read(j.DB, func(tx *store.Tx) (bool, error) { return tx.HasRequestsBefore(p.ID, before), nil })
	if err != nil || !old { // most projects have nothing to delete on most nights; this avoids a write transaction
		return err
	}
	return j.dropInSteps(ctx, func(tx *store.Tx) (int, error) { return tx.DropRequests(p.ID, before, dropStep) })
}

// dropEvents deletes a project's events and event counters that are older than their retention. The
// project has one retention for the events and one for the counters.
func (j *Jobs) dropEvents(ctx context.Context, p *store.Project, now time.Time) error {
	if j.Events == nil {
		return nil
	}
	events, counters := now.Add(-days(p.EventRetentionDays)), now.Add(-days(p.StatsRetentionDays))
	return j.Events.ApplyRetention(ctx, event.Project(p.ID), events.Unix(), counters.Unix())
}

// dropSubmissions deletes a project's logs and feedback that are older than their retention.
func (j *Jobs) dropSubmissions(ctx context.Context, p *store.Project, now time.Time) error {
	if keep := retention(p.LogRetentionDays, j.LogRetentionDays); keep > 0 {
		if _, _, err := j.DB.PruneLogs(ctx, p.ID, store.LogRange{Before: new(now.Add(-keep).Unix())}, false); err != nil {
			return orGone(err)
		}
	}
	if keep := retention(p.FeedbackRetentionDays, j.FeedbackRetentionDays); keep > 0 {
		if _, err := j.DB.PruneFeedback(ctx, p.ID, now.Add(-keep).Unix()); err != nil {
			return orGone(err)
		}
	}
	return nil
}

// orGone returns err, or nil if err has the kind NotFound, which means that the project has been
// deleted in the meantime.
func orGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// retention returns the duration for which a project keeps its logs or its feedback. 0 means
// forever. Both parameters are in days. The setting of the project, unless it is nil, takes
// precedence over the setting of the instance.
func retention(ofProject *int, ofInstance int) time.Duration {
	days := ofInstance
	if ofProject != nil {
		days = *ofProject
	}
	return time.Duration(max(days, 0)) * 24 * time.Hour
}

// purgeEvents removes the events of projects that no longer exist.
func (j *Jobs) purgeEvents(ctx context.Context) error {
	if j.Events == nil {
		return nil
	}
	// Projects are created before their events. A project with events that is not in the
	// store has therefore been deleted, or is being imported.
	for _, p := range j.Events.Projects() {
		if j.DB.Importing(store.ProjectID(p)) { // checked before the store, because the import can end in between
			continue
		}
		if _, alive := j.DB.ProjectByID(store.ProjectID(p)); alive {
			continue
		}
		if err := j.Events.DropProject(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// days converts a retention in days to a duration. The result is between 1 and 365 days.
func days(n int) time.Duration { return time.Duration(min(max(n, 1), 365)) * 24 * time.Hour }
