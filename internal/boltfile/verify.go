package boltfile

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Verify reads every page of a file and verifies the tree and the free pages by the rules
// of bbolt. The file must not be open. The error is ErrDamaged, ErrLocked or an error of
// the file system, each with the path.
func Verify(path string) (err error) {
	if err := ExaminePages(path, func(_, _ []byte) {}); err != nil {
		return err
	}
	db, err := openReadOnly(path, nil)
	if err != nil {
		return fmt.Errorf("verify %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(func(tx *bbolt.Tx) (err error) {
		for found := range tx.Check() { // read to the end, because a goroutine sends the errors
			if err == nil {
				err = fmt.Errorf("verify %s: %w: %w", path, ErrDamaged, found)
			}
		}
		return err
	})
}
