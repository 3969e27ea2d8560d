package resource_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// groups is a server with logs in the project "app".
type groups struct{ *apitest.Server }

func newGroups(t *testing.T) groups {
	t.Helper()
	s := apitest.NewServer(t, apitest.WithRateLimit(0), apitest.WithWindow(0))
	s.Project(t, "app")
	s.Clock.Stop()
	return groups{s}
}

const groupsPath = "/admin/projects/app/log-groups"

// upload uploads an error and returns the id of its group.
func (s groups) upload(t *testing.T, content, version string) string {
	t.Helper()
	log := map[string]any{"level": 3, "content": content}
	if version != "" {
		log["device_info"] = map[string]any{"app_version": version}
	}
	body, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Field[string](t, s.Must(t, 201, "POST", "/public/app/logs", string(body)), "group_id")
}

// one returns a field of a group.
func (s groups) one(t *testing.T, id, field string) any {
	t.Helper()
	return apitest.Field[any](t, s.Must(t, 200, "GET", groupsPath+"/"+id, ""), field)
}

// TestClientsFormGroups checks that each error forms one group, however its texts differ between
// systems, places and moments, in the forms that the client libraries send.
func TestClientsFormGroups(t *testing.T) {
	t.Parallel()
	s := newGroups(t)
	seen := map[string]string{}
	for _, tc := range []struct {
		name     string
		contents []string
	}{
		{"vector: message", []string{`TimeoutError: no answer from "api" after 1500 ms`, `TimeoutError: no answer from "cdn" after 20 ms`}},
		{"vector: frames", []string{"KeyError: 'k'\n  load (store.py:12)\n  main (app.py:3)", "KeyError: 'k'\r\n  load (store.py:14)\r\n  main (app.py:9)"}},
		{"vector: plain", []string{"failed"}},
		{"Python, by hand", []string{
			"Traceback (most recent call last):\n  File \"/Users/a/app/store.py\", line 12, in load\nKeyError: 'k'",
			"Traceback (most recent call last):\n  File \"C:\\Users\\b\\app\\store.py\", line 15, in load\nKeyError: 'q'",
		}},
		{"Go", []string{
			"*errors.errorString: cannot open\n  main.load (main.go:10)\n  main.main (main.go:20)",
			"*errors.errorString: cannot open\n  main.load (main.go:11)\n  main.main (main.go:21)",
		}},
		{"Rust", []string{
			"panic: index out of bounds: the len is 3 but the index is 7\n  app::list::get (list.rs:8)\n  at src/main.rs:14:9",
			"panic: index out of bounds: the len is 9 but the index is 12\n  app::list::get (list.rs:9)\n  at C:\\app\\src\\main.rs:15:9",
		}},
		{"TypeScript", []string{
			"TypeError: x is not a function\n    at load (/srv/a/app.js:10:5)\n    at /srv/a/main.js:3:1",
			"TypeError: x is not a function\n    at load (C:\\a\\app.js:99:1)\n    at C:\\a\\main.js:7:22",
		}},
		{"browser", []string{
			"ReferenceError: y is not defined\n  run (index-3f9a8c2d.js:1:5)\n  start (vendor-77aa01bc.js:2:9)",
			"ReferenceError: y is not defined\n  run (index-aa00b1c2.js:4:7)\n  start (vendor-0123abcd.js:2:9)",
		}},
		{"Windows and macOS: a path", []string{
			`FileNotFoundError: [Errno 2] No such file or directory: 'C:\\Users\\Anna\\AppData\\Local\\App\\cache.db'`,
			`FileNotFoundError: [Errno 2] No such file or directory: '/Users/ben/Library/Caches/App/cache.db'`,
		}},
		{"Windows and macOS: an open file", []string{
			`IOError: cannot read C:\Users\Anna\Documents\plan.txt, error 5`, `IOError: cannot read /Users/ben/Documents/plan.txt, error 13`,
		}},
		{"Windows: an address of memory", []string{
			"EXCEPTION_ACCESS_VIOLATION at 0x00007FF6A1B2C3D4, reading 0x0000000000000018",
			"EXCEPTION_ACCESS_VIOLATION at 0x00007FF7FFEE0011, reading 0x00000000000000a0",
		}},
		{"macOS: a session", []string{
			"NSURLErrorDomain: task <8F14E45F-CEEA-467F-9D3B-1C2D3E4F5A6B> finished with error -1001 for https://api.example.com/v1/items?id=7",
			"NSURLErrorDomain: task <0A1B2C3D-1111-2222-3333-444455556666> finished with error -1009 for https://api.example.com/v1/users",
		}},
	} {
		group := ""
		for _, content := range tc.contents {
			id := s.upload(t, content, "")
			if group != "" && id != group {
				t.Errorf("%s: %q is in another group than the one before", tc.name, content)
			}
			group = id
		}
		if other, ok := seen[group]; ok {
			t.Errorf("%s: the same group as %s", tc.name, other)
		}
		seen[group] = tc.name
		if got := s.one(t, group, "count"); got != float64(len(tc.contents)) {
			t.Errorf("%s: got %v logs", tc.name, got)
		}
	}
	for _, id := range []string{"a39c4f5390bd6d31", "d629f4003d8661ff", "784360b181379d6b"} {
		if seen[id] == "" {
			t.Errorf("no log of the vectors has the fingerprint %s", id)
		}
	}
}

