package api

import (
	"net/http"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/platform"
	"svc/store"
)

func (s *Server) announcementRoutes() []route {
	const all = v1 + "/admin/projects/:k/announcements"
	const compat = v1 + "/admin/announcements"
	read, write := key("announcements:read"), key("announcements:write")
	return []route{
		{method: "GET", path: all + "/_status", access: read, handler: s.status("announcements")},
		{method: "GET", path: all, access: read, handler: s.listAnnouncements},
		{method: "POST", path: all, access: write, handler: s.createAnnouncement},
		{method: "GET", path: all + "/:id", access: read, handler: s.getAnnouncement},
		{method: "PATCH", path: all + "/:id", access: write, handler: s.updateAnnouncement},
		{method: "DELETE", path: all + "/:id", access: write, handler: s.deleteAnnouncement},
		{method: "GET", path: compat + "/statistics", access: wide("announcements:read"), handler: s.announcementStatistics},
		{method: "POST", path: v1 + "/admin/projects/announcements", access: write.from(bodyProject), handler: s.createAnnouncement},
		{method: "PATCH", path: compat + "/:id", access: write.from(pathRecord), handler: s.updateAnnouncement},
		{method: "DELETE", path: compat + "/:id", access: write.from(pathRecord), handler: s.deleteAnnouncement},
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

func (s *Server) listAnnouncements(w http.ResponseWriter, r *request) error {
	var p problems
	page, find := p.page(r), p.search(r)
	on, pinned, hidden := p.platformFilter(r), p.choice(r, "is_pinned"), p.choice(r, "is_hidden")
	if err := p.err(); err != nil {
		return err
	}
	return s.withSnapshot(r, func(snap *store.Snapshot) error {
		matching, err := s.findAnnouncements(r, snap, find, func(e *store.AnnouncementEntry) bool {
			a := e.Announcement
			return is(a.Pinned, pinned) && is(a.Hidden, hidden) && (on == nil || a.For(*on))
		})
		if err != nil {
			return err
		}
		views := []announcementView{}
		for _, e := range cut(matching, page) {
			a, err := s.db.FullAnnouncement(snap, e)
			if err != nil {
				return err
			}
			views = append(views, viewAnnouncementFully(snap.Project, a))
		}
		return respond(w, http.StatusOK, pageView{Total: len(matching), Data: views})
	})
}

// addressedAnnouncement reads the announcement in the path and its project, on
// the paths with a project as well as on those with the id alone.
func (s *Server) addressedAnnouncement(r *request, tx *store.Tx) (*store.Project, *store.Announcement, error) {
	id, ok := store.ParseID(r.param("id"))
	errNone := fault.New(fault.NotFound, "announcement not found")
	if r.param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, a, err := tx.OwnedAnnouncement(id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.reached(p, nil)
		return p, a, err
	}
	p, err := r.project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	a, err := tx.Announcement(p.ID, id)
	return p, a, err
}

func (s *Server) getAnnouncement(w http.ResponseWriter, r *request) error {
	var view announcementView
	err := s.db.View(func(tx *store.Tx) error {
		p, a, err := s.addressedAnnouncement(r, tx)
		if err == nil {
			view = viewAnnouncementFully(p, a)
		}
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, view)
}

// createAnnouncement finds its project in the path, or on the older path in
// the body.
func (s *Server) createAnnouncement(w http.ResponseWriter, r *request) error {
	var in announcementInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(false)
	name, err := projectName(r, err)
	if err != nil {
		return err
	}
	var view announcementView
	err = s.db.Update(func(tx *store.Tx) error {
		p, err := r.reached(tx.Project(name))
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
	return respond(w, http.StatusCreated, view)
}

func (s *Server) updateAnnouncement(w http.ResponseWriter, r *request) error {
	var in announcementInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(true)
	if err != nil {
		return err
	}
	var view announcementView
	err = s.db.Update(func(tx *store.Tx) error {
		p, a, err := s.addressedAnnouncement(r, tx)
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
	return respond(w, http.StatusOK, view)
}

func (s *Server) deleteAnnouncement(w http.ResponseWriter, r *request) error {
	err := s.db.Update(func(tx *store.Tx) error {
		p, a, err := s.addressedAnnouncement(r, tx)
		if err != nil {
			return err
		}
		return tx.DeleteAnnouncement(p.ID, a)
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

func (s *Server) announcementStatistics(w http.ResponseWriter, _ *request) error {
	var view struct {
		Count       int64 `json:"count"`
		PinnedCount int64 `json:"pinned_count"`
	}
	err := s.db.View(func(tx *store.Tx) (err error) {
		view.Count, view.PinnedCount, err = tx.AnnouncementStatistics()
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, view)
}
