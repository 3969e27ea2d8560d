package analytics_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

func TestDefinitions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.Decades())
	s.Project(t, "demo")
	s.Project(t, "other")
	s.Track(t, "demo", apitest.Example()...)
	const list = "/admin/projects/demo/events/definitions"
	ids := map[string]string{}
	for _, d := range apitest.Field[[]struct {
		ID   string `json:"event_definition_id"`
		Name string `json:"name"`
	}](t, s.Must(t, 200, "GET", list, ""), "data") {
		ids[d.Name] = d.ID
	}
	const open = `"project_key":"demo","name":"open","first_seen_time":1764550800,"last_seen_time":1764720100`
	one := list + "/" + ids["open"]
	s.Exchanges(t, []apitest.Exchange{
		{
			"made by events, the last seen first", "GET", list + "?" + apitest.Within(apitest.Monday, apitest.Monday+24*apitest.Hour-1), "", 200,
			`{"total":3,"data":[
			{"name":"buy","first_seen_time":1764550920,"last_seen_time":1765238450,"range_count":2,"display_name":null,"description":null,"archived":false},
			{` + open + `,"range_count":3},{"name":"view","range_count":3}]}`,
		},
		{"the first and the last hour count whole", "GET", list + "?search=open&" + apitest.Within(apitest.Monday+2*apitest.Hour-1, apitest.Monday+2*apitest.Hour), "", 200, `{"data":[{"range_count":3}]}`},
		{"without a range it is the last week", "GET", list + "?search=open", "", 200, `{"data":[{"range_count":0}]}`},
		{"the range selects nothing", "GET", list + "?" + apitest.Within(0, 1), "", 200, `{"total":3}`},
		{"a page", "GET", list + "?limit=1&offset=1", "", 200, `{"total":3,"data":[{"name":"open"}]}`},
		{"beyond the end", "GET", list + "?offset=3", "", 200, `{"total":3,"data":[]}`},
		{"empty is not sent", "GET", list + "?limit=&offset=&search=&include_archived=&start_time=&end_time=", "", 200, `{"total":3}`},
		{"described", "PATCH", one, `{"display_name":"Opened","description":"The ÄPP is open","name":"x","range_count":7}`, 200,
			`{"event_definition_id":"` + ids["open"] + `",` + open + `,"display_name":"Opened","description":"The ÄPP is open","archived":false,"range_count":0}`},
		{"nothing sent", "PATCH", one, ``, 200, `{"display_name":"Opened","description":"The ÄPP is open"}`},
		{"found by its name", "GET", list + "?search=PE", "", 200, `{"total":1,"data":[{"name":"open"}]}`},
		{"by its display name", "GET", list + "?search=OPENED", "", 200, `{"total":1}`},
		{"by its description, in any case", "GET", list + "?search=%20%C3%A4pp%20", "", 200, `{"total":1,"data":[{"display_name":"Opened"}]}`},
		{"not found", "GET", list + "?search=%25", "", 200, `{"total":0,"data":[]}`},
		{"null clears", "PATCH", one, `{"display_name":null,"description":null}`, 200, `{"display_name":null,"description":null}`},
		{"as long as may be", "PATCH", one, `{"display_name":"` + apitest.Long(128) + `","description":"` + apitest.Long(512) + `"}`, 200, `{"display_name":"` + apitest.Long(128) + `"}`},
		{"archived", "PATCH", one, `{"archived":true}`, 200, `{"archived":true,"display_name":"` + apitest.Long(128) + `"}`},
		{"left out of the list", "GET", list, "", 200, `{"total":2,"data":[{"name":"buy"},{"name":"view"}]}`},
		{"unless asked for", "GET", list + "?include_archived=1", "", 200, `{"total":3}`},
		{"its events are taken all the same", "POST", "/public/demo/events", `{"distinct_id":"u","events":[{"event_id":"new","name":"open"}]}`, 202, `{"accepted":1}`},
		{"and do not bring it back", "GET", list, "", 200, `{"total":2}`},
		{"but are counted", "GET", list + "?include_archived=true", "", 200, `{"data":[{"name":"open","archived":true,"range_count":1},{},{}]}`},
		{"deleted", "DELETE", one, "", 200, `{"success":true}`},
		{"gone", "GET", list + "?include_archived=true", "", 200, `{"total":2}`},
		{"not twice", "DELETE", one, "", 404, `{"message":"event definition not found"}`},
		{"counts stay", "GET", "/admin/projects/demo/events/stats/breakdown?" + apitest.Within(apitest.Monday, apitest.Monday+10*24*apitest.Hour), "", 200, `{"data":[{"key":"open","count":6},{"key":"buy"},{"key":"view"}]}`},
		{"the next event makes it anew", "POST", "/public/demo/events", `{"distinct_id":"u","events":[{"event_id":"newer","name":"open"}]}`, 202, `{"accepted":1}`},
		{"as a new one", "GET", list, "", 200, `{"total":3,"data":[{"name":"open","display_name":null,"archived":false},{},{}]}`},
	})
	foreign := "/admin/projects/other/events/definitions/" + ids["view"]
	var rows []apitest.Refusal
	for path, message := range map[string]string{
		"?limit=0":                     "limit must be an integer from 1 to 200",
		"?limit=201":                   "limit must be an integer from 1 to 200",
		"?limit=1.5":                   "limit must be an integer from 1 to 200",
		"?offset=-1":                   "offset must be an integer",
		"?search=" + apitest.Long(129): "search must have at most 128 characters",
		"?include_archived=yes":        "include_archived must be true, 1, false or 0",
		"?start_time=2&end_time=1":     "start_time must not be after end_time",
	} {
		rows = append(rows, apitest.Refusal{fmt.Sprintf("%.30s", path), "GET", list + path, "", 400, message})
	}
	view := list + "/" + ids["view"]
	rows = append(rows, []apitest.Refusal{
		{"a long display name", "PATCH", view, `{"display_name":"` + apitest.Long(129) + `"}`, 400, "display_name must have at most 128 characters"},
		{"a long description", "PATCH", view, `{"description":"` + apitest.Long(513) + `"}`, 400, "description must have at most 512 characters"},
		{"neither archived nor not", "PATCH", view, `{"archived":null}`, 400, "archived must not be null"},
		{"archived by a text", "PATCH", view, `{"archived":"true"}`, 400, "archived must be true or false"},
		{"a number as a name", "PATCH", view, `{"display_name":7}`, 400, "display_name must be a string"},
		{"no JSON", "PATCH", view, `{`, 400, "not JSON"},
		{"another project's, changed", "PATCH", foreign, `{"archived":true}`, 404, "event definition not found"},
		{"another project's, deleted", "DELETE", foreign, "", 404, "event definition not found"},
		{"an id that is none", "PATCH", list + "/x", `{}`, 404, "event definition not found"},
		{"a list of no project", "GET", "/admin/projects/none/events/definitions", "", 404, `project "none" not found`},
		{"a change in no project", "PATCH", "/admin/projects/none/events/definitions/x", `{}`, 404, `project "none" not found`},
		{"a deletion in no project", "DELETE", "/admin/projects/none/events/definitions/x", "", 404, `project "none" not found`},
		{"there is no creation", "POST", list, `{"name":"x"}`, 404, "no such path or method"},
	}...)
	s.Refusals(t, list+"?include_archived=1&end_time=1764547200", rows)
}

// TestReadDefinition checks that reading a definition returns the same data as updating it.
func TestReadDefinition(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const all = "/admin/projects/app/events/definitions"
	s.Project(t, "app")
	s.Project(t, "other")
	s.Must(t, 404, "GET", all+"/nothing", "")
	s.Must(t, 202, "POST", "/public/app/events", `{"distinct_id":"me","events":[{"event_id":"1","name":"open"}]}`)
	list := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", all, ""), "data")
	one := all + "/" + list[0]["event_definition_id"].(string)
	changed := s.Must(t, 200, "PATCH", one, `{"display_name":"Openings"}`)
	if got := s.Must(t, 200, "GET", one, ""); got != changed {
		t.Errorf("got %s, want %s", got, changed)
	}
	s.Must(t, 404, "GET", strings.Replace(one, "/app/", "/other/", 1), "")
	s.Must(t, 200, "DELETE", one, "")
	s.Must(t, 404, "GET", one, "")
}
