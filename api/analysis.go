package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/internal/event"
	"svc/internal/stats"
)

// rangeInput is the range of an analysis.
type rangeInput struct {
	Start  Optional[looseInteger] `json:"start_time"`
	End    Optional[looseInteger] `json:"end_time"`
	Offset Optional[looseInteger] `json:"tz_offset_minutes"`
}

// bodySpan is span for a body.
func (p *problems) bodySpan(object json.RawMessage, now time.Time) span {
	var in rangeInput
	fill(&in, object)
	before := len(p.list)
	s := span{end: p.bodyTime("end_time", in.End, now.Unix())}
	s.start = p.bodyTime("start_time", in.Start, max(0, s.end-7*24*3600))
	if len(p.list) == before && s.start > s.end {
		p.add("start_time must not be after end_time")
	}
	s.offset = p.bodyWhole("tz_offset_minutes", in.Offset, 0, -840, 900)
	return s
}

func (p *problems) bodyTime(field string, o Optional[looseInteger], otherwise int64) int64 {
	t := int64(o.or(looseInteger(otherwise)))
	if o.Wrong || t < 0 || t > latest {
		p.add("%s must be an integer of at least 0 (Unix seconds)", field)
	}
	return t
}

// bodyWhole is whole for a field of a body.
func (p *problems) bodyWhole(field string, o Optional[looseInteger], otherwise, least, most int) int {
	n := int64(o.or(looseInteger(otherwise)))
	if o.Wrong || n < int64(least) || n > int64(most) {
		p.add("%s must be an integer from %d to %d", field, least, most)
		return otherwise
	}
	return int(n)
}

// bodyWord is word for a field of a body.
func (p *problems) bodyWord(field string, o Optional[string], otherwise string, words ...string) string {
	text := o.or(otherwise)
	if o.Wrong || o.Value != nil && !slices.Contains(words, text) {
		p.add("%s must be one of %s", field, strings.Join(words, ", "))
	}
	return text
}

// filters reads a list of conditions.
func (p *problems) filters(field string, o Optional[json.RawMessage]) []event.Filter {
	if o.Value == nil {
		return nil
	}
	list, broken := event.DecodeFilters(*o.Value, field)
	p.list = append(p.list, broken...)
	return list
}

// fits bounds the buckets of an answer.
func (p *problems) fits(n int, what string) {
	if n > mostBuckets {
		p.add("the range has %d %s, at most %d are possible: ask for a shorter range or longer ones", n, what, mostBuckets)
	}
}

type funnelInput struct {
	Steps  Optional[[]json.RawMessage] `json:"steps"`
	Window Optional[looseInteger]      `json:"window_seconds"`
	Entry  Optional[string]            `json:"entry"`
}

type stepInput struct {
	Event   Optional[string]          `json:"event_name"`
	Filters Optional[json.RawMessage] `json:"filters"`
}

// funnel reads the question of a funnel.
func (p *problems) funnel(object json.RawMessage, now time.Time) event.FunnelQuery {
	var in funnelInput
	fill(&in, object)
	q := event.FunnelQuery{Range: p.bodySpan(object, now).in()}
	q.Window = int64(p.bodyWhole("window_seconds", in.Window, 604800, 60, 2592000))
	q.AnyEntry = p.bodyWord("entry", in.Entry, "first", "first", "any") == "any"
	before := len(p.list)
	steps := entries[stepInput](p, "steps", in.Steps, 8)
	if len(p.list) == before && len(steps) < 2 {
		p.add("steps must have 2 to 8 entries")
	}
	for i, step := range steps {
		p.text(label("steps", i, "event_name"), step.Event, textRule{min: 1, max: 64, required: true})
		q.Steps = append(q.Steps, event.Step{Event: step.Event.or(""), Filters: p.filters(label("steps", i, "filters"), step.Filters)})
	}
	return q
}

type funnelStepView struct {
	Step      int     `json:"step"`
	EventName string  `json:"event_name"`
	Users     int64   `json:"users"`
	Rate      float64 `json:"conversion_rate"`
	TotalRate float64 `json:"total_conversion_rate"`
	Dropped   int64   `json:"dropped"`
}

func (s *Server) analyseFunnel(w http.ResponseWriter, r *request) error {
	object, err := r.object()
	if err != nil {
		return err
	}
	var p problems
	q := p.funnel(object, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	users, err := s.config.Events.Funnel(r.Context(), project, q)
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		StartTime int64            `json:"start_time"`
		EndTime   int64            `json:"end_time"`
		Window    int64            `json:"window_seconds"`
		Data      []funnelStepView `json:"data"`
	}{q.Start, q.End, q.Window, viewFunnel(q.Steps, users)})
}

func viewFunnel(steps []event.Step, users []int64) []funnelStepView {
	views := make([]funnelStepView, len(steps))
	for i, step := range steps {
		v := funnelStepView{Step: i + 1, EventName: step.Event, Users: users[i], TotalRate: rate(users[i], users[0])}
		v.Rate = v.TotalRate
		if i > 0 {
			v.Rate, v.Dropped = rate(users[i], users[i-1]), users[i-1]-users[i]
		}
		views[i] = v
	}
	return views
}

