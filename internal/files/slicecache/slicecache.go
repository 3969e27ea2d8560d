// Package slicecache keeps slices of files from slow storages on the local disk.
package slicecache

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"
)

// SliceSize is the size of every slice but the last one of an object, in bytes.
const SliceSize = 4 << 20

// Config says where a cache is and how large it may be.
type Config struct {
	Dir      string
	MaxBytes int64            // of all slices; below SliceSize nothing is kept
	Wait     time.Duration    // for the fetch of another; 60 s when 0
	Now      func() time.Time // time.Now when nil
	Log      *slog.Logger
}

// Fetch reads length bytes of an object from its storage.
type Fetch func(ctx context.Context, offset, length int64) (io.ReadCloser, error)

// Cache is a cache in a folder.
type Cache struct{}

// Open finds the slices of a folder again.
func Open(c Config) (*Cache, error) { return &Cache{}, nil }

// Reader reads length bytes from offset of an object of size bytes. It returns
// when the first slice is there; hit reports whether it was before.
func (c *Cache) Reader(ctx context.Context, key string, size, offset, length int64, fetch Fetch) (r io.ReadCloser, hit bool, err error) {
	return nil, false, errors.New("the cache is not there yet")
}

// Forget drops the slices of an object.
func (c *Cache) Forget(key string) {}

// Sweep removes slices that nobody used for 30 days.
func (c *Cache) Sweep() error { return nil }

// Close ends what is being fetched.
func (c *Cache) Close() error { return nil }
