package control_test

import (
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/doctor"
)

func TestInstanceStatus(t *testing.T) {
	t.Parallel()
	examined := 0
	s := apitest.NewServer(t, apitest.WithJobs(), apitest.WithConfig(func(c *api.Config) {
		c.SiteURL, c.Files.BaseURL = "https://svc.example", "https://dl.example"
		c.Examine = func(f doctor.Facts) []doctor.Result {
			examined++
			return []doctor.Result{
				{Name: "clock", Title: "clock", Status: doctor.OK, Findings: []doctor.Finding{}},
				{Name: "keys", Title: "API keys", Status: doctor.Warning, Findings: []doctor.Finding{{Status: doctor.Warning, Code: "key_old", What: "one is old", Repair: "rotate it", Values: []string{"one"}}}},
			}[:1+f.Keys.Active]
		}
	}))
	const path = "/admin/status"
	first := s.Must(t, 200, "GET", path, "")
	if why := apitest.CompareJSON(t, first, `{"status":"ok","version":"test","site_url":"https://svc.example","distribution_url":"https://dl.example","backup":null,
		"checks":[{"name":"clock","title":"clock","status":"ok","findings":[]}]}`); why != "" {
		t.Errorf("%s: %s", first, why)
	}
	s.Key(t, `{"name":"one"}`)
	if again := s.Must(t, 200, "GET", path, ""); again != first || examined != 1 {
		t.Errorf("at once: got %s after %d examinations, want the same after one", again, examined)
	}
	s.Clock.Advance(15 * time.Second)
	later := s.Must(t, 200, "GET", path, "")
	if why := apitest.CompareJSON(t, later, `{"status":"warning","checks":[{"name":"clock"},
		{"name":"keys","status":"warning","findings":[{"status":"warning","code":"key_old","what":"one is old","repair":"rotate it","values":["one"]}]}]}`); why != "" {
		t.Errorf("%s: %s", later, why)
	}
	if before, after := apitest.Field[int64](t, first, "checked_at"), apitest.Field[int64](t, later, "checked_at"); after-before < 15 {
		t.Errorf("examined at %d and %d, want at least 15 s between", before, after)
	}
}

// TestInstanceStatusKnowsFailedJobs checks that the examined facts include failed jobs.
func TestInstanceStatusKnowsFailedJobs(t *testing.T) {
	t.Parallel()
	var seen doctor.Facts
	s := apitest.NewServer(t, apitest.WithJobs(), apitest.WithConfig(func(c *api.Config) {
		c.Examine = func(f doctor.Facts) []doctor.Result {
			seen = f
			return nil
		}
	}))
	s.Project(t, "app")
	s.Upload(t, "app", "a.txt", "hello")
	if answer := s.Must(t, 200, "GET", "/admin/status", ""); apitest.Field[string](t, answer, "status") != "ok" {
		t.Errorf("without checks: %s", answer)
	}
	if len(seen.FailedJobs) != 0 || seen.Files != 1 {
		t.Errorf("got %+v, want a file and no failed job", seen)
	}
}
