package store

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"svc/internal/boltfile"
)

var (
	ownerKey      = []byte("owner_id")    // in meta
	sweepAfterKey = []byte("sweep_after") // in meta
)

// sweepPause is the time in which storages are not searched for objects without a record
// after the records were replaced as a whole.
const sweepPause = 24 * time.Hour

// Owner returns the id by which a storage directory knows this database. A backup and its
// restore keep it, unlike ID, so that a restored database still opens its storage.
func (s *Store) Owner() uuid.UUID { return s.owner }

func putNewID(meta *boltfile.Bucket, key []byte) error {
	id := uuid.New()
	return meta.Put(key, id[:])
}

// SweepAfter returns the time before which objects without a record must be left alone, or
// the zero time.
func (tx *Tx) SweepAfter() time.Time { return tx.metaTime(sweepAfterKey) }

// HoldSweeps keeps objects without a record where they are for sweepPause: records were
// restored or imported, or a storage directory was adopted.
func (tx *Tx) HoldSweeps() error { return tx.putMetaTime(sweepAfterKey, tx.now.Add(sweepPause)) }

// Renew gives the file a new id and holds the sweeps of storages. It is for a copy that is
// restored: what was derived from the original, and the disk of its backups, are not the
// copy's, and storages may have objects of later records.
func (s *Store) Renew() error {
	id := uuid.New()
	err := s.Update(func(tx *Tx) error {
		meta := tx.bolt.Bucket(metaBucket)
		return errors.Join(meta.Put(storeIDKey, id[:]), meta.Delete(backupFolderKey), tx.HoldSweeps())
	})
	if err == nil {
		s.id = id
	}
	return err
}
