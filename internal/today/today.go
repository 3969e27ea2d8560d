// Package today selects the findings that the first page of the console shows for a
// project. A finding is a figure with a sentence about it. The most urgent ones come
// first. The package only computes: its caller reads the data and passes it as Facts.
package today

import (
	"cmp"
	"fmt"
	"slices"

	"svc/internal/release"
	"svc/internal/usage"
)

// Kind is the kind of a finding. The console has one sentence for each kind.
type Kind string

// The kinds of findings, in order of decreasing weight.
const (
	NoFile           Kind = "no_file"           // clients must update to a version without a download
	NoBackup         Kind = "no_backup"         // a scheduled backup of the instance is missing
	Regressed        Kind = "regressed_errors"  // groups of logs that were resolved and are open again
	Errors           Kind = "errors"            // far more errors than usual
	NewErrors        Kind = "new_errors"        // groups of logs that did not exist before
	FeedbackWaiting  Kind = "feedback_waiting"  // feedback that is still open
	MustUpdate       Kind = "must_update"       // clients run a version that they must leave
	AnnouncementEnds Kind = "announcement_ends" // an announcement expires soon
	NoVersion        Kind = "no_version"        // nothing has been published
	Adoption         Kind = "adoption"          // the share of the newest version among update checks
)

// Values contains the figures of a finding. A field that the kind of finding does not use
// is nil.
type Values struct {
	Count   *int64   `json:"count,omitempty"`    // number of update checks, errors, groups of logs, or feedback entries
	Version *string  `json:"version,omitempty"`  // a version, or a range of versions
	Share   *float64 `json:"share,omitempty"`    // share of the newest version among update checks, 0 to 1
	Days    *int64   `json:"days,omitempty"`     // number of days since the release
	Usual   *int64   `json:"usual,omitempty"`    // median of the daily errors of the seven previous days
	Since   *int64   `json:"since,omitempty"`    // start of the rise in errors, or time of the newest backup; Unix seconds
	OneStar *int64   `json:"one_star,omitempty"` // number of feedback entries with the lowest rating
	Title   *string  `json:"title,omitempty"`    // title of the announcement, or of the group with the most logs
	Until   *int64   `json:"until,omitempty"`    // expiry of the announcement; Unix seconds
}

// Finding is one line on the first page of the console: a sentence with its figures.
type Finding struct {
	Kind   Kind    `json:"kind"`
	Weight int     `json:"weight"` // urgency from 1 to 100; a larger number is more urgent
	Values Values  `json:"values"`
	Series []int64 `json:"series"` // the figure over time, oldest first; may be empty
	Link   string  `json:"link"`   // path of the page in the console with more details, relative to the project
}

// MaxFindings is the maximum number of findings in a list.
const MaxFindings = 6

// The limits from which a rise in errors is reported. A day is reported if it has at least
// errorFloor errors, and at least errorFactor times as many as the median of the seven days
// before it.
const (
	errorFloor  = 10
	errorFactor = 2
)

const (
	hour = 3600
	day  = 24 * hour
	// ErrorDays is the number of days for which errors per hour are needed: the last day,
	// and the seven days with which it is compared.
	ErrorDays = 8
	// AdoptionDays is the number of days of the series about the newest version.
	AdoptionDays = 14
	// UpdateDays is the number of days, up to now, in which clients that must update are
	// counted.
	UpdateDays = 7
	// freshDays is the number of days after a release in which its adoption has a greater weight.
	freshDays = 14
)

// Facts contains the figures from which the findings of a project are made. Each series
// ends at Now.
type Facts struct {
	Now int64 // Unix seconds

	Published bool // whether the project has versions
	// Policy decides about updates of clients. It is needed only if Checked returns true.
	Policy usage.Policy
	// Checks contains the number of update checks of each day, by the version that the
	// client reported.
	Checks [AdoptionDays]map[string]int64

	Errors [ErrorDays * 24]int64 // errors of each hour

	// NewGroups and RegressedGroups are the open groups that were created or reopened in the last day. A
	// group is in one of them only.
	NewGroups, RegressedGroups Groups

	Ending *Ending // the announcement that expires next; nil = none

	Waiting, OneStar int64               // open feedback; OneStar counts those with the lowest rating
	Feedback         [AdoptionDays]int64 // new feedback of each day
}

