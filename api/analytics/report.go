package analytics

import (
	"errors"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/stats"
	"svc/internal/usage"
	"svc/store"
)

type reportView struct {
	Version  releaseView  `json:"version"`
	Previous *releaseView `json:"previous"`
}

// releaseView is the JSON form of a version's statistics since its release: its adoption, and the
// errors, ratings and downloads.
type releaseView struct {
	ID          string              `json:"id"`
	Version     string              `json:"version"`
	Title       *string             `json:"title"`
	PublishedAt int64               `json:"published_at"`
	Share       float64             `json:"share"`
	Adoption    []adoptedView       `json:"adoption"`
	Errors      beforeAfterView     `json:"errors"`
	Rating      ratingChangeView    `json:"rating"`
	Downloads   []fileDownloadsView `json:"downloads"`
	Behind      behindView          `json:"behind"`
}

// adoptedView is the number of update checks by clients that run the version, and their share of
// all update checks, in the hour or day that begins at Time.
type adoptedView struct {
	Time   int64   `json:"time"`
	Checks int64   `json:"checks"`
	Share  float64 `json:"share"`
}

// beforeAfterView holds the numbers of error logs in two periods of equal length, one before and
// one after the release. Window is the length of each period in seconds.
type beforeAfterView struct {
	Before int   `json:"before"`
	After  int   `json:"after"`
	Window int64 `json:"window"`
}

type ratingChangeView struct {
	Before ratingView `json:"before"`
	After  ratingView `json:"after"`
}

type ratingView struct {
	Count   int      `json:"count"`
	Average *float64 `json:"average"`
}

type behindView struct {
	Checks  int64        `json:"checks"`
	Reasons []reasonView `json:"reasons"`
}

type reasonView struct {
	Reason usage.Reason `json:"reason"`
	Checks int64        `json:"checks"`
}

// The limits of a report, in days. A report covers at most reportDays after the release. It
// contains the adoption of a version by hour until the release is hourlyDays old, and by day if it
// is older. Errors and ratings are compared over at most windowOfDays before and after the release.
const (
	reportDays   = 30
	hourlyDays   = 3
	windowOfDays = 7
)

// showReport responds with the statistics since the release of the version in the path, and with
// those of its predecessor.
func (h *Handlers) showReport(r *web.Request) (v reportView, err error) {
	h.flushCounters(r)
	snap, err := h.DB.Snapshot(r.Param("k"))
	if err != nil {
		return v, err
	}
	if _, err := r.Reached(snap.Project, nil); err != nil {
		return v, err
	}
	x := &reporter{snap: snap, policy: policyOf(snap), now: h.Now().Unix(), runs: map[string]int{}}
	at := -1
	if id, ok := store.ParseID(r.Param("id")); ok {
		at = x.policy.Position(id)
	}
	if at < 0 {
		return v, fault.New(fault.NotFound, "version not found")
	}
	err = h.DB.View(func(tx *store.Tx) error {
		x.tx = tx
		if err := countChecks(tx, snap.Project.ID, x.now, x.lastDay[:]); err != nil {
			return err
		}
		if v.Version, err = x.release(at); err != nil {
			return err
		}
		if before := x.policy.Predecessor(at); before >= 0 {
			previous, err := x.release(before)
			v.Previous = &previous
			return err
		}
		return nil
	})
	return v, err
}

// reporter computes the statistics of a report. All of them are read in one transaction.
type reporter struct {
	tx      *store.Tx
	snap    *store.Snapshot
	policy  usage.Policy
	now     int64
	lastDay [1]map[string]int64 // update checks of the last 24 hours by version
	runs    map[string]int      // caches the results of position, by its argument
}

func (x *reporter) release(at int) (v releaseView, err error) {
	record := x.snap.Entry(at).Record
	v = releaseView{ID: record.ID.String(), Version: record.Version, Title: record.Title, PublishedAt: record.PublishedAt}
	v.Share, _ = x.policy.CurrentShare(at, x.lastDay[0])
	from := min(record.PublishedAt, x.now)
	end := min(x.now, from+reportDays*day)
	return v, errors.Join(
		x.adoption(&v, at, from, end), x.around(&v, from), x.downloads(&v, at, from, end), x.behind(&v, at),
	)
}

