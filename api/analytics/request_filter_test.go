package analytics_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

// TestStatisticsOfRequestsFilter checks the filters of each of the request statistics.
func TestStatisticsOfRequestsFilter(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	now := s.Clock.Now().Unix()
	seen := func(endpoint, on, region, system, client string) apitest.SeenRequest {
		return apitest.SeenRequest{At: now, Endpoint: endpoint, Platform: on, Region: region, System: system, Client: client}
	}
	s.Count(t, "a", seen("VERSION_CHECK_UPDATE", "linux", "CN", "6.1", "1.0"), seen("VERSION_CHECK_UPDATE", "linux", "DE", "6.1", "1.0"),
		seen("VERSION_CHECK_UPDATE", "ios", "CN", "18", "2.0"), seen("LOG_UPLOAD", "linux", "", "6.1", ""))
	hour := now / 3600 * 3600
	bucket := func(n int) string { return fmt.Sprintf(`{"bucket":%d,"count":%d}`, hour, n) }
	for _, tc := range []struct{ path, want string }{
		{"overview?", `"total":4`},
		{"overview?platform=linux&", `"total":3`},
		{"overview?platform=linux&region=CN&", `"total":1`},
		{"overview?region=UNKNOWN&", `"total":1`},
		{"overview?endpoint=VERSION_CHECK_UPDATE&region=CN&", `"total":2`},
		{"overview?region=FR&", `"total":0`},
		{"timeseries?platform=LINUX&", bucket(3)},
		{"timeseries?region=CN&group_by=platform&", `"key":"IOS"`},
		{"client-versions?platform=ios&", `"total":1,"data":[{"version":"2.0"`},
		{"platform-versions?platform=ios&", `"total":1,"data":[{"platform":"IOS"`},
		{"version-adoption?granularity=hour&platform=linux&", `"series":[{"version":"1.0","data":[` + bucket(2) + `]}]`},
		{"heatmap?region=DE&", `"count":1}`},
	} {
		body := s.Must(t, 200, "GET", fmt.Sprintf("/admin/projects/a/stats/requests/%sstart_time=%d&end_time=%d", tc.path, now, now), "")
		if !strings.Contains(body, tc.want) {
			t.Errorf("%s: got %s, want %s", tc.path, body, tc.want)
		}
	}
	for path, message := range map[string]string{
		"overview?region=Mars": "region must be two capital letters", "heatmap?platform=x": "platform must be one of",
		"overview?endpoint=x": "endpoint must be a counted endpoint", "client-versions?platform=x": "platform must be one of",
	} {
		if status, body, _ := s.Do(t, "GET", "/admin/projects/a/stats/requests/"+path, s.Admin, ""); status != 400 || !strings.Contains(body, message) {
			t.Errorf("%s: got %d %s, want 400 with %q", path, status, body, message)
		}
	}
}
