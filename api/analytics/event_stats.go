package analytics

import (
	"context"
	"slices"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/geo"
	"svc/internal/platform"
	"svc/internal/useragent"
)

// notReported is the label of the group of events that lack a property.
const notReported = "(not reported)"

// eventRange converts a span to a range of the event engine.
func eventRange(s web.Span) query.Range {
	return query.Range{Start: s.Start, End: s.End, OffsetMinutes: s.Offset}
}

// short returns the query parameter with the given name, or "" if it is missing. It reports a
// problem if the value has more characters than the parameter most.
func (p *problems) short(r *web.Request, name string, most int) string {
	text := r.Query(name)
	if utf8.RuneCountInString(text) > most {
		p.Add("%s must have at most %d characters", name, most)
	}
	return text
}

// displayKey returns the key that statistics show for the given value of a dimension.
func displayKey(d query.Dimension, key string) string {
	if d == query.ByPlatform {
		return useragent.StatisticsName(platform.Platform(key))
	}
	return key
}

// displayLabel returns the label that statistics show for a value of a dimension. key is the result
// of displayKey. missing is true for the group of events that lack the property.
func displayLabel(d query.Dimension, key string, missing bool) string {
	switch {
	case missing:
		return notReported
	case d == query.ByPlatform && key == "OTHERS":
		return "Others"
	case d == query.ByRegion && len(key) == 6:
		_, name, _ := geo.Province(key)
		return name
	}
	return key
}

type eventOverviewView struct {
	web.SpanView
	Total      int64 `json:"total"`
	Users      int64 `json:"unique_users"`
	Sessions   int64 `json:"unique_sessions"`
	EventTypes int64 `json:"event_types"`
}

func (h *Handlers) eventOverview(r *web.Request) (v eventOverviewView, err error) {
	var p problems
	span := p.Span(r, h.Now())
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return v, err
	}
	o, err := h.Events.Overview(r.Context(), project, eventRange(span))
	return eventOverviewView{span.View(), o.Total, o.Users, o.Sessions, o.EventTypes}, err
}

type eventSeriesView struct {
	web.SpanView
	Granularity string       `json:"granularity"`
	Offset      int          `json:"tz_offset_minutes"`
	EventName   *string      `json:"event_name"`
	GroupBy     *string      `json:"group_by"`
	Data        []bucketView `json:"data"`
	Series      []seriesView `json:"series"` // null without group_by
}

func (h *Handlers) eventSeries(r *web.Request) (v eventSeriesView, err error) {
	var p problems
	span := p.Span(r, h.Now())
	name, groupBy := p.short(r, "event_name", 64), p.OneOf(r, "group_by", "", "event", "platform", "region")
	measure := query.Measure(p.OneOf(r, "measure", string(query.MeasureCount), string(query.MeasureCount), string(query.MeasureUsers)))
	if measure == query.MeasureUsers && groupBy != "" {
		p.Add("group_by cannot be combined with measure %s", measure)
	}
	limit := p.Int(r, "limit", 8, 1, 20)
	_, granularity := p.Buckets(r, span, "day")
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return v, err
	}
	q := query.SeriesQuery{
		Range: eventRange(span), Hourly: granularity == "hour", Event: name, GroupBy: query.Dimension(groupBy), Limit: limit,
	}
	var series query.Series
	if measure == query.MeasureUsers {
		series, err = h.userSeries(r.Context(), project, q)
	} else {
		series, err = h.Events.Series(r.Context(), project, q)
	}
	v = eventSeriesView{
		SpanView: span.View(), Granularity: granularity, Offset: span.Offset,
		EventName: NilIfEmpty(&name), GroupBy: NilIfEmpty(&groupBy), Data: points(series.Starts, series.Counts),
	}
	if groupBy != "" {
		v.Series = []seriesView{}
		for _, g := range series.Groups {
			v.Series = append(v.Series, seriesView{displayKey(query.Dimension(groupBy), g.Key), points(series.Starts, g.Counts)})
		}
	}
	return v, err
}

