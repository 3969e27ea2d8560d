package api

import (
	"net/http"
	"strings"

	"svc/api/web"
)

// Endpoint is an entry of the route table in a form that tests can read.
type Endpoint struct {
	Method, Path string
	Access       string // public, administrator, scoped, owner, signed
	Scope        string
	Project      string // part of the request that names the project: none, path, record, body, each
	BodyLimit    int64
	Limited      bool
	Reads        bool // changes nothing
}

// Routes lists the route table without the routes that are only reachable over the control
// connection.
func Routes() []Endpoint { return endpoints(false) }

// ControlRoutes lists the routes that are only reachable over the control connection.
func ControlRoutes() []Endpoint { return endpoints(true) }

// Pages lists the methods and paths of the browser pages and of the files that they load.
func Pages() (paths []string) {
	for _, r := range (&Server{}).pages.Routes() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	return paths
}

func endpoints(control bool) []Endpoint {
	var all []Endpoint
	for _, r := range (&Server{}).table() {
		if (r.Access.Kind == web.Owner) != control {
			continue
		}
		all = append(all, Endpoint{
			Method: r.Method, Path: r.Path, Scope: strings.Join(r.Access.Scopes, " "),
			Access:    [...]string{web.Public: "public", web.Administrator: "administrator", web.Scoped: "scoped", web.Owner: "owner", web.Signed: "signed"}[r.Access.Kind],
			Project:   [...]string{web.NoProject: "none", web.PathProject: "path", web.PathRecord: "record", web.BodyProject: "body", web.EachProject: "each"}[r.Access.Project],
			BodyLimit: r.BodyLimit, Limited: r.Rate != web.Unlimited, Reads: r.ReadOnly(),
		})
	}
	return all
}

// AddRoute adds a public GET route to a server that has not answered a request yet. Tests use it to
// add handlers that fail.
func AddRoute(s *Server, path string, handler func(http.ResponseWriter) error) error {
	return s.serve(append(s.table(), web.Route{
		Method: "GET", Path: path, Access: web.Anyone(), BodyLimit: web.PublicBodyLimit,
		Handler: func(w http.ResponseWriter, _ *web.Request) error { return handler(w) },
	}))
}
