package storage

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// staged is the directory for staged contents, relative to the storage directory.
// Contents stay there until a job moves them to their storage.
const staged = "staging/files"

// Staged returns the path of the staged content of a file. If id is "", it returns the directory of
// all staged contents.
func (l *Local) Staged(id string) string {
	return filepath.Join(l.dir, filepath.FromSlash(staged), id)
}

// Stage moves a file to the path of the staged content of the file with the given id,
// where a job expects it. The file must be in the storage directory and must have been
// synced. The change is durable when Stage returns. If an earlier Stage was interrupted
// after it had moved the file, Stage succeeds.
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
