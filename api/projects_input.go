package api

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/internal/fault"
	"svc/internal/release"
	"svc/store"
)

type projectInput struct {
	ProjectKey         Optional[string]            `json:"project_key"`
	Name               Optional[string]            `json:"name"`
	RepoURL            Optional[string]            `json:"repo_url"`
	Description        Optional[string]            `json:"description"`
	Author             Optional[string]            `json:"author"`
	AuthorHomepageURL  Optional[string]            `json:"author_homepage_url"`
	IconURL            Optional[string]            `json:"icon_url"`
	WebsiteURL         Optional[string]            `json:"website_url"`
	DocsURL            Optional[string]            `json:"docs_url"`
	PublishedAt        Optional[integer]           `json:"published_at"`
	OptionalMin        Optional[string]            `json:"optional_update_min_comparable_version"`
	OptionalMax        Optional[string]            `json:"optional_update_max_comparable_version"`
	StatsRetentionDays Optional[looseInteger]      `json:"stats_retention_days"`
	CollectEvents      Optional[looseBool]         `json:"event_collection_enabled"`
	EventRetentionDays Optional[looseInteger]      `json:"event_retention_days"`
	StorageBackendID   Optional[string]            `json:"storage_backend_id"`
	MirrorAssets       Optional[looseBool]         `json:"mirror_codehost_assets"`
	Translations       Optional[[]json.RawMessage] `json:"translations"`
}

// projectChange is a checked projectInput.
type projectChange struct {
	in           projectInput
	key          string // "" = keep
	min, max     release.Comparable
	translations []translation
}

// reservedKeys cannot be project keys: they are words of paths.
var reservedKeys = []string{"statistics", "codehost-repo-preview", "versions", "announcements", "_status", "terms"}

func (in projectInput) check(update bool) (projectChange, error) {
	p := problems{update: update}
	c := projectChange{in: in}
	p.text("project_key", in.ProjectKey, textRule{max: 64, required: true, trim: true, filled: true})
	if in.ProjectKey.Value != nil {
		c.key = store.NormalKey(*in.ProjectKey.Value)
		p.key("project_key", c.key)
	}
	p.text("name", in.Name, textRule{max: 128, required: true, filled: true})
	p.text("repo_url", in.RepoURL, textRule{max: 512})
	p.text("description", in.Description, textRule{max: 2048})
	p.text("author", in.Author, textRule{max: 128})
	p.url("author_homepage_url", in.AuthorHomepageURL, 512)
	p.url("icon_url", in.IconURL, 1024)
	p.url("website_url", in.WebsiteURL, 512)
	p.url("docs_url", in.DocsURL, 512)
	p.moment("published_at", in.PublishedAt, false)
	c.min = p.comparable("optional_update_min_comparable_version", in.OptionalMin, true)
	c.max = p.comparable("optional_update_max_comparable_version", in.OptionalMax, true)
	p.days("stats_retention_days", in.StatsRetentionDays)
	p.looseFlag("event_collection_enabled", in.CollectEvents)
	p.days("event_retention_days", in.EventRetentionDays)
	p.backend(in.StorageBackendID)
	p.looseFlag("mirror_codehost_assets", in.MirrorAssets)
	c.translations = p.translations(in.Translations, translationRule{second: "description", firstMax: 128, secondMax: 1024, first: "name"})
	return c, p.err()
}

// key checks a project key in normal form; empty and too long ones have been
// reported already.
func (p *problems) key(field, key string) {
	bad := func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune(`/\?#%`, c)
	}
	if strings.ContainsFunc(key, bad) {
		p.add(`%s must not contain blanks, control characters or any of / \ ? # %%`, field)
	}
	if slices.Contains(reservedKeys, key) {
		p.add("%s must not be one of %s", field, strings.Join(reservedKeys, ", "))
	}
}

// backend checks a storage backend. There is none to name yet but the default,
// which is null.
func (p *problems) backend(o Optional[string]) {
	p.text("storage_backend_id", o, textRule{max: 64})
	if id := orNil(o.Value); id != nil && utf8.RuneCountInString(*id) <= 64 {
		p.add("storage_backend_id: there is no storage %s", quote(*id))
	}
}

// apply changes the fields that were sent.
func (c projectChange) apply(p *store.Project) error {
	in := c.in
	keep(&p.Name, in.Name)
	clearable(&p.RepoURL, in.RepoURL)
	clearable(&p.Description, in.Description)
	clearable(&p.Author, in.Author)
	clearable(&p.AuthorHomepageURL, in.AuthorHomepageURL)
	clearable(&p.IconURL, in.IconURL)
	clearable(&p.WebsiteURL, in.WebsiteURL)
	clearable(&p.DocsURL, in.DocsURL)
	if in.PublishedAt.Sent {
		p.PublishedAt = (*int64)(in.PublishedAt.Value)
	}
	if in.OptionalMin.Sent {
		p.OptionalUpdate.Min = c.min
	}
	if in.OptionalMax.Sent {
		p.OptionalUpdate.Max = c.max
	}
	if !p.OptionalUpdate.Valid() {
		return fault.Validation("optional_update_min_comparable_version must not be greater than optional_update_max_comparable_version")
	}
	p.StatsRetentionDays = int(in.StatsRetentionDays.or(looseInteger(p.StatsRetentionDays)))
	p.EventRetentionDays = int(in.EventRetentionDays.or(looseInteger(p.EventRetentionDays)))
	p.CollectEvents = bool(in.CollectEvents.or(looseBool(p.CollectEvents)))
	p.MirrorAssets = bool(in.MirrorAssets.or(looseBool(p.MirrorAssets)))
	if !in.Translations.Sent {
		return nil
	}
	texts, err := chosen(p, c.translations, p.Translations, func(t translation) store.ProjectText {
		return store.ProjectText{Name: t.first, Description: t.second}
	})
	p.Translations = texts
	return err
}

// keep changes a field that always has a value.
func keep[T any](field *T, o Optional[T]) {
	if o.Value != nil {
		*field = *o.Value
	}
}

// clearable changes a field that null clears.
func clearable[T any](field **T, o Optional[T]) {
	if o.Sent {
		*field = o.Value
	}
}
