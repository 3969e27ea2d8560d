package analytics_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil"
)

// elevenFilters is a list with one more filter than the limit allows.
var elevenFilters = `[` + strings.Repeat(`{"property":"p","op":"exists"},`, 10) + `{"property":"p","op":"exists"}]`

// analysisRules lists request bodies, each with a part of the expected error message. An empty
// message means that the body is valid. The JSON objects lack their closing brace, so that tests
// can append fields.
var analysisRules = map[string][]struct{ body, message string }{
	"funnel": {
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}]}`, ""},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"window_seconds":"60","entry":"any"}`, ""},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"window_seconds":null,"entry":null,"start_time":null}`, ""},
		{`{}`, "steps must have 2 to 8 entries"},
		{`{"steps":[{"event_name":"a"}]}`, "steps must have 2 to 8 entries"},
		{`{"steps":[` + strings.Repeat(`{"event_name":"a"},`, 8) + `{"event_name":"a"}]}`, "steps must have at most 8 entries"},
		{`{"steps":{}}`, "steps must be a list"},
		{`{"steps":[7,{"event_name":"a"}]}`, "steps[0] must be an object"},
		{`{"steps":[{},{"event_name":""}]}`, `steps[0].event_name is required","steps[1].event_name must not be empty`},
		{`{"steps":[{"event_name":7},{"event_name":"` + strings.Repeat("n", 65) + `"}]}`, `steps[0].event_name must be a string","steps[1].event_name must have at most 64 characters`},
		{`{"steps":[{"event_name":"a","filters":` + elevenFilters + `},{"event_name":"b"}]}`, "steps[0].filters"},
		{`{"steps":[{"event_name":"a","filters":[{"property":"p","op":"like"}]},{"event_name":"b"}]}`, "steps[0].filters[0].op must be one of"},
		{`{"steps":[{"event_name":"a","filters":[{"op":"eq"}]},{"event_name":"b"}]}`, "steps[0].filters[0].property"},
		{`{"steps":[{"event_name":"a","filters":[{"property":"p","op":"eq","value":{}}]},{"event_name":"b"}]}`, "steps[0].filters[0].value"},
		{`{"steps":[{"event_name":"a","filters":7},{"event_name":"b"}]}`, "steps[0].filters"},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"window_seconds":59}`, "window_seconds must be an integer from 60 to 2592000"},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"window_seconds":2592001}`, "window_seconds must be an integer from 60 to 2592000"},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"window_seconds":"1h"}`, "window_seconds must be an integer from 60 to 2592000"},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"entry":"last"}`, "entry must be one of first, any"},
		{`{"steps":[{"event_name":"a"},{"event_name":"b"}],"entry":7}`, "entry must be one of first, any"},
	},
	"retention": {
		{`{"start_event":"a"}`, ""},
		{`{"start_event":"a","return_event":"","period":"week","periods":"30"}`, ""},
		{`{"start_event":"a","return_event":null,"period":null,"periods":null}`, ""},
		{`{}`, "start_event is required"},
		{`{"start_event":""}`, "start_event must not be empty"},
		{`{"start_event":["a"]}`, "start_event must be a string"},
		{`{"start_event":"a","return_event":"` + strings.Repeat("n", 65) + `"}`, "return_event must have at most 64 characters"},
		{`{"start_event":"a","period":"month"}`, "period must be one of day, week"},
		{`{"start_event":"a","periods":1}`, "periods must be an integer from 2 to 30"},
		{`{"start_event":"a","periods":31}`, "periods must be an integer from 2 to 30"},
		{`{"start_event":"a","start_time":0,"end_time":1727999999}`, ""},
		{`{"start_event":"a","start_time":0,"end_time":1728000000}`, "20001 cohorts, at most 20000"},
		{`{"start_event":"a","period":"week","start_time":0,"end_time":1728000000}`, ""},
		{`{"start_event":"a","period":"week","start_time":0,"end_time":99999999999}`, "cohorts, at most 20000"},
	},
	"paths": {
		{``, ""},
		{`{}`, ""},
		{`{"start_event":"","depth":"2","branch_limit":"20","scope":"user"}`, ""},
		{`{"start_event":null,"depth":null,"branch_limit":null,"scope":null}`, ""},
		{`{"start_event":"` + strings.Repeat("n", 65) + `"}`, "start_event must have at most 64 characters"},
		{`{"depth":1}`, "depth must be an integer from 2 to 6"},
		{`{"depth":7}`, "depth must be an integer from 2 to 6"},
		{`{"depth":2.5}`, "depth must be an integer from 2 to 6"},
		{`{"branch_limit":0}`, "branch_limit must be an integer from 1 to 20"},
		{`{"branch_limit":21}`, "branch_limit must be an integer from 1 to 20"},
		{`{"scope":"device"}`, "scope must be one of session, user"},
	},
	"query": {
		{`{"type":"value","events":[{"name":"a","alias":"A"}]}`, ""},
		{`{}`, `type is required","events must have 1 to 6 entries`},
		{`{"type":"table","events":[{"name":"a","alias":"A"}]}`, "type must be one of timeseries, breakdown, value"},
		{`{"type":"value","events":[]}`, "events must have 1 to 6 entries"},
		{`{"type":"value","events":[` + strings.Repeat(`{"name":"a","alias":"A"},`, 6) + `{"name":"a","alias":"B"}]}`, "events must have at most 6 entries"},
		{`{"type":"value","events":[{}]}`, `events[0].name is required","events[0].alias is required`},
		{`{"type":"value","events":[{"name":"a","alias":"a"}]}`, "events[0].alias must be one letter from A to Z"},
		{`{"type":"value","events":[{"name":"a","alias":"AB"}]}`, "events[0].alias must be one letter from A to Z"},
		{`{"type":"value","events":[{"name":"a","alias":7}]}`, "events[0].alias must be one letter from A to Z"},
		{`{"type":"value","events":[{"name":"a","alias":"A"},{"name":"b","alias":"A"}]}`, "events[1].alias must differ from those of other event"},
		{`{"type":"value","events":[{"name":"a","alias":"A","measure":"sum"}]}`, "events[0].measure must be one of count, unique_users, count_per_user"},
		{`{"type":"value","events":[{"name":"a","alias":"A","filters":[{"property":"","op":"eq"}]}]}`, "events[0].filters[0].property"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"filters":` + elevenFilters + `}`, "filters"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":"` + strings.Repeat("1", 257) + `"}`, "formula must have at most 256 characters"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":" "}`, "formula"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":7}`, "formula must be a string"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":"A / B"}`, "formula"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":"A A"}`, "formula"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":"A **2"}`, "formula"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":"(A"}`, "formula"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"formula":"1.2.3"}`, "formula"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"event"},"formula":"A +"}`, "formula"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}]}`, "group_by is required for type breakdown"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":null}`, "group_by is required for type breakdown"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":"plan"}`, "group_by must be an object"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{}}`, "group_by.kind is required"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"city"}}`, "group_by.kind must be one of property, platform, region, event"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"property","key":""}}`, "group_by.key is required for kind property"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"property","key":"` + apitest.Long(129) + `"}}`, "group_by.key must have at most 128 characters"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"event"},"limit":50}`, ""},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"event"},"limit":51}`, "limit must be an integer from 1 to 50"},
		{`{"type":"breakdown","events":[{"name":"a","alias":"A"}],"group_by":{"kind":"event"},"limit":"5"}`, "limit must be an integer from 1 to 50"},
		{`{"type":"timeseries","events":[{"name":"a","alias":"A"}],"granularity":"week"}`, "granularity must be one of hour, day"},
		{`{"type":"timeseries","events":[{"name":"a","alias":"A"}],"granularity":"hour","start_time":0,"end_time":71999999}`, ""},
		{`{"type":"timeseries","events":[{"name":"a","alias":"A"}],"granularity":"hour","start_time":0,"end_time":72000000}`, "20001 hours, at most 20000"},
		{`{"type":"timeseries","events":[{"name":"a","alias":"A"}],"start_time":0,"end_time":1728000000}`, "20001 days, at most 20000"},
		{`{"type":"value","events":[{"name":"a","alias":"A"}],"start_time":0,"end_time":9007199254740992}`, ""},
	},
}

