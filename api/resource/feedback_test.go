package resource_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"svc/api/apitest"
)

// feedbackOf returns the path under which administrators access a project's feedback.
func feedbackOf(key string) string { return "/admin/projects/" + key + "/feedbacks" }

// create sends a POST request to a path and returns the id of the new record.
func create(t testing.TB, s *apitest.Server, path, body string) string {
	t.Helper()
	status, answer := s.Ask(t, "POST", path, body)
	if status != 201 {
		t.Fatalf("POST %s %.300s: got %d %s, want 201", path, body, status, answer)
	}
	return apitest.Field[string](t, answer, "id")
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const list, public = "/admin/projects/app/feedbacks", "/public/app/feedbacks"
	now := s.Clock.Now().Unix()
	sent := create(t, s, public, `{"content":" as sent\n"}`)
	one := list + "/" + sent
	const everything = `{"user_id":"u-1","rating":5,"content":"Fine.","contact":"ada@mail.example","is_hidden":true,"status":"resolved","result":"Thanks",
		"platform":"macos","platform_version":"MacOS 15","custom_data":{"b":[1.0,2e3,"<&>"],"a":{"n":9007199254740993}},
		"forwarded_to_codehost":false,"codehost_issue_number":null,"codehost_issue_url":null,
		"ip":null,"user_agent":null,"country_code":null,"country_name":null,"region_name":null,"city":null}`
	s.Exchanges(t, []apitest.Exchange{
		{"module status", "GET", "/feedbacks/_status", "", 200, `{"module":"feedbacks","implemented":true}`},
		{"what is not sent", "GET", one, "", 200, `{"user_id":null,"rating":null,"content":" as sent\n","contact":null,"is_hidden":false,"status":"open","result":null,
			"custom_data":null,"forwarded_to_codehost":false,"codehost_issue_number":null,"codehost_issue_url":null}`},
		{"everything that clients may send", "POST", public, `{"user_id":"u","rating":1,"content":"","contact":"any text","platform":"WEB","platform_version":"5",
			"custom_data":{},"forward_to_codehost":false}`, 201, `{"user_id":"u","rating":1,"content":"","contact":"any text","platform":"web","platform_version":"5","custom_data":{}}`},
		{"null is not sent", "POST", public, `{"content":"null","user_id":null,"rating":null,"contact":null,"platform":null,"platform_version":null,"custom_data":null,"forward_to_codehost":null}`, 201,
			`{"user_id":null,"rating":null,"contact":null,"custom_data":null}`},
		{"what only administrators write is ignored", "POST", public, `{"content":"x","is_hidden":true,"status":"closed","result":"won","id":"1","created_at":1,"ip":"1.2.3.4","city":"Rome","forwarded_to_codehost":true,"codehost_issue_number":1}`, 201,
			`{"is_hidden":false,"status":"open","result":null,"ip":"127.0.0.1","city":null,"forwarded_to_codehost":false,"codehost_issue_number":null}`},
		{"even where it makes no sense", "POST", public, `{"content":"x","is_hidden":"perhaps","status":7,"result":[]}`, 201, `{"status":"open"}`},
		{"a rating is a number in every spelling", "POST", public, `{"content":"x","rating":3.0}`, 201, `{"rating":3}`},
		{"everything that administrators may add", "POST", list, `{"user_id":"u-1","rating":5,"content":"Fine.","contact":"ada@mail.example","is_hidden":true,"status":"resolved","result":"Thanks",
			"platform":" MacOS ","platform_version":"MacOS 15","custom_data":{"b":[1.0,2e3,"<&>"],"a":{"n":9007199254740993}}}`, 201, everything},
		{"as it is listed", "GET", list + "?search=fine.&include_hidden=true", "", 200, `{"total":1,"data":[` + everything + `]}`},
		{
			"null at an addition is not sent",
			"POST",
			list,
			`{"content":"x","is_hidden":null,"status":null,"result":null,"rating":null,"platform":null}`,
			201,
			`{"is_hidden":false,"status":"open","platform":null}`,
		},
		{"forwarding means nothing there", "POST", list, `{"content":"x","forward_to_codehost":true}`, 201, `{"forwarded_to_codehost":false}`},
		{"not even as a text", "PATCH", one, `{"forward_to_codehost":"x"}`, 200, `{"forwarded_to_codehost":false}`},
	})
	if at := apitest.Field[int64](t, s.Must(t, 200, "GET", one, ""), "created_at"); at < now || at > s.Clock.Now().Unix() {
		t.Errorf("created_at: got %d, want now, %d", at, now)
	}
}

func TestFeedbackChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const list = "/admin/projects/app/feedbacks"
	id := create(t, s, "/public/app/feedbacks", `{"content":"c","rating":2,"user_id":"u","contact":"k","platform":"ios","platform_version":"18","custom_data":{"a":1}}`)
	one := list + "/" + id
	var rows []apitest.Exchange
	for _, from := range []string{"open", "in_progress", "resolved", "closed"} {
		for _, to := range []string{"open", "in_progress", "resolved", "closed"} {
			rows = append(rows,
				apitest.Exchange{from + " before " + to, "PATCH", one, fmt.Sprintf(`{"status":%q}`, from), 200, fmt.Sprintf(`{"status":%q}`, from)},
				apitest.Exchange{to + " after " + from, "PATCH", one, fmt.Sprintf(`{"status":%q}`, to), 200, fmt.Sprintf(`{"status":%q}`, to)})
		}
	}
	s.Exchanges(t, rows)
	s.Exchanges(t, []apitest.Exchange{
		{
			"what is not sent stays",
			"PATCH",
			one,
			`{"result":"done"}`,
			200,
			`{"content":"c","rating":2,"user_id":"u","contact":"k","platform":"ios","platform_version":"18","custom_data":{"a":1},"status":"closed","result":"done"}`,
		},
		{"no body is an empty one", "PATCH", one, "", 200, `{"result":"done"}`},
		{
			"what the client said of itself stays, too",
			"PATCH",
			one,
			`{"ip":"1.2.3.4","user_agent":"x","country_code":"FR","created_at":1,"id":"x"}`,
			200,
			`{"ip":"127.0.0.1","country_code":"LOCAL"}`,
		},
		{"null clears", "PATCH", one, `{"rating":null,"user_id":null,"contact":null,"result":null,"platform":null,"platform_version":null,"custom_data":null}`, 200,
			`{"rating":null,"user_id":null,"contact":null,"result":null,"platform":null,"platform_version":null,"custom_data":null,"content":"c"}`},
		{"an empty content", "PATCH", one, `{"content":""}`, 200, `{"content":""}`},
		{"others is kept as sent", "PATCH", one, `{"platform":"Others"}`, 200, `{"platform":"others","platform_version":null}`},
		{"hidden", "PATCH", one, `{"is_hidden":true}`, 200, `{"is_hidden":true}`},
		{
			"by its id alone",
			"PATCH",
			"/admin/feedbacks/" + id,
			`{"is_hidden":false,"content":"` + apitest.Long(4096) + `","result":"` + apitest.Long(4096) + `"}`,
			200,
			`{"is_hidden":false,"platform":"others"}`,
		},
		{"read", "GET", one, "", 200, `{"content":"` + apitest.Long(4096) + `"}`},
		{"deleted", "DELETE", one, "", 200, `{"success":true}`},
		{"deleted twice", "DELETE", one, "", 404, `{"message":"feedback not found"}`},
		{"changed after that", "PATCH", one, `{}`, 404, `{"message":"feedback not found"}`},
		{"read after that", "GET", one, "", 404, `{"message":"feedback not found"}`},
		{"changed by its id alone after that", "PATCH", "/admin/feedbacks/" + id, `{}`, 404, `{"message":"feedback not found"}`},
		{"the list without it", "GET", list + "?include_hidden=1", "", 200, `{"total":0,"data":[]}`},
	})
	id = create(t, s, list, `{"content":"c"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"delete by its id alone", "DELETE", "/admin/feedbacks/" + id, "", 200, `{"success":true}`},
		{"twice", "DELETE", "/admin/feedbacks/" + id, "", 404, `{"message":"feedback not found"}`},
	})
}

// TestFeedbackIsNotForwarded checks that feedback cannot be forwarded if there is no code host.
func TestFeedbackIsNotForwarded(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "old")
	s.Must(t, 200, "PATCH", "/admin/projects/old", `{"project_key":"app"}`)
	const list, public = "/admin/projects/app/feedbacks?include_hidden=true", "/public/app/feedbacks"
	s.Exchanges(t, []apitest.Exchange{
		{
			"the options say so, under the present key",
			"GET",
			"/public/OLD/feedbacks/options",
			"",
			200,
			`{"project_key":"app","codehost_forward_available":false,"contact_required_for_forward":false}`,
		},
		{"of a project that there is not", "GET", "/public/none/feedbacks/options", "", 404, `{"message":"project \"none\" not found"}`},
	})
	s.Refusals(t, list, []apitest.Refusal{
		{"asking for it", "POST", public, `{"content":"x","contact":"k","forward_to_codehost":true}`, 400, "forward"},
		{"asking without a contact", "POST", public, `{"content":"x","forward_to_codehost":true}`, 400, "forward"},
		{"asking by a text", "POST", public, `{"content":"x","forward_to_codehost":"true"}`, 400, "forward_to_codehost must be true or false"},
		{"the project is looked for before", "POST", "/public/none/feedbacks", `{"content":"x","forward_to_codehost":true}`, 404, `project "none" not found`},
	})
}

func TestFeedbackRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	const list, public = "/admin/projects/app/feedbacks", "/public/app/feedbacks"
	one := list + "/" + create(t, s, list, `{"content":"kept","rating":4}`)
	foreign := create(t, s, feedbackOf("other"), `{"content":"foreign"}`)
	announcement := s.Announce(t, "app", apitest.Titled("t", ""))
	var rows []apitest.Refusal
	for _, way := range []struct{ name, method, path, content string }{
		{"sent", "POST", public, `"content":"x",`}, {"added", "POST", list, `"content":"x",`}, {"changed", "PATCH", one, ``},
	} {
		for _, bad := range []struct{ field, message string }{
			{`"rating":0`, "rating must be an integer from 1 to 5"},
			{`"rating":6`, "rating must be an integer from 1 to 5"},
			{`"rating":4.5`, "rating must be an integer from 1 to 5"},
			{`"rating":"5"`, "rating must be an integer from 1 to 5"},
			{`"rating":true`, "rating must be an integer from 1 to 5"},
			{`"content":5`, "content must be a string"},
			{`"content":"` + apitest.Long(4097) + `"`, "content must have at most 4096 characters"},
			{`"user_id":"` + apitest.Long(65) + `"`, "user_id must have at most 64 characters"},
			{`"user_id":7`, "user_id must be a string"},
			{`"contact":"` + apitest.Long(129) + `"`, "contact must have at most 128 characters"},
			{`"platform":"beos"`, "platform must be one of"},
			{`"platform":""`, "platform must be one of"},
			{`"platform":"windows 11"`, "platform must be one of"},
			{`"platform":5`, "platform must be a string"},
			{`"platform_version":"` + apitest.Long(33) + `"`, "platform_version must have at most 32 characters"},
			{`"platform_version":11`, "platform_version must be a string"},
			{`"custom_data":[]`, "custom_data must be a JSON object"},
			{`"custom_data":"{}"`, "custom_data must be a JSON object"},
			{`"custom_data":` + strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101), "custom_data must be a JSON object of at most 100 levels"},
		} {
			rows = append(rows, apitest.Refusal{fmt.Sprintf("%s with %.40s", way.name, bad.field), way.method, way.path, "{" + way.content + bad.field + "}", 400, bad.message})
		}
	}
	rows = append(rows, []apitest.Refusal{
		{"nothing sent", "POST", public, ``, 400, "content is required"},
		{"null for the content", "POST", public, `{"content":null}`, 400, "content is required"},
		{"nothing added", "POST", list, `{}`, 400, "content is required"},
		{
			"all broken rules at once",
			"POST",
			public,
			`{"rating":9,"contact":1,"forward_to_codehost":1}`,
			400,
			"rating must be an integer from 1 to 5; content is required; contact must be a string; forward_to_codehost must be true or false",
		},
		{"no content left", "PATCH", one, `{"content":null}`, 400, "content must not be null"},
		{"no content left, on the older path", "PATCH", "/admin/feedbacks/" + path.Base(one), `{"content":null}`, 400, "content must not be null"},
		{"no state", "PATCH", one, `{"status":null}`, 400, "status must not be null"},
		{"neither hidden nor not", "PATCH", one, `{"is_hidden":null}`, 400, "is_hidden must not be null"},
		{"another state", "PATCH", one, `{"status":"done"}`, 400, "status must be one of open, in_progress, resolved, closed"},
		{"a state in another case", "POST", list, `{"content":"x","status":"Open"}`, 400, "status must be one of"},
		{"a state as a number", "POST", list, `{"content":"x","status":1}`, 400, "status must be a string"},
		{"hidden by a text", "POST", list, `{"content":"x","is_hidden":"true"}`, 400, "is_hidden must be true or false"},
		{"a long result", "PATCH", one, `{"result":"` + apitest.Long(4097) + `"}`, 400, "result must have at most 4096 characters"},
		{"good and bad together", "PATCH", one, `{"content":"new","rating":6}`, 400, "rating must be"},
		{"no JSON", "POST", public, `{"content":"x"`, 400, "not JSON"},
		{"not UTF-8", "POST", public, "{\"content\":\"\xff\"}", 400, "UTF-8"},
		{"to a project that there is not", "POST", "/public/none/feedbacks", `{"content":"x"}`, 404, `project "none" not found`},
		{"broken rules are told before", "POST", "/public/none/feedbacks", `{}`, 400, "content is required"},
		{"added to a project that there is not", "POST", feedbackOf("none"), `{"content":"x"}`, 404, `project "none" not found`},
		{"another project's", "PATCH", list + "/" + foreign, `{"content":"x"}`, 404, "feedback not found"},
		{"delete another project's", "DELETE", list + "/" + foreign, "", 404, "feedback not found"},
		{"read another project's", "GET", list + "/" + foreign, "", 404, "feedback not found"},
		{"an announcement's id", "GET", list + "/" + announcement, "", 404, "feedback not found"},
		{"an announcement's id alone", "DELETE", "/admin/feedbacks/" + announcement, "", 404, "feedback not found"},
		{"an id that is none", "GET", list + "/1", "", 404, "feedback not found"},
		{"an id that is none, alone", "PATCH", "/admin/feedbacks/1", "{}", 404, "feedback not found"},
		{"the list of a project that there is not", "GET", feedbackOf("none"), "", 404, `project "none" not found`},
	}...)
	s.Refusals(t, list, rows)
	s.Must(t, 200, "GET", feedbackOf("other")+"/"+foreign, "")
	s.Must(t, 200, "GET", apitest.AnnouncementsOf("app")+"/"+announcement, "")
}

// TestSubmissionAccess checks which callers can access feedback and logs.
func TestSubmissionAccess(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	one := create(t, s, feedbackOf("app"), `{"content":"c"}`)
	foreign := create(t, s, feedbackOf("other"), `{"content":"c"}`)
	line := create(t, s, apitest.LogsOf("app"), `{"level":0,"content":"c"}`)
	key := func(scope string) string {
		return s.Key(t, fmt.Sprintf(`{"name":"k","scopes":[%q],"project_ids":["app"]}`, scope))
	}
	reader, writer := key("feedbacks:read"), key("feedbacks:write")
	logReader, logWriter := key("logs:read"), key("logs:write")
	for _, tc := range []struct {
		name, credential, method, path, body string
		status                               int
	}{
		{"list", reader, "GET", feedbackOf("app"), "", 200},
		{"read", reader, "GET", feedbackOf("app") + "/" + one, "", 200},
		{"statistics of the project", reader, "GET", "/admin/projects/app/stats/feedbacks", "", 200},
		{"statistics span projects", reader, "GET", "/admin/feedbacks/statistics", "", 401},
		{"reading is not writing", reader, "PATCH", "/admin/feedbacks/" + one, "{}", 401},
		{"reading is not adding", reader, "POST", feedbackOf("app"), `{"content":"x"}`, 401},
		{"logs are another thing", reader, "GET", apitest.LogsOf("app"), "", 401},
		{"writing is not reading", writer, "GET", feedbackOf("app"), "", 401},
		{"nor are statistics", writer, "GET", "/admin/projects/app/stats/feedbacks", "", 401},
		{"write", writer, "PATCH", "/admin/feedbacks/" + one, `{"rating":1}`, 200},
		{"write another project's", writer, "PATCH", "/admin/feedbacks/" + foreign, `{"rating":1}`, 401},
		{"delete another project's", writer, "DELETE", "/admin/feedbacks/" + foreign, "", 401},
		{"another project", reader, "GET", feedbackOf("other"), "", 401},
		{"nobody lists", "", "GET", feedbackOf("app"), "", 401},
		{"nobody deletes", "", "DELETE", feedbackOf("app") + "/" + one, "", 401},
		{"list logs", logReader, "GET", apitest.LogsOf("app"), "", 200},
		{"statistics of logs", logReader, "GET", "/admin/projects/app/stats/logs", "", 200},
		{"of all projects", logReader, "GET", "/admin/logs/statistics", "", 401},
		{"hide without the scope", logReader, "PATCH", apitest.LogsOf("app") + "/" + line, `{"is_hidden":true}`, 401},
		{"hide", logWriter, "PATCH", apitest.LogsOf("app") + "/" + line, `{"is_hidden":true}`, 200},
		{"add", logWriter, "POST", apitest.LogsOf("app"), `{"level":1,"content":"x"}`, 201},
		{"add elsewhere", logWriter, "POST", apitest.LogsOf("other"), `{"level":1,"content":"x"}`, 401},
		{"writing logs is not reading them", logWriter, "GET", apitest.LogsOf("app"), "", 401},
		{"nobody lists logs", "", "GET", apitest.LogsOf("app"), "", 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if status, answer, _ := s.Do(t, tc.method, tc.path, tc.credential, tc.body); status != tc.status {
				t.Errorf("got %d %s, want %d", status, answer, tc.status)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{{"nothing else was done", "GET", feedbackOf("other"), "", 200, `{"total":1,"data":[{"rating":null}]}`}})
}
