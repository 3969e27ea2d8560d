package analytics_test

import (
	"testing"

	"svc/api/apitest"
)

func TestMetric(t *testing.T) {
	t.Parallel()
	const query = `{` + apitest.TenDays + `,"type":`
	const value, timeseries, breakdown = query + `"value","events":[`, query + `"timeseries","events":[`, query + `"breakdown","events":[`
	const open, buy = `{"name":"open","alias":"A"}`, `{"name":"buy","alias":"B"}`
	const twoDays = `{"start_time":1764547200,"end_time":1764719999,"type":"timeseries","events":[`
	const byPlan = `"group_by":{"kind":"property","key":"plan"}`
	askAnalyses(t, apitest.Example(), []analysis{
		{"a value without a formula is that of the first event", "query", value + buy + `,` + open + `]}`, `{"type":"value","values":{"A":6,"B":3},"result":3}`},
		{"an empty formula is none", "query", value + open + `],"formula":""}`, `{"result":6}`},
		{"nothing", "query", value + `{"name":"nothing","alias":"Z","measure":"count_per_user"}]}`, `{"values":{"Z":0},"result":0}`},
		{"division by zero is zero", "query", value + open + `,{"name":"none","alias":"C"}],"formula":"A / C"}`, `{"values":{"A":6,"C":0},"result":0}`},
		{"precedence", "query", value + open + `,` + buy + `],"formula":"A + B * 2"}`, `{"result":12}`},
		{"parentheses and a sign", "query", value + open + `,` + buy + `],"formula":"-(A - B) * 0.5"}`, `{"result":-1.5}`},
		{"no negative zero", "query", value + open + `],"formula":"-(A - A)"}`, `{"result":0}`},
		{"filters of the query and of the event", "query", value + `{"name":"buy","alias":"A","filters":[{"property":"amount","op":"exists"}]}],"filters":[{"property":"plan","op":"in","value":"free,pro"}]}`, `{"result":2}`},
		{"a single second", "query", `{"start_time":"1764550860","end_time":"1764550860","type":"value","events":[{"name":"view","alias":"A"}]}`, `{"start_time":1764550860,"result":1}`},
		{
			"over time, a line for each event", "query", twoDays + buy + `,{"name":"open","alias":"A","measure":"unique_users"}]}`,
			`{"type":"timeseries","series":[{"key":"B","data":[{"bucket":1764547200,"count":2},{"bucket":1764633600,"count":0}]},
			{"key":"A","data":[{"bucket":1764547200,"count":3},{"bucket":1764633600,"count":2}]}]}`,
		},
		{
			"over time, the users of the whole range", "query", twoDays + `{"name":"open","alias":"A","measure":"count_per_user"}]}`,
			`{"series":[{"key":"A","data":[{"bucket":1764547200,"count":0.75},{"bucket":1764633600,"count":0.5}]}]}`,
		},
		{
			"over time, a formula", "query", twoDays + buy + `,` + open + `],"formula":"B / A * 100"}`,
			`{"series":[{"key":"formula","data":[{"bucket":1764547200,"count":66.66666666666666},{"bucket":1764633600,"count":0}]}]}`,
		},
		{
			"by hours", "query", `{"start_time":1764547200,"end_time":1764554399,"type":"timeseries","granularity":"hour","events":[` + open + `]}`,
			`{"series":[{"key":"A","data":[{"bucket":1764547200,"count":0},{"bucket":1764550800,"count":1}]}]}`,
		},
		{
			"by local days", "query", `{"start_time":1764547200,"end_time":1764633649,"tz_offset_minutes":"-120","type":"timeseries","events":[` + open + `]}`,
			`{"series":[{"key":"A","data":[{"bucket":1764468000,"count":1},{"bucket":1764554400,"count":2}]}]}`,
		},
		{"grouped by name, whatever the first event is", "query", breakdown + `{"name":"none","alias":"A","filters":[{"property":"x","op":"exists"}]}],"group_by":{"kind":"event"}}`,
			`{"total":12,"buckets":[{"key":"open","label":"open","count":6},{"key":"buy","count":3},{"key":"view","count":3}]}`},
		{"grouped by name, the filters of the query hold", "query", breakdown + open + `],"filters":[{"property":"plan","op":"exists"}],"group_by":{"kind":"event"}}`,
			`{"total":5,"buckets":[{"key":"view","count":3},{"key":"buy","count":2}]}`},
		{"users of each value", "query", breakdown + `{"name":"view","alias":"A","measure":"unique_users"}],` + byPlan + `}`, `{"total":3,"buckets":[{"key":"free","count":2},{"key":"pro","count":1}]}`},
		{"events for each user of a value", "query", breakdown + `{"name":"open","alias":"A","measure":"count_per_user"}],` + byPlan + `}`, `{"total":1.5,"buckets":[{"key":"","label":"(not reported)","count":1.5}]}`},
		{"the limit cuts the list, not the total", "query", breakdown + buy + `],` + byPlan + `,"limit":1}`, `{"total":3,"buckets":[{"key":"","label":"(not reported)","count":1}]}`},
		{"platforms in upper case, with their labels", "query", breakdown + open + `],"group_by":{"kind":"platform","key":"not used"}}`, `{"total":6,"buckets":[{"key":"OTHERS","label":"Others","count":6}]}`},
		{"platforms of events that match", "query", breakdown + `{"name":"open","alias":"A","measure":"unique_users"}],"group_by":{"kind":"platform"}}`, `{"buckets":[{"key":"OTHERS","label":"Others","count":4}]}`},
		{"regions", "query", breakdown + open + `],"group_by":{"kind":"region"}}`, `{"buckets":[{"key":"LOCAL","label":"LOCAL","count":6}]}`},
		{"regions of events that match", "query", breakdown + open + `],"filters":[{"property":"plan","op":"not_exists"}],"group_by":{"kind":"region"}}`, `{"buckets":[{"key":"LOCAL","count":6}]}`},
		{"a breakdown applies no formula", "query", breakdown + buy + `],` + byPlan + `,"formula":"B * 100"}`, `{"total":3}`},
		{"group_by of other types is not looked at", "query", value + open + `],"group_by":7}`, `{"result":6}`},
	})
}

