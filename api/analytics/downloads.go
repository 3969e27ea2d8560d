package analytics

import (
	"svc/api/web"
	"svc/internal/stats"
	"svc/store"
)

type downloadsView struct {
	web.SpanView
	Total int64               `json:"total"`
	Data  []fileDownloadsView `json:"data"`
}

// fileDownloadsView is the JSON form of the downloads of a file. Name is nil if the file has been
// deleted.
type fileDownloadsView struct {
	FileID string           `json:"file_id"`
	Name   *string          `json:"name"`
	Count  int64            `json:"count"`
	Series []timedCountView `json:"series"`
}

type timedCountView struct {
	Time  int64 `json:"time"`
	Count int64 `json:"count"`
}

// maxDownloadedFiles is the maximum number of files in a response. The total of the response also
// includes the downloads of files beyond this maximum.
const maxDownloadedFiles = 50

// showDownloads responds with the downloads of each file by day of UTC.
func (h *Handlers) showDownloads(r *web.Request) (v downloadsView, err error) {
	var p problems
	span := p.Span(r, h.Now())
	days := stats.Days(span.Start, max(span.Start, span.End), 0)
	p.FewBuckets(days.Len(), "buckets of one day")
	v = downloadsView{SpanView: span.View()}
	err = h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) (err error) {
		v.Data, v.Total, err = downloadsOf(tx, id, from-from%24, to, days, nil)
		return err
	})
	return v, err
}

// downloadsOf returns the most downloaded files with their downloads, and the total number of
// downloads. If the map only is not nil, it lists and counts only the files with the IDs in that
// map. A file without a readable record is listed without its name.
func downloadsOf(
	tx *store.Tx, id store.ProjectID, from, to store.Hour, days stats.Buckets, only map[string]bool,
) (views []fileDownloadsView, total int64, err error) {
	var totals stats.Counts
	series := map[string][]int64{}
	err = tx.EachDownload(id, from, to, func(day store.Hour, file []byte, n int64) {
		at, ok := days.At(day.Start())
		if !ok || only != nil && !only[string(file)] {
			return
		}
		totals.Add(file, n)
		if series[string(file)] == nil {
			series[string(file)] = make([]int64, days.Len())
		}
		series[string(file)][at] += n
	})
	views = web.Views(web.PageOf(totals.Ranked(), web.Page{Limit: maxDownloadedFiles}), func(c stats.Count) fileDownloadsView {
		return viewDownloads(tx, id, c, days, series[c.Key])
	})
	return views, totals.Total(), err
}

// viewDownloads returns the downloads of a file by day. A nil series means that there were no
// downloads.
func viewDownloads(tx *store.Tx, id store.ProjectID, c stats.Count, days stats.Buckets, series []int64) fileDownloadsView {
	view := fileDownloadsView{FileID: c.Key, Count: c.N, Series: make([]timedCountView, days.Len())}
	if f, err := tx.File(id, store.FileID(c.Key)); err == nil {
		view.Name = &f.Filename
	}
	for i := range view.Series {
		view.Series[i].Time = days.Start(i)
		if series != nil {
			view.Series[i].Count = series[i]
		}
	}
	return view
}
