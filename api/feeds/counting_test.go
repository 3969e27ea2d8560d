package feeds_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"svc/api/apitest"
)

// counted returns the numbers of requests for feeds, and of those by app version.
func counted(t *testing.T, s *apitest.Server) string {
	t.Helper()
	type row struct {
		Endpoint, Version string
		Count             int
	}
	const path = "/admin/projects/demo/stats/requests/"
	text := ""
	for _, r := range apitest.Field[[]row](t, s.Must(t, 200, "GET", path+"overview", ""), "by_endpoint") {
		text += fmt.Sprintf("%d %s ", r.Count, r.Endpoint)
	}
	for _, r := range apitest.Field[[]row](t, s.Must(t, 200, "GET", path+"client-versions", ""), "data") {
		text += fmt.Sprintf("%d %s ", r.Count, r.Version)
	}
	return text
}

func TestFeedsAreCounted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		path string
		want string
	}{
		{"electron/latest.yml", "1 FEED "},
		{"electron/latest.yml?current=2.2.1", "1 FEED 1 2.2.1 "},
		{"electron/latest.yml?current=2.2", "1 FEED 1 2.2 "}, // not registered
		{"electron/latest.yml?current=none", "1 FEED "},
		{"electron/latest.yml?current=9", ""}, // nothing to offer is status 404
		{"electron/2.2.1/x64/Demo-2.2.1-x64.exe", ""},
		{"velopack/stable/releases.linux.json?localVersion=2.2.1", "1 FEED 1 2.2.1 "},
		{"velopack/stable/demo-2.2.1-linux-full.nupkg", ""},
		{"squirrel-mac/stable/arm64/2.2.1", "1 FEED 1 2.2.1 "},
		{"squirrel-mac/stable/arm64/2.3.0", "1 FEED 1 2.3.0 "}, // status 204
		{"tauri/stable/linux/x86_64/2.2.1+5", "1 FEED 1 2.2.1 "},
		{"tauri/stable/linux/x86_64/none", ""},
		{"sparkle/stable/appcast.xml?current=2.2.1", "1 FEED 1 2.2.1 "},
		{"releases.atom", "1 FEED "},
		{"announcements.rss", "1 FEED "},
		{"latest/stable/windows", "1 FEED "},
		{"latest/stable/amiga", ""},
		{"sums/2.3.0/SHA256SUMS", ""},
	} {
		t.Run(tc.path, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			furnish(t, s)
			get(t, s, "demo/"+tc.path, nil)
			if got := counted(t, s); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCachedFeedsAreCounted checks that a response from memory counts like the first one.
func TestCachedFeedsAreCounted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	for range 3 {
		get(t, s, "demo/electron/latest.yml?current=2.2.1", nil)
	}
	_, _, header := get(t, s, "demo/electron/latest.yml", nil)
	get(t, s, "demo/electron/latest.yml", map[string]string{"If-None-Match": header.Get("Etag")}) // 304 is not counted
	if got, want := counted(t, s), "4 FEED 3 2.2.1 "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUsersOfFeedsCountForHealth checks that a request for a feed that names a version counts the
// caller's address as a user of that version.
func TestUsersOfFeedsCountForHealth(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Clock.Stop()
	if until := 24*3600 - s.Clock.Now().Unix()%(24*3600); until < 1800 {
		s.Clock.Advance(time.Duration(until) * time.Second) // not near the end of a day
	}
	s.Project(t, "demo")
	publish(t, s, "2.2.1", "", "Demo-2.2.1.AppImage", "Demo-2.2.1-mac.zip")
	publish(t, s, "2.3.0", `,"rollout":{"percent":25}`, "Demo-2.3.0.AppImage")
	version := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.3.0")
	s.Must(t, 200, "PATCH", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", "2.2.1")+"/assets/Demo-2.2.1-mac.zip", `{"bundle_version":"7001"}`)
	if err := s.Health.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, tc := range []struct {
		path    string
		headers map[string]string
	}{
		{"electron/latest-linux.yml?current=2.3.0", nil}, // status 404: there is nothing newer
		{"tauri/stable/linux/x86_64/2.3.0", nil},
		{"electron/latest-linux.yml?current=2.2.1", nil},
		{"squirrel-mac/stable/x64/2.2.1", nil},
		{"sparkle/stable/appcast.xml?current=7001", nil}, // the CFBundleVersion of 2.2.1
		{"electron/latest-linux.yml?current=2.3.0", map[string]string{"X-Svc-Do-Not-Track": "1"}},
		{"electron/latest-linux.yml?current=2.0.0", nil},
		{"electron/latest-linux.yml", nil},
	} {
		headers := map[string]string{"X-Forwarded-For": fmt.Sprintf("203.0.113.%d", i)}
		maps.Copy(headers, tc.headers)
		get(t, s, "demo/"+tc.path, headers)
	}
	s.Clock.Advance(10 * time.Minute)
	if err := s.Health.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	rules := apitest.Field[[]struct {
		Metric   string
		Exposure int
		Baseline int `json:"baseline_exposure"`
	}](t, s.Must(t, 200, "GET", version+"/health", ""), "rules")
	for _, r := range rules {
		if r.Metric == "error_logs" && (r.Exposure != 2 || r.Baseline != 3) {
			t.Errorf("got %d users of the version and %d of the baseline, want 2 and 3", r.Exposure, r.Baseline)
		}
	}
	if len(rules) == 0 {
		t.Error("got no rules")
	}
}
