package control

import (
	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/jobs"
)

func (h *Handlers) jobRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: "/control/jobs", Access: web.OwnerOnly(), Handler: web.OK(h.listJobs)},
		{Method: "POST", Path: "/control/jobs/:name", Access: web.OwnerOnly(), Handler: web.OK(h.runJob)},
	}
}

// JobStatus is the state of a job.
type JobStatus struct {
	Name        string  `json:"name"`
	About       string  `json:"about"`
	Running     bool    `json:"running"`
	Runs        uint64  `json:"runs"`         // since the start of the server
	Failures    uint64  `json:"failures"`     // number of failed runs
	LastRun     *int64  `json:"last_run"`     // Unix seconds; null if it has not run
	LastSeconds float64 `json:"last_seconds"` // duration of the last run
	LastError   string  `json:"last_error"`   // "" if the last run succeeded
}

func viewJob(j jobs.State) JobStatus {
	v := JobStatus{
		Name: j.Name, About: j.About, Running: j.Running, Runs: j.Runs, Failures: j.Failed,
		LastSeconds: j.Took.Seconds(), LastError: j.Failure,
	}
	if !j.Begun.IsZero() {
		v.LastRun = new(j.Begun.Unix())
	}
	return v
}

func (h *Handlers) jobViews() []JobStatus {
	if h.Jobs == nil {
		return []JobStatus{}
	}
	return web.Views(h.Jobs.List(), viewJob)
}

func (h *Handlers) listJobs(*web.Request) (web.ListView, error) {
	return web.ListView{Data: h.jobViews()}, nil
}

// runJob runs a job and responds with its state when the job has ended. This may take longer than
// any other request. If the job fails, the response contains the reason, and runJob returns no error.
func (h *Handlers) runJob(r *web.Request) (v JobStatus, err error) {
	if h.Jobs == nil {
		return v, fault.New(fault.Unavailable, "there are no jobs")
	}
	web.NoDeadlines(r.Writer)
	state, err := h.Jobs.Run(r.Context(), r.Param("name"))
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) || r.Context().Err() != nil {
		return v, err
	}
	if err != nil {
		h.Log.Error("job failed", "job", state.Name, "error", err, "id", r.ID)
	}
	return viewJob(state), nil
}
