package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/studio-b12/gowebdav"

	"svc/internal/outbound"
)

// Collection stores the objects of a replica at {base}/{name} on a WebDAV server. Its callers choose
// the names, in which no segment begins with a dot. Its errors have the texts of WebDAV;
// outbound.RetryAfter returns when the next request may be sent.
//
// No header of PUT makes it create-only: Apache checks If-None-Match before it receives the content,
// and other servers ignore it. MOVE with "Overwrite: F" is atomic in golang.org/x/net/webdav and
// rclone, which lock the names of a request. Apache looks for the object before it renames the file,
// and two clients can get a lock at once. But it creates a collection with a single system call, as
// nginx does. Create therefore writes an unfinished object, claims the name by making a collection,
// and moves the object.
type Collection struct {
	*outbound.Watch
	dav   *WebDAV
	sweep sync.Once // before the first Create
}

// maxReplicaListing is the maximum size in bytes of the list of a collection: of about a million
// objects.
const maxReplicaListing = 1 << 30

// OpenCollection returns a collection without connecting to the server.
func OpenCollection(c Config, client *http.Client) (*Collection, error) {
	watch := outbound.NewWatch(client.Transport)
	d, err := newWebDAV(c, watched(client, watch))
	if err != nil {
		return nil, err
	}
	d.listing = maxReplicaListing
	return &Collection{Watch: watch, dav: d}, nil
}

// unfinished is the collection with objects that are being written, and with claims. unfinishedAge is the
// age at which such an object is deleted.
const (
	unfinished    = ".svc-unfinished"
	unfinishedAge = 6 * time.Hour
)

// Create writes an object that must not exist. If it exists, the error wraps fs.ErrExist.
func (c *Collection) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	c.sweep.Do(func() { _ = c.removeUnfinished(ctx) }) // nothing there is an object
	temporary := unfinished + "/" + rand.Text()
	err := c.dav.write(ctx, temporary, content, size)
	if err == nil {
		err = c.dav.verify(ctx, temporary, size)
	}
	if err == nil {
		err = c.publish(ctx, temporary, name)
	}
	if err != nil {
		_ = c.dav.remove(context.WithoutCancel(ctx), temporary) // or it is swept
	}
	return c.Busy(err)
}

// publish moves an object to a name that must not exist.
func (c *Collection) publish(ctx context.Context, from, to string) error {
	if err := c.dav.mkcol(ctx, path.Dir(to)); err != nil {
		return err
	}
	release, err := c.claim(ctx, to)
	if err != nil {
		return err
	}
	defer release()
	header := http.Header{"Destination": {davURL(c.dav.base, to).String()}, "Overwrite": {"F"}}
	for pause := firstPause; ; pause *= 2 {
		status, err := c.dav.send(ctx, "MOVE", from, header)
		switch {
		case err != nil:
			return fmt.Errorf("move: %w", err)
		case success(status):
			return nil
		case status == http.StatusPreconditionFailed:
			return errPresent
		case pause > lastPause:
			return fmt.Errorf("move: %w", statusError(status))
		case status == http.StatusConflict: // the collection has been removed
			c.dav.forget()
			err = c.dav.mkcol(ctx, path.Dir(to))
		case status == http.StatusLocked: // another client moves an object to the name
			err = sleep(ctx, pause)
		default:
			return fmt.Errorf("move: %w", statusError(status))
		}
		if err != nil {
			return err
		}
	}
}

// The pauses between attempts double from firstPause to lastPause.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

func sleep(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return outbound.Explain(ctx.Err())
	case <-time.After(pause):
		return nil
	}
}

// claimTime is the age at which a claim is void, because its client has ended.
const claimTime = time.Minute

// claim waits until no other client has claimed a name, and claims it. If an object with the name
// exists, the error is errPresent.
func (c *Collection) claim(ctx context.Context, name string) (release func(), err error) {
	place := fmt.Sprintf("%s/claim-%x", unfinished, sha256.Sum256([]byte(name)))
	begin := time.Now()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		status, err := c.dav.send(ctx, "MKCOL", place, http.Header{})
		switch {
		case err != nil:
			return nil, fmt.Errorf("claim the name: %w", err)
		case success(status):
			return func() { _ = c.dav.remove(context.WithoutCancel(ctx), place+"/") }, nil
		case !slices.Contains(claimed, status), time.Since(begin) > 2*claimTime:
			return nil, fmt.Errorf("claim the name: %w", statusError(status))
		}
		if _, err := c.dav.lengthOf(ctx, name, 0); err == nil {
			return nil, errPresent
		}
		if err := cmp.Or(sleep(ctx, pause), c.removeUnfinished(ctx)); err != nil {
			return nil, err
		}
	}
}

