package svcsdk

import (
	"context"
	"iter"
	"net/http"
)

// ListVersions lists versions, greatest first. Deprecated versions are listed, and so are those
// whose published_at lies ahead.
func (p *Public) ListVersions(ctx context.Context, opts *ListPublicVersionsOptions) (*Page[VersionInfo], error) {
	return fetch[Page[VersionInfo]](ctx, p.call(http.MethodGet, "/public/{k}/versions").where(opts))
}

// IterVersions walks all pages of ListVersions, a hundred entries at a time, and ignores the Limit
// and Offset of opts. It ends with the first error.
func (p *Public) IterVersions(ctx context.Context, opts *ListPublicVersionsOptions) iter.Seq2[VersionInfo, error] {
	return walk(opts, func(o *ListPublicVersionsOptions) (*Page[VersionInfo], error) { return p.ListVersions(ctx, o) })
}

// GetLatestVersion reads the latest version. The version marked as latest. Without one: the
// official version published last, and if all are previews, the preview published last. 404 when
// the project has no version at all.
func (p *Public) GetLatestVersion(ctx context.Context, opts *ReadOptions) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, p.call(http.MethodGet, "/public/{k}/versions/latest").where(opts))
}

// GetLatestPreviewVersion reads the greatest preview. Without one it returns nil and no error.
func (p *Public) GetLatestPreviewVersion(ctx context.Context, opts *ReadOptions) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, p.call(http.MethodGet, "/public/{k}/versions/latest-preview").where(opts))
}

// GetVersion finds a version by its text. First by the exact display text; if there is none, by
// value: 1.2 finds a version whose comparable version is 1.2.0.
func (p *Public) GetVersion(ctx context.Context, version string, opts *ReadOptions) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, p.call(http.MethodGet, "/public/{k}/versions/by-version/{v}", version).where(opts))
}

// ListVersions lists versions with their translations, greatest first. search looks into display
// version, comparable version, title and content.
func (a *Admin) ListVersions(ctx context.Context, opts *ListVersionsOptions) (*Page[VersionInfo], error) {
	return fetch[Page[VersionInfo]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/versions").where(opts))
}

// IterVersions walks all pages of ListVersions, a hundred entries at a time, and ignores the Limit
// and Offset of opts. It ends with the first error.
func (a *Admin) IterVersions(ctx context.Context, opts *ListVersionsOptions) iter.Seq2[VersionInfo, error] {
	return walk(opts, func(o *ListVersionsOptions) (*Page[VersionInfo], error) { return a.ListVersions(ctx, o) })
}

// CreateVersion creates a version. Never changes one that exists: 409 when the display version is
// taken. For CI, which may run twice, use PUT …/by-version/{v}.
func (a *Admin) CreateVersion(ctx context.Context, in VersionCreate) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, a.call(http.MethodPost, "/admin/projects/{k}/versions").body(in))
}

// GetVersion reads a version with its translations.
func (a *Admin) GetVersion(ctx context.Context, id string) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, a.call(http.MethodGet, "/admin/projects/{k}/versions/{id}", id))
}

// UpdateVersion changes a version. 409 when another version of the project has the new display
// version. Another display version without a comparable_version changes the comparable version
// with it.
func (a *Admin) UpdateVersion(ctx context.Context, id string, in VersionFields) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/versions/{id}", id).body(in))
}

// DeleteVersion deletes a version. If it was the latest, the greatest official version that is not
// deprecated takes its place.
func (a *Admin) DeleteVersion(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/versions/{id}", id))
}

// UpsertVersion publishes the version with this display text, or updates it if it exists. Made for
// CI: the same call may be repeated. The comparable version is derived from the display version
// when it is left out, and of a version that exists only what is sent changes.
func (a *Admin) UpsertVersion(ctx context.Context, version string, in VersionFields) (*VersionInfo, error) {
	return fetch[VersionInfo](ctx, a.call(http.MethodPut, "/admin/projects/{k}/versions/by-version/{v}", version).body(in))
}

// GetVersionStatistics counts the versions of all projects. Not for keys that are limited to
// projects.
func (a *Admin) GetVersionStatistics(ctx context.Context) (*VersionStatistics, error) {
	return fetch[VersionStatistics](ctx, a.call(http.MethodGet, "/admin/versions/statistics"))
}

