package resource_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// bulkBody returns a body that names records and has further fields.
func bulkBody(t testing.TB, ids []string, fields string) string {
	t.Helper()
	list, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"ids":%s%s}`, list, fields)
}

func TestUpdateFeedbacks(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	list := feedbackOf("app")
	var ids []string
	for i := range 3 {
		ids = append(ids, create(t, s, list, fmt.Sprintf(`{"content":"c%d","rating":%d,"result":"kept","status":"in_progress"}`, i, i+1)))
	}
	expect := func(name, want string) {
		t.Helper()
		if why := apitest.CompareJSON(t, s.Must(t, 200, "GET", list+"?include_hidden=true", ""), want); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	s.Exchanges(t, []apitest.Exchange{
		{"a status", "PATCH", list, bulkBody(t, ids[:2], `,"status":"resolved"`), 200, `{"updated":2}`},
		{"again", "PATCH", list, bulkBody(t, ids[:2], `,"status":"resolved"`), 200, `{"updated":2}`},
		{"both, with an id in another case", "PATCH", list, bulkBody(t, []string{strings.ToUpper(ids[2])}, `,"status":"closed","hidden":true`), 200, `{"updated":1}`},
		{"other fields are ignored", "PATCH", list, bulkBody(t, ids[:1], `,"hidden":false,"result":"lost","reply":"x","rating":null`), 200, `{"updated":1}`},
		{"by a status", "GET", list + "?status=resolved", "", 200, `{"total":2}`},
		{"by its old status", "GET", list + "?status=in_progress&include_hidden=1", "", 200, `{"total":0}`},
		{"the shown ones", "GET", list, "", 200, `{"total":2}`},
		{"counts stay", "GET", feedbackTotals, "", 200, `{"count":3,"rate_count":3,"rate_avg":2}`},
	})
	expect("records", `{"total":3,"data":[{"content":"c2","status":"closed","is_hidden":true,"rating":3,"result":"kept","reply":null},
		{"content":"c1","status":"resolved","is_hidden":false,"result":"kept"},{"content":"c0","status":"resolved","rating":1,"result":"kept","reply":null}]}`)
}

func TestBulkRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	const unknown = "0198c0de-0000-7000-8000-000000000000"
	for _, kind := range []struct{ name, list, foreign, body string }{
		{"feedback", feedbackOf("app"), feedbackOf("other"), `{"content":"c"}`},
		{"log", apitest.LogsOf("app"), apitest.LogsOf("other"), `{"content":"c","level":1}`},
	} {
		a, b, foreign := create(t, s, kind.list, kind.body), create(t, s, kind.list, kind.body), create(t, s, kind.foreign, kind.body)
		many := make([]string, 101)
		for i := range many {
			many[i] = fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i)
		}
		const hide, count = `,"hidden":true`, "ids must be a list of 1 to 100 ids"
		s.Refusals(t, kind.list+"?include_hidden=true", []apitest.Refusal{
			{"an unknown id", "PATCH", kind.list, bulkBody(t, []string{a, unknown, b}, hide), 404, kind.name + " " + unknown + " not found"},
			{"an id of another project", "PATCH", kind.list, bulkBody(t, []string{a, foreign}, hide), 404, kind.name + " " + foreign + " not found"},
			{"a text", "PATCH", kind.list, bulkBody(t, []string{a, "x"}, hide), 404, kind.name + ` "x" not found`},
			{"a long text", "PATCH", kind.list, bulkBody(t, []string{a, apitest.Long(5000)}, hide), 404, "not found"},
			{"twice", "PATCH", kind.list, bulkBody(t, []string{a, b, a}, hide), 400, "ids[2] occurs twice"},
			{"twice, in another case", "PATCH", kind.list, bulkBody(t, []string{a, strings.ToUpper(a)}, hide), 400, "ids[1] occurs twice"},
			{"too many", "PATCH", kind.list, bulkBody(t, many, hide), 400, count},
			{"none", "PATCH", kind.list, `{"ids":[],"hidden":true}`, 400, count},
			{"no list", "PATCH", kind.list, `{"ids":"` + a + `","hidden":true}`, 400, count},
			{"null", "PATCH", kind.list, `{"ids":null,"hidden":true}`, 400, count},
			{"not sent", "PATCH", kind.list, `{"hidden":true}`, 400, count},
			{"a number", "PATCH", kind.list, `{"ids":[5],"hidden":true}`, 400, "ids[0] must be a string"},
			{"a null", "PATCH", kind.list, `{"ids":[null],"hidden":true}`, 400, "ids[0] must be a string"},
			{"nothing to change", "PATCH", kind.list, bulkBody(t, []string{a}, ""), 400, "hidden is required"},
			{"the name of the field of one record", "PATCH", kind.list, bulkBody(t, []string{a}, `,"is_hidden":true`), 400, "hidden is required"},
			{"a null for the visibility", "PATCH", kind.list, bulkBody(t, []string{a}, `,"hidden":null`), 400, "hidden must not be null"},
			{"a text for the visibility", "PATCH", kind.list, bulkBody(t, []string{a}, `,"hidden":"true"`), 400, "hidden must be true or false"},
			{"no project", "PATCH", strings.Replace(kind.list, "app", "none", 1), bulkBody(t, []string{a}, hide), 404, `project "none" not found`},
		})
	}
	one := create(t, s, feedbackOf("app"), `{"content":"c"}`)
	s.Refusals(t, feedbackOf("app"), []apitest.Refusal{
		{"an unknown status", "PATCH", feedbackOf("app"), bulkBody(t, []string{one}, `,"status":"lost"`), 400, "status must be one of open, in_progress, resolved, closed"},
		{"a null for the status", "PATCH", feedbackOf("app"), bulkBody(t, []string{one}, `,"status":null`), 400, "status must not be null"},
	})
	for scopes, want := range map[string]int{`["feedbacks:write","logs:write"]`: 200, `["feedbacks:read","logs:read"]`: 401} {
		key := s.Key(t, `{"name":"k","scopes":`+scopes+`}`)
		log := create(t, s, apitest.LogsOf("app"), `{"content":"c","level":1}`)
		for path, id := range map[string]string{feedbackOf("app"): one, apitest.LogsOf("app"): log} {
			if status, answer, _ := s.Do(t, "PATCH", path, key, bulkBody(t, []string{id}, `,"hidden":false`)); status != want {
				t.Errorf("%s with %s: got %d %s, want %d", path, scopes, status, answer, want)
			}
		}
	}
}

// TestUpdateLogsOfBlocks checks changes of records that lie in complete blocks and in the last one.
func TestUpdateLogsOfBlocks(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	var logs []*store.Log
	for i := range 600 {
		logs = append(logs, &store.Log{Level: i % 4, Content: fmt.Sprintf("line %03d", i)})
	}
	storeLogs(t, s, "app", logs...)
	list := apitest.LogsOf("app")
	var ids []string
	for _, l := range logs[206:306] { // records at the end of a block and at the beginning of the next one
		ids = append(ids, l.ID.String())
	}
	scattered := []string{logs[599].ID.String(), logs[0].ID.String(), logs[511].ID.String(), logs[512].ID.String()}
	s.Exchanges(t, []apitest.Exchange{
		{"adjacent logs", "PATCH", list, bulkBody(t, ids, `,"hidden":true`), 200, `{"updated":100}`},
		{"scattered logs", "PATCH", list, bulkBody(t, scattered, `,"hidden":true`), 200, `{"updated":4}`},
		{"the shown ones", "GET", list, "", 200, `{"total":496}`},
		{"all", "GET", list + "?include_hidden=1", "", 200, `{"total":600}`},
		{"a search for a hidden one", "GET", list + "?search=line+250", "", 200, `{"total":0}`},
		{"which is still found", "GET", list + "?search=line+250&include_hidden=1", "", 200, `{"total":1,"data":[{"content":"line 250","is_hidden":true,"level":2}]}`},
		{"shown again", "PATCH", list, bulkBody(t, ids[:50], `,"hidden":false`), 200, `{"updated":50}`},
		{"those, too", "GET", list + "?search=line+250", "", 200, `{"total":1}`},
		{"the shown ones after that", "GET", list, "", 200, `{"total":546}`},
	})
	for range 300 { // completes the last block, in which some records have been changed
		logs = append(logs, &store.Log{Content: "later"})
	}
	storeLogs(t, s, "app", logs[600:]...)
	s.Exchanges(t, []apitest.Exchange{{"after more logs", "GET", list, "", 200, `{"total":846}`}})
	if slices.Contains(listed(t, s.Must(t, 200, "GET", list+"?search=line+599", ""), "content"), "line 599") {
		t.Error("a log that was hidden in the last block is shown again")
	}
}
