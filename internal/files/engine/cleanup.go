package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/upload"
	"svc/store"
)

const (
	// orphanAge is the age at which an object without a record is removed. It exceeds the lifetime
	// of an upload session, because a client can retry the completion during that time.
	orphanAge = upload.Life + time.Hour
	// mostUnknown is the maximum number of local objects without a record that one sweep
	// moves. They must also make up at most a tenth of all objects. If there are more, the
	// database probably does not belong to this storage directory.
	mostUnknown = 20
	// lostAge is how long content without a record is kept in the directory "lost".
	lostAge = 30 * 24 * time.Hour
)

// sweepLocal moves local objects and staged contents that have no record to the directory
// lost, where they are kept for lostAge. It does nothing for a day after records have
// been restored or imported, because objects may then belong to records that are missing.
// If too many objects have no record, it moves nothing and returns an error.
func (e *Engine) sweepLocal(ctx context.Context) error {
	after, err := store.Read(e.DB, func(tx *store.Tx) (time.Time, error) { return tx.SweepAfter(), nil })
	if err != nil || e.Now().Before(after) {
		return err
	}
	unknown, err := e.unknownObjects(ctx)
	if err != nil {
		return err
	}
	local := e.Storages.Local()
	for _, name := range unknown {
		err = errors.Join(err, e.unlessHeld(func() error {
			e.Log.Warn("an object has no record: it is kept in the folder lost for 30 days", "object", name)
			return local.Lose(name, e.Now())
		}))
	}
	return errors.Join(err, e.sweepStaged(), local.RemoveLost(e.Now().Add(-lostAge)))
}

// unknownObjects returns the names of local objects that are older than orphanAge and have no
// record. It returns an error if there are too many.
func (e *Engine) unknownObjects(ctx context.Context) (names []string, err error) {
	total, found := 0, 0
	err = e.Storages.Local().Walk(func(name string, info fs.FileInfo) error {
		total++
		if e.Now().Sub(info.ModTime()) < orphanAge {
			return ctx.Err()
		}
		key, err := store.Read(e.DB, func(tx *store.Tx) (string, error) { return tx.ObjectKey(store.FileID(path.Base(path.Dir(name)))) })
		// on a disk that ignores case, the case of the project's directory may differ from the
		// key
		if err != nil || key != "" && strings.EqualFold(files.DiskPath(key), name) {
			return errors.Join(err, ctx.Err())
		}
		if found++; found <= mostUnknown {
			names = append(names, name)
		}
		return ctx.Err()
	})
	if err == nil && (found > mostUnknown || 10*found > total) {
		return nil, fmt.Errorf("%d of %d objects in %s have no record, which is more than %d or a tenth of them: nothing was moved; "+
			"restore the database that they belong to, or move them away: svc check lists them", found, total, e.Dir, mostUnknown)
	}
	return names, err
}

// sweepStaged moves old contents in the staging directory that have no record to the directory
// lost.
func (e *Engine) sweepStaged() error {
	return e.eachStaged(func(id string, age time.Duration, f *store.File) error {
		if f != nil || age < orphanAge {
			return nil
		}
		return e.Storages.Local().LoseStaged(id, e.Now())
	})
}

// cleanStaged removes the staged contents of ready files, and of files that failed at least a week
// ago.
func (e *Engine) cleanStaged() error {
	return e.eachStaged(func(id string, age time.Duration, f *store.File) error {
		if f == nil || f.Status == store.FilePending || f.Status == store.FileFailed && age < stagedAge {
			return nil
		}
		err := os.Remove(e.Storages.Local().Staged(id))
		if errors.Is(err, fs.ErrNotExist) { // a transfer may have removed it in the meantime
			return nil
		}
		return err
	})
}

// eachStaged calls visit for each content in the staging directory, with the record of its file, or
// with nil if there is none. It skips all contents while a backup is being written. It continues if
// visit returns an error, for example because a file is open on Windows.
func (e *Engine) eachStaged(visit func(id string, age time.Duration, f *store.File) error) error {
	var failed error
	err := e.Storages.Local().WalkStaged(func(id string, info fs.FileInfo) error {
		f, err := store.Read(e.DB, func(tx *store.Tx) (*store.File, error) { return tx.FileByID(store.FileID(id)) })
		if fault.Is(err, fault.NotFound) {
			f, err = nil, nil
		}
		if err != nil {
			return err
		}
		failed = cmp.Or(failed, e.unlessHeld(func() error { return visit(id, e.Now().Sub(info.ModTime()), f) }))
		return nil
	})
	return errors.Join(err, failed)
}

// CleanUp removes expired uploads, staged contents that are no longer needed, the remains of
// interrupted uploads to storages, and unused slices of the cache. It also sweeps the local
// storage.
func (e *Engine) CleanUp(ctx context.Context) error {
	return errors.Join(e.Uploads.Sweep(), e.cleanStaged(), e.sweepLocal(ctx), e.sweepStorages(ctx), e.Cache.Sweep())
}

// PurgeUploads removes the upload sessions of projects that no longer exist.
func (e *Engine) PurgeUploads() (err error) {
	for _, p := range e.Uploads.Projects() {
		if _, alive := e.DB.ProjectByID(store.ProjectID(p)); !alive {
			err = errors.Join(err, e.Uploads.DropProject(p))
		}
	}
	return err
}

// unlessHeld calls remove unless a backup is being written. During a backup, it does nothing, and
// the next clean-up removes the content.
func (e *Engine) unlessHeld(remove func() error) error {
	end, ok := e.BeginRemoval()
	if !ok {
		return nil
	}
	defer end()
	return remove()
}

// sweepStorages removes the remains of interrupted uploads from the storages.
func (e *Engine) sweepStorages(ctx context.Context) error {
	list, err := store.Read(e.DB, (*store.Tx).StorageBackends)
	for _, b := range list {
		backend, cause := e.Open(b)
		if cause == nil {
			cause = backend.Sweep(ctx, e.Now().Add(-orphanAge))
		}
		if cause != nil {
			err = errors.Join(err, fmt.Errorf("storage %s: %w", b.Name, cause))
		}
	}
	return err
}
