package resource

import (
	"cmp"
	"net/http"
	"slices"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/rollout"
	"svc/store"
)

func (h *Handlers) rolloutRoutes() []web.Route {
	const one = web.V1 + "/admin/projects/:k/versions/:id/rollout"
	read, write := web.ByScope("versions:read"), web.ByScope("versions:write")
	routes := []web.Route{
		{Method: "GET", Path: web.V1 + "/admin/projects/:k/rollouts", Access: read, Handler: web.Listed(h.listRollouts)},
		{Method: "GET", Path: one, Access: read, Handler: web.OK(h.getRollout)},
		{Method: "PUT", Path: one, Access: write, Handler: h.putRollout},
	}
	for _, action := range []struct {
		name string
		act  rolloutAction
	}{
		{"pause", (*rollout.Rollout).Pause}, {"resume", (*rollout.Rollout).Resume}, {"advance", (*rollout.Rollout).Advance},
		{"complete", (*rollout.Rollout).Finish}, {"abort", (*rollout.Rollout).Abort},
	} {
		routes = append(routes, web.Route{
			Method: "POST", Path: one + "/" + action.name, Access: write,
			Handler: web.OK(web.WithoutPrivateKeys(web.Checked(rolloutReason.check, creates, h.changeRollout(action.act)))),
		})
	}
	return routes
}

type rolloutView struct {
	VersionID     string             `json:"version_id"`
	Version       string             `json:"version"`
	Channel       string             `json:"channel"`
	State         rollout.State      `json:"state"`
	Percent       rollout.Percent    `json:"percent"`
	Steps         []rolloutStepView  `json:"steps"`
	Step          int                `json:"step"`
	AutoAdvance   bool               `json:"auto_advance"`
	Cohort        *cohortView        `json:"cohort"`
	Health        bool               `json:"health"`
	Seed          string             `json:"seed"`
	StartedAt     *int64             `json:"started_at"`
	StepStartedAt *int64             `json:"step_started_at"`
	CompletedAt   *int64             `json:"completed_at"`
	History       []rolloutEventView `json:"history"`
}

type rolloutStepView struct {
	Percent     rollout.Percent `json:"percent"`
	HoldSeconds int64           `json:"hold_seconds"`
	MinExposure int64           `json:"min_exposure"`
}

type cohortView struct {
	Platforms  []platform.Platform `json:"platforms"`
	Countries  []string            `json:"countries"`
	CurrentMin *string             `json:"current_min"`
	CurrentMax *string             `json:"current_max"`
}

type rolloutEventView struct {
	At      int64           `json:"at"`
	Action  rollout.Action  `json:"action"`
	Percent rollout.Percent `json:"percent"`
	By      string          `json:"by"`
	Reason  *string         `json:"reason"`
}

// rolloutPlanView is the JSON form of the default settings of new rollouts.
type rolloutPlanView struct {
	Percent     *rollout.Percent  `json:"percent"` // null = the percentage of the first step
	Steps       []rolloutStepView `json:"steps"`
	AutoAdvance bool              `json:"auto_advance"`
	Cohort      *cohortView       `json:"cohort"`
	Health      bool              `json:"health"`
}

func viewRolloutPlan(p *rollout.Plan) *rolloutPlanView {
	if p == nil {
		return nil
	}
	return &rolloutPlanView{p.Percent, viewSteps(p.Steps), p.AutoAdvance, viewCohort(p.Cohort), p.Health}
}

// viewRollout returns the view of a version's rollout, or nil if the version has none.
func viewRollout(v *store.Version) *rolloutView {
	r := v.Rollout
	if r == nil {
		return nil
	}
	return &rolloutView{
		VersionID: v.ID.String(), Version: v.Version, Channel: v.OnChannel(),
		State: r.State, Percent: r.Percent, Steps: viewSteps(r.Steps), Step: r.Step, AutoAdvance: r.AutoAdvance,
		Cohort: viewCohort(r.Cohort), Health: r.Health, Seed: r.Seed,
		StartedAt: r.StartedAt, StepStartedAt: r.StepStartedAt, CompletedAt: r.CompletedAt,
		History: web.Views(r.History, func(e rollout.Event) rolloutEventView {
			return rolloutEventView{e.At, e.Action, e.Percent, e.By, e.Reason}
		}),
	}
}

func viewSteps(steps []rollout.Step) []rolloutStepView {
	return web.Views(steps, func(s rollout.Step) rolloutStepView { return rolloutStepView(s) })
}

