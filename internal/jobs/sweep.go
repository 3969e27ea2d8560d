package jobs

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
	"svc/store"
)

const (
	// mostUnknown is the number of local objects without a record up to which a sweep moves
	// them, if they are a tenth of all objects at most. More of them mean that the database
	// is not the one that the objects belong to.
	mostUnknown = 20
	// lostAge is how long the content is kept that no record was found for.
	lostAge = 30 * 24 * time.Hour
)

// sweepLocal looks for local objects and staged contents that have no record, and moves them
// to lost, where they stay for lostAge. It does nothing for a while after the records were
// restored or imported. If too many objects have no record, nothing is moved and the result
// is an error.
func (j *Jobs) sweepLocal(ctx context.Context) error {
	after, err := store.Read(j.DB, func(tx *store.Tx) (time.Time, error) { return tx.SweepAfter(), nil })
	if err != nil || j.Now().Before(after) {
		return err
	}
	unknown, err := j.unknownObjects(ctx)
	if err != nil {
		return err
	}
	local := j.Files.Storages.Local()
	for _, name := range unknown {
		err = errors.Join(err, j.unlessHeld(func() error {
			j.Log.Warn("an object has no record: it is kept in the folder lost for 30 days", "object", name)
			return local.Lose(name, j.Now())
		}))
	}
	return errors.Join(err, j.sweepStaged(), local.RemoveLost(j.Now().Add(-lostAge)))
}

// unknownObjects lists the local objects that are old and have no record, of which there
// must be few.
func (j *Jobs) unknownObjects(ctx context.Context) (names []string, err error) {
	total, found := 0, 0
	err = j.Files.Storages.Local().Walk(func(name string, info fs.FileInfo) error {
		total++
		if j.Now().Sub(info.ModTime()) < orphanAge {
			return ctx.Err()
		}
		key, err := store.Read(j.DB, func(tx *store.Tx) (string, error) { return tx.ObjectKey(store.FileID(path.Base(path.Dir(name)))) })
		// A disk that ignores case may show the folder of a project as it was first named.
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
			"restore the database that they belong to, or move them away: svc check lists them", found, total, j.Files.Dir, mostUnknown)
	}
	return names, err
}

// sweepStaged moves staged contents to lost that are old and have no record.
func (j *Jobs) sweepStaged() error {
	return j.eachStaged(func(id string, age time.Duration, f *store.File) error {
		if f != nil || age < orphanAge {
			return nil
		}
		return j.Files.Storages.Local().LoseStaged(id, j.Now())
	})
}

// cleanStaged removes the staged contents of files that are ready, or failed a week ago.
func (j *Jobs) cleanStaged() error {
	return j.eachStaged(func(id string, age time.Duration, f *store.File) error {
		if f == nil || f.Status == store.FilePending || f.Status == store.FileFailed && age < stagedAge {
			return nil
		}
		err := os.Remove(j.Files.Storages.Local().Staged(id))
		if errors.Is(err, fs.ErrNotExist) { // its transfer may remove it too
			return nil
		}
		return err
	})
}

// eachStaged calls visit for each staged content, with the record of its file or nil, unless
// a backup is being written. An error of one, such as an open file on Windows, does not keep
// visit from the others.
func (j *Jobs) eachStaged(visit func(id string, age time.Duration, f *store.File) error) error {
	var failed error
	err := j.Files.Storages.Local().WalkStaged(func(id string, info fs.FileInfo) error {
		f, err := store.Read(j.DB, func(tx *store.Tx) (*store.File, error) { return tx.FileByID(store.FileID(id)) })
		if fault.Is(err, fault.NotFound) {
			f, err = nil, nil
		}
		if err != nil {
			return err
		}
		failed = cmp.Or(failed, j.unlessHeld(func() error { return visit(id, j.Now().Sub(info.ModTime()), f) }))
		return nil
	})
	return errors.Join(err, failed)
}
