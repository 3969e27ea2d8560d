package storage

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// staged is the folder, below the storage directory, of contents that wait for the job that moves
// them to their back end.
const staged = "staging/files"

// Staged returns the path where the content of a file waits for its job, or the folder of all such
// contents if id is "".
func (l *Local) Staged(id string) string {
	return filepath.Join(l.dir, filepath.FromSlash(staged), id)
}

// Stage moves a synced file in the storage directory to the path where its job expects it. The
// change is durable when it returns. If an interrupted Stage has already moved the file, Stage
// succeeds.
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
