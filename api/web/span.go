package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/internal/stats"
	"svc/store"
)

// Span is the time range of a statistic, in Unix seconds and including both ends. Offset is the
// caller's UTC offset, in minutes east of UTC.
type Span struct {
	Start, End int64
	Offset     int
}

// SpanView holds the first fields in the response of every statistic.
type SpanView struct {
	StartTime int64 `json:"start_time"`
	EndTime   int64 `json:"end_time"`
}

// View returns the JSON form of the span.
func (s Span) View() SpanView { return SpanView{s.Start, s.End} }

// MaxTime is the maximum time in a request, in Unix seconds. It is the greatest integer that every
// JSON parser represents exactly.
const MaxTime = 1 << 53

// RangeInput is the time range of an analysis in a request body.
type RangeInput struct {
	Start  Optional[LooseInteger] `json:"start_time"`
	End    Optional[LooseInteger] `json:"end_time"`
	Offset Optional[LooseInteger] `json:"tz_offset_minutes"`
}

// Span reads start_time, end_time and tz_offset_minutes from the query.
func (p *Problems) Span(r *Request, now time.Time) Span {
	return p.SpanOf(RangeInput{queryInteger(r, "start_time"), queryInteger(r, "end_time"), queryInteger(r, "tz_offset_minutes")}, now)
}

// SpanOf checks a range. By default, a range ends at the time now and starts seven days before its
// end.
func (p *Problems) SpanOf(in RangeInput, now time.Time) Span {
	known := len(p.List)
	s := Span{End: p.timeOf("end_time", in.End, now.Unix())}
	s.Start = p.timeOf("start_time", in.Start, max(0, s.End-7*24*3600))
	if len(p.List) == known && s.Start > s.End {
		p.Add("start_time must not be after end_time")
	}
	s.Offset = p.IntOf("tz_offset_minutes", in.Offset, 0, -840, 900)
	return s
}

func (p *Problems) timeOf(field string, o Optional[LooseInteger], otherwise int64) int64 {
	t := int64(o.Or(LooseInteger(otherwise)))
	if o.Wrong || t < 0 || t > MaxTime {
		p.Add("%s must be an integer of at least 0 (Unix seconds)", field)
	}
	return t
}

// queryInteger returns an integer query parameter in the same form as a body field. An empty
// parameter counts as not sent.
func queryInteger(r *Request, name string) (o Optional[LooseInteger]) {
	if text := r.Query(name); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		o = Optional[LooseInteger]{Sent: true, Wrong: err != nil, Value: (*LooseInteger)(&n)}
	}
	return o
}

// Int reads an optional integer from the query. If it was not sent or is outside of the range
// [least, most], Int returns the default, which is the parameter otherwise.
func (p *Problems) Int(r *Request, name string, otherwise, least, most int) int {
	return p.IntOf(name, queryInteger(r, name), otherwise, least, most)
}

// IntOf checks an optional integer. If it was not sent or is outside of the range [least, most],
// IntOf returns the default, which is the parameter otherwise.
func (p *Problems) IntOf(field string, o Optional[LooseInteger], otherwise, least, most int) int {
	n := int64(o.Or(LooseInteger(otherwise)))
	if o.Wrong || n < int64(least) || n > int64(most) {
		p.Add("%s must be an integer from %d to %d", field, least, most)
		return otherwise
	}
	return int(n)
}

// OneOf reads a query parameter that must be one of the given words. If it was not sent, OneOf
// returns the default, which is the parameter otherwise.
func (p *Problems) OneOf(r *Request, name, otherwise string, words ...string) string {
	if text := r.Query(name); text != "" {
		return p.WordOf(name, Optional[string]{Value: &text}, otherwise, words...)
	}
	return otherwise
}

// WordOf checks an optional text that must be one of the given words. If it was not sent, WordOf
// returns the default, which is the parameter otherwise.
func (p *Problems) WordOf(field string, o Optional[string], otherwise string, words ...string) string {
	text := o.Or(otherwise)
	if o.Wrong || o.Value != nil && !slices.Contains(words, text) {
		p.Add("%s must be one of %s", field, strings.Join(words, ", "))
	}
	return text
}

// Buckets reads granularity, which is hour or day, from the query. The default is the parameter
// otherwise. If the request has no problems, Buckets also divides the range into buckets of that
// duration.
func (p *Problems) Buckets(r *Request, s Span, otherwise string) (b stats.Buckets, granularity string) {
	granularity = p.OneOf(r, "granularity", otherwise, "hour", "day")
	if len(p.List) > 0 {
		return b, granularity
	}
	if b = stats.Hours(s.Start, s.End); granularity == "day" {
		b = stats.Days(s.Start, s.End, s.Offset)
	}
	p.FewBuckets(b.Len(), "buckets of one "+granularity)
	return b, granularity
}

// FewBuckets adds a problem if n is too large a number of buckets for one response. The message
// uses the given name for the buckets.
func (p *Problems) FewBuckets(n int, name string) {
	if reason := stats.TooMany(n, name); reason != "" {
		p.Add("%s", reason)
	}
}

// Hours returns the first and the last UTC hour that overlap the range.
func (s Span) Hours() (from, to store.Hour) { return hourAt(s.Start), hourAt(s.End) }

func hourAt(t int64) store.Hour { return store.Hour(min(t/3600, 1<<32-1)) }
