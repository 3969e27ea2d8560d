package jobs

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"svc/internal/files/engine"
)

// keepFiles runs transfers, deletions and refreshes of files when they are due, and the other jobs
// of files every hour.
func (j *Jobs) keepFiles(ctx context.Context) {
	// Each channel receives a value when there may be new work that is due.
	deletions, refreshes := make(chan struct{}, 1), make(chan struct{}, 1)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { j.keepCleaningFiles(ctx) })
	running.Go(func() { j.keepReadingFiles(ctx) })
	running.Go(func() { j.keepVerifying(ctx) })
	running.Go(func() { j.keepDeleting(ctx, deletions) })
	running.Go(func() { j.keepRefreshing(ctx, refreshes) })
	for {
		work, next, err := j.Files.BeginTransfers(ctx)
		if err != nil {
			j.Log.Error("cannot read which files are pending; retrying", "error", err)
		}
		for _, transfer := range work {
			running.Go(transfer)
		}
		if wait(ctx, next, j.DB.FilesWaiting(), j.Files.TransferEnded()) != nil {
			return
		}
		if err := j.Files.CancelDeleted(); err != nil {
			j.Log.Error("cannot read which files are deleted", "error", err)
		}
		signal(deletions)
		signal(refreshes)
	}
}

// signal sends a value to a channel with a buffer of one. It does nothing if the buffer is full.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait returns when one of the two channels has a value or the given duration has passed.
// If ctx ends first, it returns the error of ctx.
func wait(ctx context.Context, d time.Duration, one, other <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-one:
	case <-other:
	}
	return ctx.Err()
}

// keepCleaningFiles cleans up the files at the start and then every hour.
func (j *Jobs) keepCleaningFiles(ctx context.Context) {
	for {
		err := j.do(ctx, j.fileCleanup, func(ctx context.Context) error {
			if err := j.clock.check(j.Now()); err != nil {
				return err
			}
			return j.Files.CleanUp(ctx)
		})
		if err != nil && ctx.Err() == nil {
			j.Log.Error("left-overs of uploads not removed; retrying later", "error", err)
		}
		if pause(ctx, time.Hour) != nil {
			return
		}
	}
}

// keepReadingFiles reads, at the start, the contents of files that an earlier version stored
// without checksums or facts. Usually there are no such files. Every hour it repeats what has
// failed.
func (j *Jobs) keepReadingFiles(ctx context.Context) {
	for {
		err := j.do(ctx, j.fileContents, j.Files.ReadContents)
		if err != nil && ctx.Err() == nil {
			j.Log.Error("contents of files not read; retrying later", "error", err)
		}
		if pause(ctx, time.Hour) != nil {
			return
		}
	}
}

// keepVerifying verifies signatures at the start, and then whenever there may be new ones. One hour
// after a failure, it tries again to verify all signatures that are not verified yet.
func (j *Jobs) keepVerifying(ctx context.Context) {
	work, next := j.Files.VerifyAll, time.Duration(math.MaxInt64)
	for {
		if err := j.do(ctx, j.signatures, work); err != nil && ctx.Err() == nil {
			j.Log.Error("signatures not verified; retrying later", "error", err)
			next = time.Hour
		}
		if wait(ctx, next, j.DB.SignaturesWaiting(), nil) != nil {
			return
		}
		projects := j.DB.TakeUnverified()
		work = func(ctx context.Context) error { return j.Files.Verify(ctx, projects) }
		if len(projects) == 0 { // an hour has passed since a failure
			work, next = j.Files.VerifyAll, math.MaxInt64
		}
	}
}

// keepDeleting removes the objects of deleted files when the removals are due. It processes each
// storage independently, so that a hanging storage does not delay removals from other storages.
func (j *Jobs) keepDeleting(ctx context.Context, more <-chan struct{}) {
	var busy sync.Map // ids of the storages from which objects are being removed at present
	isBusy := func(id string) bool {
		_, ok := busy.Load(id)
		return ok
	}
	ended := make(chan struct{}, 1)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		due, next, err := j.Files.DueDeletions(isBusy)
		if err != nil {
			j.Log.Error("cannot read which objects are to be removed; retrying", "error", err)
			next = time.Minute
		}
		for id, list := range due {
			busy.Store(id, true)
			running.Go(func() {
				var failed error // the failure of this storage, while the job reports the failures of all storages
				_ = j.run(ctx, j.deletions, func(ctx context.Context) error {
					failed = j.Files.DeleteObjects(ctx, id, list)
					return cmp.Or(ctx.Err(), j.Files.DeletionFailures(), failed)
				})
				if failed != nil && ctx.Err() == nil {
					j.Log.Error("objects of deleted files not removed; retrying", "error", failed)
				}
				if errors.Is(failed, engine.ErrNotRecorded) {
					_ = pause(ctx, engine.RetryWhenDiskFull) // the removals would begin again immediately
				}
				busy.Delete(id)
				signal(ended)
			})
		}
		if wait(ctx, next, more, ended) != nil {
			return
		}
	}
}

// keepRefreshing refreshes links in the CDN when they are due.
func (j *Jobs) keepRefreshing(ctx context.Context, more <-chan struct{}) {
	for {
		due, next, err := j.Files.DueRefreshes(j.Now())
		if err == nil && len(due) > 0 {
			err = j.do(ctx, j.cdnRefreshes, func(ctx context.Context) error { return j.Files.RefreshLinks(ctx, due) })
			next = 0 // more refreshes may have become due in the meantime
		}
		if err != nil {
			if ctx.Err() == nil {
				j.Log.Warn("links not refreshed in the CDN; retrying", "error", err)
			}
			next = time.Minute
		}
		if wait(ctx, next, more, nil) != nil {
			return
		}
	}
}
