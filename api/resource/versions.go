package resource

import (
	"cmp"
	"net/http"
	"strings"

	"svc/api/web"
	"svc/internal/platform"
	"svc/store"
)

var versionRecords = kind[store.Version]{"version", (*store.Tx).Version, (*store.Tx).OwnedVersion, (*store.Tx).DeleteVersion}

func (h *Handlers) versionRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/versions"
	const compat = web.V1 + "/admin/versions"
	read, write := web.ByScope("versions:read"), web.ByScope("versions:write")
	get, update, remove := getRecord(h, versionRecords, viewVersionFully),
		updateRecord(h, versionRecords, versionInput.check, viewVersionFully), deleteRecord(h, versionRecords)
	create := createRecord(h, versionInput.check, viewVersionFully)
	return []web.Route{
		{Method: "GET", Path: all + "/_status", Access: read, Handler: h.status("versions")},
		{Method: "GET", Path: all, Access: read, Handler: web.Listed(h.listVersions)},
		{Method: "POST", Path: all, Access: write, Handler: create},
		{Method: "GET", Path: all + "/:id", Access: read, Handler: get},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: update},
		{Method: "DELETE", Path: all + "/:id", Access: write, Handler: remove},
		{Method: "PUT", Path: all + "/by-version/:v", Access: write, Handler: h.publishVersion},
		{Method: "POST", Path: all + "/update-check-simulation", Reads: true, Access: read, Handler: web.OK(web.Decoded(h.simulateUpdateCheck))},
		{Method: "GET", Path: compat + "/statistics", Access: web.AcrossProjects("versions:read"), Handler: web.OK(h.versionStatistics)},
		{Method: "POST", Path: web.V1 + "/admin/projects/versions", Access: write.From(web.BodyProject), Handler: create},
		{Method: "GET", Path: compat + "/:id", Access: read.From(web.PathRecord), Handler: get},
		{Method: "PATCH", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: update},
		{Method: "DELETE", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: remove},
	}
}

// versionFilter is a filter for a list of versions.
type versionFilter struct {
	platform                       *platform.Platform
	preview, deprecated, milestone *bool
	forced, yanked                 *bool
	channel                        string // "" = all
	find                           string // folded search text
}

func (p *problems) versionFilter(r *web.Request) versionFilter {
	return versionFilter{
		platform:   p.PlatformFilter(r),
		preview:    p.Bool(r, "is_preview"),
		deprecated: p.Bool(r, "is_deprecated"),
		milestone:  p.Bool(r, "is_milestone"),
		forced:     p.Bool(r, "forced"),
		yanked:     p.Bool(r, "is_yanked"),
		channel:    r.Query("channel"),
		find:       p.Search(r),
	}
}

// versions returns the entries in the list all that match the filter f, in the same order.
func (h *Handlers) versions(
	r *web.Request, snap *store.Snapshot, all []*store.VersionEntry, f versionFilter,
) ([]*store.VersionEntry, error) {
	found, err := versionContents.search(h, r, snap, f.find, all)
	if err != nil {
		return nil, err
	}
	var kept []*store.VersionEntry
	for _, e := range found {
		v := e.Record
		if web.Fits(v.Preview, f.preview) && web.Fits(v.Deprecated, f.deprecated) && web.Fits(v.Milestone, f.milestone) &&
			web.Fits(false, f.forced) && web.Fits(v.Yank != nil, f.yanked) &&
			(f.channel == "" || v.OnChannel() == f.channel) &&
			(f.platform == nil || v.Runs(*f.platform)) {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

func (h *Handlers) listVersions(r *web.Request) (web.List, error) {
	var p problems
	page, filter, sort := p.Page(r), p.versionFilter(r), p.Sort(r, "published_at", "version", "created_at")
	if err := p.Err(); err != nil {
		return web.List{}, err
	}
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (web.List, error) {
		matching, err := h.versions(r, snap, snap.Versions(nil), filter)
		if err != nil {
			return web.List{}, err
		}
		switch sort.By {
		case "published_at":
			matching = sorting(matching, sort, newestEntry, func(a, b *store.VersionEntry) int {
				return cmp.Compare(a.Record.PublishedAt, b.Record.PublishedAt)
			})
		case "version":
			matching = sorting(matching, sort, newestEntry, func(a, b *store.VersionEntry) int {
				return a.Record.Comparable.Compare(b.Record.Comparable)
			})
		case "created_at":
			matching = sorting(matching, sort, newestEntry, func(a, b *store.VersionEntry) int { return newestEntry(b, a) })
		}
		return listOf(matching, page, versionContents.listedFully(h, snap)), nil
	})
}

// publishVersion creates the version in the path, or updates it if it exists. The request is
// idempotent.
func (h *Handlers) publishVersion(w http.ResponseWriter, r *web.Request) error {
	change, err := web.Check(r, versionInput.check, publishes)
	text := strings.TrimSpace(r.Param("v"))
	if err := web.JoinValidation(err, checkPublished(text, change.in.Version)); err != nil {
		return err
	}
	change.in.Version = web.Optional[string]{Sent: true, Value: &text}
	status, view := http.StatusOK, versionView{}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, err := tx.VersionNamed(p.ID, text)
		switch {
		case err != nil:
			return err
		case v == nil && r.Conditional():
			return web.ErrStale
		case v == nil:
			status = http.StatusCreated
			v, err = change.create(tx, p, h.author(r))
		default:
			// Only now is it known that the version exists, and null means something else for an
			// update.
			if err = r.Match(v); err != nil {
				return err
			}
			if _, err = change.in.check(updates); err == nil {
				err = change.update(tx, p, v)
			}
		}
		if err != nil {
			return err
		}
		view = viewVersionFully(p, v)
		return r.Tag(v)
	})
	if err != nil {
		return err
	}
	return web.Respond(w, status, view)
}

// checkPublished checks the version in the path by the rules of the version field. If the body
// contains a version too, both must be equal.
func checkPublished(text string, body web.Optional[string]) error {
	var p problems
	p.Text("version", web.Optional[string]{Sent: true, Value: &text}, web.TextRule{Max: 64, Trim: true, Filled: true})
	if body.Value != nil && strings.TrimSpace(*body.Value) != text {
		p.Add("version must be %s as in the path, or left out", web.Quote(text))
	}
	return p.Err()
}

type versionStatisticsView struct {
	TotalVersions     int64  `json:"total_versions"`
	TotalProjects     int64  `json:"total_projects"`
	ForcedVersions    int64  `json:"forced_versions"`
	LatestVersionTime *int64 `json:"latest_version_time"`
	FirstVersionTime  *int64 `json:"first_version_time"`
}

func (h *Handlers) versionStatistics(*web.Request) (versionStatisticsView, error) {
	st, err := store.Read(h.DB, (*store.Tx).VersionStatistics)
	return versionStatisticsView{st.Versions, st.Projects, 0, st.Newest, st.Oldest}, err
}

// status returns a handler that responds like web.ModuleStatus if the project exists.
func (h *Handlers) status(module string) web.Handler {
	answer := web.ModuleStatus(module)
	return func(w http.ResponseWriter, r *web.Request) error {
		return r.Snapshot(h.DB, func(*store.Snapshot) error { return answer(w, r) })
	}
}
