package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/store"
)

// Register creates the record of a complete upload, after moving the content. If the
// file's storage is local, it moves the content to the file's object. Otherwise it moves
// the content to the staging directory, from which a job transfers it. Register can be
// repeated after any interruption. If it returns a record together with an error, the
// content has already been moved.
func (e *Engine) Register(ctx context.Context, project store.ProjectID, c upload.Content) (f *store.File, err error) {
	p, ok := e.DB.ProjectByID(project)
	if !ok {
		return nil, fault.New(fault.NotFound, "project not found")
	}
	var backend *store.StorageBackend
	err = e.DB.View(func(tx *store.Tx) error {
		if f, err = tx.File(project, store.FileID(c.FileID)); err == nil || !fault.Is(err, fault.NotFound) {
			return err
		}
		// The selected storage may have been deleted since; fall back to the default so that the
		// upload is kept.
		if backend, err = tx.StorageFor(p, c.Backend); fault.Is(err, fault.NotFound) {
			backend, err = tx.StorageFor(p, "")
		}
		return err
	})
	if err != nil || f != nil {
		return f, err
	}
	f = &store.File{
		ID: store.FileID(c.FileID), Filename: c.Filename, Size: c.Size,
		Source: store.FileUploaded, Backend: backend.ID, Status: store.FilePending,
	}
	if e.Describe(f, c.Sums, c.Path) != nil {
		return f, e.refuse(project, f, p.Key)
	}
	if backend.Builtin() {
		f.Status = store.FileReady
		f.ObjectKey, err = e.keep(ctx, p, c)
	} else {
		f.ObjectKey = files.ObjectKey(p.Key, c.FileID, c.Filename)
		err = e.Storages.Local().Stage(c.Path, c.FileID)
	}
	if err != nil {
		return nil, err
	}
	return f, e.DB.Update(func(tx *store.Tx) error { return tx.CreateFile(project, f) })
}

// refuse creates the record of an upload whose content must not be stored. The caller removes the
// content, which has not been moved.
func (e *Engine) refuse(project store.ProjectID, f *store.File, key string) error {
	f.ObjectKey = files.ObjectKey(key, string(f.ID), f.Filename)
	return e.DB.Update(func(tx *store.Tx) error {
		if err := tx.CreateFile(project, f); err != nil {
			return err
		}
		f.Status, f.Error = store.FileFailed, errPrivate
		return tx.PutFile(project, f)
	})
}

// Discard removes the moved content of an upload if the client cannot repeat the
// completion. It does nothing if the record exists, because the record may have been
// stored even though the disk did not confirm it. If Discard fails, the clean-up removes
// the content later.
func (e *Engine) Discard(ctx context.Context, f *store.File) {
	_, err := store.Read(e.DB, func(tx *store.Tx) (*store.File, error) { return tx.FileByID(f.ID) })
	switch local := e.Storages.Local(); {
	case err == nil:
		return
	case !fault.Is(err, fault.NotFound):
	case f.Status == store.FileReady:
		err = local.Delete(ctx, storage.Object{Key: f.ObjectKey, Size: f.Size})
	default:
		err = os.Remove(local.Staged(string(f.ID)))
	}
	if err != nil {
		e.Log.Warn("cannot remove an upload that has no record", "file", f.ID, "error", err)
	}
}

// keep moves the content of an upload to the file's object on the local storage and returns the
// object's key. If an interrupted attempt has already moved the content, the key of the object may
// contain a former project key.
func (e *Engine) keep(ctx context.Context, p *store.Project, c upload.Content) (key string, err error) {
	key = files.ObjectKey(p.Key, c.FileID, c.Filename)
	_, err = e.Storages.Local().Put(ctx, key, c.Path, c.Size)
	for _, former := range p.Aliases {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		key = files.ObjectKey(former.Name, c.FileID, c.Filename)
		_, err = e.Storages.Local().Put(ctx, key, c.Path, c.Size)
	}
	return key, err
}
