package resource

import (
	"bytes"
	"errors"

	"svc/api/web"
	"svc/internal/fault"
	"svc/store"
)

// contents specifies how the versions or the announcements in a snapshot are read and encoded.
type contents[R, V any] struct {
	kind       store.Kind
	full       func(*store.Store, *store.Snapshot, *store.Entry[R]) (*R, error)
	read       func(*store.Tx, store.ProjectID, store.ID) (*R, error)
	searchText func(*R) string
	viewIn     func(p *store.Project, rec *R, language int) V
	viewFully  func(*store.Project, *R) V
}

var (
	versionContents = &contents[store.Version, versionView]{
		kind: store.KindVersion, full: (*store.Store).FullVersion, read: (*store.Tx).Version, searchText: (*store.Version).SearchText,
		viewIn: viewVersionIn, viewFully: viewVersionFully,
	}
	announcementContents = &contents[store.Announcement, announcementView]{
		kind: store.KindAnnouncement, full: (*store.Store).FullAnnouncement, read: (*store.Tx).Announcement,
		searchText: (*store.Announcement).SearchText,
		viewIn:     viewAnnouncementIn, viewFully: viewAnnouncementFully,
	}
)

// encode returns the JSON of an entry for a public response. Unless the entry's text is large, the
// JSON is encoded only once per language and cached in the snapshot.
func (c *contents[R, V]) encode(r reader, e *store.Entry[R]) ([]byte, error) {
	if !e.Large {
		return e.Encoding.Get(r.language, func() ([]byte, error) {
			return web.Encode(c.viewIn(r.snap.Project, e.Record, r.language))
		})
	}
	if err := r.request.Hold(e.Size); err != nil {
		return nil, err
	}
	full, err := c.full(r.handlers.DB, r.snap, e)
	if err != nil {
		return nil, err
	}
	return web.Encode(c.viewIn(r.snap.Project, full, r.language))
}

// listed returns a function that encodes an entry while a list is being written. The function is
// like encode, but adds r.message to the JSON. If the entry's text is large and the record has
// changed since the snapshot, the function encodes the current record, or returns nil if the record
// has been deleted.
func (c *contents[R, V]) listed(r reader) func(*store.Entry[R]) ([]byte, error) {
	return func(e *store.Entry[R]) ([]byte, error) {
		if !e.Large {
			return r.inList(c.encode(r, e))
		}
		rec, err := c.current(r.handlers, r.snap, e)
		if err != nil || rec == nil {
			return nil, err
		}
		return r.inList(web.Encode(c.viewIn(r.snap.Project, rec, r.language)))
	}
}

// listedFully is like listed, but for administrators: the JSON contains all translations.
func (c *contents[R, V]) listedFully(h *Handlers, snap *store.Snapshot) func(*store.Entry[R]) ([]byte, error) {
	return func(e *store.Entry[R]) ([]byte, error) {
		rec, err := c.current(h, snap, e)
		if err != nil || rec == nil {
			return nil, err
		}
		return web.Encode(c.viewFully(snap.Project, rec))
	}
}

// current returns the record of an entry, including its texts. If the record has changed since the
// snapshot, it returns the current record. If it has been deleted, it returns nil.
func (c *contents[R, V]) current(h *Handlers, snap *store.Snapshot, e *store.Entry[R]) (*R, error) {
	rec, err := c.full(h.DB, snap, e)
	if !errors.Is(err, store.ErrStale) {
		return rec, err
	}
	rec, err = store.Read(h.DB, func(tx *store.Tx) (*R, error) { return c.read(tx, snap.Project.ID, e.ID) })
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return rec, err
}

// search returns the entries in the list all that contain the search text find, in the same order.
// Entries that are not in this list do not influence the search, because public results could
// otherwise reveal the content of hidden announcements.
func (c *contents[R, V]) search(
	h *Handlers, r *web.Request, snap *store.Snapshot, find string, all []*store.Entry[R],
) ([]*store.Entry[R], error) {
	if find == "" {
		return all, nil
	}
	return searched(h, r, c.kind, snap.Project.ID, find, all,
		func(e *store.Entry[R]) store.Change {
			return store.Change{Kind: c.kind, Project: snap.Project.ID, ID: e.ID}
		},
		func(e *store.Entry[R]) (string, error) {
			rec, err := c.full(h.DB, snap, e)
			if err != nil {
				return "", err
			}
			return c.searchText(rec), nil
		})
}

// listOf returns a page of a list from a snapshot. Each record is read in full and encoded only
// when it is being written.
func listOf[R any](list []*store.Entry[R], page web.Page, encode func(*store.Entry[R]) ([]byte, error)) web.List {
	part := web.PageOf(list, page)
	return web.List{
		Total: len(list), Sizes: web.Views(part, func(e *store.Entry[R]) int { return e.Size }),
		Encode: func(i int) ([]byte, error) { return encode(part[i]) },
	}
}

// newestEntry compares entries by the times of their creation, the newest first.
func newestEntry[R any](a, b *store.Entry[R]) int { return bytes.Compare(b.ID[:], a.ID[:]) }
