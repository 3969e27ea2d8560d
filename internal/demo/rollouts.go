package demo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"svc/internal/rollout"
)

// healthBucket is the length of the periods for which health counts are stored, in seconds. It is the
// longest that a server can have, because the projects are small.
const healthBucket = 3600

// rolling describes how a release reaches its users step by step.
type rolling struct {
	steps []rollout.Step
	// failing is the share of the sessions on the release in which the app sends log. If it is not
	// 0, the first health rule of the project holds the rollout, after at most heldAfter hours.
	failing   float64
	log       logKind
	heldAfter int
}

// channelLine is a channel of a project.
type channelLine struct {
	Name     string   `json:"name"`
	Includes []string `json:"includes"`
}

// distribution contains the distribution settings of a project.
type distribution struct {
	channels []channelLine
	health   rollout.HealthRules
	steps    []rollout.Step // default steps of a new rollout
}

type distributionLine struct {
	Channels  []channelLine       `json:"channels"`
	Health    rollout.HealthRules `json:"health"`
	Default   rolloutDefault      `json:"rollout_default"`
	UpdatedAt int64               `json:"updated_at"`
}

type rolloutDefault struct {
	Steps []rollout.Step `json:"steps"`
}

func (w *world) distributionLines() []distributionLine {
	d := w.distribution
	if d == nil {
		return nil
	}
	return []distributionLine{{d.channels, d.health, rolloutDefault{d.steps}, w.ago(40, 11)}}
}

// failure is an error log of a session, or an event that a health rule counts as a failure. name is
// the name of the event, or "" for an error log.
type failure struct {
	name string
	at   int64
}

// rolledOut is a release while it is being rolled out.
type rolledOut struct {
	*release
	index    int    // position in the releases of the project
	baseline string // the stable version before it
	record   *rollout.Rollout
}

// rollOut begins the rollouts of the project and advances them by their schedules, but not beyond
// latestHold. Function hold puts rollouts on hold afterwards.
func (w *world) rollOut() {
	c := w.chance("rollouts")
	baseline := ""
	for i := range w.releases {
		r := &w.releases[i]
		if r.rolling == nil {
			if !r.preview {
				baseline = r.version
			}
			continue
		}
		at := w.published(r)
		plan := rollout.Plan{Steps: r.rolling.steps, AutoAdvance: true, Health: true}
		record := rollout.New(plan, fmt.Sprintf("%016x%016x", c.Uint64(), c.Uint64()), false, rollout.Author{Now: at, By: "admin"})
		record.Baseline = new(baseline)
		for range r.rolling.steps {
			end, waits := record.StepEnds()
			if !waits || end > w.now || end >= w.latestHold(r) {
				break
			}
			if err := record.Advance(rollout.Author{Now: end, By: rollout.Schedule}); err != nil {
				panic("demo: " + err.Error()) // cannot happen, because StepEnds says that there is a next step
			}
		}
		w.rollouts = append(w.rollouts, &rolledOut{r, i, baseline, record})
	}
}

// latestHold returns the Unix time at which the rollout of a failing release is put on hold. Until
// that is known, it returns the latest possible time. For a release without failures, it returns a
// time after the end of the data.
func (w *world) latestHold(r *release) int64 {
	if r.rolling.failing == 0 {
		return w.now + day
	}
	if at := w.heldAt[r.version]; at != 0 {
		return at
	}
	return w.published(r) + int64(r.rolling.heldAfter)*3600
}

// join decides when a person installs the releases that are rolled out step by step. A person
// installs such a release only over its baseline, the stable version before it.
func (w *world) join(c *chance, p *person) {
	for _, r := range w.rollouts {
		bucket := rollout.Bucket(r.record.Seed, strconv.Itoa(c.IntN(10000)))
		delay := int64(c.wait(0.6) * day)
		at := int64(0) // when the rollout reaches the person
		for _, e := range slices.Backward(r.record.History) {
			if at == 0 && bucket < int(e.Percent) {
				at = max(e.At, w.ago(Days-1-p.joined, 0))
			}
		}
		if at > 0 && at+delay < w.latestHold(r.release) && w.version(p, at+delay) == r.baseline {
			p.adopted[r.index] = at + delay
		}
	}
}

// crash generates the error logs of failing releases.
func (w *world) crash() {
	for _, r := range w.rollouts {
		for _, s := range w.sessions {
			if s.version != r.version {
				continue
			}
			// A source for each session, so that the end of the rollout does not change sessions before it.
			if c := w.chance("crash " + s.id); c.happens(r.rolling.failing) {
				w.note(c, s, r.rolling.log, s.began+int64(c.between(1, 240)))
			}
		}
	}
}

