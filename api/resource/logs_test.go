package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

func TestLog(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const list, public = "/admin/projects/app/logs", "/public/app/logs"
	now := s.Clock.Now().Unix()
	answer := s.Must(t, 201, "POST", list, `{"level":2,"content":""}`)
	if at := apitest.Field[int64](t, answer, "created_at"); at < now || at > s.Clock.Now().Unix() {
		t.Errorf("created_at: got %d, want now, %d", at, now)
	}
	const everything = `{"level":3,"content":" ERR_CONN_42\n","source":"net/dial.go","device_info":{"b":1,"a":[{"c":null}]},"custom_data":{"n":1e400},
		"is_hidden":true,"platform":"linux","platform_version":"Ubuntu 24.04",
		"ip":null,"user_agent":null,"country_code":null,"country_name":null,"region_name":null,"city":null}`
	s.Exchanges(t, []apitest.Exchange{
		{"module status", "GET", "/logs/_status", "", 200, `{"module":"logs","implemented":true}`},
		{"what is not sent", "GET", list, "", 200, `{"total":1,"data":[{"level":2,"content":"","source":null,"device_info":null,"custom_data":null,"is_hidden":false,"platform":null,"platform_version":null,
			"ip":null,"user_agent":null,"country_code":null,"country_name":null,"region_name":null,"city":null}]}`},
		{"everything that clients may send", "POST", public, `{"level":0,"content":"c","source":"` + apitest.Long(128) + `","device_info":{},"custom_data":{"a":{}},"platform":"Windows 11","platform_version":"11.5"}`, 201,
			`{"level":0,"content":"c","source":"` + apitest.Long(128) + `","device_info":{},"custom_data":{"a":{}},"is_hidden":false,"platform":"windows","platform_version":"11.5"}`},
		{"null is not sent", "POST", public, `{"level":1,"content":"null","source":null,"device_info":null,"custom_data":null,"platform":null,"platform_version":null}`, 201, `{"level":1,"source":null,"device_info":null}`},
		{"an upload is always visible", "POST", public, `{"level":1,"content":"x","is_hidden":true}`, 201, `{"is_hidden":false}`},
		{"whatever is sent for that", "POST", public, `{"level":1,"content":"x","is_hidden":"perhaps","id":7,"created_at":1,"ip":"1.2.3.4"}`, 201, `{"is_hidden":false,"ip":"127.0.0.1"}`},
		{"4096 characters", "POST", public, `{"level":1,"content":"` + apitest.Long(4096) + `"}`, 201, `{"content":"` + apitest.Long(4096) + `"}`},
		{"everything that administrators may add", "POST", list, `{"level":3,"content":" ERR_CONN_42\n","source":"net/dial.go","device_info":{"b":1,"a":[{"c":null}]},"custom_data":{"n":1e400},
			"is_hidden":true,"platform":"Linux ","platform_version":"Ubuntu 24.04"}`, 201, everything},
		{"as it is listed", "GET", list + "?include_hidden=true&limit=1", "", 200, `{"total":7,"data":[` + everything + `]}`},
		{"null at an addition is not sent", "POST", list, `{"level":0,"content":"x","is_hidden":null,"platform":null,"source":null}`, 201, `{"is_hidden":false,"platform":null}`},
		{"others is kept as added", "POST", list, `{"level":0,"content":"x","platform":"others"}`, 201, `{"platform":"others","platform_version":null}`},
	})
}

// TestLogDoesNotChange checks that only the visibility of a log can be changed, because a log is
// evidence.
func TestLogDoesNotChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const list = "/admin/projects/app/logs"
	id := create(t, s, "/public/app/logs", `{"level":2,"content":"c","source":"s","device_info":{"a":1},"custom_data":{"b":2},"platform":"web"}`)
	one := list + "/" + id
	const same = `{"level":2,"content":"c","source":"s","device_info":{"a":1},"custom_data":{"b":2},"platform":"web","is_hidden":false,"ip":"127.0.0.1"}`
	s.Exchanges(t, []apitest.Exchange{
		{"every other field is ignored", "PATCH", one, `{"level":0,"content":"x","source":null,"device_info":null,"custom_data":{},"platform":"ios","platform_version":"1","created_at":1,"ip":null,"city":"x","id":"x"}`, 200, same},
		{"whatever its value", "PATCH", one, `{"level":"x","content":5,"source":[],"device_info":7,"platform":"beos"}`, 200, same},
		{"nothing sent", "PATCH", one, ``, 200, same},
		{"hidden, and nothing else", "PATCH", one, `{"is_hidden":true,"content":"x","level":0}`, 200, `{"is_hidden":true,"content":"c","level":2}`},
		{"left out of the list", "GET", list, "", 200, `{"total":0,"data":[]}`},
		{"but not of the one with hidden ones", "GET", list + "?include_hidden=1", "", 200, `{"total":1,"data":[{"content":"c","is_hidden":true}]}`},
		{"hidden again", "PATCH", one, `{"is_hidden":true}`, 200, `{"is_hidden":true}`},
		{"without the field nothing happens", "PATCH", one, `{}`, 200, `{"is_hidden":true}`},
		{"shown again", "PATCH", one, `{"is_hidden":false}`, 200, same},
		{"there is no single read", "GET", one, "", 404, `{"message":"no such path or method"}`},
		{"no deletion", "DELETE", one, "", 404, `{"message":"no such path or method"}`},
		{"no replacement", "PUT", one, `{}`, 404, `{"message":"no such path or method"}`},
		{"no older path either", "PATCH", "/admin/logs/" + id, `{"is_hidden":true}`, 404, `{"message":"no such path or method"}`},
		{"as it was", "GET", list, "", 200, `{"total":1,"data":[` + same + `]}`},
	})
}

func TestLogRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	const list, public = "/admin/projects/app/logs", "/public/app/logs"
	one := list + "/" + create(t, s, list, `{"level":1,"content":"kept"}`)
	foreign := create(t, s, apitest.LogsOf("other"), `{"level":1,"content":"foreign"}`)
	feedback := create(t, s, feedbackOf("app"), `{"content":"c"}`)
	var rows []apitest.Refusal
	for _, way := range []struct{ name, path string }{{"uploaded", public}, {"added", list}} {
		for _, bad := range []struct{ body, message string }{
			{``, "level is required; content is required"},
			{`{"level":null,"content":null}`, "level is required; content is required"},
			{`{"level":4,"content":"x"}`, "level must be an integer from 0 to 3"},
			{`{"level":-1,"content":"x"}`, "level must be an integer from 0 to 3"},
			{`{"level":"1","content":"x"}`, "level must be an integer from 0 to 3"},
			{`{"level":0.5,"content":"x"}`, "level must be an integer from 0 to 3"},
			{`{"level":"ERROR","content":"x"}`, "level must be an integer from 0 to 3"},
			{`{"level":1,"content":["x"]}`, "content must be a string"},
			{`{"level":1,"content":"` + apitest.Long(4097) + `"}`, "content must have at most 4096 characters"},
			{`{"level":1,"content":"x","source":"` + apitest.Long(129) + `"}`, "source must have at most 128 characters"},
			{`{"level":1,"content":"x","source":1}`, "source must be a string"},
			{`{"level":1,"content":"x","device_info":[]}`, "device_info must be a JSON object"},
			{`{"level":1,"content":"x","device_info":"phone"}`, "device_info must be a JSON object"},
			{`{"level":1,"content":"x","custom_data":1}`, "custom_data must be a JSON object"},
			{`{"level":1,"content":"x","custom_data":` + strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101) + `}`, "custom_data must be a JSON object of at most 100 levels"},
			{`{"content":"x",`, "not JSON"},
			{`[{"level":1,"content":"x"}]`, "must be a JSON object"},
			{`null`, "must be a JSON object"},
			{"{\"level\":1,\"content\":\"\xc3\"}", "UTF-8"},
		} {
			rows = append(rows, apitest.Refusal{fmt.Sprintf("%s with %.50q", way.name, bad.body), "POST", way.path, bad.body, 400, bad.message})
		}
	}
	rows = append(rows, []apitest.Refusal{
		{"a platform that there is not", "POST", list, `{"level":1,"content":"x","platform":"beos"}`, 400, "platform must be one of"},
		{"a platform with its version", "POST", list, `{"level":1,"content":"x","platform":"windows 11"}`, 400, "platform must be one of"},
		{"a long version", "POST", list, `{"level":1,"content":"x","platform_version":"` + apitest.Long(33) + `"}`, 400, "platform_version must have at most 32 characters"},
		{"hidden by a text", "POST", list, `{"level":1,"content":"x","is_hidden":"true"}`, 400, "is_hidden must be true or false"},
		{"neither hidden nor not", "PATCH", one, `{"is_hidden":null}`, 400, "is_hidden must not be null"},
		{"hidden by a number", "PATCH", one, `{"is_hidden":1}`, 400, "is_hidden must be true or false"},
		{"no JSON", "PATCH", one, `{`, 400, "not JSON"},
		{"another project's", "PATCH", list + "/" + foreign, `{"is_hidden":true}`, 404, "log not found"},
		{"the id of feedback", "PATCH", list + "/" + feedback, `{"is_hidden":true}`, 404, "log not found"},
		{"an id that is none", "PATCH", list + "/1", `{"is_hidden":true}`, 404, "log not found"},
		{"to a project that there is not", "POST", "/public/none/logs", `{"level":1,"content":"x"}`, 404, `project "none" not found`},
		{"broken rules are told before", "POST", "/public/none/logs", `{}`, 400, "level is required"},
		{"added to a project that there is not", "POST", apitest.LogsOf("none"), `{"level":1,"content":"x"}`, 404, `project "none" not found`},
		{"hidden in a project that there is not", "PATCH", apitest.LogsOf("none") + "/" + feedback, `{"is_hidden":true}`, 404, `project "none" not found`},
		{"the list of a project that there is not", "GET", apitest.LogsOf("none"), "", 404, `project "none" not found`},
	}...)
	s.Refusals(t, list, rows)
}