// MirrorVersionAssets copies the attachments that a version links to. Links of the version that
// are attachments of a release at the code host are fetched in the background; all versions of the
// project then link to the copies. 400 without a distribution address.
func (a *Admin) MirrorVersionAssets(ctx context.Context, id string) (*MirrorResult, error) {
	return fetch[MirrorResult](ctx, a.call(http.MethodPost, "/admin/projects/{k}/versions/{id}/mirror-assets", id))
}

// VersionInfo is a release. Reads without a credential have its texts in one language and no
// Translations.
type VersionInfo struct {
	// Id of the version.
	ID string `json:"id"`
	// Display version.
	Version string `json:"version"`
	// What decides which version is newer.
	ComparableVersion string `json:"comparable_version"`
	// Headline.
	Title *string `json:"title"`
	// Release notes. Markdown.
	Content *string `json:"content"`
	// Always null here: administrators see the default texts.
	Locale *string `json:"locale"`
	// In the order in which the languages were registered.
	Translations []VersionTranslation `json:"translations,omitempty"`
	// The one download.
	DownloadURL *string `json:"download_url"`
	// All downloads.
	DownloadLinks []DownloadLink `json:"download_links"`
	// Always false; kept for older clients.
	Forced bool `json:"forced"`
	// Marked as the latest; at most one of a project is.
	IsLatest bool `json:"is_latest"`
	// For testers only.
	IsPreview bool `json:"is_preview"`
	// Must not be skipped.
	IsMilestone bool `json:"is_milestone"`
	// Those who have it must update.
	IsDeprecated bool `json:"is_deprecated"`
	// The one platform it is for; the older form of `platforms`.
	Platform *Platform `json:"platform"`
	// The platforms it is for; empty for all.
	Platforms []Platform `json:"platforms"`
	// Whatever was kept with it.
	CustomData map[string]any `json:"custom_data"`
	// When it came out.
	PublishedAt int64 `json:"published_at"`
	// When it was made here.
	CreatedAt int64 `json:"created_at"`
	// Only present when the language asked for is not one of the project; a sentence that says so.
	LocaleMessage string `json:"locale_message,omitempty"`
}

// VersionTranslation is the texts of a version in one language.
type VersionTranslation struct {
	// Primary tag of the language.
	Locale string `json:"locale"`
	// The headline in it.
	Title *string `json:"title"`
	// The release notes in it.
	Content *string `json:"content"`
}

// DownloadLink is where a version can be downloaded.
type DownloadLink struct {
	// Where to download.
	URL string `json:"url"`
	// Name for people; left out when there is none.
	Name string `json:"name,omitempty"`
	// What it is for; left out when not said.
	Platform string `json:"platform,omitempty"`
}

