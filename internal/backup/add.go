package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AddFolder adds every ordinary file of the data directory that is below Folder,
// but for those that are not contained.
func (w *Writer) AddFolder(data string) error {
	root, err := os.OpenRoot(data)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(Folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fs.WalkDir(root.FS(), Folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == Staging || name == cache):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular() || !Contained(name):
			return fmt.Errorf("%s is not an ordinary file with an ordinary name and cannot be in an archive", filepath.Join(data, name))
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		return w.addFile(name, f)
	})
}

// AddFile adds the file at path as a member. A link is followed wherever it leads:
// whoever runs the server may keep such a file elsewhere.
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
