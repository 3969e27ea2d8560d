package svcsdk

import (
	"context"
	"iter"
	"net/http"
)

// ListAnnouncements lists the announcements that are meant for the caller. Pinned ones first, then
// the newest published first. Only what is visible counts: not hidden, for the platform where one
// is asked for, for the client's version, and not hidden for the language asked for. search looks
// into title, content and author.
func (p *Public) ListAnnouncements(ctx context.Context, opts *ListPublicAnnouncementsOptions) (*Page[Announcement], error) {
	return fetch[Page[Announcement]](ctx, p.call(http.MethodGet, "/public/{k}/announcements").where(opts))
}

// IterAnnouncements walks all pages of ListAnnouncements, a hundred entries at a time, and ignores
// the Limit and Offset of opts. It ends with the first error.
func (p *Public) IterAnnouncements(ctx context.Context, opts *ListPublicAnnouncementsOptions) iter.Seq2[Announcement, error] {
	return walk(opts, func(o *ListPublicAnnouncementsOptions) (*Page[Announcement], error) {
		return p.ListAnnouncements(ctx, o)
	})
}

// GetLatestAnnouncement reads the visible announcement published last. Pinning plays no role. 404
// when none is visible to the caller.
func (p *Public) GetLatestAnnouncement(ctx context.Context, opts *LatestAnnouncementOptions) (*Announcement, error) {
	return fetch[Announcement](ctx, p.call(http.MethodGet, "/public/{k}/announcements/latest").where(opts))
}

// ListAnnouncements lists announcements with their translations. Pinned ones first, then the
// newest published first. Hidden ones are listed, too. search looks into title, content and
// author.
func (a *Admin) ListAnnouncements(ctx context.Context, opts *ListAnnouncementsOptions) (*Page[Announcement], error) {
	return fetch[Page[Announcement]](ctx, a.call(http.MethodGet, "/admin/projects/{k}/announcements").where(opts))
}

// IterAnnouncements walks all pages of ListAnnouncements, a hundred entries at a time, and ignores
// the Limit and Offset of opts. It ends with the first error.
func (a *Admin) IterAnnouncements(ctx context.Context, opts *ListAnnouncementsOptions) iter.Seq2[Announcement, error] {
	return walk(opts, func(o *ListAnnouncementsOptions) (*Page[Announcement], error) { return a.ListAnnouncements(ctx, o) })
}

// CreateAnnouncement creates an announcement.
func (a *Admin) CreateAnnouncement(ctx context.Context, in AnnouncementCreate) (*Announcement, error) {
	return fetch[Announcement](ctx, a.call(http.MethodPost, "/admin/projects/{k}/announcements").body(in))
}

// GetAnnouncement reads an announcement with its translations.
func (a *Admin) GetAnnouncement(ctx context.Context, id string) (*Announcement, error) {
	return fetch[Announcement](ctx, a.call(http.MethodGet, "/admin/projects/{k}/announcements/{id}", id))
}

// UpdateAnnouncement changes an announcement.
func (a *Admin) UpdateAnnouncement(ctx context.Context, id string, in AnnouncementFields) (*Announcement, error) {
	return fetch[Announcement](ctx, a.call(http.MethodPatch, "/admin/projects/{k}/announcements/{id}", id).body(in))
}

// DeleteAnnouncement deletes an announcement.
func (a *Admin) DeleteAnnouncement(ctx context.Context, id string) error {
	return perform(ctx, a.call(http.MethodDelete, "/admin/projects/{k}/announcements/{id}", id))
}

// GetAnnouncementStatistics counts the announcements of all projects. Hidden ones count. Not for
// keys that are limited to projects.
func (a *Admin) GetAnnouncementStatistics(ctx context.Context) (*AnnouncementStatistics, error) {
	return fetch[AnnouncementStatistics](ctx, a.call(http.MethodGet, "/admin/announcements/statistics"))
}

// Announcement is what a project tells its users. Reads without a credential have its texts in one
// language and no Translations.
type Announcement struct {
	// Id of the announcement.
	ID string `json:"id"`
	// Headline.
	Title string `json:"title"`
	// What is announced; it may be blank. Markdown.
	Content string `json:"content"`
	// Listed before the others.
	IsPinned bool `json:"is_pinned"`
	// Seen by administrators only.
	IsHidden bool `json:"is_hidden"`
	// The platforms it is for; empty for all.
	Platforms []Platform `json:"platforms"`
	// Who says it.
	Author *string `json:"author"`
	// Least comparable version of clients it is for, itself included; null for no lower end.
	MinComparableVersion *string `json:"min_comparable_version"`
	// Greatest comparable version of clients it is for, itself included; null for no upper end.
	MaxComparableVersion *string `json:"max_comparable_version"`
	// Always null here: administrators see the default texts.
	Locale *string `json:"locale"`
	// In the order in which the languages were registered.
	Translations []AnnouncementTranslation `json:"translations,omitempty"`
	// When it came out.
	PublishedAt int64 `json:"published_at"`
	// When it was made here.
	CreatedAt int64 `json:"created_at"`
	// When it was last changed.
	UpdatedAt int64 `json:"updated_at"`
	// Only present when the language asked for is not one of the project; a sentence that says so.
	LocaleMessage string `json:"locale_message,omitempty"`
}

