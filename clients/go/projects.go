package svcsdk

import (
	"context"
	"iter"
	"net/http"
)

// GetProject reads a project.
func (p *Public) GetProject(ctx context.Context, opts *ReadOptions) (*Project, error) {
	return fetch[Project](ctx, p.call(http.MethodGet, "/public/{k}").where(opts))
}

// ListProjects lists projects, newest first. search looks into key, name, description, author,
// repository address and former keys. Not for keys that are limited to projects.
func (a *Admin) ListProjects(ctx context.Context, opts *ListProjectsOptions) (*Page[Project], error) {
	return fetch[Page[Project]](ctx, a.call(http.MethodGet, "/admin/projects").where(opts))
}

// IterProjects walks all pages of ListProjects, a hundred entries at a time, and ignores the Limit
// and Offset of opts. It ends with the first error.
func (a *Admin) IterProjects(ctx context.Context, opts *ListProjectsOptions) iter.Seq2[Project, error] {
	return walk(opts, func(o *ListProjectsOptions) (*Page[Project], error) { return a.ListProjects(ctx, o) })
}

// CreateProject creates a project, with the key that the client is bound to unless in has another.
// 409 when the key is taken by a project or is a former key of
// one. Not for keys that are limited to projects.
func (a *Admin) CreateProject(ctx context.Context, in ProjectCreate) (*Project, error) {
	if in.ProjectKey == "" {
		in.ProjectKey = a.client.ProjectKey()
	}
	if in.ProjectKey == "" && in.Extra["project_key"] == nil {
		return nil, usage("a project needs a key: set ProjectKey or bind the client")
	}
	return fetch[Project](ctx, a.call(http.MethodPost, "/admin/projects").body(in))
}

// GetProject reads a project.
func (a *Admin) GetProject(ctx context.Context) (*Project, error) {
	return fetch[Project](ctx, a.call(http.MethodGet, "/admin/projects/{k}"))
}

// GetProjectContents counts what goes when the project is deleted.
func (a *Admin) GetProjectContents(ctx context.Context) (*ProjectContents, error) {
	return fetch[ProjectContents](ctx, a.call(http.MethodGet, "/admin/projects/{k}/contents"))
}

// UpdateProject changes a project. Another project_key renames the project. Everything follows,
// and the old key keeps leading to it. 409 when the new key is taken by, or is a former key of,
// another project.
func (a *Admin) UpdateProject(ctx context.Context, in ProjectFields) (*Project, error) {
	return fetch[Project](ctx, a.call(http.MethodPatch, "/admin/projects/{k}").body(in))
}

// DeleteProject deletes a project and everything in it.
func (a *Admin) DeleteProject(ctx context.Context) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}"))
}

// GetProjectStatistics counts the projects. Not for keys that are limited to projects.
func (a *Admin) GetProjectStatistics(ctx context.Context) (*ProjectStatistics, error) {
	return fetch[ProjectStatistics](ctx, a.call(http.MethodGet, "/admin/projects/statistics"))
}

