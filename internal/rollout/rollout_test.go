package rollout_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/rollout"
)

// seed is the seed of the published test vector.
const seed = "9f86d081884c7d659a2feaa0c55ad015"

func TestBucket(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key    string
		bucket int
	}{
		{"0", 2063},
		{"4711", 2728},
		{"c0ffee00-1111-4222-8333-444455556666", 4157},
		{"ärger", 9461},
	} {
		if got := rollout.Bucket(seed, tc.key); got != tc.bucket {
			t.Errorf("key %q: got bucket %d, want %d", tc.key, got, tc.bucket)
		}
	}
}

// TestIncludes checks with 10,000 keys that a percentage includes its share of them, that a greater
// percentage excludes nobody, and that seeds are independent of each other.
func TestIncludes(t *testing.T) {
	t.Parallel()
	const keys = 10_000
	other := strings.Repeat("0123456789abcdef", 2)
	included := func(seed, key string, p rollout.Percent) bool {
		r := rollout.Rollout{Seed: seed, Percent: p}
		return r.Includes(key)
	}
	for _, percent := range []rollout.Percent{0, 1, 10_00, 25_00, 50_00, 99_99, rollout.Whole} {
		one, both := 0, 0
		for n := range keys {
			key := fmt.Sprint(n)
			if !included(seed, key, percent) {
				continue
			}
			one++
			if included(other, key, percent) {
				both++
			}
			if !included(seed, key, min(percent+7_77, rollout.Whole)) {
				t.Errorf("key %s: got out at %s percent and more, want in as at %[2]s percent", key, percent)
			}
		}
		share := float64(percent) / float64(rollout.Whole)
		if got := float64(one) / keys; max(got-share, share-got) > 0.015 {
			t.Errorf("%s percent: got a share of %v of the keys", percent, got)
		}
		if got := float64(both) / keys; max(got-share*share, share*share-got) > 0.015 {
			t.Errorf("%s percent: got a share of %v of the keys with both seeds, want about %v", percent, got, share*share)
		}
	}
	if included(seed, "", 99_99) || !included(seed, "", rollout.Whole) {
		t.Error("without key: got in below 100 percent or out at 100 percent")
	}
}

