package analytics_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/geo"
)

// statsKey creates an API key that can read the statistics of all projects. It never expires, so
// that tests can advance the clock.
func statsKey(t testing.TB, s *apitest.Server) string {
	t.Helper()
	return s.Key(t, `{"name":"statistics","scopes":["stats:read"],"never_expires":true}`)
}

// stats requests one of the request statistics and returns the decoded response.
func stats[V any](t testing.TB, s *apitest.Server, credential, project, path string) (v V) {
	t.Helper()
	status, body, _ := s.Do(t, "GET", "/admin/projects/"+project+"/stats/requests/"+path, credential, "")
	if status != http.StatusOK {
		t.Fatalf("%s: got %d %s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%s: %v in %s", path, err, body)
	}
	return v
}

type overview struct {
	Total      int64
	ByEndpoint []struct {
		Endpoint string
		Count    int64
	} `json:"by_endpoint"`
	ByPlatform []struct {
		Platform string
		Count    int64
	} `json:"by_platform"`
	ByRegion []struct {
		Region string
		Count  int64
	} `json:"by_region"`
}

// counted summarizes the request counters of a project in one line. The line contains the count of
// each endpoint, operating system, region and client version.
func counted(t testing.TB, s *apitest.Server, credential, project string) string {
	t.Helper()
	o := stats[overview](t, s, credential, project, "overview")
	systems := stats[struct {
		Total int64
		Data  []struct {
			Platform string
			Version  string `json:"platform_version"`
			Count    int64
		}
	}](t, s, credential, project, "platform-versions")
	clients := stats[struct {
		Total int64
		Data  []struct {
			Version string
			Count   int64
		}
	}](t, s, credential, project, "client-versions")
	if systems.Total != o.Total {
		t.Errorf("%s: got %d requests and %d systems, want the same", project, o.Total, systems.Total)
	}
	var words []string
	for _, c := range o.ByEndpoint {
		words = append(words, fmt.Sprintf("%d %s", c.Count, c.Endpoint))
	}
	for _, c := range systems.Data {
		words = append(words, fmt.Sprintf("%d %s %q", c.Count, c.Platform, c.Version))
	}
	for _, c := range o.ByRegion {
		words = append(words, fmt.Sprintf("%d %s", c.Count, c.Region))
	}
	for _, c := range clients.Data {
		words = append(words, fmt.Sprintf("%d client %q", c.Count, c.Version))
	}
	return strings.Join(words, ", ")
}

