package api

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/internal/stats"
	"svc/store"
)

// span is the range of a statistic, both ends included, in Unix seconds, and how
// many minutes east of UTC the local time of the caller is.
type span struct {
	start, end int64
	offset     int
}

// latest is the greatest time that can be asked for: the greatest integer that
// every JSON reader keeps.
const latest = 1 << 53

// span reads start_time, end_time and tz_offset_minutes; without them it is the
// last seven days.
func (p *problems) span(r *request, now time.Time) span {
	known := len(p.list)
	s := span{end: p.time(r, "end_time", now.Unix())}
	s.start = p.time(r, "start_time", max(0, s.end-7*24*3600))
	if len(p.list) == known && s.start > s.end {
		p.add("start_time must not be after end_time")
	}
	s.offset = p.whole(r, "tz_offset_minutes", 0, -840, 900)
	return s
}

func (p *problems) time(r *request, name string, otherwise int64) int64 {
	text := r.query(name)
	if text == "" {
		return otherwise
	}
	t, err := strconv.ParseInt(text, 10, 64)
	if err != nil || t < 0 || t > latest {
		p.add("%s must be an integer of at least 0 (Unix seconds)", name)
	}
	return t
}

// whole reads an integer that may be left empty.
func (p *problems) whole(r *request, name string, otherwise, least, most int) int {
	text := r.query(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		p.add("%s must be an integer from %d to %d", name, least, most)
	}
	return n
}

// word reads one of several words; without one it is otherwise.
func (p *problems) word(r *request, name, otherwise string, words ...string) string {
	text := r.query(name)
	if text == "" {
		return otherwise
	}
	if !slices.Contains(words, text) {
		p.add("%s must be one of %s", name, strings.Join(words, ", "))
	}
	return text
}

// mostBuckets bounds the length of a series.
const mostBuckets = 20_000

// buckets reads granularity and makes the buckets of a range that is right.
func (p *problems) buckets(r *request, s span, otherwise string) (b stats.Buckets, granularity string) {
	granularity = p.word(r, "granularity", otherwise, "hour", "day")
	if len(p.list) > 0 {
		return b, granularity
	}
	if b = stats.Hours(s.start, s.end); granularity == "day" {
		b = stats.Days(s.start, s.end, s.offset)
	}
	if b.Len() > mostBuckets {
		p.add("the range has %d buckets of one %s, at most %d are possible: ask for a shorter range or a coarser granularity", b.Len(), granularity, mostBuckets)
	}
	return b, granularity
}

// hours are the hours of UTC that the range touches.
func (s span) hours() (from, to store.Hour) { return hourAt(s.start), hourAt(s.end) }

func hourAt(t int64) store.Hour { return store.Hour(min(t/3600, 1<<32-1)) }

// bucketView is a point of a series.
type bucketView struct {
	Bucket int64 `json:"bucket"`
	Count  int64 `json:"count"`
}

// viewBuckets puts counts into their buckets; no counts are zeros.
func viewBuckets(b stats.Buckets, counts []int64) []bucketView {
	views := make([]bucketView, b.Len())
	for i := range views {
		views[i].Bucket = b.Start(i)
		if counts != nil {
			views[i].Count = counts[i]
		}
	}
	return views
}
