package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
)

// TestRequestsAreTold checks which events requests cause.
func TestRequestsAreTold(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.SiteURL = "https://svc.example" }))
	rollout := rollingOut(t, s, "app", `{"percent":0,"steps":`+threeSteps+`}`)
	version := strings.TrimSuffix(rollout, "/rollout")
	hidden := "/admin/projects/app/announcements/" +
		apitest.Field[string](t, s.Must(t, 201, "POST", "/admin/projects/app/announcements", `{"title":"Later","content":"c","is_hidden":true}`), "id")
	of := `"project":{"key":"app","name":"app"},`
	events, all := s.Hear(t, "app"), s.Hear(t, "")
	seen := 0
	for _, step := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"PUT", apitest.VersionsOf("app") + "/by-version/1.5", `{"title":"New","content":"*notes*"}`, 201, []string{
			`{"type":"version.published","data":{` + of + `"version":"1.5","comparable_version":"1.5","channel":"stable","title":"New","notes":"*notes*",
				"url":"https://svc.example/projects/app?version=1.5","percent":100}}`,
		}},
		{"PUT", apitest.VersionsOf("app") + "/by-version/1.5", `{"title":"Newer"}`, 200, nil},
		{"PUT", apitest.VersionsOf("app") + "/by-version/1.6", `{"comparable_version":"x"}`, 400, nil},
		{"PUT", rollout, `{"percent":10,"auto_advance":true}`, 200, []string{
			`{"type":"version.published","data":{` + of + `"version":"2.0","percent":10}}`,
			`{"type":"rollout.advanced","data":{` + of + `"version":"2.0","percent":10,"step":0,"by":"admin"}}`,
		}},
		{"POST", rollout + "/pause", `{"reason":"wait"}`, 200, []string{
			`{"type":"rollout.paused","data":{` + of + `"version":"2.0","percent":10,"by":"admin","reason":"wait"}}`,
		}},
		{"POST", rollout + "/pause", "", 409, nil},
		{"POST", rollout + "/resume", "", 200, []string{`{"type":"rollout.resumed","data":{"version":"2.0","percent":10,"by":"admin","reason":null}}`}},
		{"POST", rollout + "/advance", "", 200, []string{`{"type":"rollout.advanced","data":{"version":"2.0","percent":50,"step":1,"by":"admin"}}`}},
		{"POST", version + "/yank", `{"reason":"it crashes","downgrade_to":"` + s.VersionID(t, "app", "1.0") + `"}`, 200, []string{
			`{"type":"version.yanked","data":{` + of + `"version":"2.0","reason":"it crashes","downgrade_to":"1.0"}}`,
			`{"type":"rollout.aborted","data":{"version":"2.0","percent":50,"by":"admin","reason":"it crashes"}}`,
		}},
		{"DELETE", version + "/yank", "", 200, nil},
		{"PUT", apitest.VersionsOf("app") + "/by-version/3.0", `{"rollout":{"percent":50}}`, 201, []string{
			`{"type":"version.published","data":{"version":"3.0","percent":50}}`,
		}},
		{"PATCH", hidden, `{"title":"Soon"}`, 200, nil},
		{"PATCH", hidden, `{"is_hidden":false}`, 200, []string{
			`{"type":"announcement.published","data":{` + of + `"title":"Soon","content":"c"}}`,
		}},
		{"PATCH", hidden, `{"is_hidden":true}`, 200, nil},
		{"PATCH", hidden, `{"is_hidden":false}`, 200, nil},
		{"POST", "/admin/projects/app/announcements", `{"title":"Now","content":"c"}`, 201, []string{
			`{"type":"announcement.published","data":{"title":"Now"}}`,
		}},
		{"POST", "/admin/projects/app/feedbacks", `{"content":"by the administrator"}`, 201, nil},
		{"POST", "/public/app/feedbacks", `{"content":"it is slow","rating":2,"contact":"ada@example.com","user_id":"ada"}`, 201, []string{
			`{"type":"feedback.created","data":{` + of + `"rating":2,"content":"it is slow"}}`,
		}},
	} {
		what := step.method + " " + step.path + " " + step.body
		s.Must(t, step.status, step.method, step.path, step.body)
		list := events()
		if len(list) != seen+len(step.want) {
			t.Fatalf("%s: got %q, want %d events", what, list[seen:], len(step.want))
		}
		for i, want := range step.want {
			if why := apitest.CompareJSON(t, list[seen+i], want); why != "" {
				t.Errorf("%s: %s in %s", what, why, list[seen+i])
			}
		}
		seen = len(list)
	}
	last := events()[seen-1]
	id := apitest.Field[map[string]any](t, last, "data")["id"]
	if link := fmt.Sprintf(`"url":"https://svc.example/admin/feedbacks?project=app&open=%s"`, id); !strings.Contains(last, link) {
		t.Errorf("feedback: %s has not %s", last, link)
	}
	if strings.Contains(last, "ada") || strings.Contains(last, "127.0.0.1") {
		t.Errorf("feedback: %s identifies the sender", last)
	}
	if got := len(all()); got != seen {
		t.Errorf("a hook of the instance: got %d events, want %d", got, seen)
	}
}