func TestAnalysisRules(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t)
	s.Project(t, "a")
	reader := s.Key(t, `{"name":"x","scopes":["events:read"]}`)
	writer := s.Key(t, `{"name":"x","scopes":["events:write","stats:read"]}`)
	for path, rules := range analysisRules {
		good := rules[0].body
		if good == "" {
			good = `{}`
		}
		begin := strings.TrimSuffix(good, "}")
		if begin != "{" {
			begin += ","
		}
		for _, more := range []struct{ fields, message string }{
			{`"start_time":"0","end_time":"5","tz_offset_minutes":"-840"`, ""},
			{`"start_time":2,"end_time":1`, "start_time must not be after end_time"},
			{`"start_time":-1`, "start_time must be an integer of at least 0"},
			{`"start_time":1.5`, "start_time must be an integer"},
			{`"end_time":""`, "end_time must be an integer"},
			{`"end_time":true`, "end_time must be an integer"},
			{`"end_time":99999999999999999999`, "end_time must be an integer"},
			{`"tz_offset_minutes":901`, "tz_offset_minutes must be an integer from -840 to 900"},
			{`"unknown":[{}]`, ""},
		} {
			rules = append(rules, struct{ body, message string }{begin + more.fields + "}", more.message})
		}
		rules = append(rules, []struct{ body, message string }{{`{`, "not JSON"}, {`[]`, "must be a JSON object"}}...)
		address := "/admin/projects/a/events/analysis/" + path
		for i, rule := range rules {
			t.Run(fmt.Sprint(path, i), func(t *testing.T) {
				status, answer, _ := s.Do(t, "POST", address, reader, rule.body)
				if want := map[bool]int{true: 200, false: 400}[rule.message == ""]; status != want || !strings.Contains(answer, rule.message) {
					t.Errorf("%.300s: got %d %.300s, want %d with %q", rule.body, status, answer, want, rule.message)
				}
			})
		}
		if status, answer, _ := s.Do(t, "POST", address, writer, good); status != 401 || !strings.Contains(answer, "events:read") {
			t.Errorf("%s by a key without the scope: got %d %s", path, status, answer)
		}
		if status, answer, _ := s.Do(t, "POST", strings.Replace(address, "/a/", "/none/", 1), reader, good); status != 404 {
			t.Errorf("%s of no project: got %d %s", path, status, answer)
		}
	}
}
