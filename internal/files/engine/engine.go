// Package engine implements the steps in the life of a file. It registers uploads,
// transfers contents to their storage, deletes objects, refreshes links in the CDN, and
// removes what interrupted steps have left behind. Package jobs decides when these steps
// run.
//
//	engine.go    Engine, and holding contents during a backup
//	register.go  records of completed uploads
//	mirror.go    records of attachments of releases
//	fetch.go     downloads of attachments
//	transfer.go  transfers of pending files to their storage
//	content.go   checksums and facts of contents
//	verify.go    signatures of contents
//	delete.go    removal of the objects of deleted files
//	refresh.go   refreshes of links in the CDN
//	cleanup.go   removal of contents that are not needed
package engine

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"svc/internal/cdn"
	"svc/internal/fault"
	"svc/internal/files/slicecache"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/seal"
	"svc/store"
)

// Config contains the settings and dependencies of an Engine.
type Config struct {
	DB  *store.Store
	Log *slog.Logger
	Now func() time.Time // the clock; nil means time.Now

	Dir      string // directory that contains local files, uploads and the cache
	Storages *storage.Storages
	Uploads  *upload.Sessions
	Cache    *slicecache.Cache // cache for files on remote storages
	Keys     *seal.Keys        // keys that decrypt the credentials of storages and the CDN
	CDN      *cdn.Client

	// Fetch is the client for downloading attachments. It has the profile outbound.Data and ends
	// stalled downloads.
	Fetch    *http.Client
	CodeHost string // address of the code host, from whose releases attachments are downloaded
	BaseURL  string // beginning of direct links, without a trailing slash; "" = there is no host for them
	MaxSize  int64  // maximum size of a file, in bytes
	// FetchTime limits the total time of an attachment's download. 0 means 30 minutes.
	FetchTime time.Duration
	// Pauses lists the pauses before the second and each later attempt of a transfer, in
	// whole seconds. If the last attempt fails, the file is marked as failed until a client
	// retries it. nil means 1, 4 and 15 seconds.
	Pauses []time.Duration
}

// Engine manages the directory of local files and the access to all other storages. It is safe for
// concurrent use.
type Engine struct {
	Config

	removing  sync.RWMutex // locked for reading during a removal, and for writing by Hold
	transfers transfers
	failures  storageFailures

	reading sync.Mutex // held while facts are read from the content of a file, which may need much memory
}

// New returns an engine. It starts no goroutines.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Pauses == nil {
		c.Pauses = []time.Duration{time.Second, 4 * time.Second, 15 * time.Second}
	}
	c.FetchTime = cmp.Or(c.FetchTime, 30*time.Minute)
	return &Engine{
		Config:    c,
		transfers: transfers{ended: make(chan struct{}, 1), active: map[store.FileID]context.CancelFunc{}},
		failures:  storageFailures{errs: map[string]error{}},
	}
}

// Hold prevents the removal of objects and staged contents until release is called. A backup calls
// it so that it can copy the records and then all contents to which they refer. Hold waits for
// removals that have already begun.
func (e *Engine) Hold() (release func()) {
	e.removing.Lock()
	return e.removing.Unlock
}

// TryHold is like Hold, but does not wait. ok is false if a removal or another hold is in
// progress.
func (e *Engine) TryHold() (release func(), ok bool) {
	if !e.removing.TryLock() {
		return nil, false
	}
	return e.removing.Unlock, true
}

// BeginRemoval must be called before objects or staged contents are removed. If ok is
// true, the caller may remove them and must call end soon afterwards. If ok is false, the
// contents are held, and the caller must try again later.
func (e *Engine) BeginRemoval() (end func(), ok bool) {
	if !e.removing.TryRLock() {
		return nil, false
	}
	return e.removing.RUnlock, true
}

// Open returns the storage back end that a record describes, without connecting to it. If
// the password cannot be decrypted, the error is a fault of kind Invalid.
func (e *Engine) Open(b *store.StorageBackend) (storage.Backend, error) {
	if b.Builtin() {
		return e.Storages.Local(), nil
	}
	password, err := e.Keys.Open(seal.StoragePassword, b.Password)
	if err != nil {
		return nil, err
	}
	return e.Storages.Open(storage.Config{
		Kind: storage.Kind(b.Kind), BaseURL: b.BaseURL, Username: b.Username, Password: password, PartSize: int64(b.PartSizeKB) << 10,
		Region: b.Region, Bucket: b.Bucket, PathPrefix: b.PathPrefix, PathStyle: b.PathStyle,
	})
}

// backendOf opens the storage with the given id.
func (e *Engine) backendOf(id string) (storage.Backend, error) {
	b, err := store.Read(e.DB, func(tx *store.Tx) (*store.StorageBackend, error) { return tx.StorageBackend(id) })
	if err != nil {
		return nil, err
	}
	return e.Open(b)
}

// Credentials returns the saved credentials of the CDN. If they are incomplete or the secret cannot
// be decrypted, the error is a fault of kind Invalid.
func (e *Engine) Credentials(c *store.CDN) (cdn.Credentials, error) {
	if !c.Configured() {
		return cdn.Credentials{}, fault.New(fault.Invalid,
			"the credentials of the CDN are incomplete: access_key_id and access_key_secret are needed")
	}
	secret, err := e.Keys.Open(seal.CDNKeySecret, c.Secret)
	return cdn.Credentials{Provider: c.Provider, KeyID: c.KeyID, Secret: secret}, err
}
