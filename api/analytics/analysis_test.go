package analytics_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

// analysis is a request body for one of the analyses and a part of the expected response.
type analysis struct{ name, path, body, want string }

// askAnalyses runs the analyses on a project with the given events. It runs each one twice: while
// the events are in memory, and after they have been written to blocks.
func askAnalyses(t *testing.T, events []apitest.SentEvent, rows []analysis) {
	t.Helper()
	for _, place := range []string{"in memory", "in blocks"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0))
			s.Project(t, "demo")
			s.Track(t, "demo", events...)
			if place == "in blocks" {
				if err := s.Events.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			var all []apitest.Exchange
			for _, row := range rows {
				all = append(all, apitest.Exchange{row.name, "POST", "/admin/projects/demo/events/analysis/" + row.path, row.body, 200, row.want})
			}
			s.Exchanges(t, all)
		})
	}
}

// steps returns the JSON of a funnel. A row such as "open 4 1 1 0 null null" contains the event name,
// the number of users, the two conversion rates, the number of dropped users, and the two medians.
func steps(rows ...string) string {
	var list []string
	for i, row := range rows {
		f := strings.Fields(row)
		list = append(list, fmt.Sprintf(`{"step":%d,"event_name":%q,"users":%s,"conversion_rate":%s,"total_conversion_rate":%s,"dropped":%s,`+
			`"median_seconds":%s,"total_median_seconds":%s}`, i+1, f[0], f[1], f[2], f[3], f[4], f[5], f[6]))
	}
	return `{` + apitest.TenDays + `,"data":[` + strings.Join(list, ",") + `]}`
}

// edges returns the JSON of paths, with head as additional fields. A row such as "1 open view 2"
// contains the step, the two event names, and the count.
func edges(head string, rows ...string) string {
	var list []string
	for _, row := range rows {
		f := strings.Fields(row)
		list = append(list, fmt.Sprintf(`{"step":%s,"from_event":%q,"to_event":%q,"count":%s}`, f[0], f[1], f[2], f[3]))
	}
	return `{` + apitest.TenDays + `,` + head + `,"data":[` + strings.Join(list, ",") + `]}`
}

