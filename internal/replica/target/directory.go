package target

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Directory is a target that stores each object as a file. All access goes through an os.Root, so that no symbolic
// link leads out of the directory. The root is opened for each operation: the directory may be on a
// file system that is mounted later.
type Directory struct {
	path  string
	sweep sync.Once // before the first write
}

// OpenDirectory returns the target in a directory, which need not exist yet.
func OpenDirectory(path string) *Directory { return &Directory{path: path} }

// unfinished is the directory with files that are being written. Names of objects do not begin with
// a dot.
const unfinished = ".svc-unfinished"

// unfinishedAge is the age at which an unfinished file is deleted. Its process no longer exists, unless
// it writes a single object for that long.
const unfinishedAge = 6 * time.Hour

func (d *Directory) open() (*os.Root, error) {
	root, err := os.OpenRoot(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the directory of the target does not exist: %w", withoutPath(err))
	}
	if err != nil {
		return nil, fmt.Errorf("open the directory of the target: %w", withoutPath(err))
	}
	return root, nil
}

// withoutPath returns the cause of an error of the file system.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// Create writes and syncs a file, then links it to its name. The link fails if the name exists. On a
// file system without hard links the file is renamed, which replaces an object.
func (d *Directory) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	return d.CreateFrom(ctx, name, io.NewSectionReader(content, 0, size), size)
}

// CreateFrom is like Create, but reads the content once. It fails unless the content has size bytes.
func (d *Directory) CreateFrom(ctx context.Context, name string, content io.Reader, size int64) error {
	return d.store(ctx, name, content, size, func(root *os.Root, temporary string) error {
		err := root.Link(temporary, name)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) { // Linux answers EPERM on FAT
			err = root.Rename(temporary, name)
		}
		return err
	})
}

// absent reports whether an error means that there is no file with the name.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Replace writes and syncs a file, then renames it.
func (d *Directory) Replace(ctx context.Context, name string, content []byte) error {
	return d.store(ctx, name, bytes.NewReader(content), int64(len(content)), func(root *os.Root, temporary string) error {
		return root.Rename(temporary, name)
	})
}

// store writes content to an unfinished file, which publish moves to the name of the object.
func (d *Directory) store(
	ctx context.Context, name string, content io.Reader, size int64, publish func(root *os.Root, temporary string) error,
) error {
	if err := CheckName(name); err != nil {
		return err
	}
	root, err := d.open()
	if err != nil {
		return err
	}
	defer root.Close()
	d.sweep.Do(func() { sweepUnfinished(root, time.Now().Add(-unfinishedAge)) })
	temporary := unfinished + "/" + rand.Text()
	if err := writeSynced(ctx, root, temporary, content, size); err != nil {
		return fmt.Errorf("write %s: %w", name, withoutPath(err))
	}
	defer root.Remove(temporary) //nolint:errcheck // a leftover is swept
	for attempt := 0; ; attempt++ {
		if err = mkdirSynced(root, path.Dir(name)); err == nil {
			err = publish(root, temporary)
		}
		// A concurrent Delete can remove an empty directory before the file is in it.
		if !errors.Is(err, fs.ErrNotExist) || attempt == 10 {
			break
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", name, ErrExists)
	case err != nil:
		return fmt.Errorf("write %s: %w", name, withoutPath(err))
	}
	return syncIn(root, path.Dir(name))
}

// writeSynced writes a new file. It removes the file if that fails.
func writeSynced(ctx context.Context, root *os.Root, name string, content io.Reader, size int64) error {
	if err := mkdirSynced(root, path.Dir(name)); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, cancellable{ctx, content})
	if err == nil && n != size {
		err = fmt.Errorf("the content has %d bytes instead of %d", n, size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// cancellable is a reader that fails when its context ends.
type cancellable struct {
	ctx context.Context
	io.Reader
}

func (c cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}

// sweepUnfinished removes the files that processes have not finished. Its errors do not matter: the
// files take space, but are no objects.
func sweepUnfinished(root *os.Root, before time.Time) {
	entries, _ := fs.ReadDir(root.FS(), unfinished)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) {
			_ = root.Remove(unfinished + "/" + entry.Name())
		}
	}
}

// mkdirSynced creates a directory and its parents if necessary, and syncs each directory that gets an
// entry.
func mkdirSynced(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	switch err := root.Mkdir(name, 0o700); {
	case err == nil:
		return syncIn(root, path.Dir(name))
	case errors.Is(err, fs.ErrExist):
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := mkdirSynced(root, path.Dir(name)); err != nil {
		return err
	}
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncIn(root, path.Dir(name))
}

// syncIn makes the entries of a directory durable. Windows neither has nor needs such a call.
func syncIn(root *os.Root, name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) { // removed by a concurrent Delete
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open opens the file of an object.
func (d *Directory) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if err := cmp.Or(CheckName(name), ctx.Err()); err != nil {
		return nil, 0, err
	}
	root, err := d.open()
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	f, err := root.Open(name)
	var info fs.FileInfo
	if err == nil {
		if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
			err = errors.Join(cmp.Or(err, fs.ErrNotExist), f.Close())
		}
	}
	switch {
	case absent(err):
		return nil, 0, fmt.Errorf("%s: %w", name, ErrMissing)
	case err != nil:
		return nil, 0, fmt.Errorf("open %s: %w", name, withoutPath(err))
	}
	return &exact{body: f, remaining: info.Size()}, info.Size(), nil
}

// exact is a reader that returns io.EOF only after the expected number of bytes.
type exact struct {
	body      io.ReadCloser
	remaining int64 // bytes
}

func (e *exact) Read(p []byte) (int, error) {
	if e.remaining == 0 {
		return 0, io.EOF
	}
	n, err := e.body.Read(p[:min(int64(len(p)), e.remaining)])
	e.remaining -= int64(n)
	if errors.Is(err, io.EOF) {
		if err = nil; e.remaining > 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

func (e *exact) Close() error { return e.body.Close() }

// List walks through the directory. Files with other names than an object can have are ignored.
func (d *Directory) List(ctx context.Context, folder string, visit func(Object) error) error {
	if err := CheckFolder(folder); err != nil {
		return err
	}
	root, err := d.open()
	if err != nil {
		return err
	}
	defer root.Close()
	return walk(ctx, root.FS(), cmp.Or(folder, "."), visit)
}

func walk(ctx context.Context, in fs.FS, folder string, visit func(Object) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(in, folder)
	if absent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", folder, withoutPath(err))
	}
	// Compare folders with their slash, because "a-b/c" sorts before "a/c", although "a" sorts before "a-b".
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) })
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		switch {
		case CheckName(name) != nil:
		case entry.IsDir():
			err = walk(ctx, in, name, visit)
		case entry.Type().IsRegular():
			err = visitFile(name, entry, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sortName(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}

func visitFile(name string, entry fs.DirEntry, visit func(Object) error) error {
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
		return nil
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", name, withoutPath(err))
	}
	return visit(Object{Name: name, Size: info.Size()})
}

// Delete removes the file of an object and the directories that become empty.
func (d *Directory) Delete(ctx context.Context, name string) error {
	if err := cmp.Or(CheckName(name), ctx.Err()); err != nil {
		return err
	}
	root, err := d.open()
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Lstat(name); err != nil || info.IsDir() {
		if err == nil || absent(err) {
			return nil
		}
		return fmt.Errorf("delete %s: %w", name, withoutPath(err))
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", name, withoutPath(err))
	}
	dir := path.Dir(name)
	for ; dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil { // not empty, or removed by another process
			break
		}
	}
	return syncIn(root, dir)
}
