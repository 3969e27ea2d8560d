package api

import (
	"net/http"
	"strings"
)

// Endpoint is a line of the route table as tests see it.
type Endpoint struct {
	Method, Path string
	Access       string // public, administrator, scoped, owner
	Scope        string
	Project      string // where a limited key's project is found: none, path, record, body
	BodyLimit    int64
	Limited      bool
}

// Routes lists the route table, without what only the control connection
// reaches.
func Routes() []Endpoint { return endpoints(false) }

// ControlRoutes lists what only the control connection reaches.
func ControlRoutes() []Endpoint { return endpoints(true) }

func endpoints(control bool) []Endpoint {
	var all []Endpoint
	for _, r := range (&Server{}).table() {
		if (r.access.kind == owner) != control {
			continue
		}
		all = append(all, Endpoint{
			Method: r.method, Path: r.path, Scope: strings.Join(r.access.scopes, " "),
			Access:    [...]string{public: "public", administrator: "administrator", scoped: "scoped", owner: "owner"}[r.access.kind],
			Project:   [...]string{noProject: "none", pathProject: "path", pathRecord: "record", bodyProject: "body", eachProject: "each"}[r.access.project],
			BodyLimit: r.bodyLimit, Limited: r.limits != nil,
		})
	}
	return all
}

// AddRoute gives a server that has not answered yet a GET route for everybody,
// so that tests can say what becomes of a handler that fails.
func AddRoute(s *Server, path string, handler func(http.ResponseWriter) error) error {
	s.routes = append(s.routes, route{
		method: "GET", path: path, access: anyone(), bodyLimit: publicBody,
		handler: func(w http.ResponseWriter, _ *request) error { return handler(w) },
	})
	patterns := make([]pattern, len(s.routes))
	for i, r := range s.routes {
		patterns[i] = pattern{r.method, r.path}
	}
	var err error
	s.router, err = newRouter(patterns)
	return err
}

// MetricFamily is a metric as documentation shows it.
type MetricFamily struct {
	Name, Kind, Help string
	Labels           []string
}

// MetricFamilies lists the metrics of our own.
func MetricFamilies() []MetricFamily {
	var all []MetricFamily
	for _, f := range families {
		all = append(all, MetricFamily{f.name, string(f.kind), f.help, f.labels})
	}
	return all
}
