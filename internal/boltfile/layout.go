package boltfile

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// What every file has in the same place, whatever its format.
var (
	metaBucket = []byte("meta")
	formatKey  = []byte("format") // 4 bytes
	writerKey  = []byte("writer") // the version of svc that opened it last for writing
)

// Layout is the formats of a kind of file that a program knows.
type Layout struct {
	// Oldest is the first format that can be opened.
	Oldest uint32
	// Steps bring a file forward by one format each, the first one from Oldest.
	Steps []func(*bbolt.Tx) error
}

// Newest is the format that files have when they have been opened.
func (l Layout) Newest() uint32 { return l.Oldest + uint32(len(l.Steps)) }

// Upgrade is what happens to a file that is opened besides reading it.
type Upgrade struct {
	// Version is that of this program, which the file remembers; "" is not noted.
	Version string
	// Before is called before a file of an older format is changed. After an error
	// it is not. nil does nothing.
	Before func() error
}

// NewerError says that a file has a format that this program does not know.
type NewerError struct {
	Path           string
	Format         uint32 // of the file
	Oldest, Newest uint32 // that this program reads
	Writer         string // the version of svc that wrote it last; "" = not known
}

// Error names the formats.
func (e *NewerError) Error() string {
	return fmt.Sprintf("format %d, this program reads up to %d: %v", e.Format, e.Newest, ErrNewer)
}

// Is makes it an ErrNewer.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// Settle brings an open file forward to the newest format, one transaction a
// step, and notes who did. A crash in between leaves one of the formats. The
// errors are a *NewerError, with which nothing is changed, ErrDamaged, that of
// Before, and those of steps and file system. A file that is open for reading only
// must have the newest format already.
func (l Layout) Settle(db *DB, u Upgrade) error {
	format, writer, err := mark(db)
	if err != nil {
		return err
	}
	if format > l.Newest() {
		return &NewerError{Path: db.Path(), Format: format, Oldest: l.Oldest, Newest: l.Newest(), Writer: writer}
	}
	if format < l.Oldest {
		return fmt.Errorf("%w: format %d, this program reads %d to %d", ErrDamaged, format, l.Oldest, l.Newest())
	}
	if db.options.ReadOnly {
		return l.RefuseOlder(db)
	}
	if format < l.Newest() && u.Before != nil {
		if err := u.Before(); err != nil {
			return fmt.Errorf("copy before the upgrade: %w", err)
		}
	}
	for ; format < l.Newest(); format++ {
		err := db.Update(func(tx *bbolt.Tx) error {
			if err := l.Steps[format-l.Oldest](tx); err != nil {
				return err
			}
			return tx.Bucket(metaBucket).Put(formatKey, binary.BigEndian.AppendUint32(nil, format+1))
		})
		if err != nil {
			return fmt.Errorf("upgrade from format %d: %w", format, err)
		}
	}
	if u.Version == "" || u.Version == writer {
		return nil
	}
	return db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(writerKey, []byte(u.Version)) })
}

// RefuseOlder is an error when a file has an older format than the newest, for
// those who read or write only that. Where no format can be read it is nil.
func (l Layout) RefuseOlder(db *DB) error {
	format, _, err := mark(db)
	if err == nil && format < l.Newest() {
		return fmt.Errorf("format %d is that of an older version: svc serve brings it forward", format)
	}
	return nil
}

// mark reads the format of a file and who wrote it last.
func mark(db *DB) (format uint32, writer string, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		if meta == nil {
			return fmt.Errorf("%w: no bucket %s", ErrDamaged, metaBucket)
		}
		raw := meta.Get(formatKey)
		if len(raw) != 4 {
			return fmt.Errorf("%w: no format number", ErrDamaged)
		}
		format, writer = binary.BigEndian.Uint32(raw), string(meta.Get(writerKey))
		return nil
	})
	return format, writer, err
}
