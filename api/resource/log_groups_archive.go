package resource

import (
	"encoding/json"
	"math"
	"slices"

	"svc/api/web"
	"svc/internal/loggroup"
	"svc/internal/platform"
	"svc/store"
)

const (
	secondsPerHour = 3600
	maxHourCount   = math.MaxUint32
)

// archivedLogGroup is the JSON form of a group of logs in an archive.
type archivedLogGroup struct {
	wholeLogGroupView
	LastHour      int64   `json:"last_hour"`      // start of the hour that is the last of Hours
	ResolvedAfter *string `json:"resolved_after"` // greatest comparable version at the time when the group was resolved
	SpikedAt      *int64  `json:"spiked_at"`      // time of the last report of a spike
}

// ArchiveLogGroup returns the line for a group of logs in an archive, to be encoded as JSON.
func ArchiveLogGroup(g *store.LogGroup) any {
	last := g.Hours.Last * secondsPerHour
	return archivedLogGroup{viewWholeLogGroup(g, last), last, web.OrNull(g.LastVersion.String()), web.OrNull(g.Spiked)}
}

type archivedLogGroupInput struct {
	ID            web.Optional[string]                  `json:"id"`
	Title         web.Optional[string]                  `json:"title"`
	Level         web.Optional[web.Integer]             `json:"level"`
	Source        web.Optional[string]                  `json:"source"`
	State         web.Optional[string]                  `json:"state"`
	ResolvedIn    web.Optional[string]                  `json:"resolved_in"`
	ResolvedAt    web.Optional[web.Integer]             `json:"resolved_at"`
	RegressedAt   web.Optional[web.Integer]             `json:"regressed_at"`
	MutedUntil    web.Optional[web.Integer]             `json:"muted_until"`
	Count         web.Optional[web.Integer]             `json:"count"`
	Occurrences   web.Optional[web.Integer]             `json:"occurrences"`
	FirstSeen     web.Optional[web.Integer]             `json:"first_seen"`
	LastSeen      web.Optional[web.Integer]             `json:"last_seen"`
	FirstVersion  web.Optional[string]                  `json:"first_version"`
	LastVersion   web.Optional[string]                  `json:"last_version"`
	Note          web.Optional[string]                  `json:"note"`
	Versions      web.Optional[[]archivedGroupVersion]  `json:"versions"`
	Platforms     web.Optional[[]archivedGroupPlatform] `json:"platforms"`
	Hours         web.Optional[[]web.Integer]           `json:"hours"`
	LastHour      web.Optional[web.Integer]             `json:"last_hour"`
	ResolvedAfter web.Optional[string]                  `json:"resolved_after"`
	SpikedAt      web.Optional[web.Integer]             `json:"spiked_at"`
}

type archivedGroupVersion struct {
	Version   *string     `json:"version"`
	Count     web.Integer `json:"count"`
	FirstSeen web.Integer `json:"first_seen"`
	LastSeen  web.Integer `json:"last_seen"`
}

type archivedGroupPlatform struct {
	Platform *platform.Platform `json:"platform"`
	Count    web.Integer        `json:"count"`
}

