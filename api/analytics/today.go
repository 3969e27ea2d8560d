package analytics

import (
	"errors"

	"svc/api/web"
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
	err = h.withCounters(r, new(problems), daysBefore(f.Now, today.AdoptionDays), func(tx *store.Tx, id store.ProjectID, _, _ store.Hour) error {
		return errors.Join(
			countChecks(tx, id, f.Now, f.Checks[:]),
			countErrors(tx, id, &f),
			countFeedback(tx, id, &f),
		)
	})
	if err != nil {
		return v, err
	}
	f.Policy, err = h.policy(r)
	if err != nil {
		return v, err
	}
	return todayView{today.Findings(&f)}, nil
}

const (
	hour = 3600
	day  = 24 * hour
)

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
