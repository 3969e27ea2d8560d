package instance

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"svc/internal/cdn"
	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/files/slicecache"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/internal/setting"
	"svc/store"
)

// Files is the directory of local files, opened, and the way to all others.
type Files struct {
	Dir      string // of local files, uploads and the cache
	Storages *storage.Storages
	Uploads  *upload.Sessions
	Cache    *slicecache.Cache // of files on other storage
	Keys     *seal.Keys
	CDN      *cdn.Client

	removing sync.RWMutex // see Hold
	lock     *storageLock
}

// Hold prevents the removal of contents until release is called. It is for copying the
// records and then the contents that they refer to. It waits for removals that have
// begun.
func (f *Files) Hold() (release func()) {
	f.removing.Lock()
	return f.removing.Unlock
}

// TryHold is Hold, unless it would have to wait.
func (f *Files) TryHold() (release func(), ok bool) {
	if !f.removing.TryLock() {
		return nil, false
	}
	return f.removing.Unlock, true
}

// BeginRemoval asks to remove contents of files: objects, or what is staged. While
// somebody holds them it is not ok, and to be asked again later. Otherwise end must be
// called soon.
func (f *Files) BeginRemoval() (end func(), ok bool) {
	if !f.removing.TryRLock() {
		return nil, false
	}
	return f.removing.RUnlock, true
}

// openFiles makes what is missing in the directory of local files, claims it for the
// database with an owner id, and opens it. The secret that keys are derived from must be in
// the settings. The errors are the same as for claimStorage, or from the file system.
func openFiles(s *setting.Settings, owner uuid.UUID, version string, log *slog.Logger) (f *Files, err error) {
	config := outbound.Config{Profile: outbound.Operator, Version: version, Ports: OwnPorts(s)}
	f = &Files{Dir: s.StorageDir, Keys: seal.NewKeys([]byte(s.JWTSecret))}
	defer func() {
		if err != nil {
			f, err = nil, errors.Join(fmt.Errorf("open storage directory %s: %w", s.StorageDir, err), f.close())
		}
	}()
	if f.lock, err = claimStorage(f.Dir, s.Data, owner); err != nil {
		return f, err
	}
	if f.Storages, err = storage.NewStorages(f.Dir, outbound.New(config)); err != nil {
		return f, err
	}
	if f.Uploads, err = upload.Open(below(f.Dir, datadir.Uploads), time.Now, log); err != nil {
		return f, err
	}
	if f.Cache, err = slicecache.Open(slicecache.Config{Dir: below(f.Dir, datadir.Slices), MaxBytes: s.DistCacheMaxSize, Log: log}); err != nil {
		return f, err
	}
	config.Profile = outbound.Fixed
	f.CDN = cdn.NewClient(outbound.New(config), s.CDNAliyunURL, s.CDNCloudflareURL)
	return f, nil
}

// below is the path of a part of a directory.
func below(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

// OwnPorts are the ports that a server with these settings listens on, as far as they
// are known before it does.
func OwnPorts(s *setting.Settings) (ports []uint16) {
	for _, address := range []string{s.Listen, s.RedirectListen, s.MetricsListen} {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && n > 0 {
			ports = append(ports, uint16(n))
		}
	}
	return ports
}

func (f *Files) close() (err error) {
	if f.Cache != nil {
		err = f.Cache.Close()
	}
	if f.Storages != nil {
		err = errors.Join(err, f.Storages.Close())
	}
	return errors.Join(err, f.lock.release())
}

// Open returns the back end that a record describes. It does not connect. A password
// that cannot be decrypted is a fault of kind Invalid.
func (f *Files) Open(b *store.StorageBackend) (storage.Backend, error) {
	if b.Builtin() {
		return f.Storages.Local(), nil
	}
	password, err := f.Keys.Open(seal.StoragePassword, b.Password)
	if err != nil {
		return nil, err
	}
	return f.Storages.Open(storage.Config{
		Kind: storage.Kind(b.Kind), BaseURL: b.BaseURL, Username: b.Username, Password: password, PartSize: int64(b.PartSizeKB) << 10,
		Region: b.Region, Bucket: b.Bucket, PathPrefix: b.PathPrefix, PathStyle: b.PathStyle,
	})
}

// Credentials returns the saved ones of the CDN. A secret that cannot be decrypted is a
// fault of kind Invalid, as are credentials that are not complete.
func (f *Files) Credentials(c *store.CDN) (cdn.Credentials, error) {
	if !c.Configured() {
		return cdn.Credentials{}, fault.New(fault.Invalid, "the credentials of the CDN are incomplete: access_key_id and access_key_secret are needed")
	}
	secret, err := f.Keys.Open(seal.CDNKeySecret, c.Secret)
	return cdn.Credentials{Provider: c.Provider, KeyID: c.KeyID, Secret: secret}, err
}
