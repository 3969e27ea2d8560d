// Package storage stores the content of files in a local directory, on a WebDAV server,
// or in an object store with the S3 protocol. The test suite in package storagetest
// defines how these back ends must behave.
//
//	storage.go  Backend, its values, and Storages, which opens back ends
//	local.go    objects below the storage directory
//	webdav.go   objects on a WebDAV server: writing, parts, deletion, probe
//	dav.go      one request to a WebDAV server
//	s3.go       objects in a bucket
//	read.go     reading over HTTP, which verifies every response
//	staging.go  contents that wait to be moved to another storage
//	bucket.go      objects of a replica in a bucket
//	collection.go  objects of a replica on a WebDAV server
package storage

import (
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

	"svc/internal/outbound"
)

// Object identifies stored content.
type Object struct {
	Key      string // f/{project}/{id}/{filename}
	Size     int64  // bytes
	PartSize int64  // bytes; 0 means that the content is not split into parts
}

// Backend is a place where objects are stored. Its methods are safe for concurrent use.
// The texts of its errors can be shown to users: they contain no addresses and no data
// sent by a server.
type Backend interface {
	// Put stores the file at path, which must have size bytes, as an object with the given
	// key, and verifies the object. Local moves the file; the caller must have synced it,
	// and it must be on the file system of the storage directory. The other back ends copy
	// the file and leave it in place. After an error, Put can be called again and replaces
	// the object.
	Put(ctx context.Context, key, path string, size int64) (Object, error)

	// Open returns a reader for length bytes of the object, starting at offset. The range must lie
	// within the object. If the storage ends the transfer early or sends wrong data, either Open or
	// a Read before the last byte returns an error that wraps io.ErrUnexpectedEOF. Incomplete data
	// never ends with io.EOF. If the object does not exist, the error wraps fs.ErrNotExist. Local
	// returns an *os.File positioned at offset, so that the kernel can copy the content. The caller
	// must not read more than length bytes of this file.
	Open(ctx context.Context, o Object, offset, length int64) (io.ReadCloser, error)

	// Delete removes an object with all its parts. It succeeds if the object does not exist.
	Delete(ctx context.Context, o Object) error

	// Stat reports whether the object exists and has the right size.
	Stat(ctx context.Context, o Object) (bool, error)

	// Probe tests the operations that a back end must support.
	Probe(ctx context.Context) Probe

	// Sweep removes the remains of unfinished writes that began before the given time. Only
	// S3 has such remains: unfinished multipart uploads. In the other back ends, the next
	// Put or Delete of the object removes all remains.
	Sweep(ctx context.Context, before time.Time) error
}

// Probe is the result of Backend.Probe.
type Probe struct {
	OK bool
	// RangeSupported reports whether the server can send a part of an object. LargeWriteOK reports
	// whether 2 MiB, or a part of the configured size, can be written in one request. nil means
	// unknown.
	RangeSupported, LargeWriteOK *bool
	Latency                      time.Duration
	Error                        string // the problem that the probe found; "" = none
	// Public reports whether objects can be read without credentials. Only S3 sets it.
	Public bool
}

// Kind is a kind of back end.
type Kind string

// The kinds of back ends.
const (
	KindLocal  Kind = "local"
	KindWebDAV Kind = "webdav"
	KindS3     Kind = "s3"
)

// Config contains the location of a back end and the credentials for it. Fields that do
// not apply to the kind of back end are zero.
type Config struct {
	Kind     Kind
	BaseURL  string // http or https address of the collection or of the S3 endpoint
	Username string // user name or access key id
	Password string // password or secret access key
	PartSize int64  // size of parts in bytes, for WebDAV only; 0 means that files are not split

	Region     string // "" = ask the endpoint
	Bucket     string
	PathPrefix string // no slash at either end
	PathStyle  bool   // if false, the bucket is part of the host name
}

// Storages opens back ends. It keeps one back end for each configuration, so that
// connections, and facts that the back end has learned about the server, are reused.
type Storages struct {
	client *http.Client
	local  *Local

	mu   sync.Mutex // guards open
	open map[Config]Backend
}

// NewStorages opens the storage directory dir, and creates it if necessary. Remote back
// ends use client, which must have the profile outbound.Operator.
func NewStorages(dir string, client *http.Client) (*Storages, error) {
	local, err := openLocal(dir)
	if err != nil {
		return nil, err
	}
	return &Storages{client: client, local: local, open: map[Config]Backend{}}, nil
}

// Close closes the storage directory and idle connections.
func (s *Storages) Close() error {
	s.client.CloseIdleConnections()
	return s.local.root.Close()
}

// Local returns the built-in back end.
func (s *Storages) Local() *Local { return s.local }

// Open returns the back end with the given configuration, without connecting to it.
func (s *Storages) Open(c Config) (Backend, error) {
	if c.Kind == KindLocal {
		return s.local, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.open[c]; ok {
		return b, nil
	}
	b, err := s.connect(c)
	if err != nil {
		return nil, err
	}
	s.open[c] = b
	return b, nil
}

func (s *Storages) connect(c Config) (Backend, error) {
	switch c.Kind {
	case KindWebDAV:
		return newWebDAV(c, s.client)
	case KindS3:
		return newS3(c, s.client, s3Attempts)
	default:
		return nil, fmt.Errorf("there is no storage of kind %q", c.Kind)
	}
}

// baseURL parses and validates the address of a back end.
func baseURL(text string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil {
		return nil, errors.New("base_url must be an http or https address without credentials")
	}
	base.RawQuery, base.Fragment = "", ""
	return base, nil
}

// checkKey returns an error unless the key consists of four plain names, the first of
// which is "f". An object with another key could not be removed together with its
// collection.
func checkKey(key string) error {
	segments := strings.Split(key, "/")
	if len(segments) != 4 || segments[0] != "f" || !fs.ValidPath(key) || strings.ContainsAny(key, "\\\x00") {
		return errKey
	}
	return nil
}

// checkRange returns an error if the range exceeds the object.
func (o Object) checkRange(offset, length int64) error {
	if offset < 0 || length < 0 || offset > o.Size || length > o.Size-offset {
		return fmt.Errorf("range of %d bytes from %d is not within %d bytes", length, offset, o.Size)
	}
	return checkKey(o.Key)
}

// collection returns the path of the collection that contains only the object with the given key.
func collection(key string) string { return path.Dir(key) }

// openSized opens a file. It fails if the file does not have the given size in bytes.
func openSized(path string, size int64) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() != size) {
		err = fmt.Errorf("the staged file has %d bytes instead of %d", info.Size(), size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// explain converts the error of a request to an error without addresses in its text. It
// returns errors of this package unchanged.
func explain(err error) error {
	for _, known := range []error{errBroken, errAbsent, errPresent} {
		if errors.Is(err, known) {
			return err
		}
	}
	return outbound.Explain(err)
}

var (
	errKey    = errors.New("the object key must have the form f/{project}/{id}/{filename}")
	errBroken = fmt.Errorf("the storage broke off: %w", io.ErrUnexpectedEOF)
)
