// Package target stores the objects of a replica: in a directory, in a bucket of an S3 server, in a
// collection of a WebDAV server, or on a standby.
//
//	target.go     Target, its errors, and Open
//	location.go   the URL of a target
//	directory.go  a directory as a target
//	remote.go     S3 and WebDAV servers as targets
//	peer.go       a standby as the target; package peer is its server
//	count.go      counting the requests to a target
package target

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"svc/internal/files/storage"
	"svc/internal/outbound"
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

	// List calls visit for each object below the folder, in the order of their names, until visit
	// returns an error, which List returns. An empty folder means all objects.
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

// Credentials are the user name and password for a target. For S3 they are the access key and the
// secret key; for a peer there is only the password, which is its token.
type Credentials struct{ User, Password string }

// Open returns the target at a location, without connecting to it. The client must have the profile
// outbound.Operator.
func Open(l Location, c Credentials, client *http.Client) (Target, error) {
	switch l.Kind {
	case KindDirectory:
		return OpenDirectory(l.Directory), nil
	case KindS3:
		b, err := storage.OpenBucket(storage.Config{
			Kind: storage.KindS3, BaseURL: l.BaseURL, Username: c.User, Password: c.Password,
			Region: l.Region, Bucket: l.Bucket, PathPrefix: l.Prefix, PathStyle: l.PathStyle,
		}, client)
		return newRemote(b, err)
	case KindWebDAV:
		d, err := storage.OpenCollection(storage.Config{
			Kind: storage.KindWebDAV, BaseURL: l.BaseURL, Username: c.User, Password: c.Password,
		}, client)
		return newRemote(d, err)
	case KindPeer:
		return openPeer(l, c)
	default:
		return nil, errors.New("there is no target")
	}
}

// RetryAfter returns the duration for which a server wants no further request, or 0 if the error of a
// target does not contain one.
func RetryAfter(err error) time.Duration { return outbound.RetryAfter(err) }

// segment is a segment of the name of an object. Everything that begins with another character is
// for the files of the target itself.
var segment = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// CheckName returns an error unless the name is one that all kinds of targets can store.
func CheckName(name string) error {
	for s := range strings.SplitSeq(name, "/") {
		if !segment.MatchString(s) {
			return fmt.Errorf("%.200q cannot be the name of an object: "+
				"a segment has 1 to 128 letters, digits, dots, hyphens and underscores", name)
		}
	}
	return nil
}

// CheckFolder is like CheckName, but also accepts "", which contains all objects.
func CheckFolder(name string) error {
	if name == "" {
		return nil
	}
	return CheckName(name)
}

// CreateOnly reports whether Create of the target fails if the object exists. It tries that with an
// object of its own, which it deletes.
func CreateOnly(ctx context.Context, t Target) (bool, error) {
	name := "create-only/" + rand.Text()
	first, second := strings.NewReader("first"), strings.NewReader("second")
	if err := t.Create(ctx, name, first, first.Size()); err != nil {
		return false, fmt.Errorf("test whether the target replaces objects: %w", err)
	}
	err := t.Create(ctx, name, second, second.Size())
	honoured := errors.Is(err, ErrExists)
	if honoured {
		err = nil
	}
	if err == nil { // a target that reports the second one as a failure can have stored it all the same
		var content []byte
		if content, err = Read(ctx, t, name, second.Size()); err == nil {
			honoured = honoured && string(content) == "first"
		}
	}
	if err = errors.Join(err, t.Delete(ctx, name)); err != nil {
		return false, fmt.Errorf("test whether the target replaces objects: %w", err)
	}
	return honoured, nil
}

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
