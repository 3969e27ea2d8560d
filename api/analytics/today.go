package analytics

import (
	"errors"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/loggroup"
	"svc/internal/today"
	"svc/store"
)

type todayView struct {
	Data []today.Finding `json:"data"`
}

// showToday responds with the findings about a project that need attention.
func (h *Handlers) showToday(r *web.Request) (v todayView, err error) {
	h.flushCounters(r)
	project, err := new(problems).Project(r, h.DB)
	if err != nil {
		return v, err
	}
	v.Data, err = h.findings(project)
	return v, err
}

type instanceTodayView struct {
	Data []today.InstanceFinding `json:"data"`
}

// showInstanceToday responds with the most urgent findings of all projects and of the instance
// itself. It leaves out a project that is deleted during the request.
func (h *Handlers) showInstanceToday(r *web.Request) (v instanceTodayView, err error) {
	h.flushCounters(r)
	var all today.Instance
	if h.Backup != nil {
		all.Add(nil, h.Backup().Findings(h.Now()))
	}
	for _, project := range h.DB.Projects() {
		if all.Full() {
			break
		}
		if err := r.Context().Err(); err != nil {
			return v, err
		}
		found, err := h.findings(project)
		switch {
		case err == nil:
			all.Add(&project.Key, found)
		case !fault.Is(err, fault.NotFound):
			return v, err
		}
	}
	return instanceTodayView{all.Findings()}, nil
}

// findings returns the findings about a project. It reads counters and the columns of logs and
// feedback, but no events. It loads the snapshot of the versions only if clients have checked for
// updates. In that case, the update check keeps the snapshot in memory anyway.
func (h *Handlers) findings(p *store.Project) ([]today.Finding, error) {
	f := today.Facts{Now: h.Now().Unix()}
	err := h.DB.View(func(tx *store.Tx) (err error) {
		if f.Published, err = tx.HasVersions(p.ID); err != nil {
			return err
		}
		return errors.Join(
			countChecks(tx, p.ID, f.Now, f.Checks[:]),
			countErrors(tx, p.ID, &f),
			findGroups(tx, p.ID, &f),
			countFeedback(tx, p.ID, &f),
			findEnding(tx, p.ID, &f),
		)
	})
	if err != nil {
		return nil, err
	}
	if f.Checked() {
		snap, err := h.DB.Snapshot(p.Key)
		if err != nil {
			return nil, err
		}
		if snap.Project.ID != p.ID {
			return nil, fault.New(fault.NotFound, "project not found") // the project was deleted, and another one has its key now
		}
		f.Policy = policyOf(snap)
	}
	return today.Findings(&f), nil
}

const (
	hour = 3600
	day  = 24 * hour
)

// errorLevel is the level of the logs that report an error.
const errorLevel = 3

// countErrors counts the logs of level errorLevel by hour and stores the counts in f.
func countErrors(tx *store.Tx, id store.ProjectID, f *today.Facts) error {
	level := errorLevel
	starts := startsBefore(f.Now, hour, len(f.Errors))
	counts, _, err := tx.LogSeries(id, store.LogSelection{
		Selection: store.Selection{Hidden: true}, Level: &level, From: starts[0], To: f.Now,
	}, starts)
	for i := range counts {
		f.Errors[i] = int64(counts[i][errorLevel])
	}
	return err
}

// findGroups finds the groups of logs that were created or reopened in the last day and are open.
func findGroups(tx *store.Tx, id store.ProjectID, f *today.Facts) error {
	groups, err := tx.LogGroups(id)
	for _, g := range groups {
		to := &f.NewGroups
		switch regressed := g.RegressedAt > f.Now-day; {
		case g.State != loggroup.Open || g.ID == loggroup.Overflow, !regressed && g.FirstSeen <= f.Now-day:
			continue
		case regressed:
			to = &f.RegressedGroups
		}
		counts := g.Hours.At(f.Now)
		var hours [24]int64
		for i, n := range counts[loggroup.Hours-len(hours):] {
			hours[i] = int64(n)
		}
		to.Add(g.ID.String(), g.Title, hours)
	}
	return err
}

// startsBefore returns the start times of n consecutive intervals of the given length in seconds.
// The last interval ends at the time now.
func startsBefore(now, length int64, n int) []int64 {
	starts := make([]int64, n)
	for i := range starts {
		starts[i] = max(0, now-int64(n-i)*length+1)
	}
	return starts
}

// countFeedback counts all open feedback, and the feedback that was created on each of the days
// that f.Feedback covers. It stores the counts in f.
func countFeedback(tx *store.Tx, id store.ProjectID, f *today.Facts) error {
	created, open, err := tx.FeedbackOverview(id, startsBefore(f.Now, day, len(f.Feedback)))
	for i, n := range created {
		f.Feedback[i] = int64(n)
	}
	for _, n := range open {
		f.Waiting += int64(n)
	}
	f.OneStar = int64(open[1])
	return err
}

// findEnding finds the announcement that will expire next among those that are shown now.
func findEnding(tx *store.Tx, id store.ProjectID, f *today.Facts) error {
	return tx.EachAnnouncement(id, func(a *store.Announcement) error {
		shown := !a.Hidden && a.PublishedAt <= f.Now && a.ExpiresAt != nil && !a.Expired(f.Now)
		if shown && (f.Ending == nil || *a.ExpiresAt < f.Ending.Until) {
			f.Ending = &today.Ending{Title: a.Title, Until: *a.ExpiresAt, Versions: a.Versions}
		}
		return nil
	})
}