// types counts events by their name.
func types(t *testing.T, events []string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, e := range events {
		n[apitest.Field[string](t, e, "type")]++
	}
	return n
}

// TestHeldRolloutIsTold checks the figures in the event of a held rollout. A suspect rule causes one
// event, even if the rollout is resumed and held again.
func TestHeldRolloutIsTold(t *testing.T) {
	t.Parallel()
	u, version := newUsers(t, "app")
	events := u.Hear(t, "app")
	for round := 1; round <= 2; round++ {
		for bucket := 0; types(t, events())["rollout.held"] < round; bucket++ {
			if bucket == 40 {
				t.Fatalf("not held: %s", u.Must(t, 200, "GET", version+"/health", ""))
			}
			u.come(t, "1.0", 30, 0.1, "error_logs")
			u.come(t, "2.0", 15, 0.4, "error_logs")
			u.close(t)
		}
		if state := apitest.Field[string](t, u.Must(t, 200, "GET", version+"/rollout", ""), "state"); state != "held" {
			t.Fatalf("round %d: the event says that the rollout is held, it is %s", round, state)
		}
		rule := apitest.Field[[]map[string]any](t, u.Must(t, 200, "GET", version+"/health", ""), "rules")[0]
		list := events()
		want := fmt.Sprintf(`{"type":"rollout.held","data":{"project":{"key":"app"},"version":"2.0","percent":50,"rule":"error_logs","metric":"error_logs",
			"e_value":%v,"failures":%v,"exposure":%v,"baseline_failures":%v,"baseline_exposure":%v,"baseline_version":"1.0",
			"reason":"%[2]v of %[3]v failed, %[4]v of %[5]v on 1.0"}}`,
			rule["e_value"], rule["failures"], rule["exposure"], rule["baseline_failures"], rule["baseline_exposure"])
		if why := apitest.CompareJSON(t, list[len(list)-1], want); why != "" {
			t.Errorf("round %d: %s in %s", round, why, list[len(list)-1])
		}
		if n := types(t, list); n["health.suspect"] > 1 || n["health.failing"] > 0 || n["rollout.held"] != round {
			t.Errorf("round %d: got %v", round, n)
		}
		u.Must(t, 200, "POST", version+"/rollout/resume", `{"reason":"a known crash"}`)
	}
}

// TestFailingRuleIsTold checks that a rule that does not hold the rollout causes one event when it becomes
// suspect and one when it becomes failing.
func TestFailingRuleIsTold(t *testing.T) {
	t.Parallel()
	u, version := newUsers(t, "app")
	key := u.Admin
	u.Admin = u.Token(t, apitest.Secret, u.DB.Account().ID.String(), 1, 0)
	u.Must(t, 200, "PUT", "/admin/projects/app/distribution",
		`{"health":{"rules":[{"name":"crashes","metric":"error_logs","action":"notify"},{"name":"silent","metric":"event","event":"e"}]}}`)
	u.Admin = key // the login would expire
	events := u.Hear(t, "app")
	failing := 0
	for bucket := 0; failing < 3; bucket++ {
		if bucket == 60 {
			t.Fatalf("not failing: %s", u.Must(t, 200, "GET", version+"/health", ""))
		}
		u.come(t, "1.0", 30, 0.1, "error_logs")
		u.come(t, "2.0", 15, 0.4, "error_logs")
		u.close(t)
		state := apitest.Field[string](t, u.Must(t, 200, "GET", version+"/health", ""), "state")
		n := types(t, events())
		if state == "failing" {
			failing++
		}
		if n["health.failing"] > 1 || n["health.suspect"] > 1 || state == "failing" && n["health.failing"] != 1 ||
			state == "suspect" && n["health.suspect"]+n["health.failing"] == 0 || n["rollout.held"] > 0 {
			t.Fatalf("bucket %d, where the health is %s: got %v", bucket, state, n)
		}
	}
	list := events()
	const want = `{"type":"health.failing","data":{"version":"2.0","percent":50,"rule":"crashes","metric":"error_logs","baseline_version":"1.0"}}`
	if why := apitest.CompareJSON(t, list[len(list)-1], want); why != "" {
		t.Errorf("%s in %s", why, list[len(list)-1])
	}
	u.Exchanges(t, []apitest.Exchange{{"the rollout goes on", "GET", version + "/rollout", "", 200, `{"state":"running"}`}})
}
