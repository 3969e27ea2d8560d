package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/instance"
	"svc/store"
)

// Files is what the jobs of files work with.
type Files struct {
	*instance.Files
	// Fetch gets attachments: a client of profile outbound.Data that ends what
	// stands still.
	Fetch *http.Client

	BaseURL string // what direct links begin with; "" = no links are replaced
	MaxSize int64  // bytes of the largest attachment
	// FetchTime is how long the download of an attachment may take. 0 = 30 minutes.
	FetchTime time.Duration
	// Pauses are those before the second and each later try of a transfer, in whole
	// seconds. When they are used up, the file has failed, and somebody has to ask for
	// another try. nil = 1, 4 and 15 seconds.
	Pauses []time.Duration
}

const (
	// transfersAtOnce is how many files are brought to their storage at a time.
	transfersAtOnce = 2
	// orphanAge is how old an object without a record is before it goes. A session
	// lives a day, and until then its completion may be repeated; it wrote its
	// content before it ended.
	orphanAge = upload.Life + time.Hour
	// stagedAge is how long the content of a file that failed is kept for a retry.
	stagedAge = 7 * 24 * time.Hour
	// unnotedPause is how long a transfer or a storage keeps its place when the end of its
	// work could not be noted, which is when the disk is full.
	unnotedPause = time.Minute
)

// transfers are the files that are being brought to their storage.
type transfers struct {
	ended chan struct{} // has a value when one has ended since

	mu     sync.Mutex
	active map[store.FileID]context.CancelFunc // guarded by mu
}

func newTransfers() *transfers {
	return &transfers{ended: make(chan struct{}, 1), active: map[store.FileID]context.CancelFunc{}}
}

// begin notes a transfer, which cancel ends early.
func (t *transfers) begin(id store.FileID, cancel context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active[id] = cancel
}

func (t *transfers) end(id store.FileID) {
	t.mu.Lock()
	delete(t.active, id)
	t.mu.Unlock()
	signal(t.ended)
}

func (t *transfers) has(id store.FileID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.active[id] != nil
}

// running is a copy of what is active.
func (t *transfers) running() map[store.FileID]context.CancelFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.active)
}

// keepFiles runs transfers, deletions and refreshes when there are any, and the clean-up
// every hour.
func (j *Jobs) keepFiles(ctx context.Context) {
	// There may be deletions and refreshes that can begin.
	deletions, refreshes := make(chan struct{}, 1), make(chan struct{}, 1)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { j.keepCleaningFiles(ctx) })
	running.Go(func() { j.keepDeleting(ctx, deletions) })
	running.Go(func() { j.keepRefreshing(ctx, refreshes) })
	for {
		due, next, err := j.dueTransfers()
		if err != nil {
			j.Log.Error("cannot read which files are pending; retrying", "error", err)
		}
		for _, f := range due {
			transferring, cancel := context.WithCancel(ctx)
			j.transfers.begin(f.ID, cancel)
			running.Go(func() {
				defer cancel()
				defer j.transfers.end(f.ID)
				j.transferOne(transferring, f)
			})
		}
		if wait(ctx, next, j.DB.FilesWaiting(), j.transfers.ended) != nil {
			return
		}
		if err := j.cancelDeleted(); err != nil {
			j.Log.Error("cannot read which files are deleted", "error", err)
		}
		signal(deletions)
		signal(refreshes)
	}
}