// Checked reports whether there were update checks.
func (f *Facts) Checked() bool {
	return slices.ContainsFunc(f.Checks[:], func(checks map[string]int64) bool { return len(checks) > 0 })
}

// Groups describes several groups of logs.
type Groups struct {
	Count  int64     // number of groups
	ID     string    // of the group with the most logs in the last day
	Title  string    // of that group
	most   int64     // logs of that group in the last day
	Series [24]int64 // logs of all groups in each hour of the last day
}

// Add adds a group with the given number of logs in each hour of the last day.
func (g *Groups) Add(id, title string, hours [24]int64) {
	sum := int64(0)
	for i, n := range hours {
		g.Series[i] += n
		sum += n
	}
	if g.Count == 0 || sum > g.most {
		g.ID, g.Title, g.most = id, title, sum
	}
	g.Count++
}

// Findings returns at most MaxFindings findings, the most urgent first. The list is never nil.
func Findings(f *Facts) []Finding {
	found := append([]Finding{}, slices.Concat(f.updates(), f.errors(), f.groups(), f.feedback(), f.ending())...)
	return mostUrgent(found, func(f Finding) int { return f.Weight })
}

// mostUrgent returns the most urgent of the given findings, at most MaxFindings of them.
// It reorders the slice.
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
	if latest := f.Policy.Catalog.Latest(); latest >= 0 {
		found = append(found, f.adoption(latest)...)
	}
	return found
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

// lead counts the update checks that direct clients to each version.
type lead struct {
	total int64
	by    map[int]int64 // by the position of the version in the catalog
}

func (l *lead) add(target int, n int64) {
	if l.by == nil {
		l.by = map[int]int64{}
	}
	l.by[target] += n
	l.total += n
}

// most returns the version to which most checks direct clients.
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

// leave returns a finding about the clients that l has counted. Its series contains, for
// each day, the number of checks of the clients for which the function is returns true.
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

// adoption returns a finding about the newest version's share of the update checks of the
// last day. Its series contains the number of checks by clients of that version on each day.
// adoption returns no finding if there were no checks on the last day.
func (f *Facts) adoption(latest int) []Finding {
	item := f.Policy.Catalog.Item(latest)
	share, all := f.Policy.CurrentShare(latest, f.Checks[AdoptionDays-1])
	if all == 0 {
		return nil
	}
	series := make([]int64, AdoptionDays)
	for i, checks := range f.Checks {
		series[i] = f.Policy.Report(checks).Of(latest)
	}
	days := max(0, f.Now-item.PublishedAt) / day
	weight := 10
	if days < freshDays {
		weight = 30
	}
	return []Finding{{Adoption, weight, Values{Count: &all, Version: &item.Version, Share: &share, Days: &days}, series, "/admin/analytics"}}
}

// errors returns a finding if the last day has far more errors than the days before.
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

// groups returns the findings about groups of logs.
func (f *Facts) groups() []Finding {
	return slices.Concat(f.RegressedGroups.finding(Regressed, 85), f.NewGroups.finding(NewErrors, 60))
}

// finding returns a finding about the groups, or none if there are no groups.
func (g *Groups) finding(kind Kind, weight int) []Finding {
	if g.Count == 0 {
		return nil
	}
	link := "/admin/logs/groups?state=open"
	if g.Count == 1 {
		link = "/admin/logs/group?open=" + g.ID
	}
	return []Finding{{kind, weight, Values{Count: &g.Count, Title: &g.Title}, slices.Clone(g.Series[:]), link}}
}

// firstRise returns the index of the first hour of the rise: it has more than errorFactor times the
// errors of a usual hour, and at least a quarter of those of the worst hour. The second condition
// leaves out hours that are busier than others on every day. usual is the number of errors on a usual
// day.
func firstRise(hours []int64, usual int64) int {
	worst := slices.Max(hours)
	return max(0, slices.IndexFunc(hours, func(n int64) bool { return n > 0 && n*24 > errorFactor*usual && n*4 >= worst }))
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
		"/admin/feedbacks?status=open&sort=created_at&order=asc", // sorted by age, the oldest first
	}}
}

// Ending is an announcement that is currently shown and will expire.
type Ending struct {
	Title    string
	Until    int64 // Unix seconds
	Versions release.Range
}

// EndingDays is the number of days before its expiry in which an announcement is
// reported.
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

// rangeText returns a range of versions in a form that does not depend on the language,
// or "" if it has no bounds.
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