// hold puts the rollouts of failing releases on hold. It returns the Unix times of the holds by
// version.
func (w *world) hold() map[string]int64 {
	heldAt := map[string]int64{}
	for _, r := range w.rollouts {
		if r.rolling.failing == 0 {
			continue
		}
		rules := w.distribution.health
		rule := rules.Rules[0]
		end := *r.record.StartedAt/healthBucket*healthBucket + healthBucket
		verdict := rules.Judge(rule, r.counts(w, rule, end))
		for verdict.State != rollout.Failing && end < w.latestHold(r.release) {
			end += healthBucket
			verdict = rules.Judge(rule, r.counts(w, rule, end))
		}
		n := verdict.Total
		reason := fmt.Sprintf("%d of %d failed, %d of %d on %s", n.Failures, n.Exposure, n.BaselineFailures, n.BaselineExposure, r.baseline)
		heldAt[r.version] = end + 3
		if err := r.record.Hold(rollout.Author{Now: end + 3, By: "rule " + rule.Name, Reason: &reason}); err != nil {
			panic("demo: " + err.Error()) // cannot happen, because the rollout is running
		}
	}
	return heldAt
}

// counts returns the exposure and the failures that a health rule counts before the Unix time
// until, for the release and for its baseline. There is one element for each bucket.
func (r *rolledOut) counts(w *world, rule rollout.HealthRule, until int64) []rollout.Count {
	version, baseline := w.healthOf(r.version, *r.record.StartedAt, until), w.healthOf(r.baseline, *r.record.StartedAt, until)
	all := map[int64]rollout.Count{}
	for at, l := range version {
		c := rollout.Count{Time: at}
		c.Exposure, c.Failures = l.of(rule)
		all[at] = c
	}
	for at, l := range baseline {
		c := all[at]
		c.BaselineExposure, c.BaselineFailures = l.of(rule)
		all[at] = c
	}
	return slices.SortedFunc(maps.Values(all), func(a, b rollout.Count) int { return cmp.Compare(a.Time, b.Time) })
}

// healthLine counts users of a version, and their addresses, in the bucket of healthBucket seconds
// in which their first session of a day began. ErrorLogs and Events count the users with a failure
// on that day.
type healthLine struct {
	Version   string           `json:"version"`
	Time      int64            `json:"t"`
	Addresses int64            `json:"addresses"`
	Users     int64            `json:"users"`
	ErrorLogs int64            `json:"error_logs,omitempty"`
	Events    map[string]int64 `json:"events,omitempty"`
}

func (l *healthLine) of(r rollout.HealthRule) (exposure, failures int64) {
	if r.Metric == rollout.EventMetric {
		return l.Users, l.Events[r.Event]
	}
	return l.Addresses, l.ErrorLogs
}

// healthOf returns the health counts of a version from the sessions that began in [from, until).
// The keys are the Unix times at which the buckets begin.
func (w *world) healthOf(version string, from, until int64) map[int64]*healthLine {
	type subject struct {
		*person
		day int64
	}
	lines, seen, failed := map[int64]*healthLine{}, map[subject]*healthLine{}, map[subject]map[string]bool{}
	for _, s := range w.byTime {
		if s.version != version || s.began < from || s.began >= until {
			continue
		}
		who := subject{s.person, s.began / day}
		l := seen[who]
		if l == nil {
			at := s.began / healthBucket * healthBucket
			if l = lines[at]; l == nil {
				l = &healthLine{Version: version, Time: at, Events: map[string]int64{}}
				lines[at] = l
			}
			l.Addresses++
			l.Users++
			seen[who], failed[who] = l, map[string]bool{}
		}
		for _, f := range s.failures {
			if f.at >= until || failed[who][f.name] {
				continue
			}
			failed[who][f.name] = true
			if f.name == "" {
				l.ErrorLogs++
			} else {
				l.Events[f.name]++
			}
		}
	}
	return lines
}

// healthLines returns the health counts of all versions that are or were being rolled out, and of
// their baselines. A version has counts only until its rollout is held.
func (w *world) healthLines() []healthLine {
	type key struct {
		version string
		at      int64
	}
	all := map[key]healthLine{}
	for _, r := range w.rollouts {
		until := w.now / healthBucket * healthBucket
		if r.record.State == rollout.Held {
			until = r.record.History[0].At / healthBucket * healthBucket
		}
		for _, version := range []string{r.version, r.baseline} {
			for at, l := range w.healthOf(version, *r.record.StartedAt, until) {
				all[key{version, at}] = *l
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b healthLine) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Time, b.Time))
	})
}

// watched reports whether a health rule of the project counts an event as a failure.
func (w *world) watched(event string) bool {
	return w.distribution != nil &&
		slices.ContainsFunc(w.distribution.health.Rules, func(r rollout.HealthRule) bool { return r.Event == event })
}

// rolloutOf returns the rollout of a release, or nil if it has none.
func (w *world) rolloutOf(r *release) *rollout.Rollout {
	for _, one := range w.rollouts {
		if one.release == r {
			return one.record
		}
	}
	return nil
}