//nolint:paralleltest // counts the allocations of the whole process
func TestBucketDoesNotAllocate(t *testing.T) {
	key := strings.Repeat("ä", 64)
	if n := testing.AllocsPerRun(100, func() { rollout.Bucket(seed, key) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for n := range int(rollout.Whole) + 1 {
		want := rollout.Percent(n)
		text, err := json.Marshal(want)
		var got rollout.Percent
		if err != nil || json.Unmarshal(text, &got) != nil || got != want {
			t.Fatalf("%d hundredths: got %s and %d", n, text, got)
		}
	}
	for _, text := range []string{"-0.01", "100.01", "0.001", "12.345", "99.999", "1e300", `"1"`} {
		p := rollout.Percent(7)
		if err := json.Unmarshal([]byte(text), &p); err == nil || p != 7 {
			t.Errorf("%s: got %s, want an error", text, p)
		}
	}
}

func TestCheckSteps(t *testing.T) {
	t.Parallel()
	steps := func(percents ...rollout.Percent) (all []rollout.Step) {
		for _, p := range percents {
			all = append(all, rollout.Step{Percent: p})
		}
		return all
	}
	for _, tc := range []struct {
		name  string
		steps []rollout.Step
		want  string
	}{
		{"one", steps(100_00), ""},
		{"from nobody on", steps(0, 1, 100_00), ""},
		{"none", nil, "steps must have 1 to 20 entries"},
		{"too many", make([]rollout.Step, 21), "steps must have 1 to 20 entries"},
		{"equal", steps(5_00, 5_00, 100_00), "steps[1].percent must be greater than 5, the percent of the step before it"},
		{"not everybody", steps(5_50, 1), "steps[1].percent must be greater than 5.5, the percent of the step before it" +
			"; steps must end with a step of 100 percent, not 0.01"},
	} {
		if got := strings.Join(rollout.CheckSteps("steps", tc.steps), "; "); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestCohort(t *testing.T) {
	t.Parallel()
	linux := []platform.Platform{platform.Linux, platform.Web}
	for _, tc := range []struct {
		name    string
		cohort  *rollout.Cohort
		on      platform.Platform
		country string
		inRange bool
		want    bool
	}{
		{"none", nil, "", "", false, true},
		{"platform", &rollout.Cohort{Platforms: linux}, platform.Web, "", false, true},
		{"other platform", &rollout.Cohort{Platforms: linux}, platform.Windows, "DE", true, false},
		{"unknown platform", &rollout.Cohort{Platforms: linux}, "", "DE", true, false},
		{"country", &rollout.Cohort{Countries: []string{"DE", "FR"}}, "", "FR", false, true},
		{"unknown country", &rollout.Cohort{Countries: []string{"DE"}}, platform.Linux, "", true, false},
		{"version", &rollout.Cohort{CurrentMax: "2.0"}, "", "", true, true},
		{"version out of range", &rollout.Cohort{CurrentMin: "2.0"}, platform.Linux, "DE", false, false},
		{"all", &rollout.Cohort{Platforms: linux, Countries: []string{"DE"}, CurrentMin: "1"}, platform.Linux, "DE", true, true},
		{"all but one", &rollout.Cohort{Platforms: linux, Countries: []string{"DE"}, CurrentMin: "1"}, platform.Linux, "FR", true, false},
	} {
		if got := tc.cohort.Matches(tc.on, tc.country, tc.inRange); got != tc.want {
			t.Errorf("%s: got %t, want %t", tc.name, got, tc.want)
		}
	}
	for text, want := range map[string]bool{"DE": true, "ZZ": true, "de": false, "D": false, "DEU": false, "D1": false, "Ä": false, "[[": false} {
		if got := rollout.IsCountry(text); got != want {
			t.Errorf("country %q: got %t, want %t", text, got, want)
		}
	}
}

// action is one of the changes of the state table.
type action func(r *rollout.Rollout, a rollout.Author) error

var actions = map[string]action{
	"pause": (*rollout.Rollout).Pause, "resume": (*rollout.Rollout).Resume, "hold": (*rollout.Rollout).Hold,
	"advance": (*rollout.Rollout).Advance, "complete": (*rollout.Rollout).Finish, "abort": (*rollout.Rollout).Abort,
	"change": func(r *rollout.Rollout, a rollout.Author) error {
		return r.Change(rollout.Change{Health: new(!r.Health)}, a)
	},
}

// TestStates tries every action in every state.
func TestStates(t *testing.T) {
	t.Parallel()
	to := map[rollout.State]map[string]rollout.State{
		rollout.Running: {"pause": rollout.Paused, "hold": rollout.Held, "advance": rollout.Running, "complete": rollout.Completed,
			"abort": rollout.Aborted, "change": rollout.Running},
		rollout.Paused: {"resume": rollout.Running, "hold": rollout.Held, "complete": rollout.Completed, "abort": rollout.Aborted,
			"change": rollout.Paused},
		rollout.Held:      {"resume": rollout.Running, "complete": rollout.Completed, "abort": rollout.Aborted, "change": rollout.Held},
		rollout.Completed: {},
		rollout.Aborted:   {},
	}
	reason := "looked into it"
	for from, possible := range to {
		for name, act := range actions {
			r := started(10_00, 50_00, rollout.Whole)
			r.State = from
			before := *r
			err := act(r, rollout.Author{Now: 2000, By: "ada", Reason: &reason})
			want, ok := possible[name]
			switch {
			case !ok && (!fault.Is(err, fault.Conflict) || !reflect.DeepEqual(*r, before)):
				t.Errorf("%s while %s: got %v and %+v, want a conflict and no change", name, from, err, *r)
			case ok && (err != nil || r.State != want || len(r.History) != 2 || r.History[0].At != 2000 || r.History[0].By != "ada"):
				t.Errorf("%s while %s: got %v and %+v, want state %s and an event", name, from, err, *r, want)
			}
		}
	}
}

// started returns a rollout that was created at time 1000 with the given steps.
func started(percents ...rollout.Percent) *rollout.Rollout {
	var steps []rollout.Step
	for _, p := range percents {
		steps = append(steps, rollout.Step{Percent: p, HoldSeconds: 60, MinExposure: 5})
	}
	return rollout.New(rollout.Change{Steps: steps}.Plan(), seed, false, rollout.Author{Now: 1000, By: "ada"})
}

func author(now int64) rollout.Author { return rollout.Author{Now: now, By: "ada"} }

func check(t *testing.T, name string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func TestHeldNeedsReason(t *testing.T) {
	t.Parallel()
	r := started(10_00, rollout.Whole)
	reason := "4 of 200 failed"
	check(t, "hold", r.Hold(rollout.Author{Now: 1010, By: "rule error_logs", Reason: &reason}), nil)
	if err := r.Resume(author(1020)); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want an error that asks for the reason", err)
	}
	check(t, "resume", r.Resume(rollout.Author{Now: 1030, By: "ada", Reason: &reason}), nil)
	check(t, "the step begins anew", *r.StepStartedAt, int64(1030))
	check(t, "the start stays", *r.StartedAt, int64(1000))
}

// TestStopped checks the time at which a rollout stops.
func TestStopped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		actions string // the first one at second 1
		want    int64  // 0 = still running
	}{
		{"", 0},
		{"pause", 0},
		{"hold", 1},
		{"pause hold", 2},
		{"hold resume", 0},
		{"hold resume hold", 3},
		{"hold change", 1},
		{"change", 0},
		{"abort", 1},
		{"hold abort", 1},
		{"hold resume abort", 3},
		{"advance", 0},
		{"advance advance", 2},
		{"pause complete", 2},
		{"hold change complete", 1},
	} {
		r := rollout.New(rollout.Plan{Steps: []rollout.Step{{Percent: 10_00}, {Percent: 50_00}, {Percent: rollout.Whole}}}, seed, false, rollout.Author{})
		why := "because"
		for i, name := range strings.Fields(tc.actions) {
			a, err := rollout.Author{Now: int64(i + 1), Reason: &why}, error(nil)
			switch name {
			case "change":
				err = r.Change(rollout.Change{Percent: new(rollout.Percent(20_00))}, a)
			default:
				err = map[string]func(rollout.Author) error{
					"pause": r.Pause, "resume": r.Resume, "hold": r.Hold, "advance": r.Advance, "complete": r.Finish, "abort": r.Abort,
				}[name](a)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if at, ok := r.Stopped(); at != tc.want || ok != (tc.want > 0) {
			t.Errorf("%q: got %d, %v, want %d", tc.actions, at, ok, tc.want)
		}
	}
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	r := started(10_00, 50_00, rollout.Whole)
	check(t, "first percent", r.Percent, rollout.Percent(10_00))
	for _, tc := range []struct {
		now, exposure int64
		suspect, want bool
	}{{1059, 5, false, false}, {1060, 4, false, false}, {1060, 5, true, false}, {1060, 5, false, true}, {9999, 99, false, true}} {
		if got := r.Advances(tc.now, tc.exposure, tc.suspect); got != tc.want {
			t.Errorf("%+v: got %t", tc, got)
		}
	}
	check(t, "advance", r.Advance(rollout.Author{Now: 1060, By: rollout.Schedule}), nil)
	check(t, "percent", r.Percent, rollout.Percent(50_00))
	check(t, "the next step waits in its turn", r.Advances(1061, 99, false), false)
	check(t, "advance", r.Advance(author(1120)), nil)
	check(t, "state at 100 percent", r.State, rollout.Completed)
	check(t, "completed at", *r.CompletedAt, int64(1120))
	var names []rollout.Action
	for _, e := range r.History {
		names = append(names, e.Action)
	}
	check(t, "history", names, []rollout.Action{rollout.ActionCompleted, rollout.ActionAdvanced, rollout.ActionAdvanced, rollout.ActionCreated})
}

func TestOnlyRunningAdvancesByItself(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *rollout.Rollout) error{
		"paused":        func(r *rollout.Rollout) error { return r.Pause(author(1001)) },
		"held":          func(r *rollout.Rollout) error { return r.Hold(author(1001)) },
		"aborted":       func(r *rollout.Rollout) error { return r.Abort(author(1001)) },
		"completed":     func(r *rollout.Rollout) error { return r.Finish(author(1001)) },
		"turned off":    func(r *rollout.Rollout) error { return r.Change(rollout.Change{AutoAdvance: new(false)}, author(1001)) },
		"percent given": func(r *rollout.Rollout) error { return r.Change(percent(20_00), author(1001)) },
		"before the first step": func(r *rollout.Rollout) error {
			c := percent(5_00)
			c.AutoAdvance = new(true)
			return r.Change(c, author(1001))
		},
	} {
		r := started(10_00, 50_00, rollout.Whole)
		if err := change(r); err != nil || r.Advances(1_000_000, 1_000_000, false) {
			t.Errorf("%s: got %v, or a step by itself", name, err)
		}
	}
}

func percent(p rollout.Percent) rollout.Change { return rollout.Change{Percent: &p} }

func TestPercentGiven(t *testing.T) {
	t.Parallel()
	r := started(10_00, 50_00, rollout.Whole)
	for _, tc := range []struct {
		percent rollout.Percent
		step    int
	}{{60_00, 1}, {50_00, 1}, {49_99, 0}, {9_99, -1}, {0, -1}, {10_00, 0}} {
		if err := r.Change(percent(tc.percent), author(1500)); err != nil || r.Step != tc.step || r.AutoAdvance ||
			(r.StepStartedAt == nil) != (tc.step < 0) || *r.StartedAt != 1000 {
			t.Errorf("%s percent: got %v and %+v, want step %d", tc.percent, err, *r, tc.step)
		}
	}
	before := *r
	check(t, "the same again", r.Change(percent(10_00), author(1600)), nil)
	check(t, "the same again", *r, before)
	check(t, "all", r.Change(percent(rollout.Whole), author(1700)), nil)
	check(t, "state at 100 percent", r.State, rollout.Completed)
}

func TestCohortWaitsForCompletion(t *testing.T) {
	t.Parallel()
	cohort := &rollout.Cohort{Countries: []string{"DE"}}
	r := rollout.New(rollout.Change{Cohort: &cohort}.Plan(), seed, false, author(1000))
	check(t, "state at 100 percent", r.State, rollout.Running)
	if err := r.Advance(author(1001)); !fault.Is(err, fault.Conflict) {
		t.Errorf("advance from the last step: got %v, want a conflict", err)
	}
	check(t, "a step by itself", r.Advances(1_000_000, 1_000_000, false), false)
	check(t, "without cohort", r.Change(rollout.Change{Cohort: new((*rollout.Cohort)(nil))}, author(1002)), nil)
	check(t, "state without cohort", r.State, rollout.Completed)
}

func TestPublished(t *testing.T) {
	t.Parallel()
	var none *rollout.Rollout
	check(t, "without rollout", none.Published() && none.Complete() && !none.IsAborted(), true)
	nobody := percent(0).Plan()
	r := rollout.New(nobody, seed, false, author(1000))
	check(t, "at 0 percent", r.Published(), false)
	check(t, "aborted at 0 percent", r.Abort(author(1001)) == nil && !r.Published() && r.IsAborted(), true)
	check(t, "visible before", rollout.New(nobody, seed, true, author(1000)).Published(), true)
	r = rollout.New(nobody, seed, false, author(1000))
	check(t, "change", r.Change(percent(1), author(1002)), nil)
	check(t, "start", *r.StartedAt, int64(1002))
	check(t, "back to nobody", r.Change(percent(0), author(1003)) == nil && r.Published(), true)
	r = rollout.New(nobody, seed, false, author(1))
	check(t, "completed from 0 percent", r.Finish(author(2)), nil)
	check(t, "problems of an archive with it", len(r.Problems("rollout")), 0)
}

// TestRandomHistory checks what always holds, over random changes.
func TestRandomHistory(t *testing.T) {
	t.Parallel()
	number := rand.Uint64()
	random := rand.New(rand.NewPCG(number, 0))
	names := []string{"pause", "resume", "hold", "advance", "change"}
	for range 20 {
		r := started(1_00, 10_00, 50_00, 99_00, rollout.Whole)
		for now := int64(1001); now < 1300 && !r.State.Final(); now++ {
			before := *r
			var err error
			if n := random.IntN(len(names) + 2); n < len(names) {
				err = actions[names[n]](r, rollout.Author{Now: now, By: "ada", Reason: new("x")})
			} else {
				err = r.Change(percent(rollout.Percent(random.IntN(60_00))), author(now))
			}
			if err != nil && !reflect.DeepEqual(before, *r) {
				t.Fatalf("number %d: got %v and a change", number, err)
			}
			if r.Step >= 0 && (r.Steps[r.Step].Percent > r.Percent || r.StepStartedAt == nil) || len(r.History) > 100 ||
				*r.StartedAt != 1000 || r.Seed != seed {
				t.Fatalf("number %d: got %+v", number, *r)
			}
			added := r.History[:len(r.Since(&before))]
			if rest := r.History[len(added):]; len(added) > 0 && added[len(added)-1].At != now || len(rest) > 0 && rest[0].At == now {
				t.Fatalf("number %d: at %d, %d entries are new in %+v", number, now, len(added), r.History)
			}
			text, err := json.Marshal(r)
			var again rollout.Rollout
			if err != nil || json.Unmarshal(text, &again) != nil || !reflect.DeepEqual(*r, again) {
				t.Fatalf("number %d: got another rollout from %s", number, text)
			}
		}
	}
}

// TestNote checks that a health state is new if it is worse than the noted one.
func TestNote(t *testing.T) {
	t.Parallel()
	r := started(10_00, rollout.Whole)
	for _, step := range []struct {
		rule  string
		state rollout.HealthState
		news  bool
	}{
		{"a", rollout.Suspect, true}, {"a", rollout.Suspect, false}, {"b", rollout.Failing, true}, {"b", rollout.Suspect, false},
		{"a", rollout.Failing, true}, {"a", rollout.Failing, false}, {"a", rollout.Suspect, false},
	} {
		if got := r.IsNews(step.rule, step.state); got != step.news {
			t.Errorf("%v: got %v with %v noted", step, got, r.Noted)
		}
		if before := *r; step.news {
			if r.Note(step.rule, step.state); reflect.DeepEqual(before.Noted, r.Noted) {
				t.Errorf("%v: changed the map of a copy", step)
			}
		}
	}
	if got := r.Problems("rollout"); got != nil {
		t.Errorf("got %q", got)
	}
}

// TestProblems checks the rules for a rollout from an archive.
func TestProblems(t *testing.T) {
	t.Parallel()
	check(t, "a rollout of the server", started(10_00, rollout.Whole).Problems("rollout"), []string(nil))
	for name, tc := range map[string]struct {
		change func(r *rollout.Rollout)
		want   string
	}{
		"no steps":        {func(r *rollout.Rollout) { r.Steps = nil }, "rollout.steps must have 1 to 20 entries"},
		"state":           {func(r *rollout.Rollout) { r.State = "done" }, "rollout.state must be one of"},
		"hold":            {func(r *rollout.Rollout) { r.Steps[0].HoldSeconds = -1 }, "rollout.steps[0]: hold_seconds must be from 0 to 7776000"},
		"step":            {func(r *rollout.Rollout) { r.Step = 1 }, "rollout.step must be 0"},
		"seed":            {func(r *rollout.Rollout) { r.Seed = "x" }, "rollout.seed must have 32 hexadecimal digits"},
		"start of step":   {func(r *rollout.Rollout) { r.StepStartedAt = nil }, "rollout.step_started_at must be set"},
		"start":           {func(r *rollout.Rollout) { r.StartedAt = nil }, "rollout.started_at is required above 0 percent"},
		"completed":       {func(r *rollout.Rollout) { r.State = rollout.Completed }, "rollout.completed_at must be set exactly if state is completed"},
		"country":         {func(r *rollout.Rollout) { r.Cohort = &rollout.Cohort{Countries: []string{"de"}} }, "rollout.cohort.countries must be at most 250"},
		"platform":        {func(r *rollout.Rollout) { r.Cohort = &rollout.Cohort{Platforms: []platform.Platform{"amiga"}} }, `must not contain "amiga"`},
		"long history":    {func(r *rollout.Rollout) { r.History = make([]rollout.Event, 101) }, "rollout.history must have at most 100 entries"},
		"noted state":     {func(r *rollout.Rollout) { r.Note("crashes", rollout.Healthy) }, "rollout.noted must map names of at most 64 characters"},
		"reason too long": {func(r *rollout.Rollout) { r.History[0].Reason = new(strings.Repeat("x", 513)) }, "rollout.history[0].reason must have at most 512"},
	} {
		r := started(10_00, rollout.Whole)
		tc.change(r)
		if got := strings.Join(r.Problems("rollout"), "; "); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
