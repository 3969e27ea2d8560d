package jobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/fault"
	"svc/internal/files/engine"
	"svc/internal/instance"
	"svc/store"
)

// The prefixes of the names of the directories into which the databases are copied. They are in the
// staging directory.
const (
	backupPrefix   = "backup-"
	snapshotPrefix = "snapshot-"
)

// Archiver makes backups of the data directory that this process has opened. It makes one backup and
// one snapshot for a replica at a time.
type Archiver struct {
	DB      *store.Store
	Events  *event.Engine
	Data    string // path of the data directory
	Version string // version of this program
	// Elsewhere lists the environment variables that contain secrets. Secrets from the
	// environment are not in the data directory, so a backup does not contain them.
	Elsewhere []string
	Now       func() time.Time // the clock; nil means time.Now
	// Files gives access to the local files. It is nil if the server has no files.
	Files *engine.Engine

	busy     sync.Mutex // held by Write
	snapping sync.Mutex // held by Snapshot, whose target can be slow, so that it must not keep backups waiting
}

// Write writes a backup to a stream. The backup contains both databases as of one point
// in time, the secrets and the configuration. If the options request it, the backup also
// contains the local files, including contents that wait for a remote storage, but no
// uploads in progress. Write sends nothing before the databases have been copied, and
// holds no transaction open while it writes. The error is Unavailable if another backup
// is in progress or the databases cannot be copied, NoSpace if the disk has no room for
// the copies, Invalid if a recipient is invalid, and Damaged if a database is damaged.
func (a *Archiver) Write(ctx context.Context, to io.Writer, o backup.Options) (m *backup.Manifest, err error) {
	if _, err := backup.ParseRecipients(o.Recipients); err != nil {
		return nil, fault.New(fault.Invalid, "recipient %v", err)
	}
	if !a.busy.TryLock() {
		return nil, fault.New(fault.Unavailable, "another backup is being made; try again when it is done").After(10 * time.Second)
	}
	defer a.busy.Unlock()
	if o.Files && a.Files != nil {
		defer a.Files.Hold()() // before the databases are copied, so that all files to which the copies refer are kept
	}
	var stored map[store.FileID]bool
	if o.Files {
		if stored, err = a.storedUploads(); err != nil {
			return nil, err
		}
	}
	stage, at, err := a.stage(backupPrefix, func() error { return nil })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	return a.write(ctx, to, stage, at, o.Files, stored, o.Recipients)
}

// Snapshot writes an archive without local files, for a replica; see replica.Config.Archive. It does not
// block backups.
func (a *Archiver) Snapshot(ctx context.Context, to io.Writer, recipients []string, imaged func() error) (err error) {
	a.snapping.Lock()
	defer a.snapping.Unlock()
	stage, at, err := a.stage(snapshotPrefix, imaged)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	_, err = a.write(ctx, to, stage, at, false, nil, recipients)
	return err
}

// write writes an archive of the copies in the directory stage, which were made at the given time.
func (a *Archiver) write(ctx context.Context, to io.Writer, stage string, at time.Time, files bool,
	stored map[store.FileID]bool, recipients []string,
) (m *backup.Manifest, err error) {
	keys, err := backup.ParseRecipients(recipients)
	if err != nil {
		return nil, err
	}
	if err := examineCopies(stage); err != nil {
		return nil, err
	}
	w, err := backup.NewWriter(stopping{ctx, to}, a.Version, at, keys...)
	if err != nil {
		return nil, err
	}
	w.Between(a.pace())
	if err := a.add(w, stage, files, stored); err != nil {
		w.Abort()
		return nil, err
	}
	return w.Close(files, a.Elsewhere)
}

// stage copies both databases to a new directory in the staging directory, with the given prefix. It
// returns the path of the new directory and the time of the copies, at which it calls imaged. The
// caller must hold the lock of backups or of snapshots, which has directories with this prefix.
func (a *Archiver) stage(prefix string, imaged func() error) (stage string, at time.Time, err error) {
	if err = a.removeLeftOvers(prefix); err == nil {
		stage, at, err = instance.CopyDataWhen(a.DB, a.Events, a.now, datadir.StagingOf(a.Data), prefix, imaged)
	}
	if err != nil {
		return "", at, cannotStage(err)
	}
	return stage, at, nil
}

