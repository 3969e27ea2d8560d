package resource

import (
	"encoding/json"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/release"
	"svc/internal/rollout"
)

// rolloutInput contains the settings of a rollout that a client can write.
type rolloutInput struct {
	Percent     web.Optional[rollout.Percent]   `json:"percent"`
	Steps       web.Optional[[]json.RawMessage] `json:"steps"`
	AutoAdvance web.Optional[bool]              `json:"auto_advance"`
	Cohort      web.Optional[json.RawMessage]   `json:"cohort"`
	Health      web.Optional[bool]              `json:"health"`
}

// check checks the body of a request that writes a rollout.
func (in rolloutInput) check(how write) (rollout.Change, error) {
	p := checking(how)
	c := in.change(&p, "")
	return c, p.Err()
}

// change checks the settings and returns those that were sent. prefix precedes the names of the
// fields in messages.
func (in rolloutInput) change(p *problems, prefix string) rollout.Change {
	c := rollout.Change{AutoAdvance: in.AutoAdvance.Value, Health: in.Health.Value, Percent: in.Percent.Value}
	if p.Present(prefix+"percent", in.Percent.Sent, in.Percent.Null(), false, true) && in.Percent.Wrong {
		p.Add("%spercent must be a number from 0 to 100 with at most 2 decimals", prefix)
	}
	if p.Present(prefix+"steps", in.Steps.Sent, in.Steps.Null(), false, true) {
		c.Steps = p.steps(prefix+"steps", in.Steps)
	}
	p.Flag(prefix+"auto_advance", in.AutoAdvance)
	p.Flag(prefix+"health", in.Health)
	if in.Cohort.Sent {
		c.Cohort = new(p.cohort(prefix+"cohort", in.Cohort))
	}
	return c
}

func (p *problems) steps(field string, o web.Optional[[]json.RawMessage]) []rollout.Step {
	type entry struct {
		Percent     web.Optional[rollout.Percent] `json:"percent"`
		HoldSeconds web.Optional[web.Integer]     `json:"hold_seconds"`
		MinExposure web.Optional[web.Integer]     `json:"min_exposure"`
	}
	before := len(p.List)
	steps := []rollout.Step{}
	for i, e := range web.Entries[entry](&p.Problems, field, o, rollout.MaxSteps) {
		if e.Percent.Value == nil {
			p.Add("%s must be a number from 0 to 100 with at most 2 decimals", web.EntryField(field, i, "percent"))
		}
		p.Number(web.EntryField(field, i, "hold_seconds"), e.HoldSeconds, 0, rollout.MaxHoldSeconds, false)
		p.Number(web.EntryField(field, i, "min_exposure"), e.MinExposure, 0, rollout.MaxMinExposure, false)
		steps = append(steps, rollout.Step{
			Percent: e.Percent.Or(0), HoldSeconds: int64(e.HoldSeconds.Or(0)), MinExposure: int64(e.MinExposure.Or(0)),
		})
	}
	if len(p.List) == before {
		p.List = append(p.List, rollout.CheckSteps(field, steps)...)
	}
	return steps
}

// cohort checks a cohort. It returns nil if the cohort is null or has no condition.
func (p *problems) cohort(field string, o web.Optional[json.RawMessage]) *rollout.Cohort {
	if o.Value == nil {
		return nil
	}
	var in struct {
		Platforms  web.Optional[[]json.RawMessage] `json:"platforms"`
		Countries  web.Optional[[]json.RawMessage] `json:"countries"`
		CurrentMin web.Optional[string]            `json:"current_min"`
		CurrentMax web.Optional[string]            `json:"current_max"`
	}
	if !web.Fill(&in, *o.Value) {
		p.Add("%s must be an object or null", field)
		return nil
	}
	span := release.Range{
		Min: p.ComparableVersion(field+".current_min", in.CurrentMin, false),
		Max: p.ComparableVersion(field+".current_max", in.CurrentMax, false),
	}
	if !span.Valid() {
		p.Add("%s.current_min must not be greater than %[1]s.current_max", field)
	}
	c := &rollout.Cohort{
		Platforms: p.Platforms(field+".platforms", in.Platforms), Countries: p.countries(field+".countries", in.Countries),
		CurrentMin: span.Min.String(), CurrentMax: span.Max.String(),
	}
	if c.Empty() {
		return nil
	}
	return c
}

// countries checks a list of country codes and returns it without duplicates.
func (p *problems) countries(field string, o web.Optional[[]json.RawMessage]) (all []string) {
	if o.Wrong {
		p.Add("%s must be a list", field)
		return nil
	}
	if len(o.Or(nil)) > rollout.MaxCountries {
		p.Add("%s must have at most %d entries", field, rollout.MaxCountries)
		return nil
	}
	for i, raw := range o.Or(nil) {
		var text string
		if json.Unmarshal(raw, &text) != nil || !rollout.IsCountry(text) {
			p.Add("%s[%d] must be a country code of two upper-case letters, such as DE", field, i)
		} else if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// rolloutReason is the body of a request that changes the state of a rollout.
type rolloutReason struct {
	Reason web.Optional[string] `json:"reason"`
}

// check returns the reason, or nil if there is none.
func (in rolloutReason) check(how write) (*string, error) {
	p := checking(how)
	p.Text("reason", in.Reason, web.TextRule{Max: 512})
	if reason := web.OrNil(in.Reason.Value); reason != nil {
		return new(strings.TrimSpace(*reason)), p.Err()
	}
	return nil, p.Err()
}

// newRollout checks the settings of a new rollout. It returns nil if the settings were not sent or
// are null.
func (p *problems) newRollout(field string, o web.Optional[json.RawMessage]) *rollout.Change {
	if o.Value == nil {
		return nil
	}
	var in rolloutInput
	if !web.Fill(&in, *o.Value) {
		p.Add("%s must be an object or null", field)
		return nil
	}
	rules := checking(creates)
	change := in.change(&rules, field+".")
	p.List = append(p.List, rules.List...)
	return &change
}

// archivedRollout checks the rollout of a version in an archive.
func (p *problems) archivedRollout(o web.Optional[json.RawMessage]) *rollout.Rollout {
	if o.Value == nil {
		return nil
	}
	r := new(rollout.Rollout)
	if err := json.Unmarshal(*o.Value, r); err != nil {
		p.Add("rollout must be the rollout of a version as an export writes it, or null")
		return nil
	}
	p.List = append(p.List, r.Problems("rollout")...)
	if r.Cohort != nil {
		p.bound("rollout.cohort.current_min", r.Cohort.CurrentMin)
		p.bound("rollout.cohort.current_max", r.Cohort.CurrentMax)
	}
	return r
}

// bound checks the lower or upper limit of a cohort's version range. The limit is "" if there is
// none.
func (p *problems) bound(field, text string) {
	if text != "" {
		p.ComparableVersion(field, web.Optional[string]{Value: &text}, false)
	}
}
