package resource

import (
	"cmp"
	"errors"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/release"
	"svc/store"
)

func (h *Handlers) projectRoutes() []web.Route {
	const all, one = web.V1 + "/admin/projects", web.V1 + "/admin/projects/:k"
	create, update := web.Checked(projectInput.check, creates, h.createProject), web.Checked(projectInput.check, updates, h.updateProject)
	return []web.Route{
		{Method: "GET", Path: all + "/_status", Access: web.AcrossProjects("projects:read"), Handler: web.ModuleStatus("projects")},
		{Method: "GET", Path: all + "/statistics", Access: web.AcrossProjects("projects:read"), Handler: web.OK(h.projectStatistics)},
		{Method: "GET", Path: all, Access: web.AcrossProjects("projects:read"), Handler: web.Listed(h.listProjects)},
		{Method: "POST", Path: all, Access: web.AcrossProjects("projects:write"), Handler: web.Created(create)},
		{Method: "GET", Path: one, Access: web.ByScope("projects:read"), Handler: projectAnswer(h, viewProjectFully)},
		{Method: "PATCH", Path: one, Access: web.ByScope("projects:write"), Handler: web.OK(update)},
		{Method: "DELETE", Path: one, Access: web.ByScope("projects:write"), Handler: web.Done(h.deleteProject)},
		{Method: "GET", Path: one + "/contents", Access: web.ByScope("projects:read"), Handler: web.OK(h.projectContents)},
		{Method: "GET", Path: one + "/aliases", Access: web.ByScope("projects:read"), Handler: projectAnswer(h, viewAliases)},
		{Method: "DELETE", Path: one + "/aliases/:alias", Access: web.ByScope("projects:write"), Handler: web.Done(h.deleteAlias)},
	}
}

// projectView is the JSON form of a project. Locale is the language of the name and the
// description. Only administrators see Translations.
type projectView struct {
	ID                    string                   `json:"id"`
	ProjectKey            string                   `json:"project_key"`
	Name                  string                   `json:"name"`
	RepoURL               *string                  `json:"repo_url"`
	Description           *string                  `json:"description"`
	Author                *string                  `json:"author"`
	AuthorHomepageURL     *string                  `json:"author_homepage_url"`
	IconURL               *string                  `json:"icon_url"`
	WebsiteURL            *string                  `json:"website_url"`
	DocsURL               *string                  `json:"docs_url"`
	PublishedAt           *int64                   `json:"published_at"`
	OptionalMin           *string                  `json:"optional_update_min_comparable_version"`
	OptionalMax           *string                  `json:"optional_update_max_comparable_version"`
	StatsRetentionDays    int                      `json:"stats_retention_days"`
	CollectEvents         bool                     `json:"event_collection_enabled"`
	EventRetentionDays    int                      `json:"event_retention_days"`
	LogRetentionDays      *int                     `json:"log_retention_days"`
	FeedbackRetentionDays *int                     `json:"feedback_retention_days"`
	StorageBackendID      *string                  `json:"storage_backend_id"`
	MirrorAssets          bool                     `json:"mirror_codehost_assets"`
	Aliases               []string                 `json:"aliases"`
	Locale                *string                  `json:"locale"`
	Translations          []projectTranslationView `json:"translations,omitzero"`
	CreatedAt             int64                    `json:"created_at"`
	UpdatedAt             int64                    `json:"updated_at"`
	*activityView
}

// activityView holds the fields that only the list of projects has, and only on request.
type activityView struct {
	Latest         *latestView `json:"latest"`
	LastActivityAt *int64      `json:"last_activity_at"`
}

type latestView struct {
	ID          string `json:"id"`
	Version     string `json:"version"`
	PublishedAt int64  `json:"published_at"`
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
		EventRetentionDays: p.EventRetentionDays, LogRetentionDays: p.LogRetentionDays, FeedbackRetentionDays: p.FeedbackRetentionDays,
		StorageBackendID: web.OrNil(&p.StorageBackend), MirrorAssets: p.MirrorAssets,
		Aliases: []string{}, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	for _, a := range p.Aliases {
		v.Aliases = append(v.Aliases, a.Name)
	}
	return v
}

// viewProjectFully returns the view for administrators, with all translations.
func viewProjectFully(p *store.Project) projectView {
	v := viewProject(p)
	v.Translations = projectTexts.views(p, p.Translations)
	return v
}

// viewProjectIn returns the view in one language. A field without a translation keeps its default
// text.
func viewProjectIn(p *store.Project, language int) projectView {
	v := viewProject(p)
	t, tag := projectTexts.inLanguage(p, p.Translations, language)
	if t.Name != nil {
		v.Name, v.Locale = *t.Name, tag
	}
	if t.Description != nil {
		v.Description, v.Locale = t.Description, tag
	}
	return v
}

// versionText returns the text of a comparable version, or nil if it is zero.
func versionText(c release.Comparable) *string {
	if c.IsZero() {
		return nil
	}
	return new(c.String())
}

type projectStatisticsView struct {
	Count int `json:"count"`
}

func (h *Handlers) projectStatistics(*web.Request) (projectStatisticsView, error) {
	return projectStatisticsView{len(h.DB.Projects())}, nil
}

