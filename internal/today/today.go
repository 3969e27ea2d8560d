// Package today selects the findings that the first page of the console shows for a
// project. A finding is one figure with a sentence about it, and the most urgent ones
// come first. The package only computes: its caller reads the data and passes it in as
// Facts.
package today

import (
	"cmp"
	"fmt"
	"slices"

	"svc/internal/release"
	"svc/internal/usage"
)

// Kind is the subject of a finding. The console has a sentence for each one.
type Kind string

// The kinds, in order of decreasing weight.
const (
	NoFile           Kind = "no_file"           // clients must update to a version without a download
	NoBackup         Kind = "no_backup"         // a scheduled backup is missing; of the instance
	Errors           Kind = "errors"            // far more errors than usual
	FeedbackWaiting  Kind = "feedback_waiting"  // feedback that is still open
	MustUpdate       Kind = "must_update"       // clients run a version that they must leave
	AnnouncementEnds Kind = "announcement_ends" // an announcement expires soon
	NoVersion        Kind = "no_version"        // nothing has been published
	Adoption         Kind = "adoption"          // the share of the newest version
)

// Values are the figures of a finding. A field that a kind does not use is nil.
type Values struct {
	Count   *int64   `json:"count,omitempty"`
	Version *string  `json:"version,omitempty"`  // or a range of versions
	Share   *float64 `json:"share,omitempty"`    // 0 to 1
	Days    *int64   `json:"days,omitempty"`     // since the release
	Usual   *int64   `json:"usual,omitempty"`    // median of the seven days before
	Since   *int64   `json:"since,omitempty"`    // Unix seconds
	OneStar *int64   `json:"one_star,omitempty"` // feedback with the lowest rating
	Title   *string  `json:"title,omitempty"`    // of the announcement
	Until   *int64   `json:"until,omitempty"`    // Unix seconds
}

// Finding is one sentence on the page.
type Finding struct {
	Kind   Kind    `json:"kind"`
	Weight int     `json:"weight"` // 1 to 100; the larger, the more urgent
	Values Values  `json:"values"`
	Series []int64 `json:"series"` // the figure over time, oldest first; may be empty
	Link   string  `json:"link"`   // path of the console that shows more, without the project
}

// MaxFindings is the largest number of findings of a project.
const MaxFindings = 6

// The thresholds for a rise in errors. A day is reported if it has at least errorFloor
// errors and at least errorFactor times the median of the seven days before it.
const (
	errorFloor  = 10
	errorFactor = 2
)

const (
	hour = 3600
	day  = 24 * hour
	// ErrorDays is the number of days for which hourly error counts are needed: the last
	// day, and the seven days that it is compared with.
	ErrorDays = 8
	// AdoptionDays is the length, in days, of the series of the newest version.
	AdoptionDays = 14
	// UpdateDays is the number of most recent days over which the clients that must update are
	// counted.
	UpdateDays = 7
	// freshDays is the number of days after a release during which its adoption is news.
	freshDays = 14
)

// Facts are the counts from which findings are made. Each series ends at Now.
type Facts struct {
	Now int64 // Unix seconds

	Published bool // the project has versions
	// Policy decides about the clients. It is needed only if Checked returns true.
	Policy usage.Policy
	// Checks holds, for each day, the number of update checks by the version that the client
	// reported.
	Checks [AdoptionDays]map[string]int64

	Errors [ErrorDays * 24]int64 // hourly

	Ending *Ending // the announcement that expires next; nil = none

	Waiting, OneStar int64               // open feedback
	Feedback         [AdoptionDays]int64 // daily
}

// Checked reports whether there were update checks.
func (f *Facts) Checked() bool {
	return slices.ContainsFunc(f.Checks[:], func(checks map[string]int64) bool { return len(checks) > 0 })
}

// Findings returns at most MaxFindings findings, the most urgent first. The list is never nil.
func Findings(f *Facts) []Finding {
	found := append([]Finding{}, slices.Concat(f.updates(), f.errors(), f.feedback(), f.ending())...)
	return mostUrgent(found, func(f Finding) int { return f.Weight })
}

// mostUrgent returns at most MaxFindings of the given findings, by decreasing weight. It reorders
// the slice.
func mostUrgent[F any](found []F, weight func(F) int) []F {
	slices.SortStableFunc(found, func(a, b F) int { return cmp.Compare(weight(b), weight(a)) })
	return found[:min(len(found), MaxFindings)]
}

// updates returns the findings about versions.
func (f *Facts) updates() (found []Finding) {
	if !f.Published {
		return []Finding{{Kind: NoVersion, Weight: 20, Series: []int64{}, Link: "/admin/versions"}}
	}
	if !f.Checked() || f.Policy.Catalog.Len() == 0 {
		return nil
	}
	var must, lost lead
	for _, l := range f.Policy.Report(Sum(f.Checks[AdoptionDays-UpdateDays:])).Lines {
		if mustUpdate(l) {
			must.add(l.Target, l.Checks)
		}
		if f.hasNoFile(l) {
			lost.add(l.Target, l.Checks)
		}
	}
	if lost.total > 0 {
		found = append(found, f.leave(NoFile, 100, &lost, f.hasNoFile))
	}
	if must.total > lost.total {
		found = append(found, f.leave(MustUpdate, 40, &must, mustUpdate))
	}
	return append(found, f.adoption(f.Policy.Catalog.Latest())...)
}