func TestWorkedExample(t *testing.T) {
	t.Parallel()
	const funnel = `{` + apitest.TenDays + `,"steps":[`
	const retention = `{"start_time":1764547200,"end_time":1764763200,"start_event":"open","periods":3`
	const value = `{` + apitest.TenDays + `,"type":"value","events":[`
	askAnalyses(t, apitest.Example(), []analysis{
		{
			"funnel open, view, buy", "funnel", funnel + `{"event_name":"open"},{"event_name":"view"},{"event_name":"buy"}],"window_seconds":604800}`,
			steps("open 4 1 1 0 null null", "view 2 0.5 0.5 2 60 60", "buy 1 0.5 0.25 1 60 120"),
		},
		{
			"funnel open, buy: the end of the window belongs to it", "funnel", funnel + `{"event_name":"open"},{"event_name":"buy"}]}`,
			steps("open 4 1 1 0 null null", "buy 3 0.75 0.75 1 120 120"),
		},
		{
			"funnel open, buy: a second less", "funnel", funnel + `{"event_name":"open"},{"event_name":"buy"}],"window_seconds":"604799"}`,
			steps("open 4 1 1 0 null null", "buy 2 0.5 0.5 2 60 60"),
		},
		{
			"funnel open, buy of plan pro", "funnel", funnel + `{"event_name":"open"},{"event_name":"buy","filters":[{"property":"plan","op":"eq","value":"pro"}]}]}`,
			steps("open 4 1 1 0 null null", "buy 1 0.25 0.25 3 120 120"),
		},
		{
			"funnel open, open needs two records", "funnel", funnel + `{"event_name":"open"},{"event_name":"open"}]}`,
			steps("open 4 1 1 0 null null", "open 2 0.5 0.5 2 86400 86400"),
		},
		{
			"funnel of nobody", "funnel", funnel + `{"event_name":"nothing"},{"event_name":"buy"}]}`,
			steps("nothing 0 0 0 0 null null", "buy 0 0 0 0 null null"),
		},
		{
			"funnel from any entry", "funnel", funnel + `{"event_name":"open"},{"event_name":"buy"}],"window_seconds":60,"entry":"any"}`,
			steps("open 4 1 1 0 null null", "buy 1 0.25 0.25 3 60 60"),
		},
		{
			"retention of open, any return", "retention", retention + `}`,
			`{"start_time":1764547200,"end_time":1764763200,"period":"day","periods":3,"cohorts":[
			{"cohort":1764547200,"size":3,"cells":[{"period":0,"users":3,"rate":1},{"period":1,"users":1,"rate":0.3333333333333333},{"period":2,"users":1,"rate":0.3333333333333333}]},
			{"cohort":1764633600,"size":1,"cells":[{"period":0,"users":1,"rate":1},null,null]},
			{"cohort":1764720000,"size":0,"cells":[{"period":0,"users":0,"rate":0},null,null]}]}`,
		},
		{
			"retention of open, return by buy", "retention", retention + `,"return_event":"buy"}`,
			`{"cohorts":[
			{"cohort":1764547200,"size":3,"cells":[{"period":0,"users":2,"rate":0.6666666666666666},{"period":1,"users":0,"rate":0},null]},
			{"cohort":1764633600,"size":1,"cells":[{"period":0,"users":0,"rate":0},null,null]},
			{"cohort":1764720000,"size":0,"cells":[{"period":0,"users":0,"rate":0},null,null]}]}`,
		},
		{
			"retention by weeks, from Monday", "retention", `{` + apitest.TenDays + `,"start_event":"open","period":"week","periods":"2"}`,
			`{"period":"week","periods":2,"cohorts":[
			{"cohort":1764547200,"size":4,"cells":[{"period":0,"users":4,"rate":1},{"period":1,"users":1,"rate":0.25}]},
			{"cohort":1765152000,"size":0,"cells":[{"period":0,"users":0,"rate":0},null]}]}`,
		},
		{
			"paths of sessions", "paths", `{` + apitest.TenDays + `,"depth":3}`,
			edges(`"scope":"session","depth":3,"truncated":false`, "1 open view 2", "1 open buy 1", "1 view open 1", "2 open buy 1", "2 view buy 1"),
		},
		{
			"paths with one branch a step", "paths", `{` + apitest.TenDays + `,"depth":3,"branch_limit":1}`,
			edges(`"truncated":true`, "1 open view 2", "1 (other) (other) 2", "2 open buy 1", "2 (other) (other) 1"),
		},
		{
			"paths from open", "paths", `{` + apitest.TenDays + `,"depth":"3","start_event":"open"}`,
			edges(`"depth":3`, "1 open buy 2", "1 open view 2", "2 view buy 1"),
		},
		{
			"paths of users", "paths", `{` + apitest.TenDays + `,"scope":"user"}`,
			edges(`"scope":"user","depth":4`, "1 open view 2", "1 open buy 1", "1 view open 1", "2 open buy 1", "2 view buy 1", "2 view open 1", "3 buy open 1"),
		},
		{
			"a formula of two numbers of users", "query",
			value + `{"name":"buy","alias":"A","measure":"unique_users"},{"name":"open","alias":"B","measure":"unique_users"}],"formula":"A / B * 100"}`,
			`{` + apitest.TenDays + `,"type":"value","values":{"A":3,"B":4},"result":75}`,
		},
		{"events for each user", "query", value + `{"name":"open","alias":"A","measure":"count_per_user"}]}`, `{"values":{"A":1.5},"result":1.5}`},
		{"a number in a text is a number", "query", value + `{"name":"buy","alias":"A","filters":[{"property":"amount","op":"gt","value":10}]}]}`, `{"result":2}`},
		{"what is missing is not equal", "query", value + `{"name":"buy","alias":"A","filters":[{"property":"plan","op":"neq","value":"pro"}]}]}`, `{"result":2}`},
		{
			"breakdown by a property", "query", `{` + apitest.TenDays + `,"type":"breakdown","events":[{"name":"buy","alias":"A"}],"group_by":{"kind":"property","key":"plan"}}`,
			`{` + apitest.TenDays + `,"type":"breakdown","total":3,"buckets":[{"key":"","label":"(not reported)","count":1},{"key":"free","label":"free","count":1},{"key":"pro","label":"pro","count":1}]}`,
		},
	})
}
