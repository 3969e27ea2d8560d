package instance

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"svc/internal/cdn"
	"svc/internal/datadir"
	"svc/internal/files/engine"
	"svc/internal/files/slicecache"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/outbound"
	"svc/internal/seal"
	"svc/internal/setting"
)

// openFiles opens the directory of local files, and creates missing parts of it. It claims the
// directory for the database; see claimStorage. The settings must contain the secret from which
// keys are derived. The error is one that claimStorage returns, or one of the file system.
func (i *Instance) openFiles(s *setting.Settings, version string, log *slog.Logger) (err error) {
	operator := outbound.Config{Profile: outbound.Operator, Version: version, Ports: OwnPorts(s)}
	fixed := operator
	fixed.Profile = outbound.Fixed
	// a download may take any amount of time as long as bytes arrive
	fetch := outbound.New(outbound.Config{Profile: outbound.Data, Version: version, Trusted: s.CodehostWebBaseURL})
	fetch.Transport = outbound.Idle(fetch.Transport, outbound.IdleTime)
	c := engine.Config{
		DB: i.Store, Log: log, Dir: s.StorageDir, Keys: seal.NewKeys([]byte(s.JWTSecret)),
		CDN:     cdn.NewClient(outbound.New(fixed), s.CDNAliyunURL, s.CDNCloudflareURL),
		Fetch:   fetch,
		BaseURL: s.DistBaseURL, CodeHost: s.CodehostWebBaseURL, MaxSize: int64(s.UploadMaxMB) << 20,
	}
	defer func() {
		i.Files = engine.New(c)
		if err != nil {
			err = fmt.Errorf("open storage directory %s: %w", s.StorageDir, err)
		}
	}()
	if i.storage, err = claimStorage(c.Dir, s.Data, i.Store.Owner()); err != nil {
		return err
	}
	if c.Storages, err = storage.NewStorages(c.Dir, outbound.New(operator)); err != nil {
		return err
	}
	if c.Uploads, err = upload.Open(below(c.Dir, datadir.Uploads), time.Now, log); err != nil {
		return err
	}
	c.Cache, err = slicecache.Open(slicecache.Config{Dir: below(c.Dir, datadir.Slices), MaxBytes: s.DistCacheMaxSize, Log: log})
	return err
}

// below returns the path of a file in dir. name is the path of the file relative to dir, with
// slashes as separators.
func below(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

// OwnPorts returns the ports on which a server with these settings listens. It leaves out
// ports that the operating system chooses, because they are not known before the server
// listens.
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

// closeFiles closes everything that openFiles has opened. It can be called even if
// openFiles has failed.
func (i *Instance) closeFiles() (err error) {
	if i.Files != nil && i.Files.Cache != nil {
		err = i.Files.Cache.Close()
	}
	if i.Files != nil && i.Files.Storages != nil {
		err = errors.Join(err, i.Files.Storages.Close())
	}
	return errors.Join(err, i.storage.release())
}
