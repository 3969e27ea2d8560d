package api

import (
	"strings"
	"time"

	"svc/api/analytics"
	"svc/api/pages"
	"svc/api/web"
	"svc/internal/limit"
	"svc/store"
)

// table returns all routes except those of the pages and feeds, which have tables of their own.
// Every route must set Access, because the zero Access is invalid: no route can become public by
// accident.
func (s *Server) table() []web.Route {
	var routes []web.Route
	for _, more := range [][]web.Route{
		s.resource.Routes(), s.analytics.Routes(), s.Control.Routes(), s.transfer.Routes(), s.distribution.Routes(),
		s.codehost.Routes(), s.feeds.AdminRoutes(), s.hooks.Routes(), pages.SDKRoutes(),
	} {
		routes = append(routes, more...)
	}
	for i := range routes {
		switch {
		case routes[i].BodyLimit != 0: // the route sets its own limit
		case strings.HasPrefix(routes[i].Path, web.V1+"/auth/"):
			routes[i].BodyLimit = web.AuthBodyLimit
		case routes[i].Access.Kind == web.Public:
			routes[i].BodyLimit = web.PublicBodyLimit
		default:
			routes[i].BodyLimit = web.AdminBodyLimit
		}
		if routes[i].Access.Kind != web.Public || strings.HasPrefix(routes[i].Path, web.V1+"/auth/") {
			routes[i].Private = true
		}
	}
	return routes
}

// endpoint is a route together with the server's state for it.
type endpoint struct {
	web.Route
	limits  *limit.Windows // nil if the route is not rate limited
	per     string         // period of limits as shown to users, such as "a minute"
	counts  store.Endpoint // the endpoint under which requests are counted; 0 = not counted
	metrics *web.RouteMetrics
}

// serve installs the given routes. It sets s.endpoints and builds s.router, which finds them.
func (s *Server) serve(routes []web.Route) (err error) {
	s.metrics.Register(routes)
	s.endpoints, s.publicWindows = make([]endpoint, len(routes)), nil
	patterns := make([]web.Pattern, len(routes))
	for i, r := range routes {
		e := endpoint{Route: r, counts: analytics.CountedEndpoint(r.Counts), metrics: s.metrics.Routes[i]}
		e.Answers, e.Clients, e.Replication = s.answers, s.clients, s.config.Replication
		if r.Access.Open() {
			e.Bodies = s.bodies
		}
		switch r.Rate {
		case web.PublicRate:
			e.limits, e.per = limit.NewWindows(s.config.PublicRateLimit, time.Minute, web.LimitedAddresses), "a minute"
			s.publicWindows = append(s.publicWindows, e.limits)
		case web.HourlyRate:
			e.limits, e.per = limit.NewWindows(10, time.Hour, web.LimitedAddresses), "an hour"
		}
		s.endpoints[i], patterns[i] = e, web.Pattern{Method: r.Method, Path: r.Path}
	}
	s.router, err = web.NewRouter(patterns)
	return err
}

// LogFailuresOnly sets whether the access log is limited to requests that failed with a 5xx status.
// It may be called while the server runs.
func (s *Server) LogFailuresOnly(only bool) { s.access.FailuresOnly.Store(only) }

// SetPublicRateLimit replaces Config.PublicRateLimit while the server runs. Requests that have
// already been counted count toward the new limit.
func (s *Server) SetPublicRateLimit(perMinute int) {
	for _, w := range s.publicWindows {
		w.SetLimit(perMinute)
	}
}
