package control_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/store"
)

// readiness is the decoded response of /readyz.
type readiness struct {
	Status string
	Checks []struct {
		Name    string
		OK      bool
		Message string
	}
}

func readyz(t *testing.T, s *apitest.Server) (status int, r readiness) {
	t.Helper()
	status, body, _ := s.Send(t, "GET", "/readyz", nil, "")
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return status, r
}

// broken returns the names and messages of the failed checks.
func (r readiness) broken() string {
	var list []string
	for _, c := range r.Checks {
		if c.OK != (c.Message == "") {
			list = append(list, "contradiction in "+c.Name)
		}
		if !c.OK {
			list = append(list, c.Name+": "+c.Message)
		}
	}
	return strings.Join(list, "; ")
}

// running waits until the index follows the store.
func running(t *testing.T, s *apitest.Server) {
	t.Helper()
	for late := time.Now().Add(time.Minute); !s.Index.State().Running; runtime.Gosched() {
		if time.Now().After(late) {
			t.Fatal("nobody follows")
		}
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		change  func(t *testing.T, s *apitest.Server)
		options []apitest.Option
		status  int
		broken  string
	}{
		{"all is well", func(*testing.T, *apitest.Server) {}, []apitest.Option{apitest.WithIndex()}, 200, ""},
		{"with a disk", func(*testing.T, *apitest.Server) {}, []apitest.Option{apitest.WithConfig(func(c *api.Config) { c.Data = t.TempDir() })}, 200, ""},
		{"a disk that nobody can ask", func(*testing.T, *apitest.Server) {}, []apitest.Option{apitest.WithConfig(func(c *api.Config) { c.Data = "/nowhere/at/all" })}, 503, "disk: the free space is not known"},
		{"stopping", func(_ *testing.T, s *apitest.Server) { s.Handler.Control.Stopping() }, nil, 503, "server: the server is stopping"},
		{"nobody follows", func(_ *testing.T, s *apitest.Server) { s.StopFollowing() }, []apitest.Option{apitest.WithIndex()}, 503, "search: nobody keeps the search index up to date"},
		{"a refused change is no broken file", func(t *testing.T, s *apitest.Server) {
			refusal := errors.New("no")
			if err := s.DB.Update(func(*store.Tx) error { return refusal }); !errors.Is(err, refusal) {
				t.Fatal(err)
			}
		}, nil, 200, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, tc.options...)
			if s.Index != nil {
				running(t, s)
			}
			tc.change(t, s)
			status, r := readyz(t, s)
			if status != tc.status || r.broken() != tc.broken || (r.Status == "ready") != (status == 200) {
				t.Errorf("got %d %s %q, want %d %q", status, r.Status, r.broken(), tc.status, tc.broken)
			}
			if status, body, _ := s.Send(t, "GET", "/healthz", nil, ""); status != 200 || body != "ok" {
				t.Errorf("alive: got %d %s, want 200 ok", status, body)
			}
		})
	}
}

// TestReasonsAreForTheOwner checks that only the owner of the data directory sees reasons that
// contain file names.
func TestReasonsAreForTheOwner(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.Data = "/nowhere/at/all" }))
	if _, body, _ := s.Send(t, "GET", "/readyz", nil, ""); strings.Contains(body, "nowhere") {
		t.Errorf("everybody gets %s", body)
	}
	if status, body := s.Owner(t, "GET", "/readyz", ""); status != 503 || !strings.Contains(body, "/nowhere/at/all") {
		t.Errorf("the owner gets %d %s, want 503 and the folder", status, body)
	}
}
