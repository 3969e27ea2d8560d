package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/internal/stats"
	"svc/store"
)

// Span is the range of a statistic, both ends included, in Unix seconds, and how
// many minutes east of UTC the local time of the caller is.
type Span struct {
	Start, End int64
	Offset     int
}

// SpanView is how the answer of a statistic begins.
type SpanView struct {
	StartTime int64 `json:"start_time"`
	EndTime   int64 `json:"end_time"`
}

// View shows the span.
func (s Span) View() SpanView { return SpanView{s.Start, s.End} }

// MaxTime is the greatest time that can be asked for: the greatest integer that
// every JSON reader keeps.
const MaxTime = 1 << 53

// Span reads start_time, end_time and tz_offset_minutes; without them it is the
// last seven days.
func (p *Problems) Span(r *Request, now time.Time) Span {
	known := len(p.List)
	s := Span{End: p.time(r, "end_time", now.Unix())}
	s.Start = p.time(r, "start_time", max(0, s.End-7*24*3600))
	if len(p.List) == known && s.Start > s.End {
		p.Add("start_time must not be after end_time")
	}
	s.Offset = p.Int(r, "tz_offset_minutes", 0, -840, 900)
	return s
}

func (p *Problems) time(r *Request, name string, otherwise int64) int64 {
	text := r.Query(name)
	if text == "" {
		return otherwise
	}
	t, err := strconv.ParseInt(text, 10, 64)
	if err != nil || t < 0 || t > MaxTime {
		p.Add("%s must be an integer of at least 0 (Unix seconds)", name)
	}
	return t
}

// Int reads an integer that may be left empty.
func (p *Problems) Int(r *Request, name string, otherwise, least, most int) int {
	text := r.Query(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		p.Add("%s must be an integer from %d to %d", name, least, most)
	}
	return n
}

// OneOf reads one of several words; without one it is otherwise.
func (p *Problems) OneOf(r *Request, name, otherwise string, words ...string) string {
	text := r.Query(name)
	if text == "" {
		return otherwise
	}
	if !slices.Contains(words, text) {
		p.Add("%s must be one of %s", name, strings.Join(words, ", "))
	}
	return text
}

// MaxBuckets bounds the length of a series.
const MaxBuckets = 20_000

// Buckets reads granularity and makes the buckets of a range that is right.
func (p *Problems) Buckets(r *Request, s Span, otherwise string) (b stats.Buckets, granularity string) {
	granularity = p.OneOf(r, "granularity", otherwise, "hour", "day")
	if len(p.List) > 0 {
		return b, granularity
	}
	if b = stats.Hours(s.Start, s.End); granularity == "day" {
		b = stats.Days(s.Start, s.End, s.Offset)
	}
	if b.Len() > MaxBuckets {
		p.Add("the range has %d buckets of one %s, at most %d are possible: ask for a shorter range or a coarser granularity", b.Len(), granularity, MaxBuckets)
	}
	return b, granularity
}

// Hours are the hours of UTC that the range touches.
func (s Span) Hours() (from, to store.Hour) { return hourAt(s.Start), hourAt(s.End) }

func hourAt(t int64) store.Hour { return store.Hour(min(t/3600, 1<<32-1)) }
