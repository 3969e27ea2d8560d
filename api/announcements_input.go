package api

import (
	"encoding/json"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

type announcementInput struct {
	Title        Optional[string]            `json:"title"`
	Content      Optional[string]            `json:"content"`
	IsPinned     Optional[bool]              `json:"is_pinned"`
	IsHidden     Optional[bool]              `json:"is_hidden"`
	Platforms    Optional[[]json.RawMessage] `json:"platforms"`
	Author       Optional[string]            `json:"author"`
	Min          Optional[string]            `json:"min_comparable_version"`
	Max          Optional[string]            `json:"max_comparable_version"`
	Translations Optional[[]json.RawMessage] `json:"translations"`
	PublishedAt  Optional[integer]           `json:"published_at"`
}

// announcementChange is a checked announcementInput.
type announcementChange struct {
	in           announcementInput
	platforms    []platform.Platform
	min, max     release.Comparable
	translations []translation
}

func (in announcementInput) check(update bool) (announcementChange, error) {
	p := problems{update: update}
	c := announcementChange{in: in}
	p.text("title", in.Title, textRule{max: 128, required: true, filled: true})
	p.text("content", in.Content, textRule{required: true, filled: true})
	p.flag("is_pinned", in.IsPinned)
	p.flag("is_hidden", in.IsHidden)
	c.platforms = p.platforms("platforms", in.Platforms)
	p.text("author", in.Author, textRule{max: 64})
	c.min = p.comparable("min_comparable_version", in.Min, true)
	c.max = p.comparable("max_comparable_version", in.Max, true)
	c.translations = p.translations(in.Translations, translationRule{first: "title", second: "content", firstMax: 128, hideable: true})
	p.moment("published_at", in.PublishedAt, true)
	return c, p.err()
}

// apply changes the fields that were sent.
func (c announcementChange) apply(p *store.Project, a *store.Announcement) error {
	in := c.in
	keep(&a.Title, in.Title)
	keep(&a.Content, in.Content)
	keep(&a.Pinned, in.IsPinned)
	keep(&a.Hidden, in.IsHidden)
	if in.Platforms.Sent {
		a.Platforms = c.platforms
	}
	clearable(&a.Author, in.Author)
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
