package api

import (
	"net/http"

	"svc/internal/event"
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

func (s *Server) listDefinitions(w http.ResponseWriter, r *request) error {
	var p problems
	q := event.DefinitionsQuery{Range: p.span(r, s.now()).in(), Search: p.search(r)}
	q.Limit, q.Offset = p.whole(r, "limit", 50, 1, 200), p.whole(r, "offset", 0, 0, latest)
	if archived := p.choice(r, "include_archived"); archived != nil {
		q.Archived = *archived
	}
	if err := p.err(); err != nil {
		return err
	}
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	total, list, err := s.config.Events.Definitions(r.Context(), event.Project(project.ID), q)
	if err != nil {
		return err
	}
	views := []definitionView{}
	for i := range list {
		views = append(views, viewDefinition(project, &list[i]))
	}
	return respond(w, http.StatusOK, pageView{Total: total, Data: views})
}

type definitionInput struct {
	DisplayName Optional[string] `json:"display_name"`
	Description Optional[string] `json:"description"`
	Archived    Optional[bool]   `json:"archived"`
}

func (in definitionInput) check(p *problems) {
	p.text("display_name", in.DisplayName, textRule{max: 128})
	p.text("description", in.Description, textRule{max: 512})
	p.flag("archived", in.Archived)
}

func (in definitionInput) apply(d *event.Definition) {
	clearable(&d.DisplayName, in.DisplayName)
	clearable(&d.Description, in.Description)
	keep(&d.Archived, in.Archived)
}

func (s *Server) updateDefinition(w http.ResponseWriter, r *request) error {
	var in definitionInput
	if err := decode(r, &in); err != nil {
		return err
	}
	p := problems{update: true}
	in.check(&p)
	if err := p.err(); err != nil {
		return err
	}
	project, err := r.reached(s.db.FindProject(r.param("k")))
	if err != nil {
		return err
	}
	d, err := s.config.Events.UpdateDefinition(event.Project(project.ID), r.param("id"), in.apply)
	if err != nil {
		return err
	}
	d.Count = 0 // no range was asked for
	return respond(w, http.StatusOK, viewDefinition(project, &d))
}

// deleteDefinition deletes what is said about a name. Its events stay, and the
// next one makes it anew.
func (s *Server) deleteDefinition(w http.ResponseWriter, r *request) error {
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	if err := s.config.Events.DeleteDefinition(project, r.param("id")); err != nil {
		return err
	}
	return respondDeleted(w)
}
