package analytics_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/today"
)

// TestTodayRefuses checks which callers may read the findings about a project.
func TestTodayRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	s.Project(t, "b")
	right := s.Key(t, `{"name":"x","scopes":["stats:read"]}`)
	scopeless := s.Key(t, `{"name":"x","scopes":["projects:read","events:read","logs:read"]}`)
	elsewhere := s.Key(t, `{"name":"x","scopes":["stats:read"],"project_ids":["b"]}`)
	for _, tc := range []struct {
		name, credential, project string
		status                    int
		message                   string
	}{
		{"no credential", "", "a", 401, "credential"},
		{"another scope", scopeless, "a", 401, "stats:read"},
		{"another project", elsewhere, "a", 401, "does not reach"},
		{"no such project", right, "nothing", 404, "not found"},
		{"the scope", right, "a", 200, "no_version"},
		{"a login", s.Admin, "A", 200, "no_version"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			status, body, _ := s.Do(t, "GET", "/admin/projects/"+tc.project+"/today", tc.credential, "")
			if status != tc.status || !strings.Contains(body, tc.message) {
				t.Errorf("got %d %s, want %d with %q", status, body, tc.status, tc.message)
			}
		})
	}
}

// TestToday checks that update checks, logs and feedback of a project become findings, the most
// urgent one first. The data of another project must not contribute to them.
func TestToday(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	for _, key := range []string{"app", "other"} {
		s.Project(t, key)
	}
	s.Publish(t, "app", "1.0.0", "2.0.0 latest", "1.1.0 deprecated")
	now := s.Clock.Now().Unix()
	check := func(ago time.Duration, version string) apitest.SeenRequest {
		return apitest.SeenRequest{At: now - int64(ago.Seconds()), Endpoint: "VERSION_CHECK_UPDATE", Platform: "linux", Client: version}
	}
	s.Count(t, "app", check(0, "2.0.0"), check(0, "2.0.0"), check(0, "1.1.0"), check(30*time.Hour, "1.1.0"), check(15*24*time.Hour, "1.1.0"))
	s.Count(t, "other", check(0, "1.1.0"))
	for range 12 {
		s.Must(t, 201, "POST", "/admin/projects/app/logs", `{"level":3,"content":"E42"}`)
		s.Must(t, 201, "POST", "/admin/projects/other/logs", `{"level":1,"content":"note"}`)
	}
	s.Must(t, 201, "POST", "/admin/projects/app/feedbacks", `{"content":"bad","rating":1}`)
	s.Must(t, 201, "POST", "/admin/projects/app/feedbacks", `{"content":"good","rating":5}`)
	s.Must(t, 201, "POST", "/admin/projects/app/feedbacks", `{"content":"done","rating":1,"status":"closed"}`)

	type finding struct {
		Kind   string
		Values json.RawMessage
		Series []int64
	}
	read := func(key string) []finding {
		var answer struct{ Data []finding }
		if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/projects/"+key+"/today", "")), &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Data
	}
	want := []struct {
		kind, values string
		last         int64 // last value of the finding's series; -1 = there is no series
	}{
		{"no_file", `{"count":2,"version":"2.0.0"}`, 1},
		{"errors", `{"count":12,"usual":0,"since":` + strconv.FormatInt(now-3600, 10) + `}`, 12},
		{"feedback_waiting", `{"count":2,"one_star":1}`, 3},
		{"adoption", `{"count":3,"version":"2.0.0","share":0.6666666666666666,"days":0}`, 2},
	}
	got := read("app")
	for i, w := range want {
		if i >= len(got) {
			t.Fatalf("got %d findings, want %d", len(got), len(want))
		}
		last := int64(-1)
		if n := len(got[i].Series); n > 0 {
			last = got[i].Series[n-1]
		}
		if got[i].Kind != w.kind || string(got[i].Values) != w.values || last != w.last {
			t.Errorf("got %s %s %d, want %s %s %d", got[i].Kind, got[i].Values, last, w.kind, w.values, w.last)
		}
	}
	if other := read("other"); len(other) != 1 || other[0].Kind != "no_version" {
		t.Errorf("another project: got %+v", other)
	}
	s.Project(t, "nothing")
	s.Publish(t, "nothing", "1.0.0 latest")
	if body := s.Must(t, 200, "GET", "/admin/projects/nothing/today", ""); body != `{"data":[]}` {
		t.Errorf("a project that needs no attention: got %s", body)
	}
	link := `{"download_links":[{"url":"https://example.com/app.dmg"}]}`
	s.Must(t, 200, "PUT", apitest.VersionsOf("app")+"/by-version/2.0.0", link)
	if got := read("app"); got[2].Kind != "must_update" {
		t.Errorf("with a download: got %+v", got)
	}
}

