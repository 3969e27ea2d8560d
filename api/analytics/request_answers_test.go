package analytics_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// answer is a row of a table: the path of a request, and the exact response to it. White space
// between lines is not compared.
type answer struct{ name, path, want string }

// answers requests the request statistics and compares the responses. The project "a" has a few counted
// requests around a Monday; the project "empty" has none.
func answers(t *testing.T, rows []answer) {
	t.Helper()
	s := apitest.NewServer(t)
	s.Furnish(t, "a")
	s.Furnish(t, "empty")
	credential := statsKey(t, s)
	check := func(at int64, on, region, system, client string) apitest.SeenRequest {
		return apitest.SeenRequest{At: at, Endpoint: "VERSION_CHECK_UPDATE", Platform: on, Region: region, System: system, Client: client}
	}
	s.Count(t, "a",
		check(apitest.Monday, "windows", "DE", "11", "2.0"),
		check(apitest.Monday+1, "windows", "DE", "11", "2.0"),
		check(apitest.Monday+apitest.Hour, "macos", "US", "15", "1.0"),
		check(apitest.Monday+2*apitest.Hour, "web", "UNKNOWN", "", "1.0"),
		check(apitest.Monday+apitest.Day, "android", "LOCAL", "", "10.0"),
		apitest.SeenRequest{At: apitest.Monday + apitest.Hour, Endpoint: "VERSION_LATEST", Platform: "windows", Region: "CN", Province: "440000", City: "440300", System: "10"},
		apitest.SeenRequest{At: apitest.Monday + apitest.Hour, Endpoint: "VERSION_LATEST", Platform: "windows", Region: "CN", City: "440100", System: "10"},
		apitest.SeenRequest{At: apitest.Monday + apitest.Hour, Endpoint: "LOG_UPLOAD", Platform: "others", Region: "CN", Province: "110000"},
		apitest.SeenRequest{At: apitest.Monday + apitest.Hour, Endpoint: "LOG_UPLOAD", Platform: "others", Region: "CN"},
		apitest.SeenRequest{At: apitest.Monday + apitest.Hour, Endpoint: "LOG_UPLOAD", Platform: "others", Region: "CN", Province: "990000"},
	)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			project, question, _ := strings.Cut(row.path, "/")
			status, body, _ := s.Do(t, "GET", "/admin/projects/"+project+"/stats/requests/"+question, credential, "")
			if want := strings.NewReplacer("\n", "", "\t", "").Replace(row.want); status != 200 || body != want {
				t.Errorf("got  %d %s\nwant %s", status, body, want)
			}
		})
	}
}

func TestRequestOverview(t *testing.T) {
	t.Parallel()
	answers(t, []answer{
		{
			"each list by count, then by name; only what has traffic", "a/overview?" + apitest.Within(apitest.Monday, apitest.Monday+apitest.Day-1),
			`{"start_time":1764547200,"end_time":1764633599,"total":9,
			"by_endpoint":[{"endpoint":"VERSION_CHECK_UPDATE","count":4},{"endpoint":"LOG_UPLOAD","count":3},{"endpoint":"VERSION_LATEST","count":2}],
			"by_platform":[{"platform":"WINDOWS","count":4},{"platform":"OTHERS","count":3},{"platform":"MACOS","count":1},{"platform":"WEB","count":1}],
			"by_region":[{"region":"CN","count":5},{"region":"DE","count":2},{"region":"UNKNOWN","count":1},{"region":"US","count":1}],
			"by_province":[{"code":"440000","name":"广东省","count":2},{"code":"110000","name":"北京市","count":1},{"code":"990000","name":"990000","count":1}]}`,
		},
		{
			"hours at both ends count whole", "a/overview?" + apitest.Within(apitest.Monday+apitest.Hour-1, apitest.Monday+apitest.Hour-1),
			`{"start_time":1764550799,"end_time":1764550799,"total":2,"by_endpoint":[{"endpoint":"VERSION_CHECK_UPDATE","count":2}],
			"by_platform":[{"platform":"WINDOWS","count":2}],"by_region":[{"region":"DE","count":2}],"by_province":[]}`,
		},
		{
			"nothing", "empty/overview?" + apitest.Within(0, 10),
			`{"start_time":0,"end_time":10,"total":0,"by_endpoint":[],"by_platform":[],"by_region":[],"by_province":[]}`,
		},
		{
			"the range is a week without a start, but not before 1970", "empty/overview?end_time=604801",
			`{"start_time":1,"end_time":604801,"total":0,"by_endpoint":[],"by_platform":[],"by_region":[],"by_province":[]}`,
		},
		{
			"a range that would begin before 1970 begins there", "empty/overview?end_time=5",
			`{"start_time":0,"end_time":5,"total":0,"by_endpoint":[],"by_platform":[],"by_region":[],"by_province":[]}`,
		},
	})
}

