package crash

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// examine looks at every page of the data files of a server that is not running,
// as it was left.
func examine(data string) error {
	for _, name := range []string{"svc.db", "events.db"} {
		path := filepath.Join(data, name)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue // it was killed before it made it
		}
		if err := examineFile(path); err != nil {
			return fmt.Errorf("examine %s: %w", path, err)
		}
	}
	return nil
}

func examineFile(path string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: patience})
	if err != nil {
		return err
	}
	err = db.View(func(tx *bbolt.Tx) (err error) {
		for found := range tx.Check() {
			err = errors.Join(err, found)
		}
		return err
	})
	return errors.Join(err, db.Close())
}
