package resource

import (
	"encoding/json"
	"strings"

	"svc/api/web"
	"svc/internal/release"
	"svc/internal/rollout"
	"svc/store"
)

func (h *Handlers) distributionRoutes() []web.Route {
	const one = web.V1 + "/admin/projects/:k/distribution"
	return []web.Route{
		{Method: "GET", Path: one, Access: web.ByScope("projects:read"), Handler: web.OK(h.getDistribution)},
		{
			Method: "PUT", Path: one, Access: web.ByScope("projects:write"),
			Handler: web.OK(web.WithoutPrivateKeys(web.Decoded(h.updateDistribution))),
		},
	}
}

// distributionView is the JSON form of the distribution settings of a project.
type distributionView struct {
	Channels        []release.Channel     `json:"channels"`
	RolloutDefault  *rolloutPlanView      `json:"rollout_default"`
	Health          healthView            `json:"health"`
	SignaturePolicy store.SignaturePolicy `json:"signature_policy"`
	UpdatedAt       *int64                `json:"updated_at"`
}

type healthView struct {
	FalseAlarm float64          `json:"false_alarm"`
	Rules      []healthRuleView `json:"rules"`
}

type healthRuleView struct {
	Name        string               `json:"name"`
	Metric      rollout.Metric       `json:"metric"`
	Event       *string              `json:"event"`
	Tolerance   float64              `json:"tolerance"`
	MinFailures int                  `json:"min_failures"`
	Action      rollout.HealthAction `json:"action"`
}

func viewDistribution(d *store.Distribution) distributionView {
	return distributionView{
		Channels: web.Views(d.Channels, func(c release.Channel) release.Channel {
			return release.Channel{Name: c.Name, Includes: append([]string{}, c.Includes...)}
		}),
		RolloutDefault: viewRolloutPlan(d.RolloutDefault),
		Health: healthView{d.Health.FalseAlarm, web.Views(d.Health.Rules, func(r rollout.HealthRule) healthRuleView {
			return healthRuleView{r.Name, r.Metric, web.OrNull(r.Event), r.Tolerance, r.MinFailures, r.Action}
		})},
		SignaturePolicy: d.SignaturePolicy, UpdatedAt: web.OrNull(d.UpdatedAt),
	}
}

func (h *Handlers) getDistribution(r *web.Request) (view distributionView, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		p, err := r.Project(tx)
		if err != nil {
			return err
		}
		d, err := tx.Distribution(p.ID)
		if err != nil {
			return err
		}
		view = viewDistribution(&d)
		return r.Tag(d)
	})
	return view, err
}

func (h *Handlers) updateDistribution(r *web.Request, in distributionInput) (view distributionView, err error) {
	change, err := in.check()
	if err != nil {
		return view, err
	}
	err = r.Update(h.DB, func(tx *store.Tx, p *store.Project) error {
		d, err := tx.Distribution(p.ID)
		if err != nil {
			return err
		}
		if err := r.Match(d); err != nil {
			return err
		}
		change.apply(&d)
		if err := tx.PutDistribution(p.ID, &d); err != nil {
			return err
		}
		view = viewDistribution(&d)
		return r.Tag(d)
	})
	return view, err
}

type distributionInput struct {
	Channels        web.Optional[[]json.RawMessage] `json:"channels"`
	RolloutDefault  web.Optional[json.RawMessage]   `json:"rollout_default"`
	Health          web.Optional[web.Object]        `json:"health"`
	SignaturePolicy web.Optional[string]            `json:"signature_policy"`
}

type healthInput struct {
	FalseAlarm web.Optional[float64]           `json:"false_alarm"`
	Rules      web.Optional[[]json.RawMessage] `json:"rules"`
}

type healthRuleInput struct {
	Name        web.Optional[string]      `json:"name"`
	Metric      web.Optional[string]      `json:"metric"`
	Event       web.Optional[string]      `json:"event"`
	Tolerance   web.Optional[float64]     `json:"tolerance"`
	MinFailures web.Optional[web.Integer] `json:"min_failures"`
	Action      web.Optional[string]      `json:"action"`
}

// distributionChange is a checked distributionInput.
type distributionChange struct {
	in       distributionInput
	channels release.Channels
	rollout  *rollout.Change // nil = not sent, or null
	health   healthInput
	rules    []rollout.HealthRule
}

func (in distributionInput) check() (distributionChange, error) {
	var p problems
	c := distributionChange{in: in, channels: p.channels(in.Channels), rollout: p.newRollout("rollout_default", in.RolloutDefault)}
	if in.Health.Wrong {
		p.Add("health must be an object")
	}
	if in.Health.Value != nil {
		web.Fill(&c.health, json.RawMessage(*in.Health.Value))
	}
	if c.health.FalseAlarm.Wrong {
		p.Add("health.false_alarm must be a number")
	}
	c.rules = p.healthRules(c.health.Rules)
	if policy := in.SignaturePolicy; policy.Wrong || policy.Value != nil &&
		*policy.Value != string(store.SignaturesOff) && *policy.Value != string(store.SignaturesEnforce) {
		p.Add("signature_policy must be one of: %s, %s", store.SignaturesOff, store.SignaturesEnforce)
	}
	if p.List == nil && in.Health.Value != nil {
		p.List = c.healthAfter(rollout.DefaultHealthRules()).Problems("health")
	}
	return c, p.Err()
}

