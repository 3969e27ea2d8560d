package search

import (
	"errors"
	"os"
	"path/filepath"

	"svc/store"
)

// errMissing is for an index that was never made, or has been deleted.
var errMissing = errors.New("it is not there")

// Look says why the index in a data directory, whose lock the caller holds,
// cannot be caught up with the store and will be built anew; nil when it can. It
// changes nothing.
func Look(dir string, db *store.Store) error {
	path := filepath.Join(dir, folderName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return errMissing
	}
	r, err := readRoot(path)
	if err != nil {
		return err
	}
	return r.stamp.check(db)
}
