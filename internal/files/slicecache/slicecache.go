// Package slicecache caches slices of files from remote storages on the local disk. Objects never
// change, so a cached slice is valid as long as its bytes are intact. If a slice is lost, it is
// fetched again.
//
// The file of a slice holds the slice's data, followed by the CRC-32C of each block of 64 KiB
// (slice.go). The file's name consists of a hash and a number. The directory is the only record of
// the cache. After a restart, the index and the times of last use are derived from the names,
// lengths and modification times of the files. Files are not synced, because damage is detected
// when a block is read. The index, the size limit and the fetches are in this file. The reader that
// combines slices into a download is in reader.go.
package slicecache

import (
	"container/list"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"svc/internal/durable"
)

// SliceSize is the size of a slice in bytes. Only the last slice of an object may be smaller.
const SliceSize = 4 << 20

// Life is the time for which an unused slice is kept.
const Life = 30 * 24 * time.Hour

const (
	// maxWait limits how long a reader waits for a fetch that another reader has started.
	maxWait = time.Minute
	// touchEvery is the precision with which the time of a slice's last use is stored on
	// disk.
	touchEvery = time.Hour
)

// Config configures a Cache.
type Config struct {
	Dir      string           // directory of the cache, which no other code may use; created if missing
	MaxBytes int64            // maximum total size of the slices' files; if it is less than SliceSize, hardly anything is cached
	Now      func() time.Time // the clock; nil means time.Now
	Log      *slog.Logger
}

// Fetch returns a reader for length bytes, starting at offset, of an object in its storage.
type Fetch func(ctx context.Context, offset, length int64) (io.ReadCloser, error)

// Cache caches slices in a directory. It is safe for concurrent use.
type Cache struct {
	Config
	root *os.Root
	ctx  context.Context // context of all fetches; canceled by Close
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex // guards all following fields
	index   map[objectHash]map[int64]*slice
	recent  list.List // the values are of type *slice, the most recently used first
	bytes   int64     // total size of the files on disk and of the space reserved for fetches
	fetches map[sliceID]*fetching
	failing bool // whether writing the last slice failed
}

// fetching is a fetch that is in progress, with the number of readers that wait for it.
type fetching struct {
	cancel  context.CancelFunc
	waiting int
	done    chan struct{}
	err     error // set before done is closed
}

var (
	errLate     = errors.New("the fetch of this part by another request takes too long")
	errUncached = errors.New("the slice cannot be cached")
	errClosed   = errors.New("the cache is closed")
)

// Open opens a cache. It indexes the slices in the directory without reading their content, and
// removes slices that are too old or exceed the size limit.
func Open(c Config) (*Cache, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if err := durable.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.Dir)
	if err != nil {
		return nil, err
	}
	cache := &Cache{Config: c, root: root, index: map[objectHash]map[int64]*slice{}, fetches: map[sliceID]*fetching{}}
	cache.ctx, cache.stop = context.WithCancel(context.Background())
	if err := errors.Join(cache.scan(), cache.Sweep()); err != nil {
		return nil, errors.Join(err, cache.Close())
	}
	return cache, nil
}

// Close cancels all running fetches and waits until they have ended.
func (c *Cache) Close() error {
	c.stop()
	c.done.Wait()
	return c.root.Close()
}

