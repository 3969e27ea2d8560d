package rollout_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"svc/internal/rollout"
)

// simulation describes the rollouts of a simulated release. Both default rules observe failures
// that occur independently of each other.
type simulation struct {
	factor   float64 // failure rate of the version, as a multiple of the baseline's
	rate     float64 // failure rate of the baseline
	exposure int     // new subjects of the version in each bucket
	baseline int     // new subjects of the baseline in each bucket
	buckets  int
}

// heldAt simulates a rollout and returns the number of subjects that had the version when a rule
// held it, or 0 if no rule did.
func (s simulation) heldAt(r *rand.Rand) int {
	health := rollout.DefaultHealthRules()
	evidence := make([]rollout.Evidence, len(health.Rules))
	failures := make([]int64, len(health.Rules))
	for bucket := range s.buckets {
		for i, rule := range health.Rules {
			c := rollout.Count{
				Exposure: int64(s.exposure), Failures: binomial(r, s.exposure, s.rate*s.factor),
				BaselineExposure: int64(s.baseline), BaselineFailures: binomial(r, s.baseline, s.rate),
			}
			failures[i] += c.Failures
			evidence[i].Add(rule.Tolerance, c)
			if failures[i] >= int64(rule.MinFailures) && evidence[i].Value() >= health.Limit() {
				return (bucket + 1) * s.exposure
			}
		}
	}
	return 0
}

// run simulates rollouts. It returns the number of those that were held within a number of
// subjects, and the average number of subjects that had the version by then.
func (s simulation) run(r *rand.Rand, rollouts, within int) (held int, average float64) {
	subjects := 0
	for range rollouts {
		if n := s.heldAt(r); n > 0 && n <= within {
			held++
			subjects += n
		}
	}
	return held, float64(subjects) / float64(max(held, 1))
}

// binomial returns the number of successes in n trials with probability p. It jumps from one
// success to the next, so its time depends on the number of successes.
func binomial(r *rand.Rand, n int, p float64) (successes int64) {
	if p >= 1 {
		return int64(n)
	}
	for at := 0; ; successes++ {
		skip := math.Floor(math.Log(1-r.Float64()) / math.Log1p(-p))
		if skip >= float64(n-at) {
			return successes
		}
		at += int(skip) + 1
	}
}

const day = 144 // buckets of ten minutes

// TestHealthyReleasesAreNotHeld simulates releases that fail as often as their baseline, or as much
// more often as the rules tolerate, at several failure rates. False alarms must be at most 1 %.
// SVC_LONG=1 simulates more and longer rollouts.
func TestHealthyReleasesAreNotHeld(t *testing.T) {
	t.Parallel()
	rollouts, buckets := 2000, day/2
	if os.Getenv("SVC_LONG") != "" {
		rollouts, buckets = 20000, 7*day
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, s := range []simulation{
		{factor: 1, rate: 0.005, exposure: 200, baseline: 2000, buckets: buckets},
		{factor: 1.5, rate: 0.005, exposure: 200, baseline: 2000, buckets: buckets},
		{factor: 1.5, rate: 0.2, exposure: 20, baseline: 20, buckets: buckets},
	} {
		held, _ := s.run(r, rollouts, math.MaxInt)
		t.Logf("%+v: %d of %d held", s, held, rollouts)
		if held > rollouts/100 {
			t.Errorf("%+v: %d of %d healthy rollouts were held, want at most 1 %%", s, held, rollouts)
		}
	}
}

// TestBadReleasesAreHeld simulates a release that fails four times as often as its baseline. It must
// be held before 3,000 subjects have it. SVC_LONG=1 simulates more rollouts.
func TestBadReleasesAreHeld(t *testing.T) {
	t.Parallel()
	rollouts := 100
	if os.Getenv("SVC_LONG") != "" {
		rollouts = 10000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("%8s %12s %10s %22s", "factor", "baseline", "held", "subjects when held")
	for _, baseline := range []int{2000, 1000, 400} {
		for _, factor := range []float64{1, 1.5, 2, 3, 4, 10} {
			s := simulation{factor: factor, rate: 0.005, exposure: 200, baseline: baseline, buckets: day}
			held, average := s.run(r, rollouts, 3000-1)
			t.Logf("%8v %12d %8.1f %% %22.0f", factor, baseline, 100*float64(held)/float64(rollouts), average)
			if factor == 4 && baseline == 2000 && held < rollouts*95/100 {
				t.Errorf("%d of %d rollouts were held, want at least 95 %%", held, rollouts)
			}
		}
	}
}