// examineCopies reads every page of the copies of both databases in the directory stage. It
// overwrites unused pages, because an archive must not contain deleted data. If a copy is damaged,
// the error is Damaged: an archive of it could not be restored, so it must not replace earlier
// archives.
func examineCopies(stage string) error {
	for _, name := range datadir.Databases {
		err := boltfile.ExamineCopy(filepath.Join(stage, name))
		if errors.Is(err, boltfile.ErrDamaged) {
			_, what, _ := strings.Cut(err.Error(), boltfile.ErrDamaged.Error()+": ") // the text must not contain the path of the copy
			return fault.New(fault.Damaged,
				"%s is damaged (%s), so no backup was made and none was removed; see svc check, and restore the last one", name, what)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cannotStage returns the error for a disk problem while the databases are copied. The
// error may contain details, because only the owner can make backups.
func cannotStage(err error) error {
	if fault.Is(fault.Disk(err), fault.NoSpace) {
		return fault.New(fault.NoSpace, "not enough space for a copy of both databases in %s: %v", datadir.Staging, err)
	}
	return fault.New(fault.Unavailable, "the databases cannot be copied to %s: %v", datadir.Staging, err)
}

// add adds all members of the backup to an archive, and also the local files if the parameter files
// is true. These include the staged contents of the files that stagedUploads returns, which wait to
// be moved to their storage. The parameter stored is passed to stagedUploads.
func (a *Archiver) add(w *backup.Writer, stage string, files bool, stored map[store.FileID]bool) error {
	for _, name := range []string{datadir.Database, datadir.Events} {
		if err := w.AddFile(name, filepath.Join(stage, name)); err != nil {
			return err
		}
		// Each copy is removed as soon as it has been added, because the archive may be on the same
		// disk.
		if err := os.Remove(filepath.Join(stage, name)); err != nil {
			return err
		}
	}
	for _, name := range []string{datadir.Secrets, datadir.Config} {
		if err := w.AddFile(name, filepath.Join(a.Data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if !files || a.Files == nil {
		return nil
	}
	staged, err := a.stagedUploads(stored)
	if err != nil {
		return err
	}
	return w.AddFolder(a.Files.Dir, staged)
}

// stagedUploads returns the ids of the uploaded files with staged contents, except those in the map
// stored. The storage of these files may not have their contents yet. Attachments are left out,
// because they can be downloaded again.
func (a *Archiver) stagedUploads(stored map[store.FileID]bool) (ids []string, err error) {
	err = a.eachStaged(func(f *store.File) {
		if f.Source == store.FileUploaded && !stored[f.ID] {
			ids = append(ids, string(f.ID))
		}
	})
	return ids, err
}

// storedUploads returns the set of files that are ready although their contents are still staged.
// It must be called before the databases are copied. If a file becomes ready after this call, the
// copy may show it as pending, and the backup then needs its staged content.
func (a *Archiver) storedUploads() (map[store.FileID]bool, error) {
	stored := map[store.FileID]bool{}
	if a.Files == nil {
		return stored, nil
	}
	return stored, a.eachStaged(func(f *store.File) {
		if f.Status == store.FileReady {
			stored[f.ID] = true
		}
	})
}

// eachStaged calls fn with the record of each file that has staged content.
func (a *Archiver) eachStaged(fn func(f *store.File)) error {
	list, err := os.ReadDir(filepath.Join(a.Files.Dir, filepath.FromSlash(datadir.StagedFiles)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.DB.View(func(tx *store.Tx) error {
		for _, entry := range list {
			f, err := tx.FileByID(store.FileID(entry.Name()))
			switch {
			case err == nil:
				fn(f)
			case !fault.Is(err, fault.NotFound):
				return err
			}
		}
		return nil
	})
}

func (a *Archiver) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

// removeLeftOvers removes the directories with a prefix that killed processes have left behind.
func (a *Archiver) removeLeftOvers(prefix string) error {
	list, err := os.ReadDir(datadir.StagingOf(a.Data))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range list {
		if strings.HasPrefix(entry.Name(), prefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(datadir.StagingOf(a.Data), entry.Name())))
		}
	}
	return err
}

// stopping is a writer that returns an error when its context has ended.
type stopping struct {
	ctx context.Context
	to  io.Writer
}

// Write writes b unless the context has ended.
func (s stopping) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.to.Write(b)
}
