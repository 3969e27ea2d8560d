// Package engine owns the life of a file: its upload is registered, its content transferred to a
// storage, its object deleted and its link refreshed in the CDN, and what interrupted steps leave
// behind is cleaned up. Package jobs decides when these steps run.
//
//	engine.go    Engine, its parts, holding contents for a backup
//	register.go  uploads become records
//	mirror.go    attachments of releases become records
//	fetch.go     downloads of attachments
//	transfer.go  pending files, brought to their storage
//	delete.go    objects of deleted files, for each storage on its own
//	refresh.go   links that the CDN must forget
//	cleanup.go   contents without a record or without a use
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

// Config holds everything that an Engine uses.
type Config struct {
	DB  *store.Store
	Log *slog.Logger
	Now func() time.Time // time.Now when nil

	Dir      string // of local files, uploads and the cache
	Storages *storage.Storages
	Uploads  *upload.Sessions
	Cache    *slicecache.Cache // of files on other storage
	Keys     *seal.Keys        // of the credentials of storages and the CDN
	CDN      *cdn.Client

	// Fetch downloads attachments: a client of profile outbound.Data that ends stalled
	// downloads.
	Fetch    *http.Client
	CodeHost string // web address whose attachments are copied
	BaseURL  string // what direct links begin with, without a slash at the end; "" = they have no host
	MaxSize  int64  // bytes of the largest file
	// FetchTime is how long the download of an attachment may take. 0 = 30 minutes.
	FetchTime time.Duration
	// Pauses are those before the second and each later attempt of a transfer, in whole
	// seconds. After the last attempt the file has failed until a client retries it. nil = 1, 4
	// and 15 seconds.
	Pauses []time.Duration
}

// Engine is the directory of local files and the access to all other storage. It is safe for
// concurrent use.
type Engine struct {
	Config

	removing  sync.RWMutex // see Hold
	transfers transfers
	failures  storageFailures
}

// New returns an engine. It has no goroutine.
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

// Hold prevents the removal of contents until release is called. It is for copying the
// records and then the contents that they refer to. It waits for removals that have
// begun.
func (e *Engine) Hold() (release func()) {
	e.removing.Lock()
	return e.removing.Unlock
}

// TryHold is Hold, unless it would have to wait.
func (e *Engine) TryHold() (release func(), ok bool) {
	if !e.removing.TryLock() {
		return nil, false
	}
	return e.removing.Unlock, true
}

// BeginRemoval asks to remove contents of files: objects, or staged contents. It is not ok while
// they are held, and the caller must ask again later. Otherwise the caller must call end soon.
func (e *Engine) BeginRemoval() (end func(), ok bool) {
	if !e.removing.TryRLock() {
		return nil, false
	}
	return e.removing.RUnlock, true
}

// Open returns the back end that a record describes. It does not connect. A password
// that cannot be decrypted is a fault of kind Invalid.
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

// backendOf opens a storage by its id.
func (e *Engine) backendOf(id string) (storage.Backend, error) {
	b, err := store.Read(e.DB, func(tx *store.Tx) (*store.StorageBackend, error) { return tx.StorageBackend(id) })
	if err != nil {
		return nil, err
	}
	return e.Open(b)
}

// Credentials returns the saved credentials of the CDN. A secret that cannot be decrypted is a
// fault of kind Invalid, as are credentials that are not complete.
func (e *Engine) Credentials(c *store.CDN) (cdn.Credentials, error) {
	if !c.Configured() {
		return cdn.Credentials{}, fault.New(fault.Invalid,
			"the credentials of the CDN are incomplete: access_key_id and access_key_secret are needed")
	}
	secret, err := e.Keys.Open(seal.CDNKeySecret, c.Secret)
	return cdn.Credentials{Provider: c.Provider, KeyID: c.KeyID, Secret: secret}, err
}
