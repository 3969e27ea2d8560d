package engine

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/storage"
	"svc/store"
)

const (
	// transfersAtOnce is the maximum number of files that are transferred to their storage at the
	// same time.
	transfersAtOnce = 2
	// stagedAge is the time for which the content of a failed file is kept, so that it can
	// be retried.
	stagedAge = 7 * 24 * time.Hour
	// RetryWhenDiskFull is the pause after the result of a transfer or of removals could not
	// be recorded, for example because the disk is full. During the pause, the transfer
	// keeps its slot, and no objects are removed from the storage.
	RetryWhenDiskFull = time.Minute
)

// transfers holds the files that are being transferred to their storage.
type transfers struct {
	ended chan struct{} // receives a value when a transfer ends

	mu     sync.Mutex
	active map[store.FileID]context.CancelFunc // the transfers in progress by file; guarded by mu
}

// begin registers a transfer of a file. cancel must end the transfer early.
func (t *transfers) begin(id store.FileID, cancel context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active[id] = cancel
}

func (t *transfers) end(id store.FileID) {
	t.mu.Lock()
	delete(t.active, id)
	t.mu.Unlock()
	select {
	case t.ended <- struct{}{}:
	default:
	}
}

func (t *transfers) has(id store.FileID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.active[id] != nil
}

// running returns a copy of the map of transfers in progress.
func (t *transfers) running() map[store.FileID]context.CancelFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.active)
}

// BeginTransfers registers the transfers that can begin now and returns a function for
// each, which performs the transfer. The caller must call each function once; it ends
// early if ctx ends. next is the longest time that the caller should wait before it calls
// BeginTransfers again.
func (e *Engine) BeginTransfers(ctx context.Context) (work []func(), next time.Duration, err error) {
	due, next, err := e.dueTransfers()
	for _, f := range due {
		transferring, cancel := context.WithCancel(ctx)
		e.transfers.begin(f.ID, cancel)
		work = append(work, func() {
			defer cancel()
			defer e.transfers.end(f.ID)
			e.transferOne(transferring, f)
		})
	}
	return work, next, err
}

// TransferEnded returns a channel that receives a value when a transfer has ended.
func (e *Engine) TransferEnded() <-chan struct{} { return e.transfers.ended }

// CancelDeleted cancels the transfers of files that have been deleted, either individually or with
// their project.
func (e *Engine) CancelDeleted() error {
	running := e.transfers.running()
	if len(running) == 0 {
		return nil
	}
	return e.DB.View(func(tx *store.Tx) error {
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

// dueTransfers returns the pending files for which a transfer can begin now. next is the
// longest time that the caller should wait before it calls dueTransfers again.
func (e *Engine) dueTransfers() (due []*store.File, next time.Duration, err error) {
	// Read this before the records. If a transfer ended between the two reads, the older
	// record would still show the file as due, and the transfer would begin a second time.
	running := e.transfers.running()
	free := transfersAtOnce - len(running)
	if free == 0 {
		return nil, time.Hour, nil // all slots are in use, and the end of a transfer wakes the caller
	}
	next = time.Hour
	err = e.DB.View(func(tx *store.Tx) error {
		list, err := tx.PendingFiles(2 * transfersAtOnce)
		for _, f := range list {
			switch left := time.Unix(f.RetryAt, 0).Sub(e.Now()); {
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

// transferOne transfers a pending file to its storage and records the result.
func (e *Engine) transferOne(ctx context.Context, f *store.File) {
	err := fault.Catch(func() error { return e.transfer(ctx, f) })
	if err == nil || ctx.Err() != nil { // if ctx ended the transfer, the file is still pending or was deleted
		return
	}
	err = e.DB.Update(func(tx *store.Tx) error { return e.failTransfer(tx, f, err) })
	if err != nil && !fault.Is(err, fault.NotFound) {
		e.Log.Error("cannot note that a transfer failed", "file", f.ID, "error", err)
		select { // the file is still due, and its transfer would begin again immediately
		case <-ctx.Done():
		case <-time.After(RetryWhenDiskFull):
		}
	}
}

// failTransfer records that an attempt has failed, and schedules the next one. If no
// attempts remain, or if another one would fail in the same way, it marks the file as
// failed.
func (e *Engine) failTransfer(tx *store.Tx, f *store.File, cause error) error {
	f, err := tx.File(f.Project, f.ID)
	if err != nil {
		return err
	}
	f.Error = cause.Error()
	if permanent := (permanentError{}); errors.As(cause, &permanent) || f.Attempts >= len(e.Pauses) {
		f.Status = store.FileFailed
	} else {
		f.RetryAt = tx.Now().Add(e.Pauses[f.Attempts]).Unix()
		f.Attempts++
	}
	return tx.PutFile(f.Project, f)
}

// permanentError is a failure that would recur if the transfer were retried.
type permanentError struct{ error }

// Unwrap returns the failure.
func (e permanentError) Unwrap() error { return e.error }

// transfer moves or copies the staged content of a file to its storage and marks the file
// as ready. If the file is an attachment that has not been downloaded yet, it downloads
// the attachment first. A process that was killed may already have done any of these
// steps.
func (e *Engine) transfer(ctx context.Context, f *store.File) error {
	// Read the record again: deletions wait for this transfer only from now on, so an
	// earlier deletion may have removed the record and the object.
	_, err := store.Read(e.DB, func(tx *store.Tx) (*store.File, error) { return tx.File(f.Project, f.ID) })
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	backend, err := e.backendOf(f.Backend)
	if err != nil {
		return err
	}
	staged := e.Storages.Local().Staged(string(f.ID))
	if f.Source == store.FileMirrored && f.SHA256 == "" {
		if err := e.fetch(ctx, f, staged); err != nil {
			return err
		}
	}
	object, err := backend.Put(ctx, f.ObjectKey, staged, f.Size)
	if err != nil && isGone(staged) && f.Source == store.FileMirrored { // the content was removed after an earlier failure
		if err := e.fetch(ctx, f, staged); err != nil {
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
	err = e.DB.Update(func(tx *store.Tx) error { return e.finish(tx, f, object) })
	if fault.Is(err, fault.NotFound) { // the file has been deleted in the meantime
		err = backend.Delete(ctx, object)
	}
	if err != nil {
		return err
	}
	end, ok := e.BeginRemoval()
	if !ok {
		return nil // the clean-up removes the content after the backup
	}
	defer end()
	if err := os.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.Log.Warn("cannot remove the staged content of a stored file", "file", f.ID, "error", err)
	}
	return nil
}

// isGone reports whether the file with the given name does not exist. The error of a
// storage does not show whether the staged content is missing, because it also wraps
// fs.ErrNotExist if a server responds with status 404.
func isGone(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// finish marks a file as ready. If the file is an attachment, it also changes the links
// that lead to the original address so that they lead to the file.
func (e *Engine) finish(tx *store.Tx, f *store.File, object storage.Object) error {
	f, err := tx.File(f.Project, f.ID)
	if err != nil {
		return err
	}
	f.Status, f.PartSize, f.Error = store.FileReady, object.PartSize, ""
	if err := tx.PutFile(f.Project, f); err != nil {
		return err
	}
	if f.SourceURL == "" || e.BaseURL == "" {
		return nil
	}
	_, err = tx.ReplaceLinks(f.Project, f.SourceURL, e.BaseURL+files.EscapePath(f.ObjectKey))
	return err
}
