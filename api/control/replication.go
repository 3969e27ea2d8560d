package control

import (
	"net/http"

	"svc/api/web"
	"svc/internal/doctor"
	"svc/internal/fault"
	"svc/internal/replica"
)

// replicationRoutes returns the routes of svc replicate and svc promote. They change nothing that is
// replicated, so a standby and a fenced primary answer them, too.
func (h *Handlers) replicationRoutes() []web.Route {
	const one = "/control/replication"
	return []web.Route{
		{Method: "GET", Path: one, Access: web.OwnerOnly(), Handler: web.OK(h.replicationStatus), Quiet: true},
		{Method: "POST", Path: one + "/snapshot", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(h.makeSnapshot)},
		{Method: "POST", Path: one + "/promote", Reads: true, Access: web.OwnerOnly(), Handler: web.OK(web.Decoded(h.promote))},
	}
}

// replicationCounters returns the counters of web.Replication, or none.
func (h *Handlers) replicationCounters() (requests, failures map[string]uint64, bytes uint64) {
	if h.Replication == nil || h.Replication.Counters == nil {
		return nil, nil, 0
	}
	return h.Replication.Counters()
}

var (
	errNoReplication = error(fault.New(fault.Conflict, "this server has no replication; set replicate.to, or run svc standby"))
	errNotPrimary    = error(fault.New(fault.Conflict, "this server is a standby; only its primary makes snapshots"))
	errStopped       = error(fault.New(fault.Conflict, "no server is running; only a running one makes snapshots"))
	errNotStandby    = error(fault.New(fault.Conflict, "this server is not a standby, so it cannot be promoted"))
)

func (h *Handlers) replicationStatus(*web.Request) (v replica.Status, err error) {
	if h.Replication == nil {
		return v, errNoReplication
	}
	return h.Replication.Status(), nil
}

// makeSnapshot makes a snapshot at the target and waits until it is complete, which may take longer
// than other requests.
func (h *Handlers) makeSnapshot(r *web.Request) (v replica.Status, err error) {
	switch p := h.Replication; {
	case p == nil:
		return v, errNoReplication
	case p.IsStandby():
		return v, errNotPrimary
	case p.Snapshot == nil:
		return v, errStopped
	}
	web.NoDeadlines(r.Writer)
	if err := h.Replication.Snapshot(r.Context()); err != nil {
		return v, h.targetFault("snapshot not made", r, err)
	}
	return h.Replication.Status(), nil
}

// promoteInput is the body of a promotion.
type promoteInput struct {
	OldPrimaryIsDown web.Optional[bool] `json:"old_primary_is_down"`
}

// promote makes this standby the primary.
func (h *Handlers) promote(r *web.Request, in promoteInput) (v replica.Promotion, err error) {
	if p := h.Replication; p == nil || p.Promote == nil || !p.IsStandby() {
		return v, errNotStandby
	}
	var p web.Problems
	p.Flag("old_primary_is_down", in.OldPrimaryIsDown)
	if err := p.Err(); err != nil {
		return v, err
	}
	web.NoDeadlines(r.Writer)
	down := in.OldPrimaryIsDown.Value
	if v, err = h.Replication.Promote(r.Context(), down != nil && *down); err != nil {
		return v, h.targetFault("not promoted", r, err)
	}
	return v, nil
}

// targetFault turns an error of the target into a fault, because the owner must see its text.
func (h *Handlers) targetFault(what string, r *web.Request, err error) error {
	if web.StatusOf(err) != http.StatusInternalServerError || r.Context().Err() != nil {
		return err
	}
	h.Log.Warn("request to the target failed", "request", what, "error", err, "id", r.ID)
	return fault.New(fault.Conflict, "%s: %s", what, err)
}

// replicationFacts returns what svc doctor must know of the replication, or nil without one.
func (h *Handlers) replicationFacts() *doctor.Replication {
	if h.Replication == nil {
		return nil
	}
	s := h.Replication.Status()
	facts := &doctor.Replication{
		Primary: s.Role == replica.RolePrimary, Contacted: s.Epoch > 0 && s.FailingSince == 0,
		FailingSince: s.FailingSince, Failure: s.Failure, LagSeconds: s.LagSeconds, Fenced: s.Fenced, CreateOnly: s.CreateOnly,
	}
	if h.Replication.ClockOffset != nil {
		if ahead, known := h.Replication.ClockOffset(); known {
			facts.ClockAhead = ahead.Seconds()
		}
	}
	return facts
}