// rate is a part of a whole; of nothing it is 0.
func rate(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

type retentionInput struct {
	StartEvent  Optional[string]       `json:"start_event"`
	ReturnEvent Optional[string]       `json:"return_event"`
	Period      Optional[string]       `json:"period"`
	Periods     Optional[looseInteger] `json:"periods"`
}

// retention reads the question of a retention table.
func (p *problems) retention(object json.RawMessage, now time.Time) event.CohortQuery {
	var in retentionInput
	fill(&in, object)
	q := event.CohortQuery{StartEvent: in.StartEvent.or(""), ReturnEvent: in.ReturnEvent.or(""), Now: now.Unix()}
	span := p.bodySpan(object, now)
	q.Range = span.in()
	p.text("start_event", in.StartEvent, textRule{min: 1, max: 64, required: true})
	p.text("return_event", in.ReturnEvent, textRule{max: 64})
	q.Weekly = p.bodyWord("period", in.Period, "day", "day", "week") == "week"
	q.Periods = p.bodyWhole("periods", in.Periods, 14, 2, 30)
	if len(p.list) == 0 {
		cohorts := stats.Days(span.start, span.end, span.offset).Len()
		if q.Weekly {
			cohorts = stats.Weeks(span.start, span.end, span.offset).Len()
		}
		p.fits(cohorts, "cohorts")
	}
	return q
}

type cohortView struct {
	Cohort int64       `json:"cohort"`
	Size   int64       `json:"size"`
	Cells  []*cellOpen `json:"cells"` // null where nothing can be said yet
}

// cellOpen is how many of a cohort came back in a period.
type cellOpen struct {
	Period int     `json:"period"`
	Users  int64   `json:"users"`
	Rate   float64 `json:"rate"`
}

func viewCohort(c event.Cohort) cohortView {
	v := cohortView{c.Start, c.Size, make([]*cellOpen, len(c.Cells))}
	for i, cell := range c.Cells {
		if !cell.Open {
			v.Cells[i] = &cellOpen{i, cell.Users, rate(cell.Users, c.Size)}
		}
	}
	return v
}

func (s *Server) analyseRetention(w http.ResponseWriter, r *request) error {
	object, err := r.object()
	if err != nil {
		return err
	}
	var p problems
	q := p.retention(object, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	cohorts, err := s.config.Events.Cohorts(r.Context(), project, q)
	if err != nil {
		return err
	}
	views := make([]cohortView, len(cohorts))
	for i, c := range cohorts {
		views[i] = viewCohort(c)
	}
	period := "day"
	if q.Weekly {
		period = "week"
	}
	return respond(w, http.StatusOK, struct {
		StartTime int64        `json:"start_time"`
		EndTime   int64        `json:"end_time"`
		Period    string       `json:"period"`
		Periods   int          `json:"periods"`
		Cohorts   []cohortView `json:"cohorts"`
	}{q.Start, q.End, period, q.Periods, views})
}

type pathsInput struct {
	StartEvent Optional[string]       `json:"start_event"`
	Depth      Optional[looseInteger] `json:"depth"`
	Branches   Optional[looseInteger] `json:"branch_limit"`
	Scope      Optional[string]       `json:"scope"`
}

// paths reads the question of paths. All of it is optional.
func (p *problems) paths(object json.RawMessage, now time.Time) event.PathsQuery {
	var in pathsInput
	fill(&in, object)
	q := event.PathsQuery{Range: p.bodySpan(object, now).in(), StartEvent: in.StartEvent.or("")}
	p.text("start_event", in.StartEvent, textRule{max: 64})
	q.Depth, q.Branches = p.bodyWhole("depth", in.Depth, 4, 2, 6), p.bodyWhole("branch_limit", in.Branches, 5, 1, 20)
	q.Users = p.bodyWord("scope", in.Scope, "session", "session", "user") == "user"
	return q
}

type edgeView struct {
	Step  int    `json:"step"`
	From  string `json:"from_event"`
	To    string `json:"to_event"`
	Count int64  `json:"count"`
}

func (s *Server) analysePaths(w http.ResponseWriter, r *request) error {
	object, err := r.object()
	if err != nil {
		return err
	}
	var p problems
	q := p.paths(object, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	paths, err := s.config.Events.Paths(r.Context(), project, q)
	if err != nil {
		return err
	}
	views := make([]edgeView, len(paths.Edges))
	for i, e := range paths.Edges {
		views[i] = edgeView(e)
	}
	scope := "session"
	if q.Users {
		scope = "user"
	}
	return respond(w, http.StatusOK, struct {
		StartTime int64      `json:"start_time"`
		EndTime   int64      `json:"end_time"`
		Scope     string     `json:"scope"`
		Depth     int        `json:"depth"`
		Truncated bool       `json:"truncated"`
		Data      []edgeView `json:"data"`
	}{q.Start, q.End, scope, q.Depth, paths.Truncated, views})
}
