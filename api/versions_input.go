package api

import (
	"encoding/json"
	"strings"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

type versionInput struct {
	Version       Optional[string]            `json:"version"`
	Comparable    Optional[string]            `json:"comparable_version"`
	Title         Optional[string]            `json:"title"`
	Content       Optional[string]            `json:"content"`
	Translations  Optional[[]json.RawMessage] `json:"translations"`
	DownloadURL   Optional[string]            `json:"download_url"`
	DownloadLinks Optional[[]json.RawMessage] `json:"download_links"`
	IsLatest      Optional[bool]              `json:"is_latest"`
	IsPreview     Optional[bool]              `json:"is_preview"`
	IsMilestone   Optional[bool]              `json:"is_milestone"`
	IsDeprecated  Optional[bool]              `json:"is_deprecated"`
	Platform      Optional[string]            `json:"platform"`
	Platforms     Optional[[]json.RawMessage] `json:"platforms"`
	CustomData    Optional[object]            `json:"custom_data"`
	PublishedAt   Optional[integer]           `json:"published_at"`
}

// versionChange is a checked versionInput.
type versionChange struct {
	in           versionInput
	comparable   release.Comparable // zero = not given
	links        []store.DownloadLink
	platform     *platform.Platform
	platforms    []platform.Platform
	translations []translation
}

// The three ways to write a version differ in what must be sent and in what
// null means.
type versionWrite uint8

const (
	creates   versionWrite = iota // version and comparable_version are required
	updates                       // nothing is required, null clears
	publishes                     // creation with everything derived from the path
)

func (in versionInput) check(how versionWrite) (versionChange, error) {
	p := problems{update: how == updates}
	c := versionChange{in: in}
	p.text("version", in.Version, textRule{max: 64, required: how == creates, fixed: true, trim: true, filled: true})
	if how == creates && in.Comparable.Value == nil && !in.Comparable.Wrong {
		p.add("comparable_version is required")
	}
	c.comparable = p.comparable("comparable_version", in.Comparable, false)
	p.text("title", in.Title, textRule{max: 128})
	p.text("content", in.Content, textRule{})
	c.translations = p.translations(in.Translations, translationRule{first: "title", second: "content", firstMax: 128})
	p.text("download_url", in.DownloadURL, textRule{max: 2048})
	c.links = p.links(in.DownloadLinks)
	p.flag("is_latest", in.IsLatest)
	p.flag("is_preview", in.IsPreview)
	p.flag("is_milestone", in.IsMilestone)
	p.flag("is_deprecated", in.IsDeprecated)
	c.platform = p.platform(in.Platform)
	c.platforms = p.platforms("platforms", in.Platforms)
	p.object("custom_data", in.CustomData)
	p.moment("published_at", in.PublishedAt, true)
	return c, p.err()
}

// mostLinks is how many download links a version may have.
const mostLinks = 32

func (p *problems) links(o Optional[[]json.RawMessage]) []store.DownloadLink {
	type entry struct {
		URL      Optional[string] `json:"url"`
		Name     Optional[string] `json:"name"`
		Platform Optional[string] `json:"platform"`
	}
	var links []store.DownloadLink
	for i, e := range entries[entry](p, "download_links", o, mostLinks) {
		e.URL.Value = trimmed(e.URL.Value)
		if e.URL.Value == nil && !e.URL.Wrong {
			p.add("%s is required", label("download_links", i, "url"))
		}
		p.url(label("download_links", i, "url"), e.URL, 2048)
		p.text(label("download_links", i, "name"), e.Name, textRule{max: 128, trim: true})
		p.text(label("download_links", i, "platform"), e.Platform, textRule{max: 64, trim: true})
		links = append(links, store.DownloadLink{
			URL:      e.URL.or(""),
			Name:     strings.TrimSpace(e.Name.or("")),
			Platform: strings.TrimSpace(e.Platform.or("")),
		})
	}
	return links
}

// apply changes the fields that were sent. Which version is the latest is for
// the store to settle.
func (c versionChange) apply(p *store.Project, v *store.Version) error {
	in := c.in
	if err := c.applyNumber(v); err != nil {
		return err
	}
	clearable(&v.Title, in.Title)
	clearable(&v.Content, in.Content)
	c.applyLinks(v)
	keep(&v.Preview, in.IsPreview)
	keep(&v.Milestone, in.IsMilestone)
	keep(&v.Deprecated, in.IsDeprecated)
	c.applyPlatforms(v)
	if in.CustomData.Sent {
		v.CustomData = json.RawMessage(in.CustomData.or(nil))
	}
	if in.PublishedAt.Value != nil {
		v.PublishedAt = int64(*in.PublishedAt.Value)
	}
	if !in.Translations.Sent {
		return nil
	}
	texts, err := chosen(p, c.translations, v.Translations, func(t translation) store.VersionText {
		return store.VersionText{Title: t.first, Content: t.second}
	})
	v.Translations = texts
	return err
}

// applyNumber settles display text and comparable version. The comparable
// version follows a changed text, or null, unless one is given.
func (c versionChange) applyNumber(v *store.Version) error {
	before := v.Version
	if c.in.Version.Value != nil {
		v.Version = strings.TrimSpace(*c.in.Version.Value)
	}
	switch {
	case !c.comparable.IsZero():
		v.Comparable = c.comparable
	case v.Version != before || v.Comparable.IsZero() || c.in.Comparable.null():
		derived, ok := release.Derive(v.Version)
		if !ok {
			return fault.Validation("comparable_version cannot be derived from version " + quote(v.Version) + "; send one such as 1.2.3 or 1.2.3-rc.1")
		}
		v.Comparable = derived
	}
	return nil
}

// applyLinks keeps the single address and the list in step: the list wins, and
// what was not sent follows what was.
func (c versionChange) applyLinks(v *store.Version) {
	url := orNil(c.in.DownloadURL.Value)
	switch {
	case c.in.DownloadLinks.Sent:
		v.DownloadLinks = c.links
		if c.in.DownloadURL.Sent {
			v.DownloadURL = url
		} else {
			v.DownloadURL = nil
			if len(c.links) > 0 {
				v.DownloadURL = &c.links[0].URL
			}
		}
	case c.in.DownloadURL.Sent:
		v.DownloadURL, v.DownloadLinks = url, nil
		if url != nil {
			v.DownloadLinks = []store.DownloadLink{{URL: *url}}
		}
	}
}

// applyPlatforms lets the list win over the single platform of older clients,
// which makes a list of one.
func (c versionChange) applyPlatforms(v *store.Version) {
	if c.in.Platform.Sent {
		v.Platform = c.platform
	}
	if !c.in.Platform.Sent && !c.in.Platforms.Sent {
		return
	}
	v.Platforms = c.platforms
	if len(c.platforms) == 0 && c.platform != nil {
		v.Platforms = []platform.Platform{*c.platform}
	}
}
