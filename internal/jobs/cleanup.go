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
	// cleanAt is the hour of the local day at which old data goes.
	cleanAt = 3
	// checkEvery is how often the clock is checked: a machine that slept, or
	// whose clock was set, is noticed that late.
	checkEvery = time.Hour
	// dropStep is the number of values that one transaction deletes, and
	// dropPause the time for others to write in between.
	dropStep  = 500
	dropPause = 10 * time.Millisecond
)

// keepPurging removes what deleted projects left behind: at the start, when a project is
// deleted, and again after a failure, with growing pauses.
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

// keepClean cleans up every night, and at once when a night was missed.
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

// nextNight is the first moment of cleaning after t.
func nextNight(t time.Time) time.Time {
	if at := nightOf(t, 0); at.After(t) {
		return at
	}
	return nightOf(t, 1)
}

// lastNight is the last moment of cleaning that is not after t.
func lastNight(t time.Time) time.Time {
	if at := nightOf(t, 0); !at.After(t) {
		return at
	}
	return nightOf(t, -1)
}

// nightOf is the moment of cleaning of the day of t, or of one some days away.
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
	// A last time that lies ahead is from a clock that was wrong.
	if err == nil && !last.Before(lastNight(now)) && !last.After(now) {
		return nil
	}
	return j.do(ctx, j.retention, func(ctx context.Context) error {
		if err != nil { // counts like a failure of the work itself
			return err
		}
		if err := j.clock.check(now); err != nil {
			return err
		}
		return j.clean(ctx, now)
	})
}

// purge removes what deleted projects left behind. Uploads come last: one that is being
// completed is waited for, which hashes all of it.
func (j *Jobs) purge(ctx context.Context) error {
	err := errors.Join(j.DB.Purge(), j.purgeEvents(ctx))
	if j.Files != nil {
		err = errors.Join(err, j.Files.PurgeUploads())
	}
	return err
}

// clean deletes what is older than its project keeps it. It may be stopped and
// repeated at will.
func (j *Jobs) clean(ctx context.Context, now time.Time) error {
	var damage error
	for _, p := range j.DB.Projects() {
		err := errors.Join(j.dropRequests(ctx, p, now), j.dropEvents(ctx, p, now), j.dropSubmissions(ctx, p, now))
		if err != nil {
			err = fmt.Errorf("clean up project %s: %w", p.Key, err)
		}
		if errors.Is(err, boltfile.ErrDamaged) { // concerns a part of the data, and the rest is kept no longer
			damage = errors.Join(damage, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(j.dropDeliveries(ctx), damage); err != nil {
		return err
	}
	if err := j.DB.Update(func(tx *store.Tx) error { return tx.MarkCleaned(now) }); err != nil {
		return err
	}
	j.clock.trust(now)
	return nil
}

// dropDeliveries removes the deliveries of the code host that are not remembered any
// more.
func (j *Jobs) dropDeliveries(ctx context.Context) error {
	for n := dropStep; n == dropStep; {
		err := j.DB.Update(func(tx *store.Tx) (err error) {
			n, err = tx.DropDeliveries(dropStep)
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

// dropRequests deletes the request statistics of hours that are over for longer
// than the project keeps them.
func (j *Jobs) dropRequests(ctx context.Context, p *store.Project, now time.Time) error {
	before := store.HourOf(now.Add(-days(p.StatsRetentionDays)))
	old, err := store.Read(j.DB, func(tx *store.Tx) (bool, error) { return tx.HasRequestsBefore(p.ID, before), nil })
	if err != nil || !old { // most nights, most projects: nothing is written for those
		return err
	}
	for n := dropStep; n == dropStep; {
		err := j.DB.Update(func(tx *store.Tx) (err error) {
			n, err = tx.DropRequests(p.ID, before, dropStep)
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

// dropEvents deletes the events and their counters that are older than the
// project keeps them.
func (j *Jobs) dropEvents(ctx context.Context, p *store.Project, now time.Time) error {
	if j.Events == nil {
		return nil
	}
	events, counters := now.Add(-days(p.EventRetentionDays)), now.Add(-days(p.StatsRetentionDays))
	return j.Events.ApplyRetention(ctx, event.Project(p.ID), events.Unix(), counters.Unix())
}

// dropSubmissions deletes the logs and the feedback that are older than the project keeps
// them.
func (j *Jobs) dropSubmissions(ctx context.Context, p *store.Project, now time.Time) error {
	if keep := retention(p.LogRetentionDays, j.LogRetentionDays); keep > 0 {
		before := now.Add(-keep).Unix()
		if _, _, err := j.DB.PruneLogs(ctx, p.ID, store.LogRange{Before: &before}, false); err != nil {
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

// orGone is nil for a project that was deleted meanwhile.
func orGone(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// retention is the time for which a project keeps its logs or feedback; 0 is for ever.
func retention(ofProject *int, ofInstance int) time.Duration {
	days := ofInstance
	if ofProject != nil {
		days = *ofProject
	}
	return time.Duration(max(days, 0)) * 24 * time.Hour
}

// purgeEvents removes the events of projects that there are not any more.
func (j *Jobs) purgeEvents(ctx context.Context) error {
	if j.Events == nil {
		return nil
	}
	// Projects come before their events, so those listed here are known to the
	// store, or deleted.
	for _, p := range j.Events.Projects() {
		if j.DB.Importing(store.ProjectID(p)) { // asked first: it may become a project in between
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

// days is the time that a project keeps something.
func days(n int) time.Duration { return time.Duration(min(max(n, 1), 365)) * 24 * time.Hour }