// userSeries counts the distinct users of each bucket. It ignores the dimension of the query.
func (h *Handlers) userSeries(ctx context.Context, project event.Project, q query.SeriesQuery) (series query.Series, err error) {
	found, err := h.Events.MetricTimeseries(ctx, project, query.MetricQuery{
		Range: q.Range, Hourly: q.Hourly, Events: []query.MetricEvent{{Name: q.Event, Measure: query.MeasureUsers}},
	})
	if err != nil {
		return series, err
	}
	series.Starts = found.Starts
	for _, users := range found.Series[0].Values {
		series.Counts = append(series.Counts, int64(users))
	}
	return series, nil
}

// points pairs each count with the start time of its bucket.
func points(starts, counts []int64) []bucketView {
	views := make([]bucketView, len(starts))
	for i := range views {
		views[i] = bucketView{starts[i], counts[i]}
	}
	return views
}

// maxPropertyKey is the maximum length of a property key in a query, in characters.
const maxPropertyKey = 128

type groupView struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Count int64  `json:"count"`
}

type breakdownView struct {
	web.SpanView
	Dimension   string      `json:"dimension"`
	PropertyKey *string     `json:"property_key"`
	Total       int64       `json:"total"`
	Data        []groupView `json:"data"`
}

func (h *Handlers) eventBreakdown(r *web.Request) (v breakdownView, err error) {
	var p problems
	span := p.Span(r, h.Now())
	dimension := p.OneOf(r, "dimension", "event", "event", "platform", "region", "property")
	property, name := p.short(r, "property_key", maxPropertyKey), p.short(r, "event_name", 64)
	limit := p.Int(r, "limit", 20, 1, 200)
	if dimension == "property" && property == "" {
		p.Add("property_key is required for dimension property")
	}
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return v, err
	}
	by := query.Dimension(dimension)
	b, err := h.Events.Breakdown(r.Context(), project, query.BreakdownQuery{
		Range: eventRange(span), Dimension: by, Property: property, Event: name, Limit: limit,
	})
	v = breakdownView{span.View(), dimension, NilIfEmpty(&property), b.Total, []groupView{}}
	for _, g := range b.Groups {
		shown := displayKey(by, g.Key)
		v.Data = append(v.Data, groupView{shown, displayLabel(by, shown, g.Missing), g.Count})
	}
	return v, err
}

type propertyKeyView struct {
	Key      string `json:"key"`
	Hours    int    `json:"hours"`
	LastSeen int64  `json:"last_seen_time"`
}

type propertyKeysView struct {
	web.SpanView
	Total int               `json:"total"`
	Data  []propertyKeyView `json:"data"`
}

// listPropertyKeys responds with the property keys that a query can name. It leaves out keys longer
// than maxPropertyKey.
func (h *Handlers) listPropertyKeys(r *web.Request) (v propertyKeysView, err error) {
	var p problems
	span, name, limit := p.Span(r, h.Now()), p.short(r, "event_name", 64), p.Int(r, "limit", 100, 1, 200)
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return v, err
	}
	keys, err := h.Events.PropertyKeys(r.Context(), project, query.KeysQuery{Range: eventRange(span), Event: name})
	keys = slices.DeleteFunc(keys, func(k query.Key) bool { return k.Text == "" || utf8.RuneCountInString(k.Text) > maxPropertyKey })
	v = propertyKeysView{SpanView: span.View(), Total: len(keys)}
	v.Data = web.Views(keys[:min(len(keys), limit)], func(k query.Key) propertyKeyView { return propertyKeyView{k.Text, k.Hours, k.Seen} })
	return v, err
}

func (h *Handlers) eventHeatmap(r *web.Request) (v heatmapView, err error) {
	var p problems
	span, name := p.Span(r, h.Now()), p.short(r, "event_name", 64)
	project, err := p.eventProject(r, h.DB)
	if err != nil {
		return v, err
	}
	m, err := h.Events.Heatmap(r.Context(), project, eventRange(span), name)
	return viewHeatmap(span, &m), err
}
