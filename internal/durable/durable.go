// Package durable replaces files so that a crash or a power cut leaves the old
// content or the new one, never a part of either, and makes folders that stay.
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

// TempPattern is the name of the temporary file for a file, to find those that a
// killed process has left; the star stands for digits.
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

// pace is how much of a large file waits for the disk at most before it is sent
// there. More would keep the syncs of others waiting.
const pace = 8 << 20

// Paced writes a file and sends it to the disk little by little, while more is
// written. It is used by one goroutine and ends with Sync.
type Paced struct {
	file    *os.File
	waiting int        // bytes
	syncing chan error // of the sync that runs; nil = none does
}

// NewPaced writes to a file at its position.
func NewPaced(f *os.File) *Paced { return &Paced{file: f} }

// Write writes b.
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

// Sync returns when all that was written is on disk, and also after an error
// leaves nothing running.
func (p *Paced) Sync() error { return errors.Join(p.wait(), p.file.Sync()) }

// wait ends with the sync that runs, and with its error.
func (p *Paced) wait() error {
	if p.syncing == nil {
		return nil
	}
	err := <-p.syncing
	p.syncing = nil
	return err
}
