package analytics

import (
	"errors"

	"svc/api/web"
	"svc/internal/platform"
	"svc/internal/today"
	"svc/store"
)

type todayView struct {
	Data []today.Finding `json:"data"`
}

// showToday answers with the findings about a project that need attention. It reads counters,
// packed columns and the snapshot of the project, but no events.
func (h *Handlers) showToday(r *web.Request) (v todayView, err error) {
	f := today.Facts{Now: h.Now().Unix()}
	span := web.Span{Start: f.Now - today.AdoptionDays*day + 1, End: f.Now}
	err = h.withCounters(r, new(problems), span, func(tx *store.Tx, id store.ProjectID, from, to store.Hour) error {
		return errors.Join(
			countChecks(tx, id, from, to, &f),
			countErrors(tx, id, &f),
			countFeedback(tx, id, &f),
		)
	})
	if err != nil {
		return v, err
	}
	snap, err := h.DB.Snapshot(r.Param("k"))
	if err != nil {
		return v, err
	}
	f.Catalog, f.Optional = snap.Catalog, snap.Project.OptionalUpdate
	f.HasFile = func(at int) bool {
		version := snap.Entry(at).Record
		return version.DownloadURL != nil || len(version.DownloadLinks) > 0
	}
	return todayView{today.Findings(&f)}, nil
}

const (
	hour = 3600
	day  = 24 * hour
)

// countChecks counts update checks by day and version.
func countChecks(tx *store.Tx, id store.ProjectID, from, to store.Hour, f *today.Facts) error {
	for i := range f.Checks {
		f.Checks[i] = map[string]int64{}
	}
	return tx.EachClientVersion(id, from, to, func(at store.Hour, _ platform.Platform, version []byte, n int64) {
		if ago := (f.Now - at.Start()) / day; ago >= 0 && ago < today.AdoptionDays {
			f.Checks[today.AdoptionDays-1-ago][string(version)] += n
		}
	})
}

// errorLevel is the log level of errors.
const errorLevel = 3

// countErrors counts logs with the level of errors by hour.
func countErrors(tx *store.Tx, id store.ProjectID, f *today.Facts) error {
	for i := range f.Errors {
		end := f.Now - int64(len(f.Errors)-1-i)*hour
		levels, err := tx.LogLevels(id, end-hour+1, end)
		if err != nil {
			return err
		}
		f.Errors[i] = int64(levels[errorLevel])
	}
	return nil
}

// countFeedback counts all open feedback, and the new feedback of each day.
func countFeedback(tx *store.Tx, id store.ProjectID, f *today.Facts) error {
	open, worst := store.StatusOpen, 1
	_, waiting, err := tx.ListFeedback(id, store.FeedbackSelection{Status: &open})
	if err != nil {
		return err
	}
	_, oneStar, err := tx.ListFeedback(id, store.FeedbackSelection{Status: &open, Rating: &worst})
	if err != nil {
		return err
	}
	f.Waiting, f.OneStar = int64(waiting.Total), int64(oneStar.Total)
	for i := range f.Feedback {
		end := f.Now - int64(len(f.Feedback)-1-i)*day
		ratings, err := tx.FeedbackRatings(id, end-day+1, end)
		if err != nil {
			return err
		}
		for _, n := range ratings {
			f.Feedback[i] += int64(n)
		}
	}
	return nil
}
