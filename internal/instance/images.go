package instance

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/disk"
	"svc/internal/event"
	"svc/store"
)

// CopyData copies both databases to a new folder in the directory staging, which it creates if
// necessary. Both copies are as of the same point in time, the result at. The name of the folder
// begins with prefix. The caller must remove the folder. If there is not enough space for the
// copies, CopyData writes nothing and returns a NoSpace fault.
func CopyData(
	db *store.Store, events *event.Engine, now func() time.Time, staging, prefix string,
) (folder string, at time.Time, err error) {
	return CopyDataWhen(db, events, now, staging, prefix, func() error { return nil })
}

// CopyDataWhen is like CopyData. It calls imaged at the point in time of the copies, while writes to both databases
// are blocked, and returns its error.
func CopyDataWhen(
	db *store.Store, events *event.Engine, now func() time.Time, staging, prefix string, imaged func() error,
) (folder string, at time.Time, err error) {
	if err := os.MkdirAll(staging, 0o700); err != nil {
		return "", at, err
	}
	i, err := takeImages(db, events, now, imaged)
	if err != nil {
		return "", at, err
	}
	if err = disk.Need(staging, uint64(i.data.Bytes()+i.events.Bytes())+disk.Floor, "copies of the data"); err == nil {
		folder, err = os.MkdirTemp(staging, prefix)
	}
	if err != nil {
		return "", at, errors.Join(err, i.data.Close(), i.events.Close())
	}
	if err := i.copyTo(folder); err != nil {
		return "", at, errors.Join(err, os.RemoveAll(folder))
	}
	return folder, i.at, nil
}

// images contains one image of each database. Both are as of the same point in time. The
// caller must copy or close them soon.
type images struct {
	at           time.Time
	data, events *boltfile.Image
}

// takeImages takes an image of each database, and calls imaged, while writes to both are blocked.
func takeImages(db *store.Store, events *event.Engine, now func() time.Time, imaged func() error) (i images, err error) {
	db.Whole.Lock()
	defer db.Whole.Unlock()
	defer db.Hold()()
	defer events.Hold()()
	if err := imaged(); err != nil {
		return i, err
	}
	i.at = now()
	if i.data, err = db.Image(); err != nil {
		return i, err
	}
	if i.events, err = events.Image(); err != nil {
		return i, errors.Join(err, i.data.Close())
	}
	return i, nil
}

// copyTo writes the images to svc.db and events.db in a folder. It closes each image after copying
// it, so that its pages can be reused while the next one is copied.
func (i images) copyTo(folder string) error {
	err := errors.Join(i.data.Copy(filepath.Join(folder, datadir.Database)), i.data.Close())
	if err != nil {
		return errors.Join(err, i.events.Close())
	}
	return errors.Join(i.events.Copy(filepath.Join(folder, datadir.Events)), i.events.Close())
}
