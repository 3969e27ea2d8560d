package boltfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.etcd.io/bbolt"

	"svc/internal/disk"
	"svc/internal/durable"
)

const (
	// compactSuffix is appended to the name of the file being created.
	compactSuffix = ".compact"
	// compactStep is the number of bytes copied by one transaction.
	compactStep = 16 << 20

	// A file is worth compacting if at least 1/worthShare of it, and at least worthBytes,
	// is free.
	worthShare = 4
	worthBytes = 1 << 20
)

// usage returns the size of the file up to the last page that was ever used, and the size
// of the free pages in this part, in bytes.
func (d *DB) usage() (size, free int64, err error) {
	stats := d.now().Stats() // before the size, which only grows, so that free cannot exceed size
	free = int64(stats.FreePageN+stats.PendingPageN) * int64(d.now().Info().PageSize)
	err = d.View(func(tx *Tx) error {
		size = tx.Size()
		return nil
	})
	return size, free, err
}

// Compaction is the result of a compaction.
type Compaction struct {
	Before, After int64 // bytes up to the last page that was ever used
	Done          bool  // false if there was too little to gain
	Took          time.Duration

	old *bbolt.DB // the replaced database, to be closed when its last reader has ended
}

// compact replaces the file with a smaller copy if at least a quarter of the file, and at
// least 1 MiB, is free. If always is true, compact replaces the file in any case. The
// caller must block writers; readers continue. After the call, the caller must let
// writers continue and call finish. A crash leaves either the old file or the new one.
//
// compact needs disk space for both files. The error is NoSpace if there is too little
// space. If a page is damaged, the error is ErrDamaged and the old file stays in use.
func (d *DB) compact(always bool) (c Compaction, err error) {
	begun := time.Now()
	defer func() { c.Took = time.Since(begun) }()
	size, free, err := d.usage()
	c.Before, c.After = size, size
	if err != nil || !always && (free < worthBytes || free < size/worthShare) {
		return c, err
	}
	if err := disk.Need(filepath.Dir(d.path), uint64(size-free)+disk.Floor, "a compacted "+filepath.Base(d.path)); err != nil {
		return c, err
	}
	// At a damaged page bbolt would panic, or loop forever in a cycle of pages.
	if err := d.examine(); err != nil {
		return c, fmt.Errorf("compact %s: %w", d.path, err)
	}
	temp := d.path + compactSuffix
	if err := removeTemp(temp); err != nil {
		return c, err
	}
	if c.After, err = copyTo(temp, d.now()); err == nil {
		c.old, err = d.exchange(temp)
	}
	if c.Done = c.old != nil; !c.Done {
		c.After = c.Before
		err = errors.Join(err, removeTemp(temp))
	}
	if err != nil {
		return c, fmt.Errorf("compact %s: %w", d.path, err)
	}
	return c, nil
}

// finish waits until the readers of the old file have ended and then closes the old file,
// which frees its disk space.
func (c Compaction) finish() error {
	if c.old == nil {
		return nil
	}
	return c.old.Close()
}

// copyTo creates a file at path with the content of a database and a list of its free
// pages. The file has no unused space. copyTo syncs it.
func copyTo(path string, from *bbolt.DB) (size int64, err error) {
	to, err := bbolt.Open(path, 0o600,
		&bbolt.Options{Timeout: LockWait, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, NoSync: true})
	if err != nil {
		return 0, err
	}
	err = bbolt.Compact(to, from, compactStep)
	if err == nil {
		to.NoSync, to.NoFreelistSync = false, false
		err = errors.Join(to.Update(func(*bbolt.Tx) error { return nil }), to.View(func(tx *bbolt.Tx) error {
			size = tx.Size()
			return nil
		}))
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return 0, err
	}
	return size, trim(path, size)
}

// trim truncates a file after its last page.
func trim(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// exchange replaces the file with the new one at temp, both in the directory and for new
// transactions. old is the replaced database. If exchange returns both an error and old,
// the new file is in use, but a power failure may undo its renaming.
func (d *DB) exchange(temp string) (old *bbolt.DB, err error) {
	if runtime.GOOS == "windows" {
		return d.exchangeClosed(temp)
	}
	next, err := d.options.open(temp)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(temp, d.path); err != nil {
		return nil, errors.Join(err, next.Close())
	}
	// The new file is in use now, so its name must be on disk before data is written to it.
	err = durable.SyncDir(filepath.Dir(d.path))
	d.swap.Lock()
	defer d.swap.Unlock()
	next.NoSync = d.bolt.NoSync
	old, d.bolt = d.bolt, next
	return old, err
}

// exchangeClosed implements exchange for systems that cannot rename a file over an open
// one. New readers wait during the exchange. exchangeClosed closes the old database and
// thereby waits for the readers of that database.
func (d *DB) exchangeClosed(temp string) (old *bbolt.DB, err error) {
	d.swap.Lock()
	defer d.swap.Unlock()
	old = d.bolt
	if err := old.Close(); err != nil {
		return nil, err
	}
	renamed := os.Rename(temp, d.path)
	next, err := d.options.open(d.path)
	if err != nil {
		return old, errors.Join(renamed, err)
	}
	next.NoSync = old.NoSync
	if d.bolt = next; renamed != nil {
		return nil, renamed
	}
	return old, nil
}
