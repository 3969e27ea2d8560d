package transfer_test

import (
	"testing"
	"time"

	"svc/api/apitest"
)

// TestLogGroupsMove checks that a copy of a project has the same groups of logs, and that its logs are
// not counted again.
func TestLogGroupsMove(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(0))
	s.Clock.Stop()
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/versions", `{"version":"Autumn","comparable_version":"3.0"}`)
	for _, log := range []string{
		`{"level":3,"content":"one 1","device_info":{"app_version":"1.0"},"platform":"linux","custom_data":{"repeated":2}}`,
		`{"level":3,"content":"one 2","device_info":{"app_version":"Autumn"}}`,
		`{"level":2,"content":"two","source":"disk"}`,
	} {
		s.Must(t, 201, "POST", "/public/app/logs", log)
		s.Clock.Advance(20 * time.Minute)
	}
	id := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/admin/projects/app/log-groups?level=3", ""), "data")[0]["id"].(string)
	s.Must(t, 200, "PATCH", "/admin/projects/app/log-groups/"+id, `{"state":"resolved","resolved_in":"4.0","note":"known"}`)
	groups := func(project string) (all string) {
		for _, g := range apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/admin/projects/"+project+"/log-groups", ""), "data") {
			all += s.Must(t, 200, "GET", "/admin/projects/"+project+"/log-groups/"+g["id"].(string), "")
		}
		return all
	}
	want := groups("app")
	archive, _ := export(t, s, "app")
	mustBringIn(t, s, archive, "key=copy&new_ids=true")
	p, err := s.DB.FindProject("copy")
	if err == nil {
		err = s.DB.GroupLogs(t.Context(), p.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := groups("copy"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := apitest.Field[int](t, s.Must(t, 200, "GET", "/admin/projects/copy/logs?group_id="+id, ""), "total"); got != 2 {
		t.Errorf("got %d logs of the group, want 2", got)
	}
}
