// Package spool implements a queue on disk for the changes of both databases. A change is deleted
// once the target of the replication has confirmed it. The package also assigns the positions of changes.
//
//	spool.go   Spool: opening, gaps, closing
//	append.go  the recorders of both databases
//	next.go    reading changes, and deleting confirmed ones
//	file.go    the files of a spool
//
// A change is appended before its transaction is committed, without a sync. Changes whose
// transactions failed are marked as void. When a spool is opened, it is compared with the positions
// in the databases: a change above the position of its database was never committed, and becomes
// void, too. Nothing is therefore lost when a process ends. A power failure can remove the end of the
// spool, which leaves a gap.
//
// A gap means that the spool does not have all changes. It then records nothing, and only assigns
// positions, until Resume begins again at the current position, for which a snapshot is needed.
package spool

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"svc/internal/disk"
	"svc/internal/replica/format"
)

// At is the position of a database as boltfile.ReadPosition returns it.
type At struct {
	Position uint64
	Complete bool
}

// Options configures a spool. The zero value is suitable for tests.
type Options struct {
	// Max is the size of the spool, in bytes, at which it is dropped; 1 GiB if 0.
	Max int64
	// Log receives the reasons of gaps; nil discards them.
	Log *slog.Logger
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// Free returns the free space of the disk, in bytes. If it is nil, the spool measures it.
	Free func() (uint64, error)
	// Following is true if the databases follow those of another directory. The recorders then assign no
	// positions, and record nothing, until Start is called.
	Following bool
	// FileSize is the size at which a new file begins, in bytes; 16 MiB if 0.
	FileSize int64
}

// Spool keeps changes. It is safe for concurrent use, but only one goroutine may use Next, Confirm,
// Resume and Start.
type Spool struct {
	dir      string
	max      int64
	fileSize int64
	log      *slog.Logger
	now      func() time.Time
	free     func() (uint64, error)
	more     chan struct{}

	mu        sync.Mutex // guards everything below
	files     []*file    // the oldest first; empty after a gap
	out       *os.File   // the newest of files; nil after a gap
	following bool       // see Options.Following
	number    uint64     // of the newest file that has existed
	last      uint64     // the last position that was assigned
	visible   uint64     // the last position that readers of the databases have seen
	time      int64      // of the last change, Unix milliseconds
	databases [format.Events + 1]database
	voids     map[uint64]struct{} // positions above confirmed whose transactions failed
	confirmed uint64              // the target has everything up to here
	waiting   int64               // bytes of the changes above confirmed
	oldest    int64               // time of the first change above confirmed, Unix milliseconds; 0 = none
	batch     Batch               // the last result of Next
	cursor    cursor              // where batch ends
	encoded   []byte              // reused by write
}

// database is the state of a database.
type database struct {
	settled uint64 // position of its last transaction
	pending uint64 // position of the transaction in progress; 0 = none
	time    int64  // of pending, Unix milliseconds
	size    int64  // of the record of pending, in bytes; 0 if it is not recorded
}

// Open opens the spool in a directory, which need not exist. records and events are the positions of
// svc.db and events.db, which must not be open yet. Open changes nothing if they follow others. If the
// spool does not lead to them, Gap reports true, and the position is greater than those of both
// databases. The error is one of the file system.
func Open(dir string, records, events At, o Options) (*Spool, error) {
	s := &Spool{
		dir: dir, max: cmp.Or(o.Max, 1<<30), log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), now: o.Now, free: o.Free,
		more: make(chan struct{}, 1), voids: map[uint64]struct{}{}, following: o.Following,
	}
	s.fileSize = cmp.Or(o.FileSize, min(16<<20, s.max/4))
	if s.now == nil {
		s.now = time.Now
	}
	if s.free == nil {
		s.free = disk.NewGauge(dir).Free
	}
	numbers, err := list(dir)
	if err != nil {
		return nil, fmt.Errorf("open the spool of changes: %w", err)
	}
	l := &loaded{}
	l.databases[format.Records], l.databases[format.Events] = loadedDatabase{at: records}, loadedDatabase{at: events}
	for _, number := range numbers {
		if err := l.read(dir, number); err != nil {
			return nil, fmt.Errorf("open the spool of changes: %w", err)
		}
		s.number = number
	}
	s.time, s.last = l.time, max(l.last, records.Position, events.Position)
	if s.following {
		s.visible = s.last
		return s, nil
	}
	why := l.mismatch()
	if why == "" {
		if err := s.take(l); err != nil {
			why = err.Error()
		}
	}
	if why != "" && s.last > 0 {
		s.log.Warn("changes were not recorded for the replica; it needs a snapshot", "reason", why)
	}
	if why != "" {
		s.last++ // the content at this position may differ from that at the one before
		s.files, s.visible, s.oldest = nil, s.last, s.now().UnixMilli()
		for i := range s.databases {
			s.databases[i] = database{settled: s.last}
		}
	}
	unused := slices.DeleteFunc(numbers, func(number uint64) bool {
		return slices.ContainsFunc(s.files, func(f *file) bool { return f.number == number })
	})
	if err := s.forget(unused); err != nil {
		return nil, errors.Join(fmt.Errorf("delete an old spool of changes: %w", err), s.Close())
	}
	return s, nil
}

