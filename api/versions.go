package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/store"
)

func (s *Server) versionRoutes() []route {
	const all = v1 + "/admin/projects/:k/versions"
	const compat = v1 + "/admin/versions"
	read, write := key("versions:read"), key("versions:write")
	return []route{
		{method: "GET", path: all + "/_status", access: read, handler: s.status("versions")},
		{method: "GET", path: all, access: read, handler: s.listVersions},
		{method: "POST", path: all, access: write, handler: s.createVersion},
		{method: "GET", path: all + "/:id", access: read, handler: s.getVersion},
		{method: "PATCH", path: all + "/:id", access: write, handler: s.updateVersion},
		{method: "DELETE", path: all + "/:id", access: write, handler: s.deleteVersion},
		{method: "PUT", path: all + "/by-version/:v", access: write, handler: s.publishVersion},
		{method: "GET", path: compat + "/statistics", access: wide("versions:read"), handler: s.versionStatistics},
		{method: "POST", path: v1 + "/admin/projects/versions", access: write.from(bodyProject), handler: s.createVersion},
		{method: "GET", path: compat + "/:id", access: read.from(pathRecord), handler: s.getVersion},
		{method: "PATCH", path: compat + "/:id", access: write.from(pathRecord), handler: s.updateVersion},
		{method: "DELETE", path: compat + "/:id", access: write.from(pathRecord), handler: s.deleteVersion},
	}
}

// versionFilter is what a list of versions is narrowed by.
type versionFilter struct {
	platform                       *platform.Platform
	preview, deprecated, milestone *bool
	forced                         *bool
	find                           string // folded
}

func (p *problems) versionFilter(r *request) versionFilter {
	return versionFilter{
		platform:   p.platformFilter(r),
		preview:    p.choice(r, "is_preview"),
		deprecated: p.choice(r, "is_deprecated"),
		milestone:  p.choice(r, "is_milestone"),
		forced:     p.choice(r, "forced"),
		find:       p.search(r),
	}
}

