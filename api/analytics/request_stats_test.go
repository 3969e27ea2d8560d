package analytics_test

import (
	"net/http"
	"strings"
	"testing"

	"svc/api/apitest"
)

var statsPaths = []string{"overview", "timeseries", "version-adoption", "client-versions", "platform-versions", "heatmap"}

// TestStatisticsOfRequestsRefuse checks the validation that all six request statistics have in
// common.
func TestStatisticsOfRequestsRefuse(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Furnish(t, "a")
	s.Furnish(t, "b")
	right := statsKey(t, s)
	scopeless := s.Key(t, `{"name":"x","scopes":["projects:read","events:read","logs:read"]}`)
	elsewhere := s.Key(t, `{"name":"x","scopes":["stats:read"],"project_ids":["b"]}`)
	for _, path := range statsPaths {
		for _, tc := range []struct {
			name, credential, project, query string
			status                           int
			message                          string
		}{
			{"no credential", "", "a", "", 401, "credential"},
			{"another scope", scopeless, "a", "", 401, "stats:read"},
			{"another project", elsewhere, "a", "", 401, "does not reach"},
			{"no such project, limited key", elsewhere, "nothing", "", 401, "does not reach"},
			{"no such project", right, "nothing", "", 404, "not found"},
			{"parameters before the project", right, "nothing", "?end_time=x", 400, "end_time"},
			{"credential before parameters", "", "a", "?end_time=x", 401, "credential"},
			{"end before start", right, "a", "?start_time=11&end_time=10", 400, "start_time must not be after end_time"},
			{"start after now", right, "a", "?start_time=99999999999", 400, "start_time must not be after end_time"},
			{"no number", right, "a", "?start_time=abc", 400, "start_time must be an integer"},
			{"no whole number", right, "a", "?end_time=1.5", 400, "end_time must be an integer"},
			{"no whole number, but as good as one", right, "a", "?end_time=1e9", 400, "end_time must be an integer"},
			{"before 1970", right, "a", "?start_time=-1", 400, "start_time must be an integer of at least 0"},
			{"beyond all numbers", right, "a", "?end_time=99999999999999999999", 400, "end_time must be an integer"},
			{"too far west", right, "a", "?tz_offset_minutes=-841", 400, "tz_offset_minutes must be an integer from -840 to 900"},
			{"too far east", right, "a", "?tz_offset_minutes=901", 400, "tz_offset_minutes must be an integer from -840 to 900"},
			{"every broken rule at once", right, "a", "?start_time=x&end_time=y&tz_offset_minutes=z", 400, `integer of at least 0 (Unix seconds)","tz_offset`},
			{"empty is not sent", right, "a", "?start_time=&end_time=&tz_offset_minutes=&limit=&granularity=&endpoint=&group_by=", 200, ""},
			{"unknown parameters are ignored", right, "a", "?granularities=x&foo=1", 200, ""},
			{"ends of the ranges", right, "a", "?start_time=0&end_time=0&tz_offset_minutes=-840", 200, ""},
			{"a login", s.Admin, "a", "?tz_offset_minutes=900", 200, ""},
			{"by a key for this project", elsewhere, "B", "", 200, ""},
		} {
			t.Run(path+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				status, body, _ := s.Do(t, "GET", "/admin/projects/"+tc.project+"/stats/requests/"+path+tc.query, tc.credential, "")
				if status != tc.status || !strings.Contains(body, tc.message) {
					t.Errorf("got %d %s, want %d with %q", status, body, tc.status, tc.message)
				}
			})
		}
	}
}

// TestStatisticsOfRequestsParameters checks the validation that is specific to each of the request
// statistics. An empty message means that the request is valid.
func TestStatisticsOfRequestsParameters(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Furnish(t, "a")
	credential := statsKey(t, s)
	const tenDays, hours20000, days20000 = "start_time=0&end_time=863999", "start_time=0&end_time=71999999", "start_time=0&end_time=1727999999"
	for _, tc := range []struct{ query, message string }{
		{"timeseries?granularity=hour", ""},
		{"timeseries?granularity=day", ""},
		{"timeseries?granularity=week", "granularity must be one of hour, day"},
		{"timeseries?granularity=DAY", "granularity must be one of hour, day"},
		{"timeseries?endpoint=EVENT_INGEST", ""},
		{"timeseries?endpoint=event_ingest", "endpoint must be a counted endpoint"},
		{"timeseries?endpoint=HEALTH", "endpoint must be a counted endpoint"},
		{"timeseries?group_by=endpoint", ""},
		{"timeseries?group_by=platform", ""},
		{"timeseries?group_by=region", "group_by must be one of endpoint, platform"},
		{"timeseries?" + tenDays, ""},
		{"timeseries?" + hours20000, ""},
		{"timeseries?start_time=0&end_time=72000000", "20001 buckets of one hour, at most 20000"},
		{"timeseries?granularity=day&" + days20000, ""},
		{"timeseries?granularity=day&start_time=0&end_time=1728000000", "20001 buckets of one day, at most 20000"},
		{"timeseries?granularity=day&tz_offset_minutes=1&" + days20000, "20001 buckets of one day, at most 20000"},
		{"timeseries?start_time=0&end_time=9007199254740992", "at most 20000"},
		{"version-adoption?granularity=day", ""},
		{"version-adoption?granularity=hour", ""},
		{"version-adoption?granularity=month", "granularity must be one of hour, day"},
		{"version-adoption?granularity=hour&start_time=0&end_time=72000000", "20001 buckets of one hour, at most 20000"},
		{"version-adoption?limit=1", ""},
		{"version-adoption?limit=20", ""},
		{"version-adoption?limit=0", "limit must be an integer from 1 to 20"},
		{"version-adoption?limit=21", "limit must be an integer from 1 to 20"},
		{"version-adoption?limit=x", "limit must be an integer from 1 to 20"},
		{"client-versions?limit=1", ""},
		{"client-versions?limit=100", ""},
		{"client-versions?limit=0", "limit must be an integer from 1 to 100"},
		{"client-versions?limit=101", "limit must be an integer from 1 to 100"},
		{"platform-versions?limit=200", ""},
		{"platform-versions?limit=-1", "limit must be an integer from 1 to 200"},
		{"platform-versions?limit=201", "limit must be an integer from 1 to 200"},
		{"overview?start_time=0&end_time=9007199254740992", ""},
		{"heatmap?start_time=0&end_time=9007199254740992", ""},
	} {
		t.Run(tc.query, func(t *testing.T) {
			t.Parallel()
			status, body, _ := s.Do(t, "GET", "/admin/projects/a/stats/requests/"+tc.query, credential, "")
			want := http.StatusOK
			if tc.message != "" {
				want = http.StatusBadRequest
			}
			if status != want || !strings.Contains(body, tc.message) {
				t.Errorf("got %d %.300s, want %d with %q", status, body, want, tc.message)
			}
		})
	}
}
