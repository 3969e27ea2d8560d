package analytics

import (
	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/today"
	"svc/internal/usage"
	"svc/store"
)

type usageView struct {
	web.SpanView
	Checks   int64            `json:"checks"`
	Required int64            `json:"required"`
	Optional int64            `json:"optional"`
	Current  int64            `json:"current"`
	Unknown  int64            `json:"unknown"`
	Latest   *latestShareView `json:"latest"`
	Data     []usageLineView  `json:"data"`
}

type latestShareView struct {
	ID      string  `json:"id"`
	Version string  `json:"version"`
	Share   float64 `json:"share"`
}

type usageLineView struct {
	ID            *string       `json:"id"`
	Version       string        `json:"version"`
	Checks        int64         `json:"checks"`
	Share         float64       `json:"share"`
	Decision      usage.Outcome `json:"decision"`
	Target        *string       `json:"target"`
	TargetHasFile bool          `json:"target_has_file"`
}

// maxUsageLines is the maximum number of versions in a response. It is needed because clients can
// send invented versions. The totals also include the versions beyond this maximum.
const maxUsageLines = 1000

// showUsage responds with how the update check decides about the clients of the last seven days. If
// the query describes a change of the policy, it responds as if the change had been made.
func (h *Handlers) showUsage(r *web.Request) (v usageView, err error) {
	var p problems
	change := p.policyChange(r)
	span := daysBefore(h.Now().Unix(), today.UpdateDays)
	var days [today.UpdateDays]map[string]int64
	err = h.withCounters(r, &p, span, func(tx *store.Tx, id store.ProjectID, _, _ store.Hour) error {
		return countChecks(tx, id, span.End, days[:])
	})
	if err != nil {
		return v, err
	}
	policy, err := h.policy(r)
	if err != nil {
		return v, err
	}
	policy, err = change.apply(policy)
	if err != nil {
		return v, err
	}
	return viewUsage(span, policy, policy.Report(today.Sum(days[:])), days[today.UpdateDays-1]), nil
}

// policyChange is a change of the update policy that is evaluated without being stored. A nil field
// means no change.
type policyChange struct {
	deprecate store.ID // zero = none
	unknown   bool     // the version to deprecate cannot exist
	min, max  *release.Comparable
}

func (p *problems) policyChange(r *web.Request) (c policyChange) {
	if text := r.Query("deprecate"); text != "" {
		id, ok := store.ParseID(text)
		c.deprecate, c.unknown = id, !ok
	}
	bound := func(name string) *release.Comparable {
		if !r.Sent(name) {
			return nil
		}
		return new(p.ComparableVersion(name, web.Optional[string]{Sent: true, Value: new(r.Query(name))}, true))
	}
	c.min, c.max = bound("optional_update_min_comparable_version"), bound("optional_update_max_comparable_version")
	return c
}

// apply returns p with the change made. If the API would refuse the change, apply returns the error
// of that refusal.
func (c policyChange) apply(p usage.Policy) (usage.Policy, error) {
	if c.min != nil {
		p.Optional.Min = *c.min
	}
	if c.max != nil {
		p.Optional.Max = *c.max
	}
	if !p.Optional.Valid() {
		return p, fault.Validation(web.VersionRange)
	}
	if c.deprecate == (store.ID{}) && !c.unknown {
		return p, nil
	}
	if at := p.Position(c.deprecate); at >= 0 {
		return p.Deprecate(at)
	}
	return p, fault.New(fault.NotFound, "version not found")
}

// policy returns the update policy of the project in the path.
func (h *Handlers) policy(r *web.Request) (usage.Policy, error) {
	snap, err := h.DB.Snapshot(r.Param("k"))
	if err != nil {
		return usage.Policy{}, err
	}
	_, err = r.Reached(snap.Project, nil)
	return policyOf(snap), err
}

func policyOf(snap *store.Snapshot) usage.Policy {
	return usage.Policy{
		Catalog: snap.Catalog, Optional: snap.Project.OptionalUpdate,
		HasFile: func(at int) bool {
			version := snap.Entry(at).Record
			return version.DownloadURL != nil || len(version.DownloadLinks) > 0
		},
	}
}

func viewUsage(span web.Span, p usage.Policy, week *usage.Report, lastDay map[string]int64) usageView {
	v := usageView{
		SpanView: span.View(), Checks: week.Total.Checks,
		Required: week.Total.Required, Optional: week.Total.Optional, Current: week.Total.Current, Unknown: week.Total.Unknown,
	}
	if latest := p.Catalog.Latest(); latest >= 0 {
		item := p.Catalog.Item(latest)
		share, _ := p.CurrentShare(latest, lastDay)
		v.Latest = &latestShareView{item.ID.String(), item.Version, share}
	}
	v.Data = web.Views(week.Lines[:min(len(week.Lines), maxUsageLines)], func(l usage.Line) usageLineView {
		line := usageLineView{
			Version: l.Version, Checks: l.Checks, Share: usage.Share(l.Checks, week.Total.Checks), Decision: l.Outcome,
		}
		if l.At >= 0 {
			line.ID = web.OrNull(p.Catalog.Item(l.At).ID.String())
		}
		if l.Target >= 0 {
			line.Target, line.TargetHasFile = &p.Catalog.Item(l.Target).Version, p.HasFile(l.Target)
		}
		return line
	})
	return v
}

// daysBefore returns the time span of the given number of days that ends at the time now.
func daysBefore(now int64, days int) web.Span {
	return web.Span{Start: max(0, now-int64(days)*day+1), End: now}
}

// countChecks counts update checks by day and by the version that the client sent. It stores the
// counts of each day in one element of the slice days. The last element is the day that ends at the
// time now.
func countChecks(tx *store.Tx, id store.ProjectID, now int64, days []map[string]int64) error {
	counts := make([]map[string]*int64, len(days)) // pointers, so that known versions allocate nothing
	for i := range counts {
		counts[i] = map[string]*int64{}
	}
	from, to := daysBefore(now, len(days)).Hours()
	err := tx.EachClientVersion(id, from, to, func(at store.Hour, _ platform.Platform, version []byte, n int64) {
		ago := (now - at.Start()) / day
		if ago >= int64(len(days)) {
			return
		}
		count := counts[int64(len(days))-1-ago]
		if known := count[string(version)]; known != nil {
			*known += n
		} else {
			count[string(version)] = &n
		}
	})
	for i := range days {
		days[i] = make(map[string]int64, len(counts[i]))
		for version, n := range counts[i] {
			days[i][version] = *n
		}
	}
	return err
}
