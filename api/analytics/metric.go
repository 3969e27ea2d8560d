package analytics

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/formula"
	"svc/internal/stats"
)

type metricInput struct {
	web.RangeInput
	Type        web.Optional[string]            `json:"type"`
	Events      web.Optional[[]json.RawMessage] `json:"events"`
	Filters     web.Optional[json.RawMessage]   `json:"filters"`
	Formula     web.Optional[string]            `json:"formula"`
	GroupBy     web.Optional[web.Object]        `json:"group_by"`
	Granularity web.Optional[string]            `json:"granularity"`
	Limit       web.Optional[web.Integer]       `json:"limit"`
}

type metricEventInput struct {
	Name    web.Optional[string]          `json:"name"`
	Alias   web.Optional[string]          `json:"alias"`
	Measure web.Optional[string]          `json:"measure"`
	Filters web.Optional[json.RawMessage] `json:"filters"`
}

type groupByInput struct {
	Kind web.Optional[string] `json:"kind"`
	Key  web.Optional[string] `json:"key"`
}

// The types of metrics.
const (
	metricValue      = "value"
	metricTimeseries = "timeseries"
	metricBreakdown  = "breakdown"
)

// metric is a validated metric query.
type metric struct {
	kind string
	span web.Span
	query.MetricQuery
}

// metric parses the body of a metric query. The query of a card has the same form.
func (p *problems) metric(body json.RawMessage, now time.Time) metric {
	var in metricInput
	web.Fill(&in, body)
	m := metric{span: p.SpanOf(in.RangeInput, now)}
	m.Range = eventRange(m.span)
	if p.Present("type", in.Type.Sent, in.Type.Null(), true, false) {
		m.kind = p.WordOf("type", in.Type, "", metricTimeseries, metricBreakdown, metricValue)
	}
	m.Events = p.metricEvents(in.Events)
	m.Filters = p.filters("filters", in.Filters)
	m.Formula = p.formula(in.Formula, m.Events)
	m.Hourly = p.WordOf("granularity", in.Granularity, "day", "hour", "day") == "hour"
	p.Number("limit", in.Limit, 1, 50, false)
	m.Limit = int(in.Limit.Or(20))
	switch m.kind {
	case metricBreakdown:
		m.GroupBy, m.Property = p.groupBy(in.GroupBy)
	case metricTimeseries:
		m.checkLength(p)
	}
	return m
}

// checkLength reports a problem if a valid range has too many buckets.
func (m *metric) checkLength(p *problems) {
	if len(p.List) > 0 {
		return
	}
	if m.Hourly {
		p.FewBuckets(stats.Hours(m.span.Start, m.span.End).Len(), "hours")
		return
	}
	p.FewBuckets(stats.Days(m.span.Start, m.span.End, m.span.Offset).Len(), "days")
}

func (p *problems) metricEvents(raw web.Optional[[]json.RawMessage]) []query.MetricEvent {
	before := len(p.List)
	inputs := web.Entries[metricEventInput](&p.Problems, "events", raw, 6)
	if len(p.List) == before && len(inputs) == 0 {
		p.Add("events must have 1 to 6 entries")
	}
	var all []query.MetricEvent
	taken := map[byte]bool{}
	for i, in := range inputs {
		p.Text(web.EntryField("events", i, "name"), in.Name, web.TextRule{Min: 1, Max: 64, Required: true})
		alias := p.alias(web.EntryField("events", i, "alias"), in.Alias)
		if alias != 0 && taken[alias] {
			p.Add("%s must differ from those of other events", web.EntryField("events", i, "alias"))
		}
		taken[alias] = true
		measure := p.WordOf(web.EntryField("events", i, "measure"), in.Measure, "count", "count", "unique_users", "count_per_user")
		all = append(all, query.MetricEvent{
			Name: in.Name.Or(""), Alias: alias, Measure: query.Measure(measure),
			Filters: p.filters(web.EntryField("events", i, "filters"), in.Filters),
		})
	}
	return all
}

