// Package target stores the objects of a replica: in a directory, in a bucket of an S3 server, or in
// a collection of a WebDAV server.
//
//	target.go  Target and its errors
package target

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Target stores objects under names like "log/0000000001/0000000000000042". Its methods are safe for
// concurrent use. An object is visible only as a whole. A method returns the first failure without
// trying again, except for what the client of the storage does on its own; the caller decides when
// to try again. Errors contain neither credentials nor data that a server has sent.
type Target interface {
	// Create stores an object that must not exist. If it exists, with whatever content, the error
	// wraps ErrExists. A target that cannot do this atomically stores the object in any case; see
	// CreateOnly. After another error it is unknown whether the object is stored.
	Create(ctx context.Context, name string, content io.ReaderAt, size int64) error

	// Replace stores an object whether it exists or not.
	Replace(ctx context.Context, name string, content []byte) error

	// Open returns a reader for an object and the size of the object in bytes. If the object does not exist, the
	// error wraps ErrMissing. The reader returns io.EOF only after size bytes.
	Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error)

	// List calls visit for each object whose name begins with the folder and a slash, in the order of
	// their names, until visit returns an error, which List returns. An empty folder means all.
	List(ctx context.Context, folder string, visit func(Object) error) error

	// Delete deletes an object. It succeeds if the object does not exist.
	Delete(ctx context.Context, name string) error
}

// Object is an object as List returns it.
type Object struct {
	Name string
	Size int64 // bytes
}

// The errors of a Target that callers distinguish.
var (
	ErrExists  = errors.New("the object exists")
	ErrMissing = errors.New("the object does not exist")
)

// Read returns the content of an object. An object of more than limit bytes is an error.
func Read(ctx context.Context, t Target, name string, limit int64) ([]byte, error) {
	content, size, err := t.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if size > limit {
		return nil, errTooLarge(name, size, limit)
	}
	b := make([]byte, size)
	_, err = io.ReadFull(content, b)
	return b, err
}

func errTooLarge(name string, size, limit int64) error {
	return fmt.Errorf("%s has %d bytes, more than the limit of %d", name, size, limit)
}
