package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"svc/internal/durable"
	"svc/internal/files"
)

// Directories below the storage directory: one for objects, and one for files without a
// record.
const (
	objects = "objects"
	lost    = "lost"
)

// Local stores each object as a file below the storage directory. The path of the file is objects/
// followed by the result of files.DiskPath for the key. All access goes through an os.Root, so that
// neither a key nor a symbolic link can lead out of the storage directory.
type Local struct {
	dir      string
	root     *os.Root
	diskPath func(key string) string // files.DiskPath, except in tests

	mu sync.Mutex // held while a file's directories are created and while empty directories are removed
}

func openLocal(dir string) (*Local, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = durable.MkdirAll(filepath.Join(dir, objects), 0o700)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Local{dir: dir, root: root, diskPath: files.DiskPath}, nil
}

// name returns the path of an object's file, relative to the storage directory.
func (l *Local) name(key string) string { return objects + "/" + l.diskPath(key) }

// Put moves a file to the object's name without copying it. The change is durable when
// Put returns. If an earlier Put was interrupted after it had moved the file, Put
// succeeds.
func (l *Local) Put(ctx context.Context, key, file string, size int64) (Object, error) {
	if err := checkKey(key); err != nil {
		return Object{}, err
	}
	from, err := l.below(file)
	if err != nil {
		return Object{}, err
	}
	o := Object{Key: key, Size: size}
	info, err := l.root.Lstat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if moved, statErr := l.Stat(ctx, o); moved && statErr == nil {
			return o, l.sync(path.Dir(l.name(key))) // an earlier Put may have been interrupted before it synced the directory
		}
		return Object{}, err
	case err != nil:
		return Object{}, err
	case !info.Mode().IsRegular() || info.Size() != size:
		return Object{}, fmt.Errorf("the staged file has %d bytes instead of %d", info.Size(), size)
	}
	to := l.name(key)
	if err := l.move(from, to); err != nil {
		return Object{}, err
	}
	return o, errors.Join(l.sync(collection(to)), l.sync(filepath.ToSlash(filepath.Dir(from))))
}

// move renames a file. It creates the directories of the new name if necessary.
func (l *Local) move(from, to string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.mkdir(collection(to)); err != nil {
		return err
	}
	return l.root.Rename(from, to)
}

// below returns the slash-separated form of a path relative to the storage directory.
func (l *Local) below(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(l.dir, path)
	if err != nil || !filepath.IsLocal(name) {
		return "", errors.New("the staged file is outside of the storage directory")
	}
	return filepath.ToSlash(name), nil
}

// mkdir creates a directory and its parents if necessary. It syncs each directory that gets a new
// entry.
func (l *Local) mkdir(name string) error {
	var parent string
	for segment := range strings.SplitSeq(name, "/") {
		child := path.Join(parent, segment)
		switch err := l.root.Mkdir(child, 0o700); {
		case err == nil:
			if err := l.sync(parent); err != nil {
				return err
			}
		case !errors.Is(err, fs.ErrExist):
			return err
		}
		parent = child
	}
	return nil
}