// ListProjectAliases lists the former keys of a project, newest first. Not paged.
func (a *Admin) ListProjectAliases(ctx context.Context) (*List[ProjectAlias], error) {
	return fetch[List[ProjectAlias]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/aliases"))
}

// DeleteProjectAlias gives up a former key. From then on it leads nowhere and may be given to
// another project.
func (a *Admin) DeleteProjectAlias(ctx context.Context, alias string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/aliases/{alias}", alias))
}

// ListProjectLocales lists the languages of a project, oldest first. Not paged.
func (a *Admin) ListProjectLocales(ctx context.Context) (*List[ProjectLocale], error) {
	return fetch[List[ProjectLocale]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/locales"))
}

// CreateProjectLocale registers a language. A tag that is registered already, also as a synonym,
// updates that language instead: its primary tag stays, what is sent is replaced, the rest is
// kept.
func (a *Admin) CreateProjectLocale(ctx context.Context, in LocaleCreate) (*ProjectLocale, error) {
	return fetch[ProjectLocale](ctx, a.call(http.MethodPost, "/admin/projects/{k}/locales").body(in))
}

// UpdateProjectLocale changes a language. Another locale moves all translations of the language to
// the new tag. 409 when translations of a language that is no longer registered are kept under
// that tag; nothing is changed then.
func (a *Admin) UpdateProjectLocale(ctx context.Context, locale string, in LocaleFields) (*ProjectLocale, error) {
	return fetch[ProjectLocale](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/locales/{locale}", locale).body(in))
}

// DeleteProjectLocale removes a language. Its translations are kept, unseen, and come back when
// the language is registered again.
func (a *Admin) DeleteProjectLocale(ctx context.Context, locale string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/locales/{locale}", locale))
}

// Project is something that is released. Reads without a credential have its texts in one language
// and no Translations.
type Project struct {
	// The same as `project_key`.
	ID string `json:"id"`
	// The name in addresses.
	ProjectKey string `json:"project_key"`
	// The name for people.
	Name string `json:"name"`
	// Where the source is.
	RepoURL *string `json:"repo_url"`
	// What it is. Markdown.
	Description *string `json:"description"`
	// Who makes it.
	Author *string `json:"author"`
	// Their page.
	AuthorHomepageURL *string `json:"author_homepage_url"`
	// Its picture.
	IconURL *string `json:"icon_url"`
	// Its page.
	WebsiteURL *string `json:"website_url"`
	// Its manual.
	DocsURL *string `json:"docs_url"`
	// When it first came out.
	PublishedAt *int64 `json:"published_at"`
	// Least comparable version for which updates stay optional.
	OptionalUpdateMinComparableVersion *string `json:"optional_update_min_comparable_version"`
	// Greatest comparable version for which updates stay optional.
	OptionalUpdateMaxComparableVersion *string `json:"optional_update_max_comparable_version"`
	// Days that request statistics are kept.
	StatsRetentionDays int64 `json:"stats_retention_days"`
	// Whether events are accepted.
	EventCollectionEnabled bool `json:"event_collection_enabled"`
	// Days that events are kept.
	EventRetentionDays int64 `json:"event_retention_days"`
	// Days that logs are kept; null: as long as the instance keeps them.
	LogRetentionDays *int64 `json:"log_retention_days"`
	// Days that feedback is kept; null: as long as the instance keeps it.
	FeedbackRetentionDays *int64 `json:"feedback_retention_days"`
	// Where its files go; null: the storage of the instance.
	StorageBackendID *string `json:"storage_backend_id"`
	// Whether attachments of releases at the code host are copied here.
	MirrorCodehostAssets bool `json:"mirror_codehost_assets"`
	// Former keys, newest first.
	Aliases []string `json:"aliases"`
	// Always null here: administrators see the default texts.
	Locale *string `json:"locale"`
	// In the order in which the languages were registered.
	Translations []ProjectTranslation `json:"translations,omitempty"`
	// When it was made here.
	CreatedAt int64 `json:"created_at"`
	// When it was last changed.
	UpdatedAt int64 `json:"updated_at"`
	// Only present when the language asked for is not one of the project; a sentence that says so.
	LocaleMessage string `json:"locale_message,omitempty"`
}

// ProjectTranslation is the texts of a project in one language.
type ProjectTranslation struct {
	// Primary tag of the language.
	Locale string `json:"locale"`
	// The name in it.
	Name *string `json:"name"`
	// The description in it.
	Description *string `json:"description"`
}

// ProjectCreate is a new project. ProjectKey may be empty when the client is bound to the key.
type ProjectCreate struct {
	// The name in addresses. Trimmed and lower-cased; no blanks, control characters, or any of `/ \ ?
	// # %`. A few words are reserved.
	ProjectKey string `json:"project_key"`
	// The name for people.
	Name string `json:"name"`
	// Where the source is; any text.
	RepoURL Opt[string] `json:"repo_url,omitzero"`
	// What it is. Markdown.
	Description Opt[string] `json:"description,omitzero"`
	// Who makes it.
	Author Opt[string] `json:"author,omitzero"`
	// Their page; absolute http, https or ftp address.
	AuthorHomepageURL Opt[string] `json:"author_homepage_url,omitzero"`
	// Its picture; absolute http, https or ftp address.
	IconURL Opt[string] `json:"icon_url,omitzero"`
	// Its page; absolute http, https or ftp address.
	WebsiteURL Opt[string] `json:"website_url,omitzero"`
	// Its manual; absolute http, https or ftp address.
	DocsURL Opt[string] `json:"docs_url,omitzero"`
	// When it first came out.
	PublishedAt Opt[int64] `json:"published_at,omitzero"`
	// Least comparable version for which updates stay optional. Blank is null: no lower end.
	OptionalUpdateMinComparableVersion Opt[string] `json:"optional_update_min_comparable_version,omitzero"`
	// Greatest comparable version for which updates stay optional, not below the least. Blank is
	// null: no upper end.
	OptionalUpdateMaxComparableVersion Opt[string] `json:"optional_update_max_comparable_version,omitzero"`
	// Days that request statistics are kept. A numeric text is accepted as well.
	StatsRetentionDays *int64 `json:"stats_retention_days,omitempty"`
	// Whether events are accepted. `"true"`, `"1"`, `"false"` and `"0"` are accepted as well.
	EventCollectionEnabled *bool `json:"event_collection_enabled,omitempty"`
	// Days that events are kept. A numeric text is accepted as well.
	EventRetentionDays *int64 `json:"event_retention_days,omitempty"`
	// Days that logs are kept. Null: as long as the instance keeps them.
	LogRetentionDays Opt[int64] `json:"log_retention_days,omitzero"`
	// Days that feedback is kept. Null: as long as the instance keeps it.
	FeedbackRetentionDays Opt[int64] `json:"feedback_retention_days,omitzero"`
	// Where its files go. Blank is null: the storage of the instance.
	StorageBackendID Opt[string] `json:"storage_backend_id,omitzero"`
	// Whether attachments of releases at the code host are copied here. The same texts are accepted
	// as above.
	MirrorCodehostAssets *bool `json:"mirror_codehost_assets,omitempty"`
	// Replaces all translations. Only for registered languages, hence not at creation.
	Translations Opt[[]ProjectTranslationInput] `json:"translations,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// ProjectFields are the fields of a project that change. Another ProjectKey renames it; the client
// stays bound to the old key, which keeps leading to the project.
type ProjectFields struct {
	// The name in addresses. Trimmed and lower-cased; no blanks, control characters, or any of `/ \ ?
	// # %`. A few words are reserved.
	ProjectKey *string `json:"project_key,omitempty"`
	// The name for people.
	Name *string `json:"name,omitempty"`
	// Where the source is; any text.
	RepoURL Opt[string] `json:"repo_url,omitzero"`
	// What it is. Markdown.
	Description Opt[string] `json:"description,omitzero"`
	// Who makes it.
	Author Opt[string] `json:"author,omitzero"`
	// Their page; absolute http, https or ftp address.
	AuthorHomepageURL Opt[string] `json:"author_homepage_url,omitzero"`
	// Its picture; absolute http, https or ftp address.
	IconURL Opt[string] `json:"icon_url,omitzero"`
	// Its page; absolute http, https or ftp address.
	WebsiteURL Opt[string] `json:"website_url,omitzero"`
	// Its manual; absolute http, https or ftp address.
	DocsURL Opt[string] `json:"docs_url,omitzero"`
	// When it first came out.
	PublishedAt Opt[int64] `json:"published_at,omitzero"`
	// Least comparable version for which updates stay optional. Blank is null: no lower end.
	OptionalUpdateMinComparableVersion Opt[string] `json:"optional_update_min_comparable_version,omitzero"`
	// Greatest comparable version for which updates stay optional, not below the least. Blank is
	// null: no upper end.
	OptionalUpdateMaxComparableVersion Opt[string] `json:"optional_update_max_comparable_version,omitzero"`
	// Days that request statistics are kept. A numeric text is accepted as well.
	StatsRetentionDays *int64 `json:"stats_retention_days,omitempty"`
	// Whether events are accepted. `"true"`, `"1"`, `"false"` and `"0"` are accepted as well.
	EventCollectionEnabled *bool `json:"event_collection_enabled,omitempty"`
	// Days that events are kept. A numeric text is accepted as well.
	EventRetentionDays *int64 `json:"event_retention_days,omitempty"`
	// Days that logs are kept. Null: as long as the instance keeps them.
	LogRetentionDays Opt[int64] `json:"log_retention_days,omitzero"`
	// Days that feedback is kept. Null: as long as the instance keeps it.
	FeedbackRetentionDays Opt[int64] `json:"feedback_retention_days,omitzero"`
	// Where its files go. Blank is null: the storage of the instance.
	StorageBackendID Opt[string] `json:"storage_backend_id,omitzero"`
	// Whether attachments of releases at the code host are copied here. The same texts are accepted
	// as above.
	MirrorCodehostAssets *bool `json:"mirror_codehost_assets,omitempty"`
	// Replaces all translations. Only for registered languages, hence not at creation.
	Translations Opt[[]ProjectTranslationInput] `json:"translations,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// ProjectTranslationInput is the texts of a project in one language.
type ProjectTranslationInput struct {
	// Tag of a registered language.
	Locale string `json:"locale"`
	// The name in it; blank or null is untranslated.
	Name Opt[string] `json:"name,omitzero"`
	// The description in it; blank or null is untranslated.
	Description Opt[string] `json:"description,omitzero"`
}

// ProjectStatistics is a count of all projects.
type ProjectStatistics struct {
	// How many projects there are.
	Count int64 `json:"count"`
}

// ProjectAlias is a former key of a project.
type ProjectAlias struct {
	// A former key.
	Alias string `json:"alias"`
	// When it became one.
	CreatedAt int64 `json:"created_at"`
}

// ProjectLocale is a language of a project.
type ProjectLocale struct {
	// Primary tag.
	Locale string `json:"locale"`
	// Synonyms.
	Aliases []string `json:"aliases"`
	// Name for people.
	Label *string `json:"label"`
	// When it was registered.
	CreatedAt int64 `json:"created_at"`
}

// LocaleCreate is a language to be registered.
type LocaleCreate struct {
	// Primary tag, kept as written. Trimmed; no control characters, `/` or `\`.
	Locale string `json:"locale"`
	// Synonyms: other tags that mean this language. Those that are already said are dropped; one of
	// another language is refused.
	Aliases Opt[[]string] `json:"aliases,omitzero"`
	// Name for people. Blank is null.
	Label Opt[string] `json:"label,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// LocaleFields are the fields of a language that change.
type LocaleFields struct {
	// Primary tag, kept as written. Trimmed; no control characters, `/` or `\`.
	Locale *string `json:"locale,omitempty"`
	// Synonyms: other tags that mean this language. Those that are already said are dropped; one of
	// another language is refused.
	Aliases Opt[[]string] `json:"aliases,omitzero"`
	// Name for people. Blank is null.
	Label Opt[string] `json:"label,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// ListProjectsOptions choose a page of projects.
type ListProjectsOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
}

func (o *ListProjectsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }

// ProjectContents is how much belongs to a project.
type ProjectContents struct {
	// Versions.
	Versions int64 `json:"versions"`
	// Announcements, hidden ones included.
	Announcements int64 `json:"announcements"`
	// Feedback, hidden included.
	Feedbacks int64 `json:"feedbacks"`
	// Logs, hidden ones included.
	Logs int64 `json:"logs"`
	// Stored files.
	Files int64 `json:"files"`
	// Bytes of all files.
	FileBytes int64 `json:"file_bytes"`
	// Events that are still kept.
	Events int64 `json:"events"`
	// Definitions of events, archived ones included.
	EventDefinitions int64 `json:"event_definitions"`
	// Cards of the dashboard.
	DashboardCards int64 `json:"dashboard_cards"`
	// Registered languages.
	Languages int64 `json:"languages"`
	// Former keys, which become free.
	Aliases int64 `json:"aliases"`
	// API keys limited to listed projects that lose this one.
	APIKeys int64 `json:"api_keys"`
}