// Sum adds up the update checks of several days.
func Sum(days []map[string]int64) map[string]int64 {
	sum := map[string]int64{}
	for _, checks := range days {
		for version, n := range checks {
			sum[version] += n
		}
	}
	return sum
}

// lead counts update checks by the version to which they direct the client.
type lead struct {
	total int64
	by    map[int]int64
}

func (l *lead) add(target int, n int64) {
	if l.by == nil {
		l.by = map[int]int64{}
	}
	l.by[target] += n
	l.total += n
}

// most returns the version to which the most checks lead.
func (l *lead) most() (at int) {
	best := int64(-1)
	for target, n := range l.by {
		if n > best || n == best && target < at {
			at, best = target, n
		}
	}
	return at
}

func mustUpdate(l usage.Line) bool { return l.Outcome == usage.Required }

// hasNoFile reports whether clients must update to a version that has no download.
func (f *Facts) hasNoFile(l usage.Line) bool { return mustUpdate(l) && !f.Policy.HasFile(l.Target) }

// leave returns the finding about the clients that l counts, with a series of the daily checks of
// the clients for which is returns true.
func (f *Facts) leave(kind Kind, weight int, l *lead, is func(usage.Line) bool) Finding {
	version := f.Policy.Catalog.Item(l.most()).Version
	series := make([]int64, AdoptionDays)
	for i, checks := range f.Checks {
		for _, line := range f.Policy.Report(checks).Lines {
			if is(line) {
				series[i] += line.Checks
			}
		}
	}
	return Finding{kind, weight, Values{Count: &l.total, Version: &version}, series, "/admin/versions"}
}

// adoption returns the newest version's share of the last day's checks, with a series of
// its daily checks. It returns nothing if there were no checks on the last day.
func (f *Facts) adoption(latest int) []Finding {
	item := f.Policy.Catalog.Item(latest)
	series := make([]int64, AdoptionDays)
	var all int64
	for i, checks := range f.Checks {
		report := f.Policy.Report(checks)
		series[i], all = report.Of(latest), report.Total.Checks
	}
	if all == 0 {
		return nil
	}
	share := usage.Share(series[AdoptionDays-1], all)
	days := max(0, f.Now-item.PublishedAt) / day
	weight := 10
	if days < freshDays {
		weight = 30
	}
	return []Finding{{Adoption, weight, Values{Count: &all, Version: &item.Version, Share: &share, Days: &days}, series, "/admin/analytics"}}
}

// errors returns a finding if the last day has far more errors than usual.
func (f *Facts) errors() []Finding {
	var days [ErrorDays]int64
	for i, n := range f.Errors {
		days[i/24] += n
	}
	count := days[ErrorDays-1]
	before := slices.Sorted(slices.Values(days[:ErrorDays-1]))
	usual := before[len(before)/2]
	if count < errorFloor || count < errorFactor*usual {
		return nil
	}
	last := f.Errors[len(f.Errors)-24:]
	since := f.Now - day + int64(firstRise(last, usual))*hour
	link := fmt.Sprintf("/admin/logs?level=3&time_from=%d", since)
	return []Finding{{Errors, 80, Values{Count: &count, Usual: &usual, Since: &since}, slices.Clone(last), link}}
}

// firstRise returns the index of the first hour with more than errorFactor times the
// errors of a usual hour. The usual number of errors is given per day.
func firstRise(hours []int64, usual int64) int {
	return max(0, slices.IndexFunc(hours, func(n int64) bool { return n > 0 && n*24 > errorFactor*usual }))
}

// feedback returns a finding if there is open feedback.
func (f *Facts) feedback() []Finding {
	if f.Waiting == 0 {
		return nil
	}
	weight := 50
	if f.OneStar > 0 {
		weight = 70
	}
	return []Finding{{
		FeedbackWaiting, weight, Values{Count: &f.Waiting, OneStar: &f.OneStar}, slices.Clone(f.Feedback[:]),
		"/admin/feedbacks?status=open&sort=created_at&order=asc", // the oldest first
	}}
}

// Ending is an announcement that is shown now and expires.
type Ending struct {
	Title    string
	Until    int64 // Unix seconds
	Versions release.Range
}

// EndingDays is the number of days before its end in which an announcement is reported.
const EndingDays = 7

// ending returns a finding if an announcement expires soon.
func (f *Facts) ending() []Finding {
	if f.Ending == nil || f.Ending.Until-f.Now > EndingDays*day {
		return nil
	}
	v := Values{Title: &f.Ending.Title, Until: &f.Ending.Until}
	if text := rangeText(f.Ending.Versions); text != "" {
		v.Version = &text
	}
	return []Finding{{AnnouncementEnds, 35, v, []int64{}, "/admin/announcements?expired=false"}}
}

// rangeText returns a range of versions as text in no language, or "" if it has no limits.
func rangeText(r release.Range) string {
	switch least, most := r.Min.String(), r.Max.String(); {
	case r.Min.IsZero() && r.Max.IsZero():
		return ""
	case r.Max.IsZero():
		return "≥ " + least
	case r.Min.IsZero():
		return "≤ " + most
	case least == most:
		return least
	default:
		return least + " – " + most
	}
}