// TestFilters checks each filter condition on one event with the properties of the row.
func TestFilters(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0))
	s.Project(t, "app")
	s.Track(t, "app", apitest.SentEvent{"u", "", "a", apitest.Monday, `{"s":"Pro, plus 50%","n":1,"f":12.50,"b":true,"z":null,"e":"","o":{"k":[1, 2]},"a.b":"dot","t":"7"}`})
	for _, tc := range []struct {
		rule, filter string
		matches      int
	}{
		{"equal", `{"property":"s","op":"eq","value":"Pro, plus 50%"}`, 1},
		{"case counts", `{"property":"s","op":"eq","value":"pro, plus 50%"}`, 0},
		{"a number is its text", `{"property":"n","op":"eq","value":"1"}`, 1},
		{"a number of another spelling", `{"property":"n","op":"eq","value":1.0}`, 1},
		{"fractional zeros go", `{"property":"f","op":"eq","value":"12.5"}`, 1},
		{"a boolean is its text", `{"property":"b","op":"eq","value":"true"}`, 1},
		{"an object is its JSON", `{"property":"o","op":"eq","value":"{\"k\":[1,2]}"}`, 1},
		{"no value is the empty text", `{"property":"e","op":"eq"}`, 1},
		{"a list is its first entry", `{"property":"n","op":"eq","value":[1,2]}`, 1},
		{"null is missing", `{"property":"z","op":"eq","value":"null"}`, 0},
		{"missing is not equal", `{"property":"x","op":"neq","value":"1"}`, 1},
		{"not equal", `{"property":"n","op":"neq","value":1}`, 0},
		{"one of a list", `{"property":"n","op":"in","value":[3,"1"]}`, 1},
		{"one of a text with commas", `{"property":"n","op":"in","value":"3,1"}`, 1},
		{"which is not trimmed", `{"property":"n","op":"in","value":"3, 1"}`, 0},
		{"one of nothing", `{"property":"n","op":"in"}`, 0},
		{"none of nothing", `{"property":"n","op":"not_in"}`, 1},
		{"missing is none of them", `{"property":"x","op":"not_in","value":["1"]}`, 1},
		{"contains, whatever the case", `{"property":"s","op":"contains","value":"PLUS"}`, 1},
		{"percent is a character", `{"property":"s","op":"contains","value":"0%"}`, 1},
		{"so is the underscore", `{"property":"s","op":"contains","value":"pro_"}`, 0},
		{"greater", `{"property":"f","op":"gt","value":12}`, 1},
		{"as a number, not as a text", `{"property":"t","op":"lt","value":"10"}`, 1},
		{"not less than itself", `{"property":"n","op":"lt","value":1}`, 0},
		{"at most itself", `{"property":"n","op":"lte","value":1}`, 1},
		{"at least itself", `{"property":"n","op":"gte","value":"1.0"}`, 1},
		{"no number is never less", `{"property":"s","op":"lt","value":1000}`, 0},
		{"a value that is no number", `{"property":"n","op":"gt","value":"zero"}`, 0},
		{"exists", `{"property":"e","op":"exists"}`, 1},
		{"null does not", `{"property":"z","op":"exists"}`, 0},
		{"null does not exist", `{"property":"z","op":"not_exists"}`, 1},
		{"keys are exact", `{"property":"N","op":"exists"}`, 0},
		{"dots have no meaning", `{"property":"a.b","op":"eq","value":"dot"}`, 1},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			body := `{` + apitest.TenDays + `,"type":"value","events":[{"name":"a","alias":"A","filters":[` + tc.filter + `]}]}`
			answer := s.Must(t, 200, "POST", "/admin/projects/app/events/analysis/query", body)
			if got := apitest.Field[int](t, answer, "result"); got != tc.matches {
				t.Errorf("%s: got %d, want %d", tc.filter, got, tc.matches)
			}
		})
	}
}
