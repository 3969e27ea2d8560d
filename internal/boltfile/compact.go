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
	// compactSuffix is behind the name of a file while the smaller one is made.
	compactSuffix = ".compact"
	// compactStep is how many bytes one transaction copies.
	compactStep = 16 << 20

	// A file is worth compacting when this share of it, and at least this much, is
	// free.
	worthShare = 4
	worthBytes = 1 << 20
)

// usage is the size of the file in bytes, up to the last page that it has used,
// and how much of that is free pages.
func (d *DB) usage() (size, free int64, err error) {
	stats := d.now().Stats() // before the size, which only grows
	free = int64(stats.FreePageN+stats.PendingPageN) * int64(d.now().Info().PageSize)
	err = d.View(func(tx *Tx) error {
		size = tx.Size()
		return nil
	})
	return size, free, err
}

// Compaction is the result of a compaction.
type Compaction struct {
	Before, After int64 // bytes up to the last page that was used
	Done          bool  // false: it was not worth it
	Took          time.Duration

	old *bbolt.DB // to be closed when its last reader has ended
}

// compact moves everything to a smaller file, which then takes the place of this
// one, if at least a quarter of it is free, or always. Nobody may write meanwhile;
// readers go on. A crash leaves the old file or the new one. finish must be
// called afterwards, when others may write again. It needs room for the new file
// beside the old one; without that the error is a NoSpace. The error of a file with a
// damaged page is ErrDamaged, and the file stays in use as it is.
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
	// bbolt would panic at a damaged page, or walk in a circle of pages for ever.
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

// finish waits for the readers of the old file, and frees its room.
func (c Compaction) finish() error {
	if c.old == nil {
		return nil
	}
	return c.old.Close()
}

// copyTo makes a file with what is in a database, and its list of free pages, and
// syncs it. It is as large as it must be.
func copyTo(path string, from *bbolt.DB) (size int64, err error) {
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: LockWait, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, NoSync: true})
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

// trim cuts off what a file has behind its last page.
func trim(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// exchange puts a new file in the place of the old one, in the folder and for
// new transactions. After an error with an old database the new one
// is in use, but it is not certain that its name outlives a power cut.
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
	// What is written from here on must not be in a file without a name.
	err = durable.SyncDir(filepath.Dir(d.path))
	d.swap.Lock()
	defer d.swap.Unlock()
	next.NoSync = d.bolt.NoSync
	old, d.bolt = d.bolt, next
	return old, err
}

// exchangeClosed is for systems that do not rename over a file that is open: those
// who read wait meanwhile. The old database is closed when it returns.
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
