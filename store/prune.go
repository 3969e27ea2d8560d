package store

import (
	"context"
	"math"

	"svc/store/column"
	"svc/store/series"
)

// LogRange selects the logs that meet all of its conditions. A field that is nil sets no
// condition.
type LogRange struct {
	Before *int64  // time before which the logs were created, in Unix seconds
	Level  *int    // the level that the logs have
	IP     *string // the address that the logs have, as it is stored
}

// PruneLogs removes the selected logs of a project, the oldest first, and returns how many matched
// and how many were removed. It works in transactions of bounded size, so that other writers are
// not blocked. After an error, which may be that of ctx, the caller can call PruneLogs again to
// remove the remaining logs. If dryRun is true, PruneLogs only counts the logs. The error is
// NotFound if the project is gone.
func (s *Store) PruneLogs(ctx context.Context, p ProjectID, which LogRange, dryRun bool) (matched, deleted int, err error) {
	prune := pruning[Log, *Log]{
		submissions: logSeries, project: p, which: series.Pruning[*Log]{Before: math.MaxInt64, Filter: column.Filter{Mask: series.Gone}},
		prepare: func(tx *Tx) error { return tx.writeGroupsOf(p) },
		forget: func(tx *Tx, _ ID, w column.Word) error {
			tx.count(p, countLevel(int(w>>levelShift&3)), -1)
			return nil
		},
	}
	if which.Before != nil {
		prune.which.Before = *which.Before
	}
	if which.Level != nil {
		prune.which.Filter = prune.which.Filter.And(3<<levelShift, column.Word(*which.Level)<<levelShift)
	}
	if which.IP != nil {
		prune.which.Matches = func(l *Log) bool { return l.IP != nil && *l.IP == *which.IP }
		prune.erasure = true
	}
	return prune.run(ctx, s, dryRun)
}

// PruneFeedback removes the feedback of a project that was created before the given time,
// in Unix seconds, and returns the number of records removed. It works like PruneLogs.
// Feedback that has become an issue is removed, too, but the issue remains.
func (s *Store) PruneFeedback(ctx context.Context, p ProjectID, before int64) (deleted int, err error) {
	prune := pruning[Feedback, *Feedback]{
		submissions: feedbackSeries, project: p, which: series.Pruning[*Feedback]{Before: before, Filter: column.Filter{Mask: series.Gone}},
		forget: func(tx *Tx, id ID, w column.Word) error { return forgetFeedback(tx, p, id, int(w>>ratingShift&7)) },
	}
	_, deleted, err = prune.run(ctx, s, false)
	return deleted, err
}

// pruning removes selected records of a series.
type pruning[R any, T series.Record[R]] struct {
	submissions submissions[R, T]
	project     ProjectID
	which       series.Pruning[T]
	erasure     bool // the records are removed to erase a client's data, not because of their age
	// prepare, if set, is called before records are removed.
	prepare func(tx *Tx) error
	// forget removes everything that is stored about a record outside of its series.
	forget func(tx *Tx, id ID, w column.Word) error
}

func (p *pruning[R, T]) run(ctx context.Context, s *Store, dryRun bool) (matched, deleted int, err error) {
	for next, more := uint64(0), true; more; {
		if err := ctx.Err(); err != nil {
			return matched, deleted, err
		}
		var found []series.Part
		err := s.View(func(tx *Tx) (err error) {
			list := p.submissions.of(tx, p.project)
			if list.Missing() {
				return notFound("project")
			}
			found, next, more, err = list.Look(p.which, next)
			return err
		})
		if err != nil {
			return matched, deleted, err
		}
		for _, part := range found {
			matched += part.Len()
		}
		if dryRun || len(found) == 0 {
			continue
		}
		removed := 0
		err = s.Update(func(tx *Tx) (err error) {
			removed, err = p.remove(tx, found)
			return err
		})
		if err != nil {
			return matched, deleted, err
		}
		deleted += removed
	}
	if dryRun {
		return matched, 0, nil
	}
	return matched, deleted, p.trimAll(ctx, s)
}

// trimAll removes the columns that no record needs, in as many transactions as necessary.
// If there is nothing to remove, it writes nothing.
func (p *pruning[R, T]) trimAll(ctx context.Context, db *Store) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := db.View(func(tx *Tx) error {
			list, first, err := p.list(tx)
			if more = false; err == nil && !list.Missing() {
				var needless []uint64
				needless, err = list.Needless(first)
				more = len(needless) > 0
			}
			return err
		})
		if err != nil || !more {
			return err
		}
		err = db.Update(func(tx *Tx) error {
			list, first, err := p.list(tx)
			if more = false; err == nil && !list.Missing() {
				more, err = list.Trim(first)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// list returns the list of records, and the record number before which columns can be
// removed. That number can be less than the number of the first record, because feedback
// that is being forwarded has a number but no record yet.
func (p *pruning[R, T]) list(tx *Tx) (list series.List[R, T], first uint64, err error) {
	if list = p.submissions.of(tx, p.project); list.Missing() {
		return list, 0, nil
	}
	first = list.First()
	if p.submissions.kind == KindFeedback {
		first, err = firstReserved(tx, p.project, first)
	}
	return list, first, err
}

// remove removes the records that were found in an earlier transaction, unless they have
// been removed since. It also removes the columns before the first record.
func (p *pruning[R, T]) remove(tx *Tx, found []series.Part) (n int, err error) {
	list := p.submissions.of(tx, p.project)
	if list.Missing() {
		return 0, notFound("project")
	}
	if p.prepare != nil {
		if err := p.prepare(tx); err != nil {
			return 0, err
		}
	}
	for _, part := range found {
		removed, err := list.Remove(part, func(id ID, w column.Word) error { return p.forget(tx, id, w) })
		if err != nil {
			return n, err
		}
		n += removed
	}
	if p.erasure && n > 0 {
		if err := tx.noteErasure(); err != nil {
			return n, err
		}
	}
	_, first, err := p.list(tx)
	if err == nil {
		_, err = list.Trim(first)
	}
	return n, err
}
