// Package durable replaces files so that a crash or a power cut leaves the old
// content or the new one, never a part of either, and makes folders that stay.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile replaces the file at path: a temporary file beside it is written,
// synced and renamed over it, and the folder is synced. The mode is set exactly.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+name+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(dir)
}

// MkdirAll makes a folder, and those above it that are missing. When it returns
// their names are on disk: without them what is synced inside would be lost.
func MkdirAll(path string, mode os.FileMode) error {
	var changed []string // folders that get a new name in them
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		changed = append(changed, filepath.Dir(dir))
	}
	if err := os.MkdirAll(path, mode); err != nil {
		return err
	}
	for _, dir := range changed {
		if err := SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
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
