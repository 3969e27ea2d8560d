package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/internal/files/storage"
	"svc/store"
)

const (
	// storageTime limits how long a request waits for a storage to remove an object, and
	// refreshTime how long it waits for the CDN to purge a link. If the time is not
	// sufficient, jobs complete the work.
	storageTime = 5 * time.Second
	refreshTime = 30 * time.Second
	// deletionsAtOnce is the maximum number of objects that are removed from a storage
	// between two reads of the queue.
	deletionsAtOnce = 100
	// deletersAtOnce is the number of objects that are removed from a storage concurrently.
	// If the first deletersAtOnce removals all fail, the storage is considered unavailable,
	// and the others are not attempted.
	deletersAtOnce = 4
	// slowDeletion is the duration after which a removal is considered slow. The links of
	// all objects that are due for removal from the same storage are then refreshed
	// immediately, before the objects are removed.
	slowDeletion = 5 * time.Second
	// postponedAtOnce is the maximum number of deletions that one transaction updates.
	postponedAtOnce = 500
)

// storageFailures holds the last error of each storage that failed to remove objects.
type storageFailures struct {
	mu   sync.Mutex
	errs map[string]error // the errors by id of the storage; guarded by mu
}

// note stores the result of the latest removals from a storage. A nil error clears an
// earlier one.
func (f *storageFailures) note(id string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.errs, id)
	if err != nil {
		f.errs[id] = err
	}
}

// all returns the joined errors of all storages, or nil. The job that removes objects is
// reported as failed as long as one storage has an error, even if the others work.
func (f *storageFailures) all() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(f.errs)) {
		err = errors.Join(err, f.errs[id])
	}
	return err
}

// DeletionFailures returns the joined errors of the latest removals that failed, one for
// each storage, or nil.
func (e *Engine) DeletionFailures() error { return e.failures.all() }

// DueDeletions returns the objects that are due for removal, grouped by storage. Storages for which
// skip returns true are left out, and so are objects that a transfer may still be writing. next is
// the longest time that the caller should wait before it calls DueDeletions again.
func (e *Engine) DueDeletions(skip func(backend string) bool) (due map[string][]*store.FileDeletion, next time.Duration, err error) {
	now := e.Now()
	var at int64
	err = e.DB.View(func(tx *store.Tx) (err error) {
		due, at, err = tx.DueFileDeletions(now.Unix(), deletionsAtOnce, skip)
		return err
	})
	for id, list := range due {
		if due[id] = slices.DeleteFunc(list, func(d *store.FileDeletion) bool { return e.transfers.has(d.ID) }); len(due[id]) == 0 {
			delete(due, id)
		}
	}
	next = time.Hour
	if at != 0 {
		next = max(min(next, time.Unix(at, 0).Sub(now)), 0)
	}
	return due, next, err
}

// DeleteAll removes all objects of deleted files, even those that are not due for removal yet.
func (e *Engine) DeleteAll(ctx context.Context) error {
	all, err := store.Read(e.DB, func(tx *store.Tx) ([]*store.FileDeletion, error) { return tx.FileDeletions(math.MaxInt) })
	of := map[string][]*store.FileDeletion{}
	for _, d := range all {
		if !e.transfers.has(d.ID) {
			of[d.Backend] = append(of[d.Backend], d)
		}
	}
	var storages sync.WaitGroup
	for id, list := range of {
		storages.Go(func() {
			var failed error
			for due := range slices.Chunk(list, deletionsAtOnce) {
				failed = errors.Join(failed, fault.Catch(func() error { return e.deleteFrom(ctx, id, due) }))
			}
			e.failures.note(id, failed)
		})
	}
	storages.Wait()
	return errors.Join(err, e.failures.all())
}

// ErrNotRecorded reports that objects were removed but the results could not be stored in
// the database.
var ErrNotRecorded = errors.New("cannot note which objects are removed")

// errHeld reports that content was not removed because a backup that is being written needs it.
var errHeld = errors.New("a backup is being written")

// errRemoved reports that the object no longer exists, because an import needed its key for another
// object and removed it.
var errRemoved = errors.New("the object is removed already")

// heldPause is the time by which a removal is postponed if a backup has prevented it.
const heldPause = time.Minute

// deletionResult is the result of an attempt to remove an object.
type deletionResult struct {
	*store.FileDeletion
	err error
}

// failed reports whether the storage or the disk failed to remove the object.
func (r deletionResult) failed() bool {
	return r.err != nil && !errors.Is(r.err, errHeld) && !errors.Is(r.err, errRemoved)
}

