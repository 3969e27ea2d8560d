package api

import (
	"net/http"
	"net/http/pprof"
	"slices"

	"svc/internal/fault"
)

// profileRoutes show what the program knows about its own work, in the form that
// "go tool pprof" reads.
func (s *Server) profileRoutes() []route {
	const all = "/control/debug/pprof"
	return []route{
		{method: "GET", path: all, access: controlOnly(), handler: s.listProfiles},
		{method: "GET", path: all + "/:name", access: controlOnly(), handler: s.profile},
	}
}

// timedProfiles take as long as the query seconds says.
var timedProfiles = map[string]http.HandlerFunc{"profile": pprof.Profile, "trace": pprof.Trace}

// heldProfiles are of the moment, or of all the time since the start.
var heldProfiles = []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"}

func (s *Server) listProfiles(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, listView{Data: append(slices.Clone(heldProfiles), "profile", "trace")})
}

func (s *Server) profile(w http.ResponseWriter, r *request) error {
	name := r.param("name")
	if timed, ok := timedProfiles[name]; ok {
		timed(w, r.Request) // which gives itself the time
		return nil
	}
	if !slices.Contains(heldProfiles, name) {
		return fault.New(fault.NotFound, "there is no profile %s", name)
	}
	pprof.Handler(name).ServeHTTP(w, r.Request)
	return nil
}
