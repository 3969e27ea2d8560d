package boltfile

import (
	"errors"
	"log/slog"

	"go.etcd.io/bbolt"
)

// LargeValue is the smallest size of a value that is stored in a separate bucket.
const LargeValue = largeValue

// Bolt returns the currently open database.
func (d *DB) Bolt() *bbolt.DB { return d.now() }

// Begin starts a transaction, which the caller must end.
func (d *DB) Begin(writable bool) (*Tx, error) { return d.begin(writable) }

// Update runs fn in a write transaction.
func (d *DB) Update(fn func(*Tx) error) error { return d.update(fn) }

// Usage returns the size of the file up to its last page, and the size of the free pages.
func (d *DB) Usage() (size, free int64, err error) { return d.usage() }

// Compact compacts the file.
func (d *DB) Compact(always bool) (Compaction, error) { return d.compact(always) }

// Finish waits for the readers of the old file.
func (c Compaction) Finish() error { return c.finish() }

// Close closes a file in the way in which a server closes it, through its Writer.
func Close(db *DB) error { return quiet(db).Close() }

// SettleDB calls Settle with a Writer for the database.
func (l Layout) SettleDB(db *DB, u Upgrade) error { return l.Settle(quiet(db), u) }

func quiet(db *DB) *Writer { return NewWriter(db, slog.New(slog.DiscardHandler)) }

// Exchange replaces the open file with another one, as Compact does.
func (d *DB) Exchange(temp string) error {
	old, err := d.exchange(temp)
	if old != nil {
		err = errors.Join(err, old.Close())
	}
	return err
}
