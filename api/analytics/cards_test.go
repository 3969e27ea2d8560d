package analytics_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

func TestCards(t *testing.T) {
	t.Parallel()
	at, stopped := frozen()
	s := apitest.NewServer(t, stopped)
	s.Project(t, "app")
	s.Project(t, "other")
	// A query is returned unchanged: its fields keep their order, and unknown fields are kept.
	const query = `{"formula":"A / B * 100","type":"value","unknown":[1.0],"events":[{"name":"buy","alias":"A","measure":"unique_users"},{"name":"open","alias":"B"}]}`
	first := s.Must(t, 201, "POST", apitest.Cards, `{"title":"Checkout rate","description":"d","query":`+query+`,"layout":{"w":6,"h":[2]},"sort_order":2,"card_id":"x","created_time":1}`)
	want := fmt.Sprintf(`{"card_id":%q,"project_key":"app","title":"Checkout rate","description":"d","query":%s,"layout":{"w":6,"h":[2]},"sort_order":2,"created_time":%d,"updated_time":%[3]d}`,
		apitest.Field[string](t, first, "card_id"), query, at.Unix())
	if first != want {
		t.Errorf("got  %s\nwant %s", first, want)
	}
	one := apitest.Cards + "/" + apitest.Field[string](t, first, "card_id")
	s.Exchanges(t, []apitest.Exchange{
		{
			"as little as may be",
			"POST",
			apitest.Cards,
			`{"title":"b","query":` + apitest.Openings + `}`,
			201,
			`{"title":"b","description":null,"layout":null,"sort_order":0}`,
		},
		{
			"null at creation is not sent",
			"POST",
			apitest.Cards,
			`{"title":"c","description":null,"query":` + apitest.Openings + `,"layout":null,"sort_order":null}`,
			201,
			`{"description":null,"layout":null,"sort_order":0}`,
		},
		{
			"as much as may be",
			"POST",
			apitest.Cards,
			`{"title":"` + apitest.Long(128) + `","description":"` + apitest.Long(512) + `","query":` + apitest.Openings + `,"sort_order":9007199254740992}`,
			201,
			`{"sort_order":9007199254740992}`,
		},
		{"by order, then by age", "GET", apitest.Cards, "", 200, `{"total":4,"data":[{"title":"b"},{"title":"c"},` + want + `,{"sort_order":9007199254740992}]}`},
		{"nothing sent", "PATCH", one, ``, 200, want},
		{"one field", "PATCH", one, `{"title":"Rate"}`, 200, `{"title":"Rate","description":"d","query":` + query + `,"layout":{"w":6,"h":[2]},"sort_order":2}`},
		{"null clears", "PATCH", one, `{"description":null,"layout":null}`, 200, `{"title":"Rate","description":null,"layout":null}`},
		{"another query", "PATCH", one, `{"query":` + apitest.Openings + `,"sort_order":0}`, 200, `{"query":` + apitest.Openings + `,"sort_order":0}`},
		{"the oldest of the same order is first", "GET", apitest.Cards, "", 200, `{"data":[{"title":"Rate"},{"title":"b"},{"title":"c"},{}]}`},
		{"deleted", "DELETE", one, "", 200, `{"success":true}`},
		{"gone", "GET", apitest.Cards, "", 200, `{"total":3,"data":[{"title":"b"},{"title":"c"},{}]}`},
		{"not twice", "DELETE", one, "", 404, `{"message":"card not found"}`},
		{"cards are those of a project", "GET", "/admin/projects/other/events/dashboards/cards", "", 200, `{"total":0,"data":[]}`},
		{"renamed with it", "PATCH", "/admin/projects/app", `{"project_key":"new"}`, 200, ""},
		{"they move", "GET", "/admin/projects/new/events/dashboards/cards", "", 200, `{"total":3,"data":[{"project_key":"new"},{},{}]}`},
	})
}

// TestCardTimes checks that only an update changes updated_time.
func TestCardTimes(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	made := s.Must(t, 201, "POST", apitest.Cards, `{"title":"a","query":`+apitest.Openings+`}`)
	created := apitest.Field[int64](t, made, "created_time")
	s.Clock.Advance(time.Minute)
	changed := s.Must(t, 200, "PATCH", apitest.Cards+"/"+apitest.Field[string](t, made, "card_id"), `{"title":"b"}`)
	if got := apitest.Field[int64](t, changed, "updated_time"); got < created+60 || apitest.Field[int64](t, changed, "created_time") != created {
		t.Errorf("made at %d, changed a minute later: %s", created, changed)
	}
}

