package analytics_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// usageServer returns a server with a project and update checks by clients of four versions: a
// deprecated version, a version in the optional range, the latest version, and a text that is not a
// version. It also returns the ids of the versions.
func usageServer(t *testing.T) (*apitest.Server, map[string]string) {
	t.Helper()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "app")
	s.Project(t, "other")
	s.Publish(t, "app", "1.0.0", "2.0.0 latest", "1.1.0 deprecated")
	now := s.Clock.Now().Unix()
	check := func(ago time.Duration, version string) apitest.SeenRequest {
		return apitest.SeenRequest{At: now - int64(ago.Seconds()), Endpoint: "VERSION_CHECK_UPDATE", Platform: "linux", Client: version}
	}
	s.Must(t, 200, "PATCH", "/admin/projects/app", `{"optional_update_min_comparable_version":"1.0.0"}`)
	s.Count(t, "app", check(0, "2.0.0"), check(0, "v2.0.0"), check(0, "1.1.0"), check(30*time.Hour, "1.0.0"), check(30*time.Hour, "nightly"))
	s.Count(t, "app", check(6*24*time.Hour, "1.0.0"), check(8*24*time.Hour, "1.0.0"))
	s.Count(t, "other", check(0, "1.0.0"))
	ids := map[string]string{}
	var list struct {
		Data []struct{ ID, Version string }
	}
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", apitest.VersionsOf("app"), "")), &list); err != nil {
		t.Fatal(err)
	}
	for _, v := range list.Data {
		ids[v.Version] = v.ID
	}
	return s, ids
}

// TestUsage checks how the update check decides about clients, both with the current policy and
// with a change that is only evaluated.
func TestUsage(t *testing.T) {
	t.Parallel()
	s, ids := usageServer(t)
	now := s.Clock.Now().Unix()
	head := fmt.Sprintf(`{"start_time":%d,"end_time":%d,"checks":6,`, now-7*24*3600+1, now)
	latest := fmt.Sprintf(`"latest":{"id":%q,"version":"2.0.0","share":0.6666666666666666},`, ids["2.0.0"])
	third, sixth := 2.0/6, 1.0/6
	line := func(version string, checks int, share float64, decision string) string {
		id, target := "null", `"2.0.0"`
		if ids[version] != "" {
			id = `"` + ids[version] + `"`
		}
		if decision == "current" || decision == "unknown" {
			target = "null"
		}
		return fmt.Sprintf(`{"id":%s,"version":%q,"checks":%d,"share":%v,"decision":%q,"target":%s,"target_has_file":false}`,
			id, version, checks, share, decision, target)
	}
	answer := func(totals string, old string) string {
		return head + totals + latest + `"data":[` + strings.Join([]string{
			line("1.0.0", 2, third, old), line("2.0.0", 2, third, "current"), line("1.1.0", 1, sixth, "required"), line("nightly", 1, sixth, "unknown"),
		}, ",") + `]}`
	}
	asIs, changed := `"required":1,"optional":2,"current":2,"unknown":1,`, `"required":3,"optional":0,"current":2,"unknown":1,`
	const least, most = "optional_update_min_comparable_version=", "optional_update_max_comparable_version="
	for _, tc := range []struct{ name, query, want string }{
		{"as it is", "", answer(asIs, "optional")},
		{"deprecate a version", "?deprecate=" + ids["1.0.0"], answer(changed, "required")},
		{"deprecate it again", "?deprecate=" + ids["1.1.0"], answer(asIs, "optional")},
		{"a narrower range", "?" + least + "1.0.1", answer(changed, "required")},
		{"an upper end", "?" + most + "1.0.0", answer(asIs, "optional")},
		{"no lower end", "?" + least, answer(asIs, "optional")},
		{"as it still is", "", answer(asIs, "optional")},
	} {
		if got := s.Must(t, 200, "GET", apitest.VersionsOf("app")+"/usage"+tc.query, ""); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.name, got, tc.want)
		}
	}
	s.Must(t, 200, "PUT", apitest.VersionsOf("app")+"/by-version/2.0.0", `{"download_links":[{"url":"https://example.com/app.dmg"}]}`)
	if got := s.Must(t, 200, "GET", apitest.VersionsOf("app")+"/usage", ""); strings.Count(got, `"target_has_file":true`) != 2 {
		t.Errorf("with a download: got %s", got)
	}
}

// TestUsageOfNothing checks the response for a project without versions and clients.
func TestUsageOfNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	body := s.Must(t, 200, "GET", apitest.VersionsOf("a")+"/usage", "")
	if want := `"checks":0,"required":0,"optional":0,"current":0,"unknown":0,"latest":null,"data":[]}`; !strings.HasSuffix(body, want) {
		t.Errorf("got %s, want it to end in %s", body, want)
	}
}

// TestUsageRefuses checks which callers may read the decisions of the update check. It also checks
// that a refused change has the same message as the update request.
func TestUsageRefuses(t *testing.T) {
	t.Parallel()
	s, ids := usageServer(t)
	right := statsKey(t, s)
	scopeless := s.Key(t, `{"name":"x","scopes":["versions:read","projects:read"]}`)
	elsewhere := s.Key(t, `{"name":"x","scopes":["stats:read"],"project_ids":["other"]}`)
	const least, most = "optional_update_min_comparable_version", "optional_update_max_comparable_version"
	status, refused, _ := s.Do(t, "PATCH", apitest.VersionsOf("app")+"/"+ids["2.0.0"], s.Admin, `{"is_deprecated":true}`)
	if status != 400 {
		t.Fatalf("deprecate the latest version: %d %s", status, refused)
	}
	status, order, _ := s.Do(t, "PATCH", "/admin/projects/app", s.Admin, `{"`+least+`":"2","`+most+`":"1"}`)
	if status != 400 {
		t.Fatalf("a range in the wrong order: %d %s", status, order)
	}
	for _, tc := range []struct {
		name, credential, project, query string
		status                           int
		message                          string
	}{
		{"no credential", "", "app", "", 401, "credential"},
		{"another scope", scopeless, "app", "", 401, "stats:read"},
		{"another project", elsewhere, "app", "", 401, "does not reach"},
		{"no such project", right, "nothing", "", 404, "not found"},
		{"the latest version", right, "app", "?deprecate=" + ids["2.0.0"], 400, refused},
		{"a version of another project", right, "other", "?deprecate=" + ids["1.0.0"], 404, "version not found"},
		{"no id", right, "app", "?deprecate=1.0.0", 404, "version not found"},
		{"a range in the wrong order", right, "app", "?" + least + "=2&" + most + "=1", 400, order},
		{"an end above the stored one", right, "app", "?" + most + "=0.9", 400, order},
		{"no comparable version", right, "app", "?" + least + "=x.y", 400, least + " must be a comparable version"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			status, body, _ := s.Do(t, "GET", apitest.VersionsOf(tc.project)+"/usage"+tc.query, tc.credential, "")
			if status != tc.status || !strings.Contains(body, tc.message) {
				t.Errorf("got %d %s, want %d with %q", status, body, tc.status, tc.message)
			}
		})
	}
}
