package analytics

import (
	"net/http"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/event/query"
	"svc/internal/geo"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/internal/useragent"
)

// notReported labels the events that do not have a property.
const notReported = "(not reported)"

// eventRange is a span as the engine takes it.
func eventRange(s web.Span) query.Range {
	return query.Range{Start: s.Start, End: s.End, OffsetMinutes: s.Offset}
}

// short reads a text of the query that has a limit; empty is not sent.
func (p *problems) short(r *web.Request, name string, most int) string {
	text := r.Query(name)
	if utf8.RuneCountInString(text) > most {
		p.Add("%s must have at most %d characters", name, most)
	}
	return text
}

// displayKey is a value of a dimension as statistics write it.
func displayKey(d query.Dimension, key string) string {
	if d == query.ByPlatform {
		return useragent.StatisticsName(platform.Platform(key))
	}
	return key
}

// displayLabel is a value of a dimension for people, made from its shown key.
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

func (h *Handlers) eventOverview(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span := p.Span(r, h.Now())
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	o, err := h.Events.Overview(r.Context(), project, eventRange(span))
	if err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, struct {
		StartTime  int64 `json:"start_time"`
		EndTime    int64 `json:"end_time"`
		Total      int64 `json:"total"`
		Users      int64 `json:"unique_users"`
		Sessions   int64 `json:"unique_sessions"`
		EventTypes int64 `json:"event_types"`
	}{span.Start, span.End, o.Total, o.Users, o.Sessions, o.EventTypes})
}

type eventSeriesView struct {
	StartTime   int64        `json:"start_time"`
	EndTime     int64        `json:"end_time"`
	Granularity string       `json:"granularity"`
	Offset      int          `json:"tz_offset_minutes"`
	EventName   *string      `json:"event_name"`
	GroupBy     *string      `json:"group_by"`
	Data        []bucketView `json:"data"`
	Series      []seriesView `json:"series"` // null without group_by
}

func (h *Handlers) eventSeries(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span := p.Span(r, h.Now())
	name, groupBy := p.short(r, "event_name", 64), p.OneOf(r, "group_by", "", "event", "platform", "region")
	limit := p.Int(r, "limit", 8, 1, 20)
	_, granularity := p.Buckets(r, span, "day")
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	series, err := h.Events.Series(r.Context(), project, query.SeriesQuery{
		Range: eventRange(span), Hourly: granularity == "hour", Event: name, GroupBy: query.Dimension(groupBy), Limit: limit,
	})
	if err != nil {
		return err
	}
	v := eventSeriesView{
		StartTime: span.Start, EndTime: span.End, Granularity: granularity, Offset: span.Offset,
		EventName: NilIfEmpty(&name), GroupBy: NilIfEmpty(&groupBy), Data: points(series.Starts, series.Counts),
	}
	if groupBy != "" {
		v.Series = []seriesView{}
		for _, g := range series.Groups {
			v.Series = append(v.Series, seriesView{displayKey(query.Dimension(groupBy), g.Key), points(series.Starts, g.Counts)})
		}
	}
	return web.Respond(w, http.StatusOK, v)
}

// points puts counts beside the moments at which their buckets begin.
func points(starts, counts []int64) []bucketView {
	views := make([]bucketView, len(starts))
	for i := range views {
		views[i] = bucketView{starts[i], counts[i]}
	}
	return views
}

type groupView struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Count int64  `json:"count"`
}

type breakdownView struct {
	StartTime   int64       `json:"start_time"`
	EndTime     int64       `json:"end_time"`
	Dimension   string      `json:"dimension"`
	PropertyKey *string     `json:"property_key"`
	Total       int64       `json:"total"`
	Data        []groupView `json:"data"`
}

func (h *Handlers) eventBreakdown(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span := p.Span(r, h.Now())
	dimension := p.OneOf(r, "dimension", "event", "event", "platform", "region", "property")
	property, name := p.short(r, "property_key", 128), p.short(r, "event_name", 64)
	limit := p.Int(r, "limit", 20, 1, 200)
	if dimension == "property" && property == "" {
		p.Add("property_key is required for dimension property")
	}
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	by := query.Dimension(dimension)
	b, err := h.Events.Breakdown(r.Context(), project, query.BreakdownQuery{
		Range: eventRange(span), Dimension: by, Property: property, Event: name, Limit: limit,
	})
	if err != nil {
		return err
	}
	v := breakdownView{span.Start, span.End, dimension, NilIfEmpty(&property), b.Total, []groupView{}}
	for _, g := range b.Groups {
		shown := displayKey(by, g.Key)
		v.Data = append(v.Data, groupView{shown, displayLabel(by, shown, g.Missing), g.Count})
	}
	return web.Respond(w, http.StatusOK, v)
}

func (h *Handlers) eventHeatmap(w http.ResponseWriter, r *web.Request) error {
	var p problems
	span, name := p.Span(r, h.Now()), p.short(r, "event_name", 64)
	if err := p.Err(); err != nil {
		return err
	}
	project, err := h.eventProject(r)
	if err != nil {
		return err
	}
	var m stats.Heatmap
	if m, err = h.Events.Heatmap(r.Context(), project, eventRange(span), name); err != nil {
		return err
	}
	return web.Respond(w, http.StatusOK, viewHeatmap(span, &m))
}
