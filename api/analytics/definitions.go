package analytics

import (
	"encoding/json"
	"net/http"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/fault"
	"svc/store"
)

// definitionView is a name of events and what people say about it.
type definitionView struct {
	ID          string  `json:"event_definition_id"`
	ProjectKey  string  `json:"project_key"`
	Name        string  `json:"name"`
	DisplayName *string `json:"display_name"`
	Description *string `json:"description"`
	Archived    bool    `json:"archived"`
	FirstSeen   int64   `json:"first_seen_time"`
	LastSeen    int64   `json:"last_seen_time"`
	RangeCount  int64   `json:"range_count"`
}

func viewDefinition(p *store.Project, d *event.Definition) definitionView {
	return definitionView{d.ID, p.Key, d.Name, d.DisplayName, d.Description, d.Archived, d.FirstSeen, d.LastSeen, d.Count}
}

func (h *Handlers) listDefinitions(w http.ResponseWriter, r *web.Request) error {
	var p problems
	q := event.DefinitionsQuery{Range: eventRange(p.Span(r, h.Now())), Search: p.Search(r)}
	q.Limit, q.Offset = p.Int(r, "limit", 50, 1, 200), p.Int(r, "offset", 0, 0, web.MaxTime)
	if archived := p.Bool(r, "include_archived"); archived != nil {
		q.Archived = *archived
	}
	if err := p.Err(); err != nil {
		return err
	}
	project, err := r.Reached(h.DB.FindProject(r.Param("k")))
	if err != nil {
		return err
	}
	total, list, err := h.Events.Definitions(r.Context(), event.Project(project.ID), q)
	if err != nil {
		return err
	}
	views := []definitionView{}
	for i := range list {
		views = append(views, viewDefinition(project, &list[i]))
	}
	return web.Respond(w, http.StatusOK, web.PageView{Total: total, Data: views})
}

type definitionInput struct {
	DisplayName web.Optional[string] `json:"display_name"`
	Description web.Optional[string] `json:"description"`
	Archived    web.Optional[bool]   `json:"archived"`
}

func (in definitionInput) check(p *problems) {
	p.Text("display_name", in.DisplayName, web.TextRule{Max: 128})
	p.Text("description", in.Description, web.TextRule{Max: 512})
	p.Flag("archived", in.Archived)
}

func (in definitionInput) apply(d *event.Definition) {
	web.SetOrClear(&d.DisplayName, in.DisplayName)
	web.SetOrClear(&d.Description, in.Description)
	web.Set(&d.Archived, in.Archived)
}

func (h *Handlers) updateDefinition(w http.ResponseWriter, r *web.Request) error {
	var in definitionInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	p := problems{web.Problems{Update: true}}
	in.check(&p)
	if err := p.Err(); err != nil {
		return err
	}
	project, err := r.Reached(h.DB.FindProject(r.Param("k")))
	if err != nil {
		return err
	}
	d, err := h.Events.UpdateDefinition(event.Project(project.ID), r.Param("id"), in.apply)
	if err != nil {
		return err
	}
	d.Count = 0 // no range was asked for
	return web.Respond(w, http.StatusOK, viewDefinition(project, &d))
}

// deleteDefinition deletes what is said about a name. Its events stay, and the
// next one makes it anew.
func (h *Handlers) deleteDefinition(w http.ResponseWriter, r *web.Request) error {
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	if err := h.Events.DeleteDefinition(project, r.Param("id")); err != nil {
		return err
	}
	return web.RespondDeleted(w)
}

// CheckEventName checks a name of events as it is stored.
func CheckEventName(p *web.Problems, field string, o web.Optional[string]) {
	if o.Value == nil || !submission.ValidName(*o.Value) {
		p.Add("%s %s", field, submission.NameRule)
	}
}

// ReadDefinition reads what an archive says of a name of events.
func ReadDefinition(raw json.RawMessage, now int64) (d event.Definition, err error) {
	var in definitionInput
	var more struct {
		ID        web.Optional[string]      `json:"event_definition_id"`
		Name      web.Optional[string]      `json:"name"`
		FirstSeen web.Optional[web.Integer] `json:"first_seen_time"`
		LastSeen  web.Optional[web.Integer] `json:"last_seen_time"`
	}
	web.Fill(&in, raw)
	web.Fill(&more, raw)
	var p problems
	in.check(&p)
	CheckEventName(&p.Problems, "name", more.Name)
	p.Text("event_definition_id", more.ID, web.TextRule{})
	if id, ok := store.ParseID(more.ID.Or("")); more.ID.Value != nil && (!ok || id.String() != *more.ID.Value) {
		p.Add("event_definition_id must be a UUID of 36 characters in lower case")
	}
	p.Past("first_seen_time", more.FirstSeen, now, false)
	p.Past("last_seen_time", more.LastSeen, now, false)
	if err := p.Err(); err != nil {
		return d, err
	}
	d = event.Definition{ID: more.ID.Or(""), Name: *more.Name.Value, FirstSeen: int64(more.FirstSeen.Or(0)), LastSeen: int64(more.LastSeen.Or(0))}
	if d.FirstSeen > d.LastSeen {
		return d, fault.New(fault.Invalid, "first_seen_time must not be after last_seen_time")
	}
	in.apply(&d)
	return d, nil
}
