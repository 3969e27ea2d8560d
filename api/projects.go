package api

import (
	"net/http"
	"strings"

	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/release"
	"svc/store"
)

func (s *Server) projectRoutes() []route {
	const all, one = v1 + "/admin/projects", v1 + "/admin/projects/:k"
	return []route{
		{method: "GET", path: all + "/_status", access: wide("projects:read"), handler: moduleStatus("projects")},
		{method: "GET", path: all + "/statistics", access: wide("projects:read"), handler: s.projectStatistics},
		{method: "GET", path: all, access: wide("projects:read"), handler: s.listProjects},
		{method: "POST", path: all, access: wide("projects:write"), handler: s.createProject},
		{method: "GET", path: one, access: key("projects:read"), handler: s.getProject},
		{method: "PATCH", path: one, access: key("projects:write"), handler: s.updateProject},
		{method: "DELETE", path: one, access: key("projects:write"), handler: s.deleteProject},
		{method: "GET", path: one + "/aliases", access: key("projects:read"), handler: s.listAliases},
		{method: "DELETE", path: one + "/aliases/:alias", access: key("projects:write"), handler: s.deleteAlias},
	}
}

// projectView is a project as it is shown; Locale and LocaleMessage say how
// name and description were chosen. Translations are for administrators.
type projectView struct {
	ID                 string                   `json:"id"`
	ProjectKey         string                   `json:"project_key"`
	Name               string                   `json:"name"`
	RepoURL            *string                  `json:"repo_url"`
	Description        *string                  `json:"description"`
	Author             *string                  `json:"author"`
	AuthorHomepageURL  *string                  `json:"author_homepage_url"`
	IconURL            *string                  `json:"icon_url"`
	WebsiteURL         *string                  `json:"website_url"`
	DocsURL            *string                  `json:"docs_url"`
	PublishedAt        *int64                   `json:"published_at"`
	OptionalMin        *string                  `json:"optional_update_min_comparable_version"`
	OptionalMax        *string                  `json:"optional_update_max_comparable_version"`
	StatsRetentionDays int                      `json:"stats_retention_days"`
	CollectEvents      bool                     `json:"event_collection_enabled"`
	EventRetentionDays int                      `json:"event_retention_days"`
	StorageBackendID   *string                  `json:"storage_backend_id"`
	MirrorAssets       bool                     `json:"mirror_codehost_assets"`
	Aliases            []string                 `json:"aliases"`
	Locale             *string                  `json:"locale"`
	LocaleMessage      string                   `json:"locale_message,omitempty"`
	Translations       []projectTranslationView `json:"translations,omitzero"`
	CreatedAt          int64                    `json:"created_at"`
	UpdatedAt          int64                    `json:"updated_at"`
}

type projectTranslationView struct {
	Locale      string  `json:"locale"`
	Name        *string `json:"name"`
	Description *string `json:"description"`
}

