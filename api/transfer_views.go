package api

import (
	"maps"
	"slices"

	"svc/internal/event"
	"svc/internal/locale"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

// The lines of an export are what administrators see, and what nobody does but
// an import needs: texts in languages that are not registered at the moment.

type exportedProject struct {
	projectView
	Unregistered []projectTranslationView `json:"unregistered_translations,omitempty"`
}

func exportProject(p *store.Project) exportedProject {
	return exportedProject{viewProjectFully(p), unregistered(p, p.Translations, func(tag string, t store.ProjectText) projectTranslationView {
		return projectTranslationView{tag, t.Name, t.Description}
	})}
}

type exportedVersion struct {
	versionView
	Unregistered []versionTranslationView `json:"unregistered_translations,omitempty"`
}

func exportVersion(p *store.Project, v *store.Version) exportedVersion {
	return exportedVersion{viewVersionFully(p, v), unregistered(p, v.Translations, func(tag string, t store.VersionText) versionTranslationView {
		return versionTranslationView{tag, t.Title, t.Content}
	})}
}

type exportedAnnouncement struct {
	announcementView
	Unregistered []announcementTranslationView `json:"unregistered_translations,omitempty"`
}

func exportAnnouncement(p *store.Project, a *store.Announcement) exportedAnnouncement {
	return exportedAnnouncement{viewAnnouncementFully(p, a), unregistered(p, a.Translations, func(tag string, t store.AnnouncementText) announcementTranslationView {
		return announcementTranslationView{tag, t.Title, t.Content, t.Hidden}
	})}
}

// unregistered are the translations into languages that a project does not have
// at the moment, in the order of their tag keys.
func unregistered[T, V any](p *store.Project, texts map[string]T, view func(tag string, t T) V) (list []V) {
	known := map[string]bool{}
	for _, l := range p.Languages {
		known[locale.Key(l.Tag)] = true
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		if !known[tag] {
			list = append(list, view(tag, texts[tag]))
		}
	}
	return list
}

// exportedDefinition is a name of events. ID is nil when its definition was
// deleted.
type exportedDefinition struct {
	ID          *string `json:"event_definition_id"`
	Name        string  `json:"name"`
	DisplayName *string `json:"display_name"`
	Description *string `json:"description"`
	Archived    bool    `json:"archived"`
	FirstSeen   int64   `json:"first_seen_time"`
	LastSeen    int64   `json:"last_seen_time"`
}

func exportDefinition(d *event.Definition) exportedDefinition {
	return exportedDefinition{known(&d.ID), d.Name, d.DisplayName, d.Description, d.Archived, d.FirstSeen, d.LastSeen}
}

type exportedEvent struct {
	DistinctID string `json:"distinct_id"`
	eventView
}

// exportedCount is an hourly counter of events.
type exportedCount struct {
	Hour     int64             `json:"hour"` // Unix second at which it begins
	Name     string            `json:"event_name"`
	Platform platform.Platform `json:"platform"`
	Region   string            `json:"region"`
	Offset   *int              `json:"utc_offset_minutes"` // east; nil when the client did not say
	Count    int64             `json:"count"`
}

func exportCount(c *event.Count) exportedCount {
	return exportedCount{c.Hour, c.Name, c.Platform, c.Region.String(), minutesEast(c.Offset), c.N}
}

// exportedRequests is an hourly counter of requests. Codes are those of GB/T
// 2260, or empty.
type exportedRequests struct {
	Hour     int64             `json:"hour"`
	Endpoint string            `json:"endpoint"`
	Platform platform.Platform `json:"platform"`
	Region   string            `json:"region"`
	Province string            `json:"province_code"`
	City     string            `json:"city_code"`
	Offset   *int              `json:"utc_offset_minutes"`
	Count    int64             `json:"count"`
}

func exportRequests(h store.Hour, r store.Request, n int64) exportedRequests {
	province, city := r.Place().Codes()
	return exportedRequests{
		Hour: h.Start(), Endpoint: r.Endpoint().String(), Platform: stats.PlatformOf(r.PlatformNumber()), Region: r.Place().Region().String(),
		Province: province, City: city, Offset: minutesEast(r.Offset()), Count: n,
	}
}

func minutesEast(o stats.Offset) *int {
	minutes, ok := o.Minutes()
	if !ok {
		return nil
	}
	return &minutes
}

// exportedSystem is an hourly counter of system versions or of versions of the
// project's own app.
type exportedSystem struct {
	Hour     int64             `json:"hour"`
	Platform platform.Platform `json:"platform"`
	Version  string            `json:"version"` // "" = not reported
	Count    int64             `json:"count"`
}