func TestRequestSeries(t *testing.T) {
	t.Parallel()
	answers(t, []answer{
		{
			"hours, empty ones included", "a/timeseries?" + apitest.Within(apitest.Monday+1, apitest.Monday+3*apitest.Hour),
			`{"start_time":1764547201,"end_time":1764558000,"granularity":"hour","tz_offset_minutes":0,"endpoint":null,"group_by":null,
			"data":[{"bucket":1764547200,"count":2},{"bucket":1764550800,"count":6},{"bucket":1764554400,"count":1},{"bucket":1764558000,"count":0}],"series":null}`,
		},
		{
			"hours are those of UTC, whatever the offset", "a/timeseries?tz_offset_minutes=330&" + apitest.Within(apitest.Monday, apitest.Monday),
			`{"start_time":1764547200,"end_time":1764547200,"granularity":"hour","tz_offset_minutes":330,"endpoint":null,"group_by":null,
			"data":[{"bucket":1764547200,"count":2}],"series":null}`,
		},
		{
			"one endpoint", "a/timeseries?endpoint=VERSION_LATEST&" + apitest.Within(apitest.Monday, apitest.Monday+apitest.Hour),
			`{"start_time":1764547200,"end_time":1764550800,"granularity":"hour","tz_offset_minutes":0,"endpoint":"VERSION_LATEST","group_by":null,
			"data":[{"bucket":1764547200,"count":0},{"bucket":1764550800,"count":2}],"series":null}`,
		},
		{
			"by platform, the greatest first", "a/timeseries?granularity=day&group_by=platform&endpoint=VERSION_CHECK_UPDATE&" + apitest.Within(apitest.Monday, apitest.Monday+apitest.Day),
			`{"start_time":1764547200,"end_time":1764633600,"granularity":"day","tz_offset_minutes":0,"endpoint":"VERSION_CHECK_UPDATE","group_by":"platform",
			"data":[{"bucket":1764547200,"count":4},{"bucket":1764633600,"count":1}],
			"series":[{"key":"WINDOWS","data":[{"bucket":1764547200,"count":2},{"bucket":1764633600,"count":0}]},
			{"key":"ANDROID","data":[{"bucket":1764547200,"count":0},{"bucket":1764633600,"count":1}]},
			{"key":"MACOS","data":[{"bucket":1764547200,"count":1},{"bucket":1764633600,"count":0}]},
			{"key":"WEB","data":[{"bucket":1764547200,"count":1},{"bucket":1764633600,"count":0}]}]}`,
		},
		{
			"by endpoint", "a/timeseries?granularity=day&group_by=endpoint&" + apitest.Within(apitest.Monday+apitest.Day, apitest.Monday+apitest.Day),
			`{"start_time":1764633600,"end_time":1764633600,"granularity":"day","tz_offset_minutes":0,"endpoint":null,"group_by":"endpoint",
			"data":[{"bucket":1764633600,"count":1}],"series":[{"key":"VERSION_CHECK_UPDATE","data":[{"bucket":1764633600,"count":1}]}]}`,
		},
		{
			"groups of nothing", "empty/timeseries?group_by=endpoint&" + apitest.Within(0, 0),
			`{"start_time":0,"end_time":0,"granularity":"hour","tz_offset_minutes":0,"endpoint":null,"group_by":"endpoint","data":[{"bucket":0,"count":0}],"series":[]}`,
		},
		{
			"local days, also before 1970", "empty/timeseries?granularity=day&tz_offset_minutes=480&" + apitest.Within(0, 0),
			`{"start_time":0,"end_time":0,"granularity":"day","tz_offset_minutes":480,"endpoint":null,"group_by":null,"data":[{"bucket":-28800,"count":0}],"series":null}`,
		},
		{
			// Local midnight is at 00:30 UTC, so the hour that begins at 00:00 UTC belongs to the
			// previous day. It is still a part of the range, and therefore counts for the order of
			// the series.
			"an hour that starts before the first day is not shown", "a/timeseries?granularity=day&tz_offset_minutes=-30&group_by=platform&" + apitest.Within(apitest.Monday+apitest.Hour/2, apitest.Monday+apitest.Hour),
			`{"start_time":1764549000,"end_time":1764550800,"granularity":"day","tz_offset_minutes":-30,"endpoint":null,"group_by":"platform",
			"data":[{"bucket":1764549000,"count":6}],
			"series":[{"key":"WINDOWS","data":[{"bucket":1764549000,"count":2}]},{"key":"OTHERS","data":[{"bucket":1764549000,"count":3}]},{"key":"MACOS","data":[{"bucket":1764549000,"count":1}]}]}`,
		},
	})
}