func viewProject(p *store.Project) projectView {
	v := projectView{
		ID: p.Key, ProjectKey: p.Key, Name: p.Name, RepoURL: p.RepoURL, Description: p.Description,
		Author: p.Author, AuthorHomepageURL: p.AuthorHomepageURL, IconURL: p.IconURL,
		WebsiteURL: p.WebsiteURL, DocsURL: p.DocsURL, PublishedAt: p.PublishedAt,
		OptionalMin: versionText(p.OptionalUpdate.Min), OptionalMax: versionText(p.OptionalUpdate.Max),
		StatsRetentionDays: p.StatsRetentionDays, CollectEvents: p.CollectEvents,
		EventRetentionDays: p.EventRetentionDays, MirrorAssets: p.MirrorAssets,
		Aliases: []string{}, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	for _, a := range p.Aliases {
		v.Aliases = append(v.Aliases, a.Name)
	}
	return v
}

// viewProjectFully adds what only administrators see.
func viewProjectFully(p *store.Project) projectView {
	v := viewProject(p)
	v.Translations = []projectTranslationView{}
	for _, l := range p.Languages {
		if t, ok := p.Translations[locale.Key(l.Tag)]; ok {
			v.Translations = append(v.Translations, projectTranslationView{l.Tag, t.Name, t.Description})
		}
	}
	return v
}

// viewProjectIn shows a project in a language, field by field.
func viewProjectIn(p *store.Project, language int) projectView {
	v := viewProject(p)
	if language < 0 {
		return v
	}
	t, tag := p.Translations[locale.Key(p.Languages[language].Tag)], &p.Languages[language].Tag
	if t.Name != nil {
		v.Name, v.Locale = *t.Name, tag
	}
	if t.Description != nil {
		v.Description, v.Locale = t.Description, tag
	}
	return v
}

// versionText is a comparable version as text; nil when there is none.
func versionText(c release.Comparable) *string {
	if c.IsZero() {
		return nil
	}
	text := c.String()
	return &text
}

func (s *Server) projectStatistics(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, struct {
		Count int `json:"count"`
	}{len(s.db.Projects())})
}

func (s *Server) listProjects(w http.ResponseWriter, r *request) error {
	var p problems
	page := p.page(r)
	find := p.search(r)
	if err := p.err(); err != nil {
		return err
	}
	matching, err := s.findProjects(r, find)
	if err != nil {
		return err
	}
	views := []projectView{}
	for _, p := range cut(matching, page) {
		views = append(views, viewProjectFully(p))
	}
	return respond(w, http.StatusOK, pageView{Total: len(matching), Data: views})
}

// newProject is a project with what holds where nothing is said.
func newProject() store.Project {
	return store.Project{StatsRetentionDays: 365, CollectEvents: true, EventRetentionDays: 90}
}

func (s *Server) createProject(w http.ResponseWriter, r *request) error {
	var in projectInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(false)
	if err != nil {
		return err
	}
	p := newProject()
	err = s.db.Update(func(tx *store.Tx) error {
		p.Key = change.key
		if err := change.apply(&p); err != nil {
			return err
		}
		return tx.CreateProject(&p)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, viewProjectFully(&p))
}

func (s *Server) getProject(w http.ResponseWriter, r *request) error {
	p, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewProjectFully(p))
}

func (s *Server) updateProject(w http.ResponseWriter, r *request) error {
	var in projectInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(true)
	if err != nil {
		return err
	}
	var p *store.Project
	err = s.db.Update(func(tx *store.Tx) (err error) {
		if p, err = r.project(tx); err != nil {
			return err
		}
		if err := change.apply(p); err != nil {
			return err
		}
		if change.key != "" && change.key != p.Key {
			return tx.RenameProject(p, change.key)
		}
		return tx.PutProject(p)
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewProjectFully(p))
}

func (s *Server) deleteProject(w http.ResponseWriter, r *request) error {
	err := s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		return tx.DeleteProject(p)
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

type aliasView struct {
	Alias     string `json:"alias"`
	CreatedAt int64  `json:"created_at"`
}

func (s *Server) listAliases(w http.ResponseWriter, r *request) error {
	p, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	views := []aliasView{}
	for _, a := range p.Aliases {
		views = append(views, aliasView{a.Name, a.CreatedAt})
	}
	return respond(w, http.StatusOK, listView{Data: views})
}

func (s *Server) deleteAlias(w http.ResponseWriter, r *request) error {
	err := s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
		return tx.DeleteAlias(p, r.param("alias"))
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

// errNoLanguage refuses a translation into a language the project does not
// have.
func errNoLanguage(field, tag string) error {
	return fault.Validation(field + ": " + quote(tag) + " is not a registered language of the project")
}

// quote is a short text in quotation marks, for messages.
func quote(text string) string {
	if runes := []rune(text); len(runes) > 64 {
		text = string(runes[:64]) + "…"
	}
	return `"` + strings.ToValidUTF8(text, "�") + `"`
}
