package resource

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/store"
)

func (h *Handlers) versionRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/versions"
	const compat = web.V1 + "/admin/versions"
	read, write := web.ByScope("versions:read"), web.ByScope("versions:write")
	return []web.Route{
		{Method: "GET", Path: all + "/_status", Access: read, Handler: h.status("versions")},
		{Method: "GET", Path: all, Access: read, Handler: h.listVersions},
		{Method: "POST", Path: all, Access: write, Handler: h.createVersion},
		{Method: "GET", Path: all + "/:id", Access: read, Handler: h.getVersion},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: h.updateVersion},
		{Method: "DELETE", Path: all + "/:id", Access: write, Handler: h.deleteVersion},
		{Method: "PUT", Path: all + "/by-version/:v", Access: write, Handler: h.publishVersion},
		{Method: "GET", Path: compat + "/statistics", Access: web.AcrossProjects("versions:read"), Handler: h.versionStatistics},
		{Method: "POST", Path: web.V1 + "/admin/projects/versions", Access: write.From(web.BodyProject), Handler: h.createVersion},
		{Method: "GET", Path: compat + "/:id", Access: read.From(web.PathRecord), Handler: h.getVersion},
		{Method: "PATCH", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: h.updateVersion},
		{Method: "DELETE", Path: compat + "/:id", Access: write.From(web.PathRecord), Handler: h.deleteVersion},
	}
}

// versionFilter is what a list of versions is narrowed by.
type versionFilter struct {
	platform                       *platform.Platform
	preview, deprecated, milestone *bool
	forced                         *bool
	find                           string // folded
}

func (p *problems) versionFilter(r *web.Request) versionFilter {
	return versionFilter{
		platform:   p.PlatformFilter(r),
		preview:    p.Bool(r, "is_preview"),
		deprecated: p.Bool(r, "is_deprecated"),
		milestone:  p.Bool(r, "is_milestone"),
		forced:     p.Bool(r, "forced"),
		find:       p.Search(r),
	}
}