// DeleteObjects removes the given objects from the storage with the given id, and queues the
// refresh of the objects' links in the CDN. If the removal of an object fails, the removal is
// postponed, but the refresh of the link is queued nevertheless. If the storage is unavailable, all
// of its due deletions are postponed.
func (e *Engine) DeleteObjects(ctx context.Context, id string, due []*store.FileDeletion) error {
	err := fault.Catch(func() error { return e.deleteFrom(ctx, id, due) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.failures.note(id, err)
	return err
}

// deleteFrom is like DeleteObjects, but does not record a failure of the storage for
// DeletionFailures.
func (e *Engine) deleteFrom(ctx context.Context, id string, due []*store.FileDeletion) error {
	results := e.deleteEach(ctx, id, due)
	var cause error
	failed, removed := 0, 0
	for _, r := range results {
		switch {
		case r.err == nil:
			removed++
		case r.failed():
			failed, cause = failed+1, r.err
		}
	}
	err := e.DB.Update(func(tx *store.Tx) error { return e.settleDeletions(tx, results) })
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotRecorded, err)
	}
	if cause == nil {
		return nil
	}
	if removed == 0 && failed >= deletersAtOnce {
		err = e.postponeStorage(id, cause)
	}
	return errors.Join(err,
		fmt.Errorf("%d objects on the storage %s could not be removed and will be tried again: %w", failed, e.nameOf(id), cause))
}

// deleteEach removes the given objects, up to deletersAtOnce concurrently. It stops early if ctx
// ends or if the first deletersAtOnce removals have all failed. It returns the results of the
// attempts.
func (e *Engine) deleteEach(ctx context.Context, id string, due []*store.FileDeletion) (results []deletionResult) {
	slow, done := make(chan struct{}, 1), make(chan struct{})
	var mu sync.Mutex // guards results and the variables after it
	next, failed, removed := 0, 0, 0
	take := func() *store.FileDeletion {
		mu.Lock()
		defer mu.Unlock()
		if next == len(due) || ctx.Err() != nil || removed == 0 && failed >= deletersAtOnce {
			return nil
		}
		next++
		return due[next-1]
	}
	var deleters sync.WaitGroup
	for range min(deletersAtOnce, len(due)) {
		deleters.Go(func() {
			for d := take(); d != nil; d = take() {
				timer := time.AfterFunc(slowDeletion, func() {
					select {
					case slow <- struct{}{}:
					default:
					}
				})
				err := fault.Catch(func() error { return e.deleteObject(ctx, d) })
				timer.Stop()
				if ctx.Err() != nil {
					return
				}
				result := deletionResult{d, err}
				mu.Lock()
				results = append(results, result)
				if err == nil {
					removed++
				} else if result.failed() {
					failed++
				}
				mu.Unlock()
			}
		})
	}
	go func() {
		deleters.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return results
		case <-slow:
			if err := e.refreshEarly(id); err != nil {
				e.Log.Error("cannot note links to refresh", "error", err)
			}
		}
	}
}