func TestRequestVersions(t *testing.T) {
	t.Parallel()
	answers(t, []answer{
		{
			"adoption: the most frequent versions, then by bytes", "a/version-adoption?limit=2&" + apitest.Within(apitest.Monday, apitest.Monday+apitest.Day),
			`{"start_time":1764547200,"end_time":1764633600,"granularity":"day","tz_offset_minutes":0,
			"series":[{"version":"1.0","data":[{"bucket":1764547200,"count":2},{"bucket":1764633600,"count":0}]},
			{"version":"2.0","data":[{"bucket":1764547200,"count":2},{"bucket":1764633600,"count":0}]}]}`,
		},
		{
			"adoption: hours", "a/version-adoption?granularity=hour&limit=1&" + apitest.Within(apitest.Monday+apitest.Hour, apitest.Monday+2*apitest.Hour),
			`{"start_time":1764550800,"end_time":1764554400,"granularity":"hour","tz_offset_minutes":0,
			"series":[{"version":"1.0","data":[{"bucket":1764550800,"count":1},{"bucket":1764554400,"count":1}]}]}`,
		},
		{
			"adoption: nothing", "empty/version-adoption?" + apitest.Within(0, 0),
			`{"start_time":0,"end_time":0,"granularity":"day","tz_offset_minutes":0,"series":[]}`,
		},
		{
			"client versions: total covers all", "a/client-versions?limit=2&" + apitest.Within(apitest.Monday, apitest.Monday+apitest.Day),
			`{"start_time":1764547200,"end_time":1764633600,"total":5,"data":[{"version":"1.0","count":2},{"version":"2.0","count":2}]}`,
		},
		{
			"system versions: by count, platform, version; also those not reported", "a/platform-versions?limit=5&" + apitest.Within(apitest.Monday, apitest.Monday+apitest.Day),
			`{"start_time":1764547200,"end_time":1764633600,"total":10,"data":[{"platform":"OTHERS","platform_version":"","count":3},
			{"platform":"WINDOWS","platform_version":"10","count":2},{"platform":"WINDOWS","platform_version":"11","count":2},
			{"platform":"ANDROID","platform_version":"","count":1},{"platform":"MACOS","platform_version":"15","count":1}]}`,
		},
		{
			"system versions: nothing", "empty/platform-versions?" + apitest.Within(0, 0),
			`{"start_time":0,"end_time":0,"total":0,"data":[]}`,
		},
	})
}

