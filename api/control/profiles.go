package control

import (
	"net/http"
	"net/http/pprof"
	"slices"

	"svc/api/web"
	"svc/internal/fault"
)

// profileRoutes returns the routes that serve profiles of the process in the format of "go tool
// pprof".
func (h *Handlers) profileRoutes() []web.Route {
	const all = "/control/debug/pprof"
	return []web.Route{
		{Method: "GET", Path: all, Access: web.OwnerOnly(), Handler: web.OK(h.listProfiles)},
		{Method: "GET", Path: all + "/:name", Access: web.OwnerOnly(), Handler: h.profile},
	}
}

// timedProfiles are recorded for the number of seconds in the query.
var timedProfiles = map[string]http.HandlerFunc{"profile": pprof.Profile, "trace": pprof.Trace}

// heldProfiles are the profiles that need no recording. They describe either the present state or
// the whole time since the start.
var heldProfiles = []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"}

func (h *Handlers) listProfiles(*web.Request) (web.ListView, error) {
	return web.ListView{Data: append(slices.Clone(heldProfiles), "profile", "trace")}, nil
}

func (h *Handlers) profile(w http.ResponseWriter, r *web.Request) error {
	name := r.Param("name")
	if timed, ok := timedProfiles[name]; ok {
		timed(w, r.Request) // sets its own deadline
		return nil
	}
	if !slices.Contains(heldProfiles, name) {
		return fault.New(fault.NotFound, "there is no profile %s", name)
	}
	pprof.Handler(name).ServeHTTP(w, r.Request)
	return nil
}
