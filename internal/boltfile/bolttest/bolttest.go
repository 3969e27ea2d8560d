// Package bolttest opens bbolt files in tests in ways in which the program must not open
// them: without syncing to disk, and without the package that owns the file.
package bolttest

import (
	"errors"
	"log/slog"
	"os"
	"testing"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
)

// Open opens a file and creates it if it does not exist. At the end of the test, it
// verifies that the file is sound.
func Open(tb testing.TB, path string) *boltfile.Writer {
	tb.Helper()
	err := boltfile.Create(path, func(*boltfile.Tx) error { return nil })
	if err != nil {
		tb.Fatal(err)
	}
	file, err := open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		err := file.View(func(tx *boltfile.Tx) error {
			var all []error
			for err := range tx.Check() {
				all = append(all, err)
			}
			return errors.Join(all...)
		})
		if err := errors.Join(err, file.Close()); err != nil {
			tb.Error(err)
		}
	})
	return file
}

func open(path string) (*boltfile.Writer, error) {
	db, err := boltfile.Open(path, boltfile.Options{NoSync: true})
	if err != nil {
		return nil, err
	}
	return boltfile.NewWriter(db, slog.New(slog.DiscardHandler)), nil
}

// Change modifies a file that is not open.
func Change(path string, change func(*boltfile.Tx) error) error {
	file, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Update(change), file.Close())
}

// LivePages calls visit for the bytes of each page in use, including the gaps between
// entries. The file must not be open.
func LivePages(path string, visit func(page []byte)) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		return err
	}
	defer db.Close()
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	size := int64(db.Info().PageSize)
	return db.View(func(tx *bbolt.Tx) error {
		for id := 0; ; id++ {
			page, err := tx.Page(id)
			if page == nil || err != nil {
				return err
			}
			if page.Type == "free" {
				continue
			}
			raw := make([]byte, size*int64(1+page.OverflowCount))
			if _, err := file.ReadAt(raw, size*int64(id)); err != nil {
				return err
			}
			visit(raw)
			id += page.OverflowCount
		}
	})
}