// versions lists the versions that pass a filter, in list order.
func (h *Handlers) versions(r *web.Request, snap *store.Snapshot, f versionFilter) ([]*store.Entry, error) {
	found, err := h.findVersions(r, snap, f.find)
	if err != nil {
		return nil, err
	}
	var kept []*store.Entry
	for _, e := range found {
		v := e.Version
		if web.Fits(v.Preview, f.preview) && web.Fits(v.Deprecated, f.deprecated) && web.Fits(v.Milestone, f.milestone) && web.Fits(false, f.forced) &&
			(f.platform == nil || v.Runs(*f.platform)) {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// withSnapshot runs a read of the project in the path against its snapshot,
// and again when a text it needed was changed or deleted meanwhile. Writers
// would have to hit between two reads each time for it to give up.
func (h *Handlers) withSnapshot(r *web.Request, read func(*store.Snapshot) error) error {
	for tries := 1; ; tries++ {
		snap, err := h.DB.Snapshot(r.Param("k"))
		if err != nil {
			return err
		}
		if r.Route.Access.Kind != web.Public && !r.Caller.Reaches(snap.Project.ID) {
			return web.ErrOtherProject
		}
		err = read(snap)
		switch {
		case !errors.Is(err, store.ErrStale):
			return err
		case r.Context().Err() != nil:
			return r.Context().Err()
		case tries == maxReads:
			return fmt.Errorf("read project %s %d times: %w", snap.Project.Key, tries, err)
		}
		h.DB.Settle() // or this would turn round while a commit becomes visible
	}
}

// maxReads is how often a read is tried against snapshots that turn stale.
const maxReads = 100

func (h *Handlers) listVersions(w http.ResponseWriter, r *web.Request) error {
	var p problems
	page, filter := p.Page(r), p.versionFilter(r)
	if err := p.Err(); err != nil {
		return err
	}
	return h.withSnapshot(r, func(snap *store.Snapshot) error {
		matching, err := h.versions(r, snap, filter)
		if err != nil {
			return err
		}
		views := []versionView{}
		for _, e := range web.PageOf(matching, page) {
			v, err := h.DB.FullVersion(snap, e)
			if err != nil {
				return err
			}
			views = append(views, viewVersionFully(snap.Project, v))
		}
		return web.Respond(w, http.StatusOK, web.PageView{Total: len(matching), Data: views})
	})
}

// addressed reads the version in the path and its project, on the paths with a
// project as well as on those with the id alone.
func (h *Handlers) addressed(r *web.Request, tx *store.Tx) (*store.Project, *store.Version, error) {
	id, ok := store.ParseID(r.Param("id"))
	errNone := fault.New(fault.NotFound, "version not found")
	if r.Param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, v, err := tx.OwnedVersion(id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.Reached(p, nil)
		return p, v, err
	}
	p, err := r.Project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	v, err := tx.Version(p.ID, id)
	return p, v, err
}

func (h *Handlers) getVersion(w http.ResponseWriter, r *web.Request) error {
	var view versionView
	err := h.DB.View(func(tx *store.Tx) error {
		p, v, err := h.addressed(r, tx)
		if err == nil {
			view = viewVersionFully(p, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, view)
}

type projectKeyInput struct {
	ProjectKey web.Optional[string] `json:"project_key"`
}

// projectName is the project in the path, or on the older paths in the body,
// where a missing one joins what else is wrong.
func projectName(r *web.Request, broken error) (string, error) {
	if name := r.Param("k"); name != "" {
		return name, broken
	}
	var in projectKeyInput
	if err := web.Decode(r, &in); err != nil {
		return "", err
	}
	var p problems
	p.Text("project_key", in.ProjectKey, web.TextRule{Required: true, Filled: true})
	return in.ProjectKey.Or(""), web.JoinValidation(p.Err(), broken)
}

// createVersion finds its project in the path, or on the older path in the
// body.
func (h *Handlers) createVersion(w http.ResponseWriter, r *web.Request) error {
	var in versionInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(creates)
	name, err := projectName(r, err)
	if err != nil {
		return err
	}
	var view versionView
	err = h.DB.Update(func(tx *store.Tx) error {
		p, err := r.Reached(tx.Project(name))
		if err != nil {
			return err
		}
		v, err := create(tx, p, change)
		if err == nil {
			view = viewVersionFully(p, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusCreated, view)
}

// create stores a new version as the change describes it.
func create(tx *store.Tx, p *store.Project, c versionChange) (*store.Version, error) {
	v := &store.Version{PublishedAt: tx.Now().Unix()}
	// Null is not sent here, so that the address follows the list.
	c.in.DownloadURL.Sent = c.in.DownloadURL.Value != nil
	if err := c.apply(p, v); err != nil {
		return nil, err
	}
	return v, tx.CreateVersion(p.ID, v, c.in.IsLatest.Value)
}

// update stores what the change says of a version.
func update(tx *store.Tx, p *store.Project, v *store.Version, c versionChange) error {
	if err := c.apply(p, v); err != nil {
		return err
	}
	return tx.UpdateVersion(p.ID, v, c.in.IsLatest.Value, c.in.IsPreview.Sent)
}

func (h *Handlers) updateVersion(w http.ResponseWriter, r *web.Request) error {
	var in versionInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(updates)
	if err != nil {
		return err
	}
	var view versionView
	err = h.DB.Update(func(tx *store.Tx) error {
		p, v, err := h.addressed(r, tx)
		if err != nil {
			return err
		}
		if err := update(tx, p, v, change); err != nil {
			return err
		}
		view = viewVersionFully(p, v)
		return nil
	})
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, view)
}

func (h *Handlers) deleteVersion(w http.ResponseWriter, r *web.Request) error {
	err := h.DB.Update(func(tx *store.Tx) error {
		p, v, err := h.addressed(r, tx)
		if err != nil {
			return err
		}
		return tx.DeleteVersion(p.ID, v)
	})
	if err != nil {
		return err
	}
	return web.RespondDeleted(w)
}

// publishVersion is the idempotent publish: it creates the version named in
// the path, or updates it.
func (h *Handlers) publishVersion(w http.ResponseWriter, r *web.Request) error {
	var in versionInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(publishes)
	text := strings.TrimSpace(r.Param("v"))
	if err := web.JoinValidation(err, checkPublished(text, in.Version)); err != nil {
		return err
	}
	change.in.Version = web.Optional[string]{Sent: true, Value: &text}
	status, view := http.StatusOK, versionView{}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		v, err := tx.VersionNamed(p.ID, text)
		switch {
		case err != nil:
			return err
		case v == nil:
			status = http.StatusCreated
			v, err = create(tx, p, change)
		default:
			// What null means on a stored version is known only now.
			if _, err = change.in.check(updates); err == nil {
				err = update(tx, p, v, change)
			}
		}
		if err == nil {
			view = viewVersionFully(p, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	return web.Respond(w, status, view)
}

// checkPublished holds the version in the path to the rules of the field, and
// one in the body to the path.
func checkPublished(text string, body web.Optional[string]) error {
	var p problems
	p.Text("version", web.Optional[string]{Sent: true, Value: &text}, web.TextRule{Max: 64, Trim: true, Filled: true})
	if body.Value != nil && strings.TrimSpace(*body.Value) != text {
		p.Add("version must be %s as in the path, or left out", web.Quote(text))
	}
	return p.Err()
}

func (h *Handlers) versionStatistics(w http.ResponseWriter, _ *web.Request) error {
	st, err := store.Read(h.DB, (*store.Tx).VersionStatistics)
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, struct {
		TotalVersions     int64  `json:"total_versions"`
		TotalProjects     int64  `json:"total_projects"`
		ForcedVersions    int64  `json:"forced_versions"`
		LatestVersionTime *int64 `json:"latest_version_time"`
		FirstVersionTime  *int64 `json:"first_version_time"`
	}{st.Versions, st.Projects, 0, st.Newest, st.Oldest})
}

// status is web.ModuleStatus for a part of an existing project.
func (h *Handlers) status(module string) func(http.ResponseWriter, *web.Request) error {
	return func(w http.ResponseWriter, r *web.Request) error {
		return h.withSnapshot(r, func(*store.Snapshot) error { return web.ModuleStatus(module)(w, r) })
	}
}