// TestBlankCardTitle checks that a title must have at least one character and that a single space
// is valid.
func TestBlankCardTitle(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	card := s.Must(t, 201, "POST", apitest.Cards, `{"title":" ","query":`+apitest.Openings+`}`)
	if got := apitest.Field[string](t, card, "title"); got != " " {
		t.Errorf("got the title %q, want one blank", got)
	}
}

func TestCardRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	one := apitest.Cards + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", apitest.Cards, `{"title":"kept","query":`+apitest.Openings+`}`), "card_id")
	foreign := apitest.Cards + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", "/admin/projects/other/events/dashboards/cards", `{"title":"foreign","query":`+apitest.Openings+`}`), "card_id")
	var rows []apitest.Refusal
	for _, bad := range []struct{ fields, message string }{
		{`"title":""`, "title must not be empty"},
		{`"title":"` + apitest.Long(129) + `"`, "title must have at most 128 characters"},
		{`"title":7`, "title must be a string"},
		{`"description":"` + apitest.Long(513) + `"`, "description must have at most 512 characters"},
		{`"layout":[]`, "layout must be a JSON object"},
		{`"sort_order":-1`, "sort_order must be an integer from 0"},
		{`"sort_order":"1"`, "sort_order must be an integer"},
		{`"query":"open"`, "query must be a JSON object"},
		{`"query":{}`, "query.type is required; query.events must have 1 to 6 entries"},
		{`"query":{"type":"value","events":[{"name":"open","alias":"A"}],"formula":"A / B"}`, "query.formula"},
		{`"query":{"type":"breakdown","events":[{"name":"open","alias":"A"}]}`, "query.group_by is required"},
		{`"query":{"type":"value","events":[{"name":"open","alias":"A","filters":[{"property":"p","op":"like"}]}]}`, "query.events[0].filters[0].op must be one of"},
		{`"query":{"type":"value","events":[{"name":"open","alias":"A"}],"start_time":2,"end_time":1}`, "query.start_time must not be after end_time"},
	} {
		rows = append(rows,
			apitest.Refusal{"creation with " + bad.fields[:min(40, len(bad.fields))], "POST", apitest.Cards, `{"title":"a","query":` + apitest.Openings + `,` + bad.fields + `}`, 400, bad.message},
			apitest.Refusal{"change of " + bad.fields[:min(40, len(bad.fields))], "PATCH", one, `{` + bad.fields + `}`, 400, bad.message})
	}
	rows = append(rows, []apitest.Refusal{
		{"nothing", "POST", apitest.Cards, ``, 400, "title is required; query is required"},
		{"null for what is required", "POST", apitest.Cards, `{"title":null,"query":null}`, 400, "title is required; query is required"},
		{
			"null for what cannot be empty",
			"PATCH",
			one,
			`{"title":null,"query":null,"sort_order":null}`,
			400,
			"title must not be null; query must not be null; sort_order must not be null",
		},
		{"no JSON", "POST", apitest.Cards, `{`, 400, "not JSON"},
		{"no JSON in a change", "PATCH", one, `[]`, 400, "must be a JSON object"},
		{"another project's, changed", "PATCH", foreign, `{"title":"x"}`, 404, "card not found"},
		{"another project's, deleted", "DELETE", foreign, "", 404, "card not found"},
		{"an id that is none", "DELETE", apitest.Cards + "/1", "", 404, "card not found"},
		{"an id that is none, changed", "PATCH", apitest.Cards + "/" + url.PathEscape("a/b"), "{}", 404, "card not found"},
		{"a list of no project", "GET", "/admin/projects/none/events/dashboards/cards", "", 404, `project "none" not found`},
		{
			"a card in no project",
			"POST",
			"/admin/projects/none/events/dashboards/cards",
			`{"title":"a","query":` + apitest.Openings + `}`,
			404,
			`project "none" not found`,
		},
	}...)
	s.Refusals(t, apitest.Cards, rows)
}

// TestReadCard checks that reading a card returns the same data as creating it.
func TestReadCard(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const all = "/admin/projects/app/events/dashboards/cards"
	s.Project(t, "app")
	s.Project(t, "other")
	made := s.Must(t, 201, "POST", all, `{"title":"t","query":{"type":"value","events":[{"name":"open","alias":"A"}]}}`)
	one := all + "/" + apitest.Field[string](t, made, "card_id")
	if got := s.Must(t, 200, "GET", one, ""); got != made {
		t.Errorf("got %s, want %s", got, made)
	}
	s.Must(t, 404, "GET", all+"/nothing", "")
	s.Must(t, 404, "GET", strings.Replace(one, "/app/", "/other/", 1), "")
}