// claimed lists how servers refuse to make a collection that exists: 403 if it was made during the
// request, 423 if another request makes it.
var claimed = []int{http.StatusMethodNotAllowed, http.StatusForbidden, http.StatusLocked}

// send sends a request without content, and returns the status of the response.
func (d *WebDAV) send(ctx context.Context, method, name string, header http.Header) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, claimTime-controlTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, davURL(d.base, name).String(), nil)
	if err != nil {
		return 0, err
	}
	r.Header = header
	d.authorize(r)
	answer, err := d.client.Do(r) //nolint:bodyclose // closed below
	if err != nil {
		return 0, outbound.Explain(err)
	}
	rest := &drained{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	return answer.StatusCode, outbound.Explain(rest.Close())
}

// removeUnfinished deletes what ended clients have left: void claims, and old unfinished objects.
func (c *Collection) removeUnfinished(ctx context.Context) error {
	list, err := c.members(ctx, unfinished)
	if err != nil {
		return fmt.Errorf("list unfinished objects: %w", err)
	}
	ahead, _ := c.ClockOffset()
	for _, info := range list {
		name, limit := unfinished+"/"+info.Name(), unfinishedAge
		if info.IsDir() {
			name, limit = name+"/", claimTime
		}
		if at := info.ModTime(); at.Unix() > 0 && at.Before(time.Now().Add(ahead-limit)) {
			if err := c.dav.remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Replace writes an object whether it exists or not. Whether readers can see a part of it depends on
// the server: Apache and rclone rename a complete file.
func (c *Collection) Replace(ctx context.Context, name string, content []byte) error {
	return c.Busy(c.dav.write(ctx, name, bytes.NewReader(content), int64(len(content))))
}

// Open returns a reader for an object and the size of the object in bytes. If the object does not
// exist, the error wraps fs.ErrNotExist.
func (c *Collection) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	answer, err := request(ctx, c.dav.client, davURL(c.dav.base, name), "", c.dav.authorize)
	if err != nil {
		return nil, 0, c.Busy(err)
	}
	size := answer.ContentLength
	if _, err = (span{size, 0, size}).believe(answer, name); err == nil && size < 0 {
		err = errUnknownLength
	}
	if err != nil {
		return nil, 0, c.Busy(errors.Join(err, answer.Body.Close()))
	}
	return &content{body: answer.Body, remaining: size, last: true}, size, nil
}

// List calls visit for each object below the folder, in the order of their names, until visit returns
// an error. An empty folder means all objects.
func (c *Collection) List(ctx context.Context, folder string, visit func(name string, size int64) error) error {
	return c.Busy(c.walk(ctx, folder, visit))
}

func (c *Collection) walk(ctx context.Context, folder string, visit func(name string, size int64) error) error {
	list, err := c.members(ctx, folder)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	// Compare folders with their slash, because "a-b/c" sorts before "a/c", although "a" sorts before "a-b".
	sortName := func(info fs.FileInfo) string {
		if info.IsDir() {
			return info.Name() + "/"
		}
		return info.Name()
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int { return cmp.Compare(sortName(a), sortName(b)) })
	for _, info := range list {
		name := path.Join(folder, info.Name())
		switch {
		// The server can have unfinished objects, too. rclone lists the collection in itself.
		case strings.HasPrefix(info.Name(), "."), !fs.ValidPath(info.Name()):
		case info.IsDir():
			err = c.walk(ctx, name, visit)
		default:
			err = visit(name, info.Size())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// members returns the members of a collection, or none if it does not exist.
func (c *Collection) members(ctx context.Context, name string) (list []fs.FileInfo, err error) {
	to := c.dav.base.JoinPath("/")
	if name != "" {
		to = davURL(c.dav.base, name+"/")
	}
	status, err := c.dav.call(ctx, to, func(client *gowebdav.Client) (err error) {
		list, err = client.ReadDir("/")
		return err
	})
	if status == http.StatusNotFound {
		return nil, nil
	}
	return list, err
}

// Delete deletes an object. It succeeds if the object does not exist. Delete keeps empty collections,
// because deleting a collection would also delete objects that another client is creating in it.
func (c *Collection) Delete(ctx context.Context, name string) error {
	return c.Busy(c.dav.remove(ctx, name))
}
