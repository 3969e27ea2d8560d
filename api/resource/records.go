package resource

import (
	"errors"

	"svc/api/web"
	"svc/internal/fault"
	"svc/store"
)

// What the handlers of versions, announcements and feedback have in common.

// write is how a record is written. The ways differ in what must be sent and in what
// null means.
type write uint8

const (
	creates   write = iota // what is required must be sent; null is the same as not sent
	updates                // nothing is required; null clears
	publishes              // creation of a version, with everything derived from the path
	imports                // like creates, for a line of an archive
)

// whole reports whether what is required must be sent.
func (how write) whole() bool { return how == creates || how == imports }

// checking are no problems yet of a body that is written in a way.
func checking(how write) problems { return problems{web.Problems{Update: how == updates}} }

// kind is how the records of a kind are found by their ids.
type kind[R any] struct {
	name   string
	find   func(*store.Tx, store.ProjectID, store.ID) (*R, error)
	owned  func(*store.Tx, store.ID) (*store.Project, *R, error) // nil where every path names the project
	delete func(*store.Tx, store.ProjectID, *R) error            // nil where nothing is deleted
}

// addressed reads the record in the path and its project, on the paths with a
// project as well as on those with the id alone.
func (k kind[R]) addressed(r *web.Request, tx *store.Tx) (*store.Project, *R, error) {
	id, ok := store.ParseID(r.Param("id"))
	errNone := fault.New(fault.NotFound, "%s not found", k.name)
	if r.Param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, record, err := k.owned(tx, id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.Reached(p, nil)
		return p, record, err
	}
	p, err := r.Project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	record, err := k.find(tx, p.ID, id)
	return p, record, err
}

// getRecord answers with the record in the path.
func getRecord[R, V any](h *Handlers, of kind[R], view func(*store.Project, *R) V) web.Handler {
	return web.OK(func(r *web.Request) (v V, err error) {
		err = h.DB.View(func(tx *store.Tx) error {
			p, record, err := of.addressed(r, tx)
			if err != nil {
				return err
			}
			v = view(p, record)
			return r.Tag(record)
		})
		return v, err
	})
}

// creation is a checked body that makes a record of a project.
type creation[R any] interface {
	create(*store.Tx, *store.Project) (*R, error)
}

// createRecord makes the record that the body of a request describes. It finds its
// project in the path, or on the older paths in the body.
func createRecord[In, R, V any, C creation[R]](h *Handlers, check func(In, write) (C, error), view func(*store.Project, *R) V) web.Handler {
	return web.Created(func(r *web.Request) (v V, err error) {
		c, err := web.Checked(r, check, creates)
		name, err := projectName(r, err)
		if err != nil {
			return v, err
		}
		err = h.DB.Update(func(tx *store.Tx) error {
			p, err := r.Reached(tx.Project(name))
			if err != nil {
				return err
			}
			record, err := c.create(tx, p)
			if err != nil {
				return err
			}
			v = view(p, record)
			return r.Tag(record)
		})
		return v, err
	})
}

// projectName is the project in the path, or on the older paths in the body,
// where a missing one joins what else is wrong.
func projectName(r *web.Request, broken error) (string, error) {
	if name := r.Param("k"); name != "" {
		return name, broken
	}
	var in struct {
		ProjectKey web.Optional[string] `json:"project_key"`
	}
	if err := web.Decode(r, &in); err != nil {
		return "", err
	}
	var p problems
	p.Text("project_key", in.ProjectKey, web.TextRule{Required: true, Filled: true})
	return in.ProjectKey.Or(""), web.JoinValidation(p.Err(), broken)
}

// change is a checked body that changes a record.
type change[R any] interface {
	update(*store.Tx, *store.Project, *R) error
}

// updateRecord changes the record in the path as the body of a request says.
func updateRecord[In, R, V any, C change[R]](
	h *Handlers, of kind[R], check func(In, write) (C, error), view func(*store.Project, *R) V,
) web.Handler {
	return web.OK(func(r *web.Request) (v V, err error) {
		c, err := web.Checked(r, check, updates)
		if err != nil {
			return v, err
		}
		err = h.DB.Update(func(tx *store.Tx) error {
			p, record, err := of.addressed(r, tx)
			if err != nil {
				return err
			}
			if err := r.Match(record); err != nil {
				return err
			}
			if err := c.update(tx, p, record); err != nil {
				return err
			}
			v = view(p, record)
			return r.Tag(record)
		})
		return v, err
	})
}

// deleteRecord deletes the record in the path.
func deleteRecord[R any](h *Handlers, of kind[R]) web.Handler {
	return web.Done(func(r *web.Request) error {
		return h.DB.Update(func(tx *store.Tx) error {
			p, record, err := of.addressed(r, tx)
			if err == nil {
				err = r.Match(record)
			}
			if err != nil {
				return err
			}
			return of.delete(tx, p.ID, record)
		})
	})
}

// listOf is the part of a list of a snapshot that is on a page. Each record is read in full
// and encoded when it is written.
func listOf[R any](list []*store.Entry[R], page web.Page, encode func(*store.Entry[R]) ([]byte, error)) web.List {
	part := web.PageOf(list, page)
	return web.List{
		Total: len(list), Sizes: web.Views(part, func(e *store.Entry[R]) int { return e.Size }),
		Encode: func(i int) ([]byte, error) { return encode(part[i]) },
	}
}

// fullVersion returns the version of an entry with its texts: as the snapshot has it or,
// if it has been changed since, as it is now; nil if it has been deleted.
func (h *Handlers) fullVersion(snap *store.Snapshot, e *store.VersionEntry) (*store.Version, error) {
	return orCurrent(h, e.Record.ID, snap, (*store.Tx).Version)(h.DB.FullVersion(snap, e))
}

// fullAnnouncement is fullVersion for an announcement.
func (h *Handlers) fullAnnouncement(snap *store.Snapshot, e *store.AnnouncementEntry) (*store.Announcement, error) {
	return orCurrent(h, e.Record.ID, snap, (*store.Tx).Announcement)(h.DB.FullAnnouncement(snap, e))
}

// orCurrent passes on a record unless its snapshot is stale. Then it reads the record.
func orCurrent[R any](
	h *Handlers, id store.ID, snap *store.Snapshot, read func(*store.Tx, store.ProjectID, store.ID) (*R, error),
) func(*R, error) (*R, error) {
	return func(rec *R, err error) (*R, error) {
		if !errors.Is(err, store.ErrStale) {
			return rec, err
		}
		rec, err = store.Read(h.DB, func(tx *store.Tx) (*R, error) { return read(tx, snap.Project.ID, id) })
		if fault.Is(err, fault.NotFound) {
			return nil, nil
		}
		return rec, err
	}
}
