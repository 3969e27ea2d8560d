// Package instance manages the data directory of an installation. It creates the folder and its
// secrets. It opens and closes the records, the events, the search index and the local files, and
// it copies, checks, repairs and migrates them. Package datadir defines the names of the files. The
// lock of package control determines which process may open them.
//
//	instance.go    the open directory
//	spool.go       the changes that wait for the replica
//	folder.go      the directory itself and its staging folder
//	files.go       local files, and access to other storage
//	contents.go    the contents of local files, for the replica
//	owner.go       ownership of storage directories
//	secrets.go     secrets.toml
//	images.go      copies of both databases at one point in time
//	upgrade.go     copies made before an upgrade
//	check.go       check and repair without a server
//	checkfiles.go  compares local files with their records
//	examine.go     examination for svc doctor without a server
package instance

import (
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/files/engine"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/setting"
	"svc/search"
	"svc/store"
)

// Instance is an open data directory. The process that opened it holds the lock of the directory.
type Instance struct {
	Store   *store.Store
	Index   *search.Index
	Events  *event.Engine
	Files   *engine.Engine
	Spool   *spool.Spool // the changes that wait for the replica; nil if they are not recorded
	Staging string       // path of the folder for temporary files

	lock    *control.Lock
	storage *storageLock
}

// Open opens the data directory that the settings name. It creates missing files in it,
// including the secrets, which it also stores in the settings. It migrates data of an
// older version. Open takes over the lock of the directory, and releases it if Open
// fails.
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
	// create the secrets first, because opening the database also makes their file durable
	made, err := EnsureSecrets(s)
	if err != nil {
		return err
	}
	if made && old {
		log.Warn("secrets of an existing database were missing and were generated again: earlier logins or API keys no longer work", "file",
			filepath.Join(s.Data, datadir.Secrets))
	}
	gap, err := i.openSpool(s, log)
	if err != nil {
		return err
	}
	follows := Has(s.Data, datadir.Standby)
	upgrade := BeforeUpgrade(s.Data, version, log)
	if i.Store, err = store.Open(filepath.Join(s.Data, datadir.Database), store.Options{
		Log: log, Upgrade: upgrade, DedupWindow: time.Duration(s.DedupWindowSeconds) * time.Second, SiteURL: s.SiteURL,
		Recorder: i.Spool.Recorder(format.Records), Follow: follows,
	}); err != nil {
		return err
	}
	if i.Index, err = search.Open(s.Data, i.Store, log); err != nil {
		return err
	}
	path, options := filepath.Join(s.Data, datadir.Events), event.Options{
		Log: log, Upgrade: upgrade, MaxSize: int64(s.EventMaxSizeMiB) << 20, MaxNames: s.EventMaxNames,
		Recorder: i.Spool.Recorder(format.Events), Follow: follows,
	}
	i.Events, err = event.Open(path, options)
	if errors.Is(err, event.ErrDamaged) { // without the events, everything else still works
		i.Events, err = event.OpenDamaged(path, err, options), nil
	}
	if err != nil {
		return err
	}
	if err := i.startAt(gap, log); err != nil {
		return err
	}
	return i.openFiles(s, version, log)
}

// Close closes everything that is open and then releases the lock.
func (i *Instance) Close() error {
	err := i.closeFiles()
	if i.Events != nil {
		err = errors.Join(err, i.Events.Close())
	}
	if i.Index != nil {
		err = errors.Join(err, i.Index.Close())
	}
	if i.Store != nil {
		err = errors.Join(err, i.Store.Close())
	}
	if i.Spool != nil {
		err = errors.Join(err, i.Spool.Close())
	}
	return errors.Join(err, i.lock.Release())
}
