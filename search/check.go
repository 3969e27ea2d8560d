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

// Check compares the index in a data directory with a store: every file must be intact,
// and every searchable record must be in it, except those changed after its checkpoint.
// Nobody may have the index open; Check changes nothing. The error is that of the store
// or of ctx.
func Check(ctx context.Context, dir string, db *store.Store, report *integrity.Report) error {
	path := filepath.Join(dir, datadir.Index)
	report.Begin(datadir.Index)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		report.Add(integrity.SearchGap, "/", "it is not there")
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

// Remove removes the index from a data directory, which nobody may have open. The next
// start rebuilds it.
func Remove(dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, datadir.Index)); err != nil {
		return fmt.Errorf("remove search index: %w", err)
	}
	return nil
}

// Check compares the index with its store while both are in use. The error is
// that of the store or of ctx.
func (x *Index) Check(ctx context.Context, report *integrity.Report) error {
	report.Begin(datadir.Index)
	e := x.current.Load()
	if e == nil {
		report.Add(integrity.SearchGap, "/", "it is being made")
		return nil
	}
	return e.check(ctx, x.db, report)
}

// check finds what can be searched and is not in the index. The memory that it
// takes is some 100 bytes a document: a project, version or announcement, or 256
// feedbacks or logs.
func (e *engine) check(ctx context.Context, db *store.Store, report *integrity.Report) error {
	seen := e.seen.Load() // before what is there is listed, which may then be more
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

// reportMissing looks for records that are not in the index, but for those that
// changed after it has seen the feed.
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

// thing is what a change is about, for people.
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

// changedSince is what changed after the index has seen a change.
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

// references are the documents of the index. The error of a panic is errDead.
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
