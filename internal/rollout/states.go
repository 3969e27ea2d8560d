package rollout

import (
	"reflect"
	"slices"

	"svc/internal/fault"
)

// maxHistory is the maximum number of events in the history of a rollout.
const maxHistory = 100

// Action is what happened to a rollout.
type Action string

// The actions in a history.
const (
	ActionCreated   Action = "created"
	ActionChanged   Action = "changed"
	ActionAdvanced  Action = "advanced"
	ActionPaused    Action = "paused"
	ActionResumed   Action = "resumed"
	ActionHeld      Action = "held"
	ActionCompleted Action = "completed"
	ActionAborted   Action = "aborted"
)

// Schedule is the value of Author.By for the steps that the server takes by itself.
const Schedule = "schedule"

// Event is an entry of the history of a rollout.
type Event struct {
	At      int64   `json:"at"`
	Action  Action  `json:"action"`
	Percent Percent `json:"percent"` // after the action
	By      string  `json:"by"`      // name of a user or of an API key, Schedule, or "rule {name}"
	Reason  *string `json:"reason,omitempty"`
}

// Author says who changes a rollout, when, and why.
type Author struct {
	Now    int64 // Unix seconds
	By     string
	Reason *string
}

// New returns a new rollout. visible reports whether its version is already visible to the
// public; it then stays visible, even at 0 %. seed must be random.
func New(p Plan, seed string, visible bool, a Author) *Rollout {
	r := &Rollout{
		State: Running, Percent: p.Steps[0].Percent, Steps: p.Steps, AutoAdvance: p.AutoAdvance, Cohort: p.Cohort, Health: p.Health,
		Seed: seed, CreatedAt: a.Now,
	}
	if p.Percent != nil {
		r.Percent = *p.Percent
	}
	if visible {
		r.StartedAt = &a.Now
	}
	r.Step = stepAt(r.Steps, r.Percent)
	r.begin(a.Now)
	r.record(ActionCreated, a)
	r.settle(a)
	return r
}

// Change changes settings. The error is a Conflict if the state is final. A change to the same
// values leaves the rollout as it is.
func (r *Rollout) Change(c Change, a Author) error {
	if r.State.Final() {
		return fault.New(fault.Conflict, "the rollout is %s and cannot be changed", r.State)
	}
	next := *r
	next.set(c)
	if reflect.DeepEqual(*r, next) {
		return nil
	}
	if next.Percent != r.Percent || next.Step < 0 || next.StepStartedAt == nil {
		next.begin(a.Now)
	}
	next.record(ActionChanged, a)
	next.settle(a)
	*r = next
	return nil
}

// set sets the settings of a change and derives the step in force from them.
func (r *Rollout) set(c Change) {
	if c.Steps != nil {
		r.Steps = c.Steps
	}
	if c.Percent != nil {
		r.Percent, r.AutoAdvance = *c.Percent, false
	}
	if c.AutoAdvance != nil {
		r.AutoAdvance = *c.AutoAdvance
	}
	if c.Cohort != nil {
		r.Cohort = *c.Cohort
	}
	if c.Health != nil {
		r.Health = *c.Health
	}
	r.Step = stepAt(r.Steps, r.Percent)
}

// Pause stops a running rollout from advancing.
func (r *Rollout) Pause(a Author) error {
	if r.State != Running {
		return r.impossible("paused")
	}
	r.State = Paused
	r.record(ActionPaused, a)
	return nil
}

// Resume continues a paused or held rollout. The step in force begins anew. To resume a held
// rollout, a.Reason is required.
func (r *Rollout) Resume(a Author) error {
	switch {
	case r.State != Paused && r.State != Held:
		return r.impossible("resumed")
	case r.State == Held && a.Reason == nil:
		return fault.Validation("reason is required to resume a rollout that is held")
	}
	if r.State == Held {
		r.ResumedAt = &a.Now
	}
	r.State = Running
	r.begin(a.Now)
	r.record(ActionResumed, a)
	return nil
}

// Hold stops the offers of a running or paused rollout, because a health rule failed.
func (r *Rollout) Hold(a Author) error {
	if r.State != Running && r.State != Paused {
		return r.impossible("held")
	}
	r.State = Held
	r.record(ActionHeld, a)
	return nil
}

// Advance takes a running rollout to its next step.
func (r *Rollout) Advance(a Author) error {
	if r.State != Running {
		return r.impossible("advanced")
	}
	if r.Step+1 >= len(r.Steps) {
		return fault.New(fault.Conflict, "the rollout has reached its last step; complete it")
	}
	r.Step++
	r.Percent = r.Steps[r.Step].Percent
	r.begin(a.Now)
	r.record(ActionAdvanced, a)
	r.settle(a)
	return nil
}