// settleDeletions records the results of removals in the database.
func (e *Engine) settleDeletions(tx *store.Tx, results []deletionResult) error {
	refresh, err := e.refreshes(tx)
	if err != nil {
		return err
	}
	now := e.Now()
	for _, r := range results {
		d, err := tx.FileDeletion(r.FileDeletion)
		if err != nil {
			return err
		}
		switch {
		case d == nil: // the object was already removed, see errRemoved
		case r.err == nil:
			err = tx.FinishFileDeletion(d, refresh, now.Unix())
		case errors.Is(r.err, errHeld):
			err = errors.Join(tx.RefreshEarly(d, refresh, now.Unix()), tx.HoldFileDeletion(d, now.Add(heldPause).Unix()))
		default:
			err = errors.Join(tx.RefreshEarly(d, refresh, now.Unix()),
				tx.PostponeFileDeletion(d, now.Add(store.RetryPause(d.Attempts)).Unix(), r.err.Error()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// postponeStorage postpones all deletions that are due on an unavailable storage.
func (e *Engine) postponeStorage(id string, cause error) error {
	return e.changeDue(id, func(tx *store.Tx, d *store.FileDeletion) error {
		return tx.PostponeFileDeletion(d, e.Now().Add(store.RetryPause(d.Attempts)).Unix(), cause.Error())
	}, func(*store.FileDeletion) bool { return true })
}

// refreshEarly queues the refresh of the links of all objects that are due for removal
// from a slow storage. It queues each link only once.
func (e *Engine) refreshEarly(id string) error {
	refresh, err := store.Read(e.DB, e.refreshes)
	if err != nil || !refresh {
		return err
	}
	return e.changeDue(id, func(tx *store.Tx, d *store.FileDeletion) error { return tx.PutFileDeletion(d) },
		func(d *store.FileDeletion) bool { return d.Refresh && !d.Early })
}

// changeDue calls change for each due deletion of a storage for which concerns returns true. It
// also queues the refresh of the link of each such deletion, although the object has not been
// removed yet.
func (e *Engine) changeDue(id string, change func(*store.Tx, *store.FileDeletion) error, concerns func(*store.FileDeletion) bool) error {
	now := e.Now()
	all, err := store.Read(e.DB, func(tx *store.Tx) ([]*store.FileDeletion, error) {
		due, _, err := tx.DueFileDeletions(now.Unix(), math.MaxInt, func(backend string) bool { return backend != id })
		return slices.DeleteFunc(due[id], func(d *store.FileDeletion) bool { return !concerns(d) }), err
	})
	for list := range slices.Chunk(all, postponedAtOnce) {
		err = errors.Join(err, e.DB.Update(func(tx *store.Tx) error {
			refresh, err := e.refreshes(tx)
			if err != nil {
				return err
			}
			for _, d := range list {
				if d, err = tx.FileDeletion(d); err == nil && d != nil {
					err = errors.Join(tx.RefreshEarly(d, refresh, now.Unix()), change(tx, d))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return err
}

// deleteObject removes the object and the staged content of a deleted file. It returns errHeld
// while a backup is being written. A backup that begins during the removal waits until the removal
// of this object has ended.
func (e *Engine) deleteObject(ctx context.Context, d *store.FileDeletion) error {
	end, ok := e.BeginRemoval()
	if !ok {
		return errHeld
	}
	defer end()
	due, err := store.Read(e.DB, func(tx *store.Tx) (*store.FileDeletion, error) { return tx.FileDeletion(d) })
	if err == nil && due == nil {
		err = errRemoved
	}
	if err != nil {
		return err
	}
	if err := os.Remove(e.Storages.Local().Staged(string(d.ID))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	backend, err := e.backendOf(d.Backend)
	switch {
	case fault.Is(err, fault.NotFound): // the storage was deleted, so the object stays there
	case err != nil:
		return err
	default:
		if err := backend.Delete(ctx, storage.Object{Key: d.ObjectKey, Size: d.Size, PartSize: d.PartSize}); err != nil {
			return err
		}
	}
	e.Cache.Forget(d.ObjectKey)
	return nil
}

// DeleteRecord replaces the record of a file by the record of a deletion. If the file is ready or
// has failed, the caller must call DeleteNow after the commit. Otherwise a job removes the object
// only after a delay.
func (e *Engine) DeleteRecord(tx *store.Tx, f *store.File) (*store.FileDeletion, error) {
	refresh, err := e.refreshes(tx)
	if err != nil {
		return nil, err
	}
	due := tx.Now()
	if f.Status != store.FilePending {
		due = due.Add(2 * storageTime)
	}
	return tx.DeleteFile(f.Project, f.ID, refresh && f.Status == store.FileReady, due.Unix())
}

// DeleteNow removes the object of a deleted file. It returns the pending refresh of the
// file's link, or nil if there is none. The caller should attempt the refresh. Jobs retry
// the steps that fail.
func (e *Engine) DeleteNow(ctx context.Context, d *store.FileDeletion) (pending *store.CDNRefresh) {
	e.Cache.Forget(d.ObjectKey)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), storageTime)
	defer cancel()
	failed := e.deleteObject(limited, d)
	if failed != nil {
		e.Log.Warn("object of a deleted file stays for now", "file", d.ID, "storage", d.Backend, "error", failed)
	}
	err := e.DB.Update(func(tx *store.Tx) error {
		d, err := tx.FileDeletion(d)
		if err != nil || d == nil {
			return err
		}
		at := tx.Now().Add(refreshTime).Unix() // stored first, in case the process ends before the CDN responds
		if failed == nil {
			err = tx.FinishFileDeletion(d, d.Refresh, at)
		} else {
			err = errors.Join(tx.RefreshEarly(d, d.Refresh, at), tx.PutFileDeletion(d))
		}
		if err == nil {
			pending, err = tx.CDNRefresh(d.ID)
		}
		return err
	})
	if err != nil { // the job repeats all of it
		e.Log.Warn("cannot note the removal of an object", "file", d.ID, "error", err)
	}
	return pending
}

// nameOf returns the name of the storage with the given id, or the id if the storage has been
// deleted.
func (e *Engine) nameOf(id string) string {
	b, err := store.Read(e.DB, func(tx *store.Tx) (*store.StorageBackend, error) { return tx.StorageBackend(id) })
	if err != nil {
		return id
	}
	return b.Name
}
