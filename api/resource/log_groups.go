package resource

import (
	"cmp"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/loggroup"
	"svc/internal/platform"
	"svc/internal/searchtext"
	"svc/store"
)

func (h *Handlers) logGroupRoutes() []web.Route {
	const all = web.V1 + "/admin/projects/:k/log-groups"
	read, write := web.ByScope("logs:read"), web.ByScope("logs:write")
	return []web.Route{
		{Method: "GET", Path: all, Access: read, Handler: web.Listed(h.listLogGroups)},
		{Method: "GET", Path: all + "/:id", Access: read, Handler: web.OK(h.getLogGroup)},
		{Method: "PATCH", Path: all + "/:id", Access: write, Handler: web.OK(web.Checked(logGroupInput.check, updates, h.updateLogGroup))},
	}
}

// logGroupView is the JSON form of a group of logs in a list.
type logGroupView struct {
	ID           string         `json:"id"`
	Title        string         `json:"title"`
	Level        int            `json:"level"`
	Source       *string        `json:"source"`
	State        loggroup.State `json:"state"`
	ResolvedIn   *string        `json:"resolved_in"`
	ResolvedAt   *int64         `json:"resolved_at"`
	RegressedAt  *int64         `json:"regressed_at"`
	MutedUntil   *int64         `json:"muted_until"`
	Count        int64          `json:"count"`
	Occurrences  int64          `json:"occurrences"`
	FirstSeen    int64          `json:"first_seen"`
	LastSeen     int64          `json:"last_seen"`
	FirstVersion *string        `json:"first_version"`
	LastVersion  *string        `json:"last_version"`
	Note         *string        `json:"note"`
}

// wholeLogGroupView is the JSON form of a group of logs in a response that contains only this
// group.
type wholeLogGroupView struct {
	logGroupView
	Versions  []groupVersionView  `json:"versions"`
	Platforms []groupPlatformView `json:"platforms"`
	Hours     []uint32            `json:"hours"` // the oldest first
}

type groupVersionView struct {
	Version   *string `json:"version"`
	Count     int64   `json:"count"`
	FirstSeen int64   `json:"first_seen"`
	LastSeen  int64   `json:"last_seen"`
}

type groupPlatformView struct {
	Platform *platform.Platform `json:"platform"`
	Count    int64              `json:"count"`
}

func viewLogGroup(g *store.LogGroup) logGroupView {
	return logGroupView{
		ID: g.ID.String(), Title: g.Title, Level: g.Level, Source: g.Source, State: g.State,
		ResolvedIn: web.OrNull(g.Resolution), ResolvedAt: web.OrNull(g.ResolvedAt), RegressedAt: web.OrNull(g.RegressedAt),
		MutedUntil: web.OrNull(g.MutedUntil), Count: g.Count, Occurrences: g.Occurrences, FirstSeen: g.FirstSeen, LastSeen: g.LastSeen,
		FirstVersion: web.OrNull(g.First.Text), LastVersion: web.OrNull(g.Last.Text), Note: web.OrNull(g.Note),
	}
}

func viewWholeLogGroup(g *store.LogGroup, now int64) wholeLogGroupView {
	hours := g.Hours.At(now)
	v := wholeLogGroupView{logGroupView: viewLogGroup(g), Platforms: []groupPlatformView{}, Hours: hours[:]}
	v.Versions = web.Views(g.Versions, func(v store.GroupVersion) groupVersionView {
		return groupVersionView{web.OrNull(v.Text), v.Count, v.FirstSeen, v.LastSeen}
	})
	for i, n := range g.Platforms {
		if n == 0 {
			continue
		}
		one := groupPlatformView{Count: n}
		if i > 0 {
			one.Platform = &platform.All[i-1]
		}
		v.Platforms = append(v.Platforms, one)
	}
	slices.SortStableFunc(v.Platforms, func(a, b groupPlatformView) int { return cmp.Compare(b.Count, a.Count) })
	return v
}

// logGroupFilter selects groups. A field that is empty or nil sets no condition.
type logGroupFilter struct {
	state                 loggroup.State
	level                 *int
	version, firstVersion string
}

func (f logGroupFilter) matches(g *store.LogGroup) bool {
	return (f.state == "" || g.State == f.state) && (f.level == nil || g.Level == *f.level) &&
		(f.firstVersion == "" || g.First.Text == f.firstVersion) &&
		(f.version == "" || slices.ContainsFunc(g.Versions, func(v store.GroupVersion) bool { return v.Text == f.version }))
}

func (h *Handlers) listLogGroups(r *web.Request) (web.List, error) {
	var p problems
	page, find, sort := p.Page(r), p.Search(r), p.Sort(r, "last_seen", "first_seen", "count")
	filter := logGroupFilter{
		state: loggroup.State(r.Query("state")), level: p.exact(r, "level", 0, 3),
		version: r.Query("version"), firstVersion: r.Query("first_version"),
	}
	if filter.state != "" && !slices.Contains(loggroup.States, filter.state) {
		p.Add("state must be one of %s", strings.Join(namesOf(loggroup.States), ", "))
	}
	project, err := p.Project(r, h.DB)
	if err != nil {
		return web.List{}, err
	}
	list, err := store.Read(h.DB, func(tx *store.Tx) ([]*store.LogGroup, error) { return tx.LogGroups(project.ID) })
	if err != nil {
		return web.List{}, err
	}
	list = slices.DeleteFunc(list, func(g *store.LogGroup) bool { return !filter.matches(g) })
	list = searchedGroups(list, find)
	newest := func(a, b *store.LogGroup) int {
		return cmp.Or(cmp.Compare(b.LastSeen, a.LastSeen), strings.Compare(a.ID.String(), b.ID.String()))
	}
	list = sorting(list, sort, newest, map[string]func(a, b *store.LogGroup) int{
		"":           func(a, b *store.LogGroup) int { return cmp.Compare(a.LastSeen, b.LastSeen) },
		"last_seen":  func(a, b *store.LogGroup) int { return cmp.Compare(a.LastSeen, b.LastSeen) },
		"first_seen": func(a, b *store.LogGroup) int { return cmp.Compare(a.FirstSeen, b.FirstSeen) },
		"count":      func(a, b *store.LogGroup) int { return cmp.Compare(a.Count, b.Count) },
	}[sort.By])
	answer := web.NewList(len(list), web.PageOf(list, page), viewLogGroup)
	for i, g := range web.PageOf(list, page) {
		answer.Sizes[i] = len(g.Title) + len(g.Note) + 512
	}
	return answer, nil
}