// versions lists the versions that pass a filter, in list order.
func (s *Server) versions(r *request, snap *store.Snapshot, f versionFilter) ([]*store.Entry, error) {
	found, err := s.findVersions(r, snap, f.find)
	if err != nil {
		return nil, err
	}
	var kept []*store.Entry
	for _, e := range found {
		v := e.Version
		if is(v.Preview, f.preview) && is(v.Deprecated, f.deprecated) && is(v.Milestone, f.milestone) && is(false, f.forced) &&
			(f.platform == nil || v.Runs(*f.platform)) {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// withSnapshot runs a read of the project in the path against its snapshot,
// and again when a text it needed was changed or deleted meanwhile. Writers
// would have to hit between two reads each time for it to give up.
func (s *Server) withSnapshot(r *request, read func(*store.Snapshot) error) error {
	for tries := 1; ; tries++ {
		snap, err := s.db.Snapshot(r.param("k"))
		if err != nil {
			return err
		}
		if r.route.access.kind != public && !r.caller.reaches(snap.Project.ID) {
			return errOtherProject
		}
		err = read(snap)
		switch {
		case !errors.Is(err, store.ErrStale):
			return err
		case r.Context().Err() != nil:
			return r.Context().Err()
		case tries == mostReads:
			return fmt.Errorf("read project %s %d times: %w", snap.Project.Key, tries, err)
		}
		s.db.Settle() // or this would turn round while a commit becomes visible
	}
}

// mostReads is how often a read is tried against snapshots that turn stale.
const mostReads = 100

func (s *Server) listVersions(w http.ResponseWriter, r *request) error {
	var p problems
	page, filter := p.page(r), p.versionFilter(r)
	if err := p.err(); err != nil {
		return err
	}
	return s.withSnapshot(r, func(snap *store.Snapshot) error {
		matching, err := s.versions(r, snap, filter)
		if err != nil {
			return err
		}
		views := []versionView{}
		for _, e := range cut(matching, page) {
			v, err := s.db.FullVersion(snap, e)
			if err != nil {
				return err
			}
			views = append(views, viewVersionFully(snap.Project, v))
		}
		return respond(w, http.StatusOK, pageView{Total: len(matching), Data: views})
	})
}

// addressed reads the version in the path and its project, on the paths with a
// project as well as on those with the id alone.
func (s *Server) addressed(r *request, tx *store.Tx) (*store.Project, *store.Version, error) {
	id, ok := store.ParseID(r.param("id"))
	errNone := fault.New(fault.NotFound, "version not found")
	if r.param("k") == "" {
		if !ok {
			return nil, nil, errNone
		}
		p, v, err := tx.OwnedVersion(id)
		if err != nil {
			return nil, nil, err
		}
		_, err = r.reached(p, nil)
		return p, v, err
	}
	p, err := r.project(tx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, errNone
	}
	v, err := tx.Version(p.ID, id)
	return p, v, err
}

func (s *Server) getVersion(w http.ResponseWriter, r *request) error {
	var view versionView
	err := s.db.View(func(tx *store.Tx) error {
		p, v, err := s.addressed(r, tx)
		if err == nil {
			view = viewVersionFully(p, v)
		}
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, view)
}

type projectKeyInput struct {
	ProjectKey Optional[string] `json:"project_key"`
}

// projectName is the project in the path, or on the older paths in the body,
// where a missing one joins what else is wrong.
func projectName(r *request, broken error) (string, error) {
	if name := r.param("k"); name != "" {
		return name, broken
	}
	var in projectKeyInput
	if err := decode(r, &in); err != nil {
		return "", err
	}
	var p problems
	p.text("project_key", in.ProjectKey, textRule{required: true, filled: true})
	return in.ProjectKey.or(""), joined(p.err(), broken)
}

// createVersion finds its project in the path, or on the older path in the
// body.
func (s *Server) createVersion(w http.ResponseWriter, r *request) error {
	var in versionInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(creates)
	name, err := projectName(r, err)
	if err != nil {
		return err
	}
	var view versionView
	err = s.db.Update(func(tx *store.Tx) error {
		p, err := r.reached(tx.Project(name))
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
	return respond(w, http.StatusCreated, view)
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

func (s *Server) updateVersion(w http.ResponseWriter, r *request) error {
	var in versionInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(updates)
	if err != nil {
		return err
	}
	var view versionView
	err = s.db.Update(func(tx *store.Tx) error {
		p, v, err := s.addressed(r, tx)
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
	return respond(w, http.StatusOK, view)
}

func (s *Server) deleteVersion(w http.ResponseWriter, r *request) error {
	err := s.db.Update(func(tx *store.Tx) error {
		p, v, err := s.addressed(r, tx)
		if err != nil {
			return err
		}
		return tx.DeleteVersion(p.ID, v)
	})
	if err != nil {
		return err
	}
	return respondDeleted(w)
}

// publishVersion is the idempotent publish: it creates the version named in
// the path, or updates it.
func (s *Server) publishVersion(w http.ResponseWriter, r *request) error {
	var in versionInput
	if err := decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(publishes)
	text := strings.TrimSpace(r.param("v"))
	if err := joined(err, checkPublished(text, in.Version)); err != nil {
		return err
	}
	change.in.Version = Optional[string]{Sent: true, Value: &text}
	status, view := http.StatusOK, versionView{}
	err = s.db.Update(func(tx *store.Tx) error {
		p, err := r.project(tx)
		if err != nil {
			return err
		}
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
	return respond(w, status, view)
}

// checkPublished holds the version in the path to the rules of the field, and
// one in the body to the path.
func checkPublished(text string, body Optional[string]) error {
	var p problems
	p.text("version", Optional[string]{Sent: true, Value: &text}, textRule{max: 64, trim: true, filled: true})
	if body.Value != nil && strings.TrimSpace(*body.Value) != text {
		p.add("version must be %s as in the path, or left out", quote(text))
	}
	return p.err()
}

// joined makes one validation error of two.
func joined(a, b error) error {
	var all []string
	for _, err := range []error{a, b} {
		if err == nil {
			continue
		}
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || !f.Validation {
			return err
		}
		all = append(all, f.Messages...)
	}
	if all == nil {
		return nil
	}
	return fault.Validation(all...)
}

func (s *Server) versionStatistics(w http.ResponseWriter, _ *request) error {
	var st store.VersionStatistics
	err := s.db.View(func(tx *store.Tx) (err error) {
		st, err = tx.VersionStatistics()
		return err
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		TotalVersions     int64  `json:"total_versions"`
		TotalProjects     int64  `json:"total_projects"`
		ForcedVersions    int64  `json:"forced_versions"`
		LatestVersionTime *int64 `json:"latest_version_time"`
		FirstVersionTime  *int64 `json:"first_version_time"`
	}{st.Versions, st.Projects, 0, st.Newest, st.Oldest})
}
