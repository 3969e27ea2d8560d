// Package durable replaces files so that a crash or a power cut leaves the old
// content or the new one, never a part of either.
package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile replaces the file at path by one with the data, as Write does.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// TempPattern is the name of the temporary file for a file, for whoever looks for
// those that a killed process has left; the star stands for digits.
func TempPattern(name string) string { return "." + name + ".*" }

// Write replaces the file at path by what content writes: a temporary file beside
// it is written, synced and renamed over it, and the folder is synced. The mode is
// set exactly. After an error the old file is there as before, and no other.
func Write(path string, mode os.FileMode, content func(io.Writer) error) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, TempPattern(name)) // mode 0600
	if err != nil {
		return err
	}
	if err = content(f); err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(dir)
}

// SyncDir makes renames inside a folder durable. Windows has no such call and
// needs none.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
