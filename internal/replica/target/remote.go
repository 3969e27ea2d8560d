package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// remote stores objects in a bucket or in a collection.
type remote struct{ objects }

// objects is implemented by storage.Bucket and storage.Collection. Their errors wrap fs.ErrExist and
// fs.ErrNotExist.
type objects interface {
	Create(ctx context.Context, name string, content io.ReaderAt, size int64) error
	Replace(ctx context.Context, name string, content []byte) error
	Open(ctx context.Context, name string) (io.ReadCloser, int64, error)
	List(ctx context.Context, folder string, visit func(name string, size int64) error) error
	Delete(ctx context.Context, name string) error
	ClockOffset() (ahead time.Duration, known bool)
}

func newRemote(o objects, err error) (Target, error) {
	if err != nil {
		return nil, err
	}
	return remote{o}, nil
}

// named adds the name of an object to an error, and converts the errors that callers distinguish.
func named(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w", name, ErrExists)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", name, ErrMissing)
	default:
		return fmt.Errorf("%s: %w", name, err)
	}
}

func (r remote) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return named(name, r.objects.Create(ctx, name, content, size))
}

func (r remote) Replace(ctx context.Context, name string, content []byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return named(name, r.objects.Replace(ctx, name, content))
}

func (r remote) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if err := CheckName(name); err != nil {
		return nil, 0, err
	}
	content, size, err := r.objects.Open(ctx, name)
	return content, size, named(name, err)
}

// List skips other objects than those with names of this package.
func (r remote) List(ctx context.Context, folder string, visit func(Object) error) error {
	if err := CheckFolder(folder); err != nil {
		return err
	}
	return r.objects.List(ctx, folder, func(name string, size int64) error {
		if CheckName(name) != nil {
			return nil
		}
		return visit(Object{Name: name, Size: size})
	})
}

func (r remote) Delete(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return named(name, r.objects.Delete(ctx, name))
}

// ClockOffset returns how far the clock of the target is ahead of that of this machine, to about a
// second. known is false before the first response, and for a directory.
func ClockOffset(t Target) (ahead time.Duration, known bool) {
	if c, ok := t.(interface{ ClockOffset() (time.Duration, bool) }); ok {
		return c.ClockOffset()
	}
	return 0, false
}
