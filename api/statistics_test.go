package api_test

import (
	"strconv"
	"testing"
	"time"
)

func TestStatistics(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const projects, versions = "/admin/projects/statistics", "/admin/versions/statistics"
	s.exchanges(t, []exchange{
		{"status of the module", "GET", "/admin/projects/_status", "", 200, `{"module":"projects","implemented":true}`},
		{"no project", "GET", projects, "", 200, `{"count":0}`},
		{"no version: times are null", "GET", versions, "", 200, `{"total_versions":0,"total_projects":0,"forced_versions":0,"latest_version_time":null,"first_version_time":null}`},
	})
	s.project(t, "a")
	s.project(t, "b")
	s.exchanges(t, []exchange{
		{"projects", "GET", projects, "", 200, `{"count":2}`},
		{"a project without versions is not counted with the versions", "GET", versions, "", 200, `{"total_versions":0,"total_projects":0,"latest_version_time":null}`},
	})
	first := s.createAt(t, 0, "a", "5.0 at=9999999999")
	middle := s.createAt(t, 10*time.Minute, "b", "1.0 at=1")
	last := s.createAt(t, 10*time.Minute, "a", "1.0-rc preview at=2")
	s.expectVersions(t, "the times are of creation, over all projects", 3, 2, &last, &first)
	s.must(t, 200, "PATCH", "/admin/projects/a", `{"project_key":"c"}`)
	s.must(t, 200, "PUT", versionsOf("c")+"/by-version/5.0", `{"title":"t"}`)
	s.expectVersions(t, "a rename and an edit count nothing anew", 3, 2, &last, &first)
	s.must(t, 200, "DELETE", versionsOf("c")+"/"+s.versionID(t, "c", "5.0"), "")
	s.expectVersions(t, "without the oldest", 2, 2, &last, &middle)
	s.must(t, 200, "DELETE", versionsOf("c")+"/"+s.versionID(t, "c", "1.0-rc"), "")
	s.expectVersions(t, "a project whose versions have gone", 1, 1, &middle, &middle)
	s.must(t, 200, "DELETE", "/admin/projects/b", "")
	s.expectVersions(t, "none again", 0, 0, nil, nil)
	s.exchanges(t, []exchange{{"a deleted project is not counted", "GET", projects, "", 200, `{"count":1}`}})
}

// createAt publishes one version after a while and returns when that was.
func (s *server) createAt(t *testing.T, later time.Duration, key, version string) int64 {
	t.Helper()
	s.clock.advance(later)
	s.publish(t, key, version)
	newest := s.must(t, 200, "GET", "/admin/versions/statistics", "")
	return field[int64](t, newest, "latest_version_time")
}

// expectVersions holds the statistics to what they must be. The times are nil
// where they must be null.
func (s *server) expectVersions(t *testing.T, rule string, versions, projects int64, newest, oldest *int64) {
	t.Helper()
	answer := s.must(t, 200, "GET", "/admin/versions/statistics", "")
	if got := field[int64](t, answer, "total_versions"); got != versions {
		t.Errorf("%s: got %d versions, want %d", rule, got, versions)
	}
	if got := field[int64](t, answer, "total_projects"); got != projects {
		t.Errorf("%s: got %d projects with versions, want %d", rule, got, projects)
	}
	for name, want := range map[string]*int64{"latest_version_time": newest, "first_version_time": oldest} {
		got := field[*int64](t, answer, name)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %s in %s: want %s", rule, name, answer, moment(want))
		}
	}
}

func moment(seconds *int64) string {
	if seconds == nil {
		return "null"
	}
	return strconv.FormatInt(*seconds, 10)
}
