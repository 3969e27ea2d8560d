package slicecache

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// maxTries is the number of attempts to read a slice through the cache. An attempt fails
// if the cached slice is damaged or has been evicted again. After the last attempt, the
// slice is read directly from its storage.
const maxTries = 3

// Reader returns a reader for length bytes, starting at offset, of an object of size bytes. The
// reader reads cached slices from disk and gets missing slices with fetch, one at a time. Reader
// returns when the first slice is available. hit reports whether that slice was already cached. If
// Read cannot continue, it returns an error other than io.EOF.
//
// ctx is the context of the request. If other readers are waiting for the same slice, its fetch
// continues after ctx is canceled.
func (c *Cache) Reader(ctx context.Context, key string, size, offset, length int64, fetch Fetch) (r io.ReadCloser, hit bool, err error) {
	if offset < 0 || length < 0 || offset > size-length {
		return nil, false, fmt.Errorf("no %d bytes from %d in an object of %d", length, offset, size)
	}
	d := &download{cache: c, ctx: ctx, object: objectOf(key), size: size, at: offset, end: offset + length, fetch: fetch}
	if length == 0 {
		return d, true, nil
	}
	hit, err = d.next()
	if err != nil {
		return nil, false, err
	}
	return d, hit, nil
}

// download is the reader returned by Reader. It is not safe for concurrent use.
type download struct {
	cache   *Cache
	ctx     context.Context
	object  objectHash
	size    int64
	at, end int64 // current position, and end of the range, in the object
	fetch   Fetch

	slice  io.ReadCloser // the open slice, which contains the current position; nil if none is open
	source *slice        // cache entry of the open slice; nil if the slice is read from the storage
	bad    int           // number of times that the slice at the current position was damaged
}

// next opens the slice at the current position. hit reports whether the slice was already cached.
func (d *download) next() (hit bool, err error) {
	id := sliceID{d.object, d.at / SliceSize}
	start := id.number * SliceSize
	length := min(SliceSize, d.size-start)
	end := min(length, d.end-start)
	for try := range maxTries - d.bad {
		if s := d.cache.lookUp(id, fileBytes(length)); s != nil {
			r, err := openSlice(d.cache.root, id, length, d.at-start, end)
			if err == nil {
				d.slice, d.source = r, s
				return try == 0, nil
			}
			d.cache.damaged(s, err)
		}
		err := d.cache.fetch(d.ctx, id, length, d.fetch)
		if errors.Is(err, errUncached) {
			break
		}
		if err != nil {
			return false, err
		}
	}
	body, err := d.fetch(d.ctx, d.at, start+end-d.at)
	if err != nil {
		return false, err
	}
	d.slice, d.source = &exactly{body: body, left: start + end - d.at}, nil
	return false, nil
}

// damaged removes a slice from the cache after reading it has failed with err.
func (c *Cache) damaged(s *slice, err error) {
	c.Log.Warn("file cache has a damaged slice; fetching it again", "slice", s.id.name(), "error", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index[s.id.object][s.id.number] == s {
		c.discard(s)
	}
}

// Read reads from the current slice. At the end of a slice, it opens the next one.
func (d *download) Read(p []byte) (int, error) {
	for len(p) > 0 && d.at < d.end {
		if d.slice == nil {
			if _, err := d.next(); err != nil {
				return 0, broken(err)
			}
		}
		n, err := d.slice.Read(p)
		d.at += int64(n)
		switch {
		case errors.Is(err, errDamaged) && d.source != nil:
			d.cache.damaged(d.source, err)
			d.bad++
			err = d.closeSlice()
		case errors.Is(err, io.EOF):
			d.bad = 0
			err = d.closeSlice()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	return 0, io.EOF
}

func (d *download) closeSlice() error {
	r := d.slice
	d.slice = nil
	return r.Close()
}

// Close ends the download.
func (d *download) Close() error {
	d.at = d.end
	if d.slice == nil {
		return nil
	}
	return d.closeSlice()
}

// exactly is a reader for a fixed number of bytes of a body. It returns an error if the body is
// shorter.
type exactly struct {
	body io.ReadCloser
	left int64
}

// Read reads the remainder of the expected bytes.
func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.body.Read(p[:min(int64(len(p)), e.left)])
	if e.left -= int64(n); e.left == 0 {
		return n, nil
	}
	return n, broken(err)
}

// Close closes the body.
func (e *exactly) Close() error { return e.body.Close() }
