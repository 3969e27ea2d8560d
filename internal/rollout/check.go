package rollout

import (
	"encoding/hex"
	"fmt"
	"slices"
	"unicode/utf8"

	"svc/internal/platform"
)

// seedLength is the number of hexadecimal digits of a seed.
const seedLength = 32

// maxReason is the maximum number of characters of a reason.
const maxReason = 512

// Problems returns a message for each rule that the rollout violates. It checks rollouts that come
// from outside, such as from an archive. field is the name of the rollout in the messages.
func (r *Rollout) Problems(field string) []string {
	all := CheckSteps(field+".steps", r.Steps)
	if len(all) > 0 {
		return all
	}
	add := func(format string, args ...any) { all = append(all, field+"."+fmt.Sprintf(format, args...)) }
	if !slices.Contains(States[:], r.State) {
		add("state must be one of %v", States)
	}
	for i, s := range r.Steps {
		if s.HoldSeconds < 0 || s.HoldSeconds > MaxHoldSeconds || s.MinExposure < 0 || s.MinExposure > MaxMinExposure {
			add("steps[%d]: hold_seconds must be from 0 to %d and min_exposure from 0 to %d", i, MaxHoldSeconds, MaxMinExposure)
		}
	}
	if r.Step != stepAt(r.Steps, r.Percent) {
		add("step must be %d, the last step whose percent is not greater", stepAt(r.Steps, r.Percent))
	}
	if seed, err := hex.DecodeString(r.Seed); err != nil || len(seed) != seedLength/2 {
		add("seed must have %d hexadecimal digits", seedLength)
	}
	if (r.Step >= 0) != (r.StepStartedAt != nil) {
		add("step_started_at must be set exactly if step is at least 0")
	}
	if r.Percent > 0 && r.StartedAt == nil {
		add("started_at is required above 0 percent")
	}
	if complete := r.State == Completed; complete != (r.CompletedAt != nil) || complete && (r.Percent != Whole || r.Cohort != nil) {
		add("completed_at must be set exactly if state is completed, which needs 100 percent and no cohort")
	}
	if r.Cohort != nil {
		r.Cohort.problems(add)
	}
	if len(r.History) > maxHistory {
		add("history must have at most %d entries", maxHistory)
	}
	for rule, state := range r.Noted {
		if utf8.RuneCountInString(rule) > maxRuleName || state != Suspect && state != Failing {
			add("noted must map names of at most %d characters to %s or %s", maxRuleName, Suspect, Failing)
		}
	}
	for i, e := range r.History {
		if e.Reason != nil && utf8.RuneCountInString(*e.Reason) > maxReason {
			add("history[%d].reason must have at most %d characters", i, maxReason)
		}
	}
	return all
}

func (c *Cohort) problems(add func(format string, args ...any)) {
	if len(c.Countries) > MaxCountries || slices.ContainsFunc(c.Countries, func(text string) bool { return !IsCountry(text) }) {
		add("cohort.countries must be at most %d country codes of two upper-case letters", MaxCountries)
	}
	for _, on := range c.Platforms {
		if !slices.Contains(platform.All[:], on) {
			add("cohort.platforms must not contain %q", on)
		}
	}
}
