package store

import (
	"context"
	"errors"
	"fmt"

	"svc/internal/boltfile"
	"svc/internal/integrity"
)

// checkRecords checks that the buckets are consistent with each other, by the rules in
// docs/format/svc-db.md. The rules must hold after every transaction.
func (tx *Tx) checkRecords() error {
	report := integrity.NewReport(nil)
	all := []error{newChecker(context.Background(), tx, report).run()}
	for _, f := range report.Listed() {
		all = append(all, fmt.Errorf("%s %s: %s", f.Kind, f.Where, f.What))
	}
	return errors.Join(all...)
}

// Put writes a key and a value to the bucket with the given path. If the value is nil, it
// deletes the key.
func (tx *Tx) Put(key, value []byte, path ...[]byte) error {
	b := tx.at(path)
	if value == nil {
		return b.Delete(key)
	}
	return b.Put(key, value)
}

// SetSequence sets the last number that a bucket has issued.
func (tx *Tx) SetSequence(n uint64, path ...[]byte) error { return tx.at(path).SetSequence(n) }

func (tx *Tx) at(path [][]byte) *boltfile.Bucket {
	b := tx.bolt.Bucket(path[0])
	for _, name := range path[1:] {
		b = b.Bucket(name)
	}
	return b
}
