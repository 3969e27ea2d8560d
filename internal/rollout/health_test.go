package rollout_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"svc/internal/rollout"
)

// oneRule returns rules with a single rule, so that the limit is 100.
func oneRule() rollout.HealthRules {
	h := rollout.DefaultHealthRules()
	h.Rules = h.Rules[:1]
	return h
}

// buckets returns n equal buckets.
func buckets(n int, c rollout.Count) []rollout.Count { return slices.Repeat([]rollout.Count{c}, n) }

// TestEValues checks e-values that were computed with another program.
func TestEValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		failures int64
		want     []float64
	}{
		{4, []float64{2.0123, 5.1391, 13.9404, 39.2016, 113.1691, 332.9877}},
		{6, []float64{10.7851, 158.1139}},
	} {
		var e rollout.Evidence
		for i, want := range tc.want {
			e.Add(1.5, rollout.Count{Exposure: 200, Failures: tc.failures, BaselineExposure: 2000, BaselineFailures: 10})
			if got := e.Value(); math.Abs(got-want) > 0.00005 {
				t.Errorf("%d failures, bucket %d: e-value %.4f, want %.4f", tc.failures, i+1, got, want)
			}
		}
	}
}

// TestEValueIsFinite checks that no counts give an e-value that JSON cannot represent.
func TestEValueIsFinite(t *testing.T) {
	t.Parallel()
	var empty rollout.Evidence
	if got := empty.Value(); got != 1 {
		t.Errorf("without buckets: e-value %v, want 1", got)
	}
	for _, c := range []rollout.Count{
		{Exposure: 1 << 40, Failures: 1 << 40, BaselineExposure: 1, BaselineFailures: 0},
		{Exposure: 1 << 40, Failures: 0, BaselineExposure: 1, BaselineFailures: 1},
		{Exposure: 1, Failures: 1, BaselineExposure: 1 << 40, BaselineFailures: 1 << 40},
	} {
		var e rollout.Evidence
		for range 1000 {
			e.Add(10, c)
		}
		if got := e.Value(); math.IsNaN(got) || math.IsInf(got, 0) || got < 0 {
			t.Errorf("%+v: e-value %v, want a finite number", c, got)
		}
	}
}

// TestHealthStates checks the state of a rule at each threshold.
func TestHealthStates(t *testing.T) {
	t.Parallel()
	bad := rollout.Count{Exposure: 200, Failures: 4, BaselineExposure: 2000, BaselineFailures: 10}
	burst := rollout.Count{Exposure: 200, Failures: 20, BaselineExposure: 2000, BaselineFailures: 10}
	for _, tc := range []struct {
		name        string
		health      rollout.HealthRules
		minFailures int
		buckets     []rollout.Count
		want        rollout.HealthState
	}{
		{"no bucket", oneRule(), 5, nil, rollout.NoData},
		{"nobody runs the version", oneRule(), 5, buckets(9, rollout.Count{BaselineExposure: 5, BaselineFailures: 5}), rollout.NoData},
		{"nobody runs the baseline", oneRule(), 5, buckets(9, rollout.Count{Exposure: 5, Failures: 5}), rollout.NoData},
		{"two buckets", oneRule(), 5, buckets(2, bad), rollout.Healthy},
		{"three buckets", oneRule(), 5, buckets(3, bad), rollout.Suspect},
		{"four buckets", oneRule(), 5, buckets(4, bad), rollout.Suspect},
		{"five buckets, limit 100", oneRule(), 5, buckets(5, bad), rollout.Failing},
		{"five buckets, limit 200", rollout.DefaultHealthRules(), 5, buckets(5, bad), rollout.Suspect},
		{"six buckets, limit 200", rollout.DefaultHealthRules(), 5, buckets(6, bad), rollout.Failing},
		{"too few failures", oneRule(), 21, buckets(1, burst), rollout.Suspect},
		{"enough failures", oneRule(), 20, buckets(1, burst), rollout.Failing},
		{"equal rates", oneRule(), 5, buckets(99, rollout.Count{Exposure: 200, Failures: 1, BaselineExposure: 2000, BaselineFailures: 10}), rollout.Healthy},
	} {
		rule := tc.health.Rules[0]
		rule.MinFailures = tc.minFailures
		if got := tc.health.Judge(rule, tc.buckets); got.State != tc.want {
			t.Errorf("%s: state %s (e-value %v, limit %v), want %s", tc.name, got.State, got.EValue, got.Limit, tc.want)
		}
	}
	total := rollout.DefaultHealthRules().Judge(oneRule().Rules[0], buckets(6, bad)).Total
	if want := (rollout.Count{Exposure: 1200, Failures: 24, BaselineExposure: 12000, BaselineFailures: 60}); total != want {
		t.Errorf("total %+v, want %+v", total, want)
	}
	order := []rollout.HealthState{rollout.NoBaseline, rollout.NoData, rollout.Healthy, rollout.Suspect, rollout.Failing}
	for i, s := range order {
		for j, other := range order {
			if got := s.Worse(other); got != order[max(i, j)] {
				t.Errorf("worse of %s and %s: %s", s, other, got)
			}
		}
	}
}

