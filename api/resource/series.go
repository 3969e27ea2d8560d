package resource

import (
	"svc/api/web"
	"svc/internal/stats"
	"svc/store"
)

// seriesView is the JSON form of records over time. V is the JSON form of one bucket.
type seriesView[V any] struct {
	web.SpanView
	Interval  string `json:"interval"`
	Offset    int    `json:"tz_offset_minutes"`
	Truncated bool   `json:"truncated"` // only the newest matches of a search were counted
	Data      []V    `json:"data"`
}

type levelCountsView struct {
	Time   int64          `json:"time"`
	Total  int            `json:"total"`
	Levels map[string]int `json:"levels"`
}

// levelKeys holds the JSON field names of counts by log level, indexed by level.
var levelKeys = [...]string{"0", "1", "2", "3"}

// logSeries counts logs by hour or day, and by level. It counts the logs that the list with the
// same filters would show.
func (h *Handlers) logSeries(r *web.Request) (v seriesView[levelCountsView], err error) {
	var p problems
	find, q := p.Search(r), p.logSelection(r, web.Page{})
	return countSeries(h, r, &p, store.KindLog, find,
		func(tx *store.Tx, project store.ProjectID, f *store.Find, span web.Span, starts []int64) ([][4]int, store.Found, error) {
			q.Find, q.From, q.To = f, span.Start, span.End
			return tx.LogSeries(project, q, starts)
		},
		func(start int64, counts [4]int) (view levelCountsView, total int) {
			view = levelCountsView{Time: start, Levels: map[string]int{}}
			for level, n := range counts {
				view.Levels[levelKeys[level]] = n
				view.Total += n
			}
			return view, view.Total
		})
}

type ratingCountsView struct {
	Time        int64 `json:"time"`
	Count       int   `json:"count"`
	RatingSum   int   `json:"rating_sum"`
	RatingCount int   `json:"rating_count"`
}

// feedbackSeries counts feedback by hour or day, and sums its ratings. It counts the feedback that
// the list with the same filters would show.
func (h *Handlers) feedbackSeries(r *web.Request) (v seriesView[ratingCountsView], err error) {
	var p problems
	find, q := p.Search(r), p.feedbackSelection(r, web.Page{})
	return countSeries(h, r, &p, store.KindFeedback, find,
		func(tx *store.Tx, project store.ProjectID, f *store.Find, span web.Span, starts []int64) ([][6]int, store.Found, error) {
			q.Find = f
			return tx.FeedbackSeries(project, q, span.Start, span.End, starts)
		},
		func(start int64, counts [6]int) (view ratingCountsView, total int) {
			view = ratingCountsView{Time: start}
			for rating, n := range counts {
				view.Count += n
				if rating > 0 {
					view.RatingSum += rating * n
					view.RatingCount += n
				}
			}
			return view, view.Count
		})
}

// countSeries counts records of the project in the path over the range in the query. The function
// count returns the counts of each bucket for one search. The function view returns the JSON form
// of a bucket and the number of records in it.
func countSeries[N, V any](h *Handlers, r *web.Request, p *problems, kind store.Kind, find string,
	count func(*store.Tx, store.ProjectID, *store.Find, web.Span, []int64) ([]N, store.Found, error),
	view func(start int64, counts N) (V, int)) (v seriesView[V], err error) {
	span := p.Span(r, h.Now())
	b, interval := p.intervals(r, span)
	project, err := p.Project(r, h.DB)
	if err != nil {
		return v, err
	}
	starts := make([]int64, b.Len())
	for i := range starts {
		starts[i] = b.Start(i)
	}
	var counts []N
	var found store.Found
	err = h.eachAlternative(r, kind, project.ID, find, func(f *store.Find) (bool, error) {
		err := h.DB.View(func(tx *store.Tx) (err error) {
			counts, found, err = count(tx, project.ID, f, span, starts)
			return err
		})
		return found.Text, err
	})
	if err != nil {
		return v, err
	}
	v = seriesView[V]{SpanView: span.View(), Interval: interval, Offset: span.Offset, Data: make([]V, len(starts))}
	counted := 0
	for i := range starts {
		var n int
		v.Data[i], n = view(starts[i], counts[i])
		counted += n
	}
	v.Truncated = found.Total > counted
	return v, nil
}

// intervals reads the interval from the query. If the request has no problems, it also returns the
// buckets of the range.
func (p *problems) intervals(r *web.Request, s web.Span) (b stats.Buckets, interval string) {
	interval = p.OneOf(r, "interval", "hour", "hour", "day")
	if len(p.List) > 0 {
		return b, interval
	}
	if b = stats.Hours(s.Start, s.End); interval == "day" {
		b = stats.Days(s.Start, s.End, s.Offset)
	}
	p.FewBuckets(b.Len(), "buckets of one "+interval)
	return b, interval
}
