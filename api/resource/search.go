package resource

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/searchtext"
	"svc/store"
)

// searchKinds lists the kinds of records that the search across projects covers, each with the
// scope that it requires.
var searchKinds = []struct {
	name, scope string
	kind        store.Kind
}{
	{"project", "projects:read", store.KindProject},
	{"version", "versions:read", store.KindVersion},
	{"announcement", "announcements:read", store.KindAnnouncement},
	{"feedback", "feedbacks:read", store.KindFeedback},
	{"log", "logs:read", store.KindLog},
}

func (h *Handlers) searchRoutes() []web.Route {
	var scopes []string
	for _, k := range searchKinds {
		scopes = append(scopes, k.scope)
	}
	return []web.Route{
		{Method: "GET", Path: web.V1 + "/admin/search", Access: web.AnyScope(scopes...), Handler: web.OK(h.searchAll)},
	}
}

type hitView struct {
	Kind       string `json:"kind"`
	ProjectKey string `json:"project_key"`
	ID         string `json:"id"`
	Title      string `json:"title"`
	Excerpt    string `json:"excerpt"`
	CreatedAt  int64  `json:"created_at"`
}

// searchQuery is a checked search request, with its text and filters.
type searchQuery struct {
	find    string
	project string // "" = all
	kind    string // "" = all
	limit   int
	hidden  bool
}

func readSearchQuery(r *web.Request) (searchQuery, error) {
	var p problems
	q := searchQuery{
		find:    strings.TrimSpace(searchtext.Text(strings.TrimSpace(r.Query("q")))),
		project: strings.TrimSpace(r.Query("project")),
		kind:    strings.TrimSpace(r.Query("kind")),
		limit:   p.Count(r, "limit", 20, 1, 100),
	}
	if n := utf8.RuneCountInString(q.find); n < 1 || n > 128 {
		p.Add("q must have 1 to 128 characters")
	}
	known := q.kind == ""
	for _, k := range searchKinds {
		known = known || k.name == q.kind
	}
	if !known {
		p.Add("kind must be one of project, version, announcement, feedback, log")
	}
	if hidden := p.Bool(r, "include_hidden"); hidden != nil {
		q.hidden = *hidden
	}
	return q, p.Err()
}

// searchAll searches all records that the caller may read. Newer records come first.
func (h *Handlers) searchAll(r *web.Request) (v web.PageView, err error) {
	q, err := readSearchQuery(r)
	if err != nil {
		return v, err
	}
	projects, err := h.searchedProjects(r, q)
	if err != nil {
		return v, err
	}
	x := &search{handlers: h, r: r, query: q, projects: projects}
	for _, terms := range alternatives(q.find) {
		if err := x.searchKinds(terms); err != nil {
			return v, err
		}
		if x.total > 0 {
			break
		}
	}
	x.keepNewest()
	return web.PageView{Total: x.total, Estimate: x.estimate, Data: append([]hitView{}, x.hits...)}, nil
}

// searchedProjects returns the projects to search. These are the project in the query or, if the
// query does not name one, all projects that the caller may access.
func (h *Handlers) searchedProjects(r *web.Request, q searchQuery) (map[store.ProjectID]*store.Project, error) {
	projects := map[store.ProjectID]*store.Project{}
	if q.project != "" {
		p, err := h.DB.FindProject(q.project)
		if !r.Caller.Administrator && !r.Caller.Key.AllProjects && (err != nil || !r.Caller.Reaches(p.ID)) {
			return projects, nil // the caller must not learn whether it exists
		}
		if err != nil {
			return nil, err
		}
		projects[p.ID] = p
		return projects, nil
	}
	for _, p := range h.DB.Projects() {
		if r.Caller.Reaches(p.ID) {
			projects[p.ID] = p
		}
	}
	return projects, nil
}

// search collects the results for all kinds of records.
type search struct {
	handlers *Handlers
	r        *web.Request
	query    searchQuery
	projects map[store.ProjectID]*store.Project

	hits     []hitView
	total    int
	estimate bool
}

