package codehost_test

import (
	"testing"

	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
)

func TestMain(m *testing.M) { apitest.Main(m, apitest.Codehost) }

// world is a server, its fake code host, and a project with a repository.
type world struct {
	*apitest.Server
	host *codehosttest.Host
	repo *codehosttest.Repository
}

// newWorld returns a world with the project "beacon" and the public repository lumen-works/beacon.
func newWorld(t *testing.T, options ...apitest.Option) *world {
	t.Helper()
	host := codehosttest.New(t)
	s := apitest.NewServer(t, append(options, apitest.WithCodehost(host.URL))...)
	host.SetClock(s.Clock.Now)
	w := &world{Server: s, host: host, repo: host.Repository("lumen-works/beacon")}
	s.Project(t, "beacon")
	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"repo_url":"`+host.URL+`/lumen-works/beacon"}`)
	return w
}
