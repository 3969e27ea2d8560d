package api

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/internal/fold"
	"svc/store"
)

// searchKinds are what can be searched across projects, with the scope that
// opens each.
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

func (s *Server) searchRoutes() []route {
	var scopes []string
	for _, k := range searchKinds {
		scopes = append(scopes, k.scope)
	}
	return []route{
		{method: "GET", path: v1 + "/admin/search", access: anyOf(scopes...), handler: s.searchAll},
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

// searchQuery is what to look for, and where.
type searchQuery struct {
	find    string
	project string // "" = all
	kind    string // "" = all
	limit   int
	hidden  bool
}

func readSearchQuery(r *request) (searchQuery, error) {
	var p problems
	q := searchQuery{
		find:    strings.TrimSpace(fold.Text(strings.TrimSpace(r.query("q")))),
		project: strings.TrimSpace(r.query("project")),
		kind:    strings.TrimSpace(r.query("kind")),
		limit:   p.count(r, "limit", 20, 1, 100),
	}
	if n := utf8.RuneCountInString(q.find); n < 1 || n > 128 {
		p.add("q must have 1 to 128 characters")
	}
	known := q.kind == ""
	for _, k := range searchKinds {
		known = known || k.name == q.kind
	}
	if !known {
		p.add("kind must be one of project, version, announcement, feedback, log")
	}
	if hidden := p.choice(r, "include_hidden"); hidden != nil {
		q.hidden = *hidden
	}
	return q, p.err()
}

// searchAll looks through everything the caller may read, newest first.
func (s *Server) searchAll(w http.ResponseWriter, r *request) error {
	q, err := readSearchQuery(r)
	if err != nil {
		return err
	}
	projects, err := s.searchedProjects(r, q)
	if err != nil {
		return err
	}
	x := &search{server: s, r: r, query: q, projects: projects}
	for _, terms := range ways(q.find) {
		if err := x.look(terms); err != nil {
			return err
		}
		if x.total > 0 {
			break
		}
	}
	slices.SortFunc(x.hits, func(a, b hitView) int { // ids are in order of creation, too
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	hits := append([]hitView{}, x.hits[:min(q.limit, len(x.hits))]...)
	return respond(w, http.StatusOK, pageView{Total: x.total, Estimate: x.estimate, Data: hits})
}

// searchedProjects are the projects to look through: what the caller reaches,
// or the one that was named.
func (s *Server) searchedProjects(r *request, q searchQuery) (map[store.ProjectID]*store.Project, error) {
	projects := map[store.ProjectID]*store.Project{}
	if q.project != "" {
		p, err := s.db.FindProject(q.project)
		if !r.caller.administrator && !r.caller.key.AllProjects && (err != nil || !r.caller.reaches(p.ID)) {
			return projects, nil // as if it were not there
		}
		if err != nil {
			return nil, err
		}
		projects[p.ID] = p
		return projects, nil
	}
	for _, p := range s.db.Projects() {
		if r.caller.reaches(p.ID) {
			projects[p.ID] = p
		}
	}
	return projects, nil
}

// search collects hits of all kinds.
type search struct {
	server   *Server
	r        *request
	query    searchQuery
	projects map[store.ProjectID]*store.Project

	hits     []hitView
	total    int
	estimate bool
}

func (x *search) look(terms []string) error {
	for _, k := range searchKinds {
		if x.query.kind != "" && x.query.kind != k.name || !x.r.caller.has(k.scope) {
			continue
		}
		var err error
		if k.kind == store.KindFeedback || k.kind == store.KindLog {
			err = x.lookIntoSeries(k.kind, k.name, terms)
		} else {
			err = x.lookIntoRecords(k.kind, k.name, terms)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// only is the project to ask the index about: the only one, or 0 for all.
func (x *search) only() store.ProjectID {
	if len(x.projects) == 1 {
		for id := range x.projects {
			return id
		}
	}
	return 0
}

// lookIntoRecords looks through projects, versions or announcements.
func (x *search) lookIntoRecords(kind store.Kind, name string, terms []string) error {
	n, err := x.server.narrow(x.r, kind, x.only(), terms)
	if err != nil {
		return err
	}
	refs, err := x.refs(kind, n)
	if err != nil {
		return err
	}
	var hits []hitView
	err = x.server.db.View(func(tx *store.Tx) error {
		for _, c := range refs {
			text, ok, err := tx.SearchText(c)
			if err != nil {
				return err
			}
			if !ok || !fold.ContainsAll(text, terms) {
				continue
			}
			hit, shown, err := x.hit(tx, name, c, terms)
			if err != nil {
				return err
			}
			if shown {
				x.total++
				hits = append(hits, hit)
			}
		}
		return nil
	})
	x.hits = append(x.hits, hits...)
	return err
}

// refs lists what of a kind may match in the searched projects.
func (x *search) refs(kind store.Kind, n store.Narrow) (list []store.Change, err error) {
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
		var page []store.Change
		err := x.server.db.View(func(tx *store.Tx) (err error) {
			page, err = tx.Searchable(after, 1000)
			return err
		})
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

// hit shows a project, a version or an announcement that matched; shown is
// false where hidden ones are not asked for.
func (x *search) hit(tx *store.Tx, name string, c store.Change, terms []string) (hit hitView, shown bool, err error) {
	p := x.projects[c.Project]
	hit = hitView{Kind: name, ProjectKey: p.Key, CreatedAt: store.CreatedAt(c.ID), ID: c.ID.String()}
	switch c.Kind {
	case store.KindProject:
		hit.ID, hit.Title, hit.CreatedAt = p.Key, p.Name, p.CreatedAt
		hit.Excerpt = best(terms, text(p.Description), p.Key, text(p.Author), text(p.RepoURL))
	case store.KindVersion:
		v, err := tx.Version(c.Project, c.ID)
		if err != nil {
			return hit, false, err
		}
		hit.Title = strings.TrimSpace(v.Version + " " + text(v.Title))
		hit.Excerpt = best(terms, text(v.Content), v.Comparable.String())
	case store.KindAnnouncement:
		a, err := tx.Announcement(c.Project, c.ID)
		if err != nil || a.Hidden && !x.query.hidden {
			return hit, false, err
		}
		hit.Title = a.Title
		hit.Excerpt = best(terms, a.Content, text(a.Author))
	}
	return hit, true, nil
}

// lookIntoSeries looks through feedback or logs, project by project.
func (x *search) lookIntoSeries(kind store.Kind, name string, terms []string) error {
	n, err := x.server.narrow(x.r, kind, x.only(), terms)
	if err != nil {
		return err
	}
	q := store.Selection{Hidden: x.query.hidden, Find: &store.Find{Terms: terms, Narrow: n}, Limit: x.query.limit}
	for id, p := range x.projects {
		var hits []hitView
		var found store.Found
		err := x.server.db.View(func(tx *store.Tx) (err error) {
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
		x.hits = append(x.hits, hits...)
		x.total += found.Total
		x.estimate = x.estimate || found.Estimate
	}
	return nil
}

func viewFeedbackHit(p *store.Project, f *store.Feedback, terms []string) hitView {
	title := text(f.Contact)
	if title == "" {
		title = text(f.UserID)
	}
	if title == "" {
		title = fold.Excerpt(f.Content, nil, titleLength)
	}
	return hitView{
		Kind: "feedback", ProjectKey: p.Key, ID: f.ID.String(), Title: title, CreatedAt: store.CreatedAt(f.ID),
		Excerpt: best(terms, f.Content, text(f.UserID), text(f.Contact), text(f.IP), text(f.City), text(f.CountryName), text(f.RegionName), text(f.PlatformVersion)),
	}
}

var levelNames = [...]string{"DEBUG", "INFO", "WARN", "ERROR"}

func viewLogHit(p *store.Project, l *store.Log, terms []string) hitView {
	return hitView{
		Kind: "log", ProjectKey: p.Key, ID: l.ID.String(), CreatedAt: store.CreatedAt(l.ID),
		Title:   strings.TrimSpace(levelNames[l.Level] + " " + text(l.Source)),
		Excerpt: best(terms, l.Content, text(l.Source), text(l.IP), text(l.City), text(l.CountryName), text(l.RegionName), text(l.PlatformVersion)),
	}
}

// best is an excerpt of the first field that has one of the terms, or of the
// first field.
func best(terms []string, fields ...string) string {
	for _, f := range fields {
		folded := fold.Text(f)
		if slices.ContainsFunc(terms, func(term string) bool { return strings.Contains(folded, term) }) {
			return fold.Excerpt(f, terms, excerptLength)
		}
	}
	return fold.Excerpt(fields[0], terms, excerptLength)
}

// text is a nullable text, or none.
func text(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}