func viewCohort(c *rollout.Cohort) *cohortView {
	if c == nil {
		return nil
	}
	return &cohortView{
		Platforms: append([]platform.Platform{}, c.Platforms...), Countries: append([]string{}, c.Countries...),
		CurrentMin: web.OrNull(c.CurrentMin), CurrentMax: web.OrNull(c.CurrentMax),
	}
}

// listRollouts lists the rollouts of a project, the newest first.
func (h *Handlers) listRollouts(r *web.Request) (web.List, error) {
	var p problems
	page := p.Page(r)
	state := rollout.State(p.OneOf(r, "state", "", stateNames()...))
	if err := p.Err(); err != nil {
		return web.List{}, err
	}
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (web.List, error) {
		found := snap.Versions(func(e *store.VersionEntry) bool {
			return e.Record.Rollout != nil && (state == "" || e.Record.Rollout.State == state)
		})
		slices.SortFunc(found, func(a, b *store.VersionEntry) int {
			return cmp.Or(cmp.Compare(b.Record.Rollout.CreatedAt, a.Record.Rollout.CreatedAt), newestEntry(a, b))
		})
		return web.NewList(len(found), web.PageOf(found, page), func(e *store.VersionEntry) *rolloutView { return viewRollout(e.Record) }), nil
	})
}

func stateNames() []string {
	return web.Views(rollout.States[:], func(s rollout.State) string { return string(s) })
}

func (h *Handlers) getRollout(r *web.Request) (view *rolloutView, err error) {
	err = h.DB.View(func(tx *store.Tx) error {
		_, v, err := versionRecords.addressed(r, tx)
		if err != nil {
			return err
		}
		view = viewRollout(v)
		return r.Tag(v.Rollout)
	})
	return view, err
}

// putRollout begins a rollout of the version in the path, or changes its settings.
func (h *Handlers) putRollout(w http.ResponseWriter, r *web.Request) error {
	var in rolloutInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	change, err := in.check(publishes)
	if err != nil {
		return err
	}
	status := http.StatusOK
	view, err := h.writeRollout(r, func(tx *store.Tx, v *store.Version) error {
		if v.Yank != nil {
			return fault.New(fault.Conflict, "version %s is yanked: take the yank back before rolling it out", web.Quote(v.Version))
		}
		if v.Rollout == nil {
			status = http.StatusCreated
			v.Rollout = tx.NewRollout(change.Plan(), true, h.author(r))
			return nil
		}
		// Only now is it known that the rollout exists, and null means something else for a change.
		if _, err := in.check(updates); err != nil {
			return err
		}
		return v.Rollout.Change(change, rollout.Author{Now: tx.Now().Unix(), By: h.author(r)})
	})
	if err != nil {
		return err
	}
	return web.Respond(w, status, view)
}

// rolloutAction changes the state of a rollout.
type rolloutAction func(*rollout.Rollout, rollout.Author) error

// changeRollout returns a handler that applies an action to the rollout in the path. The second
// argument of the handler is the reason for the action, or nil.
func (h *Handlers) changeRollout(act rolloutAction) func(*web.Request, *string) (*rolloutView, error) {
	return func(r *web.Request, reason *string) (*rolloutView, error) {
		return h.writeRollout(r, func(tx *store.Tx, v *store.Version) error {
			if v.Rollout == nil {
				return fault.New(fault.NotFound, "version %s has no rollout", web.Quote(v.Version))
			}
			return act(v.Rollout, rollout.Author{Now: tx.Now().Unix(), By: h.author(r), Reason: reason})
		})
	}
}

// writeRollout changes the rollout of the version in the path and stores the version.
func (h *Handlers) writeRollout(r *web.Request, change func(*store.Tx, *store.Version) error) (view *rolloutView, err error) {
	err = h.DB.Update(func(tx *store.Tx) error {
		p, v, err := versionRecords.addressed(r, tx)
		if err != nil {
			return err
		}
		if err := r.Match(v.Rollout); err != nil {
			return err
		}
		if err := change(tx, v); err != nil {
			return err
		}
		if err := tx.UpdateVersion(p.ID, v, nil, false); err != nil {
			return err
		}
		view = viewRollout(v)
		return r.Tag(v.Rollout)
	})
	return view, err
}

// author returns the name of the caller for the history of a rollout.
func (h *Handlers) author(r *web.Request) string {
	if r.Caller.Key != nil {
		return r.Caller.Key.Name
	}
	if account := h.DB.Account(); account != nil {
		return account.Username
	}
	return "owner" // of the data directory, through the control connection
}
