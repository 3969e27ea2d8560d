package jobs

import (
	"errors"
	"path/filepath"
	"time"

	"svc/internal/backup"
	"svc/internal/boltfile"
	"svc/internal/event"
	"svc/store"
)

// Images are both data files as they were at one moment. Copy or Close must be
// called soon.
type Images struct {
	At           time.Time
	data, events *boltfile.Image
}

// TakeImages makes images of both files while nobody writes to either.
func TakeImages(db *store.Store, events *event.Engine, now func() time.Time) (i *Images, err error) {
	defer db.Hold()()
	defer events.Hold()()
	i = &Images{At: now()}
	if i.data, err = db.Image(); err != nil {
		return nil, err
	}
	if i.events, err = events.Image(); err != nil {
		return nil, errors.Join(err, i.data.Close())
	}
	return i, nil
}

// Bytes is how large the copies are together.
func (i *Images) Bytes() int64 { return i.data.Bytes() + i.events.Bytes() }

// Copy writes the images to svc.db and events.db in a folder, at the speed of the
// disk, and closes each as soon as that is done: the pages that it needed are free
// again while the next one is copied.
func (i *Images) Copy(folder string) error {
	err := errors.Join(i.data.Copy(filepath.Join(folder, backup.Database)), i.data.Close())
	if err != nil {
		return errors.Join(err, i.events.Close())
	}
	return errors.Join(i.events.Copy(filepath.Join(folder, backup.Events)), i.events.Close())
}

// Close lets go of images that are not copied.
func (i *Images) Close() error { return errors.Join(i.data.Close(), i.events.Close()) }
