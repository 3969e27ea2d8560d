package api

import (
	"net/http"
	"unicode/utf8"

	"svc/internal/event"
	"svc/internal/origin"
	"svc/internal/platform"
	"svc/internal/stats"
)

// notReported labels the events that do not have a property.
const notReported = "(not reported)"

// in is the span as the engine takes it.
func (s span) in() event.Range {
	return event.Range{Start: s.start, End: s.end, OffsetMinutes: s.offset}
}

// short reads a text of the query that has a limit; empty is not sent.
func (p *problems) short(r *request, name string, most int) string {
	text := r.query(name)
	if utf8.RuneCountInString(text) > most {
		p.add("%s must have at most %d characters", name, most)
	}
	return text
}

// shownKey is a value of a dimension as statistics write it.
func shownKey(d event.Dimension, key string) string {
	if d == event.ByPlatform {
		return origin.StatisticsName(platform.Platform(key))
	}
	return key
}

// shownLabel is a value of a dimension for people, made from its shown key.
func shownLabel(d event.Dimension, key string, missing bool) string {
	switch {
	case missing:
		return notReported
	case d == event.ByPlatform && key == "OTHERS":
		return "Others"
	case d == event.ByRegion && len(key) == 6:
		_, name, _ := origin.Province(key)
		return name
	}
	return key
}

func (s *Server) eventOverview(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	o, err := s.config.Events.Overview(r.Context(), project, span.in())
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, struct {
		StartTime  int64 `json:"start_time"`
		EndTime    int64 `json:"end_time"`
		Total      int64 `json:"total"`
		Users      int64 `json:"unique_users"`
		Sessions   int64 `json:"unique_sessions"`
		EventTypes int64 `json:"event_types"`
	}{span.start, span.end, o.Total, o.Users, o.Sessions, o.EventTypes})
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

func (s *Server) eventSeries(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	name, groupBy := p.short(r, "event_name", 64), p.word(r, "group_by", "", "event", "platform", "region")
	limit := p.whole(r, "limit", 8, 1, 20)
	_, granularity := p.buckets(r, span, "day")
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	series, err := s.config.Events.Series(r.Context(), project, event.SeriesQuery{
		Range: span.in(), Hourly: granularity == "hour", Event: name, GroupBy: event.Dimension(groupBy), Limit: limit,
	})
	if err != nil {
		return err
	}
	v := eventSeriesView{
		StartTime: span.start, EndTime: span.end, Granularity: granularity, Offset: span.offset,
		EventName: known(&name), GroupBy: known(&groupBy), Data: points(series.Starts, series.Counts),
	}
	if groupBy != "" {
		v.Series = []seriesView{}
		for _, g := range series.Groups {
			v.Series = append(v.Series, seriesView{shownKey(event.Dimension(groupBy), g.Key), points(series.Starts, g.Counts)})
		}
	}
	return respond(w, http.StatusOK, v)
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

func (s *Server) eventBreakdown(w http.ResponseWriter, r *request) error {
	var p problems
	span := p.span(r, s.now())
	dimension := p.word(r, "dimension", "event", "event", "platform", "region", "property")
	property, name := p.short(r, "property_key", 128), p.short(r, "event_name", 64)
	limit := p.whole(r, "limit", 20, 1, 200)
	if dimension == "property" && property == "" {
		p.add("property_key is required for dimension property")
	}
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	by := event.Dimension(dimension)
	b, err := s.config.Events.Breakdown(r.Context(), project, event.BreakdownQuery{
		Range: span.in(), Dimension: by, Property: property, Event: name, Limit: limit,
	})
	if err != nil {
		return err
	}
	v := breakdownView{span.start, span.end, dimension, known(&property), b.Total, []groupView{}}
	for _, g := range b.Groups {
		shown := shownKey(by, g.Key)
		v.Data = append(v.Data, groupView{shown, shownLabel(by, shown, g.Missing), g.Count})
	}
	return respond(w, http.StatusOK, v)
}

func (s *Server) eventHeatmap(w http.ResponseWriter, r *request) error {
	var p problems
	span, name := p.span(r, s.now()), p.short(r, "event_name", 64)
	if err := p.err(); err != nil {
		return err
	}
	project, err := s.eventProject(r)
	if err != nil {
		return err
	}
	var m stats.Heatmap
	if m, err = s.config.Events.Heatmap(r.Context(), project, span.in(), name); err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewHeatmap(span, &m))
}
