package storage

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// staged is the folder of contents that wait below the storage directory for the job
// that brings them to their back end.
const staged = "staging/files"

// Staged is where the content of a file waits for its job; without an id, the folder
// of all of them.
func (l *Local) Staged(id string) string {
	return filepath.Join(l.dir, filepath.FromSlash(staged), id)
}

// Stage moves a synced file below the storage directory to where its job finds it. Its
// name is on disk when it returns. One that an interrupted Stage has moved already is
// no error.
func (l *Local) Stage(file, id string) error {
	from, err := l.below(file)
	if err != nil {
		return err
	}
	if err := l.mkdir(staged); err != nil {
		return err
	}
	to := path.Join(staged, id)
	err = l.root.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = l.root.Lstat(to)
	}
	if err != nil {
		return err
	}
	return errors.Join(l.sync(staged), l.sync(path.Dir(from)))
}