// searchedGroups returns the groups with the folded text find in their title or source. If there are
// none, it returns the groups that contain all words of the text.
func searchedGroups(list []*store.LogGroup, find string) []*store.LogGroup {
	if find == "" {
		return list
	}
	for _, terms := range alternatives(find) {
		var found []*store.LogGroup
		for _, g := range list {
			if searchtext.ContainsAll(searchtext.Fields(&g.Title, g.Source), terms) {
				found = append(found, g)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// namesOf converts values to strings.
func namesOf[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// logGroupState holds the fields from which the ETag of a group of logs is computed. Only the
// administrator and regressions change these fields.
type logGroupState struct {
	State                               loggroup.State
	ResolvedIn, Note                    string
	ResolvedAt, RegressedAt, MutedUntil int64
}

func stateOfGroup(g *store.LogGroup) logGroupState {
	return logGroupState{g.State, g.Resolution, g.Note, g.ResolvedAt, g.RegressedAt, g.MutedUntil}
}

// addressedGroup returns the group that the path identifies.
func addressedGroup(r *web.Request, tx *store.Tx, p *store.Project) (*store.LogGroup, error) {
	id, ok := loggroup.ParseID(r.Param("id"))
	if !ok {
		return nil, fault.New(fault.NotFound, "log group not found")
	}
	return tx.LogGroup(p.ID, id)
}

func (h *Handlers) getLogGroup(r *web.Request) (v wholeLogGroupView, err error) {
	err = r.View(h.DB, func(tx *store.Tx, p *store.Project) error {
		g, err := addressedGroup(r, tx, p)
		if err != nil {
			return err
		}
		v = viewWholeLogGroup(g, tx.Now().Unix())
		return r.Tag(stateOfGroup(g))
	})
	return v, err
}

type logGroupInput struct {
	State      web.Optional[string]      `json:"state"`
	ResolvedIn web.Optional[string]      `json:"resolved_in"`
	MutedUntil web.Optional[web.Integer] `json:"muted_until"`
	Note       web.Optional[string]      `json:"note"`
}

func (in logGroupInput) check(how write) (logGroupInput, error) {
	p := checking(how)
	word(&p, "state", in.State, false, loggroup.States)
	p.Text("resolved_in", in.ResolvedIn, web.TextRule{Max: 64, Filled: true})
	p.UnixTime("muted_until", in.MutedUntil, false)
	p.Text("note", in.Note, web.TextRule{Max: 2000, Trim: true})
	return in, p.Err()
}

func (h *Handlers) updateLogGroup(r *web.Request, in logGroupInput) (v wholeLogGroupView, err error) {
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		g, err := addressedGroup(r, tx, p)
		if err != nil {
			return err
		}
		if err := r.Match(stateOfGroup(g)); err != nil {
			return err
		}
		if err := in.apply(tx, p.ID, g); err != nil {
			return err
		}
		if err := tx.PutLogGroup(p.ID, g); err != nil {
			return err
		}
		v = viewWholeLogGroup(g, tx.Now().Unix())
		return r.Tag(stateOfGroup(g))
	})
	return v, err
}

// apply changes the state and the note of a group.
func (in logGroupInput) apply(tx *store.Tx, p store.ProjectID, g *store.LogGroup) error {
	now := tx.Now().Unix()
	state := loggroup.State(in.State.Or(string(g.State)))
	var problems problems
	if in.ResolvedIn.Value != nil && state != loggroup.Resolved {
		problems.Add("resolved_in needs the state resolved")
	}
	if in.MutedUntil.Value != nil && state != loggroup.Muted {
		problems.Add("muted_until needs the state muted")
	} else if in.MutedUntil.Value != nil && int64(*in.MutedUntil.Value) <= now {
		problems.Add("muted_until must lie in the future")
	}
	order, err := tx.VersionOrder(p, in.ResolvedIn.Or(""))
	if err != nil {
		return err
	}
	if in.ResolvedIn.Value != nil && order.IsZero() {
		problems.Add("resolved_in must be a comparable version, such as 1.2.3, or a version of the project")
	}
	if err := problems.Err(); err != nil {
		return err
	}
	switch {
	case in.State.Value != nil && state == loggroup.Open:
		g.Condition, g.Resolution = g.Reopen(), ""
	case state == loggroup.Resolved && g.State != loggroup.Resolved:
		g.Condition, g.Resolution = g.Resolve(order, g.Last.Order, now), in.ResolvedIn.Or("")
	case in.State.Value != nil && state == loggroup.Muted, in.MutedUntil.Sent && state == loggroup.Muted:
		g.Condition = g.Mute(int64(in.MutedUntil.Or(0)))
	}
	if in.ResolvedIn.Sent {
		g.Resolution, g.ResolvedIn = in.ResolvedIn.Or(""), order
	}
	web.SetText(&g.Note, in.Note)
	return nil
}
