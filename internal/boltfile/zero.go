package boltfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	firstPage = 2 // after the meta pages
	freeType  = "free"

	// zeroTurn is the approximate time for which one turn of ZeroFreePages blocks
	// writers. ZeroFreePages then pauses for zeroRest times as long.
	zeroTurn = 20 * time.Millisecond
	zeroRest = 9

	// zeroRun is the number of bytes examined together.
	zeroRun = 256 << 10

	// endWait limits how long a turn waits until transactions that read older pages have
	// ended. If they have not, ZeroFreePages repeats the turn after endPause. It gives up
	// after endTries failures in a row.
	endWait  = 50 * time.Millisecond
	endPause = time.Second
	endTries = 600
)

// errReading is returned if a transaction that may read freed pages has not ended in
// time.
var errReading = errors.New("a read transaction has been open for too long")

// ZeroFreePages overwrites the free pages of the file with zeros and returns the number
// of bytes written. It skips runs of pages that are already zero. After the call, the
// file contains no data that had been deleted before the call. ZeroFreePages works in
// turns of about 20 milliseconds, between which writers can continue. It can be stopped
// and repeated at any time. The error comes from ctx or the file system, is one that
// Update returns, or reports that a read transaction has stayed open for about ten
// minutes.
//
// A crash is harmless at any time: during a turn there are no other writers, no
// transaction reads free pages, and both meta pages lead to the same tree, which uses no
// free page.
func (w *Writer) ZeroFreePages(ctx context.Context) (zeroed int64, err error) {
	if err := w.Unopened(); err != nil {
		return 0, err
	}
	for at, tries := (position{page: firstPage, start: true}), 0; ; {
		begun := time.Now()
		n, next, err := w.zeroFrom(at)
		zeroed += n
		pause := zeroRest * time.Since(begun)
		switch {
		case err == nil && next.end:
			return zeroed, nil
		case errors.Is(err, errReading) && tries < endTries:
			tries, pause = tries+1, endPause
		case err != nil:
			return zeroed, fmt.Errorf("overwrite free pages of %s: %w", w.db.Path(), err)
		default:
			at, tries = next, 0
		}
		select {
		case <-ctx.Done():
			return zeroed, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// position is the position in the file at which ZeroFreePages continues.
type position struct {
	page  int64
	start bool // whether page is known not to be an overflow page, so that its header can be read
	end   bool // whether there are no more pages
}

// zeroFrom does one turn and syncs the file.
func (w *Writer) zeroFrom(at position) (zeroed int64, next position, err error) {
	file, err := os.OpenFile(w.db.Path(), os.O_RDWR, 0)
	if err != nil {
		return 0, at, err
	}
	if zeroed, next, err = w.zeroLocked(file, at); zeroed > 0 {
		err = errors.Join(err, file.Sync())
	}
	return zeroed, next, errors.Join(err, file.Close())
}

// zeroLocked does one turn while holding the lock of the writer, and does not sync the
// file.
func (w *Writer) zeroLocked(file *os.File, at position) (zeroed int64, next position, err error) {
	w.Lock()
	defer w.Unlock()
	defer w.guard(&err)
	defer faultsPanic()()
	if same, err := w.isOpen(file); err != nil || !same {
		return 0, at, err // the file has just been compacted
	}
	if f := w.failing.Load(); f != nil { // an empty commit would succeed and hide that the disk is full
		return 0, at, f.fault
	}
	if err := w.releasePages(); err != nil {
		return 0, at, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, at, err
	}
	tx, err := w.db.begin(true) // keeps the list of free pages unchanged
	if err != nil {
		return 0, at, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	size := int64(w.db.now().Info().PageSize)
	z := zeroing{file: file, tx: tx, pageSize: size, used: tx.Size() / size, pages: info.Size() / size}
	next, err = z.sweep(at)
	return z.zeroed, next, err
}

// isOpen reports whether file is still the file at the writer's path.
func (w *Writer) isOpen(file *os.File) (bool, error) {
	opened, err := file.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(w.db.Path())
	return err == nil && os.SameFile(opened, now), err
}

// releasePages waits until no open transaction can read a freed page, so that bbolt
// treats all freed pages as free. It first makes two empty commits. After these, both
// meta pages lead to the newest tree, so that new transactions read no older tree. The
// error is errReading or a fault of Update. The caller must hold the lock of the writer.
func (w *Writer) releasePages() error {
	for range 2 {
		if err := w.UpdateUncounted(func(*Tx) error { return nil }); err != nil {
			return err
		}
	}
	for late := time.Now().Add(endWait); ; <-time.After(time.Millisecond) {
		tx, err := w.db.begin(true) // makes bbolt release the pages that no transaction reads
		if err != nil {
			return err
		}
		if err := tx.Rollback(); err != nil {
			return err
		}
		if w.db.now().Stats().PendingPageN == 0 {
			return nil
		}
		if time.Now().After(late) {
			return errReading
		}
	}
}

// zeroing overwrites the free pages of a file during one turn of ZeroFreePages, or the
// free pages of a copy. While a zeroing exists, bbolt holds back no freed page for a
// reader.
type zeroing struct {
	file     *os.File
	tx       *Tx // a write transaction that writes nothing
	pageSize int64
	used     int64 // the number of pages that were ever used; all later pages are free
	pages    int64 // number of pages in the file

	free, end int64 // the pages from free up to, but not including, end are free and not yet overwritten
	zeroed    int64 // number of bytes overwritten
}

// sweep overwrites free pages, starting at a position, until the time for the turn is up.
func (z *zeroing) sweep(at position) (next position, err error) {
	begun := time.Now()
	for at.page < z.pages {
		free, overflow, err := z.look(at.page)
		if err != nil {
			return at, err
		}
		switch {
		case free:
			if z.free == z.end {
				z.free = at.page
			}
			at.page, at.start = at.page+1, true
			z.end = at.page
		case at.start:
			at.page += 1 + overflow
		default:
			at.page++
		}
		if !free || (z.end-z.free)*z.pageSize >= zeroRun {
			if err := z.flush(); err != nil {
				return at, err
			}
			if time.Since(begun) > zeroTurn {
				// Before the next turn, a writer can create a page that begins before
				// this position.
				return position{page: at.page}, nil
			}
		}
	}
	return position{page: at.page, end: true}, z.flush()
}

// look reports whether a page is free. If it is in use, look also returns the number of
// its overflow pages, which is only valid if the page is not an overflow page itself.
func (z *zeroing) look(page int64) (free bool, overflow int64, err error) {
	if page >= z.used {
		return true, 0, nil
	}
	info, err := z.tx.bolt().Page(int(page))
	if err != nil {
		return false, 0, err
	}
	return info.Type == freeType, int64(info.OverflowCount), nil
}

// zeros is the content of an overwritten page.
var zeros [zeroRun]byte

// flush overwrites the pages from z.free to z.end.
func (z *zeroing) flush() error {
	for ; z.free < z.end; z.free = min(z.end, z.free+zeroRun/z.pageSize) {
		at, n := z.free*z.pageSize, min((z.end-z.free)*z.pageSize, zeroRun)
		changed, err := zero(z.file, at, n)
		if err != nil {
			return err
		}
		z.zeroed += changed
	}
	return nil
}

// zero overwrites n bytes of a file with zeros, unless all of them are already zero. n
// must be at most zeroRun. It returns the number of bytes written.
func zero(file *os.File, at, n int64) (written int64, err error) {
	content := make([]byte, n)
	if _, err := file.ReadAt(content, at); err != nil {
		return 0, err
	}
	if bytes.Equal(content, zeros[:n]) {
		return 0, nil
	}
	_, err = file.WriteAt(zeros[:n], at)
	return n, err
}

// ExamineCopy examines a copy as ExaminePages does and overwrites its unused pages with
// zeros, so that it contains no deleted data. The copy must not be open. It returns the
// same errors as ExaminePages.
func ExamineCopy(path string) error {
	x := examiner{}
	err := x.examine(path)
	if err == nil {
		err = x.zeroUnused(path)
	}
	if err != nil {
		return fmt.Errorf("examine %s: %w", path, err)
	}
	return nil
}

// zeroUnused overwrites the pages that the examination has not visited or has found in
// the list of free pages.
func (x *examiner) zeroUnused(path string) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, id := range x.listed {
		x.used[id] = false
	}
	z := zeroing{file: file, pageSize: x.pageSize}
	for page := firstPage; page <= len(x.used); page++ {
		if page < len(x.used) && !x.used[page] {
			if z.free == z.end {
				z.free = int64(page)
			}
			z.end = int64(page) + 1
			continue
		}
		if err := z.flush(); err != nil {
			return err
		}
	}
	return nil
}
