package resource_test

import (
	"strconv"
	"testing"
	"time"

	"svc/api/apitest"
)

func TestStatistics(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const projects, versions = "/admin/projects/statistics", "/admin/versions/statistics"
	s.Exchanges(t, []apitest.Exchange{
		{"status of the module", "GET", "/admin/projects/_status", "", 200, `{"module":"projects","implemented":true}`},
		{"no project", "GET", projects, "", 200, `{"count":0}`},
		{"no version: times are null", "GET", versions, "", 200, `{"total_versions":0,"total_projects":0,"forced_versions":0,"latest_version_time":null,"first_version_time":null}`},
	})
	s.Project(t, "a")
	s.Project(t, "b")
	s.Exchanges(t, []apitest.Exchange{
		{"projects", "GET", projects, "", 200, `{"count":2}`},
		{"a project without versions is not counted with the versions", "GET", versions, "", 200, `{"total_versions":0,"total_projects":0,"latest_version_time":null}`},
	})
	first := createAt(t, s, 0, "a", "5.0 at=9999999999")
	middle := createAt(t, s, 10*time.Minute, "b", "1.0 at=1")
	last := createAt(t, s, 10*time.Minute, "a", "1.0-rc preview at=2")
	expectVersions(t, s, "the times are of creation, over all projects", 3, 2, &last, &first)
	s.Must(t, 200, "PATCH", "/admin/projects/a", `{"project_key":"c"}`)
	s.Must(t, 200, "PUT", apitest.VersionsOf("c")+"/by-version/5.0", `{"title":"t"}`)
	expectVersions(t, s, "a rename and an edit count nothing anew", 3, 2, &last, &first)
	s.Must(t, 200, "DELETE", apitest.VersionsOf("c")+"/"+s.VersionID(t, "c", "5.0"), "")
	expectVersions(t, s, "without the oldest", 2, 2, &last, &middle)
	s.Must(t, 200, "DELETE", apitest.VersionsOf("c")+"/"+s.VersionID(t, "c", "1.0-rc"), "")
	expectVersions(t, s, "a project whose versions have gone", 1, 1, &middle, &middle)
	s.Must(t, 200, "DELETE", "/admin/projects/b", "")
	expectVersions(t, s, "none again", 0, 0, nil, nil)
	s.Exchanges(t, []apitest.Exchange{{"a deleted project is not counted", "GET", projects, "", 200, `{"count":1}`}})
}

// createAt advances the clock, publishes a version and returns its creation time.
func createAt(t *testing.T, s *apitest.Server, later time.Duration, key, version string) int64 {
	t.Helper()
	s.Clock.Advance(later)
	s.Publish(t, key, version)
	newest := s.Must(t, 200, "GET", "/admin/versions/statistics", "")
	return apitest.Field[int64](t, newest, "latest_version_time")
}

// expectVersions compares the version statistics with the expected values. A nil time means null.
func expectVersions(t *testing.T, s *apitest.Server, rule string, versions, projects int64, newest, oldest *int64) {
	t.Helper()
	answer := s.Must(t, 200, "GET", "/admin/versions/statistics", "")
	if got := apitest.Field[int64](t, answer, "total_versions"); got != versions {
		t.Errorf("%s: got %d versions, want %d", rule, got, versions)
	}
	if got := apitest.Field[int64](t, answer, "total_projects"); got != projects {
		t.Errorf("%s: got %d projects with versions, want %d", rule, got, projects)
	}
	for name, want := range map[string]*int64{"latest_version_time": newest, "first_version_time": oldest} {
		got := apitest.Field[*int64](t, answer, name)
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