// TestTodayNamesGroups checks the findings about new groups of logs, and about resolved ones that have
// been reopened.
func TestTodayNamesGroups(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "app")
	s.Publish(t, "app", "1.0.0 latest")
	upload := func(content string) {
		s.Must(t, 201, "POST", "/public/app/logs", `{"level":3,"content":"`+content+`","device_info":{"app_version":"1.0.0"}}`)
		s.Clock.Advance(time.Second) // an equal log would be a repetition
	}
	findings := func() (list string) {
		var answer struct{ Data []today.Finding }
		if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/projects/app/today", "")), &answer); err != nil {
			t.Fatal(err)
		}
		for _, f := range answer.Data {
			list += fmt.Sprintf("%s %d %s %d %s; ", f.Kind, *f.Values.Count, *f.Values.Title, f.Series[len(f.Series)-1], f.Link)
		}
		return list
	}
	upload("KeyError: one")
	var groups struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/projects/app/log-groups", "")), &groups); err != nil || len(groups.Data) != 1 {
		t.Fatalf("%v, %+v", err, groups)
	}
	id := groups.Data[0].ID
	if got, want := findings(), "new_errors 1 KeyError: one 1 /admin/logs/group?open="+id+"; "; got != want {
		t.Errorf("a new group: got %q, want %q", got, want)
	}
	for _, content := range []string{"IOError: full", "IOError: full 2", "IOError: full 3"} {
		upload(content)
	}
	if got, want := findings(), "new_errors 3 IOError: full <n> 4 /admin/logs/groups?state=open; "; got != want {
		t.Errorf("three new groups: got %q, want %q", got, want)
	}
	s.Clock.Advance(25 * time.Hour) // the login ends as well
	_, s.Admin = s.LogIn(t, "admin", apitest.Password)
	if got := findings(); got != "" {
		t.Errorf("a day later: got %q", got)
	}
	s.Must(t, 200, "PATCH", "/admin/projects/app/log-groups/"+id, `{"state":"resolved","resolved_in":"1.0.0"}`)
	upload("KeyError: one")
	if got, want := findings(), "regressed_errors 1 KeyError: one 1 /admin/logs/group?open="+id+"; "; got != want {
		t.Errorf("a group that is open again: got %q, want %q", got, want)
	}
	s.Must(t, 200, "PATCH", "/admin/projects/app/log-groups/"+id, `{"state":"muted"}`)
	if got := findings(); got != "" {
		t.Errorf("a muted group: got %q", got)
	}
}

// TestInstanceToday checks that the findings of all projects are merged with the most urgent ones
// first. It also checks access to them.
func TestInstanceToday(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	if body := s.Must(t, 200, "GET", "/admin/today", ""); body != `{"data":[]}` {
		t.Errorf("an empty instance: got %s", body)
	}
	s.Project(t, "a")
	s.Project(t, "b")
	s.Must(t, 201, "POST", "/admin/projects/b/feedbacks", `{"content":"bad","rating":1}`)
	for title, days := range map[string]int64{"soon": 3, "later": 5, "hidden": 1} {
		until := s.Clock.Now().Unix() + days*apitest.Day
		s.Must(t, 201, "POST", "/admin/projects/a/announcements",
			fmt.Sprintf(`{"title":%q,"content":"x","is_hidden":%v,"expires_at":%d}`, title, title == "hidden", until))
	}
	key := s.Key(t, `{"name":"x","scopes":["stats:read","projects:read"]}`)
	if status, body, _ := s.Do(t, "GET", "/admin/today", key, ""); status != 401 {
		t.Errorf("an API key: got %d %s, want 401", status, body)
	}
	if status, body, _ := s.Do(t, "GET", "/admin/today", "", ""); status != 401 {
		t.Errorf("no credential: got %d %s, want 401", status, body)
	}
	var answer struct {
		Data []struct {
			Kind, Link string
			Values     struct{ Title string }
			ProjectKey *string `json:"project_key"`
		}
	}
	read := func() (line string) {
		if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/today", "")), &answer); err != nil {
			t.Fatal(err)
		}
		for _, f := range answer.Data {
			line += f.Kind
			if f.ProjectKey != nil {
				line += " of " + *f.ProjectKey
			}
			line += "; "
		}
		return line
	}
	if got, want := read(), "feedback_waiting of b; announcement_ends of a; no_version of b; no_version of a; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := answer.Data[1].Values.Title; got != "soon" {
		t.Errorf("got the announcement %q, want the one that ends next", got)
	}
	if got, want := answer.Data[0].Link, "/admin/feedbacks?status=open&sort=created_at&order=asc"; got != want {
		t.Errorf("got the link %s, want %s", got, want)
	}
}
