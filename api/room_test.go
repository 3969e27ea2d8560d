package api_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/disk"
)

// TestReserveOfTheDisk checks that the server refuses public submissions while the disk has less
// free space than disk.Reserve. All other requests continue to work.
func TestReserveOfTheDisk(t *testing.T) {
	t.Parallel()
	var free atomic.Uint64
	free.Store(disk.Reserve)
	var broken atomic.Pointer[error]
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
		c.Data = t.TempDir()
		c.Free = func() (uint64, error) {
			if err := broken.Load(); err != nil {
				return 0, *err
			}
			return free.Load(), nil
		}
	}))
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	submissions := []struct{ path, body string }{
		{"/public/app/feedbacks", `{"content":"x"}`},
		{"/public/app/logs", `{"level":1,"content":"x"}`},
		{"/public/app/events", `{"distinct_id":"u","events":[{"event_id":"e","name":"open"}]}`},
	}
	send := func(name string, stored bool) {
		t.Helper()
		for _, tc := range submissions {
			status, answer, header := s.Do(t, "POST", tc.path, "", tc.body)
			if stored && status > 299 {
				t.Errorf("%s: %s: got %d %s", name, tc.path, status, answer)
			}
			if !stored && (status != 507 || header.Get("Retry-After") != "60" || !strings.Contains(answer, "nearly full")) {
				t.Errorf("%s: %s: got %d, Retry-After %q, %s", name, tc.path, status, header.Get("Retry-After"), answer)
			}
		}
	}
	send("just enough", true)
	free.Store(disk.Reserve - 1)
	send("a byte less", false)
	s.Exchanges(t, []apitest.Exchange{
		{"an update check", "POST", "/public/app/versions/check-update", `{"current_version":"1.0"}`, 200, ``},
		{"an administrator writes", "POST", "/admin/projects", `{"project_key":"b","name":"B"}`, 201, ``},
		{"adds a log", "POST", "/admin/projects/app/logs", `{"level":1,"content":"added"}`, 201, ``},
		{"deletes", "DELETE", "/admin/projects/b", ``, 200, ``},
		{"prunes", "POST", "/admin/projects/app/logs/prune", `{"level":1}`, 200, `{"deleted":2}`},
		{"logs in", "POST", "/auth/login", `{"username":"admin","password":"` + apitest.Password + `"}`, 201, ``},
	})
	free.Store(1 << 40)
	send("room again", true)
	failure := errors.New("the file system does not answer")
	broken.Store(&failure)
	send("nobody knows", true)
}
