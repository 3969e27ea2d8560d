package resource

import (
	"cmp"

	"svc/api/web"
	"svc/internal/platform"
	"svc/store"
)

func (h *Handlers) announcementRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/announcements"
	const compat = web.V1 + "/admin/announcements"
	read, write := web.ByScope("announcements:read"), web.ByScope("announcements:write")
	announcements := kind[store.Announcement]{
		"announcement", (*store.Tx).Announcement, (*store.Tx).OwnedAnnouncement, (*store.Tx).DeleteAnnouncement,
	}
	create := createRecord(h, announcementInput.check, viewAnnouncementFully)
	update, remove := updateRecord(h, announcements, announcementInput.check, viewAnnouncementFully), deleteRecord(h, announcements)
	return []web.Route{
		{Method: "GET", Path: all + "/_status", Access: read, Handler: h.status("announcements")},
		{Method: "GET", Path: all, Access: read, Handler: web.Listed(h.listAnnouncements)},
		{Method: "POST", Path: all, Access: write, Handler: create},
		{Method: "GET", Path: all + "/:id", Access: read, Handler: getRecord(h, announcements, viewAnnouncementFully)},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: update},
		{Method: "DELETE", Path: all + "/:id", Access: write, Handler: remove},
		{
			Method: "GET", Path: compat + "/statistics", Access: web.AcrossProjects("announcements:read"), Handler: web.OK(h.announcementStatistics),
		},
		{Method: "POST", Path: web.V1 + "/admin/projects/announcements", Access: write.From(web.BodyProject), Handler: create},
		{Method: "PATCH", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: update},
		{Method: "DELETE", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: remove},
	}
}

// announcementView is the JSON form of an announcement. Locale is the language of the title and the
// content. Only administrators see Translations.
type announcementView struct {
	ID           string                        `json:"id"`
	Title        string                        `json:"title"`
	Content      string                        `json:"content"`
	IsPinned     bool                          `json:"is_pinned"`
	IsHidden     bool                          `json:"is_hidden"`
	Platforms    []platform.Platform           `json:"platforms"`
	Author       *string                       `json:"author"`
	Min          *string                       `json:"min_comparable_version"`
	Max          *string                       `json:"max_comparable_version"`
	Locale       *string                       `json:"locale"`
	Translations []announcementTranslationView `json:"translations,omitzero"`
	PublishedAt  int64                         `json:"published_at"`
	ExpiresAt    *int64                        `json:"expires_at"`
	CreatedAt    int64                         `json:"created_at"`
	UpdatedAt    int64                         `json:"updated_at"`
}

type announcementTranslationView struct {
	Locale   string  `json:"locale"`
	Title    *string `json:"title"`
	Content  *string `json:"content"`
	IsHidden bool    `json:"is_hidden"`
}

func viewAnnouncement(a *store.Announcement) announcementView {
	v := announcementView{
		ID: a.ID.String(), Title: a.Title, Content: a.Content, IsPinned: a.Pinned, IsHidden: a.Hidden,
		Platforms: a.Platforms, Author: a.Author,
		Min: versionText(a.Versions.Min), Max: versionText(a.Versions.Max),
		PublishedAt: a.PublishedAt, ExpiresAt: a.ExpiresAt, CreatedAt: store.CreatedAt(a.ID), UpdatedAt: a.UpdatedAt,
	}
	if len(v.Platforms) == 0 {
		v.Platforms = []platform.Platform{}
	}
	return v
}

// viewAnnouncementFully returns the view for administrators, with all translations.
func viewAnnouncementFully(p *store.Project, a *store.Announcement) announcementView {
	v := viewAnnouncement(a)
	v.Translations = announcementTexts.views(p, a.Translations)
	return v
}

// viewAnnouncementIn returns the view in one language. A field without a translation keeps its
// default text.
func viewAnnouncementIn(p *store.Project, a *store.Announcement, language int) announcementView {
	v := viewAnnouncement(a)
	t, tag := announcementTexts.inLanguage(p, a.Translations, language)
	if t.Title != nil {
		v.Title, v.Locale = *t.Title, tag
	}
	if t.Content != nil {
		v.Content, v.Locale = *t.Content, tag
	}
	return v
}

func (h *Handlers) listAnnouncements(r *web.Request) (web.List, error) {
	var p problems
	page, find := p.Page(r), p.Search(r)
	on, pinned, hidden, expired := p.PlatformFilter(r), p.Bool(r, "is_pinned"), p.Bool(r, "is_hidden"), p.Bool(r, "expired")
	sort := p.Sort(r, "published_at", "created_at", "title")
	if err := p.Err(); err != nil {
		return web.List{}, err
	}
	now := h.Now().Unix()
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (web.List, error) {
		matching, err := announcementContents.search(h, r, snap, find, snap.Announcements(func(e *store.AnnouncementEntry) bool {
			a := e.Record
			return web.Fits(a.Pinned, pinned) && web.Fits(a.Hidden, hidden) && web.Fits(a.Expired(now), expired) && (on == nil || a.For(*on))
		}))
		if err != nil {
			return web.List{}, err
		}
		switch sort.By {
		case "published_at":
			matching = sorting(matching, sort, newestEntry, func(a, b *store.AnnouncementEntry) int {
				return cmp.Compare(a.Record.PublishedAt, b.Record.PublishedAt)
			})
		case "created_at":
			matching = sorting(matching, sort, newestEntry, func(a, b *store.AnnouncementEntry) int { return newestEntry(b, a) })
		case "title":
			matching = sorting(matching, sort, newestEntry, byText(matching, func(e *store.AnnouncementEntry) string { return e.Record.Title }))
		}
		return listOf(matching, page, announcementContents.listedFully(h, snap)), nil
	})
}

type announcementStatisticsView struct {
	Count       int64 `json:"count"`
	PinnedCount int64 `json:"pinned_count"`
}

func (h *Handlers) announcementStatistics(*web.Request) (v announcementStatisticsView, err error) {
	err = h.DB.View(func(tx *store.Tx) (err error) {
		v.Count, v.PinnedCount, err = tx.AnnouncementStatistics()
		return err
	})
	return v, err
}
