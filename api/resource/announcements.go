package resource

import (
	"net/http"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/platform"
	"svc/store"
)

func (h *Handlers) announcementRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/announcements"
	const compat = web.V1 + "/admin/announcements"
	read, write := web.ByScope("announcements:read"), web.ByScope("announcements:write")
	return []web.Route{
		{Method: "GET", Path: all + "/_status", Access: read, Handler: h.status("announcements")},
		{Method: "GET", Path: all, Access: read, Handler: h.listAnnouncements},
		{Method: "POST", Path: all, Access: write, Handler: h.createAnnouncement},
		{Method: "GET", Path: all + "/:id", Access: read, Handler: h.getAnnouncement},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: h.updateAnnouncement},
		{Method: "DELETE", Path: all + "/:id", Access: write, Handler: h.deleteAnnouncement},
		{Method: "GET", Path: compat + "/statistics", Access: web.AcrossProjects("announcements:read"), Handler: h.announcementStatistics},
		{Method: "POST", Path: web.V1 + "/admin/projects/announcements", Access: write.From(web.BodyProject), Handler: h.createAnnouncement},
		{Method: "PATCH", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: h.updateAnnouncement},
		{Method: "DELETE", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: h.deleteAnnouncement},
	}
}

// announcementView is an announcement as it is shown; Locale and LocaleMessage
// say how title and content were chosen. Translations are for administrators.
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
		PublishedAt: a.PublishedAt, CreatedAt: store.CreatedAt(a.ID), UpdatedAt: a.UpdatedAt,
	}
	if len(v.Platforms) == 0 {
		v.Platforms = []platform.Platform{}
	}
	return v
}

// viewAnnouncementFully adds what only administrators see.
func viewAnnouncementFully(p *store.Project, a *store.Announcement) announcementView {
	v := viewAnnouncement(a)
	v.Translations = []announcementTranslationView{}
	for _, l := range p.Languages {
		if t, ok := a.Translations[locale.Key(l.Tag)]; ok {
			v.Translations = append(v.Translations, announcementTranslationView{l.Tag, t.Title, t.Content, t.Hidden})
		}
	}
	return v
}

// viewAnnouncementIn shows an announcement in a language, field by field.
func viewAnnouncementIn(p *store.Project, a *store.Announcement, language int) announcementView {
	v := viewAnnouncement(a)
	if language < 0 {
		return v
	}
	t, tag := a.Translations[locale.Key(p.Languages[language].Tag)], &p.Languages[language].Tag
	if t.Title != nil {
		v.Title, v.Locale = *t.Title, tag
	}
	if t.Content != nil {
		v.Content, v.Locale = *t.Content, tag
	}
	return v
}

func (h *Handlers) listAnnouncements(w http.ResponseWriter, r *web.Request) error {
	var p problems
	page, find := p.Page(r), p.Search(r)
	on, pinned, hidden := p.PlatformFilter(r), p.Bool(r, "is_pinned"), p.Bool(r, "is_hidden")
	if err := p.Err(); err != nil {
		return err
	}
	return h.withSnapshot(r, func(snap *store.Snapshot) error {
		matching, err := h.findAnnouncements(r, snap, find, func(e *store.AnnouncementEntry) bool {
			a := e.Announcement
			return web.Fits(a.Pinned, pinned) && web.Fits(a.Hidden, hidden) && (on == nil || a.For(*on))
		})
		if err != nil {
			return err
		}
		views := []announcementView{}
		for _, e := range web.PageOf(matching, page) {
			a, err := h.DB.FullAnnouncement(snap, e)
			if err != nil {
				return err
			}
			views = append(views, viewAnnouncementFully(snap.Project, a))
		}
		return web.Respond(w, http.StatusOK, web.PageView{Total: len(matching), Data: views})
	})
}

// addressedAnnouncement reads the announcement in the path and its project, on
// the paths with a project as well as on those with the id alone.
func (h *Handlers) addressedAnnouncement(r *web.Request, tx *store.Tx) (*store.Project, *store.Announcement, error) {
	id, ok := store.ParseID(r.Param("id"))
	errNone := fault.New(fault.NotFound, "announcement not found")
	if r.Param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, a, err := tx.OwnedAnnouncement(id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.Reached(p, nil)
		return p, a, err
	}
	p, err := r.Project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	a, err := tx.Announcement(p.ID, id)
	return p, a, err
}

func (h *Handlers) getAnnouncement(w http.ResponseWriter, r *web.Request) error {
	var view announcementView
	err := h.DB.View(func(tx *store.Tx) error {
		p, a, err := h.addressedAnnouncement(r, tx)
		if err == nil {
			view = viewAnnouncementFully(p, a)
		}
		return err
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, view)
}

// createAnnouncement finds its project in the path, or on the older path in
// the body.
func (h *Handlers) createAnnouncement(w http.ResponseWriter, r *web.Request) error {
	var in announcementInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(false)
	name, err := projectName(r, err)
	if err != nil {
		return err
	}
	var view announcementView
	err = h.DB.Update(func(tx *store.Tx) error {
		p, err := r.Reached(tx.Project(name))
		if err != nil {
			return err
		}
		a := &store.Announcement{PublishedAt: tx.Now().Unix()}
		if err := change.apply(p, a); err != nil {
			return err
		}
		if err := tx.PutAnnouncement(p.ID, a); err != nil {
			return err
		}
		view = viewAnnouncementFully(p, a)
		return nil
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusCreated, view)
}

func (h *Handlers) updateAnnouncement(w http.ResponseWriter, r *web.Request) error {
	var in announcementInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(true)
	if err != nil {
		return err
	}
	var view announcementView
	err = h.DB.Update(func(tx *store.Tx) error {
		p, a, err := h.addressedAnnouncement(r, tx)
		if err != nil {
			return err
		}
		if err := change.apply(p, a); err != nil {
			return err
		}
		if err := tx.PutAnnouncement(p.ID, a); err != nil {
			return err
		}
		view = viewAnnouncementFully(p, a)
		return nil
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, view)
}

func (h *Handlers) deleteAnnouncement(w http.ResponseWriter, r *web.Request) error {
	err := h.DB.Update(func(tx *store.Tx) error {
		p, a, err := h.addressedAnnouncement(r, tx)
		if err != nil {
			return err
		}
		return tx.DeleteAnnouncement(p.ID, a)
	})
	if err != nil {
		return err
	}
	return web.RespondDeleted(w)
}

func (h *Handlers) announcementStatistics(w http.ResponseWriter, _ *web.Request) error {
	var view struct {
		Count       int64 `json:"count"`
		PinnedCount int64 `json:"pinned_count"`
	}
	err := h.DB.View(func(tx *store.Tx) (err error) {
		view.Count, view.PinnedCount, err = tx.AnnouncementStatistics()
		return err
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, view)
}
