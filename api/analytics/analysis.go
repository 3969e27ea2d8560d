package analytics

import (
	"context"
	"encoding/json"
	"time"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/stats"
)

// filters parses a list of filter conditions.
func (p *problems) filters(field string, o web.Optional[json.RawMessage]) []query.Filter {
	if o.Value == nil {
		return nil
	}
	list, broken := query.DecodeFilters(*o.Value, field)
	p.List = append(p.List, broken...)
	return list
}

type funnelInput struct {
	web.RangeInput
	Steps  web.Optional[[]json.RawMessage] `json:"steps"`
	Window web.Optional[web.LooseInteger]  `json:"window_seconds"`
	Entry  web.Optional[string]            `json:"entry"`
}

type stepInput struct {
	Event   web.Optional[string]          `json:"event_name"`
	Filters web.Optional[json.RawMessage] `json:"filters"`
}

// funnel parses a funnel query.
func (p *problems) funnel(object json.RawMessage, now time.Time) query.FunnelQuery {
	var in funnelInput
	web.Fill(&in, object)
	q := query.FunnelQuery{Range: eventRange(p.SpanOf(in.RangeInput, now))}
	q.Window = int64(p.IntOf("window_seconds", in.Window, 604800, 60, 2592000))
	q.AnyEntry = p.WordOf("entry", in.Entry, "first", "first", "any") == "any"
	before := len(p.List)
	steps := web.Entries[stepInput](&p.Problems, "steps", in.Steps, 8)
	if len(p.List) == before && len(steps) < 2 {
		p.Add("steps must have 2 to 8 entries")
	}
	for i, step := range steps {
		p.Text(web.EntryField("steps", i, "event_name"), step.Event, web.TextRule{Min: 1, Max: 64, Required: true})
		q.Steps = append(q.Steps, query.Step{Event: step.Event.Or(""), Filters: p.filters(web.EntryField("steps", i, "filters"), step.Filters)})
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
	// The medians are nil for the first step and for a step without users.
	Median      *int64 `json:"median_seconds"`
	TotalMedian *int64 `json:"total_median_seconds"`
}

// analyse parses the query in the request body with the function read. It then calls the function
// ask, which runs the query on the events of the project in the path.
func analyse[Q, A any](h *Handlers, r *web.Request, read func(*problems, json.RawMessage, time.Time) Q,
	ask func(context.Context, event.Project, Q) (A, error)) (q Q, answer A, err error) {
	body, err := r.ReadObject()
	if err != nil {
		return q, answer, err
	}
	var p problems
	q = read(&p, body, h.Now())
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return q, answer, err
	}
	answer, err = ask(r.Context(), project, q)
	return q, answer, err
}

type funnelView struct {
	web.SpanView
	Window int64            `json:"window_seconds"`
	Data   []funnelStepView `json:"data"`
}

func (h *Handlers) analyseFunnel(r *web.Request) (v funnelView, err error) {
	q, results, err := analyse(h, r, (*problems).funnel, h.Events.Funnel)
	if err != nil {
		return v, err
	}
	return funnelView{viewRange(q.Range), q.Window, viewFunnel(q.Steps, results)}, nil
}

// viewRange returns the JSON form of a query's range.
func viewRange(r query.Range) web.SpanView { return web.SpanView{StartTime: r.Start, EndTime: r.End} }

func viewFunnel(steps []query.Step, results []query.FunnelStep) []funnelStepView {
	views := make([]funnelStepView, len(steps))
	first := results[0].Users
	for i, step := range steps {
		result := &results[i]
		v := funnelStepView{Step: i + 1, EventName: step.Event, Users: result.Users, TotalRate: rate(result.Users, first)}
		v.Rate = v.TotalRate
		if i > 0 {
			previous := results[i-1].Users
			v.Rate, v.Dropped = rate(result.Users, previous), previous-result.Users
			if result.Users > 0 {
				v.Median, v.TotalMedian = &result.Median, &result.TotalMedian
			}
		}
		views[i] = v
	}
	return views
}

