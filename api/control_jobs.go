package api

import (
	"net/http"

	"svc/internal/fault"
	"svc/internal/jobs"
)

func (s *Server) jobRoutes() []route {
	return []route{
		{method: "GET", path: "/control/jobs", access: controlOnly(), handler: s.listJobs},
		{method: "POST", path: "/control/jobs/:name", access: controlOnly(), handler: s.runJob},
	}
}

// JobStatus is how a job stands.
type JobStatus struct {
	Name        string  `json:"name"`
	About       string  `json:"about"`
	Running     bool    `json:"running"`
	Runs        uint64  `json:"runs"`         // since the start
	Failures    uint64  `json:"failures"`     // of these
	LastRun     *int64  `json:"last_run"`     // Unix seconds; null = not since the start
	LastSeconds float64 `json:"last_seconds"` // how long it took
	LastError   string  `json:"last_error"`   // "" when it went well
}

func viewJob(j jobs.State) JobStatus {
	v := JobStatus{
		Name: j.Name, About: j.About, Running: j.Running, Runs: j.Runs, Failures: j.Failed,
		LastSeconds: j.Took.Seconds(), LastError: j.Failure,
	}
	if !j.Begun.IsZero() {
		begun := j.Begun.Unix()
		v.LastRun = &begun
	}
	return v
}

func (s *Server) jobViews() []JobStatus {
	views := []JobStatus{}
	if s.config.Jobs != nil {
		for _, j := range s.config.Jobs.List() {
			views = append(views, viewJob(j))
		}
	}
	return views
}

func (s *Server) listJobs(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, listView{Data: s.jobViews()})
}

// runJob runs a job to its end, which may take longer than any other request. A
// job that fails answers with its state all the same: that says why.
func (s *Server) runJob(w http.ResponseWriter, r *request) error {
	if s.config.Jobs == nil {
		return fault.New(fault.Unavailable, "there are no jobs")
	}
	unlimited(w)
	state, err := s.config.Jobs.Run(r.Context(), r.param("name"))
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) || r.Context().Err() != nil {
		return err
	}
	if err != nil {
		s.log.Error("job failed", "job", state.Name, "error", err, "id", r.id)
	}
	return respond(w, http.StatusOK, viewJob(state))
}
