package boltfile

import (
	"errors"
	"log/slog"

	"go.etcd.io/bbolt"
)

// LargeValue is the size from which a value has a bucket of its own.
const LargeValue = largeValue

// Bolt is the database as it is open now.
func (d *DB) Bolt() *bbolt.DB { return d.now() }

// Begin begins a transaction, which must be ended.
func (d *DB) Begin(writable bool) (*Tx, error) { return d.begin(writable) }

// Update runs fn in a write transaction.
func (d *DB) Update(fn func(*Tx) error) error { return d.update(fn) }

// Usage is the size of the file up to its last page, and how much of it is free.
func (d *DB) Usage() (size, free int64, err error) { return d.usage() }

// Compact compacts the file.
func (d *DB) Compact(always bool) (Compaction, error) { return d.compact(always) }

// Finish waits for those who still read the old file.
func (c Compaction) Finish() error { return c.finish() }

// Close closes a file as its owner does.
func Close(db *DB) error { return quiet(db).Close() }

// Settle settles the file as its owner does.
func (l Layout) SettleDB(db *DB, u Upgrade) error { return l.Settle(quiet(db), u) }

func quiet(db *DB) *Writer { return NewWriter(db, slog.New(slog.DiscardHandler)) }

// Exchange puts a file in the place of the one that is open, as Compact does.
func (d *DB) Exchange(temp string) error {
	old, err := d.exchange(temp)
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	return err
}