// sync makes changes to the entries of a directory durable. On Windows it does nothing,
// because Windows neither has nor needs such a call.
func (l *Local) sync(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := l.root.Open(path.Join(".", name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Open opens the object's file, positioned at offset. It fails if the file does not have the
// object's size.
func (l *Local) Open(_ context.Context, o Object, offset, length int64) (io.ReadCloser, error) {
	if err := o.checkRange(offset, length); err != nil {
		return nil, err
	}
	f, err := l.root.Open(l.name(o.Key))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() != o.Size) {
		err = fmt.Errorf("the object has %d bytes instead of %d: %w", info.Size(), o.Size, io.ErrUnexpectedEOF)
	}
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Delete removes the object's file and the parent directories that become empty.
func (l *Local) Delete(_ context.Context, o Object) error {
	if err := checkKey(o.Key); err != nil {
		return err
	}
	return l.Remove(l.diskPath(o.Key))
}

// Remove removes a file that Walk has reported, and the parent directories that become
// empty.
func (l *Local) Remove(diskPath string) error {
	name := objects + "/" + diskPath
	if err := l.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for dir := path.Dir(name); dir != objects; dir = path.Dir(dir) {
		if err := l.root.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return l.sync(dir) // the directory is not empty
		}
	}
	return l.sync(objects)
}

// Lose moves a file that Walk has reported to the directory lost/{date}/objects. It also
// removes the parent directories that become empty.
func (l *Local) Lose(diskPath string, at time.Time) error {
	if err := l.lose(objects+"/"+diskPath, at); err != nil {
		return err
	}
	return l.Remove(diskPath) // the file has been moved, so this removes only empty directories
}

// LoseStaged moves a file that WalkStaged has reported to lost/{date}/staging/files.
func (l *Local) LoseStaged(id string, at time.Time) error { return l.lose(staged+"/"+id, at) }

// lose moves a file into the directory "lost". If the file no longer exists, it does nothing and
// returns nil.
func (l *Local) lose(name string, at time.Time) error {
	to := path.Join(lost, at.UTC().Format(time.DateOnly), name)
	err := l.move(name, to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return errors.Join(l.sync(path.Dir(to)), l.sync(path.Dir(name)))
}

// RemoveLost removes the files that were moved to the directory "lost" before the day of the given
// time.
func (l *Local) RemoveLost(before time.Time) error {
	entries, err := fs.ReadDir(l.root.FS(), lost)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		// Ignore entries that are not named after a date.
		if day, invalid := time.Parse(time.DateOnly, entry.Name()); invalid == nil && day.Before(before.UTC().Truncate(24*time.Hour)) {
			err = errors.Join(err, l.root.RemoveAll(path.Join(lost, entry.Name())))
		}
	}
	return err
}

// Stat reports whether the object's file exists and has the right size.
func (l *Local) Stat(_ context.Context, o Object) (bool, error) {
	if err := checkKey(o.Key); err != nil {
		return false, err
	}
	info, err := l.root.Lstat(l.name(o.Key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular() && info.Size() == o.Size, err
}

// Walk calls fn for every file below the directory of objects, in lexical order, until fn
// returns an error. diskPath is the result of files.DiskPath for the object's key. Walk
// also reports files that are not objects, so that Remove can delete them. It skips files
// that are deleted during the walk.
func (l *Local) Walk(fn func(diskPath string, info fs.FileInfo) error) error {
	return l.walk(objects, fn)
}

// WalkStaged is like Walk, but for staged contents. It passes the IDs of the files to fn.
func (l *Local) WalkStaged(fn func(id string, info fs.FileInfo) error) error {
	return l.walk(staged, fn)
}

func (l *Local) walk(folder string, fn func(name string, info fs.FileInfo) error) error {
	return fs.WalkDir(l.root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil && !entry.IsDir() {
			info, err = entry.Info()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || info == nil:
			return err
		}
		return fn(strings.TrimPrefix(name, folder+"/"), info)
	})
}

// Probe creates a file, reads it and deletes it.
func (l *Local) Probe(context.Context) Probe {
	begin := time.Now()
	err := l.tryFile()
	p := Probe{OK: err == nil, Latency: time.Since(begin)}
	if err != nil {
		p.Error = fmt.Sprintf("write in the storage directory: %v", errors.Unwrap(err))
		return p
	}
	p.RangeSupported, p.LargeWriteOK = new(true), new(true)
	return p
}

func (l *Local) tryFile() error {
	name, text := ".probe-"+rand.Text(), []byte(probeText)
	err := l.root.WriteFile(name, text, 0o600)
	var got []byte
	if err == nil {
		got, err = l.root.ReadFile(name)
	}
	if err == nil && !bytes.Equal(got, text) {
		err = &fs.PathError{Op: "read", Path: name, Err: io.ErrUnexpectedEOF}
	}
	if removed := l.root.Remove(name); err == nil {
		err = removed
	}
	return err
}

// probeText is the content that a probe writes and reads back.
const probeText = "svc storage probe\n"

// Sweep does nothing, because an interrupted rename leaves nothing behind.
func (l *Local) Sweep(context.Context, time.Time) error { return nil }
