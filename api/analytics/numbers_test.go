package analytics_test

import (
	"fmt"
	"testing"

	"svc/api/apitest"
)

// onMonday returns a time of day on Monday, in Unix seconds.
func onMonday(hours, minutes, seconds int64) int64 {
	return apitest.Monday + hours*apitest.Hour + minutes*60 + seconds
}

// TestNumbersPage checks the examples in docs/numbers.md.
func TestNumbersPage(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0))
	for project, events := range map[string][]apitest.SentEvent{
		"hours": {{"a", "", "a", onMonday(10, 59, 0), ""}, {"a", "", "a", onMonday(18, 45, 0), ""}},
		"values": {
			{"a", "", "a", apitest.Monday, `{"v":1}`}, {"a", "", "a", apitest.Monday, `{"v":1.0}`}, {"a", "", "a", apitest.Monday, `{"v":"1"}`}, {"a", "", "a", apitest.Monday, `{"v":1e3}`},
			{"a", "", "a", apitest.Monday, `{"v":true}`}, {"a", "", "a", apitest.Monday, `{"v":""}`}, {"a", "", "a", apitest.Monday, `{"v":null}`}, {"a", "", "a", apitest.Monday, `{}`}, {"a", "", "a", apitest.Monday, ""},
		},
		"funnel": {
			{"a", "", "open", onMonday(10, 0, 0), ""}, {"a", "", "buy", onMonday(11, 0, 0), ""},
			{"b", "", "open", onMonday(10, 0, 0), ""}, {"b", "", "buy", onMonday(11, 0, 1), ""},
			{"c", "", "buy", onMonday(9, 59, 0), ""}, {"c", "", "open", onMonday(10, 0, 0), ""},
			{"d", "", "open", onMonday(10, 0, 0), ""}, {"d", "", "open", onMonday(12, 0, 0), ""}, {"d", "", "buy", onMonday(12, 10, 0), ""},
		},
		"retention": {{"a", "", "open", onMonday(9, 0, 0), ""}, {"a", "", "open", onMonday(33, 0, 0), ""}, {"b", "", "open", apitest.Monday, ""}, {"c", "", "open", onMonday(24, 0, 0), ""}},
		"paths": {
			{"a", "1", "open", apitest.Monday, ""}, {"a", "1", "view", apitest.Monday + 1, ""}, {"a", "1", "buy", apitest.Monday + 2, ""},
			{"a", "2", "open", apitest.Monday, ""}, {"a", "2", "view", apitest.Monday, ""},
			{"b", "3", "view", apitest.Monday, ""}, {"b", "3", "open", apitest.Monday + 5, ""}, {"b", "3", "buy", apitest.Monday + 6, ""},
			{"b", "", "open", apitest.Monday, ""},
		},
		"metric": {{"a", "", "open", apitest.Monday, ""}, {"a", "", "open", apitest.Monday + 1, ""}, {"b", "", "open", apitest.Monday, ""}, {"b", "", "open", onMonday(24, 0, 0), ""}},
	} {
		s.Project(t, project)
		s.Track(t, project, events...)
	}
	stats := func(project, question string) string {
		return "/admin/projects/" + project + "/events/stats/" + question
	}
	analysis := func(name, path string) string { return "/admin/projects/" + name + "/events/analysis/" + path }
	asked := fmt.Sprintf(`{"start_time":%d,"end_time":%d,`, apitest.Monday, onMonday(60, 0, 0)) // the range ends at noon on Wednesday
	steps := asked + `"steps":[{"event_name":"open"},{"event_name":"buy"}],"window_seconds":3600`
	s.Exchanges(t, []apitest.Exchange{
		{"hours count whole", "GET", stats("hours", "overview?"+apitest.Within(onMonday(10, 30, 0), onMonday(10, 40, 0))), "", 200, `{"total":1,"unique_users":0}`},
		{"an hour belongs to the day in which it begins", "GET", stats("hours", "timeseries?tz_offset_minutes=330&"+apitest.Within(apitest.Monday, onMonday(24, 0, 0))), "", 200,
			`{"data":[{"bucket":1764527400,"count":2},{"bucket":1764613800,"count":0}]}`},
		{"values are texts", "GET", stats("values", "breakdown?dimension=property&property_key=v&"+apitest.Within(apitest.Monday, apitest.Monday)), "", 200,
			`{"total":9,"data":[{"key":"","label":"(not reported)","count":3},{"key":"1","count":3},{"key":"","label":"","count":1},{"key":"1000","count":1},{"key":"true","count":1}]}`},
		{"funnel", "POST", analysis("funnel", "funnel"), steps + `}`, 200, `{"data":[{"users":4},{"users":1,"conversion_rate":0.25,"dropped":3,"median_seconds":3600}]}`},
		{"funnel from any entry", "POST", analysis("funnel", "funnel"), steps + `,"entry":"any"}`, 200, `{"data":[{"users":4},{"users":2,"conversion_rate":0.5,"dropped":2,"median_seconds":600}]}`},
		{"retention", "POST", analysis("retention", "retention"), asked + `"start_event":"open","periods":3}`, 200,
			`{"cohorts":[{"size":2,"cells":[{"rate":1},{"rate":0.5},null]},{"size":1,"cells":[{"rate":1},null,null]},{"size":0,"cells":[{"rate":0},null,null]}]}`},
		{"paths", "POST", analysis("paths", "paths"), asked + `"depth":3}`, 200,
			`{"data":[{"step":1,"from_event":"open","to_event":"view","count":2},{"step":1,"from_event":"view","to_event":"open","count":1},
			{"step":2,"from_event":"open","to_event":"buy","count":1},{"step":2,"from_event":"view","to_event":"buy","count":1}]}`},
		{"metric", "POST", analysis("metric", "query"), asked + `"type":"value","events":[{"name":"open","alias":"A","measure":"count_per_user"}]}`, 200, `{"result":2}`},
		{"metric by days", "POST", analysis("metric", "query"), asked + `"type":"timeseries","events":[{"name":"open","alias":"A","measure":"count_per_user"}]}`, 200,
			`{"series":[{"data":[{"count":1.5},{"count":0.5},{"count":0}]}]}`},
	})
}
