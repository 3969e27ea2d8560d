package analytics

import (
	"encoding/json"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/fault"
	"svc/store"
)

// definitionView is the JSON form of an event definition.
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

func (h *Handlers) listDefinitions(r *web.Request) (v web.PageView, err error) {
	var p problems
	q := event.DefinitionsQuery{Range: eventRange(p.Span(r, h.Now())), Search: p.Search(r)}
	q.Limit, q.Offset = p.Int(r, "limit", 50, 1, 200), p.Int(r, "offset", 0, 0, web.MaxTime)
	if archived := p.Bool(r, "include_archived"); archived != nil {
		q.Archived = *archived
	}
	project, err := p.Project(r, h.DB)
	if err != nil {
		return v, err
	}
	total, list, err := h.Events.Definitions(r.Context(), event.Project(project.ID), q)
	return web.PageView{Total: total, Data: web.Views(list, func(d event.Definition) definitionView { return viewDefinition(project, &d) })},
		err
}

func (h *Handlers) getDefinition(r *web.Request) (v definitionView, err error) {
	var p problems
	project, err := p.Project(r, h.DB)
	if err != nil {
		return v, err
	}
	d, err := h.Events.Definition(event.Project(project.ID), r.Param("id"))
	if err != nil {
		return v, err
	}
	return viewDefinition(project, &d), r.Tag(stateOfDefinition(&d))
}

// stateOfDefinition returns the part of a definition from which the entity tag is computed: the
// fields that administrators edit. It omits the counters, which change with every event.
func stateOfDefinition(d *event.Definition) event.Definition {
	state := *d
	state.FirstSeen, state.LastSeen, state.Count = 0, 0, 0
	return state
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

func (h *Handlers) updateDefinition(r *web.Request, in definitionInput) (v definitionView, err error) {
	p := problems{web.Problems{Update: true}}
	in.check(&p)
	project, err := p.Project(r, h.DB)
	if err != nil {
		return v, err
	}
	d, err := h.Events.UpdateDefinition(event.Project(project.ID), r.Param("id"), func(d *event.Definition) error {
		if err := r.Match(stateOfDefinition(d)); err != nil {
			return err
		}
		in.apply(d)
		return nil
	})
	if err != nil {
		return v, err
	}
	d.Count = 0 // no range was requested
	return viewDefinition(project, &d), r.Tag(stateOfDefinition(&d))
}

// deleteDefinition deletes an event definition but not its events. The next event with that name
// creates the definition again.
func (h *Handlers) deleteDefinition(r *web.Request) error {
	var p problems
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return err
	}
	return h.Events.DeleteDefinition(project, r.Param("id"), func(d *event.Definition) error { return r.Match(stateOfDefinition(d)) })
}

// CheckEventName validates an event name in its stored form.
func CheckEventName(p *web.Problems, field string, o web.Optional[string]) {
	if o.Value == nil || !submission.ValidName(*o.Value) {
		p.Add("%s %s", field, submission.NameRule)
	}
}

// ReadDefinition parses an event definition in an archive.
func ReadDefinition(raw json.RawMessage, now int64) (d event.Definition, err error) {
	var in struct {
		definitionInput
		ID        web.Optional[string]      `json:"event_definition_id"`
		Name      web.Optional[string]      `json:"name"`
		FirstSeen web.Optional[web.Integer] `json:"first_seen_time"`
		LastSeen  web.Optional[web.Integer] `json:"last_seen_time"`
	}
	web.Fill(&in, raw)
	var p problems
	in.check(&p)
	CheckEventName(&p.Problems, "name", in.Name)
	p.Text("event_definition_id", in.ID, web.TextRule{})
	if id, ok := store.ParseID(in.ID.Or("")); in.ID.Value != nil && (!ok || id.String() != *in.ID.Value) {
		p.Add("event_definition_id must be a UUID of 36 characters in lower case")
	}
	p.Past("first_seen_time", in.FirstSeen, now, false)
	p.Past("last_seen_time", in.LastSeen, now, false)
	if err := p.Err(); err != nil {
		return d, err
	}
	d = event.Definition{ID: in.ID.Or(""), Name: *in.Name.Value, FirstSeen: int64(in.FirstSeen.Or(0)), LastSeen: int64(in.LastSeen.Or(0))}
	if d.FirstSeen > d.LastSeen {
		return d, fault.New(fault.Invalid, "first_seen_time must not be after last_seen_time")
	}
	in.apply(&d)
	return d, nil
}