// TestHealthRules checks the message for each rule that is not valid.
func TestHealthRules(t *testing.T) {
	t.Parallel()
	if found := rollout.DefaultHealthRules().Problems("health"); len(found) > 0 {
		t.Errorf("the default rules are not valid: %q", found)
	}
	for _, tc := range []struct {
		name   string
		change func(h *rollout.HealthRules)
		want   string
	}{
		{"no false alarms", func(h *rollout.HealthRules) { h.FalseAlarm = 0 }, "health.false_alarm must be a number from 0.0001 to 0.2"},
		{"many false alarms", func(h *rollout.HealthRules) { h.FalseAlarm = 0.21 }, "health.false_alarm must be a number from 0.0001 to 0.2"},
		{"not a number", func(h *rollout.HealthRules) { h.FalseAlarm = math.NaN() }, "health.false_alarm must be a number from 0.0001 to 0.2"},
		{"blank name", func(h *rollout.HealthRules) { h.Rules[0].Name = " " }, "health.rules[0].name must have 1 to 64 characters"},
		{"long name", func(h *rollout.HealthRules) { h.Rules[0].Name = strings.Repeat("ä", 65) }, "health.rules[0].name must have 1 to 64 characters"},
		{"same name", func(h *rollout.HealthRules) { h.Rules[1].Name = "error_logs" }, "health.rules[1].name must be unique"},
		{"metric", func(h *rollout.HealthRules) { h.Rules[0].Metric = "cpu" }, "health.rules[0].metric must be one of: error_logs, event"},
		{"no event", func(h *rollout.HealthRules) { h.Rules[1].Event = "" }, "health.rules[1].event is required for the metric event"},
		{"event name", func(h *rollout.HealthRules) { h.Rules[1].Event = "A b" }, "health.rules[1].event must be 1 to 64 of a to z, 0 to 9, _ . : and -"},
		{"event of logs", func(h *rollout.HealthRules) { h.Rules[0].Event = "x" }, "health.rules[0].event must be null for the metric error_logs"},
		{"low tolerance", func(h *rollout.HealthRules) { h.Rules[0].Tolerance = 0.9 }, "health.rules[0].tolerance must be a number from 1 to 10"},
		{"high tolerance", func(h *rollout.HealthRules) { h.Rules[0].Tolerance = 10.1 }, "health.rules[0].tolerance must be a number from 1 to 10"},
		{"no failures", func(h *rollout.HealthRules) { h.Rules[0].MinFailures = 0 }, "health.rules[0].min_failures must be an integer from 1 to 10000"},
		{"many failures", func(h *rollout.HealthRules) { h.Rules[0].MinFailures = 10001 }, "health.rules[0].min_failures must be an integer from 1 to 10000"},
		{"action", func(h *rollout.HealthRules) { h.Rules[0].Action = "yank" }, "health.rules[0].action must be one of: hold, notify"},
		{"many rules", func(h *rollout.HealthRules) {
			for i := range 7 {
				r := h.Rules[0]
				r.Name = strings.Repeat("n", i+1)
				h.Rules = append(h.Rules, r)
			}
		}, "health.rules must have at most 8 entries"},
	} {
		h := rollout.DefaultHealthRules()
		tc.change(&h)
		if got := h.Problems("health"); !slices.Equal(got, []string{tc.want}) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
