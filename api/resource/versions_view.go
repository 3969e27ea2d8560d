package resource

import (
	"encoding/json"

	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

// versionView is the JSON form of a version. Locale is the language of the title and the content.
// Only administrators see Translations.
type versionView struct {
	ID            string                   `json:"id"`
	Version       string                   `json:"version"`
	Comparable    string                   `json:"comparable_version"`
	Title         *string                  `json:"title"`
	Content       *string                  `json:"content"`
	Locale        *string                  `json:"locale"`
	Translations  []versionTranslationView `json:"translations,omitzero"`
	DownloadURL   *string                  `json:"download_url"`
	DownloadLinks []store.DownloadLink     `json:"download_links"`
	Forced        bool                     `json:"forced"` // always false; kept for older clients
	IsLatest      bool                     `json:"is_latest"`
	IsPreview     bool                     `json:"is_preview"`
	Channel       string                   `json:"channel"`
	IsMilestone   bool                     `json:"is_milestone"`
	IsDeprecated  bool                     `json:"is_deprecated"`
	Platform      *platform.Platform       `json:"platform"`
	Platforms     []platform.Platform      `json:"platforms"`
	CustomData    json.RawMessage          `json:"custom_data"`
	PublishedAt   int64                    `json:"published_at"`
	CreatedAt     int64                    `json:"created_at"`
	YankedAt      *int64                   `json:"yanked_at"`
	YankReason    *string                  `json:"yank_reason"`

	// NativeVersions is null if all texts are derived. Only administrators see the field.
	NativeVersions json.RawMessage `json:"native_versions,omitzero"`
}

type versionTranslationView struct {
	Locale  string  `json:"locale"`
	Title   *string `json:"title"`
	Content *string `json:"content"`
}

func viewVersion(v *store.Version) versionView {
	view := versionView{
		ID: v.ID.String(), Version: v.Version, Comparable: v.Comparable.String(),
		Title: v.Title, Content: v.Content,
		DownloadURL: v.DownloadURL, DownloadLinks: v.DownloadLinks,
		IsLatest: v.Latest, IsPreview: v.Preview, Channel: v.OnChannel(), IsMilestone: v.Milestone, IsDeprecated: v.Deprecated,
		Platform: v.Platform, Platforms: v.Platforms, CustomData: v.CustomData,
		PublishedAt: v.PublishedAt, CreatedAt: store.CreatedAt(v.ID),
	}
	if v.Yank != nil {
		view.YankedAt, view.YankReason = &v.Yank.At, &v.Yank.Reason
	}
	if len(view.DownloadLinks) == 0 {
		view.DownloadLinks = []store.DownloadLink{}
		if v.DownloadURL != nil {
			view.DownloadLinks = []store.DownloadLink{{URL: *v.DownloadURL}}
		}
	}
	if len(view.Platforms) == 0 {
		view.Platforms = []platform.Platform{}
	}
	return view
}

// viewVersionFully returns the view for administrators, with all translations.
func viewVersionFully(p *store.Project, v *store.Version) versionView {
	view := viewVersion(v)
	view.Translations = versionTexts.views(p, v.Translations)
	view.NativeVersions = encodeNative(v.NativeVersions)
	return view
}

func encodeNative(n *release.NativeVersions) json.RawMessage {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return text
}

// viewVersionIn returns the view in one language. A field without a translation keeps its default
// text.
func viewVersionIn(p *store.Project, v *store.Version, language int) versionView {
	view := viewVersion(v)
	t, tag := versionTexts.inLanguage(p, v.Translations, language)
	if t.Title != nil {
		view.Title, view.Locale = t.Title, tag
	}
	if t.Content != nil {
		view.Content, view.Locale = t.Content, tag
	}
	return view
}
