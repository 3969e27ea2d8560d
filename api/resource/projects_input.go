package resource

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/release"
	"svc/internal/setting"
	"svc/store"
)

type projectInput struct {
	ProjectKey            web.Optional[string]            `json:"project_key"`
	Name                  web.Optional[string]            `json:"name"`
	RepoURL               web.Optional[string]            `json:"repo_url"`
	Description           web.Optional[string]            `json:"description"`
	Author                web.Optional[string]            `json:"author"`
	AuthorHomepageURL     web.Optional[string]            `json:"author_homepage_url"`
	IconURL               web.Optional[string]            `json:"icon_url"`
	WebsiteURL            web.Optional[string]            `json:"website_url"`
	DocsURL               web.Optional[string]            `json:"docs_url"`
	PublishedAt           web.Optional[web.Integer]       `json:"published_at"`
	OptionalMin           web.Optional[string]            `json:"optional_update_min_comparable_version"`
	OptionalMax           web.Optional[string]            `json:"optional_update_max_comparable_version"`
	StatsRetentionDays    web.Optional[web.LooseInteger]  `json:"stats_retention_days"`
	CollectEvents         web.Optional[web.LooseBool]     `json:"event_collection_enabled"`
	EventRetentionDays    web.Optional[web.LooseInteger]  `json:"event_retention_days"`
	LogRetentionDays      web.Optional[web.Integer]       `json:"log_retention_days"`
	FeedbackRetentionDays web.Optional[web.Integer]       `json:"feedback_retention_days"`
	StorageBackendID      web.Optional[string]            `json:"storage_backend_id"`
	MirrorAssets          web.Optional[web.LooseBool]     `json:"mirror_codehost_assets"`
	Translations          web.Optional[[]json.RawMessage] `json:"translations"`
}

// projectChange is a checked projectInput.
type projectChange struct {
	in           projectInput
	key          string // "" = unchanged
	min, max     release.Comparable
	translations []translation
}

// reservedKeys lists words that cannot be project keys because they occur in paths.
var reservedKeys = []string{"statistics", "codehost-repo-preview", "versions", "announcements", "_status", "terms"}

func (in projectInput) check(how write) (projectChange, error) {
	p := checking(how)
	c := projectChange{in: in}
	p.Text("project_key", in.ProjectKey, web.TextRule{Max: 64, Required: true, Trim: true, Filled: true})
	if in.ProjectKey.Value != nil {
		c.key = store.NormalKey(*in.ProjectKey.Value)
		p.key("project_key", c.key)
	}
	p.Text("name", in.Name, web.TextRule{Max: 128, Required: true, Filled: true})
	p.Text("repo_url", in.RepoURL, web.TextRule{Max: 512})
	p.Text("description", in.Description, web.TextRule{Max: 2048})
	p.Text("author", in.Author, web.TextRule{Max: 128})
	p.URL("author_homepage_url", in.AuthorHomepageURL, 512)
	p.URL("icon_url", in.IconURL, 1024)
	p.URL("website_url", in.WebsiteURL, 512)
	p.URL("docs_url", in.DocsURL, 512)
	p.UnixTime("published_at", in.PublishedAt, false)
	c.min = p.ComparableVersion("optional_update_min_comparable_version", in.OptionalMin, true)
	c.max = p.ComparableVersion("optional_update_max_comparable_version", in.OptionalMax, true)
	p.Days("stats_retention_days", in.StatsRetentionDays)
	p.LooseFlag("event_collection_enabled", in.CollectEvents)
	p.Days("event_retention_days", in.EventRetentionDays)
	p.Number("log_retention_days", in.LogRetentionDays, 1, setting.MaxRetentionDays, false)
	p.Number("feedback_retention_days", in.FeedbackRetentionDays, 1, setting.MaxRetentionDays, false)
	p.Text("storage_backend_id", in.StorageBackendID, web.TextRule{Max: 64})
	p.LooseFlag("mirror_codehost_assets", in.MirrorAssets)
	c.translations = p.translations(in.Translations, projectTexts.during(how))
	return c, p.Err()
}

// key checks a project key, which must be in normal form. It does not check for empty keys and keys
// that are too long, because the caller has already reported these.
func (p *problems) key(field, key string) {
	bad := func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune(`/\?#%`, c)
	}
	if strings.ContainsFunc(key, bad) {
		p.Add(`%s must not contain blanks, control characters or any of / \ ? # %%`, field)
	}
	if slices.Contains(reservedKeys, key) {
		p.Add("%s must not be one of %s", field, strings.Join(reservedKeys, ", "))
	}
}

// apply sets those fields of the project that are present in the request.
func (c projectChange) apply(p *store.Project) error {
	in := c.in
	web.Set(&p.Name, in.Name)
	web.SetOrClear(&p.RepoURL, in.RepoURL)
	web.SetOrClear(&p.Description, in.Description)
	web.SetOrClear(&p.Author, in.Author)
	web.SetOrClear(&p.AuthorHomepageURL, in.AuthorHomepageURL)
	web.SetOrClear(&p.IconURL, in.IconURL)
	web.SetOrClear(&p.WebsiteURL, in.WebsiteURL)
	web.SetOrClear(&p.DocsURL, in.DocsURL)
	web.SetIfSent(&p.PublishedAt, in.PublishedAt, (*int64)(in.PublishedAt.Value))
	web.SetIfSent(&p.OptionalUpdate.Min, in.OptionalMin, c.min)
	web.SetIfSent(&p.OptionalUpdate.Max, in.OptionalMax, c.max)
	if !p.OptionalUpdate.Valid() {
		return fault.Validation(web.VersionRange)
	}
	p.StatsRetentionDays = int(in.StatsRetentionDays.Or(web.LooseInteger(p.StatsRetentionDays)))
	p.EventRetentionDays = int(in.EventRetentionDays.Or(web.LooseInteger(p.EventRetentionDays)))
	p.CollectEvents = bool(in.CollectEvents.Or(web.LooseBool(p.CollectEvents)))
	setInt(&p.LogRetentionDays, in.LogRetentionDays)
	setInt(&p.FeedbackRetentionDays, in.FeedbackRetentionDays)
	if in.StorageBackendID.Sent {
		p.StorageBackend = strings.TrimSpace(in.StorageBackendID.Or("")) // the store checks that the storage exists
	}
	p.MirrorAssets = bool(in.MirrorAssets.Or(web.LooseBool(p.MirrorAssets)))
	return projectTexts.apply(p, &p.Translations, in.Translations, c.translations)
}

// setInt sets a number if the field was sent. null clears it.
func setInt(days **int, o web.Optional[web.Integer]) {
	if !o.Sent {
		return
	}
	*days = nil
	if o.Value != nil {
		*days = new(int(*o.Value))
	}
}
