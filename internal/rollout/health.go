package rollout

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"svc/internal/event/submission"
)

// HealthRules contains the rules that hold a rollout whose version fails too often.
type HealthRules struct {
	// FalseAlarm is the maximum probability that all rules together ever hold a healthy release.
	FalseAlarm float64      `json:"false_alarm"`
	Rules      []HealthRule `json:"rules"`
}

// HealthRule compares the failures of a version with the failures of its baseline.
type HealthRule struct {
	Name   string `json:"name"`
	Metric Metric `json:"metric"`
	Event  string `json:"event,omitempty"` // name of the event that is a failure; only for EventMetric
	// Tolerance is the accepted ratio of the version's failure rate to the baseline's.
	Tolerance   float64      `json:"tolerance"`
	MinFailures int          `json:"min_failures"` // number of failing subjects of the version from which the rule can act
	Action      HealthAction `json:"action"`
}

// Metric identifies what a rule counts as a failure.
type Metric string

// The metrics. Each counts subjects, which have failed or not: ErrorLogs counts addresses, and
// EventMetric counts distinct_ids.
const (
	ErrorLogs   Metric = "error_logs"
	EventMetric Metric = "event"
)

// HealthAction is what happens when a rule is failing.
type HealthAction string

// The actions of rules.
const (
	Hold   HealthAction = "hold"
	Notify HealthAction = "notify"
)

// The default values of the fields of a rule.
const (
	DefaultTolerance   = 1.5
	DefaultMinFailures = 5
)

// The limits of health rules.
const (
	MaxHealthRules = 8
	MaxMinFailures = 10000

	minFalseAlarm, maxFalseAlarm = 0.0001, 0.2
	maxRuleName                  = 64
	minTolerance, maxTolerance   = 1, 10
)

// DefaultHealthRules returns the rules of a project that has not changed them.
func DefaultHealthRules() HealthRules {
	rule := HealthRule{
		Name: "error_logs", Metric: ErrorLogs, Tolerance: DefaultTolerance, MinFailures: DefaultMinFailures, Action: Hold,
	}
	failed := rule
	failed.Name, failed.Metric, failed.Event = "update_failed", EventMetric, "update_failed"
	return HealthRules{FalseAlarm: 0.01, Rules: []HealthRule{rule, failed}}
}

// Problems returns one message for each invalid value. In the messages, field precedes the names of
// the fields.
func (h HealthRules) Problems(field string) (found []string) {
	add := func(format string, args ...any) { found = append(found, field+fmt.Sprintf(format, args...)) }
	if !(h.FalseAlarm >= minFalseAlarm && h.FalseAlarm <= maxFalseAlarm) {
		add(".false_alarm must be a number from %v to %v", minFalseAlarm, maxFalseAlarm)
	}
	if len(h.Rules) > MaxHealthRules {
		add(".rules must have at most %d entries", MaxHealthRules)
	}
	names := map[string]bool{}
	for i, r := range h.Rules {
		at := fmt.Sprintf("%s.rules[%d]", field, i)
		if names[r.Name] {
			found = append(found, at+".name must be unique")
		}
		names[r.Name] = true
		found = append(found, r.problems(at)...)
	}
	return found
}

func (r HealthRule) problems(field string) (found []string) {
	add := func(format string, args ...any) { found = append(found, field+fmt.Sprintf(format, args...)) }
	if n := utf8.RuneCountInString(r.Name); n > maxRuleName || strings.TrimSpace(r.Name) == "" {
		add(".name must have 1 to %d characters", maxRuleName)
	}
	switch {
	case r.Metric != ErrorLogs && r.Metric != EventMetric:
		add(".metric must be one of: %s, %s", ErrorLogs, EventMetric)
	case r.Metric == EventMetric && r.Event == "":
		add(".event is required for the metric %s", EventMetric)
	case r.Metric == EventMetric && !submission.ValidName(r.Event):
		add(".event %s", submission.NameRule)
	case r.Metric == ErrorLogs && r.Event != "":
		add(".event must be null for the metric %s", ErrorLogs)
	}
	if !(r.Tolerance >= minTolerance && r.Tolerance <= maxTolerance) {
		add(".tolerance must be a number from %d to %d", minTolerance, maxTolerance)
	}
	if r.MinFailures < 1 || r.MinFailures > MaxMinFailures {
		add(".min_failures must be an integer from 1 to %d", MaxMinFailures)
	}
	if r.Action != Hold && r.Action != Notify {
		add(".action must be one of: %s, %s", Hold, Notify)
	}
	return found
}

// Limit returns the e-value from which a rule is failing.
func (h HealthRules) Limit() float64 { return float64(len(h.Rules)) / h.FalseAlarm }

// Count contains the subjects that were first seen in one bucket of time, and those of them that
// have failed since.
type Count struct {
	Time                               int64 // start of the bucket, in Unix seconds
	Exposure, Failures                 int64 // subjects of the version
	BaselineExposure, BaselineFailures int64 // subjects of the baseline
}

// used reports whether the bucket has subjects of both the version and the baseline, so that they can
// be compared.
func (c Count) used() bool { return c.Exposure > 0 && c.BaselineExposure > 0 }