// keepNewest sorts the results, newest first, and drops those that do not fit on the page.
func (x *search) keepNewest() {
	slices.SortFunc(x.hits, func(a, b hitView) int { // ids are in creation order
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	x.hits = x.hits[:min(x.query.limit, len(x.hits))]
}

// searchKinds searches every kind of record that the caller may read.
func (x *search) searchKinds(terms []string) error {
	for _, k := range searchKinds {
		if x.query.kind != "" && x.query.kind != k.name || !x.r.Caller.Has(k.scope) {
			continue
		}
		var err error
		if k.kind == store.KindFeedback || k.kind == store.KindLog {
			err = x.searchSeries(k.kind, k.name, terms)
		} else {
			err = x.searchRecords(k.kind, k.name, terms)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onlyProject returns the project to pass to the index. Unless exactly one project is searched, it
// returns 0, which means all projects.
func (x *search) onlyProject() store.ProjectID {
	if len(x.projects) == 1 {
		for id := range x.projects {
			return id
		}
	}
	return 0
}

const (
	// recordsAtOnce is the number of records that a search scans in one transaction. That takes a
	// few milliseconds, so writers have to retain only a few old pages.
	recordsAtOnce = 500
	// exactRecords is the minimum number of records that a search scans. If more remain and the
	// page is full, the total may become an upper bound. Searches in other lists use the same
	// number.
	exactRecords = 10_000
)

// searchRecords searches projects, versions or announcements, newest first. Once the page is full
// and exactRecords records have been scanned, it counts all remaining candidates as matches without
// scanning them.
func (x *search) searchRecords(kind store.Kind, name string, terms []string) error {
	n, err := x.handlers.candidates(x.r, kind, x.onlyProject(), terms)
	if err != nil {
		return err
	}
	refs, err := x.refs(kind, n)
	if err != nil {
		return err
	}
	slices.SortFunc(refs, func(a, b store.Change) int {
		return cmp.Or(cmp.Compare(x.createdAt(b), x.createdAt(a)), bytes.Compare(b.ID[:], a.ID[:]))
	})
	found := 0
	for scanned := 0; scanned < len(refs); {
		if found >= x.query.limit && scanned >= exactRecords {
			x.total += len(refs) - scanned
			x.estimate = true
			break
		}
		if err := x.r.Context().Err(); err != nil {
			return err
		}
		page := refs[scanned:min(scanned+recordsAtOnce, len(refs))]
		n, err := x.searchPage(page, name, terms, x.query.limit-found)
		if err != nil {
			return err
		}
		scanned, found = scanned+len(page), found+n
	}
	x.total += found
	return nil
}

// searchPage scans the given records in one transaction and returns the number of matches. It adds
// the first matches to the results, but not more than the last argument permits.
func (x *search) searchPage(page []store.Change, name string, terms []string, most int) (found int, err error) {
	var hits []hitView
	err = x.handlers.DB.View(func(tx *store.Tx) error {
		for _, c := range page {
			text, ok, err := tx.SearchText(c)
			if err != nil {
				return err
			}
			if !ok || !searchtext.ContainsAll(text, terms) {
				continue
			}
			hit, shown, err := x.hit(tx, name, c, terms)
			if err != nil {
				return err
			}
			if shown {
				found++
				if len(hits) < most {
					hits = append(hits, hit)
				}
			}
		}
		return nil
	})
	x.hits = append(x.hits, hits...)
	return found, err
}

// createdAt returns the creation time of a project, a version or an announcement, in Unix seconds.
func (x *search) createdAt(c store.Change) int64 {
	if c.Kind == store.KindProject {
		return x.projects[c.Project].CreatedAt
	}
	return store.CreatedAt(c.ID)
}

// refs returns the candidates of the given kind that belong to the searched projects.
func (x *search) refs(kind store.Kind, n store.Candidates) (list []store.Change, err error) {
	add := func(c store.Change) {
		if c.Kind == kind && x.projects[c.Project] != nil {
			list = append(list, c)
		}
	}
	if !n.All {
		for ref := range n.Refs {
			c, err := store.ParseRef(ref)
			if err != nil {
				return nil, err
			}
			add(c)
		}
		return list, nil
	}
	after := string([]byte{byte(kind)})
	for {
		page, err := store.Read(x.handlers.DB, func(tx *store.Tx) ([]store.Change, error) { return tx.Searchable(after, 1000) })
		if err != nil || len(page) == 0 || page[0].Kind != kind {
			return list, err
		}
		for _, c := range page {
			add(c)
		}
		after = page[len(page)-1].Ref()
	}
}

const (
	titleLength   = 80
	excerptLength = 160
)

// hit returns the search result for a matching project, version or announcement. shown is false if
// the record is hidden and the query does not include hidden records.
func (x *search) hit(tx *store.Tx, name string, c store.Change, terms []string) (hit hitView, shown bool, err error) {
	p := x.projects[c.Project]
	hit = hitView{Kind: name, ProjectKey: p.Key, CreatedAt: store.CreatedAt(c.ID), ID: c.ID.String()}
	switch c.Kind {
	case store.KindProject:
		hit.ID, hit.Title, hit.CreatedAt = p.Key, p.Name, p.CreatedAt
		hit.Excerpt = best(terms, web.OrEmpty(p.Description), p.Key, web.OrEmpty(p.Author), web.OrEmpty(p.RepoURL))
	case store.KindVersion:
		v, err := tx.Version(c.Project, c.ID)
		if err != nil {
			return hit, false, err
		}
		hit.Title = strings.TrimSpace(v.Version + " " + web.OrEmpty(v.Title))
		hit.Excerpt = best(terms, web.OrEmpty(v.Content), v.Comparable.String())
	case store.KindAnnouncement:
		a, err := tx.Announcement(c.Project, c.ID)
		if err != nil || a.Hidden && !x.query.hidden {
			return hit, false, err
		}
		hit.Title = a.Title
		hit.Excerpt = best(terms, a.Content, web.OrEmpty(a.Author))
	}
	return hit, true, nil
}

// searchSeries searches the feedback or the logs of the projects, one project after the other.
func (x *search) searchSeries(kind store.Kind, name string, terms []string) error {
	n, err := x.handlers.candidates(x.r, kind, x.onlyProject(), terms)
	if err != nil {
		return err
	}
	q := store.Selection{Hidden: x.query.hidden, Find: &store.Find{Terms: terms, Candidates: n}, Limit: x.query.limit}
	for id, p := range x.projects {
		if err := x.r.Context().Err(); err != nil {
			return err
		}
		var hits []hitView
		var found store.Found
		err := x.handlers.DB.View(func(tx *store.Tx) (err error) {
			if kind == store.KindFeedback {
				var list []*store.Feedback
				list, found, err = tx.ListFeedback(id, store.FeedbackSelection{Selection: q})
				for _, f := range list {
					hits = append(hits, viewFeedbackHit(p, f, terms))
				}
				return err
			}
			var list []*store.Log
			list, found, err = tx.ListLogs(id, store.LogSelection{Selection: q, To: math.MaxInt64})
			for _, l := range list {
				hits = append(hits, viewLogHit(p, l, terms))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("search %s of project %d: %w", name, id, err)
		}
		// Shorten the list before it grows large, as many projects may have matches.
		if x.hits = append(x.hits, hits...); len(x.hits) > 10*x.query.limit {
			x.keepNewest()
		}
		x.total += found.Total
		x.estimate = x.estimate || found.Estimate
	}
	return nil
}

func viewFeedbackHit(p *store.Project, f *store.Feedback, terms []string) hitView {
	title := web.OrEmpty(f.Contact)
	if title == "" {
		title = web.OrEmpty(f.UserID)
	}
	if title == "" {
		title = searchtext.Excerpt(f.Content, nil, titleLength)
	}
	return hitView{
		Kind: "feedback", ProjectKey: p.Key, ID: f.ID.String(), Title: title, CreatedAt: store.CreatedAt(f.ID),
		Excerpt: best(terms, f.Content, web.OrEmpty(f.UserID), web.OrEmpty(f.Contact), web.OrEmpty(f.IP), web.OrEmpty(f.City),
			web.OrEmpty(f.CountryName), web.OrEmpty(f.RegionName), web.OrEmpty(f.PlatformVersion)),
	}
}

var levelNames = [...]string{"DEBUG", "INFO", "WARN", "ERROR"}

func viewLogHit(p *store.Project, l *store.Log, terms []string) hitView {
	return hitView{
		Kind: "log", ProjectKey: p.Key, ID: l.ID.String(), CreatedAt: store.CreatedAt(l.ID),
		Title: strings.TrimSpace(levelNames[l.Level] + " " + web.OrEmpty(l.Source)),
		Excerpt: best(terms, l.Content, web.OrEmpty(l.Source), web.OrEmpty(l.IP), web.OrEmpty(l.City), web.OrEmpty(l.CountryName),
			web.OrEmpty(l.RegionName), web.OrEmpty(l.PlatformVersion)),
	}
}

// best returns an excerpt of the first field that contains at least one of the terms. If no field
// does, it returns an excerpt of fields[0].
func best(terms []string, fields ...string) string {
	for _, f := range fields {
		folded := searchtext.Text(f)
		if slices.ContainsFunc(terms, func(term string) bool { return strings.Contains(folded, term) }) {
			return searchtext.Excerpt(f, terms, excerptLength)
		}
	}
	return searchtext.Excerpt(fields[0], terms, excerptLength)
}
