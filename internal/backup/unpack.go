package backup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"svc/internal/durable"
)

// changes makes all changes of the file system in this package. Tests set its hook, which
// is called before each change, to interrupt an operation.
type changes struct{ before func() error } // nil = no hook

func (c changes) do(change func() error) error {
	if c.before != nil {
		if err := c.before(); err != nil {
			return err
		}
	}
	return change()
}

// unpack writes the members of an archive to files in a directory, and syncs the files
// and their directories. It returns the manifest of the archive. If want is not nil, the
// archive must match it, which also limits the sizes of the files.
func (c changes) unpack(from io.Reader, identities []Identity, want *Manifest, to string) (*Manifest, error) {
	root, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	sizes, folders := map[string]int64{}, map[string]bool{}
	if want != nil {
		for _, m := range want.Members {
			sizes[m.Name] = m.Size
		}
	}
	found, err := Read(from, identities, func(m Member, content io.Reader) error {
		if size, ok := sizes[m.Name]; want != nil && (!ok || size != m.Size) {
			return fmt.Errorf("%w: it has changed since it was verified", ErrDamaged)
		}
		for dir := path.Dir(m.Name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
		if err := c.do(func() error { return root.MkdirAll(filepath.FromSlash(path.Dir(m.Name)), 0o700) }); err != nil {
			return err
		}
		return c.write(root, m, content)
	})
	if err != nil {
		return nil, err
	}
	for dir := range folders {
		if err := c.do(func() error { return durable.SyncDir(filepath.Join(to, filepath.FromSlash(dir))) }); err != nil {
			return nil, err
		}
	}
	return found, c.do(func() error { return durable.SyncDir(to) })
}

// write creates the file for a member. The file must not exist yet.
func (c changes) write(root *os.Root, m Member, content io.Reader) error {
	return c.do(func() error {
		f, err := root.OpenFile(filepath.FromSlash(m.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Chmod(os.FileMode(m.Mode)), f.Sync(), f.Close())
	})
}