// take continues a spool that leads to the positions of the databases.
func (s *Spool) take(l *loaded) error {
	newest := l.files[len(l.files)-1]
	out, err := os.OpenFile(newest.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	end := newest.size
	var marks []byte
	for i := format.Records; i <= format.Events; i++ {
		d := l.databases[i]
		s.databases[i].settled = d.at.Position
		for _, position := range d.above {
			marks = appendMark(marks, voidRecord, position)
			l.voids[position] = struct{}{}
		}
	}
	newest.size += int64(len(marks))
	_, err = out.WriteAt(marks, end)
	if err := errors.Join(err, out.Truncate(newest.size)); err != nil {
		return errors.Join(err, out.Close())
	}
	s.files, s.out, s.voids = l.files, out, l.voids
	s.confirmed, s.oldest, s.waiting = l.confirmed, l.oldest, l.waiting
	s.visible = max(s.databases[format.Records].settled, s.databases[format.Events].settled, l.first.base)
	if s.visible <= s.confirmed {
		s.waiting, s.oldest = 0, 0
	}
	return nil
}

// forget deletes the files with the given numbers.
func (s *Spool) forget(numbers []uint64) error {
	var errs []error
	for _, number := range numbers {
		if err := os.Remove(pathOf(s.dir, number)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Gap reports whether the spool has stopped recording, because changes are missing. Resume ends that.
func (s *Spool) Gap() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out == nil
}

// Drop deletes all changes, and stops recording until Resume is called.
func (s *Spool) Drop(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(why)
}

// Break is like Drop, for databases that may differ from what the target has at their position. The position of the next
// snapshot is greater, so that later changes do not seem to continue what the target has.
func (s *Spool) Break(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(why)
	s.last++
}

// drop implements Drop. The caller must hold the lock.
func (s *Spool) drop(why string) {
	if s.out == nil {
		return
	}
	s.log.Warn("the spool of changes for the replica was dropped; the replica needs a snapshot", "reason", why)
	var numbers []uint64
	for _, f := range s.files {
		numbers = append(numbers, f.number)
	}
	// Files that stay do no harm: they do not lead to the next change, which has a greater position.
	if err := errors.Join(s.out.Close(), s.forget(numbers)); err != nil {
		s.log.Warn("the spool of changes for the replica was not deleted", "error", err)
	}
	s.files, s.out, s.waiting, s.batch, s.cursor = nil, nil, 0, Batch{}, cursor{}
	for i := range s.databases {
		s.databases[i].size = 0
	}
	clear(s.voids)
	s.signal()
}

// Resume returns the position of the databases. If there is a gap, Resume ends it, so that changes above that
// position are recorded again. The caller must hold the locks of both databases while it takes the images of
// a snapshot and calls Resume, so that the snapshot has this position. Later changes get at least the time
// notBefore, in Unix milliseconds. After an error, the gap remains.
func (s *Spool) Resume(notBefore int64) (position uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time = max(s.time, notBefore)
	if s.out != nil || s.following {
		return s.visible, nil
	}
	s.visible = s.last
	return s.visible, s.begin()
}

// Start makes the spool record the changes above a position that the databases have reached by other
// means than through their recorders. records and events are the positions of svc.db and events.db.
// See Resume for notBefore and the locks.
func (s *Spool) Start(position, records, events uint64, notBefore int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop("the databases have changed")
	s.time, s.following = max(s.time, notBefore), false
	s.last, s.visible, s.confirmed, s.oldest = position, position, position, 0
	s.databases[format.Records], s.databases[format.Events] = database{settled: records}, database{settled: events}
	return s.begin()
}

// begin begins to record the changes above s.last.
func (s *Spool) begin() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.need(disk.Floor); err != nil { // more than is needed to continue, so that it is not dropped at once
		return err
	}
	return s.rotate(s.last)
}

// Position returns the last position that readers of the databases see.
func (s *Spool) Position() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visible
}

// Time returns a time, in Unix milliseconds. No change so far has a later time, and no later change will have an
// earlier one, even if the clock is set back.
func (s *Spool) Time() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.time
}

// Size returns the number of bytes of the changes that are not confirmed. It can be too large after a
// position was confirmed at which no result of Next ended.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Oldest returns the time of the oldest change that is not confirmed. It is zero if there is none.
func (s *Spool) Oldest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.oldest == 0 {
		return time.Time{}
	}
	return time.UnixMilli(s.oldest)
}

// Close syncs and closes the spool. Both databases must have been closed.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return nil
	}
	err := errors.Join(s.out.Sync(), s.out.Close())
	s.files, s.out = nil, nil
	return err
}