// TestHeatmapFollowsTheClient checks that a heatmap shows each request at the client's local time.
func TestHeatmapFollowsTheClient(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	credential := statsKey(t, s)
	at := func(region string, offset *int) apitest.SeenRequest {
		return apitest.SeenRequest{At: apitest.Monday, Endpoint: "VERSION_LIST", Platform: "web", Region: region, Offset: offset}
	}
	for i, tc := range []struct {
		name    string
		request apitest.SeenRequest
		query   string
		want    string // weekday and hour of the cell
	}{
		{"the offset of the client", at("DE", new(480)), "", "1 8"},
		{"an offset of zero is an offset", at("DE", new(0)), "", "1 0"},
		{"west of Monday is Sunday", at("DE", new(-60)), "", "0 23"},
		{"half hours move the whole hour", at("DE", new(-210)), "", "0 20"},
		{"quarters too", at("DE", new(345)), "", "1 5"},
		{"the offset of the country", at("JP", nil), "&tz_offset_minutes=60", "1 9"},
		{"a country with half an hour", at("IN", nil), "", "1 5"},
		{"a country in the west", at("US", nil), "", "0 19"},
		{"a country at zero does not use the caller's", at("GB", nil), "&tz_offset_minutes=60", "1 0"},
		{"a country that is not listed uses the caller's", at("CH", nil), "&tz_offset_minutes=60", "1 1"},
		{"nobody knows where", at("UNKNOWN", nil), "&tz_offset_minutes=-60", "0 23"},
		{"this network", at("LOCAL", nil), "&tz_offset_minutes=840", "1 14"},
		{"and without the caller's it is UTC", at("LOCAL", nil), "", "1 0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			project := fmt.Sprint("p", i)
			s.Furnish(t, project)
			s.Count(t, project, tc.request)
			type cell struct{ Weekday, Hour, Count int }
			answer := stats[struct {
				Start int64 `json:"start_time"`
				Data  []cell
			}](t, s, credential, project, fmt.Sprintf("heatmap?start_time=%d&end_time=%d%s", apitest.Monday, apitest.Monday, tc.query))
			if len(answer.Data) != 168 {
				t.Fatalf("got %d cells, want 168", len(answer.Data))
			}
			for i, c := range answer.Data {
				want := 0
				if fmt.Sprint(i/24, i%24) == tc.want {
					want = 1
				}
				if c.Weekday != i/24 || c.Hour != i%24 || c.Count != want {
					t.Errorf("cell %d: got %+v, want the hour of the week and %d", i, c, want)
				}
			}
		})
	}
}

// TestStatisticsOfRequestsAreUpToDate checks that the default range is the last seven days. It also
// checks that statistics include requests that have not been flushed yet.
func TestStatisticsOfRequestsAreUpToDate(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Furnish(t, "a")
	credential := statsKey(t, s)
	const days = 24 * time.Hour
	for range 3 { // requests after 0, 4 and 8 days
		if status, body, _ := s.Do(t, "GET", "/public/a", "", ""); status != 200 {
			t.Fatalf("got %d %s", status, body)
		}
		s.Clock.Advance(4 * days)
	}
	var o struct {
		Start int64 `json:"start_time"`
		End   int64 `json:"end_time"`
		Total int64
	}
	status, body, _ := s.Do(t, "GET", "/admin/projects/a/stats/requests/overview", credential, "")
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	now := s.Clock.Now().Unix()
	if o.End > now || o.End < now-60 || o.Start != o.End-7*24*3600 || o.Total != 1 {
		t.Errorf("got %d..%d with %d requests, want the seven days until %d with 1", o.Start, o.End, o.Total, now)
	}
	if all := stats[overview](t, s, credential, "a", "overview?start_time=0"); all.Total != 3 {
		t.Errorf("got %d requests of all time, want 3", all.Total)
	}
}
