package resource

import (
	"encoding/json"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

type announcementInput struct {
	Title        web.Optional[string]            `json:"title"`
	Content      web.Optional[string]            `json:"content"`
	IsPinned     web.Optional[bool]              `json:"is_pinned"`
	IsHidden     web.Optional[bool]              `json:"is_hidden"`
	Platforms    web.Optional[[]json.RawMessage] `json:"platforms"`
	Author       web.Optional[string]            `json:"author"`
	Min          web.Optional[string]            `json:"min_comparable_version"`
	Max          web.Optional[string]            `json:"max_comparable_version"`
	Translations web.Optional[[]json.RawMessage] `json:"translations"`
	PublishedAt  web.Optional[web.Integer]       `json:"published_at"`
}

// announcementChange is a checked announcementInput.
type announcementChange struct {
	in           announcementInput
	platforms    []platform.Platform
	min, max     release.Comparable
	translations []translation
}

func (in announcementInput) check(update bool) (announcementChange, error) {
	p := problems{web.Problems{Update: update}}
	c := announcementChange{in: in}
	p.Text("title", in.Title, web.TextRule{Max: 128, Required: true, Filled: true})
	p.Text("content", in.Content, web.TextRule{Required: true})
	p.Flag("is_pinned", in.IsPinned)
	p.Flag("is_hidden", in.IsHidden)
	c.platforms = p.Platforms("platforms", in.Platforms)
	p.Text("author", in.Author, web.TextRule{Max: 64})
	c.min = p.ComparableVersion("min_comparable_version", in.Min, true)
	c.max = p.ComparableVersion("max_comparable_version", in.Max, true)
	c.translations = p.translations(in.Translations, translationRule{first: "title", second: "content", firstMax: 128, hideable: true})
	p.UnixTime("published_at", in.PublishedAt, true)
	return c, p.Err()
}

// apply changes the fields that were sent.
func (c announcementChange) apply(p *store.Project, a *store.Announcement) error {
	in := c.in
	web.Set(&a.Title, in.Title)
	web.Set(&a.Content, in.Content)
	web.Set(&a.Pinned, in.IsPinned)
	web.Set(&a.Hidden, in.IsHidden)
	if in.Platforms.Sent {
		a.Platforms = c.platforms
	}
	web.SetOrClear(&a.Author, in.Author)
	if in.Min.Sent {
		a.Versions.Min = c.min
	}
	if in.Max.Sent {
		a.Versions.Max = c.max
	}
	if !a.Versions.Valid() {
		return fault.Validation("min_comparable_version must not be greater than max_comparable_version")
	}
	if in.PublishedAt.Value != nil {
		a.PublishedAt = int64(*in.PublishedAt.Value)
	}
	if !in.Translations.Sent {
		return nil
	}
	texts, err := chosen(p, c.translations, a.Translations, func(t translation) store.AnnouncementText {
		return store.AnnouncementText{Title: t.first, Content: t.second, Hidden: t.hidden}
	})
	a.Translations = texts
	return err
}
