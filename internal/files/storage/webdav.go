package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/studio-b12/gowebdav"
)

// partTime limits the time for writing one part. partPauses lists the pauses between
// attempts to write it.
const partTime = 2 * time.Minute

var partPauses = [...]time.Duration{time.Second, 2 * time.Second, 4 * time.Second}

// transfers is the number of parts of an object that are written concurrently.
const transfers = 2

// WebDAV stores objects at {base}/{key}, so that a CDN can use the server as its origin.
// Objects that are larger than the part size are stored in parts, in
// {base}/f/{project}/{id}/parts.
type WebDAV struct {
	client             *http.Client
	base               *url.URL // without a slash at its end
	username, password string
	partSize           int64
	listing            int64 // maximum size in bytes of the list of a collection

	making sync.Mutex // held while collections are created

	mu   sync.Mutex      // guards made
	made map[string]bool // collections that are known to exist; "" = the base
}

func newWebDAV(c Config, client *http.Client) (*WebDAV, error) {
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	return &WebDAV{
		client: client, base: base, username: c.Username, password: c.Password,
		partSize: c.PartSize, listing: maxListing, made: map[string]bool{},
	}, nil
}

// Put writes the file as a whole or in parts, and verifies the lengths on the server.
func (d *WebDAV) Put(ctx context.Context, key, file string, size int64) (Object, error) {
	if err := checkKey(key); err != nil {
		return Object{}, err
	}
	f, err := openSized(file, size)
	if err != nil {
		return Object{}, err
	}
	defer f.Close()
	o := Object{Key: key, Size: size}
	if d.partSize > 0 && size > d.partSize {
		o.PartSize = d.partSize
		return o, d.putParts(ctx, o, f)
	}
	if err := d.write(ctx, key, f, size); err != nil {
		return Object{}, err
	}
	return o, d.verify(ctx, key, size)
}

// write writes the content to a name, after creating the collections of the name. If a
// collection that write had created earlier has been removed from the server, write
// creates it again.
func (d *WebDAV) write(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	for again := false; ; again = true {
		if err := d.mkcol(ctx, path.Dir(name)); err != nil {
			return err
		}
		status, err := d.call(ctx, davURL(d.base, name), func(c *gowebdav.Client) error {
			// with a path directly below the root, the library creates no collections
			return c.WriteStreamWithLength("/content", io.NewSectionReader(content, 0, size), size, 0)
		})
		switch {
		case err == nil:
			return nil
		case (status == http.StatusNotFound || status == http.StatusConflict) && !again:
			d.forget()
		default:
			return fmt.Errorf("write %d bytes: %w", size, err)
		}
	}
}

// verify checks that a written file has the given length on the server.
func (d *WebDAV) verify(ctx context.Context, name string, size int64) error {
	length, err := d.lengthOf(ctx, name, size)
	if err == nil && length != size {
		err = lied(fmt.Sprintf("it has %d bytes of the %d that were written", length, size))
	}
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

// mkcol creates a collection and its parents, except those that are known to exist. Only
// one goroutine at a time creates collections, because servers lock them during the
// creation.
func (d *WebDAV) mkcol(ctx context.Context, name string) error {
	if d.knows(name) {
		return nil
	}
	d.making.Lock()
	defer d.making.Unlock()
	level := ""
	for _, segment := range append([]string{""}, strings.Split(name, "/")...) {
		if level = path.Join(level, segment); d.knows(level) {
			continue
		}
		if err := d.mkcolOne(ctx, level); err != nil {
			return fmt.Errorf("make a collection: %w", err)
		}
		d.mu.Lock()
		if len(d.made) >= maxMade {
			clear(d.made)
		}
		d.made[level] = true
		d.mu.Unlock()
	}
	return nil
}

func (d *WebDAV) mkcolOne(ctx context.Context, name string) error {
	to := d.base.JoinPath("/")
	if name != "" {
		to = davURL(d.base, name+"/")
	}
	status, err := d.control(ctx, to, func(c *gowebdav.Client) error { return c.Mkdir("/", 0) })
	// 423: another client makes the collection.
	for pause := firstPause; status == http.StatusLocked && pause <= lastPause; pause *= 2 {
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		status, err = d.control(ctx, to, func(c *gowebdav.Client) error { return c.Mkdir("/", 0) })
	}
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusForbidden: // the collection exists
		return nil
	case 0, http.StatusUnauthorized:
	default:
		if name == "" { // the base may exist, but outside of the user's permissions
			return nil
		}
	}
	return err
}

