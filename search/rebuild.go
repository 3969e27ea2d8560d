package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"svc/internal/fault"
	"svc/store"
)

// progressEvery is the interval at which the progress of a build is logged.
const progressEvery = 10 * time.Second

var errClosed = errors.New("the search index is being closed")

// Rebuild builds a new index and then replaces the old one with it. The old one serves
// searches during the build. progress, which may be nil, is called periodically with the
// number of records that have been read. A project, a version, an announcement, and a
// block of feedback or logs count as one record each. The error is Conflict if another
// rebuild is in progress.
func (x *Index) Rebuild(ctx context.Context, progress func(records int)) error {
	if !x.building.TryLock() {
		return fault.New(fault.Conflict, "the search index is already being rebuilt")
	}
	defer x.building.Unlock()
	if progress == nil {
		progress = func(int) {}
	}
	return x.rebuild(ctx, progress)
}

// build builds the index unless there already is one in use.
func (x *Index) build(ctx context.Context) error {
	x.building.Lock()
	defer x.building.Unlock()
	if x.current.Load() != nil {
		return nil // another build has finished in the meantime
	}
	return x.rebuild(ctx, func(int) {})
}

// rebuild builds an index and logs the progress. The caller must hold x.building.
func (x *Index) rebuild(ctx context.Context, progress func(records int)) error {
	begin, last := time.Now(), time.Now()
	x.log.Info("rebuilding search index", "old_index_in_use", x.current.Load() != nil)
	records := 0
	err := x.renew(ctx, func(n int) {
		if records = n; time.Since(last) >= progressEvery {
			last = time.Now()
			x.log.Info("rebuilding search index", "records", n)
		}
		progress(n)
	})
	if err == nil {
		x.log.Info("search index rebuilt", "records", records, "seconds", time.Since(begin).Seconds())
	}
	return err
}

// renew builds an index in a separate directory and then replaces the old one with it.
// Close cancels a renew that is in progress and waits for it to end. A renew that starts
// after Close fails without touching any directory, because the index may already have
// been opened again.
func (x *Index) renew(ctx context.Context, progress func(records int)) (err error) {
	if err := x.ended(ctx); err != nil {
		return err
	}
	path := x.path + newSuffix
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("build search index: %w", err)
	}
	// Take the position before reading, so that records that change during the build are
	// processed again afterwards.
	first := newCheckpoint(x.db, x.db.LastChange())
	e, err := makeEngine(path, first)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close(), os.RemoveAll(path)) }()
	e.observed = &x.observed
	if err := x.fill(ctx, e, first, progress); err != nil {
		return err
	}
	for more := true; more; {
		if err := x.ended(ctx); err != nil {
			return err
		}
		if more, err = e.processFeed(x.db); err != nil {
			return err
		}
	}
	return x.exchange(e)
}

// ended returns the reason why a rebuild must stop, or nil if it may continue.
func (x *Index) ended(ctx context.Context) error {
	if x.life.Err() != nil {
		return errClosed
	}
	return ctx.Err()
}

// fill adds all records to the new index. It reads each page of records in its own
// transaction, because during a single long transaction the data file could not reuse any
// freed page.
func (x *Index) fill(ctx context.Context, e *engine, first checkpoint, progress func(records int)) error {
	const limit = 500
	records, after := 0, ""
	for {
		if err := x.ended(ctx); err != nil {
			return err
		}
		var p page
		var n int
		err := x.db.View(func(tx *store.Tx) error {
			list, err := tx.Searchable(after, limit)
			if err != nil {
				return err
			}
			for _, c := range list {
				if p.full() {
					break
				}
				if _, err := p.add(tx, c); err != nil {
					return err
				}
				after = c.Ref()
				n++
			}
			return nil
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		if err := e.write(p, first); err != nil {
			return err
		}
		records += n
		progress(records)
	}
}

// exchange replaces the index with the complete index of e. It briefly closes both,
// because some systems cannot rename directories that are in use. While they are closed,
// searches scan all records.
func (x *Index) exchange(e *engine) (err error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	if x.closed {
		return errClosed
	}
	if err := e.close(); err != nil {
		return fmt.Errorf("complete search index: %w", err)
	}
	if err := x.drop(); err != nil {
		x.log.Warn("cannot close old search index", "error", err)
	}
	defer func() {
		if err != nil {
			x.wake() // the old index no longer exists
		}
	}()
	old := x.path + oldSuffix
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove old search index: %w", err)
	}
	if err := os.Rename(x.path, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("move old search index: %w", err)
	}
	if err := os.Rename(e.path, x.path); err != nil {
		return fmt.Errorf("install search index: %w", err)
	}
	opened, _, err := openEngine(x.life, x.path)
	if err != nil {
		return err
	}
	x.use(opened)
	if err := os.RemoveAll(old); err != nil {
		x.log.Warn("cannot remove old search index", "error", err)
	}
	return nil
}