// Finish completes the rollout: everybody is offered the version.
func (r *Rollout) Finish(a Author) error {
	if r.State.Final() {
		return r.impossible("completed")
	}
	r.finish(a)
	return nil
}

// Abort ends the rollout for good.
func (r *Rollout) Abort(a Author) error {
	if r.State.Final() {
		return r.impossible("aborted")
	}
	r.State = Aborted
	r.record(ActionAborted, a)
	return nil
}

func (r *Rollout) impossible(what string) error {
	return fault.New(fault.Conflict, "the rollout is %s and cannot be %s", r.State, what)
}

// begin records the start time of the current step and, at the first percentage above 0, of the
// rollout. The parameter now is the time at which the current step's percentage takes effect.
func (r *Rollout) begin(now int64) {
	r.StepStartedAt = nil
	if r.Step >= 0 {
		r.StepStartedAt = &now
	}
	if r.Percent > 0 && r.StartedAt == nil {
		r.StartedAt = &now
	}
}

// settle completes the rollout if it includes all callers: at 100 % and without a cohort.
func (r *Rollout) settle(a Author) {
	if r.Percent == Whole && r.Cohort == nil {
		r.finish(Author{Now: a.Now, By: a.By})
	}
}

func (r *Rollout) finish(a Author) {
	r.Percent, r.Cohort, r.Step = Whole, nil, len(r.Steps)-1
	if r.StartedAt == nil {
		r.StartedAt = &a.Now
	}
	if r.Step >= 0 && r.StepStartedAt == nil { // no step was in force
		r.StepStartedAt = &a.Now
	}
	r.State, r.CompletedAt = Completed, &a.Now
	r.record(ActionCompleted, a)
}

// record adds an event to the history. It copies the history, because other readers may use it.
func (r *Rollout) record(what Action, a Author) {
	event := Event{At: a.Now, Action: what, Percent: r.Percent, By: a.By, Reason: a.Reason}
	r.History = slices.Concat([]Event{event}, r.History[:min(len(r.History), maxHistory-1)])
}

// Since returns the events that were added to the history since an earlier state of the rollout, the
// newest first. earlier is nil if there was no rollout. A nil rollout has no events.
func (r *Rollout) Since(earlier *Rollout) []Event {
	switch {
	case r == nil:
		return nil
	case earlier == nil:
		return r.History
	}
	for n := range r.History { // the oldest events may have been dropped
		if kept := r.History[n:]; len(kept) <= len(earlier.History) && reflect.DeepEqual(kept, earlier.History[:len(kept)]) {
			return r.History[:n]
		}
	}
	return r.History
}

// IsNews reports whether state is worse than every state of the health rule that Note has recorded.
func (r *Rollout) IsNews(rule string, state HealthState) bool {
	return state.rank() > r.Noted[rule].rank()
}

// Note records that a health rule is in a bad state: Suspect or Failing. IsNews must be true for this
// state.
func (r *Rollout) Note(rule string, state HealthState) {
	all := map[string]HealthState{rule: state}
	for other, known := range r.Noted { // not changed, because other readers may use the map
		if other != rule {
			all[other] = known
		}
	}
	r.Noted = all
}

// Stopped returns the time, in Unix seconds, at which the rollout was held, aborted or completed. If it
// was held until it was aborted or completed, Stopped returns the time at which it was held. It returns
// false while the rollout is running or paused.
func (r *Rollout) Stopped() (at int64, ok bool) {
	for _, e := range r.History {
		switch e.Action {
		case ActionCompleted, ActionAborted:
			at, ok = e.At, true
		case ActionHeld:
			return e.At, true
		case ActionChanged:
		default:
			return at, ok
		}
	}
	return at, ok
}

// StepEnds returns the time, in Unix seconds, from which the rollout may take its next step by
// itself. It returns false if the rollout does not advance by itself.
func (r *Rollout) StepEnds() (int64, bool) {
	if r.State != Running || !r.AutoAdvance || r.Step < 0 || r.Step+1 >= len(r.Steps) {
		return 0, false
	}
	return *r.StepStartedAt + r.Steps[r.Step].HoldSeconds, true
}

// Advances reports whether the rollout takes its next step by itself at the time now. exposure is
// the number of users that were seen on the version since the step in force started. suspect
// reports whether a health rule is suspect or failing.
func (r *Rollout) Advances(now, exposure int64, suspect bool) bool {
	ends, waits := r.StepEnds()
	return waits && now >= ends && exposure >= r.Steps[r.Step].MinExposure && !suspect
}
