package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"svc/internal/outbound"
)

// Bucket stores the objects of a replica at {path prefix}/{name} in a bucket. Unlike S3 it sends each
// request once, and its callers choose the names. Its errors have the same texts; outbound.RetryAfter
// returns when the next request may be sent.
type Bucket struct {
	*outbound.Watch
	s3 *S3
}

// OpenBucket returns a bucket without connecting to it.
func OpenBucket(c Config, client *http.Client) (*Bucket, error) {
	watch := outbound.NewWatch(client.Transport)
	s, err := newS3(c, watched(client, watch), 1)
	if err != nil {
		return nil, err
	}
	return &Bucket{watch, s}, nil
}

// watched returns a client that sends the requests of another one through watch.
func watched(client *http.Client, watch *outbound.Watch) *http.Client {
	c := *client
	c.Transport = watch
	return &c
}

// singlePut is the size in bytes up to which an object of a replica is written in one request.
const singlePut = 64 << 20

// conflicts is the number of times that a write is repeated because of another one of the same object.
const conflicts = 3

// Create writes an object with the header "If-None-Match: *". If the object exists, the error wraps
// fs.ErrExist.
func (b *Bucket) Create(ctx context.Context, name string, content io.ReaderAt, size int64) error {
	options := putOptions()
	options.SetMatchETagExcept("*")
	for attempt := 0; ; attempt++ {
		err := b.put(ctx, name, content, size, options)
		// The outcome of a concurrent write is not known yet.
		if status, ok := errors.AsType[statusError](err); !ok || status != http.StatusConflict || attempt == conflicts {
			return b.Busy(err)
		}
	}
}

func (b *Bucket) put(ctx context.Context, name string, content io.ReaderAt, size int64, options minio.PutObjectOptions) error {
	if size <= singlePut {
		return b.s3.write(ctx, b.s3.prefix+name, content, size, options)
	}
	return b.s3.writeParts(ctx, b.s3.prefix+name, content, size, options)
}

// Replace writes an object whether it exists or not.
func (b *Bucket) Replace(ctx context.Context, name string, content []byte) error {
	return b.Busy(b.put(ctx, name, bytes.NewReader(content), int64(len(content)), putOptions()))
}

// Open returns a reader for an object and the size of the object in bytes. If the object does not
// exist, the error wraps fs.ErrNotExist.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	body, info, header, err := b.s3.core.GetObject(ctx, b.s3.bucket, b.s3.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, 0, b.Busy(s3Error("read", err))
	}
	switch encoding := header.Get("Content-Encoding"); {
	case info.Size < 0:
		err = errUnknownLength
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		err = lied("it sent the object compressed")
	}
	if err != nil {
		return nil, 0, errors.Join(err, body.Close())
	}
	return &content{body: body, remaining: info.Size, last: true}, info.Size, nil
}

// List calls visit for each object below the folder, in the order of their names, until visit returns
// an error. An empty folder means all objects.
func (b *Bucket) List(ctx context.Context, folder string, visit func(name string, size int64) error) error {
	prefix := b.s3.prefix
	if folder != "" {
		prefix += folder + "/"
	}
	last := ""
	for o := range b.s3.core.ListObjectsIter(ctx, b.s3.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if o.Err != nil {
			return b.Busy(s3Error("list", o.Err))
		}
		name, below := strings.CutPrefix(o.Key, b.s3.prefix)
		if !below || name < last {
			return lied("it lists objects in the wrong order, or other ones than those asked for")
		}
		last = name
		if err := visit(name, o.Size); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Delete deletes an object. It succeeds if the object does not exist.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	return b.Busy(b.s3.remove(ctx, b.s3.prefix+name))
}

var errUnknownLength = lied("it does not say how long the object is")