// cancelDeleted ends the transfers of files that have been deleted, with or without their
// project.
func (j *Jobs) cancelDeleted() error {
	running := j.transfers.running()
	if len(running) == 0 {
		return nil
	}
	return j.DB.View(func(tx *store.Tx) error {
		for id, cancel := range running {
			f, err := tx.FileByID(id)
			if err == nil {
				_, err = tx.File(f.Project, id)
			}
			if fault.Is(err, fault.NotFound) {
				cancel()
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// signal gives a channel of one place a value, unless it has one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait waits for one of two channels, but not longer than d and not beyond the end of
// ctx, which it reports.
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

// dueTransfers lists the pending files to begin with now, and says when to ask again
// at the latest.
func (j *Jobs) dueTransfers() (due []*store.File, next time.Duration, err error) {
	// Asked before the records are read: of a transfer that ends in between they still
	// say that it is due, and it would begin once more.
	running := j.transfers.running()
	free := transfersAtOnce - len(running)
	if free == 0 {
		return nil, time.Hour, nil // the end of one is another moment to ask
	}
	next = time.Hour
	err = j.DB.View(func(tx *store.Tx) error {
		list, err := tx.PendingFiles(2 * transfersAtOnce)
		for _, f := range list {
			switch left := time.Unix(f.RetryAt, 0).Sub(j.Now()); {
			case running[f.ID] != nil:
			case left > 0:
				next = min(next, left)
			case len(due) < free:
				due = append(due, f)
			}
		}
		return err
	})
	if err != nil {
		next = time.Minute
	}
	return due, next, err
}

// transferOne brings a pending file to its storage, and notes how that ended.
func (j *Jobs) transferOne(ctx context.Context, f *store.File) {
	err := recovering(ctx, func(ctx context.Context) error { return j.transfer(ctx, f) })
	if err == nil || ctx.Err() != nil { // a stopped one is pending, and goes on after the next start, or deleted
		return
	}
	err = j.DB.Update(func(tx *store.Tx) error { return j.failTransfer(tx, f, err) })
	if err != nil && !fault.Is(err, fault.NotFound) {
		j.Log.Error("cannot note that a transfer failed", "file", f.ID, "error", err)
		_ = pause(ctx, unnotedPause) // it is still due, and would begin again at once
	}
}

// failTransfer notes a failure: the file is tried again later, or has failed.
func (j *Jobs) failTransfer(tx *store.Tx, f *store.File, cause error) error {
	f, err := tx.File(f.Project, f.ID)
	if err != nil {
		return err
	}
	f.Error = cause.Error()
	if permanent := (permanentError{}); errors.As(cause, &permanent) || f.Attempts >= len(j.Files.Pauses) {
		f.Status = store.FileFailed
	} else {
		f.RetryAt = tx.Now().Add(j.Files.Pauses[f.Attempts]).Unix()
		f.Attempts++
	}
	return tx.PutFile(f.Project, f)
}

// permanentError is a failure that another try would not change.
type permanentError struct{ error }

// Unwrap returns the failure.
func (e permanentError) Unwrap() error { return e.error }

// transfer stores the staged content of a file in its storage and makes the file
// ready. An attachment is fetched first. Every step may have been done by a process
// that was killed.
func (j *Jobs) transfer(ctx context.Context, f *store.File) error {
	// Looked at again, now that deletions wait for the transfer: whoever deleted the file
	// before may have removed its object already.
	_, err := store.Read(j.DB, func(tx *store.Tx) (*store.File, error) { return tx.File(f.Project, f.ID) })
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	backend, err := j.backendOf(f.Backend)
	if err != nil {
		return err
	}
	staged := j.Files.Storages.Local().Staged(string(f.ID))
	if f.Source == store.FileMirrored && f.SHA256 == "" {
		if err := j.fetch(ctx, f, staged); err != nil {
			return err
		}
	}
	object, err := backend.Put(ctx, f.ObjectKey, staged, f.Size)
	if err != nil && isGone(staged) && f.Source == store.FileMirrored { // kept too long after a failure
		if err := j.fetch(ctx, f, staged); err != nil {
			return err
		}
		object, err = backend.Put(ctx, f.ObjectKey, staged, f.Size)
	}
	switch {
	case err != nil && isGone(staged):
		return permanentError{errors.New("the uploaded content is no longer kept")}
	case err != nil:
		return err
	}
	err = j.DB.Update(func(tx *store.Tx) error { return j.finish(tx, f, object) })
	if fault.Is(err, fault.NotFound) { // deleted meanwhile
		err = backend.Delete(ctx, object)
	}
	if err != nil {
		return err
	}
	end, ok := j.Files.BeginRemoval()
	if !ok {
		return nil // the clean-up removes it after the backup
	}
	defer end()
	if err := os.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.Log.Warn("cannot remove the staged content of a stored file", "file", f.ID, "error", err)
	}
	return nil
}

// isGone reports whether there is no such file. The error of a storage does not say
// that of the staged content: one that answers 404 has an fs.ErrNotExist too.
func isGone(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// finish makes a file ready, and lets versions that link to the address of an
// attachment link to the file.
func (j *Jobs) finish(tx *store.Tx, f *store.File, object storage.Object) error {
	f, err := tx.File(f.Project, f.ID)
	if err != nil {
		return err
	}
	f.Status, f.PartSize, f.Error = store.FileReady, object.PartSize, ""
	if err := tx.PutFile(f.Project, f); err != nil {
		return err
	}
	if f.SourceURL == "" || j.Files.BaseURL == "" {
		return nil
	}
	_, err = tx.ReplaceLinks(f.Project, f.SourceURL, j.Files.BaseURL+files.EscapePath(f.ObjectKey))
	return err
}

// backendOf opens a storage by its id.
func (j *Jobs) backendOf(id string) (storage.Backend, error) {
	b, err := store.Read(j.DB, func(tx *store.Tx) (*store.StorageBackend, error) { return tx.StorageBackend(id) })
	if err != nil {
		return nil, err
	}
	return j.Files.Open(b)
}

// keepCleaningFiles cleans up at the start and every hour.
func (j *Jobs) keepCleaningFiles(ctx context.Context) {
	for {
		err := j.do(ctx, j.fileCleanup, func(ctx context.Context) error {
			if err := j.clock.check(j.Now()); err != nil {
				return err
			}
			return j.cleanFiles(ctx)
		})
		if err != nil && ctx.Err() == nil {
			j.Log.Error("left-overs of uploads not removed; retrying later", "error", err)
		}
		if pause(ctx, time.Hour) != nil {
			return
		}
	}
}

// cleanFiles removes expired uploads, unneeded staged contents, unfinished uploads to
// storages and unused slices, and sweeps the local storage.
func (j *Jobs) cleanFiles(ctx context.Context) error {
	return errors.Join(j.Files.Uploads.Sweep(), j.cleanStaged(), j.sweepLocal(ctx), j.sweepStorages(ctx), j.Files.Cache.Sweep())
}

// purgeUploads drops the uploads to projects that no longer exist.
func (j *Jobs) purgeUploads() (err error) {
	if j.Files == nil {
		return nil
	}
	for _, p := range j.Files.Uploads.Projects() {
		if _, alive := j.DB.ProjectByID(store.ProjectID(p)); !alive {
			err = errors.Join(err, j.Files.Uploads.DropProject(p))
		}
	}
	return err
}

// unlessHeld removes something, and leaves it to the next clean-up while a backup is
// written.
func (j *Jobs) unlessHeld(remove func() error) error {
	end, ok := j.Files.BeginRemoval()
	if !ok {
		return nil
	}
	defer end()
	return remove()
}

// sweepStorages removes what interrupted uploads left on the storages.
func (j *Jobs) sweepStorages(ctx context.Context) error {
	list, err := store.Read(j.DB, (*store.Tx).StorageBackends)
	for _, b := range list {
		backend, cause := j.Files.Open(b)
		if cause == nil {
			cause = backend.Sweep(ctx, j.Now().Add(-orphanAge))
		}
		if cause != nil {
			err = errors.Join(err, fmt.Errorf("storage %s: %w", b.Name, cause))
		}
	}
	return err
}