// adoption computes the adoption of a version. The parameter at is its position in the catalog. It
// covers the time from the hour of the release until end, and stores the result in v.
func (x *reporter) adoption(v *releaseView, at int, from, end int64) error {
	start := from / hour * hour
	length := int64(hour)
	if end-start > hourlyDays*day {
		length = day
	}
	v.Adoption = make([]adoptedView, (end-start)/length+1)
	all := make([]int64, len(v.Adoption))
	first, last := web.Span{Start: start, End: end}.Hours()
	err := x.tx.EachClientVersion(x.snap.Project.ID, first, last, func(h store.Hour, _ platform.Platform, version []byte, n int64) {
		i := (h.Start() - start) / length
		all[i] += n
		if x.position(version) == at {
			v.Adoption[i].Checks += n
		}
	})
	for i := range v.Adoption {
		v.Adoption[i].Time, v.Adoption[i].Share = start+int64(i)*length, usage.Share(v.Adoption[i].Checks, all[i])
	}
	return err
}

// position returns the position in the catalog of the version that a client runs, or -1 if the
// catalog does not contain that version. The argument is the version as sent by the client.
func (x *reporter) position(version []byte) int {
	at, known := x.runs[string(version)]
	if !known {
		at = x.policy.Decide(string(version)).At
		x.runs[string(version)] = at
	}
	return at
}

// around stores in v the errors and the ratings of two periods of equal length, before and after
// the release. The parameter from is the time of the release.
func (x *reporter) around(v *releaseView, from int64) error {
	window := min(windowOfDays*day, x.now-from)
	v.Errors.Window = window
	id := x.snap.Project.ID
	for _, part := range []struct {
		from   int64
		errors *int
		rating *ratingView
	}{{from - window, &v.Errors.Before, &v.Rating.Before}, {from, &v.Errors.After, &v.Rating.After}} {
		if window == 0 {
			continue
		}
		levels, err := x.tx.LogLevels(id, part.from, part.from+window-1)
		if err != nil {
			return err
		}
		*part.errors = levels[errorLevel]
		ratings, err := x.tx.FeedbackRatings(id, part.from, part.from+window-1)
		if err != nil {
			return err
		}
		sum := 0
		for stars, n := range ratings[1:] {
			part.rating.Count += n
			sum += (stars + 1) * n
		}
		if part.rating.Count > 0 {
			part.rating.Average = new(float64(sum) / float64(part.rating.Count))
		}
	}
	return nil
}

// downloads stores in v the downloads of the files to which the version links, by day in UTC.
func (x *reporter) downloads(v *releaseView, at int, from, end int64) (err error) {
	files := x.snap.LinkedFiles(at)
	only := map[string]bool{}
	for _, f := range files {
		only[string(f)] = true
	}
	days := stats.Days(from, end, 0)
	first, last := web.Span{Start: days.Start(0), End: end}.Hours()
	v.Downloads, _, err = downloadsOf(x.tx, x.snap.Project.ID, first, last, days, only)
	for _, f := range v.Downloads {
		delete(only, f.FileID)
	}
	for _, f := range files {
		if only[string(f)] {
			v.Downloads = append(v.Downloads, viewDownloads(x.tx, x.snap.Project.ID, stats.Count{Key: string(f)}, days, nil))
		}
	}
	return err
}

// behind counts the update checks of clients that do not run the version yet, by reason, and
// stores the counts in v. Like the share of the version, it counts the last 24 hours.
func (x *reporter) behind(v *releaseView, at int) error {
	record := x.snap.Entry(at).Record
	counts := map[usage.Reason]int64{}
	span := daysBefore(x.now, len(x.lastDay))
	first, last := span.Hours()
	err := x.tx.EachClientVersion(x.snap.Project.ID, first, last, func(h store.Hour, on platform.Platform, version []byte, n int64) {
		if h.Start() < span.Start {
			return
		}
		if reason, ok := x.policy.Behind(at, string(version), record.Runs(on)); ok {
			counts[reason] += n
			v.Behind.Checks += n
		}
	})
	v.Behind.Reasons = []reasonView{}
	for _, reason := range usage.Reasons() {
		if n := counts[reason]; n > 0 {
			v.Behind.Reasons = append(v.Behind.Reasons, reasonView{reason, n})
		}
	}
	return err
}