// rate returns part / whole, or 0 if whole is 0.
func rate(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

type retentionInput struct {
	web.RangeInput
	StartEvent  web.Optional[string]           `json:"start_event"`
	ReturnEvent web.Optional[string]           `json:"return_event"`
	Period      web.Optional[string]           `json:"period"`
	Periods     web.Optional[web.LooseInteger] `json:"periods"`
}

// retention parses a retention query.
func (p *problems) retention(object json.RawMessage, now time.Time) query.CohortQuery {
	var in retentionInput
	web.Fill(&in, object)
	q := query.CohortQuery{StartEvent: in.StartEvent.Or(""), ReturnEvent: in.ReturnEvent.Or(""), Now: now.Unix()}
	span := p.SpanOf(in.RangeInput, now)
	q.Range = eventRange(span)
	p.Text("start_event", in.StartEvent, web.TextRule{Min: 1, Max: 64, Required: true})
	p.Text("return_event", in.ReturnEvent, web.TextRule{Max: 64})
	q.Weekly = p.WordOf("period", in.Period, "day", "day", "week") == "week"
	q.Periods = p.IntOf("periods", in.Periods, 14, 2, 30)
	if len(p.List) == 0 {
		cohorts := stats.Days(span.Start, span.End, span.Offset).Len()
		if q.Weekly {
			cohorts = stats.Weeks(span.Start, span.End, span.Offset).Len()
		}
		p.FewBuckets(cohorts, "cohorts")
	}
	return q
}

type cohortView struct {
	Cohort int64       `json:"cohort"`
	Size   int64       `json:"size"`
	Cells  []*cellOpen `json:"cells"` // null if the period has not ended
}

// cellOpen contains the number of users of a cohort that returned in a period.
type cellOpen struct {
	Period int     `json:"period"`
	Users  int64   `json:"users"`
	Rate   float64 `json:"rate"`
}

func viewCohort(c query.Cohort) cohortView {
	v := cohortView{c.Start, c.Size, make([]*cellOpen, len(c.Cells))}
	for i, cell := range c.Cells {
		if !cell.Open {
			v.Cells[i] = &cellOpen{i, cell.Users, rate(cell.Users, c.Size)}
		}
	}
	return v
}

type retentionView struct {
	web.SpanView
	Period  string       `json:"period"`
	Periods int          `json:"periods"`
	Cohorts []cohortView `json:"cohorts"`
}

func (h *Handlers) analyseRetention(r *web.Request) (retentionView, error) {
	q, cohorts, err := analyse(h, r, (*problems).retention, h.Events.Cohorts)
	v := retentionView{viewRange(q.Range), "day", q.Periods, web.Views(cohorts, viewCohort)}
	if q.Weekly {
		v.Period = "week"
	}
	return v, err
}

type pathsInput struct {
	web.RangeInput
	StartEvent web.Optional[string]           `json:"start_event"`
	Depth      web.Optional[web.LooseInteger] `json:"depth"`
	Branches   web.Optional[web.LooseInteger] `json:"branch_limit"`
	Scope      web.Optional[string]           `json:"scope"`
}

// paths parses a paths query. All of its fields are optional.
func (p *problems) paths(object json.RawMessage, now time.Time) query.PathsQuery {
	var in pathsInput
	web.Fill(&in, object)
	q := query.PathsQuery{Range: eventRange(p.SpanOf(in.RangeInput, now)), StartEvent: in.StartEvent.Or("")}
	p.Text("start_event", in.StartEvent, web.TextRule{Max: 64})
	q.Depth, q.Branches = p.IntOf("depth", in.Depth, 4, 2, 6), p.IntOf("branch_limit", in.Branches, 5, 1, 20)
	q.Users = p.WordOf("scope", in.Scope, "session", "session", "user") == "user"
	return q
}

type edgeView struct {
	Step  int    `json:"step"`
	From  string `json:"from_event"`
	To    string `json:"to_event"`
	Count int64  `json:"count"`
}

type pathsView struct {
	web.SpanView
	Scope     string     `json:"scope"`
	Depth     int        `json:"depth"`
	Truncated bool       `json:"truncated"`
	Data      []edgeView `json:"data"`
}

func (h *Handlers) analysePaths(r *web.Request) (pathsView, error) {
	q, paths, err := analyse(h, r, (*problems).paths, h.Events.Paths)
	v := pathsView{viewRange(q.Range), "session", q.Depth, paths.Truncated, []edgeView{}}
	if q.Users {
		v.Scope = "user"
	}
	for _, e := range paths.Edges {
		v.Data = append(v.Data, edgeView(e))
	}
	return v, err
}