// VersionCreate is a new version.
type VersionCreate struct {
	// Display version, any text; trimmed. Unique in the project, case counts.
	Version string `json:"version"`
	// What decides which version is newer. Null: derived from the display version by dropping one
	// leading `v`.
	ComparableVersion string `json:"comparable_version"`
	// Headline.
	Title Opt[string] `json:"title,omitzero"`
	// Release notes. Markdown.
	Content Opt[string] `json:"content,omitzero"`
	// Replaces all translations. Only for registered languages.
	Translations Opt[[]VersionTranslationInput] `json:"translations,omitzero"`
	// The one download; any text, blank is null. Sent without `download_links`, it becomes the only
	// link.
	DownloadURL Opt[string] `json:"download_url,omitzero"`
	// All downloads. Sent without `download_url`, the first one becomes that.
	DownloadLinks Opt[[]DownloadLinkInput] `json:"download_links,omitzero"`
	// Mark it as the latest and unmark all others. A new version that is not sent with this gets the
	// mark when it is official, not deprecated, and not below the present one.
	IsLatest *bool `json:"is_latest,omitempty"`
	// For testers only.
	IsPreview *bool `json:"is_preview,omitempty"`
	// Must not be skipped: an update that passes it leads to it first.
	IsMilestone *bool `json:"is_milestone,omitempty"`
	// Those who have it must update. Needs a greater official version that is not deprecated, and
	// cannot be the latest.
	IsDeprecated *bool `json:"is_deprecated,omitempty"`
	// The one platform it is for; the older form of `platforms`.
	Platform Opt[Platform] `json:"platform,omitzero"`
	// The platforms it is for. Empty: all, or just `platform` when that is sent.
	Platforms Opt[[]Platform] `json:"platforms,omitzero"`
	// Whatever you want to keep with it, up to 100 levels deep.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`
	// When it came out; now, if left out at creation.
	PublishedAt *int64 `json:"published_at,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// VersionFields are the fields of a version that change.
type VersionFields struct {
	// Display version, any text; trimmed. Unique in the project, case counts.
	Version *string `json:"version,omitempty"`
	// What decides which version is newer. Null: derived from the display version by dropping one
	// leading `v`.
	ComparableVersion Opt[string] `json:"comparable_version,omitzero"`
	// Headline.
	Title Opt[string] `json:"title,omitzero"`
	// Release notes. Markdown.
	Content Opt[string] `json:"content,omitzero"`
	// Replaces all translations. Only for registered languages.
	Translations Opt[[]VersionTranslationInput] `json:"translations,omitzero"`
	// The one download; any text, blank is null. Sent without `download_links`, it becomes the only
	// link.
	DownloadURL Opt[string] `json:"download_url,omitzero"`
	// All downloads. Sent without `download_url`, the first one becomes that.
	DownloadLinks Opt[[]DownloadLinkInput] `json:"download_links,omitzero"`
	// Mark it as the latest and unmark all others. A new version that is not sent with this gets the
	// mark when it is official, not deprecated, and not below the present one.
	IsLatest *bool `json:"is_latest,omitempty"`
	// For testers only.
	IsPreview *bool `json:"is_preview,omitempty"`
	// Must not be skipped: an update that passes it leads to it first.
	IsMilestone *bool `json:"is_milestone,omitempty"`
	// Those who have it must update. Needs a greater official version that is not deprecated, and
	// cannot be the latest.
	IsDeprecated *bool `json:"is_deprecated,omitempty"`
	// The one platform it is for; the older form of `platforms`.
	Platform Opt[Platform] `json:"platform,omitzero"`
	// The platforms it is for. Empty: all, or just `platform` when that is sent.
	Platforms Opt[[]Platform] `json:"platforms,omitzero"`
	// Whatever you want to keep with it, up to 100 levels deep.
	CustomData Opt[map[string]any] `json:"custom_data,omitzero"`
	// When it came out; now, if left out at creation.
	PublishedAt *int64 `json:"published_at,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// VersionTranslationInput is the texts of a version in one language.
type VersionTranslationInput struct {
	// Tag of a registered language.
	Locale string `json:"locale"`
	// The headline in it; blank or null is untranslated.
	Title Opt[string] `json:"title,omitzero"`
	// The release notes in it; blank or null is untranslated.
	Content Opt[string] `json:"content,omitzero"`
}

// DownloadLinkInput is where a version can be downloaded.
type DownloadLinkInput struct {
	// Absolute http, https or ftp address.
	URL string `json:"url"`
	// Name for people.
	Name Opt[string] `json:"name,omitzero"`
	// What it is for; any text.
	Platform Opt[string] `json:"platform,omitzero"`
}

// VersionStatistics is a count of the versions of all projects.
type VersionStatistics struct {
	// How many versions there are in all projects.
	TotalVersions int64 `json:"total_versions"`
	// How many projects have at least one.
	TotalProjects int64 `json:"total_projects"`
	// Always 0; kept for older clients.
	ForcedVersions int64 `json:"forced_versions"`
	// When the newest was made here.
	LatestVersionTime *int64 `json:"latest_version_time"`
	// When the oldest was made here.
	FirstVersionTime *int64 `json:"first_version_time"`
}

// MirrorResult says what became of the links of a version.
type MirrorResult struct {
	// Attachments that are being fetched.
	Queued int64 `json:"queued"`
	// Attachments that were here already; their links are replaced.
	Reused int64 `json:"reused"`
	// Links that are no attachments.
	Skipped int64 `json:"skipped"`
}

// ListVersionsOptions choose a page of versions.
type ListVersionsOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Only previews, or only others.
	IsPreview *bool `query:"is_preview"`
	// Only deprecated versions, or only others.
	IsDeprecated *bool `query:"is_deprecated"`
	// Only milestones, or only others.
	IsMilestone *bool `query:"is_milestone"`
	// Kept for older servers.
	Forced *bool `query:"forced"`
}

func (o *ListVersionsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }

// ListPublicVersionsOptions choose a page of versions.
type ListPublicVersionsOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Only previews, or only others.
	IsPreview *bool `query:"is_preview"`
	// Only deprecated versions, or only others.
	IsDeprecated *bool `query:"is_deprecated"`
	// Only milestones, or only others.
	IsMilestone *bool `query:"is_milestone"`
	// Kept for older servers.
	Forced *bool `query:"forced"`
	// Language of the texts. Left out: that of the client. Null: none.
	Locale Opt[string] `query:"locale"`
}

func (o *ListPublicVersionsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }
