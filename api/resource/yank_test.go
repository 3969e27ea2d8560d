package resource_test

import (
	"strings"
	"testing"

	"svc/api/apitest"
)

func TestYank(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0", "1.1", "1.2")
	all, public := apitest.VersionsOf("app"), "/public/app/versions"
	id := func(text string) string { return s.VersionID(t, "app", text) }
	yank := func(text string) string { return all + "/" + id(text) + "/yank" }
	s.Exchanges(t, []apitest.Exchange{
		{Name: "before", Method: "GET", Path: public + "/latest", Status: 200, Want: `{"version":"1.2","yanked_at":null,"yank_reason":null}`},
		{
			Name: "yanked", Method: "POST", Path: yank("1.2"), Body: `{"reason":" loses settings "}`, Status: 200,
			Want: `{"version":"1.2","yank_reason":"loses settings","is_latest":false}`,
		},
		{Name: "the latest is the one before", Method: "GET", Path: public + "/latest", Status: 200, Want: `{"version":"1.1","is_latest":true}`},
		{Name: "the public list leaves it out", Method: "GET", Path: public, Status: 200, Want: `{"total":2,"data":[{"version":"1.1"},{"version":"1.0"}]}`},
		{Name: "unless it is asked for", Method: "GET", Path: public + "?is_yanked=true", Status: 200, Want: `{"total":1,"data":[{"version":"1.2"}]}`},
		{Name: "by version", Method: "GET", Path: public + "/by-version/1.2", Status: 200, Want: `{"yank_reason":"loses settings"}`},
		{Name: "administrators see all", Method: "GET", Path: all, Status: 200, Want: `{"total":3}`},
		{Name: "or only the others", Method: "GET", Path: all + "?is_yanked=false", Status: 200, Want: `{"total":2}`},
		{
			Name: "an update check", Method: "POST", Path: public + "/check-update", Body: `{"current_version":"1.2"}`, Status: 200,
			Want: `{"should_update":false,"target_version":null}`,
		},
		{
			Name: "another reason", Method: "POST", Path: yank("1.2"), Body: `{"reason":"crashes","downgrade_to":"` + id("1.0") + `"}`, Status: 200,
			Want: `{"yank_reason":"crashes"}`,
		},
		{Name: "nobody is offered it", Method: "POST", Path: public + "/check-update", Body: `{"current_version":"1.0"}`, Status: 200,
			Want: `{"should_update":true,"target_version":{"version":"1.1"}}`},
		{Name: "taken back", Method: "DELETE", Path: yank("1.2"), Status: 200, Want: `{"yanked_at":null,"yank_reason":null,"is_latest":false}`},
		{Name: "the latest stays", Method: "GET", Path: public + "/latest", Status: 200, Want: `{"version":"1.1"}`},
		{Name: "but it is offered", Method: "POST", Path: public + "/check-update", Body: `{"current_version":"1.0"}`, Status: 200,
			Want: `{"target_version":{"version":"1.2"}}`},
		{Name: "yanked again", Method: "POST", Path: yank("1.0"), Body: `{"reason":"old"}`, Status: 200, Want: `{"yank_reason":"old"}`},
	})
	s.Refusals(t, all, []apitest.Refusal{
		{"no reason", "POST", yank("1.2"), `{}`, 400, "reason is required"},
		{"a blank reason", "POST", yank("1.2"), `{"reason":" "}`, 400, "reason must not be empty"},
		{"a long reason", "POST", yank("1.2"), `{"reason":"` + strings.Repeat("é", 513) + `"}`, 400, "reason must have at most 512 characters"},
		{"no id", "POST", yank("1.2"), `{"reason":"x","downgrade_to":"1.1"}`, 400, "downgrade_to must be the id of a version of the project"},
		{"no text", "POST", yank("1.2"), `{"reason":"x","downgrade_to":1}`, 400, "downgrade_to must be the id of a version of the project"},
		{"an unknown id", "POST", yank("1.2"), `{"reason":"x","downgrade_to":"0190c0de-0000-7000-8000-000000000000"}`, 400,
			"downgrade_to must be the id of a version of the project"},
		{"itself", "POST", yank("1.2"), `{"reason":"x","downgrade_to":"` + id("1.2") + `"}`, 400, "downgrade_to must be a lower version"},
		{"a yanked one", "POST", yank("1.2"), `{"reason":"x","downgrade_to":"` + id("1.0") + `"}`, 400, "downgrade_to must be a version that is complete and not yanked"},
		{"no version to take back", "DELETE", "/admin/projects/app/versions/00000000-0000-7000-8000-000000000000/yank", "", 404, "version not found"},
		{"not yanked", "DELETE", yank("1.2"), "", 409, `version "1.2" is not yanked`},
		{"unknown", "POST", all + "/x/yank", `{"reason":"x"}`, 404, "version not found"},
		{"a rollout of a yanked one", "PUT", all + "/" + id("1.0") + "/rollout", `{"percent":50}`, 409,
			`version "1.0" is yanked: take the yank back before rolling it out`},
		{"the latest", "PATCH", all + "/" + id("1.0"), `{"is_latest":true}`, 400, "is_latest: a yanked version cannot be the latest"},
	})
}
