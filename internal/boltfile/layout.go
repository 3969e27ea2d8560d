package boltfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"svc/internal/integrity"
)

// The key that every file has in its meta bucket, regardless of its format.
var (
	metaBucket = []byte("meta")
	formatKey  = []byte("format") // 4 bytes
)

// Layout describes the formats of one kind of file that this program can open.
type Layout struct {
	// Buckets lists the buckets at the root of every file, except for the bucket node. The
	// first one contains the format.
	Buckets [][]byte
	// Node lists the keys that a file has in the bucket node because of its layout. Earlier
	// versions of svc had them in the meta bucket.
	Node [][]byte
	// Oldest is the oldest format that can be opened.
	Oldest uint32
	// Steps upgrade a file by one format each, starting with Oldest.
	Steps []func(*Tx) error
}

// Newest returns the newest format, to which Settle migrates every file.
func (l Layout) Newest() uint32 { return l.Oldest + uint32(len(l.Steps)) }

// Make creates the buckets of a new file and writes the newest format into the meta
// bucket, which it returns.
func (l Layout) Make(tx *Tx) (meta *Bucket, err error) {
	for _, name := range append([][]byte{nodeBucket}, l.Buckets...) {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return nil, err
		}
	}
	meta = tx.Bucket(metaBucket)
	return meta, meta.Put(formatKey, binary.BigEndian.AppendUint32(nil, l.Newest()))
}

// Check adds the missing parts of the layout to the report. whole is true if no part is
// missing. meta is nil if the meta bucket is missing or there is an error. The error is
// ErrNewer if the format is newer than this program's.
func (l Layout) Check(tx *Tx, report *integrity.Report) (meta *Bucket, whole bool, err error) {
	whole = true
	for _, name := range l.Buckets {
		if tx.Bucket(name) == nil {
			report.Add(integrity.Layout, "/", "there is no bucket %s", name)
			whole = false
		}
	}
	if meta = tx.Bucket(metaBucket); meta == nil {
		return nil, false, nil
	}
	raw := meta.Get(formatKey)
	if len(raw) != 4 {
		report.Add(integrity.Layout, "/meta/format", "there is no format number")
		return meta, false, nil
	}
	if format := binary.BigEndian.Uint32(raw); format > l.Newest() {
		return nil, false, fmt.Errorf("format %d, this program reads up to %d: %w", format, l.Newest(), ErrNewer)
	}
	return meta, whole, nil
}

// Upgrade configures Settle.
type Upgrade struct {
	// Version is the version of this program, which is stored in the file unless it is
	// "".
	Version string
	// Before is called before a file of an older format is changed. If it returns an
	// error, the file is not changed. It may be nil.
	Before func() error
}

// NewerError reports that a file has a format that this program does not know.
type NewerError struct {
	Path           string
	Format         uint32 // format of the file
	Oldest, Newest uint32 // formats that this program reads
	Writer         string // the version of svc that last wrote it; "" = not known
}

// Error states the format of the file and the newest one that this program reads.
func (e *NewerError) Error() string {
	return fmt.Sprintf("format %d, this program reads up to %d: %v", e.Format, e.Newest, ErrNewer)
}

// Is reports whether target is ErrNewer.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// Settle migrates an open file to the newest format, with one transaction for each step,
// and stores u.Version in it. It creates the bucket node if the file does not have it. A
// crash between two steps leaves the file in one of the formats. The error is a
// *NewerError, ErrDamaged, or an error of Before, of a step or of the file system. If it is
// a *NewerError, the file is unchanged. A file that is open read-only, or that follows another one,
// must already have the newest format.
func (l Layout) Settle(w *Writer, u Upgrade) error {
	db := w.db
	format, writer, err := l.mark(db)
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
		return l.refuseOlder(db)
	}
	if format < l.Newest() && db.following { // the upgrade of the other file arrives as change sets
		return fmt.Errorf("format %d is from an older version: the primary must be upgraded first", format)
	}
	if format < l.Newest() && u.Before != nil {
		if err := u.Before(); err != nil {
			return fmt.Errorf("copy before the upgrade: %w", err)
		}
	}
	for ; format < l.Newest(); format++ {
		err := db.update(func(tx *Tx) error {
			if err := l.Steps[format-l.Oldest](tx); err != nil {
				return err
			}
			return tx.Bucket(metaBucket).Put(formatKey, binary.BigEndian.AppendUint32(nil, format+1))
		})
		if err != nil {
			return fmt.Errorf("upgrade from format %d: %w", format, err)
		}
	}
	if err := l.settleNode(db); err != nil {
		return fmt.Errorf("create the bucket %s: %w", nodeBucket, err)
	}
	if u.Version == "" || u.Version == writer {
		return nil
	}
	return db.rewrite(func(tx *Tx) error { return tx.Node().Put(writerKey, []byte(u.Version)) })
}

// settleNode creates the bucket node in a file that an earlier version of svc wrote, and moves the
// keys of that bucket to it from the meta bucket.
func (l Layout) settleNode(db *DB) error {
	exists := false
	err := db.View(func(tx *Tx) error {
		exists = tx.Bucket(nodeBucket) != nil
		return nil
	})
	if err != nil || exists {
		return err
	}
	return db.apply(func(tx *Tx) error {
		meta := tx.Bucket(metaBucket)
		node, err := tx.CreateBucket(nodeBucket)
		if err != nil {
			return err
		}
		for _, key := range append([][]byte{writerKey}, l.Node...) {
			value := bytes.Clone(meta.Get(key))
			if value == nil {
				continue
			}
			if err := errors.Join(node.Put(key, value), meta.Delete(key)); err != nil {
				return err
			}
		}
		return nil
	})
}

// refuseOlder returns an error if a file has an older format than the newest one. It is
// for callers that handle only the newest format. If the format cannot be read, it
// returns nil.
func (l Layout) refuseOlder(db *DB) error {
	format, _, err := l.mark(db)
	if err == nil && format < l.Newest() {
		return fmt.Errorf("format %d is from an older version: svc serve upgrades it", format)
	}
	return nil
}

// mark returns the format of a file and the version of svc that last wrote it.
func (l Layout) mark(db *DB) (format uint32, writer string, err error) {
	err = db.View(func(tx *Tx) (err error) {
		format, writer, err = formatOf(tx)
		return err
	})
	return format, writer, err
}

// formatOf is like mark, for the file of a transaction.
func formatOf(tx *Tx) (format uint32, writer string, err error) {
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		return 0, "", fmt.Errorf("%w: no bucket %s", ErrDamaged, metaBucket)
	}
	raw := meta.Get(formatKey)
	if len(raw) != 4 {
		return 0, "", fmt.Errorf("%w: no format number", ErrDamaged)
	}
	return binary.BigEndian.Uint32(raw), string(tx.Node().Get(writerKey)), nil
}