// TestUngroupedLogs checks that logs of low levels and logs by hand have no group, and that hiding and
// pruning logs changes no count.
func TestUngroupedLogs(t *testing.T) {
	t.Parallel()
	s := newGroups(t)
	for _, level := range []int{0, 1} {
		log := s.Must(t, 201, "POST", "/public/app/logs", fmt.Sprintf(`{"level":%d,"content":"x","custom_data":{"app_version":"1.0"}}`, level))
		if why := apitest.CompareJSON(t, log, `{"group_id":null,"app_version":"1.0"}`); why != "" {
			t.Errorf("%s in %s", why, log)
		}
	}
	byHand := s.Must(t, 201, "POST", apitest.LogsOf("app"), `{"level":3,"content":"x"}`)
	if why := apitest.CompareJSON(t, byHand, `{"group_id":null,"app_version":null}`); why != "" {
		t.Errorf("%s in %s", why, byHand)
	}
	if got := s.Must(t, 200, "GET", groupsPath, ""); apitest.Field[int](t, got, "total") != 0 {
		t.Errorf("got %s", got)
	}
	group := s.upload(t, "x", "1.0")
	s.upload(t, "x", "")
	logs := s.Must(t, 200, "GET", apitest.LogsOf("app")+"?group_id="+group, "")
	if why := apitest.CompareJSON(t, logs, fmt.Sprintf(`{"total":2,"data":[{"group_id":%q,"app_version":null},{"group_id":%q,"app_version":"1.0"}]}`, group, group)); why != "" {
		t.Errorf("%s in %s", why, logs)
	}
	s.Must(t, 200, "PATCH", apitest.LogsOf("app")+"/"+apitest.Field[[]map[string]any](t, logs, "data")[0]["id"].(string), `{"is_hidden":true}`)
	for query, want := range map[string]int{"group_id=" + group: 1, "group_id=" + group + "&app_version=1.0": 1, "app_version=1.0": 3, "app_version=1": 0, "group_id=0000000000000000": 0} {
		got := apitest.Field[int](t, s.Must(t, 200, "GET", apitest.LogsOf("app")+"?"+query, ""), "total")
		sum := 0
		for _, bucket := range apitest.Field[[]struct{ Total int }](t, s.Must(t, 200, "GET", apitest.LogsOf("app")+"/timeseries?"+query, ""), "data") {
			sum += bucket.Total
		}
		if got != want || sum != want {
			t.Errorf("%s: got %d logs, and %d over time, want %d", query, got, sum, want)
		}
	}
	s.Must(t, 400, "GET", apitest.LogsOf("app")+"?group_id=nothing", "")
	s.Clock.Advance(time.Hour)
	s.Must(t, 200, "POST", apitest.LogsOf("app")+"/prune", fmt.Sprintf(`{"end_time":%d}`, s.Clock.Now().Unix()))
	if got := s.one(t, group, "count"); got != 2.0 {
		t.Errorf("after pruning: got %v logs", got)
	}
}

