package resource

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

func (h *Handlers) publicAnnouncementRoutes() []web.Route {
	const all = web.V1 + "/public/:k/announcements"
	return []web.Route{
		{
			Method: "GET", Path: all, Access: web.Anyone(), Handler: web.Listed(h.publicAnnouncements), Counts: "ANNOUNCEMENT_LIST",
			FiltersPlatform: true,
		},
		{
			Method: "GET", Path: all + "/latest", Access: web.Anyone(), Handler: h.publicLatestAnnouncement, Counts: "ANNOUNCEMENT_LATEST",
			FiltersPlatform: true,
		},
	}
}

// audience describes the client that requests a project's announcements.
type audience struct {
	platform *platform.Platform // nil = not given
	version  string             // "" = not given
	now      int64              // Unix seconds
}

func (p *problems) audience(r *web.Request, now time.Time) audience {
	a := audience{platform: p.PlatformFilter(r), version: strings.TrimSpace(r.Query("version")), now: now.Unix()}
	if utf8.RuneCountInString(a.version) > 64 {
		p.Add("version must have at most 64 characters")
	}
	return a
}

// sees returns a function that reports whether an announcement is visible to the audience. A
// visible announcement is meant for the client's platform and version and has not expired. It is
// hidden neither as a whole nor in the given language. If the version of the client is unknown,
// only announcements for all versions are visible.
func (a audience) sees(snap *store.Snapshot, language int) func(*store.AnnouncementEntry) bool {
	version, known := release.Parse(a.version)
	if !known {
		if at := snap.Catalog.Named(a.version); at >= 0 {
			version, known = snap.Catalog.Item(at).Comparable, true
		}
	}
	var tag string
	if language >= 0 {
		tag = locale.Key(snap.Project.Languages[language].Tag)
	}
	return func(e *store.AnnouncementEntry) bool {
		n := e.Record
		switch {
		case n.Hidden, n.Expired(a.now), a.platform != nil && !n.For(*a.platform):
			return false
		case language >= 0 && n.Translations[tag].Hidden:
			return false
		case known:
			return n.Versions.Contains(version)
		}
		return n.Versions == release.Range{}
	}
}

func (h *Handlers) publicAnnouncements(r *web.Request) (web.List, error) {
	var p problems
	page, find, audience := p.Page(r), p.Search(r), p.audience(r, h.Now())
	if err := p.Err(); err != nil {
		return web.List{}, err
	}
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (v web.List, err error) {
		reader := h.reader(r, snap, r.Query("locale"))
		matching, err := announcementContents.search(h, r, snap, find, snap.Announcements(audience.sees(snap, reader.language)))
		if err != nil {
			return v, err
		}
		return listOf(matching, page, announcementContents.listed(reader)), nil
	})
}

func (h *Handlers) publicLatestAnnouncement(w http.ResponseWriter, r *web.Request) error {
	var p problems
	audience := p.audience(r, h.Now())
	if err := p.Err(); err != nil {
		return err
	}
	return h.respondObject(w, r, func(to reader) ([]byte, error) {
		visible := to.snap.Announcements(audience.sees(to.snap, to.language))
		if len(visible) == 0 {
			return nil, fault.New(fault.NotFound, "there is no announcement for this client")
		}
		return announcementContents.encode(to, slices.MaxFunc(visible, func(a, b *store.AnnouncementEntry) int {
			return byPublication(a.Record, b.Record)
		}))
	})
}

// byPublication compares two announcements by publication time, then by creation. It ignores
// pinning.
func byPublication(a, b *store.Announcement) int {
	return cmp.Or(cmp.Compare(a.PublishedAt, b.PublishedAt), bytes.Compare(a.ID[:], b.ID[:]))
}
