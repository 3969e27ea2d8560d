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
	ExpiresAt    web.Optional[web.Integer]       `json:"expires_at"`
}

// announcementChange is a checked announcementInput.
type announcementChange struct {
	in           announcementInput
	platforms    []platform.Platform
	min, max     release.Comparable
	translations []translation
}

func (in announcementInput) check(how write) (announcementChange, error) {
	p := checking(how)
	c := announcementChange{in: in}
	p.Text("title", in.Title, web.TextRule{Max: 128, Required: true, Filled: true})
	p.Text("content", in.Content, web.TextRule{Required: true})
	p.Flag("is_pinned", in.IsPinned)
	p.Flag("is_hidden", in.IsHidden)
	c.platforms = p.Platforms("platforms", in.Platforms)
	p.Text("author", in.Author, web.TextRule{Max: 64})
	c.min = p.ComparableVersion("min_comparable_version", in.Min, true)
	c.max = p.ComparableVersion("max_comparable_version", in.Max, true)
	c.translations = p.translations(in.Translations, announcementTexts.during(how))
	p.UnixTime("published_at", in.PublishedAt, true)
	p.UnixTime("expires_at", in.ExpiresAt, false)
	return c, p.Err()
}

func (c announcementChange) create(tx *store.Tx, p *store.Project, _ string) (*store.Announcement, error) {
	a := &store.Announcement{PublishedAt: tx.Now().Unix()}
	return a, c.update(tx, p, a)
}

func (c announcementChange) update(tx *store.Tx, p *store.Project, a *store.Announcement) error {
	if err := c.apply(p, a); err != nil {
		return err
	}
	return tx.PutAnnouncement(p.ID, a)
}

// apply sets those fields of the announcement that are present in the request.
func (c announcementChange) apply(p *store.Project, a *store.Announcement) error {
	in := c.in
	web.Set(&a.Title, in.Title)
	web.Set(&a.Content, in.Content)
	web.Set(&a.Pinned, in.IsPinned)
	web.Set(&a.Hidden, in.IsHidden)
	web.SetIfSent(&a.Platforms, in.Platforms, c.platforms)
	web.SetOrClear(&a.Author, in.Author)
	web.SetIfSent(&a.Versions.Min, in.Min, c.min)
	web.SetIfSent(&a.Versions.Max, in.Max, c.max)
	if !a.Versions.Valid() {
		return fault.Validation("min_comparable_version must not be greater than max_comparable_version")
	}
	if in.PublishedAt.Value != nil {
		a.PublishedAt = int64(*in.PublishedAt.Value)
	}
	web.SetIfSent(&a.ExpiresAt, in.ExpiresAt, (*int64)(in.ExpiresAt.Value))
	if a.Expired(a.PublishedAt) {
		return fault.Validation("expires_at must be later than published_at")
	}
	return announcementTexts.apply(p, &a.Translations, in.Translations, c.translations)
}
