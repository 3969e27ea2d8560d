package codehost

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/codehost"
	"svc/internal/fault"
	"svc/internal/forward"
	"svc/internal/rollout"
	"svc/store"
)

func (h *Handlers) previewRoutes() []web.Route {
	const versions = web.V1 + "/admin/projects/:k/versions"
	return []web.Route{
		{
			Method: "GET", Path: web.V1 + "/admin/projects/codehost-repo-preview", Access: web.AcrossProjects("projects:read"),
			Handler: web.OK(h.previewRepo),
		},
		{Method: "GET", Path: versions + "/codehost-release-preview", Access: web.ByScope("versions:read"), Handler: web.OK(h.previewRelease)},
		{Method: "POST", Path: versions + "/codehost-release-import", Access: web.ByScope("versions:write"), Handler: web.OK(h.importReleases)},
	}
}

const (
	maxImported    = 1000 // maximum number of releases that an import reads
	maxRepoURL     = 512  // characters, as in a project
	maxTag         = 128
	maxDescription = 2048
	maxSiteURL     = 512
	maxIconURL     = 1024
)

// repoPreviewView is the JSON form of a repository, with the fields of a project's form.
type repoPreviewView struct {
	ProjectKey        string  `json:"project_key"`
	Name              string  `json:"name"`
	RepoURL           string  `json:"repo_url"`
	Description       *string `json:"description"`
	Author            *string `json:"author"`
	AuthorHomepageURL *string `json:"author_homepage_url"`
	IconURL           *string `json:"icon_url"`
	WebsiteURL        *string `json:"website_url"`
	DocsURL           *string `json:"docs_url"`
	PublishedAt       *int64  `json:"published_at"`
	OptionalMin       *string `json:"optional_update_min_comparable_version"`
	OptionalMax       *string `json:"optional_update_max_comparable_version"`
}

func (h *Handlers) previewRepo(r *web.Request) (view repoPreviewView, err error) {
	address := strings.TrimSpace(r.Query("repo_url"))
	name, ok := h.Host.ParseRepo(address)
	switch {
	case address == "":
		return view, fault.Validation("repo_url is required")
	case utf8.RuneCountInString(address) > maxRepoURL:
		return view, fault.Validation("repo_url must have at most 512 characters")
	case !ok:
		return view, fault.Validation("repo_url must be the address of a repository, such as " + h.example())
	}
	settings, err := store.Read(h.DB, store.CodehostAppSettings.Get)
	if err != nil {
		return view, err
	}
	app, err := forward.OpenApp(h.Keys, settings)
	if err != nil {
		return view, err
	}
	ctx, done := forRequest(r)
	defer done()
	found, err := h.Host.Repo(app, name).Get(ctx)
	if err != nil {
		return view, codehost.Explain(err, "the code host has no such repository, or does not show it", h.Now())
	}
	return h.viewRepo(found, name), nil
}

// viewRepo returns the JSON form of a repository. It omits values that are not valid for a project,
// so that the form can be saved.
func (h *Handlers) viewRepo(found *codehost.Repository, name string) repoPreviewView {
	if current, ok := h.Host.ParseRepo(h.Host.Web + "/" + found.FullName); ok {
		name = current // it may have been renamed
	}
	owner, _, _ := strings.Cut(name, "/")
	view := repoPreviewView{
		ProjectKey: strings.ToLower(strings.ReplaceAll(name, "/", "-")), Name: name, RepoURL: h.Host.Web + "/" + name,
		Author: &owner, AuthorHomepageURL: address(h.Host.Web+"/"+owner, maxSiteURL),
		IconURL: address(found.Owner.AvatarURL, maxIconURL), WebsiteURL: address(found.Homepage, maxSiteURL),
	}
	if view.WebsiteURL == nil {
		view.WebsiteURL = address(found.Website, maxSiteURL)
	}
	if text := strings.TrimSpace(found.Description); text != "" {
		text = web.Shorten(text, maxDescription)
		view.Description = &text
	}
	if found.CreatedAt != nil && found.CreatedAt.Unix() >= 0 {
		view.PublishedAt = new(found.CreatedAt.Unix())
	}
	return view
}

// address returns a pointer to text if it is an absolute address of at most the given number of
// characters, and nil otherwise.
func address(text string, limit int) *string {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || utf8.RuneCountInString(text) > limit {
		return nil
	}
	return &text
}

// releasePreviewView is the JSON form of a release, with the fields of a version's form.
type releasePreviewView struct {
	Version       string               `json:"version"`
	Comparable    string               `json:"comparable_version"`
	Title         *string              `json:"title,omitempty"`
	Content       *string              `json:"content,omitempty"`
	DownloadURL   *string              `json:"download_url,omitempty"`
	DownloadLinks []store.DownloadLink `json:"download_links"`
	Forced        bool                 `json:"forced"`
	Latest        bool                 `json:"is_latest"`
	Preview       bool                 `json:"is_preview"`
	Milestone     bool                 `json:"is_milestone"`
	Deprecated    bool                 `json:"is_deprecated"`
	Platform      *string              `json:"platform"`
	Platforms     []string             `json:"platforms"`
	PublishedAt   int64                `json:"published_at"`
	CustomData    json.RawMessage      `json:"custom_data"`
}

