package api

import (
	"net/http"
	"strings"
	"time"

	"svc/internal/limit"
	"svc/store"
)

// Limits of request bodies, in bytes.
const (
	publicBody = 1 << 20
	adminBody  = 32 << 20
)

// route is a line of the table from which router, access checks, body limits
// and the comparison with openapi.yaml are made.
type route struct {
	method, path string
	access       access
	handler      func(http.ResponseWriter, *request) error

	bodyLimit int64
	limits    *limit.Windows // nil where callers are not counted
	per       string         // what limits counts by, for people: "a minute"
	counts    string         // what its requests are called in request statistics; "" = not counted
	endpoint  store.Endpoint // made of counts
	private   bool           // answers must not be kept by caches
	quiet     bool           // no line in the access log
	metrics   *routeMetrics
}

// v1 is where the interface begins.
const v1 = "/api/v1"

// table lists every route. A route cannot be written without its access.
func (s *Server) table() []route {
	routes := []route{
		{method: "GET", path: "/healthz", access: anyone(), handler: s.healthz, quiet: true},
		{method: "GET", path: "/readyz", access: anyone(), handler: s.ready, quiet: true},
		{method: "GET", path: v1 + "/health", access: anyone(), handler: s.health, quiet: true},
	}
	for _, more := range [][]route{
		s.accountRoutes(), s.keyRoutes(), s.projectRoutes(), s.languageRoutes(),
		s.versionRoutes(), s.publicRoutes(), s.announcementRoutes(), s.publicAnnouncementRoutes(),
		s.feedbackRoutes(), s.logRoutes(), s.eventRoutes(), s.searchRoutes(), s.requestStatsRoutes(),
		s.controlRoutes(), s.jobRoutes(), s.profileRoutes(), s.transferRoutes(), s.doctorRoutes(),
	} {
		routes = append(routes, more...)
	}
	for i := range routes {
		routes[i].bodyLimit = adminBody
		if routes[i].access.kind == public {
			routes[i].bodyLimit = publicBody
		}
		if routes[i].access.kind != public || strings.HasPrefix(routes[i].path, v1+"/auth/") {
			routes[i].private = true
		}
		routes[i].endpoint = countedEndpoint(routes[i].counts)
	}
	return routes
}

// limited counts the callers of a public route on its own.
func (s *Server) limited(r route) route {
	r.limits, r.per = limit.NewWindows(s.config.PublicRateLimit, time.Minute, limitedAddresses), "a minute"
	s.publicWindows = append(s.publicWindows, r.limits)
	return r
}

// SetPublicRateLimit replaces Config.PublicRateLimit while the server runs. What
// was counted stays.
func (s *Server) SetPublicRateLimit(perMinute int) {
	for _, w := range s.publicWindows {
		w.SetLimit(perMinute)
	}
}

func (s *Server) health(w http.ResponseWriter, _ *request) error {
	return respond(w, http.StatusOK, struct {
		Status    string `json:"status"`
		Timestamp int64  `json:"timestamp"`
	}{"ok", s.now().Unix()})
}

func (s *Server) healthz(w http.ResponseWriter, _ *request) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", "2")
	_, _ = w.Write([]byte("ok"))
	return nil
}

// status is moduleStatus for a part of an existing project.
func (s *Server) status(module string) func(http.ResponseWriter, *request) error {
	return func(w http.ResponseWriter, r *request) error {
		return s.withSnapshot(r, func(*store.Snapshot) error { return moduleStatus(module)(w, r) })
	}
}

// moduleStatus answers that a part of the interface exists in this program.
func moduleStatus(module string) func(http.ResponseWriter, *request) error {
	return func(w http.ResponseWriter, _ *request) error {
		return respond(w, http.StatusOK, struct {
			Module      string `json:"module"`
			Implemented bool   `json:"implemented"`
		}{module, true})
	}
}
