package apitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc/internal/boltfile"
	"svc/internal/datadir"
)

// lastUsed matches the only field that a request may change as a side effect.
var lastUsed = regexp.MustCompile(`"last_used_at":\w+,`)

// State returns all data of the given projects and of the account that GET requests show, so that a
// test can compare it before and after an action. It makes the requests in process, because tests
// call it thousands of times.
func (s *Server) State(t *testing.T, projects ...string) string {
	t.Helper()
	paths := []string{"/auth/me"}
	for _, p := range projects {
		one := "/admin/projects/" + p
		paths = append(paths, one, one+"/aliases", one+"/locales", one+"/versions?limit=100",
			one+"/announcements?limit=100", one+"/feedbacks?limit=100&include_hidden=1", one+"/logs?limit=100&include_hidden=1",
			one+"/events/definitions?limit=100&include_archived=1", one+"/events/dashboards/cards",
			one+"/events/stats/overview?start_time=0&end_time=9007199254740992")
	}
	var all strings.Builder
	for _, path := range paths {
		all.WriteString(path + " " + s.InProcess(t, path) + "\n")
	}
	return all.String()
}

// WholeState returns the result of State plus the lists of all projects and keys. It is meant for
// tests that do not share the server.
func (s *Server) WholeState(t *testing.T, projects ...string) string {
	t.Helper()
	keys := lastUsed.ReplaceAllString(s.InProcess(t, "/auth/tokens"), "")
	return s.State(t, projects...) + keys + "\n" +
		s.InProcess(t, "/admin/projects?limit=100") + "\n" + s.InProcess(t, "/admin/versions/statistics")
}

// Digests returns the digests of both data files, without the data of the node itself.
func (s *Server) Digests(t testing.TB) (digests string) {
	t.Helper()
	status, answer := s.Owner(t, "POST", "/control/check/copies", "")
	if status != http.StatusOK {
		t.Fatalf("copies of the data files: got %d %s", status, answer)
	}
	folder := Field[string](t, answer, "folder")
	for _, name := range datadir.Databases {
		sum, _, err := boltfile.DigestFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		digests += fmt.Sprintf("%s %x\n", name, sum)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	return digests
}

// InProcess sends a GET request by the administrator in process and returns the response.
func (s *Server) InProcess(t *testing.T, path string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1"+path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+s.Admin)
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	if w.Code != 200 && w.Code != 404 {
		t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// Metric returns the value of a metric that has no labels.
func (s *Server) Metric(t testing.TB, name string) float64 {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler.Control.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	_, value, _ := strings.Cut(w.Body.String(), "\n"+name+" ")
	value, _, _ = strings.Cut(value, "\n")
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Fatalf("metric %s: %v", name, err)
	}
	return n
}
