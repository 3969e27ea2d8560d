package search

import (
	"errors"
	"os"
	"path/filepath"

	"svc/internal/datadir"
	"svc/store"
)

// errMissing is returned for an index that does not exist.
var errMissing = errors.New("it does not exist")

// Probe returns the reason why the index in a data directory cannot catch up with the
// store and will be rebuilt, or nil if it can. It changes nothing. The caller must hold
// the lock of the directory.
func Probe(dir string, db *store.Store) error {
	path := filepath.Join(dir, datadir.Index)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return errMissing
	}
	r, err := readRoot(path)
	if err != nil {
		return err
	}
	return r.checkpoint.check(db)
}