func (d *WebDAV) knows(collection string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made[collection]
}

// maxMade limits the number of collections that are remembered as existing. Each object
// has its own collection.
const maxMade = 10_000

func (d *WebDAV) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.made)
}

// partName returns the name of the part with the given index. The first part has index 0.
func partName(key string, index int64) string {
	return fmt.Sprintf("%s/parts/%06d", collection(key), index)
}

// parts returns the number of parts of an object.
func (o Object) parts() int64 { return (o.Size + o.PartSize - 1) / o.PartSize }

// part returns the size in bytes of the part with the given index.
func (o Object) part(index int64) int64 {
	return min(o.PartSize, o.Size-index*o.PartSize)
}

// maxParts is the maximum number of parts. The names of parts have six digits.
const maxParts = 1_000_000

// putParts writes the file f in parts and verifies the length of each part.
func (d *WebDAV) putParts(ctx context.Context, o Object, f *os.File) error {
	if o.parts() > maxParts {
		return fmt.Errorf("a file of %d bytes has more than %d parts of %d bytes", o.Size, maxParts, o.PartSize)
	}
	err := concurrently(ctx, o.parts(), func(ctx context.Context, i int64) error {
		content := io.NewSectionReader(f, i*o.PartSize, o.part(i))
		err := repeatedly(ctx, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, partTime)
			defer cancel()
			return d.write(ctx, partName(o.Key, i), content, o.part(i))
		})
		if err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	known := d.lengths(ctx, path.Dir(partName(o.Key, 0)))
	for i := range o.parts() {
		if name := partName(o.Key, i); known[path.Base(name)] != o.part(i) {
			if err := d.verify(ctx, name, o.part(i)); err != nil {
				return fmt.Errorf("part %d: %w", i, err)
			}
		}
	}
	return nil
}