// channels checks the own channels of a project.
func (p *problems) channels(o web.Optional[[]json.RawMessage]) (all release.Channels) {
	type entry struct {
		Name     web.Optional[string]            `json:"name"`
		Includes web.Optional[[]json.RawMessage] `json:"includes"`
	}
	before := len(p.List)
	for i, e := range web.Entries[entry](&p.Problems, "channels", o, release.MaxChannels) {
		if e.Name.Wrong {
			p.Add("%s must be a string", web.EntryField("channels", i, "name"))
		}
		all = append(all, release.Channel{
			Name:     e.Name.Or(""),
			Includes: p.Texts(web.EntryField("channels", i, "includes"), e.Includes, release.MaxChannels, 16),
		})
	}
	if len(p.List) == before {
		p.List = append(p.List, all.Problems()...)
	}
	return all
}

// healthRules decodes rules. Their values are checked by rollout.HealthRules.
func (p *problems) healthRules(o web.Optional[[]json.RawMessage]) []rollout.HealthRule {
	const list = "health.rules"
	rules := []rollout.HealthRule{}
	for i, e := range web.Entries[healthRuleInput](&p.Problems, list, o, rollout.MaxHealthRules) {
		for _, text := range []struct {
			name  string
			value web.Optional[string]
		}{{"name", e.Name}, {"metric", e.Metric}, {"event", e.Event}, {"action", e.Action}} {
			if text.value.Wrong {
				p.Add("%s must be a string", web.EntryField(list, i, text.name))
			}
		}
		if e.Tolerance.Wrong {
			p.Add("%s must be a number", web.EntryField(list, i, "tolerance"))
		}
		p.Number(web.EntryField(list, i, "min_failures"), e.MinFailures, 1, rollout.MaxMinFailures, false)
		rules = append(rules, rollout.HealthRule{
			Name: strings.TrimSpace(e.Name.Or("")), Metric: rollout.Metric(e.Metric.Or("")), Event: e.Event.Or(""),
			Tolerance:   e.Tolerance.Or(rollout.DefaultTolerance),
			MinFailures: int(e.MinFailures.Or(rollout.DefaultMinFailures)),
			Action:      rollout.HealthAction(e.Action.Or(string(rollout.Hold))),
		})
	}
	return rules
}

// healthAfter returns the rules after the change. A field that was sent as null has its default
// value again.
func (c distributionChange) healthAfter(rules rollout.HealthRules) rollout.HealthRules {
	initial := rollout.DefaultHealthRules()
	if c.in.Health.Null() {
		return initial
	}
	if c.health.FalseAlarm.Sent {
		rules.FalseAlarm = c.health.FalseAlarm.Or(initial.FalseAlarm)
	}
	switch {
	case c.health.Rules.Null():
		rules.Rules = initial.Rules
	case c.health.Rules.Sent:
		rules.Rules = c.rules
	}
	return rules
}

// apply sets the fields that are present in the request.
func (c distributionChange) apply(d *store.Distribution) {
	web.SetIfSent(&d.Channels, c.in.Channels, c.channels)
	if in := c.in.RolloutDefault; in.Sent {
		d.RolloutDefault = nil
		if c.rollout != nil {
			d.RolloutDefault = new(c.rollout.Plan())
		}
	}
	d.Health = c.healthAfter(d.Health)
	web.SetIfSent(&d.SignaturePolicy, c.in.SignaturePolicy, store.SignaturePolicy(c.in.SignaturePolicy.Or(string(store.SignaturesOff))))
}

// ArchiveDistribution returns the line for the distribution settings of a project in an archive, to
// be encoded as JSON.
func ArchiveDistribution(d *store.Distribution) any { return viewDistribution(d) }

// ReadDistribution reads distribution settings from an archive.
func ReadDistribution(raw json.RawMessage) (*store.Distribution, error) {
	var in struct {
		distributionInput
		UpdatedAt web.Optional[web.Integer] `json:"updated_at"`
	}
	web.Fill(&in, raw)
	change, err := in.check()
	var p problems
	p.UnixTime("updated_at", in.UpdatedAt, false)
	if err := web.JoinValidation(err, p.Err()); err != nil {
		return nil, err
	}
	d := store.NewDistribution()
	change.apply(&d)
	d.UpdatedAt = int64(in.UpdatedAt.Or(0))
	return &d, nil
}
