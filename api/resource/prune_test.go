package resource_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/proxy"
)

// TestPruneLogs checks that pruning deletes the logs that match all given conditions on time, level
// and address. A dry run must only count the logs, and the server's own log must name the
// administrator.
func TestPruneLogs(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := apitest.NewServer(t, apitest.WithLog(&log), apitest.WithProxies(proxy.Proxies{Count: 1}))
	s.Project(t, "app")
	s.Project(t, "other")
	send := func(project, ip string, level int) {
		t.Helper()
		body := fmt.Sprintf(`{"level":%d,"content":%q}`, level, fmt.Sprint(ip, level))
		if status, answer, _ := s.Send(t, "POST", "/api/v1/public/"+project+"/logs", map[string]string{"X-Forwarded-For": ip}, body); status != 201 {
			t.Fatalf("got %d %s", status, answer)
		}
	}
	s.Clock.Stop()
	for level := range 4 {
		send("app", "203.0.113.1", level)
	}
	send("other", "203.0.113.1", 0)
	s.Clock.Advance(time.Hour)
	edge := s.Clock.Now().Unix()
	for level := range 4 {
		send("app", "203.0.113.2", level)
	}
	const prune, list = "/admin/projects/app/logs/prune", "/admin/projects/app/logs"
	s.Exchanges(t, []apitest.Exchange{
		{"a dry run", "POST", prune, fmt.Sprintf(`{"end_time":%d,"dry_run":true}`, edge), 200, `{"matched":4,"deleted":0}`},
		{"deletes nothing", "GET", list, "", 200, `{"total":8}`},
		{"level and address", "POST", prune, `{"level":1,"ip":"203.0.113.2"}`, 200, `{"matched":1,"deleted":1}`},
		{"another address", "POST", prune, `{"ip":"203.0.113.3"}`, 200, `{"matched":0,"deleted":0}`},
		{"part of an address", "POST", prune, `{"ip":"203.0.113."}`, 200, `{"matched":0,"deleted":0}`},
		{"before the first", "POST", prune, `{"end_time":0}`, 200, `{"matched":0,"deleted":0}`},
		{"null is not sent", "POST", prune, fmt.Sprintf(`{"end_time":%d,"level":null,"ip":null}`, edge), 200, `{"matched":4,"deleted":4}`},
		{"again", "POST", prune, fmt.Sprintf(`{"end_time":%d}`, edge), 200, `{"matched":0,"deleted":0}`},
		{"the time is not included", "GET", list, "", 200, `{"total":3}`},
		{"found no more", "GET", list + "?search=203.0.113.1", "", 200, `{"total":0,"data":[]}`},
		{"not counted any more", "GET", "/admin/logs/statistics", "", 200, `{"count":4,"debug_count":2,"info_count":0,"warning_count":1,"error_count":1}`},
		{"a level alone", "POST", prune, `{"level":0}`, 200, `{"matched":1,"deleted":1}`},
		{"another project keeps its own", "GET", "/admin/projects/other/logs", "", 200, `{"total":1}`},
		{"by a former key", "PATCH", "/admin/projects/app", `{"project_key":"renamed"}`, 200, ``},
		{"still", "POST", prune, `{"level":2}`, 200, `{"matched":1,"deleted":1}`},
	})
	if got := log.String(); strings.Count(got, `"msg":"logs pruned"`) < 5 || !strings.Contains(got, `"administrator":"admin","project":"app"`) {
		t.Errorf("the log does not say who pruned: %s", got)
	}
	for line := range strings.Lines(log.String()) {
		var entry struct {
			Message string `json:"msg"`
			Deleted *int   `json:"deleted"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Message == "logs pruned" && entry.Deleted == nil {
			t.Errorf("how many were deleted is not in %s", line)
		}
	}
	if status, answer := s.Owner(t, "POST", "/api/v1"+prune, `{"level":3}`); status != 200 || answer != `{"matched":1,"deleted":1}` {
		t.Errorf("over the control socket: got %d %s", status, answer)
	}
}

func TestPruneLogsRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const prune, list = "/admin/projects/app/logs/prune", "/admin/projects/app/logs"
	create(t, s, list, `{"level":1,"content":"kept"}`)
	s.Refusals(t, list, []apitest.Refusal{
		{Name: "no condition", Method: "POST", Path: prune, Body: `{}`, Status: 400, Message: "one of end_time, level and ip is required"},
		{Name: "dry_run is none", Method: "POST", Path: prune, Body: `{"dry_run":false}`, Status: 400, Message: "one of end_time, level and ip is required"},
		{Name: "no body", Method: "POST", Path: prune, Status: 400, Message: "one of end_time, level and ip is required"},
		{Name: "a time before 1970", Method: "POST", Path: prune, Body: `{"end_time":-1}`, Status: 400, Message: "end_time must be an integer of at least 0 (Unix seconds)"},
		{Name: "wrong types", Method: "POST", Path: prune, Body: `{"end_time":"1","level":4,"ip":7,"dry_run":"yes"}`, Status: 400,
			Message: "end_time must be an integer of at least 0 (Unix seconds); level must be an integer from 0 to 3; ip must be a string; dry_run must be true or false"},
		{Name: "an empty address", Method: "POST", Path: prune, Body: `{"end_time":1,"ip":""}`, Status: 400, Message: "ip must not be empty"},
		{Name: "an unknown project", Method: "POST", Path: "/admin/projects/none/logs/prune", Body: `{"level":1}`, Status: 404, Message: `project "none" not found`},
	})
	key := s.Key(t, `{"name":"k","scopes":["logs:read","logs:write"]}`)
	if status, answer, _ := s.Do(t, "POST", prune, key, `{"level":1}`); status != 401 || !strings.Contains(answer, "needs a login") {
		t.Errorf("an API key: got %d %s, want 401", status, answer)
	}
	s.Exchanges(t, []apitest.Exchange{{"nothing is gone", "GET", list, "", 200, `{"total":1}`}})
}

// TestRetentionFields checks that null selects the retention of the instance and that any other
// value must be a number of days.
func TestRetentionFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Exchanges(t, []apitest.Exchange{
		{"not sent", "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201, `{"log_retention_days":null,"feedback_retention_days":null}`},
		{"sent", "POST", "/admin/projects", `{"project_key":"b","name":"B","log_retention_days":1,"feedback_retention_days":3650}`, 201, `{"log_retention_days":1,"feedback_retention_days":3650}`},
		{"changed", "PATCH", "/admin/projects/app", `{"log_retention_days":30}`, 200, `{"log_retention_days":30,"feedback_retention_days":null}`},
		{"cleared", "PATCH", "/admin/projects/b", `{"log_retention_days":null}`, 200, `{"log_retention_days":null,"feedback_retention_days":3650}`},
		{"for apps", "GET", "/public/app", "", 200, `{"log_retention_days":30,"feedback_retention_days":null}`},
	})
	const message = "log_retention_days must be an integer from 1 to 3650; feedback_retention_days must be an integer from 1 to 3650"
	var rows []apitest.Refusal
	for _, bad := range []string{`0`, `3651`, `-1`, `1.5`, `"30"`, `true`, `[]`} {
		rows = append(rows, apitest.Refusal{Name: bad, Method: "PATCH", Path: "/admin/projects/app", Body: `{"log_retention_days":` + bad + `,"feedback_retention_days":` + bad + `}`, Status: 400, Message: message})
	}
	s.Refusals(t, "/admin/projects", rows)
}

// TestSubmissionQuota checks that apps and API keys get 507 when a project has reached its limit.
// The limit must not affect the administrator and other projects. After records have been deleted,
// submissions must be accepted immediately.
func TestSubmissionQuota(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.SubmissionMax = 10 << 10 }))
	s.Project(t, "app")
	s.Project(t, "other")
	s.Publish(t, "app", "1.0")
	key := s.Key(t, `{"name":"k","scopes":["logs:write","feedbacks:write"]}`)
	const logs = "/api/v1/public/app/logs"
	sent := 0
	for ; sent < 100; sent++ {
		status, answer, header := s.Send(t, "POST", logs, nil, fmt.Sprintf(`{"level":1,"content":"%d %s"}`, sent, apitest.Long(1000)))
		if status == 201 {
			continue
		}
		if status != 507 || header.Get("Retry-After") != "3600" || !strings.Contains(answer, "the feedback and logs of this project have reached their limit") {
			t.Errorf("got %d, Retry-After %q, %s", status, header.Get("Retry-After"), answer)
		}
		break
	}
	if sent < 5 || sent > 10 {
		t.Errorf("%d logs of 1 KB were taken, want about ten", sent)
	}
	for _, tc := range []struct {
		name, path, credential, body string
		want                         int
	}{
		{"feedback counts too", "/public/app/feedbacks", "", `{"content":"x"}`, 507},
		{"another project", "/public/other/logs", "", `{"level":1,"content":"x"}`, 201},
		{"an API key, a log", "/admin/projects/app/logs", key, `{"level":1,"content":"x"}`, 507},
		{"an API key, feedback", "/admin/projects/app/feedbacks", key, `{"content":"x"}`, 507},
		{"an API key, no such project", "/admin/projects/none/logs", key, `{"level":1,"content":"x"}`, 404},
		{"an update check", "/public/app/versions/check-update", "", `{"current_version":"1.0"}`, 200},
	} {
		if status, answer, _ := s.Do(t, "POST", tc.path, tc.credential, tc.body); status != tc.want {
			t.Errorf("%s: got %d %s, want %d", tc.name, status, answer, tc.want)
		}
	}
	s.Must(t, 201, "POST", "/admin/projects/app/feedbacks", `{"content":"of the administrator"}`)
	s.Must(t, 200, "POST", "/admin/projects/app/logs/prune", `{"level":1}`)
	if status, answer, _ := s.Send(t, "POST", logs, nil, `{"level":1,"content":"again"}`); status != 201 {
		t.Errorf("after pruning: got %d %s", status, answer)
	}
}
