package jobs

import (
	"context"
	"errors"
	"time"

	"svc/store"
)

// eraseIfDue erases deleted data from the database files once every night. After a
// failure it retries.
func (j *Jobs) eraseIfDue(ctx context.Context, now time.Time) error {
	last := j.erased.get()
	// a time in the future was recorded while the clock was wrong
	if last.Failure == "" && !last.Begun.Before(lastNight(now)) && !last.Begun.After(now) {
		return nil
	}
	return j.do(ctx, j.erased, j.erase)
}

// erase overwrites the free pages of both databases. It also rebuilds the search index if the index
// may contain fragments of deleted texts. It can be interrupted and repeated.
func (j *Jobs) erase(ctx context.Context) error {
	err := j.renewIndex(ctx)
	records, failed := j.DB.ZeroFreePages(ctx)
	err = errors.Join(err, failed)
	events := int64(0)
	if j.Events != nil {
		events, failed = j.Events.ZeroFreePages(ctx)
		err = errors.Join(err, failed)
	}
	if records+events > 0 {
		j.Log.Debug("overwrote free pages", "svc_db_bytes", records, "events_db_bytes", events)
	}
	return err
}

// renewIndex rebuilds the search index if data has been erased since the last rebuild.
func (j *Jobs) renewIndex(ctx context.Context) error {
	if j.Search == nil {
		return nil
	}
	erasures, err := store.Read(j.DB, func(tx *store.Tx) (uint64, error) { return tx.Erasures(), nil })
	if err != nil || erasures == 0 {
		return err
	}
	if err := j.Search.Rebuild(ctx, nil); err != nil {
		return err
	}
	return j.DB.Update(func(tx *store.Tx) error { return tx.ForgetErasures(erasures) })
}
