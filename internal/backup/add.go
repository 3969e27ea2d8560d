package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"svc/internal/datadir"
)

// AddFolder adds every ordinary file of the data directory that is below datadir.Files,
// but for those that are not contained.
func (w *Writer) AddFolder(data string) error {
	root, err := os.OpenRoot(data)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(datadir.Files); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fs.WalkDir(root.FS(), datadir.Files, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == datadir.Staging || name == datadir.Cache):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular() || !Contained(name):
			return fmt.Errorf("%s is not a regular file with a valid name and cannot be archived", filepath.Join(data, name))
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		return w.addFile(name, f)
	})
}

// AddFile adds the file at path as a member. A link is followed wherever it leads:
// operators may keep such a file elsewhere.
func (w *Writer) AddFile(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return w.addFile(name, f)
}

// addFile adds what f has, and closes it.
func (w *Writer) addFile(name string, f *os.File) error {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.Add(Member{Name: name, Size: info.Size(), Mode: private(info.Mode())}, f)
}
