// Package durable replaces files and creates directories so that they survive a crash and
// a power failure. A file then has either its old or its new content, never a mixture.
package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile is like Write, with data as the new content.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// TempPattern returns the pattern of the names of the temporary files that Write creates
// for the file with the given base name. With the pattern, callers can find temporary
// files that a killed process has left behind. The star in it matches digits.
func TempPattern(name string) string { return "." + name + ".*" }

// Write creates or replaces the file at path. The function content writes the new
// content. Write creates a temporary file in the same directory, syncs it, renames it and
// syncs the directory. The file gets exactly the given mode. If Write fails before the
// file is renamed, the old file is unchanged and the temporary file is removed.
func Write(path string, mode os.FileMode, content func(io.Writer) error) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, TempPattern(name)) // creates the file with the mode 0600
	if err != nil {
		return err
	}
	w := NewPaced(f)
	err = content(w)
	if err = errors.Join(err, w.wait()); err == nil {
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

// MkdirAll creates a directory and its missing parents. When it returns, the names of the
// new directories are on disk. If they were not, a power failure could remove the
// directories together with files that have been synced.
func MkdirAll(path string, mode os.FileMode) error {
	var changed []string // directories in which an entry is created
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

// SyncDir makes renames in a directory durable. It does nothing on Windows, where
// directories cannot be synced and do not need to be.
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

// pace is the number of written bytes after which Paced starts a sync. If it synced more
// bytes at once, the syncs of other writers would take longer.
const pace = 8 << 20

// Paced writes a large file. It syncs the file in pieces, while further data is being
// written. It is not safe for concurrent use. The caller must call Sync at the end.
type Paced struct {
	file    *os.File
	waiting int        // number of bytes that have not been synced
	syncing chan error // receives the result of the running sync; nil = no sync is running
}

// NewPaced returns a Paced that writes to a file at its current position.
func NewPaced(f *os.File) *Paced { return &Paced{file: f} }

// Write writes b to the file. It can start a sync in the background.
func (p *Paced) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if p.waiting += n; err != nil || p.waiting < pace {
		return n, err
	}
	p.waiting = 0
	if err := p.wait(); err != nil {
		return n, err
	}
	p.syncing = make(chan error, 1)
	go func() { p.syncing <- p.file.Sync() }()
	return n, nil
}

// Sync syncs the file and returns when all data is on disk. When it has returned, even
// with an error, no sync is running in the background.
func (p *Paced) Sync() error { return errors.Join(p.wait(), p.file.Sync()) }

// wait waits for the running sync, if there is one, and returns its error.
func (p *Paced) wait() error {
	if p.syncing == nil {
		return nil
	}
	err := <-p.syncing
	p.syncing = nil
	return err
}