// alias parses an alias, which is a single letter. It returns 0 if there is none or if it is
// invalid.
func (p *problems) alias(field string, o web.Optional[string]) byte {
	if !p.Present(field, o.Sent, o.Null(), true, false) {
		return 0
	}
	if text := o.Or(""); len(text) == 1 && 'A' <= text[0] && text[0] <= 'Z' {
		return text[0]
	}
	p.Add("%s must be one letter from A to Z", field)
	return 0
}

// formula parses a formula that refers to events by their aliases. It returns nil if there is none.
func (p *problems) formula(o web.Optional[string], events []query.MetricEvent) *formula.Formula {
	if o.Wrong {
		p.Add("formula must be a string")
	}
	if o.Or("") == "" {
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
		p.List = append(p.List, err.Error())
	}
	return f
}

func (p *problems) groupBy(o web.Optional[web.Object]) (by query.Dimension, property string) {
	if !o.Sent || o.Null() {
		p.Add("group_by is required for type breakdown")
		return "", ""
	}
	if o.Wrong {
		p.Add("group_by must be an object")
		return "", ""
	}
	var in groupByInput
	web.Fill(&in, json.RawMessage(*o.Value))
	if p.Present("group_by.kind", in.Kind.Sent, in.Kind.Null(), true, false) {
		by = query.Dimension(p.WordOf("group_by.kind", in.Kind, "", "property", "platform", "region", "event"))
	}
	p.Text("group_by.key", in.Key, web.TextRule{Max: 128})
	if by == query.ByProperty && !in.Key.Wrong && in.Key.Or("") == "" {
		p.Add("group_by.key is required for kind property")
	}
	return by, in.Key.Or("")
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

// metricHead contains the fields that are common to the responses of all metrics.
type metricHead struct {
	web.SpanView
	Type string `json:"type"`
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

// plain returns n in a form that JSON can represent. It returns 0 for NaN, for infinities and for
// negative zero.
func plain(n float64) float64 {
	if math.IsNaN(n) || math.IsInf(n, 0) || n == 0 {
		return 0
	}
	return n
}

func (h *Handlers) analyseMetric(r *web.Request) (any, error) {
	_, view, err := analyse(h, r, (*problems).metric, func(ctx context.Context, project event.Project, m metric) (any, error) {
		switch m.kind {
		case metricTimeseries:
			return h.metricTimeseries(ctx, project, m)
		case metricBreakdown:
			return h.metricBreakdown(ctx, project, m)
		}
		return h.metricValue(ctx, project, m)
	})
	return view, err
}

func (m *metric) head() metricHead { return metricHead{m.span.View(), m.kind} }

func (h *Handlers) metricValue(ctx context.Context, project event.Project, m metric) (any, error) {
	found, err := h.Events.MetricValue(ctx, project, m.MetricQuery)
	if err != nil {
		return nil, err
	}
	v := metricValueView{m.head(), map[string]float64{}, plain(found.Result)}
	for i, e := range m.Events {
		v.Values[string(rune(e.Alias))] = plain(found.Values[i])
	}
	return v, nil
}

func (h *Handlers) metricTimeseries(ctx context.Context, project event.Project, m metric) (any, error) {
	found, err := h.Events.MetricTimeseries(ctx, project, m.MetricQuery)
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

func (h *Handlers) metricBreakdown(ctx context.Context, project event.Project, m metric) (any, error) {
	found, err := h.Events.MetricBreakdown(ctx, project, m.MetricQuery)
	if err != nil {
		return nil, err
	}
	v := metricBreakdownView{m.head(), plain(found.Total), []metricGroupView{}}
	for _, g := range found.Groups {
		key := displayKey(m.GroupBy, g.Key)
		v.Buckets = append(v.Buckets, metricGroupView{key, displayLabel(m.GroupBy, key, g.Missing), plain(g.Value)})
	}
	return v, nil
}
