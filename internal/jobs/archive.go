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

// stagePrefix begins the names of folders in the staging folder that hold copies
// for a backup.
const stagePrefix = "backup-"

// Archiver makes backups of the data directory that this process has open, one
// at a time.
type Archiver struct {
	DB      *store.Store
	Events  *event.Engine
	Data    string // the data directory
	Version string // of this program
	// Elsewhere are the variables of secrets that the data directory does not have.
	Elsewhere []string
	Now       func() time.Time // time.Now when nil
	// Files are the local files; nil = there are none.
	Files *engine.Engine

	busy sync.Mutex
}

// Write writes a backup to a stream: both databases as they were at one moment,
// the secrets, the configuration, and the local files unless they are not wanted, with
// what waits for other storage but without uploads in progress.
// Nothing is written before the databases have been copied, and while it is
// written, however slowly, no transaction is open. While another backup is made
// the error is Unavailable, as it is when the copies cannot be made, or NoSpace;
// recipients that are none give Invalid, and a damaged database Damaged.
func (a *Archiver) Write(ctx context.Context, to io.Writer, o backup.Options) (m *backup.Manifest, err error) {
	recipients, err := backup.ParseRecipients(o.Recipients)
	if err != nil {
		return nil, fault.New(fault.Invalid, "recipient %v", err)
	}
	if !a.busy.TryLock() {
		return nil, fault.New(fault.Unavailable, "another backup is being made; try again when it is done").After(10 * time.Second)
	}
	defer a.busy.Unlock()
	if o.Files && a.Files != nil {
		defer a.Files.Hold()() // before the databases are copied: what they refer to stays
	}
	var stored map[store.FileID]bool
	if o.Files {
		if stored, err = a.storedUploads(); err != nil {
			return nil, err
		}
	}
	stage, at, err := a.stage()
	if err != nil {
		return nil, cannotStage(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	if err := examineCopies(stage); err != nil {
		return nil, err
	}
	w, err := backup.NewWriter(stopping{ctx, to}, a.Version, at, recipients...)
	if err != nil {
		return nil, err
	}
	w.Between(a.pace())
	if err := a.add(w, stage, o.Files, stored); err != nil {
		w.Abort()
		return nil, err
	}
	return w.Close(o.Files, a.Elsewhere)
}

// stage makes a folder with copies of both databases.
func (a *Archiver) stage() (stage string, at time.Time, err error) {
	if err := a.removeLeftOvers(); err != nil {
		return "", at, err
	}
	return instance.CopyData(a.DB, a.Events, a.now, datadir.StagingOf(a.Data), stagePrefix)
}

// examineCopies reads every page of the copies of both databases, and overwrites those that
// are not in use: what was deleted must not be in an archive. An archive of a damaged
// database cannot be restored, and must not push out those that can: the error is Damaged.
func examineCopies(stage string) error {
	for _, name := range datadir.Databases {
		err := boltfile.ExamineCopy(filepath.Join(stage, name))
		if errors.Is(err, boltfile.ErrDamaged) {
			_, what, _ := strings.Cut(err.Error(), boltfile.ErrDamaged.Error()+": ") // without the path of the copy
			return fault.New(fault.Damaged,
				"%s is damaged (%s), so no backup was made and none was removed; see svc check, and restore the last one", name, what)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cannotStage says in words for the owner, who alone makes backups, what is wrong
// with the disk.
func cannotStage(err error) error {
	if fault.Is(fault.Disk(err), fault.NoSpace) {
		return fault.New(fault.NoSpace, "not enough space for a copy of both databases in %s: %v", datadir.Staging, err)
	}
	return fault.New(fault.Unavailable, "the databases cannot be copied to %s: %v", datadir.Staging, err)
}

// add fills an archive. Staged contents of the files stored stay out of it.
func (a *Archiver) add(w *backup.Writer, stage string, files bool, stored map[store.FileID]bool) error {
	for _, name := range []string{datadir.Database, datadir.Events} {
		if err := w.AddFile(name, filepath.Join(stage, name)); err != nil {
			return err
		}
		// The room is given back at once: the archive may be on the same disk.
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

// stagedUploads lists the files whose contents were uploaded and may not be on their
// storage yet, without those that are known to be stored. Those that are being fetched
// from elsewhere can be fetched again.
func (a *Archiver) stagedUploads(stored map[store.FileID]bool) (ids []string, err error) {
	err = a.eachStaged(func(f *store.File) {
		if f.Source == store.FileUploaded && !stored[f.ID] {
			ids = append(ids, string(f.ID))
		}
	})
	return ids, err
}

// storedUploads are the files that are ready although their contents are still staged.
// It is asked before the databases are copied: what becomes ready later is pending in
// the copy, which then needs the content.
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

// eachStaged calls fn with every file that has a staged content.
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

// removeLeftOvers removes the copies of backups whose process was killed.
func (a *Archiver) removeLeftOvers() error {
	list, err := os.ReadDir(datadir.StagingOf(a.Data))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range list {
		if strings.HasPrefix(entry.Name(), stagePrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(datadir.StagingOf(a.Data), entry.Name())))
		}
	}
	return err
}

// stopping stops writing when nobody wants the result any more.
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
