package instance

import (
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/integrity"
	"svc/search"
	"svc/store"
)

// Check checks all data of the data directory dir: both databases, the search index, and the local
// files. files is the directory of the local files. Check adds its findings to report. The caller
// must hold the lock of the data directory. The error is one that CheckDatabases returns, an error
// of the check of the search index, or one of the file system.
func Check(ctx context.Context, dir, files string, report *integrity.Report) error {
	if err := CheckDatabases(ctx, dir, report); err != nil || !readable(report, datadir.Database) {
		return err
	}
	db, err := store.Open(filepath.Join(dir, datadir.Database), store.Options{ReadOnly: true})
	if errors.Is(err, store.ErrDamaged) {
		return nil // the report contains the reason
	}
	if err != nil {
		return err
	}
	return errors.Join(search.Check(ctx, dir, db, report), CheckFiles(ctx, files, db, report), db.Close())
}

// CheckDatabases checks every page and record of both databases in a folder, and adds its findings
// to report. If a database cannot be read, it still checks the other one, and the error is
// store.ErrDamaged.
func CheckDatabases(ctx context.Context, dir string, report *integrity.Report) error {
	report.Begin(datadir.Database)
	err := store.Check(ctx, filepath.Join(dir, datadir.Database), report)
	if ctx.Err() == nil && Has(dir, datadir.Events) {
		report.Begin(datadir.Events)
		err = errors.Join(err, event.Check(ctx, filepath.Join(dir, datadir.Events), report))
	}
	return err
}

// Digests identify the content of both databases. Two directories with equal digests have the same
// data, even if their files differ.
type Digests struct {
	Position uint64 `json:"position"` // the greater position of both files; 0 if they have never been replicated
	Data     string `json:"svc.db"`   // SHA-256 in hexadecimal digits
	Events   string `json:"events.db"`
}

// Digest reads the digests of both databases in a folder. No process may write to them. The error
// contains the path. It is store.ErrDamaged, store.ErrLocked or an error of the file system.
func Digest(dir string) (d Digests, err error) {
	for _, file := range []struct {
		name string
		sum  *string
	}{{datadir.Database, &d.Data}, {datadir.Events, &d.Events}} {
		sum, position, err := boltfile.DigestFile(filepath.Join(dir, file.name))
		if err != nil {
			return d, err
		}
		*file.sum = hex.EncodeToString(sum[:])
		d.Position = max(d.Position, position)
	}
	return d, nil
}

// readable reports whether, according to the report, the check could read all parts of a database
// file.
func readable(report *integrity.Report, file string) bool {
	for _, c := range report.Counts() {
		if c.File == file && (c.Kind == integrity.Unread || c.Kind == integrity.Layout) {
			return false
		}
	}
	return true
}

// Repairable returns the findings of a report that Repair can repair.
func Repairable(report *integrity.Report) (list []integrity.Count) {
	for _, c := range report.Counts() {
		if integrity.Kinds[c.Kind].Repair != "" {
			list = append(list, c)
		}
	}
	return list
}

// Repair repairs the findings in the report of Check that can be repaired from other data in the
// data directory. It does not repair a database file if the check could not read all parts of it;
// skipped contains the names of these files. The caller must hold the lock of the data directory.
func Repair(ctx context.Context, dir string, report *integrity.Report) (skipped []string, err error) {
	wrong := map[string]bool{}
	for _, c := range Repairable(report) {
		wrong[c.File] = true
	}
	err = recorded(dir, func(records, events boltfile.Recorder) error {
		for _, file := range []struct {
			name     string
			repair   func(context.Context, string, boltfile.Recorder) error
			recorder boltfile.Recorder
		}{{datadir.Database, store.Repair, records}, {datadir.Events, event.Repair, events}} {
			switch {
			case !wrong[file.name]:
			case !readable(report, file.name):
				skipped = append(skipped, file.name)
			default:
				if err := file.repair(ctx, filepath.Join(dir, file.name), file.recorder); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return skipped, err
	}
	if report.Of(integrity.SearchIndex)+report.Of(integrity.Feed) > 0 {
		return skipped, search.Remove(dir)
	}
	return skipped, nil
}