// AnnouncementTranslation is the texts of an announcement in one language.
type AnnouncementTranslation struct {
	// Primary tag of the language.
	Locale string `json:"locale"`
	// The headline in it.
	Title *string `json:"title"`
	// The text in it.
	Content *string `json:"content"`
	// Hidden from those who ask for this language.
	IsHidden bool `json:"is_hidden"`
}

// AnnouncementCreate is a new announcement.
type AnnouncementCreate struct {
	// Headline; not blank.
	Title string `json:"title"`
	// What is announced; it may be blank. Markdown.
	Content string `json:"content"`
	// Listed before the others.
	IsPinned *bool `json:"is_pinned,omitempty"`
	// Seen by administrators only.
	IsHidden *bool `json:"is_hidden,omitempty"`
	// The platforms it is for; empty for all.
	Platforms Opt[[]Platform] `json:"platforms,omitzero"`
	// Who says it.
	Author Opt[string] `json:"author,omitzero"`
	// Least comparable version of clients it is for. Blank is null: no lower end.
	MinComparableVersion Opt[string] `json:"min_comparable_version,omitzero"`
	// Greatest comparable version of clients it is for, not below the least. Blank is null: no upper
	// end.
	MaxComparableVersion Opt[string] `json:"max_comparable_version,omitzero"`
	// Replaces all translations. Only for registered languages.
	Translations Opt[[]AnnouncementTranslationInput] `json:"translations,omitzero"`
	// When it came out; now, if left out at creation. A time ahead hides nothing.
	PublishedAt *int64 `json:"published_at,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// AnnouncementFields are the fields of an announcement that change.
type AnnouncementFields struct {
	// Headline; not blank.
	Title *string `json:"title,omitempty"`
	// What is announced; it may be blank. Markdown.
	Content *string `json:"content,omitempty"`
	// Listed before the others.
	IsPinned *bool `json:"is_pinned,omitempty"`
	// Seen by administrators only.
	IsHidden *bool `json:"is_hidden,omitempty"`
	// The platforms it is for; empty for all.
	Platforms Opt[[]Platform] `json:"platforms,omitzero"`
	// Who says it.
	Author Opt[string] `json:"author,omitzero"`
	// Least comparable version of clients it is for. Blank is null: no lower end.
	MinComparableVersion Opt[string] `json:"min_comparable_version,omitzero"`
	// Greatest comparable version of clients it is for, not below the least. Blank is null: no upper
	// end.
	MaxComparableVersion Opt[string] `json:"max_comparable_version,omitzero"`
	// Replaces all translations. Only for registered languages.
	Translations Opt[[]AnnouncementTranslationInput] `json:"translations,omitzero"`
	// When it came out; now, if left out at creation. A time ahead hides nothing.
	PublishedAt *int64 `json:"published_at,omitempty"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// AnnouncementTranslationInput is the texts of an announcement in one language.
type AnnouncementTranslationInput struct {
	// Tag of a registered language.
	Locale string `json:"locale"`
	// The headline in it; blank or null is untranslated.
	Title Opt[string] `json:"title,omitzero"`
	// The text in it; blank or null is untranslated.
	Content Opt[string] `json:"content,omitzero"`
	// Hides the announcement from those who ask for this language. An entry may do only that.
	IsHidden *bool `json:"is_hidden,omitempty"`
}

// AnnouncementStatistics is a count of the announcements of all projects.
type AnnouncementStatistics struct {
	// How many announcements there are in all projects.
	Count int64 `json:"count"`
	// How many of them are pinned.
	PinnedCount int64 `json:"pinned_count"`
}

// ListAnnouncementsOptions choose a page of announcements.
type ListAnnouncementsOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Only pinned ones, or only others.
	IsPinned *bool `query:"is_pinned"`
	// Only hidden ones, or only others.
	IsHidden *bool `query:"is_hidden"`
}

func (o *ListAnnouncementsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }

// ListPublicAnnouncementsOptions choose a page of announcements.
type ListPublicAnnouncementsOptions struct {
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// How many to leave out at the beginning.
	Offset int `query:"offset"`
	// Only what contains this text, in any case of letters.
	Search string `query:"search"`
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Version of the app that asks. Left out: that of the client. Null: none.
	Version Opt[string] `query:"version"`
	// Language of the texts. Left out: that of the client. Null: none.
	Locale Opt[string] `query:"locale"`
}

func (o *ListPublicAnnouncementsOptions) page() (limit, offset *int) { return &o.Limit, &o.Offset }

// LatestAnnouncementOptions choose the announcement.
type LatestAnnouncementOptions struct {
	// Only what is meant for this platform.
	Platform Platform `query:"platform"`
	// Version of the app that asks. Left out: that of the client. Null: none.
	Version Opt[string] `query:"version"`
	// Language of the texts. Left out: that of the client. Null: none.
	Locale Opt[string] `query:"locale"`
}
