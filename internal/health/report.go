package health

import (
	"fmt"
	"slices"

	"svc/internal/notify"
	"svc/internal/rollout"
	"svc/store"
)

// Report is the health of a rollout.
type Report struct {
	State    rollout.HealthState // the worst of all rules
	Baseline string              // display text of the baseline; "" = none
	Since    *int64              // Unix time since which counts are used; nil if the rollout has not started
	Rules    []Rule
}

// Rule is the state of a rule.
type Rule struct {
	rollout.HealthRule
	rollout.Verdict
	Series []rollout.Count // the closed buckets with subjects of the version or its baseline, the oldest first
}

// Report evaluates the rules of a project for a version with a rollout. It uses the counts in the
// store, which has only counts of closed buckets. If the rollout has stopped, Report leaves out all
// buckets that were not closed by then, because they may count only the baseline, for another
// rollout.
func (e *Engine) Report(tx *store.Tx, p store.ProjectID, v *store.Version) (Report, error) {
	settings, err := tx.Distribution(p)
	if err != nil {
		return Report{}, err
	}
	report := Report{State: rollout.NoData}
	r := v.Rollout
	var baseline *store.Version
	if r.Baseline != nil && *r.Baseline != "" {
		if baseline, err = tx.VersionNamed(p, *r.Baseline); err != nil {
			return report, err
		}
	}
	var buckets []pair
	if r.StartedAt != nil {
		from := e.start(*r.StartedAt)
		report.Since = r.StartedAt
		if r.ResumedAt != nil { // only buckets that begin after it
			from, report.Since = *r.ResumedAt, r.ResumedAt
		}
		if buckets, err = readBuckets(tx, p, v, baseline, from); err != nil {
			return report, err
		}
		if at, stopped := r.Stopped(); stopped {
			end := e.start(at)
			buckets = slices.DeleteFunc(buckets, func(b pair) bool { return b.start >= end })
		}
	}
	if baseline != nil {
		report.Baseline = baseline.Version
	}
	noBaseline := baseline == nil && r.StartedAt != nil
	if noBaseline {
		report.State = rollout.NoBaseline
	}
	for _, one := range settings.Health.Rules {
		rule := Rule{HealthRule: one, Series: []rollout.Count{}}
		for _, b := range buckets {
			if c := b.of(one); c.Exposure > 0 || c.BaselineExposure > 0 {
				rule.Series = append(rule.Series, c)
			}
		}
		rule.Verdict = settings.Health.Judge(one, rule.Series)
		if noBaseline {
			rule.State = rollout.NoBaseline
		}
		report.State = report.State.Worse(rule.State)
		report.Rules = append(report.Rules, rule)
	}
	return report, nil
}

// pair contains the counts of a version and of its baseline in one bucket.
type pair struct {
	start             int64 // Unix seconds
	version, baseline store.HealthCount
}

// of returns the counts that a rule uses.
func (b pair) of(r rollout.HealthRule) rollout.Count {
	c := rollout.Count{Time: b.start}
	c.Exposure, c.Failures = b.version.Of(r)
	c.BaselineExposure, c.BaselineFailures = b.baseline.Of(r)
	return c
}

// readBuckets reads the counts of a version and its baseline, which may be nil, in order of time.
// It skips buckets that start before the time in the parameter from, in Unix seconds.
func readBuckets(tx *store.Tx, p store.ProjectID, v, baseline *store.Version, from int64) ([]pair, error) {
	var all []pair
	err := tx.EachHealth(p, v.ID, from, func(at int64, c store.HealthCount) { all = append(all, pair{start: at, version: c}) })
	if err != nil || baseline == nil {
		return all, err
	}
	at, own := 0, len(all)
	err = tx.EachHealth(p, baseline.ID, from, func(start int64, c store.HealthCount) {
		for at < own && all[at].start < start {
			at++
		}
		if at < own && all[at].start == start {
			all[at].baseline = c
		} else {
			all = append(all, pair{start: start, baseline: c})
		}
	})
	slices.SortFunc(all, func(a, b pair) int { return int(a.start - b.start) })
	return all, err
}

// failing returns the first rule that is failing and holds the rollout, or nil if there is none.
func (r *Report) failing() *Rule {
	for i := range r.Rules {
		if rule := &r.Rules[i]; rule.State == rollout.Failing && rule.Action == rollout.Hold {
			return rule
		}
	}
	return nil
}

// noted reports whether the state of a rule is only recorded and reported: the rule is suspect, or
// it is failing but must not hold the rollout.
func (r *Rule) noted() bool {
	return r.State == rollout.Suspect || r.State == rollout.Failing && r.Action == rollout.Notify
}

// news reports whether a rule has a state that must be recorded and reported (see noted), and that
// has not been recorded yet for the given rollout.
func (r *Report) news(of *rollout.Rollout) bool {
	return slices.ContainsFunc(r.Rules, func(rule Rule) bool { return rule.noted() && of.IsNews(rule.Name, rule.State) })
}

// about describes, for a notification, why a rule is suspect or failing.
func (r *Report) about(rule *Rule) notify.Health {
	n := rule.Total
	return notify.Health{
		Rule: rule.Name, Metric: rule.Metric, EValue: rule.EValue, Failures: n.Failures, Exposure: n.Exposure,
		BaselineFailures: n.BaselineFailures, BaselineExposure: n.BaselineExposure, BaselineVersion: r.Baseline,
		Reason: fmt.Sprintf("%d of %d failed, %d of %d on %s", n.Failures, n.Exposure, n.BaselineFailures, n.BaselineExposure, r.Baseline),
	}
}
