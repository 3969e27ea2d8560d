// Package storage keeps the content of files: in a local directory, on a WebDAV
// server, or in an object store that speaks the protocol of S3. What a back end
// is says the suite of package storagetest, which all three pass.
//
//	storage.go  Backend, its values, and Storages, which opens back ends
//	local.go    objects below the storage directory
//	webdav.go   objects on a WebDAV server: writing, parts, deletion, probe
//	dav.go      one request to a WebDAV server
//	s3.go       objects in a bucket
//	read.go     reading over HTTP, which believes no answer
//	staging.go  contents that wait for the job that puts them on other storage
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

// Object is what a back end keeps.
type Object struct {
	Key      string // f/{project}/{id}/{filename}
	Size     int64  // bytes
	PartSize int64  // bytes; 0 = stored whole
}

// Backend is one place where objects are kept. Its methods may be called from
// several goroutines at once. The texts of errors are for people: they name no
// address and hold nothing that a server has sent.
type Backend interface {
	// Put stores the file at path, which has size bytes, as an object of that key
	// and verifies it. Local moves the file, which its caller has synced, and
	// needs it on the file system of the storage directory; the others read it and
	// leave it. After an error, Put may be called again and replaces what is there.
	Put(ctx context.Context, key, path string, size int64) (Object, error)

	// Open reads length bytes from offset, with 0 <= offset and offset+length at
	// most the size of the object. A storage that breaks off or lies is an error
	// that wraps io.ErrUnexpectedEOF, from Open or before the last byte was read;
	// a short content that ends well does not exist. Local returns an *os.File at
	// the offset, which the caller limits to length, so that the kernel can copy
	// it. An object that is not there is an error that wraps fs.ErrNotExist.
	Open(ctx context.Context, o Object, offset, length int64) (io.ReadCloser, error)

	// Delete removes an object with all its parts. One that is not there is
	// deleted already.
	Delete(ctx context.Context, o Object) error

	// Stat reports whether the object is there and has its size.
	Stat(ctx context.Context, o Object) (bool, error)

	// Probe tries what a back end must be able to do.
	Probe(ctx context.Context) Probe

	// Sweep removes what writes that began before a moment and never ended have
	// left: unfinished multipart uploads of S3. The others leave nothing that the
	// next Put or Delete does not find.
	Sweep(ctx context.Context, before time.Time) error
}

// Probe is the result of a probe.
type Probe struct {
	OK bool
	// RangeSupported says whether a part of an object can be read alone,
	// LargeWriteOK whether 2 MiB (or a part) can be written at once; nil = not
	// known.
	RangeSupported, LargeWriteOK *bool
	Latency                      time.Duration
	Error                        string // "" = none
	// Public: the objects can be read without credentials. Only asked of S3.
	Public bool
}

// Kind is a kind of back end.
type Kind string

// The kinds.
const (
	KindLocal  Kind = "local"
	KindWebDAV Kind = "webdav"
	KindS3     Kind = "s3"
)

// Config is where a back end is and how it is reached. Its zero fields are those
// that its kind has no use for.
type Config struct {
	Kind     Kind
	BaseURL  string // http(s) address of the collection or of the S3 endpoint
	Username string // or access key id
	Password string // or secret access key
	PartSize int64  // bytes, WebDAV only; 0 = whole files

	Region     string // "" = ask the endpoint
	Bucket     string
	PathPrefix string // no slash at either end
	PathStyle  bool   // false = bucket in the host name
}

// Storages opens back ends and keeps one for each configuration, with what it has
// learned and its connections.
type Storages struct {
	client *http.Client
	local  *Local

	mu   sync.Mutex // guards open
	open map[Config]Backend
}

// NewStorages opens the storage directory, which is made if missing, and uses
// client, of profile outbound.Operator, for all others.
func NewStorages(dir string, client *http.Client) (*Storages, error) {
	local, err := openLocal(dir)
	if err != nil {
		return nil, err
	}
	return &Storages{client: client, local: local, open: map[Config]Backend{}}, nil
}

// Close closes the storage directory and connections that nobody uses.
func (s *Storages) Close() error {
	s.client.CloseIdleConnections()
	return s.local.root.Close()
}

// Local is the built-in back end.
func (s *Storages) Local() *Local { return s.local }

// Open returns the back end of a configuration. It does not connect.
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
		return newS3(c, s.client)
	default:
		return nil, fmt.Errorf("there is no storage of kind %q", c.Kind)
	}
}

// baseURL reads the address of a back end.
func baseURL(text string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil {
		return nil, errors.New("base_url must be an http or https address without credentials")
	}
	base.RawQuery, base.Fragment = "", ""
	return base, nil
}

// checkKey refuses keys that are not four plain names, the first of them "f". No
// other key could be removed with its collection.
func checkKey(key string) error {
	segments := strings.Split(key, "/")
	if len(segments) != 4 || segments[0] != "f" || !fs.ValidPath(key) || strings.ContainsAny(key, "\\\x00") {
		return errKey
	}
	return nil
}

// checkRange refuses ranges outside of an object.
func (o Object) checkRange(offset, length int64) error {
	if offset < 0 || length < 0 || offset > o.Size || length > o.Size-offset {
		return fmt.Errorf("range of %d bytes from %d is not within %d bytes", length, offset, o.Size)
	}
	return checkKey(o.Key)
}

// collection is the folder that an object has for itself.
func collection(key string) string { return path.Dir(key) }

// openSized opens a file that must have a size.
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

// explain hides addresses in errors of requests; our own stay as they are.
func explain(err error) error {
	for _, known := range []error{errWebPage, errBroken, errAbsent} {
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
