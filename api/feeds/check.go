package feeds

import (
	"net/url"

	"svc/api/web"
	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/release"
	"svc/store"
)

// maxChecked is the maximum number of versions of a channel that are checked, the greatest first.
const maxChecked = 100

// CheckView is the JSON form of the state of all feeds of a project.
type CheckView struct {
	Data []StateView `json:"data"`
}

// StateView is the JSON form of the state of the feeds of a format on a channel.
type StateView struct {
	Format   feed.Format   `json:"format"`
	Channel  string        `json:"channel"`
	URL      string        `json:"url"`
	State    string        `json:"state"`
	Version  *string       `json:"version"` // the version shown to a caller without a rollout key; null if none
	Problems []ProblemView `json:"problems"`
}

// ProblemView is the JSON form of a problem.
type ProblemView struct {
	Code    asset.Problem `json:"code"`
	Version string        `json:"version"`
	Asset   *string       `json:"asset"` // null if the problem concerns the whole version
	Message string        `json:"message"`
}

// check returns the state of all feeds of a project. It uses the same code that answers updaters.
func (h *Handlers) check(r *web.Request) (CheckView, error) {
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (view CheckView, err error) {
		for _, format := range feed.Formats {
			for _, channel := range snap.Catalog.Channels().Names() {
				a := h.newAsking(nil, r, snap)
				a.on(channel)
				view.Data = append(view.Data, a.state(format))
				if a.failed != nil {
					return view, a.failed
				}
			}
		}
		return view, nil
	})
}

// state returns the state of the feeds of a format on the channel of a.
func (a *asking) state(format feed.Format) StateView {
	a.order = format.Order()
	versions := a.checked()
	view := StateView{Format: format, Channel: a.channel, URL: a.address(format), State: "ok", Version: a.shown(format, versions)}
	problems := a.rules().Check(format, a.snap.Project.Key, versions)
	view.Problems = web.Views(problems, func(p feed.Problem) ProblemView {
		return ProblemView{p.Code, p.Version, web.OrNull(p.Asset), p.Message}
	})
	switch {
	case len(problems) > 0:
		view.State = "problems"
	case view.Version == nil:
		view.State = "empty"
	}
	return view
}

// checked returns the greatest versions of the channel that callers may be offered, at most
// maxChecked of them.
func (a *asking) checked() (versions []*feed.Release) {
	for at := range a.snap.Catalog.Len() {
		if len(versions) == maxChecked {
			break
		}
		if item := a.snap.Catalog.Item(at); a.includes(at) && item.Published() && item.Yank == nil && !item.Rollout.IsAborted() {
			versions = append(versions, a.ordered(at))
		}
	}
	return versions
}

// shown returns the greatest version that any feed of a format shows to a caller without a rollout
// key, or nil if there is none.
func (a *asking) shown(format feed.Format, versions []*feed.Release) *string {
	var greatest *feed.Release
	switch format {
	case feed.FormatAtom:
		if positions := a.newest(); len(positions) > 0 {
			greatest = a.release(positions[0])
		}
	case feed.FormatSparkle:
		if items := a.sparkleItems(""); len(items.Offered) > 0 {
			greatest = items.Offered[0]
		}
	default:
		for _, s := range format.Selections(a.snap.Project.Key, versions) {
			v := a.offer(s, false)
			if greatest == nil || v != nil && a.snap.Catalog.Named(v.Version) < a.snap.Catalog.Named(greatest.Version) {
				greatest = v
			}
		}
	}
	if greatest == nil {
		return nil
	}
	return &greatest.Version
}

// address returns the address of a feed. Parts that the updater fills in are in braces.
func (a *asking) address(format feed.Format) string {
	base := a.origin() + prefix + url.PathEscape(a.snap.Project.Key) + "/"
	switch format {
	case feed.FormatTauri:
		return base + "tauri/" + a.channel + "/{{target}}/{{arch}}/{{current_version}}?bundle_type={{bundle_type}}"
	case feed.FormatElectron:
		file := a.channel
		if file == release.Stable {
			file = "latest"
		}
		return base + "electron/" + file + ".yml"
	case feed.FormatSparkle, feed.FormatWinSparkle:
		return base + string(format) + "/" + a.channel + "/appcast.xml"
	case feed.FormatSquirrel:
		return base + "squirrel/" + a.channel + "/{arch}"
	case feed.FormatSquirrelMac:
		return base + "squirrel-mac/" + a.channel + "/{arch}/{current_version}"
	case feed.FormatAtom:
		return base + "releases.atom?channel=" + a.channel
	case feed.FormatLatest:
		return base + "latest/" + a.channel + "/{platform}"
	}
	return base + string(format) + "/" + a.channel
}
