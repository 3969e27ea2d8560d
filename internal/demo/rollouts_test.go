package demo

import (
	"fmt"
	"strings"
	"testing"

	"svc/internal/rollout"
)

// TestRollouts checks that one release is held because it fails, that another one is under way and
// healthy for at least a day more, and that no more people have them than their percentages allow.
func TestRollouts(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3, 4} {
		w := newWorld(Config{Seed: seed, Now: noon}, wicklume)
		w.live()
		if len(w.rollouts) != 2 {
			t.Fatalf("got %d rollouts", len(w.rollouts))
		}
		held, running := w.rollouts[0], w.rollouts[1]
		for _, r := range w.rollouts {
			if problems := r.record.Problems("rollout"); problems != nil {
				t.Errorf("%s: %q", r.version, problems)
			}
			has := 0
			for _, p := range w.people {
				if p.adopted[r.index] != 0 {
					has++
				}
			}
			if share := float64(has) / float64(len(w.people)); share < 0.05 || share > float64(r.record.Percent)/10000+0.03 {
				t.Errorf("seed %d: %.3f of the people have %s at %s %%", seed, share, r.version, r.record.Percent)
			}
		}

		rules := w.distribution.health
		verdict := rules.Judge(rules.Rules[0], w.stored(held, rules.Rules[0]))
		last := held.record.History[0]
		reason := fmt.Sprintf("%d of %d failed, %d of %d on 0.12.1",
			verdict.Total.Failures, verdict.Total.Exposure, verdict.Total.BaselineFailures, verdict.Total.BaselineExposure)
		if held.record.State != rollout.Held || verdict.State != rollout.Failing || last.By != "rule error_logs" || *last.Reason != reason {
			t.Errorf("seed %d: %s is %s with %+v, %s by %s", seed, held.version, held.record.State, verdict, *last.Reason, last.By)
		}

		end, waits := running.record.StepEnds()
		if running.record.State != rollout.Running || running.record.Percent != 2500 || !waits || end < w.now+day {
			t.Errorf("seed %d: %s is %s at %s %% until %d", seed, running.version, running.record.State, running.record.Percent, end)
		}
		for _, rule := range rules.Rules {
			if v := rules.Judge(rule, w.stored(running, rule)); v.State != rollout.Healthy || v.Total.Exposure < 5 || v.Total.BaselineExposure < 50 {
				t.Errorf("seed %d: %s of %s: got %+v", seed, rule.Name, running.version, v)
			}
		}
	}
}

// stored returns what a rule counts for a rollout according to the health counts in the archive.
func (w *world) stored(r *rolledOut, rule rollout.HealthRule) []rollout.Count {
	counts := map[int64]*rollout.Count{}
	for _, l := range w.healthLines() {
		if l.Time < *r.record.StartedAt/healthBucket*healthBucket || l.Version != r.version && l.Version != r.baseline {
			continue
		}
		if counts[l.Time] == nil {
			counts[l.Time] = &rollout.Count{Time: l.Time}
		}
		if l.Version == r.version {
			counts[l.Time].Exposure, counts[l.Time].Failures = l.of(rule)
		} else {
			counts[l.Time].BaselineExposure, counts[l.Time].BaselineFailures = l.of(rule)
		}
	}
	var list []rollout.Count
	for _, c := range counts {
		// A held version is not counted any more, and neither is its baseline because of it.
		if r.record.State != rollout.Held || c.Time < r.record.History[0].At {
			list = append(list, *c)
		}
	}
	return list
}

// TestFailingRelease checks that the errors of the release that is held come from nothing else.
func TestFailingRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(Config{Seed: 1, Now: noon}, wicklume)
	w.live()
	n := 0
	for _, l := range w.logLines {
		if strings.HasPrefix(l.Content, "E12") {
			if n++; l.CustomData["app_version"] != "0.12.2" {
				t.Errorf("E12 on %v", l.CustomData["app_version"])
			}
		}
	}
	if n < 10 {
		t.Errorf("got %d logs with E12", n)
	}
}