// TestLogGroupLists checks the shape, the filters and the order of groups.
func TestLogGroupLists(t *testing.T) {
	t.Parallel()
	s := newGroups(t)
	s.Admin = s.Key(t, `{"name":"key","scopes":["logs:read","logs:write"]}`) // the login would expire
	s.Must(t, 201, "POST", "/public/app/logs", `{"level":2,"content":"slow 1","source":"disk","platform":"linux","custom_data":{"repeated":3,"app_version":"1.0"}}`)
	s.Clock.Advance(time.Hour)
	s.Must(t, 201, "POST", "/public/app/logs", `{"level":2,"content":"slow 2","source":"disk","platform":"macos","device_info":{"app_version":"2.0"}}`)
	s.Must(t, 201, "POST", "/public/app/logs", `{"level":2,"content":"slow 3","source":"disk","platform":"macos"}`)
	s.Clock.Advance(time.Hour)
	own := s.upload(t, "TypeError: gone", "2.0")
	page := s.Must(t, 200, "GET", groupsPath, "")
	list := apitest.Field[[]map[string]any](t, page, "data")
	if len(list) != 2 || list[0]["id"] != own || list[0]["hours"] != nil {
		t.Fatalf("got %s", page)
	}
	slow := list[1]["id"].(string)
	now := s.Clock.Now().Unix()
	whole := s.Must(t, 200, "GET", groupsPath+"/"+slow, "")
	want := fmt.Sprintf(`{"id":%q,"title":"slow <n>","level":2,"source":"disk","state":"open","resolved_in":null,"resolved_at":null,"regressed_at":null,
		"muted_until":null,"count":3,"occurrences":6,"first_seen":%d,"last_seen":%d,"first_version":"1.0","last_version":"2.0","note":null,
		"versions":[{"version":"2.0","count":1},{"version":"1.0","count":1},{"version":null,"count":1}],
		"platforms":[{"platform":"macos","count":2},{"platform":"linux","count":1}]}`, slow, now-7200, now-3600)
	if why := apitest.CompareJSON(t, whole, want); why != "" {
		t.Errorf("%s in %s", why, whole)
	}
	if hours := apitest.Field[[]int](t, whole, "hours"); len(hours) != 48 || !slices.Equal(hours[45:], []int{1, 2, 0}) {
		t.Errorf("got the hours %v", hours)
	}
	s.Must(t, 200, "PATCH", groupsPath+"/"+slow, `{"state":"muted"}`)
	for query, want := range map[string]string{
		"": own + slow, "sort=count": slow + own, "sort=first_seen": own + slow, "sort=last_seen&order=asc": slow + own, "limit=1": own, "limit=1&offset=1": slow,
		"state=muted": slow, "state=open": own, "state=resolved": "", "level=2": slow, "level=3": own, "level=0": "",
		"version=2.0": own + slow, "version=1.0": slow, "version=2": "", "first_version=1.0": slow, "first_version=2.0": own,
		"search=SLOW": slow, "search=dis": slow, "search=" + url.QueryEscape("gone typeerror"): own, "search=nothing": "",
	} {
		got := ""
		for _, g := range apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", groupsPath+"?"+query, ""), "data") {
			got += g["id"].(string)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"state=closed", "level=4", "level=x", "sort=title", "limit=0"} {
		s.Must(t, 400, "GET", groupsPath+"?"+query, "")
	}
	s.Must(t, 404, "GET", "/admin/projects/none/log-groups", "")
	s.Must(t, 404, "GET", groupsPath+"/overflow", "")
	s.Must(t, 404, "GET", groupsPath+"/none", "")
}