func (h *Handlers) previewRelease(r *web.Request) (view releasePreviewView, err error) {
	tag := strings.TrimSpace(r.Query("tag"))
	if utf8.RuneCountInString(tag) > maxTag {
		return view, fault.Validation("tag must have at most 128 characters")
	}
	repo, err := h.repoOf(r)
	if err != nil {
		return view, err
	}
	ctx, done := forRequest(r)
	defer done()
	var found *codehost.Release
	if tag == "" {
		found, err = repo.LatestRelease(ctx)
	} else {
		found, err = repo.Release(ctx, tag)
	}
	if err != nil {
		return view, codehost.Explain(err, "the code host has no such release, or does not show it", h.Now())
	}
	d := codehost.NewDraft(found)
	view = releasePreviewView{
		Version: d.Version, Comparable: d.Version, Title: d.Title, Content: d.Content, DownloadURL: d.DownloadURL,
		DownloadLinks: []store.DownloadLink{},
		Latest:        !d.Preview, Preview: d.Preview, Platforms: []string{}, PublishedAt: h.publishedAt(d),
		CustomData: sourceOf("codehost-release", repo, d.Tag),
	}
	for _, l := range d.Links {
		view.DownloadLinks = append(view.DownloadLinks, store.DownloadLink{URL: l.URL, Name: l.Name})
	}
	return view, nil
}

// importView is the result of importing the releases of a repository.
type importView struct {
	Imported int `json:"imported"`
	Skipped  int `json:"skipped"`
	Scanned  int `json:"scanned"`
}

// importReleases stores the releases that do not exist as versions yet. It uses one transaction per
// page of releases. If the code host fails partway, the pages imported so far remain stored, and
// the next import adds the remaining ones.
func (h *Handlers) importReleases(r *web.Request) (view importView, err error) {
	repo, err := h.repoOf(r)
	if err != nil {
		return view, err
	}
	ctx, done := forRequest(r)
	defer done()
	var ours error // an error of the store, as opposed to one of the code host
	err = repo.EachPage(ctx, maxImported, func(page []codehost.Release) error {
		scanned, imported := 0, 0
		ours = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
			scanned, imported = 0, 0
			for i := range page {
				if page[i].Draft {
					continue
				}
				scanned++
				made, err := h.importRelease(tx, p, repo, codehost.NewDraft(&page[i]))
				if err != nil {
					return err
				}
				if made {
					imported++
				}
			}
			return nil
		})
		view.Scanned, view.Imported, view.Skipped = view.Scanned+scanned, view.Imported+imported, view.Skipped+scanned-imported
		return ours
	})
	if ours != nil {
		return view, ours
	}
	if err != nil {
		return view, codehost.Explain(err, "the code host has no such repository, or does not show it", h.Now())
	}
	return view, nil
}

// importRelease stores a release as a version. It skips releases that are not valid versions, and
// those that have been stored already.
func (h *Handlers) importRelease(tx *store.Tx, p *store.Project, repo *codehost.Repo, d codehost.Draft) (made bool, err error) {
	if d.Comparable.IsZero() {
		return false, nil
	}
	v := &store.Version{
		Version: d.Version, Comparable: d.Comparable, Title: d.Title, Content: d.Content, DownloadURL: d.DownloadURL,
		Preview: d.Preview, PublishedAt: h.publishedAt(d), CustomData: sourceOf("codehost-release-import", repo, d.Tag),
	}
	for _, l := range d.Links {
		v.DownloadLinks = append(v.DownloadLinks, store.DownloadLink{URL: l.URL, Name: l.Name})
	}
	if len(d.Links) == 0 && d.DownloadURL != nil {
		v.DownloadLinks = []store.DownloadLink{{URL: *d.DownloadURL}}
	}
	settings, err := tx.Distribution(p.ID)
	if err != nil {
		return false, err
	}
	v.SetChannel(settings.Channels.Default(d.Preview, d.Comparable))
	if v.Rollout, err = tx.DefaultRollout(p.ID, rollout.Schedule); err != nil {
		return false, err
	}
	err = tx.ImportVersion(p.ID, v)
	if _, refused := errors.AsType[*fault.Error](err); refused { // the release was refused before anything was written
		return false, nil
	}
	return err == nil, err
}

// publishedAt returns the Unix time at which a release was published. If the release has no such
// time, it returns the current time.
func (h *Handlers) publishedAt(d codehost.Draft) int64 {
	if d.PublishedAt == nil {
		return h.Now().Unix()
	}
	return d.PublishedAt.Unix()
}

// sourceOf returns the custom data of a version that was created from a release.
func sourceOf(source string, repo *codehost.Repo, tag string) json.RawMessage {
	owner, name, _ := strings.Cut(repo.Name(), "/")
	text, err := json.Marshal(struct {
		Source string `json:"source"`
		Owner  string `json:"owner"`
		Repo   string `json:"repo"`
		Tag    string `json:"release_tag"`
	}{source, owner, name, tag})
	if err != nil {
		panic(err) // cannot fail for four strings
	}
	return text
}

// repoOf returns the repository of the project in the path.
func (h *Handlers) repoOf(r *web.Request) (*codehost.Repo, error) {
	var p *store.Project
	var settings *store.CodehostApp
	err := h.DB.View(func(tx *store.Tx) (err error) {
		if p, err = r.Project(tx); err == nil {
			settings, err = store.CodehostAppSettings.Get(tx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	at := strings.TrimSpace(web.OrEmpty(p.RepoURL))
	name, ok := h.Host.ParseRepo(at)
	switch {
	case at == "":
		return nil, fault.New(fault.Invalid, "the project has no repo_url: set it to the address of its repository, such as %s", h.example())
	case !ok:
		return nil, fault.New(fault.Invalid, "repo_url of the project is not the address of a repository at the code host, such as %s",
			h.example())
	}
	app, err := forward.OpenApp(h.Keys, settings)
	if err != nil {
		return nil, err
	}
	return h.Host.Repo(app, name), nil
}

// example returns an example of a repository's address for use in messages.
func (h *Handlers) example() string { return h.Host.Web + "/owner/name" }
