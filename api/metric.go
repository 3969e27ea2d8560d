package api

import (
	"encoding/json"
	"math"
	"net/http"
	"time"

	"svc/internal/event"
	"svc/internal/formula"
	"svc/internal/stats"
)

type metricInput struct {
	Type        Optional[string]            `json:"type"`
	Events      Optional[[]json.RawMessage] `json:"events"`
	Filters     Optional[json.RawMessage]   `json:"filters"`
	Formula     Optional[string]            `json:"formula"`
	GroupBy     Optional[object]            `json:"group_by"`
	Granularity Optional[string]            `json:"granularity"`
	Limit       Optional[integer]           `json:"limit"`
}

type metricEventInput struct {
	Name    Optional[string]          `json:"name"`
	Alias   Optional[string]          `json:"alias"`
	Measure Optional[string]          `json:"measure"`
	Filters Optional[json.RawMessage] `json:"filters"`
}

type groupByInput struct {
	Kind Optional[string] `json:"kind"`
	Key  Optional[string] `json:"key"`
}

// The types of a metric.
const (
	metricValue      = "value"
	metricTimeseries = "timeseries"
	metricBreakdown  = "breakdown"
)

// metric is a checked question for numbers made from events.
type metric struct {
	kind string
	span span
	event.MetricQuery
}

// metric reads the body of a metric query. It is also what a card may keep.
func (p *problems) metric(body json.RawMessage, now time.Time) metric {
	var in metricInput
	fill(&in, body)
	m := metric{span: p.bodySpan(body, now)}
	m.Range = m.span.in()
	if p.present("type", in.Type.Sent, in.Type.null(), true, false) {
		m.kind = p.bodyWord("type", in.Type, "", metricTimeseries, metricBreakdown, metricValue)
	}
	m.Events = p.metricEvents(in.Events)
	m.Filters = p.filters("filters", in.Filters)
	m.Formula = p.formula(in.Formula, m.Events)
	m.Hourly = p.bodyWord("granularity", in.Granularity, "day", "hour", "day") == "hour"
	p.number("limit", in.Limit, 1, 50, false)
	m.Limit = int(in.Limit.or(20))
	switch m.kind {
	case metricBreakdown:
		m.GroupBy, m.Property = p.groupBy(in.GroupBy)
	case metricTimeseries:
		m.checkLength(p)
	}
	return m
}

// checkLength bounds the series of a range that is right.
func (m *metric) checkLength(p *problems) {
	if len(p.list) > 0 {
		return
	}
	if m.Hourly {
		p.fits(stats.Hours(m.span.start, m.span.end).Len(), "hours")
		return
	}
	p.fits(stats.Days(m.span.start, m.span.end, m.span.offset).Len(), "days")
}

func (p *problems) metricEvents(raw Optional[[]json.RawMessage]) []event.MetricEvent {
	before := len(p.list)
	inputs := entries[metricEventInput](p, "events", raw, 6)
	if len(p.list) == before && len(inputs) == 0 {
		p.add("events must have 1 to 6 entries")
	}
	var all []event.MetricEvent
	taken := map[byte]bool{}
	for i, in := range inputs {
		p.text(label("events", i, "name"), in.Name, textRule{min: 1, max: 64, required: true})
		alias := p.alias(label("events", i, "alias"), in.Alias)
		if alias != 0 && taken[alias] {
			p.add("%s must not be that of another event", label("events", i, "alias"))
		}
		taken[alias] = true
		measure := p.bodyWord(label("events", i, "measure"), in.Measure, "count", "count", "unique_users", "count_per_user")
		all = append(all, event.MetricEvent{
			Name: in.Name.or(""), Alias: alias, Measure: event.Measure(measure),
			Filters: p.filters(label("events", i, "filters"), in.Filters),
		})
	}
	return all
}

// alias reads one letter; 0 is none.
func (p *problems) alias(field string, o Optional[string]) byte {
	if !p.present(field, o.Sent, o.null(), true, false) {
		return 0
	}
	if text := o.or(""); len(text) == 1 && 'A' <= text[0] && text[0] <= 'Z' {
		return text[0]
	}
	p.add("%s must be one letter from A to Z", field)
	return 0
}

