package boltfile

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"go.etcd.io/bbolt"

	"svc/internal/integrity"
)

// Check verifies all pages of a file and then, if they are sound, calls the function records to
// verify their content. Nothing may write to the file during the check. Check adds damage to the
// report. The error is ErrLocked, ErrDamaged if the file cannot be read at all, or an error of the
// file system or of this function. It contains the path.
func Check(path string, report *integrity.Report, records func(*Tx) error) error {
	x := examiner{report: report}
	if err := x.examine(path); err != nil {
		return fmt.Errorf("check %s: %w", path, err)
	}
	if x.damaged {
		report.Add(integrity.Unread, "/", "the records were not checked: bbolt must not read a file with damaged pages")
		return nil
	}
	if err := readOnly(path, report, records); err != nil {
		return fmt.Errorf("check %s: %w", path, err)
	}
	return nil
}

// readOnly runs fn in a read transaction of the file at path. All pages of the file must
// have been found sound. If the disk cannot be read nevertheless, or bbolt panics on
// damaged data, readOnly adds that to the report.
func readOnly(path string, report *integrity.Report, fn func(*Tx) error) (err error) {
	db, err := openReadOnly(path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	return db.View(func(tx *bbolt.Tx) error {
		defer func() {
			if p := recover(); p != nil {
				report.Add(integrity.Unread, "/", "reading stopped: %v", p)
			}
		}()
		return fn((*Tx)(tx))
	})
}

// Repair opens the file at path, calls fix with it and closes it. The file must have the
// newest format of l, and no other process may have it open. The error comes from Open or
// fix, or reports an older format. It contains the path.
func Repair(path string, o Options, l Layout, fix func(*Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("repair %s: %w", path, err)
		}
	}()
	db, err := Open(path, o)
	if err != nil {
		return err
	}
	file := NewWriter(db, slog.New(slog.DiscardHandler))
	if err := l.refuseOlder(db); err != nil {
		return errors.Join(err, file.Abandon())
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return fix(file)
}

// passOver makes the examination continue after damage. If err is about damage and x has
// a report, it adds err to the report and returns nil. Otherwise it returns err.
func (x *examiner) passOver(err error) error {
	if x.report == nil || !errors.Is(err, ErrDamaged) {
		return err
	}
	x.damaged = true
	where := "/" + strings.Join(x.within, "/")
	x.report.Add(integrity.Page, where, "%s", strings.TrimPrefix(err.Error(), ErrDamaged.Error()+": "))
	return nil
}

// noteLeaks adds a finding to the report if there are leaked pages, which are neither in
// use nor in the list of free pages. The finding contains their number.
func (x *examiner) noteLeaks() {
	leaked := 0
	for _, used := range x.used[2:] {
		if !used {
			leaked++
		}
	}
	if leaked > 0 {
		x.report.Add(integrity.LeakedPage, "/", "%d of %d pages; svc compact --always reclaims them", leaked, len(x.used))
	}
}
