package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"svc/internal/datadir"
	"svc/internal/integrity"
	"svc/store"
)

// Check compares the index in a data directory with a store. Every file of the index must
// be intact, and the index must contain every searchable record that has not changed
// since the index's checkpoint. The index must not be open. Check changes nothing. It
// adds findings about the index to the report. The returned error comes from the store or
// from ctx.
func Check(ctx context.Context, dir string, db *store.Store, report *integrity.Report) error {
	path := filepath.Join(dir, datadir.Index)
	report.Begin(datadir.Index)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		report.Add(integrity.SearchGap, "/", "it does not exist")
		return nil
	}
	onlyRead := settings()
	onlyRead["read_only"] = true
	e, made, err := openWith(ctx, path, onlyRead)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report.Add(integrity.SearchIndex, "/", "%v", err)
		return nil
	}
	if err := made.check(db); err != nil {
		report.Add(integrity.SearchGap, "/", "%v", err)
		return e.close()
	}
	return errors.Join(e.check(ctx, db, report), e.close())
}

// Remove removes the index, which must not be open, from a data directory. The next start
// rebuilds it.
func Remove(dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, datadir.Index)); err != nil {
		return fmt.Errorf("remove search index: %w", err)
	}
	return nil
}

// Check compares the index with its store while both are in use, and adds findings to the
// report. The returned error comes from the store or from ctx.
func (x *Index) Check(ctx context.Context, report *integrity.Report) error {
	report.Begin(datadir.Index)
	e := x.current.Load()
	if e == nil {
		report.Add(integrity.SearchGap, "/", "it is being built")
		return nil
	}
	return e.check(ctx, x.db, report)
}

// check adds a finding to the report for each searchable record that is not in the index.
// It uses about 100 bytes of memory for each document: a project, version or
// announcement, or a block of 256 feedback entries or logs.
func (e *engine) check(ctx context.Context, db *store.Store, report *integrity.Report) error {
	seen := e.seen.Load() // loaded before the documents are listed, so that the list is never older
	there, err := e.references(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report.Add(integrity.SearchIndex, "/", "%v", err)
		return nil
	}
	const limit = 500
	for after, done := "", int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var list []store.Change
		err := db.View(func(tx *store.Tx) (err error) {
			if list, err = tx.Searchable(after, limit); err != nil {
				return err
			}
			return reportMissing(tx, list, there, seen, report)
		})
		if err != nil || len(list) == 0 {
			return err
		}
		after = list[len(list)-1].Ref()
		done += int64(len(list))
		report.Progress(done, max(done, int64(len(there))))
	}
}

// reportMissing adds a finding for each record in list that is not in the index. The parameter
// there contains the references of all documents of the index. reportMissing omits records that
// have changed after the change with the sequence number in the parameter seen.
func reportMissing(tx *store.Tx, list []store.Change, there map[string]bool, seen uint64, report *integrity.Report) error {
	var late map[string]bool
	for _, c := range list {
		if there[c.Ref()] {
			continue
		}
		if late == nil {
			var err error
			if late, err = changedSince(tx, seen); err != nil {
				return err
			}
		}
		if !late[c.Ref()] {
			report.Add(integrity.SearchIndex, integrity.Key([]byte(c.Ref())), "%s is not in the index", describe(c))
		}
	}
	return nil
}

// describe returns a description of the record c for a report.
func describe(c store.Change) string {
	switch c.Kind {
	case store.KindProject:
		return fmt.Sprintf("project number %d", c.Project)
	case store.KindVersion:
		return fmt.Sprintf("version %s of project number %d", c.ID, c.Project)
	case store.KindAnnouncement:
		return fmt.Sprintf("announcement %s of project number %d", c.ID, c.Project)
	case store.KindFeedback:
		return fmt.Sprintf("block %d of the feedback of project number %d", c.Block, c.Project)
	default:
		return fmt.Sprintf("block %d of the logs of project number %d", c.Block, c.Project)
	}
}

// changedSince returns the references of the records that have changed after the change with the
// sequence number in the parameter seen.
func changedSince(tx *store.Tx, seen uint64) (refs map[string]bool, err error) {
	refs = map[string]bool{}
	for {
		changes, err := tx.Changes(seen, batchChanges)
		if err != nil || len(changes) == 0 {
			return refs, err
		}
		for _, c := range changes {
			refs[c.Ref()] = true
		}
		seen = changes[len(changes)-1].Seq
	}
}

// references returns the references of all documents of the index. The error is errDead
// if bleve panics.
func (e *engine) references(ctx context.Context) (refs map[string]bool, err error) {
	defer panicOnFault()()
	defer recovered(&err)
	inner, err := e.bleve.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := inner.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	all, err := reader.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer all.Close()
	refs = map[string]bool{}
	for ctx.Err() == nil {
		next, err := all.Next()
		if err != nil || next == nil {
			return refs, err
		}
		id, err := reader.ExternalID(next)
		if err != nil {
			return nil, err
		}
		ref, err := parseDocumentID(id)
		if err != nil {
			return nil, err
		}
		refs[ref] = true
	}
	return nil, ctx.Err()
}
