// Package rollout implements the rules by which a version reaches its users step by step. It
// has no state and no side effects.
//
//	rollout.go  the record of a rollout and its settings
//	states.go   what changes a rollout, and its history
//	steps.go    percentages and steps
//	bucket.go   which keys a percentage includes
//	cohort.go   the callers to which a rollout is limited
//	check.go    checks a rollout that comes from an archive
//	health.go   the rules that hold a rollout, and the test that they use
package rollout

// State is the state of a rollout.
type State string

// The states of a rollout. Completed and Aborted are final.
const (
	Running   State = "running"
	Paused    State = "paused" // keeps its percentage, but does not advance
	Held      State = "held"   // offered to nobody, because a health rule failed
	Completed State = "completed"
	Aborted   State = "aborted"
)

// States lists all states.
var States = [...]State{Running, Paused, Held, Completed, Aborted}

// Final reports whether a rollout in this state can never leave it.
func (s State) Final() bool { return s == Completed || s == Aborted }

// Rollout describes how far a version has been rolled out. Times are Unix seconds. The JSON
// form is stored with the version.
type Rollout struct {
	State       State   `json:"state"`
	Percent     Percent `json:"percent"`
	Steps       []Step  `json:"steps"`
	Step        int     `json:"step"` // index of the step in force; -1 before the first one
	AutoAdvance bool    `json:"auto_advance,omitempty"`
	Cohort      *Cohort `json:"cohort,omitempty"`
	Health      bool    `json:"health,omitempty"` // whether health rules act on the rollout
	Seed        string  `json:"seed"`             // never changes

	CreatedAt     int64  `json:"created_at"`
	StartedAt     *int64 `json:"started_at,omitempty"` // first moment above 0 %; nil = not yet
	StepStartedAt *int64 `json:"step_started_at,omitempty"`
	CompletedAt   *int64 `json:"completed_at,omitempty"`

	// Baseline is the display text of the version with which health rules compare failures. It is nil
	// until the rollout starts, and "" if there was no such version then.
	Baseline *string `json:"baseline,omitempty"`
	// ResumedAt is the time at which the rollout was last resumed after it had been held. Health rules
	// use only the counts since then.
	ResumedAt *int64 `json:"resumed_at,omitempty"`

	// Noted contains the worst state of each health rule that Note has recorded, by the rule's name.
	Noted map[string]HealthState `json:"noted,omitempty"`

	History []Event `json:"history"` // newest first, at most 100 events
}

// Plan contains the settings with which a rollout begins.
type Plan struct {
	Percent     *Percent `json:"percent,omitempty"` // nil = that of the first step
	Steps       []Step   `json:"steps"`
	AutoAdvance bool     `json:"auto_advance"`
	Cohort      *Cohort  `json:"cohort,omitempty"`
	Health      bool     `json:"health"`
}

// Change contains those settings of a rollout that a write sets. A nil field keeps its value,
// or has its default value in a new rollout.
type Change struct {
	Percent     *Percent
	Steps       []Step
	AutoAdvance *bool
	Cohort      **Cohort // a pointer to nil removes the cohort
	Health      *bool
}

// Plan returns the settings of a new rollout. Setting the percentage turns automatic advancing
// off, unless the same write sets AutoAdvance.
func (c Change) Plan() Plan {
	p := Plan{Percent: c.Percent, Steps: []Step{{Percent: Whole}}, AutoAdvance: c.Percent == nil, Health: true}
	if c.Steps != nil {
		p.Steps = c.Steps
	}
	if c.AutoAdvance != nil {
		p.AutoAdvance = *c.AutoAdvance
	}
	if c.Cohort != nil {
		p.Cohort = *c.Cohort
	}
	if c.Health != nil {
		p.Health = *c.Health
	}
	return p
}

// Published reports whether a version with this rollout is visible to the public: it is complete,
// or its rollout has been above 0 % at some time. A nil rollout is that of a complete version.
func (r *Rollout) Published() bool { return r == nil || r.StartedAt != nil }

// Complete reports whether a version with this rollout is offered to everybody. A nil rollout
// is that of a complete version.
func (r *Rollout) Complete() bool { return r == nil || r.State == Completed }

// IsAborted reports whether the rollout was aborted. Its version is offered to nobody.
func (r *Rollout) IsAborted() bool { return r != nil && r.State == Aborted }

// Includes reports whether the percentage includes a caller with the given key, which is "" if
// the caller has none. It ignores the state and the cohort.
func (r *Rollout) Includes(key string) bool {
	return r.Percent == Whole || key != "" && Bucket(r.Seed, key) < int(r.Percent)
}