// concurrently calls fn for each number from 0 to n-1, with at most two calls at a time,
// until a call fails.
func concurrently(ctx context.Context, n int64, fn func(context.Context, int64) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	indexes := make(chan int64)
	var running sync.WaitGroup
	for range min(n, transfers) {
		running.Go(func() {
			for i := range indexes {
				if err := fn(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := int64(0); i < n && ctx.Err() == nil; i++ {
		select {
		case indexes <- i:
		case <-ctx.Done():
		}
	}
	close(indexes)
	running.Wait()
	return context.Cause(ctx)
}

// repeatedly calls fn until it succeeds. It waits between the attempts, and returns the
// last error when all of partPauses have been used.
func repeatedly(ctx context.Context, fn func(context.Context) error) error {
	err := fn(ctx)
	for _, pause := range partPauses {
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		err = fn(ctx)
	}
	return err
}

// Open returns a reader for a range of the object. It opens only the parts that overlap the range.
func (d *WebDAV) Open(ctx context.Context, o Object, offset, length int64) (io.ReadCloser, error) {
	if err := o.checkRange(offset, length); err != nil {
		return nil, err
	}
	if length == 0 {
		return http.NoBody, nil
	}
	if o.PartSize == 0 {
		return reader(d.get(ctx, o.Key, span{o.Size, offset, length}))
	}
	j := &joined{object: o, offset: offset, end: offset + length}
	j.open = func(index, offset, length int64) (io.ReadCloser, error) {
		return reader(d.get(ctx, partName(o.Key, index), span{o.part(index), offset, length}))
	}
	if err := j.next(); err != nil {
		return nil, err
	}
	return j, nil
}

func (d *WebDAV) get(ctx context.Context, name string, s span) (*content, error) {
	return s.get(ctx, d.client, davURL(d.base, name), name, d.authorize)
}

// Delete removes the collection of the object, and with it all parts.
func (d *WebDAV) Delete(ctx context.Context, o Object) error {
	if err := checkKey(o.Key); err != nil {
		return err
	}
	if err := d.remove(ctx, collection(o.Key)+"/"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.made, collection(o.Key))
	delete(d.made, path.Dir(partName(o.Key, 0)))
	return nil
}

func (d *WebDAV) remove(ctx context.Context, name string) error {
	status, err := d.control(ctx, davURL(d.base, name), func(c *gowebdav.Client) error { return c.RemoveAll("/") })
	switch {
	case err == nil:
		return nil
	case status == http.StatusBadRequest: // the library reports this status if the connection was lost
		return errors.New("delete: the storage did not answer, or answered 400")
	default: // a 207 response lists members that could not be deleted
		return fmt.Errorf("delete: %w", err)
	}
}

// Stat reports whether the object exists with all its parts and the right size.
func (d *WebDAV) Stat(ctx context.Context, o Object) (bool, error) {
	if err := checkKey(o.Key); err != nil {
		return false, err
	}
	if o.PartSize == 0 {
		return d.has(ctx, o.Key, o.Size)
	}
	known := d.lengths(ctx, path.Dir(partName(o.Key, 0)))
	for i := range o.parts() {
		if name := partName(o.Key, i); known[path.Base(name)] != o.part(i) {
			if ok, err := d.has(ctx, name, o.part(i)); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func (d *WebDAV) has(ctx context.Context, name string, size int64) (bool, error) {
	length, err := d.lengthOf(ctx, name, size)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && length == size, err
}

// Sweep does nothing. After an interrupted Put, either Put is repeated or the object is
// deleted, which removes all remains.
func (d *WebDAV) Sweep(context.Context, time.Time) error { return nil }

// probeCollection is the collection into which probes write.
const probeCollection = ".svc-probe"

// Probe writes a small text and reads bytes 7 to 13 of it. Then it tests whether 2 MiB, or a part
// of the configured size, can be written in one request.
func (d *WebDAV) Probe(ctx context.Context) Probe {
	d.forget()
	begin := time.Now()
	ranges, err := d.probeSmall(ctx)
	p := Probe{OK: err == nil, Latency: time.Since(begin)}
	if err != nil {
		p.Error = err.Error()
		return p
	}
	p.RangeSupported = &ranges
	size := int64(2 << 20)
	if d.partSize > 0 {
		size = d.partSize
	}
	err = d.probeLarge(ctx, size)
	p.LargeWriteOK = new(err == nil)
	if err != nil {
		p.Error = fmt.Sprintf("%d KiB cannot be written at once; set a part size below that: %v", size>>10, err)
	}
	return p
}

func (d *WebDAV) probeSmall(ctx context.Context) (ranges bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	name := probeCollection + "/small.txt"
	if err := d.write(ctx, name, bytes.NewReader([]byte(probeText)), int64(len(probeText))); err != nil {
		return false, err
	}
	ranges, err = probeRange(func(s span) (*content, error) { return d.get(ctx, name, s) })
	return ranges, errors.Join(err, d.remove(ctx, name))
}

func (d *WebDAV) probeLarge(ctx context.Context, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	name := probeCollection + "/large.bin"
	err := d.write(ctx, name, zeros{}, size)
	if err == nil {
		err = d.verify(ctx, name, size)
	}
	return errors.Join(err, d.remove(ctx, probeCollection+"/"))
}

// zeros is content of any length that takes no memory.
type zeros struct{}

// ReadAt fills p with zeros.
func (zeros) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}
