// Package instance is the data directory of an installation: it makes the folder,
// keeps its secrets, opens and closes the records, the events and the search index
// in it, and copies, checks, repairs and brings them forward. What the files are
// called is said in package datadir, who may open them by the lock of package
// control.
//
//	instance.go  the open directory
//	folder.go    the directory itself and its staging folder
//	files.go     local files, and the way to other storage
//	secrets.go   secrets.toml
//	images.go    copies of both databases of one moment
//	upgrade.go   copies from before an upgrade
//	check.go     check and repair without a server
//	checkfiles.go  local files beside their records
//	examine.go   what svc doctor asks without a server
package instance

import (
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/setting"
	"svc/search"
	"svc/store"
)

// Instance is a data directory opened by the process that holds its lock.
type Instance struct {
	Store   *store.Store
	Index   *search.Index
	Events  *event.Engine
	Files   *Files
	Staging string // folder for files that are only there while they are needed

	lock *control.Lock
}

// Open opens the data directory of the settings, whose lock it owns from here on,
// also when it fails. What is missing in the directory is made, secrets included,
// which it puts into the settings; what an older version wrote is brought forward.
func Open(lock *control.Lock, s *setting.Settings, version string, log *slog.Logger) (*Instance, error) {
	i := &Instance{lock: lock}
	if err := i.open(s, version, log); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

func (i *Instance) open(s *setting.Settings, version string, log *slog.Logger) (err error) {
	if i.Staging, err = EmptyStaging(s.Data); err != nil {
		return err
	}
	old := Has(s.Data, datadir.Database)
	// Secrets come first: opening the database makes their file durable too.
	made, err := EnsureSecrets(s)
	if err != nil {
		return err
	}
	if made && old {
		log.Warn("secrets of an existing database were missing and were generated again: earlier logins or API keys no longer work", "file", filepath.Join(s.Data, datadir.Secrets))
	}
	upgrade := BeforeUpgrade(s.Data, version, log)
	if i.Store, err = store.Open(filepath.Join(s.Data, datadir.Database), store.Options{
		Log: log, Upgrade: upgrade, DedupWindow: time.Duration(s.DedupWindowSeconds) * time.Second,
	}); err != nil {
		return err
	}
	if i.Index, err = search.Open(s.Data, i.Store, log); err != nil {
		return err
	}
	i.Events, err = event.Open(filepath.Join(s.Data, datadir.Events), event.Options{Log: log, Upgrade: upgrade, MaxSize: int64(s.EventMaxSizeMiB) << 20})
	if err != nil {
		return err
	}
	i.Files, err = openFiles(s, version, log)
	return err
}

// Close closes everything that is open, and gives back the lock last.
func (i *Instance) Close() error {
	var err error
	if i.Files != nil {
		err = i.Files.close()
	}
	if i.Events != nil {
		err = errors.Join(err, i.Events.Close())
	}
	if i.Index != nil {
		err = errors.Join(err, i.Index.Close())
	}
	if i.Store != nil {
		err = errors.Join(err, i.Store.Close())
	}
	return errors.Join(err, i.lock.Release())
}