// alternatives are the failure ratios that Evidence tests for, as multiples of the tolerance.
var alternatives = [...]float64{1.5, 2, 3, 5, 10}

// Evidence accumulates the evidence that a version fails more often than its baseline, beyond a
// tolerance. It is the logarithm of a likelihood ratio for each alternative.
//
// The null hypothesis is that a subject of the version fails at most r₀ times as often as a subject
// of the baseline. In a bucket with E subjects of the version and B subjects of the baseline, a
// failing subject belongs to the version with probability p(r) = r·E / (B + r·E), if the version
// fails r times as often. The failure rate itself, which changes over the day, cancels out. With f
// and b failing subjects, the likelihood ratio of r against r₀ is
//
//	(p(r)/p(r₀))^f · ((1−p(r))/(1−p(r₀)))^b = m^f · c^(f+b),  m = r/r₀,  c = (B + r₀·E) / (B + r·E)
//
// Its expected value under the null hypothesis is at most 1. Let q be the baseline's failure rate
// and x ≤ r₀·q the version's. Because m·c ≥ 1 and ln(1+z) ≤ z,
//
//	ln E[(m·c)^f · c^b] = E·ln(1 + x·(m·c−1)) + B·ln(1 + q·(c−1))
//	                    ≤ q·(r₀·E·(m·c−1) + B·(c−1)) = q·(c·(B + r·E) − (B + r₀·E)) = 0
//
// The product over the buckets is therefore a nonnegative supermartingale with initial value 1. So
// is the mean over the alternatives, which needs no assumption about the size of a defect. By
// Ville's inequality such an e-process reaches 1/α with probability at most α, however often it is
// looked at. Rollouts are tested after each bucket, so a test for a fixed sample size would raise
// far more false alarms than its level says.
//
// References: J. Ville, Étude critique de la notion de collectif (1939). A. Ramdas, P. Grünwald,
// V. Vovk and G. Shafer, Game-theoretic statistics and safe anytime-valid inference, Statistical
// Science 38 (2023). The mixture over alternatives is H. Robbins's method of mixtures (1970).
type Evidence [len(alternatives)]float64

// Add adds a closed bucket. A bucket without subjects of the version, or of the baseline, has no
// effect.
func (e *Evidence) Add(tolerance float64, c Count) {
	if !c.used() {
		return
	}
	version, baseline := float64(c.Exposure), float64(c.BaselineExposure)
	failures, all := float64(c.Failures), float64(c.Failures+c.BaselineFailures)
	for j, multiple := range alternatives {
		shrink := math.Log((baseline + tolerance*version) / (baseline + tolerance*multiple*version))
		e[j] += failures*math.Log(multiple) + all*shrink
	}
}

// Value returns the e-value: the mean of the likelihood ratios, at most math.MaxFloat64. Without
// buckets it is 1.
func (e *Evidence) Value() float64 {
	greatest := e[0]
	for _, l := range e {
		greatest = max(greatest, l)
	}
	sum := 0.0
	for _, l := range e {
		sum += math.Exp(l - greatest)
	}
	return min(math.Exp(greatest+math.Log(sum/float64(len(e)))), math.MaxFloat64)
}

// HealthState is the state of a rule, or of all rules of a rollout.
type HealthState string

// The states of rules, from good to bad.
const (
	NoBaseline HealthState = "no_baseline" // there is no version to compare with
	NoData     HealthState = "no_data"     // no bucket has subjects of both the version and the baseline
	Healthy    HealthState = "healthy"
	Suspect    HealthState = "suspect" // steps do not advance
	Failing    HealthState = "failing"
)

// suspectAt is the e-value from which a rule is suspect.
const suspectAt = 10

// Worse returns the worse of two states.
func (s HealthState) Worse(other HealthState) HealthState {
	if s.rank() < other.rank() {
		return other
	}
	return s
}

func (s HealthState) rank() int {
	for i, one := range [...]HealthState{NoBaseline, NoData, Healthy, Suspect, Failing} {
		if s == one {
			return i
		}
	}
	return -1
}

// Verdict is the result of a rule.
type Verdict struct {
	State         HealthState
	EValue, Limit float64
	Total         Count // sums over all buckets; Time is 0
}

// Judge applies a rule to the closed buckets since the rollout started.
func (h HealthRules) Judge(r HealthRule, buckets []Count) Verdict {
	v := Verdict{State: NoData, Limit: h.Limit()}
	var evidence Evidence
	for _, c := range buckets {
		v.Total.Exposure += c.Exposure
		v.Total.Failures += c.Failures
		v.Total.BaselineExposure += c.BaselineExposure
		v.Total.BaselineFailures += c.BaselineFailures
		evidence.Add(r.Tolerance, c)
		if c.used() {
			v.State = Healthy
		}
	}
	v.EValue = evidence.Value()
	switch {
	case v.State == NoData:
	case v.EValue >= v.Limit && v.Total.Failures >= int64(r.MinFailures):
		v.State = Failing
	case v.EValue >= suspectAt:
		v.State = Suspect
	}
	return v
}
