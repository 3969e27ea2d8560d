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

// progressEvery is how often the log says how far a build has come.
const progressEvery = 10 * time.Second

var errClosed = errors.New("the search index is being closed")

// Rebuild makes the index anew beside the one there is, which answers
// meanwhile, and puts it in its place. progress, which may be nil, is called
// now and then with the number of things that have been read; they are
// versions, announcements, projects, and blocks of feedback or logs. While the
// index is being built already, the error is a Conflict.
func (x *Index) Rebuild(ctx context.Context, progress func(things int)) error {
	if !x.building.TryLock() {
		return fault.New(fault.Conflict, "the search index is being built already")
	}
	defer x.building.Unlock()
	if progress == nil {
		progress = func(int) {}
	}
	return x.rebuild(ctx, progress)
}

// build makes the index when there is none.
func (x *Index) build(ctx context.Context) error {
	x.building.Lock()
	defer x.building.Unlock()
	if x.current.Load() != nil {
		return nil // somebody else was faster
	}
	return x.rebuild(ctx, func(int) {})
}

// rebuild makes an index, with progress in the log. The caller holds building.
func (x *Index) rebuild(ctx context.Context, progress func(things int)) error {
	begin, last := time.Now(), time.Now()
	x.log.Info("search index is being built", "old_one_answers", x.current.Load() != nil)
	things := 0
	err := x.renew(ctx, func(n int) {
		if things = n; time.Since(last) >= progressEvery {
			last = time.Now()
			x.log.Info("search index is being built", "things", n)
		}
		progress(n)
	})
	if err == nil {
		x.log.Info("search index is complete", "things", things, "seconds", time.Since(begin).Seconds())
	}
	return err
}

// renew makes an index in a folder of its own and then exchanges it.
func (x *Index) renew(ctx context.Context, progress func(things int)) (err error) {
	path := x.path + newSuffix
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("build search index: %w", err)
	}
	// The position comes first: what changes while the records are read is
	// seen again afterwards.
	first := newStamp(x.db, x.db.LastChange())
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
		if more, err = e.follow(x.db); err != nil {
			return err
		}
	}
	return x.exchange(e)
}

// ended says why a build must stop, nil as long as it need not.
func (x *Index) ended(ctx context.Context) error {
	if x.life.Err() != nil {
		return errClosed
	}
	return ctx.Err()
}

// fill reads everything, each page in a transaction of its own: one for all
// would keep every page of the data file that is replaced meanwhile.
func (x *Index) fill(ctx context.Context, e *engine, first stamp, progress func(things int)) error {
	const limit = 500
	things, after := 0, ""
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
		things += n
		progress(things)
	}
}

// exchange puts an index that is complete in the place of the one there is.
// Both are closed for a moment, because not every system renames folders that
// are in use; whoever searches then looks everywhere.
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
		x.log.Warn("old search index cannot be closed", "error", err)
	}
	defer func() {
		if err != nil {
			x.rouse() // the old one is gone
		}
	}()
	old := x.path + oldSuffix
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove old search index: %w", err)
	}
	if err := os.Rename(x.path, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("put old search index away: %w", err)
	}
	if err := os.Rename(e.path, x.path); err != nil {
		return fmt.Errorf("put search index in place: %w", err)
	}
	opened, _, err := openEngine(x.life, x.path)
	if err != nil {
		return err
	}
	x.use(opened)
	if err := os.RemoveAll(old); err != nil {
		x.log.Warn("old search index cannot be removed", "error", err)
	}
	return nil
}