// scan builds the index from the files in the directory.
func (c *Cache) scan() error {
	names, err := fs.ReadDir(c.root.FS(), ".")
	if err != nil {
		return err
	}
	var found []*slice
	for _, name := range names {
		id, ok := parseName(name.Name())
		info, err := name.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case ok && info.Mode().IsRegular():
			found = append(found, &slice{id: id, bytes: info.Size(), used: info.ModTime(), touched: info.ModTime()})
		case strings.HasPrefix(name.Name(), fetchPrefix): // left behind by a killed process
			if err := c.root.Remove(name.Name()); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(found, func(a, b *slice) int { return a.used.Compare(b.used) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range found {
		c.add(s)
		c.bytes += s.bytes
	}
	c.reserve(0)
	return nil
}

// Sweep removes slices that have not been used for 30 days.
func (c *Cache) Sweep() error {
	old := c.Now().Add(-Life)
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed error
	for e := c.recent.Back(); e != nil && e.Value.(*slice).used.Before(old); {
		s := e.Value.(*slice)
		e = e.Prev()
		failed = errors.Join(failed, c.evict(s))
	}
	return failed
}

// Forget removes all slices of an object and cancels its running fetches.
func (c *Cache) Forget(key string) {
	object := objectOf(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.index[object] {
		c.discard(s)
	}
	for id, f := range c.fetches {
		if id.object == object {
			f.cancel()
			delete(c.fetches, id)
		}
	}
}

// add adds a slice to the index as the most recently used one. The caller must hold mu.
func (c *Cache) add(s *slice) {
	of := c.index[s.id.object]
	if of == nil {
		of = map[int64]*slice{}
		c.index[s.id.object] = of
	}
	if former := of[s.id.number]; former != nil { // a new file has replaced the file of this slice
		c.remove(former)
		c.index[s.id.object] = of
	}
	of[s.id.number] = s
	s.element = c.recent.PushFront(s)
}

// remove removes a slice from the index. The caller must hold mu.
func (c *Cache) remove(s *slice) {
	of := c.index[s.id.object]
	if of[s.id.number] != s {
		return
	}
	delete(of, s.id.number)
	if len(of) == 0 {
		delete(c.index, s.id.object)
	}
	c.recent.Remove(s.element)
	c.bytes -= s.bytes
}

// evict removes a slice and its file. Readers that have the file open can continue to read it. If
// the operating system refuses to remove an open file, the slice stays in the cache. The caller
// must hold mu.
func (c *Cache) evict(s *slice) error {
	if err := c.root.Remove(s.id.name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c.remove(s)
	return nil
}

// discard removes a slice that must not be served again, for example a damaged one. The caller must
// hold mu.
func (c *Cache) discard(s *slice) {
	if c.evict(s) != nil {
		c.remove(s) // the file can stay, because the next fetch replaces it
	}
}

// reserve evicts the least recently used slices until there is room for the given number
// of bytes, and adds the bytes to the space in use. It returns false if there cannot be
// enough room. The caller must hold mu.
func (c *Cache) reserve(bytes int64) bool {
	for e := c.recent.Back(); e != nil && c.bytes+bytes > c.MaxBytes && bytes <= c.MaxBytes; {
		s := e.Value.(*slice)
		e = e.Prev()
		_ = c.evict(s) // if it cannot be removed, try the next one
	}
	if c.bytes+bytes > c.MaxBytes {
		return false
	}
	c.bytes += bytes
	return true
}

// lookUp returns the cached slice with the given ID and file size, and sets its time of
// last use to now. It returns nil if there is no such slice.
func (c *Cache) lookUp(id sliceID, bytes int64) *slice {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.index[id.object][id.number]
	if s == nil {
		return nil
	}
	if s.bytes != bytes {
		c.discard(s)
		return nil
	}
	c.recent.MoveToFront(s.element)
	s.used = now
	if now.Sub(s.touched) >= touchEvery {
		s.touched = now
		_ = c.root.Chtimes(id.name(), now, now) // if this fails, the stored time is only less precise
	}
	return s
}

// fetch fetches a slice into the cache. If another reader is already fetching it, it
// waits for that fetch instead. The error is errUncached if the slice cannot be cached.
func (c *Cache) fetch(ctx context.Context, id sliceID, length int64, fetch Fetch) error {
	c.mu.Lock()
	if c.ctx.Err() != nil {
		c.mu.Unlock()
		return errClosed
	}
	f := c.fetches[id]
	var late <-chan time.Time
	if f == nil {
		f = c.begin(id, length, fetch)
	} else {
		timer := time.NewTimer(maxWait)
		defer timer.Stop()
		late = timer.C
	}
	f.waiting++
	c.mu.Unlock()
	defer c.leave(id, f)
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	case <-late:
		return errLate
	}
}

// begin starts a fetch. The fetch is canceled as soon as no reader waits for it. The
// caller must hold mu.
func (c *Cache) begin(id sliceID, length int64, fetch Fetch) *fetching {
	ctx, cancel := context.WithCancel(c.ctx)
	f := &fetching{cancel: cancel, done: make(chan struct{})}
	c.fetches[id] = f
	c.done.Go(func() {
		defer cancel()
		f.err = c.keep(ctx, id, length, fetch)
		c.mu.Lock()
		if c.fetches[id] == f {
			delete(c.fetches, id)
		}
		c.mu.Unlock()
		close(f.done)
	})
	return f
}

// leave records that a reader no longer waits for a fetch. If no other reader waits for it, leave
// cancels the fetch.
func (c *Cache) leave(id sliceID, f *fetching) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.cancel()
	if c.fetches[id] == f {
		delete(c.fetches, id)
	}
}

// keep fetches a slice into a file and adds it to the cache.
func (c *Cache) keep(ctx context.Context, id sliceID, length int64, fetch Fetch) error {
	bytes := fileBytes(length)
	c.mu.Lock()
	room := c.reserve(bytes)
	c.mu.Unlock()
	if !room {
		return errUncached
	}
	temporary, err := writeSlice(ctx, c.root, id, length, fetch)
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		if err = ctx.Err(); err == nil { // if ctx has ended, Forget may have been called for the object
			err = uncached(errors.Join(c.root.Chtimes(temporary, now, now), c.root.Rename(temporary, id.name())))
		}
		if err != nil {
			_ = c.root.Remove(temporary)
		}
	}
	c.report(err)
	if err != nil {
		c.bytes -= bytes
		return err
	}
	c.add(&slice{id: id, bytes: bytes, used: now, touched: now})
	return nil
}

// report logs the first of several consecutive failures to write a slice, and the first success
// after a failure. The caller must hold mu.
func (c *Cache) report(err error) {
	switch failed := errors.Is(err, errUncached); {
	case failed && !c.failing:
		c.Log.Warn("cannot write to the file cache; serving from the storage", "error", err)
	case err == nil && c.failing:
		c.Log.Info("file cache can be written again")
	case err != nil && !failed:
		return // the disk did not cause this error
	}
	c.failing = err != nil
}