// TestWhatIsCounted sends one request per row, each to a separate project, and checks the counters.
// The client is curl on this machine unless the row specifies another one.
func TestWhatIsCounted(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	credential := statsKey(t, s)
	const curl = `1 OTHERS "", 1 LOCAL`
	check := func(client string) string { return `1 VERSION_CHECK_UPDATE, ` + curl + `, 1 client "` + client + `"` }
	type headers = map[string]string
	for i, tc := range []struct {
		name, method, path string
		headers            headers
		body               string
		status             int
		want               string
	}{
		// Counted routes.
		{"the project", "GET", "", nil, "", 200, "1 PROJECT_DETAIL, " + curl},
		{"a slash at the end changes nothing", "GET", "/", nil, "", 200, "1 PROJECT_DETAIL, " + curl},
		{"versions", "GET", "/versions", nil, "", 200, "1 VERSION_LIST, " + curl},
		{"latest version", "GET", "/versions/latest", nil, "", 200, "1 VERSION_LATEST, " + curl},
		{"latest preview, also null", "GET", "/versions/latest-preview", nil, "", 200, "1 VERSION_LATEST_PREVIEW, " + curl},
		{"version by version", "GET", "/versions/by-version/1.0.0", nil, "", 200, "1 VERSION_BY_VERSION, " + curl},
		{"assets of a version", "GET", "/versions/by-version/1.0.0/assets?platform=linux", nil, "", 200, "1 VERSION_ASSETS, " + curl},
		{"notes of versions", "GET", "/versions/notes?from=0.1&platform=linux", nil, "", 200, "1 VERSION_NOTES, " + curl},
		{"update check", "POST", "/versions/check-update", nil, `{"current_version":"v1.0"}`, 200, check("v1.0")},
		{"announcements", "GET", "/announcements", nil, "", 200, "1 ANNOUNCEMENT_LIST, " + curl},
		{"latest announcement", "GET", "/announcements/latest", nil, "", 200, "1 ANNOUNCEMENT_LATEST, " + curl},
		{"feedback", "POST", "/feedbacks", nil, `{"content":"x"}`, 201, "1 FEEDBACK_SUBMIT, " + curl},
		{"log", "POST", "/logs", nil, `{"level":1,"content":"x"}`, 201, "1 LOG_UPLOAD, " + curl},
		{"events", "POST", "/events", nil, `{"distinct_id":"u","events":[{"event_id":"1","name":"a"}]}`, 202, "1 EVENT_INGEST, " + curl},

		// Routes that are not counted.
		{"not: feedback options", "GET", "/feedbacks/options", nil, "", 200, ""},
		{"not: one's own events", "GET", "/events/me?distinct_id=u", nil, "", 200, ""},
		{"not: one's own events, deleted", "DELETE", "/events/me?distinct_id=u", nil, "", 200, ""},
		{"not: events without a sender", "POST", "/events", nil, `{"events":[{"event_id":"1","name":"a"}]}`, 400, ""},
		{"not: HEAD", "HEAD", "/versions", nil, "", 200, ""},
		{"not: preflight", "OPTIONS", "/versions", headers{"Origin": "https://a.example", "Access-Control-Request-Method": "GET"}, "", 204, ""},
		{"not: OPTIONS without preflight", "OPTIONS", "/versions", nil, "", 404, ""},
		{"not: version that does not exist", "GET", "/versions/by-version/9", nil, "", 404, ""},
		{"not: path that does not exist", "GET", "/nothing", nil, "", 404, ""},
		{"not: broken parameter", "GET", "/versions?limit=0", nil, "", 400, ""},
		{"not: broken body", "POST", "/versions/check-update", nil, `{`, 400, ""},
		{"not: unknown version without a comparable one", "POST", "/versions/check-update", nil, `{"current_version":"?"}`, 400, ""},
		{"not: log without content", "POST", "/logs", nil, `{"level":1}`, 400, ""},

		// The system.
		{"header", "GET", "", headers{"X-Svc-Platform": "Windows", "X-Svc-Platform-Version": "11"}, "", 200, `1 PROJECT_DETAIL, 1 WINDOWS "11", 1 LOCAL`},
		{"platform and version in one text", "GET", "", headers{"X-Svc-Platform": "ubuntu 24.04"}, "", 200, `1 PROJECT_DETAIL, 1 LINUX "ubuntu 24.04", 1 LOCAL`},
		{"query", "GET", "?platform=ios&platform_version=17.5", nil, "", 200, `1 PROJECT_DETAIL, 1 IOS "17.5", 1 LOCAL`},
		{"an empty query says nothing", "GET", "?platform=&platform_version=", headers{"User-Agent": "Dalvik (Android 14)"}, "", 200, `1 PROJECT_DETAIL, 1 ANDROID "14", 1 LOCAL`},
		{"header before query", "GET", "?platform=ios", headers{"X-Svc-Platform": "web"}, "", 200, `1 PROJECT_DETAIL, 1 WEB "", 1 LOCAL`},
		{"body of an update check", "POST", "/versions/check-update", nil, `{"current_version":"v1.0","platform":"macOS","platform_version":"15.1"}`, 200,
			`1 VERSION_CHECK_UPDATE, 1 MACOS "15.1", 1 LOCAL, 1 client "v1.0"`},
		{"body of feedback", "POST", "/feedbacks", nil, `{"content":"x","platform":"android","platform_version":"15"}`, 201, `1 FEEDBACK_SUBMIT, 1 ANDROID "15", 1 LOCAL`},
		{"body of events", "POST", "/events", nil, `{"distinct_id":"u","platform":"Windows 11","events":[{"event_id":"1","name":"a"}]}`, 202, `1 EVENT_INGEST, 1 WINDOWS "11", 1 LOCAL`},
		{"body of a log", "POST", "/logs", nil, `{"level":1,"content":"x","platform":"Windows 11"}`, 201, `1 LOG_UPLOAD, 1 WINDOWS "11", 1 LOCAL`},
		{"query before body", "POST", "/versions/check-update?platform=linux", nil, `{"current_version":"v1.0","platform":"ios"}`, 200,
			`1 VERSION_CHECK_UPDATE, 1 LINUX "", 1 LOCAL, 1 client "v1.0"`},
		{"null in a body says nothing", "POST", "/versions/check-update", headers{"User-Agent": "Windows NT 10.0"}, `{"current_version":"v1.0","platform":null}`, 200,
			`1 VERSION_CHECK_UPDATE, 1 WINDOWS "10", 1 LOCAL, 1 client "v1.0"`},
		{"a number in a body never fails, and leaves the User-Agent", "POST", "/versions/check-update", headers{"User-Agent": "Windows NT 10.0"}, `{"current_version":"v1.0","platform":7,"platform_version":[]}`, 200,
			`1 VERSION_CHECK_UPDATE, 1 WINDOWS "10", 1 LOCAL, 1 client "v1.0"`},
		{"unusable declaration leaves the User-Agent", "GET", "?platform=ios", headers{"X-Svc-Platform": "playstation", "User-Agent": "Windows NT 6.1"}, "", 200, `1 PROJECT_DETAIL, 1 WINDOWS "7", 1 LOCAL`},
		{"platform of a list is a filter: not declared", "GET", "/versions?platform=windows", nil, "", 200, "1 VERSION_LIST, " + curl},
		{"platform of announcements is a filter", "GET", "/announcements?platform=windows", nil, "", 200, "1 ANNOUNCEMENT_LIST, " + curl},
		{"platform of the latest announcement is a filter", "GET", "/announcements/latest?platform=windows", nil, "", 200, "1 ANNOUNCEMENT_LATEST, " + curl},
		{"header beside such a filter", "GET", "/versions?platform=windows", headers{"X-Svc-Platform": "macos"}, "", 200, `1 VERSION_LIST, 1 MACOS "", 1 LOCAL`},

		// The client.
		{"client version is trimmed, nothing else", "POST", "/versions/check-update", nil, `{"current_version":" V1.0-Beta ","current_comparable_version":"1.0"}`, 200, check("V1.0-Beta")},
		{"comparable version without another", "POST", "/versions/check-update", nil, `{"current_comparable_version":"0.9"}`, 200, check("0.9")},
		{"comparable version beside a blank one", "POST", "/versions/check-update", nil, `{"current_version":"  ","current_comparable_version":"0.9"}`, 200, check("0.9")},
		{"comparable version beside null", "POST", "/versions/check-update", nil, `{"current_version":null,"current_comparable_version":"0.9"}`, 200, check("0.9")},
		{"unpublished versions count", "POST", "/versions/check-update", nil, `{"current_version":"7 (nightly)","current_comparable_version":"7"}`, 200, check("7 (nightly)")},
		{"64 characters fit", "POST", "/versions/check-update", nil, `{"current_version":"` + strings.Repeat("ü", 64) + `","current_comparable_version":"7"}`, 200, check(strings.Repeat("ü", 64))},

		// The location.
		{"private address behind a proxy", "GET", "", headers{"X-Forwarded-For": "192.168.1.4"}, "", 200, "1 PROJECT_DETAIL, " + curl},
		{"without look-ups an address is nowhere", "GET", "", headers{"X-Forwarded-For": "8.8.8.8"}, "", 200, `1 PROJECT_DETAIL, 1 OTHERS "", 1 UNKNOWN`},

		// The clock.
		{"a client time never fails", "GET", "", headers{"X-Svc-Client-Time": "yesterday"}, "", 200, "1 PROJECT_DETAIL, " + curl},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprint("p", i)
			s.Furnish(t, project)
			h := headers{"User-Agent": "curl/8.4.0"}
			maps.Copy(h, tc.headers)
			status, body, _ := s.Send(t, tc.method, "/api/v1/public/"+project+tc.path, h, tc.body)
			if status != tc.status {
				t.Fatalf("got %d %s, want %d", status, body, tc.status)
			}
			if got := counted(t, s, credential, project); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestWhatIsRefusedIsNotCounted(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(2))
	credential := statsKey(t, s)
	s.Furnish(t, "a")
	for i, want := range []int{200, 200, 429, 429} {
		status, body, _ := s.Do(t, "POST", "/public/a/versions/check-update", "", `{"current_version":"v1.0"}`)
		if status != want {
			t.Fatalf("request %d: got %d %s, want %d", i, status, body, want)
		}
	}
	const want = `2 VERSION_CHECK_UPDATE, 2 OTHERS "", 2 LOCAL, 2 client "v1.0"`
	if got := counted(t, s, credential, "a"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAdministratorIsNotCounted checks that requests with an administrator's session are answered
// as usual but not counted. Requests with an invalid session or an API key must be counted.
func TestAdministratorIsNotCounted(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	key := statsKey(t, s)
	s.Furnish(t, "a")
	_, session := s.LogIn(t, "admin", apitest.Password)
	for _, credential := range []string{session, key, session + "x", "nonsense"} {
		for _, path := range []string{"/announcements", "/versions/latest"} {
			if status, body, _ := s.Do(t, "GET", "/public/a"+path, credential, ""); status != 200 {
				t.Fatalf("%s: got %d %s", path, status, body)
			}
		}
	}
	const want = `3 ANNOUNCEMENT_LIST, 3 VERSION_LATEST, 6 OTHERS "", 6 LOCAL`
	if got := counted(t, s, key, "a"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSuppressedSubmissionsAreCounted checks that a repeated submission counts as a request,
// although it only gets the response of the first one.
func TestSuppressedSubmissionsAreCounted(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
	credential := statsKey(t, s)
	s.Furnish(t, "a")
	for range 3 {
		if status, body, _ := s.Do(t, "POST", "/public/a/logs", "", `{"level":1,"content":"again"}`); status != 201 {
			t.Fatalf("got %d %s", status, body)
		}
	}
	const want = `3 LOG_UPLOAD, 3 OTHERS "", 3 LOCAL`
	if got := counted(t, s, credential, "a"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRegionsOfAddresses(t *testing.T) {
	t.Parallel()
	geo, err := geo.Open(true, "")
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.NewServer(t, func(o *apitest.Options) { o.Config.Geo = geo })
	credential := statsKey(t, s)
	s.Furnish(t, "a")
	for _, address := range []string{"8.8.8.8", "8.8.4.4", "114.114.114.114", "10.0.0.1"} {
		if status, body, _ := s.Send(t, "GET", "/api/v1/public/a", map[string]string{"X-Forwarded-For": address}, ""); status != 200 {
			t.Fatalf("got %d %s", status, body)
		}
	}
	const want = `4 PROJECT_DETAIL, 4 OTHERS "", 2 US, 1 CN, 1 LOCAL`
	if got := counted(t, s, credential, "a"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCountsFollowTheProject checks that statistics belong to the project, not to its key.
func TestCountsFollowTheProject(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	credential := statsKey(t, s)
	s.Furnish(t, "old")
	get := func(project string, want int) {
		t.Helper()
		if status, body, _ := s.Do(t, "GET", "/public/"+project, "", ""); status != want {
			t.Fatalf("%s: got %d %s, want %d", project, status, body, want)
		}
	}
	expect := func(project string, n int) {
		t.Helper()
		want := ""
		if n > 0 {
			want = fmt.Sprintf(`%d PROJECT_DETAIL, %d OTHERS "", %d LOCAL`, n, n, n)
		}
		if got := counted(t, s, credential, project); got != want {
			t.Errorf("%s: got %s, want %s", project, got, want)
		}
	}
	get("old", 200)
	s.Must(t, 200, "PATCH", "/admin/projects/old", `{"project_key":"new"}`)
	expect("new", 1)
	get("old", 200)
	get("NEW", 200)
	expect("new", 3)
	expect("old", 3)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"other","name":"x"}`)
	expect("other", 0)
	get("new", 200) // this count is still in memory when the project is deleted
	s.Must(t, 200, "DELETE", "/admin/projects/new", "")
	get("new", 404)
	s.Furnish(t, "new")
	expect("new", 0)
}

// TestClientTimeDecidesTheHour checks that the local hour of a request is derived from the client's
// clock.
func TestClientTimeDecidesTheHour(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	now := s.Clock.Now()
	s.Clock.Advance(now.Truncate(time.Hour).Add(90 * time.Minute).Sub(now)) // half past the hour, so that the hour does not end during the test
	credential := statsKey(t, s)
	s.Furnish(t, "a")
	for _, offset := range []string{"+08:00", "-0330", "+08:10", ""} {
		stamp := s.Clock.Now().UTC().Format("2006-01-02T15:04:05") + offset
		if status, body, _ := s.Send(t, "GET", "/api/v1/public/a", map[string]string{"X-Svc-Client-Time": stamp}, ""); status != 200 {
			t.Fatalf("got %d %s", status, body)
		}
	}
	hour := s.Clock.Now().Unix() / 3600 * 3600
	want := map[string]int{}
	for _, minutes := range []int64{480, -210, 60, 60} { // the last two requests have no offset, so the caller's offset is used
		local := time.Unix(hour+60*minutes, 0).UTC()
		want[fmt.Sprint(int(local.Weekday()), local.Hour())]++
	}
	type cell struct{ Weekday, Hour, Count int }
	got := map[string]int{}
	for _, c := range stats[struct{ Data []cell }](t, s, credential, "a", "heatmap?tz_offset_minutes=60").Data {
		if c.Count > 0 {
			got[fmt.Sprint(c.Weekday, c.Hour)] = c.Count
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestCountingIsExact checks that no counts are lost when requests, flushes and reads are
// concurrent.
func TestCountingIsExact(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	credential := statsKey(t, s)
	s.Furnish(t, "a")
	s.Furnish(t, "b")
	const workers, each = 8, 150
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range each {
				project := []string{"a", "b"}[(w+i)%2]
				r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/public/"+project+"/versions", http.NoBody)
				r.Header.Set("X-Svc-Platform", "linux")
				answer := httptest.NewRecorder()
				s.Handler.ServeHTTP(answer, r)
				if answer.Code != http.StatusOK {
					t.Errorf("got %d", answer.Code)
				}
				if i%50 == w {
					if err := s.Config.Requests.Flush(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for _, project := range []string{"a", "b"} {
		want := fmt.Sprintf(`%d VERSION_LIST, %[1]d LINUX "", %[1]d UNKNOWN`, workers*each/2)
		if got := counted(t, s, credential, project); got != want {
			t.Errorf("%s: got %s, want %s", project, got, want)
		}
	}
}
