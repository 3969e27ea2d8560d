// Package bolttest opens bbolt files in tests as nobody else may: without waiting
// for the disk, and behind the back of the program that owns them.
package bolttest

import (
	"errors"
	"log/slog"
	"os"
	"testing"

	"go.etcd.io/bbolt"

	"svc/internal/boltfile"
)

// Open opens a file and makes it if it is not there. When the test ends the file
// must be whole.
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

// Change changes a file that nobody has open.
func Change(path string, change func(*boltfile.Tx) error) error {
	file, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Update(change), file.Close())
}

// LivePages visits the bytes of all pages in use of a file that nobody has open:
// what the buckets hold and also what is between it.
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