// formula reads a formula of the aliases of some events; nil is none.
func (p *problems) formula(o Optional[string], events []event.MetricEvent) *formula.Formula {
	if o.Wrong {
		p.add("formula must be a string")
	}
	if o.or("") == "" {
		return nil
	}
	f, err := formula.Parse(*o.Value, func(alias byte) bool {
		for _, e := range events {
			if e.Alias == alias {
				return true
			}
		}
		return false
	})
	if err != nil {
		p.list = append(p.list, err.Error())
	}
	return f
}

func (p *problems) groupBy(o Optional[object]) (by event.Dimension, property string) {
	if !o.Sent || o.null() {
		p.add("group_by is required for type breakdown")
		return "", ""
	}
	if o.Wrong {
		p.add("group_by must be an object")
		return "", ""
	}
	var in groupByInput
	fill(&in, json.RawMessage(*o.Value))
	if p.present("group_by.kind", in.Kind.Sent, in.Kind.null(), true, false) {
		by = event.Dimension(p.bodyWord("group_by.kind", in.Kind, "", "property", "platform", "region", "event"))
	}
	p.text("group_by.key", in.Key, textRule{max: 128})
	if by == event.ByProperty && !in.Key.Wrong && in.Key.or("") == "" {
		p.add("group_by.key is required for kind property")
	}
	return by, in.Key.or("")
}

type metricValueView struct {
	metricHead
	Values map[string]float64 `json:"values"`
	Result float64            `json:"result"`
}

type metricTimeseriesView struct {
	metricHead
	Series []metricSeriesView `json:"series"`
}

type metricBreakdownView struct {
	metricHead
	Total   float64           `json:"total"`
	Buckets []metricGroupView `json:"buckets"`
}

// metricHead is what all metrics begin with.
type metricHead struct {
	StartTime int64  `json:"start_time"`
	EndTime   int64  `json:"end_time"`
	Type      string `json:"type"`
}

type metricSeriesView struct {
	Key  string            `json:"key"`
	Data []metricPointView `json:"data"`
}

type metricPointView struct {
	Bucket int64   `json:"bucket"`
	Count  float64 `json:"count"`
}

type metricGroupView struct {
	Key   string  `json:"key"`
	Label string  `json:"label"`
	Count float64 `json:"count"`
}

// plain is a number that JSON can have: finite, and zero without a sign.
func plain(n float64) float64 {
	if math.IsNaN(n) || math.IsInf(n, 0) || n == 0 {
		return 0
	}
	return n
}

func (s *Server) analyseMetric(w http.ResponseWriter, r *request) error {
	body, err := r.object()
	if err != nil {
		return err
	}
	var p problems
	m := p.metric(body, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	var view any
	switch m.kind {
	case metricTimeseries:
		view, err = s.metricTimeseries(r, project, m)
	case metricBreakdown:
		view, err = s.metricBreakdown(r, project, m)
	default:
		view, err = s.metricValue(r, project, m)
	}
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, view)
}

func (m *metric) head() metricHead { return metricHead{m.Start, m.End, m.kind} }

func (s *Server) metricValue(r *request, project event.Project, m metric) (any, error) {
	found, err := s.config.Events.MetricValue(r.Context(), project, m.MetricQuery)
	if err != nil {
		return nil, err
	}
	v := metricValueView{m.head(), map[string]float64{}, plain(found.Result)}
	for i, e := range m.Events {
		v.Values[string(rune(e.Alias))] = plain(found.Values[i])
	}
	return v, nil
}

func (s *Server) metricTimeseries(r *request, project event.Project, m metric) (any, error) {
	found, err := s.config.Events.MetricTimeseries(r.Context(), project, m.MetricQuery)
	if err != nil {
		return nil, err
	}
	v := metricTimeseriesView{m.head(), []metricSeriesView{}}
	for _, series := range found.Series {
		points := make([]metricPointView, len(found.Starts))
		for i := range points {
			points[i] = metricPointView{found.Starts[i], plain(series.Values[i])}
		}
		v.Series = append(v.Series, metricSeriesView{series.Key, points})
	}
	return v, nil
}

func (s *Server) metricBreakdown(r *request, project event.Project, m metric) (any, error) {
	found, err := s.config.Events.MetricBreakdown(r.Context(), project, m.MetricQuery)
	if err != nil {
		return nil, err
	}
	v := metricBreakdownView{m.head(), plain(found.Total), []metricGroupView{}}
	for _, g := range found.Groups {
		key := shownKey(m.GroupBy, g.Key)
		v.Buckets = append(v.Buckets, metricGroupView{key, shownLabel(m.GroupBy, key, g.Missing), plain(g.Value)})
	}
	return v, nil
}
