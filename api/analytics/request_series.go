package analytics

import (
	"cmp"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/store"
)

// line is a series of counts for one value of a dimension. total is the sum over the whole range.
// It can exceed the sum of counts: if the first hour of the range begins before the first bucket,
// that hour is in no bucket.
type line struct {
	name   string
	total  int64
	counts []int64
}

type seriesView struct {
	Key  string       `json:"key"`
	Data []bucketView `json:"data"`
}

type timeseriesView struct {
	web.SpanView
	Granularity string       `json:"granularity"`
	Offset      int          `json:"tz_offset_minutes"`
	Endpoint    *string      `json:"endpoint"`
	GroupBy     *string      `json:"group_by"`
	Data        []bucketView `json:"data"`
	Series      []seriesView `json:"series"` // null without group_by
}

// seriesGroups maps each dimension that can split a series to a function. The function returns the
// number that identifies the value of a request in that dimension.
var seriesGroups = map[string]func(store.Request) (number int){
	"":         func(store.Request) int { return 0 },
	"endpoint": func(r store.Request) int { return int(r.Endpoint()) },
	"platform": store.Request.PlatformNumber,
}

// groupNames maps each dimension to a function that returns the name of the value that a number
// identifies.
var groupNames = map[string]func(number int) string{
	"endpoint": endpointName,
	"platform": platformName,
}

// maxGroups is greater than every number that a function in seriesGroups returns.
const maxGroups = max(store.Endpoints, stats.Platforms)

func (h *Handlers) requestSeries(r *web.Request) (v timeseriesView, err error) {
	var p problems
	span := p.Span(r, h.Now())
	filter := p.requestFilter(r)
	groupBy := p.OneOf(r, "group_by", "", "endpoint", "platform")
	b, granularity := p.Buckets(r, span, "hour")
	var all []int64
	var lines [maxGroups]line
	group := seriesGroups[groupBy]
	err = h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		all = make([]int64, b.Len())
		return tx.EachRequest(id, from, to, func(h store.Hour, r store.Request, n int64) {
			if !filter.passes(r) {
				return
			}
			l := &lines[group(r)]
			if l.counts == nil {
				l.counts = make([]int64, b.Len())
			}
			l.total += n
			if at, ok := b.At(h.Start()); ok {
				l.counts[at] += n
				all[at] += n
			}
		})
	})
	if err != nil {
		return v, err
	}
	v = timeseriesView{
		SpanView: span.View(), Granularity: granularity, Offset: span.Offset,
		Endpoint: web.OrNil(new(filter.endpoint.String())), GroupBy: web.OrNil(&groupBy), Data: viewBuckets(b, all),
	}
	if groupBy != "" {
		v.Series = viewLines(b, lines[:], groupNames[groupBy])
	}
	return v, nil
}

// endpoint parses the name of an endpoint. It returns 0 if there is none or if it is invalid.
func (p *problems) endpoint(r *web.Request) store.Endpoint {
	text := r.Query("endpoint")
	e, ok := store.ParseEndpoint(text)
	if !ok && text != "" {
		p.Add("endpoint must be a counted endpoint, such as VERSION_CHECK_UPDATE")
	}
	return e
}

// viewLines returns the JSON form of the lines that have counts, ordered by decreasing total.
func viewLines(b stats.Buckets, lines []line, name func(int) string) []seriesView {
	var drawn []line
	for i, l := range lines {
		if l.counts != nil {
			l.name = name(i)
			drawn = append(drawn, l)
		}
	}
	slices.SortFunc(drawn, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.total, a.total), strings.Compare(a.name, b.name))
	})
	views := make([]seriesView, 0, len(drawn))
	for _, l := range drawn {
		views = append(views, seriesView{l.name, viewBuckets(b, l.counts)})
	}
	return views
}

type versionAdoptionView struct {
	web.SpanView
	Granularity string         `json:"granularity"`
	Offset      int            `json:"tz_offset_minutes"`
	Series      []adoptionView `json:"series"`
}

type adoptionView struct {
	Version string       `json:"version"`
	Data    []bucketView `json:"data"`
}

// versionAdoption returns the use of the most used client versions over time. A first pass finds
// these versions, and a second one counts only their requests by bucket.
func (h *Handlers) versionAdoption(r *web.Request) (versionAdoptionView, error) {
	var p problems
	span, limit, fits := p.Span(r, h.Now()), p.Int(r, "limit", 6, 1, 20), p.onPlatform(r)
	b, granularity := p.Buckets(r, span, "day")
	var top []stats.Count
	counts := map[string][]int64{}
	err := h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		var totals stats.Counts
		err := tx.EachClientVersion(id, from, to, func(_ store.Hour, on platform.Platform, version []byte, n int64) {
			if fits(on) {
				totals.Add(version, n)
			}
		})
		if err != nil {
			return err
		}
		top = web.PageOf(totals.Ranked(), web.Page{Limit: limit})
		for _, c := range top {
			counts[c.Key] = make([]int64, b.Len())
		}
		return tx.EachClientVersion(id, from, to, func(h store.Hour, on platform.Platform, version []byte, n int64) {
			if line := counts[string(version)]; line != nil && fits(on) {
				if at, ok := b.At(h.Start()); ok {
					line[at] += n
				}
			}
		})
	})
	v := versionAdoptionView{span.View(), granularity, span.Offset, []adoptionView{}}
	for _, c := range top {
		v.Series = append(v.Series, adoptionView{c.Key, viewBuckets(b, counts[c.Key])})
	}
	return v, err
}

// bucketView is a point of a series.
type bucketView struct {
	Bucket int64 `json:"bucket"`
	Count  int64 `json:"count"`
}

// viewBuckets pairs each count with the start of its bucket. If counts is nil, all counts are 0.
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
