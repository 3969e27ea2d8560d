package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"svc/internal/datadir"
)

// AddFolder adds every regular file in a directory of local files as a member below
// datadir.Files. It skips the cache and staging directories. It also adds the staged files with
// the given IDs, if they exist.
func (w *Writer) AddFolder(dir string, staged []string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		member := path.Join(datadir.Files, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (member == datadir.Staging || member == datadir.Cache || name == datadir.Lost):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case name == datadir.Owner || name == datadir.OwnerLock:
			return nil // the owner's ID need not be archived, because it is in the database, too
		case strings.HasPrefix(name, ".probe-"):
			return nil // this file exists only briefly, while the directory is tested
		case !entry.Type().IsRegular() || !Contained(member):
			return fmt.Errorf("%s is not a regular file with a valid name and cannot be archived", filepath.Join(dir, name))
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		return w.addFile(member, f)
	})
	for _, id := range staged {
		if err != nil {
			return err
		}
		name := path.Join(datadir.StagedFiles, id)
		f, openErr := root.Open(name)
		switch {
		case errors.Is(openErr, fs.ErrNotExist):
		case openErr != nil:
			err = openErr
		default:
			err = w.addFile(path.Join(datadir.Files, name), f)
		}
	}
	return err
}

// AddFile adds the file at path as a member with the given name. If path is a symbolic link, it
// follows the link, because administrators may keep the file outside of the data directory.
func (w *Writer) AddFile(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return w.addFile(name, f)
}

// addFile adds the content of f as a member and closes f.
func (w *Writer) addFile(name string, f *os.File) error {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.Add(Member{Name: name, Size: info.Size(), Mode: private(info.Mode())}, f)
}