// ReadLogGroup reads a group of logs from an archive.
func ReadLogGroup(raw json.RawMessage, now int64) (*store.LogGroup, error) {
	var in archivedLogGroupInput
	web.Fill(&in, raw)
	p := checking(imports)
	g := &store.LogGroup{}
	var ok bool
	if g.ID, ok = loggroup.ParseID(in.ID.Or("")); !ok {
		p.Add("id must be 16 digits 0-9 and a-f, or overflow")
	}
	p.Text("title", in.Title, web.TextRule{Max: 200, Required: true, Filled: true})
	p.Number("level", in.Level, 0, 3, false)
	p.Text("source", in.Source, web.TextRule{Max: 128})
	word(&p, "state", in.State, true, loggroup.States)
	for _, text := range []struct {
		name  string
		value web.Optional[string]
		to    *string
		max   int
	}{
		{"resolved_in", in.ResolvedIn, &g.Resolution, 64}, {"note", in.Note, &g.Note, 2000},
		{"first_version", in.FirstVersion, &g.First.Text, 64}, {"last_version", in.LastVersion, &g.Last.Text, 64},
	} {
		p.Text(text.name, text.value, web.TextRule{Max: text.max})
		*text.to = text.value.Or("")
	}
	for _, number := range []struct {
		name  string
		value web.Optional[web.Integer]
		to    *int64
	}{
		{"resolved_at", in.ResolvedAt, &g.ResolvedAt}, {"regressed_at", in.RegressedAt, &g.RegressedAt},
		{"muted_until", in.MutedUntil, &g.MutedUntil},
		{"count", in.Count, &g.Count}, {"occurrences", in.Occurrences, &g.Occurrences}, {"spiked_at", in.SpikedAt, &g.Spiked},
		{"first_seen", in.FirstSeen, &g.FirstSeen}, {"last_seen", in.LastSeen, &g.LastSeen}, {"last_hour", in.LastHour, &g.Hours.Last},
	} {
		p.Number(number.name, number.value, 0, web.MaxTime, false)
		*number.to = int64(number.value.Or(0))
	}
	p.Past("first_seen", in.FirstSeen, now, true)
	p.Past("last_seen", in.LastSeen, now, true)
	if in.ResolvedAfter.Value != nil {
		g.LastVersion = p.ComparableVersion("resolved_after", in.ResolvedAfter, false)
	}
	g.Title, g.Level, g.Source, g.State = in.Title.Or(""), int(in.Level.Or(0)), in.Source.Value, loggroup.State(in.State.Or(""))
	p.groupNumbers(in, g)
	return g, p.Err()
}

// groupNumbers checks the counts of logs by version, platform and hour in the input, and adds them
// to g.
func (p *problems) groupNumbers(in archivedLogGroupInput, g *store.LogGroup) {
	bad := func(n web.Integer) bool { return n < 0 || int64(n) > web.MaxTime }
	versions, platforms, hours := in.Versions.Or(nil), in.Platforms.Or(nil), in.Hours.Or(nil)
	if in.Versions.Wrong || len(versions) > store.MaxGroupVersions ||
		slices.ContainsFunc(versions, func(v archivedGroupVersion) bool { return bad(v.Count) || bad(v.FirstSeen) || bad(v.LastSeen) }) {
		p.Add("versions must be a list of at most %d objects with version, count, first_seen and last_seen", store.MaxGroupVersions)
		return
	}
	known := map[string]bool{}
	for _, v := range versions {
		text := web.OrEmpty(v.Version)
		if known[text] {
			p.Add("versions must have %s once", web.Quote(text))
		}
		known[text] = true
		g.Versions = append(g.Versions, store.GroupVersion{
			AppVersion: store.AppVersion{Text: text}, Count: int64(v.Count), FirstSeen: int64(v.FirstSeen), LastSeen: int64(v.LastSeen),
		})
	}
	wrong := in.Platforms.Wrong
	for _, one := range platforms {
		at := 0
		if one.Platform != nil {
			at = slices.Index(platform.All[:], *one.Platform) + 1
			wrong = wrong || at == 0
		}
		wrong = wrong || bad(one.Count)
		g.Platforms[at] = int64(one.Count)
	}
	if wrong {
		p.Add("platforms must be a list of objects with platform and count")
	}
	outside := func(n web.Integer) bool { return n < 0 || n > maxHourCount }
	if in.Hours.Wrong || len(hours) > loggroup.Hours || slices.ContainsFunc(hours, outside) {
		p.Add("hours must be a list of at most %d integers from 0 to %d", loggroup.Hours, maxHourCount)
		return
	}
	last := g.Hours.Last
	g.Hours = loggroup.Counts{}
	for i, n := range hours {
		if at := last - int64(len(hours)-1-i)*secondsPerHour; at >= 0 {
			g.Hours.Add(at, uint32(n))
		}
	}
}