// TestLogGroupStates checks which changes of a group are allowed, and which logs open it again.
func TestLogGroupStates(t *testing.T) {
	t.Parallel()
	s := newGroups(t)
	s.Must(t, 201, "POST", apitest.VersionsOf("app"), `{"version":"Autumn","comparable_version":"3.0"}`)
	s.Admin = s.Key(t, `{"name":"key","scopes":["logs:read","logs:write"]}`) // the login would expire
	id := s.upload(t, "failed", "1.0")
	group := groupsPath + "/" + id
	s.upload(t, "failed", "1.4")
	change := func(body, want string) {
		t.Helper()
		got := s.Must(t, 200, "PATCH", group, body)
		if why := apitest.CompareJSON(t, got, want); why != "" {
			t.Errorf("%s: %s in %s", body, why, got)
		}
	}
	now := s.Clock.Now().Unix()
	for body, message := range map[string]string{
		`{"resolved_in":"1.0"}`:                                                "resolved_in needs the state resolved",
		`{"state":"muted","resolved_in":"1.0"}`:                                "resolved_in needs the state resolved",
		`{"state":"resolved","resolved_in":"Winter"}`:                          "resolved_in must be a comparable version",
		`{"state":"resolved","resolved_in":" "}`:                               "resolved_in must not be empty",
		`{"state":"resolved","resolved_in":"` + strings.Repeat("1", 65) + `"}`: "resolved_in must have at most 64",
		fmt.Sprintf(`{"muted_until":%d}`, now+9):                               "muted_until needs the state muted",
		fmt.Sprintf(`{"state":"muted","muted_until":%d}`, now):                 "muted_until must lie in the future",
		`{"state":"closed"}`:                                                   "state must be one of: open, resolved, muted",
		`{"state":null}`:                                                       "state must not be null",
		`{"note":"` + strings.Repeat("x", 2001) + `"}`:                         "note must have at most 2000 characters",
	} {
		if got := s.Must(t, 400, "PATCH", group, body); !strings.Contains(got, message) {
			t.Errorf("%s: got %s, want %q", body, got, message)
		}
	}
	s.Must(t, 404, "PATCH", groupsPath+"/0000000000000000", `{"state":"muted"}`)
	s.Must(t, 413, "PATCH", group, strings.Repeat(" ", 33<<20)+"{}")
	resolved := fmt.Sprintf(`{"state":"resolved","resolved_at":%d,"resolved_in":null}`, now)
	reopens := func(version string, opens bool) {
		t.Helper()
		s.upload(t, "failed", version)
		want := map[bool]string{true: "open", false: "resolved"}[opens]
		if got := s.one(t, id, "state"); got != want {
			t.Errorf("after a log of %q the group is %v, want %s", version, got, want)
		}
	}
	change(`{"state":"resolved","note":" looked at "}`, resolved)
	reopens("1.4", false)
	reopens("", false)
	reopens("1.5", true)
	change(`{}`, fmt.Sprintf(`{"state":"open","regressed_at":%d,"resolved_at":%d,"note":"looked at"}`, now, now))
	change(`{"state":"resolved","resolved_in":"Autumn"}`, `{"resolved_in":"Autumn"}`)
	reopens("2.9", false)
	reopens("Autumn", true)
	change(`{"state":"resolved","resolved_in":"3.1"}`, `{"resolved_in":"3.1"}`)
	change(`{"resolved_in":"3.2"}`, `{"resolved_in":"3.2"}`)
	reopens("3.1", false)
	s.Clock.Advance(24*time.Hour + 2*time.Second)
	reopens("dev", true)
	change(`{"state":"open","note":null}`, `{"state":"open","resolved_in":null,"resolved_at":null,"note":null}`)
	until := s.Clock.Now().Unix() + 60
	change(fmt.Sprintf(`{"state":"muted","muted_until":%d}`, until), fmt.Sprintf(`{"state":"muted","muted_until":%d}`, until))
	s.upload(t, "failed", "9.0")
	if got := s.one(t, id, "state"); got != "muted" {
		t.Errorf("a log makes a muted group %v", got)
	}
	s.Clock.Advance(time.Minute)
	change(`{}`, `{"state":"open","muted_until":null}`)
	change(`{"state":"muted"}`, `{"state":"muted","muted_until":null}`)
	s.Clock.Advance(100 * time.Hour)
	if got := s.one(t, id, "state"); got != "muted" {
		t.Errorf("a group that is muted forever is %v", got)
	}
}

// TestTagOfLogGroup checks that the tag of a group changes with its state and its note, but not with
// each log.
func TestTagOfLogGroup(t *testing.T) {
	t.Parallel()
	s := newGroups(t)
	group := groupsPath + "/" + s.upload(t, "failed", "1.0")
	tag := func() string {
		status, _, header := s.Send(t, "GET", "/api/v1"+group, map[string]string{"Authorization": "Bearer " + s.Admin}, "")
		if status != 200 {
			t.Fatal(status)
		}
		return header.Get("ETag")
	}
	first := tag()
	s.upload(t, "failed", "2.0")
	if got := tag(); got != first || got == "" {
		t.Errorf("got the tag %q after a log, want %q", got, first)
	}
	headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": first}
	if status, answer, _ := s.Send(t, "PATCH", "/api/v1"+group, headers, `{"state":"resolved"}`); status != 200 {
		t.Errorf("got %d %s", status, answer)
	}
	if status, answer, _ := s.Send(t, "PATCH", "/api/v1"+group, headers, `{"state":"open"}`); status != 412 {
		t.Errorf("got %d %s, want 412", status, answer)
	}
}

// TestMutedGroupsAreNoFailures checks that error logs of a muted group are no failures of a rollout,
// not even repeated ones.
func TestMutedGroupsAreNoFailures(t *testing.T) {
	t.Parallel()
	u, version := newUsers(t, "app")
	crash := func(address string) {
		u.send(t, address, "/logs", `{"level":3,"content":"crash","device_info":{"app_version":"2.0"}}`, 201)
	}
	first := u.Must(t, 201, "POST", "/public/app/logs", `{"level":3,"content":"crash","device_info":{"app_version":"2.0"}}`)
	id := apitest.Field[string](t, first, "group_id")
	u.Must(t, 200, "PATCH", groupsPath+"/"+id, `{"state":"muted"}`)
	crash("10.0.0.2")
	crash("10.0.0.2")
	crash("10.0.0.3")
	u.close(t)
	u.close(t)
	for _, rule := range apitest.Field[[]map[string]any](t, u.Must(t, 200, "GET", version+"/health", ""), "rules") {
		if rule["metric"] == "error_logs" && (rule["failures"] != 1.0 || rule["exposure"] != 3.0) {
			t.Errorf("got %v of %v failed, want 1 of 3", rule["failures"], rule["exposure"])
		}
	}
}