func (h *Handlers) listProjects(r *web.Request) (web.List, error) {
	var p problems
	page, find, sort, activity := p.Page(r), p.Search(r), p.Sort(r, "created_at", "name"), p.Bool(r, "activity")
	if err := p.Err(); err != nil {
		return web.List{}, err
	}
	matching, err := h.findProjects(r, find)
	if err != nil {
		return web.List{}, err
	}
	switch newest := func(a, b *store.Project) int { return cmp.Compare(b.ID, a.ID) }; sort.By {
	case "created_at": // not the order of the numbers, because imported projects keep their time
		matching = sorting(matching, sort, newest, func(a, b *store.Project) int {
			return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), newest(b, a))
		})
	case "name":
		matching = sorting(matching, sort, newest, byText(matching, func(p *store.Project) string { return p.Name }))
	}
	views := web.Views(web.PageOf(matching, page), viewProjectFully)
	if activity != nil && *activity {
		err = h.addActivity(views)
	}
	return web.NewList(len(matching), views, func(v projectView) projectView { return v }), err
}

// addActivity sets the activity of projects. For each project, it reads the snapshot and the key of
// the newest request counter. A project that has been deleted since the list was read gets an empty
// activity.
func (h *Handlers) addActivity(views []projectView) error {
	snaps := make([]*store.Snapshot, len(views))
	for i := range views {
		v := &views[i]
		v.activityView = &activityView{}
		snap, err := h.DB.Snapshot(v.ProjectKey)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		snaps[i] = snap
		if at := snap.Catalog.Latest(); at >= 0 {
			item := snap.Catalog.Item(at)
			v.Latest = &latestView{item.ID.String(), item.Version, item.PublishedAt}
		}
	}
	return h.DB.View(func(tx *store.Tx) error {
		for i, snap := range snaps {
			if snap == nil {
				continue
			}
			if hour, ok := tx.LastRequest(snap.Project.ID); ok {
				views[i].LastActivityAt = new(hour.Start())
			}
		}
		return nil
	})
}

// contentsView holds the numbers of records that are deleted together with a project.
type contentsView struct {
	Versions         int64 `json:"versions"`
	Announcements    int64 `json:"announcements"`
	Feedbacks        int64 `json:"feedbacks"`
	Logs             int64 `json:"logs"`
	Files            int64 `json:"files"`
	FileBytes        int64 `json:"file_bytes"`
	Events           int64 `json:"events"`
	EventDefinitions int   `json:"event_definitions"`
	DashboardCards   int   `json:"dashboard_cards"`
	Languages        int   `json:"languages"`
	Aliases          int   `json:"aliases"`
	APIKeys          int   `json:"api_keys"`
}

// projectContents counts the records that belong to the project in the path.
func (h *Handlers) projectContents(r *web.Request) (v contentsView, err error) {
	var project store.ProjectID
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		project = p.ID
		c, err := tx.Contents(p.ID)
		v = contentsView{
			Versions: c.Versions, Announcements: c.Announcements, Feedbacks: c.Feedback, Logs: c.Logs,
			Files: c.Files, FileBytes: c.FileBytes, DashboardCards: c.Cards, APIKeys: c.Keys,
			Languages: len(p.Languages), Aliases: len(p.Aliases),
		}
		return err
	})
	if err != nil {
		return v, err
	}
	v.Events, v.EventDefinitions, err = h.EventContents(r.Context(), project)
	return v, err
}

// NewProject returns a project with default settings.
func NewProject() store.Project {
	return store.Project{StatsRetentionDays: 365, CollectEvents: true, EventRetentionDays: 90}
}

func (h *Handlers) createProject(r *web.Request, change projectChange) (v projectView, err error) {
	p := NewProject()
	err = h.DB.Update(func(tx *store.Tx) error {
		p.Key = change.key
		if err := change.apply(&p); err != nil {
			return err
		}
		return errors.Join(tx.CreateProject(&p), r.Tag(&p))
	})
	return viewProjectFully(&p), err
}

// projectAnswer returns a handler that responds with view's result for the project in the path.
func projectAnswer[V any](h *Handlers, view func(*store.Project) V) web.Handler {
	return web.OK(func(r *web.Request) (v V, err error) {
		p, err := r.Reached(h.DB.FindProject(r.Param("k")))
		if err != nil {
			return v, err
		}
		return view(p), r.Tag(p)
	})
}

func (h *Handlers) updateProject(r *web.Request, change projectChange) (v projectView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		if err := r.Match(p); err != nil {
			return err
		}
		if err := change.apply(p); err != nil {
			return err
		}
		if change.key != "" && change.key != p.Key {
			err = tx.RenameProject(p, change.key)
		} else {
			err = tx.PutProject(p)
		}
		v = viewProjectFully(p)
		return errors.Join(err, r.Tag(p))
	})
	return v, err
}

func (h *Handlers) deleteProject(r *web.Request) error {
	return r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		if err := r.Match(p); err != nil {
			return err
		}
		return tx.DeleteProject(p)
	})
}

type aliasView struct {
	Alias     string `json:"alias"`
	CreatedAt int64  `json:"created_at"`
}

// ViewAlias returns the JSON form of a former key.
func ViewAlias(a store.Alias) aliasView { return aliasView{a.Name, a.CreatedAt} }

func viewAliases(p *store.Project) web.ListView {
	return web.ListView{Data: web.Views(p.Aliases, ViewAlias)}
}

func (h *Handlers) deleteAlias(r *web.Request) error {
	return r.Update(h.DB, func(tx *store.Tx, p *store.Project) error { return tx.DeleteAlias(p, r.Param("alias")) })
}
