package analytics_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
)

// stored returns the response of GET events/me.
func stored(t testing.TB, s *apitest.Server, project, subject string) string {
	t.Helper()
	headers := map[string]string{"X-Forwarded-For": apitest.Stranger()}
	status, answer, _ := s.Send(t, "GET", "/api/v1/public/"+project+"/events/me?distinct_id="+subject, headers, "")
	if status != http.StatusOK {
		t.Fatalf("events of %s: got %d %s", subject, status, answer)
	}
	return answer
}

// names returns the names and IDs of stored events, in the form "name/id".
func names(t testing.TB, stored string) string {
	t.Helper()
	var v struct {
		Total int
		Data  []struct {
			Name string `json:"event_name"`
			ID   string `json:"event_id"`
		}
	}
	if err := json.Unmarshal([]byte(stored), &v); err != nil || v.Total != len(v.Data) {
		t.Fatalf("%v in %s", err, stored)
	}
	var words []string
	for _, e := range v.Data {
		words = append(words, e.Name+"/"+e.ID)
	}
	return strings.Join(words, " ")
}

// TestIngestion sends the bodies of each row to a new project, in order. It checks the last
// response and the stored events of the sender "u".
func TestIngestion(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	batch := func(events ...string) string {
		return `{"distinct_id":"u","events":[` + strings.Join(events, ",") + `]}`
	}
	const one = `{"event_id":"1","name":"a"}`
	for i, tc := range []struct {
		rule   string
		bodies []string
		want   string
		stored string
	}{
		{"an event", []string{batch(one)}, `{"accepted":1,"skipped":0,"suppressed":false}`, "a/1"},
		{"rejected is left out when nothing is", []string{batch(one)}, `{"accepted":1,"skipped":0,"suppressed":false}`, "a/1"},
		{
			"names are trimmed and put in lower case",
			[]string{batch(`{"event_id":"1","name":" Export_Started\n"}`)},
			`{"accepted":1,"skipped":0,"suppressed":false}`,
			"export_started/1",
		},
		{"all characters of a name", []string{batch(`{"event_id":"1","name":"az09_.:-"}`)}, `{"accepted":1,"skipped":0,"suppressed":false}`, "az09_.:-/1"},
		{
			"a name of 64",
			[]string{batch(`{"event_id":"1","name":"` + strings.Repeat("n", 64) + `"}`)},
			`{"accepted":1,"skipped":0,"suppressed":false}`,
			strings.Repeat("n", 64) + "/1",
		},
		{
			"an unusable name is skipped, the others are stored",
			[]string{batch(`{"event_id":"1","name":"two words"}`, `{"event_id":"2","name":"b"}`)},
			`{"accepted":1,"skipped":1,"suppressed":false}`,
			"b/2",
		},
		{
			"no usable name is no error",
			[]string{batch(`{"event_id":"1","name":"(other)"}`, `{"event_id":"2","name":"ä"}`)},
			`{"accepted":0,"skipped":2,"suppressed":false}`,
			"",
		},
		{"a blank name is unusable", []string{batch(`{"event_id":"1","name":"  "}`)}, `{"accepted":0,"skipped":1,"suppressed":false}`, ""},
		{"an id twice in a batch: the first wins", []string{batch(one, `{"event_id":"1","name":"b"}`)}, `{"accepted":1,"skipped":1,"suppressed":false}`, "a/1"},
		{
			"an id that is known is skipped",
			[]string{batch(one), batch(`{"event_id":"1","name":"b","occurred_at":5}`, `{"event_id":"2","name":"c"}`)},
			`{"accepted":1,"skipped":1,"suppressed":false}`,
			"a/1 c/2",
		},
		{"a whole batch again", []string{batch(one), batch(one)}, `{"accepted":0,"skipped":1,"suppressed":false}`, "a/1"},
		{
			"ids are those of the project, whoever sends them",
			[]string{`{"distinct_id":"other","session_id":"s","events":[` + one + `]}`, batch(one)},
			`{"accepted":0,"skipped":1,"suppressed":false}`,
			"",
		},
		{
			"ids are case-sensitive",
			[]string{batch(`{"event_id":"a","name":"a"}`), batch(`{"event_id":"A","name":"a"}`)},
			`{"accepted":1,"skipped":0,"suppressed":false}`,
			"a/a a/A",
		},
		{"an unusable name does not take its id", []string{batch(`{"event_id":"1","name":"?"}`), batch(one)}, `{"accepted":1,"skipped":0,"suppressed":false}`, "a/1"},
		{"faulty events are rejected alone", []string{batch(one, `{"name":"b"}`, `7`, `{"event_id":"4","name":"d"}`)},
			`{"accepted":2,"skipped":2,"suppressed":false,"rejected":[{"index":1},{"index":2}]}`, "a/1 d/4"},
		{
			"rejected, skipped and stored",
			[]string{batch(`{"event_id":"","name":"b"}`, `{"event_id":"2","name":"?"}`, one)},
			`{"accepted":1,"skipped":2,"rejected":[{"index":0}]}`,
			"a/1",
		},
		{
			"rejected beside unusable names only",
			[]string{batch(`{"name":"b"}`, `{"event_id":"2","name":"?"}`)},
			`{"accepted":0,"skipped":2,"rejected":[{"index":0}]}`,
			"",
		},
		{
			"unknown fields are ignored",
			[]string{`{"distinct_id":"u","foo":[{}],"events":[{"event_id":"1","name":"a","foo":null}]}`},
			`{"accepted":1,"skipped":0}`,
			"a/1",
		},
		{
			"null is not sent",
			[]string{`{"distinct_id":"u","session_id":null,"platform":null,"platform_version":null,"client_time":null,"events":[{"event_id":"1","name":"a","occurred_at":null,"properties":null}]}`},
			`{"accepted":1}`,
			"a/1",
		},
		{"50 events", []string{batch(many(50)...)}, `{"accepted":50,"skipped":0}`, ""},
		{
			"128 characters of all ids",
			[]string{`{"distinct_id":"` + apitest.Long(128) + `","session_id":"` + apitest.Long(128) + `","events":[{"event_id":"` + apitest.Long(128) + `","name":"a"}]}`},
			`{"accepted":1,"skipped":0}`,
			"",
		},
		{"a time that is as good as an integer", []string{batch(`{"event_id":"1","name":"a","occurred_at":5.0}`)}, `{"accepted":1}`, "a/1"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprint("p", i)
			s.Project(t, project)
			var status int
			var answer string
			for _, body := range tc.bodies {
				status, answer, _ = s.Do(t, "POST", "/public/"+project+"/events", "", body)
			}
			if why := apitest.CompareJSON(t, answer, tc.want); status != 202 || why != "" {
				t.Fatalf("got %d %s, want 202 %s: %s", status, answer, tc.want, why)
			}
			if strings.Contains(answer, "rejected") != strings.Contains(tc.want, "rejected") {
				t.Errorf("got %s, want %s", answer, tc.want)
			}
			if got := names(t, stored(t, s, project, "u")); got != tc.stored && !strings.Contains(tc.rule, "50") {
				t.Errorf("stored: got %q, want %q", got, tc.stored)
			}
		})
	}
}

// many returns the JSON of n events.
func many(n int) (events []string) {
	for i := range n {
		events = append(events, fmt.Sprintf(`{"event_id":"%d","name":"a"}`, i))
	}
	return events
}

// TestIngestionRefusals checks which batches are rejected without storing anything.
func TestIngestionRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	const public, none = "/public/app/events", "/public/none/events"
	good := `{"event_id":"1","name":"a"}`
	var rows []apitest.Refusal
	for _, bad := range []struct{ body, message string }{
		{``, "distinct_id is required; events is required"},
		{`{"distinct_id":null,"events":null}`, "distinct_id is required; events is required"},
		{`{"distinct_id":"","events":[` + good + `]}`, "distinct_id must have 1 to 128 characters"},
		{`{"distinct_id":"` + apitest.Long(129) + `","events":[` + good + `]}`, "distinct_id must have 1 to 128 characters"},
		{`{"distinct_id":7,"events":[` + good + `]}`, "distinct_id must be a string"},
		{`{"distinct_id":"u","session_id":"` + apitest.Long(129) + `","events":[` + good + `]}`, "session_id must have at most 128 characters"},
		{`{"distinct_id":"u","session_id":7,"events":[` + good + `]}`, "session_id must be a string"},
		{`{"distinct_id":"u","events":[]}`, "events must have 1 to 50"},
		{`{"distinct_id":"u","events":{}}`, "events must be a list"},
		{`{"distinct_id":"u","events":[` + strings.Join(many(51), ",") + `]}`, "events must have 1 to 50"},
		{`{"distinct_id":"u","events":[{"name":"a"}]}`, "events[0].event_id"},
		{`{"distinct_id":"u","events":[{"event_id":"","name":"a"}]}`, "events[0].event_id"},
		{`{"distinct_id":"u","events":[{"event_id":"` + apitest.Long(129) + `","name":"a"}]}`, "events[0].event_id must have 1 to 128 characters"},
		{`{"distinct_id":"u","events":[{"event_id":"1"}]}`, "events[0].name"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":""}]}`, "events[0].name"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":"` + strings.Repeat(" ", 64) + `a"}]}`, "events[0].name must have 1 to 64 characters"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":"a","occurred_at":1.5}]}`, "events[0].occurred_at must be an integer"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":"a","occurred_at":"5"}]}`, "events[0].occurred_at must be an integer"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":"a","occurred_at":-1}]}`, "events[0].occurred_at must be an integer"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":"a","properties":[]}]}`, "events[0].properties must be a JSON object"},
		{`{"distinct_id":"u","events":[{"event_id":"1","name":"a","properties":"x"}]}`, "events[0].properties must be a JSON object"},
		{
			`{"distinct_id":"u","events":[{"event_id":"1","name":"a","properties":` + strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101) + `}]}`,
			"events[0].properties must be a JSON object of at most 100 levels",
		},
		{`{"distinct_id":"u","events":[7,"x",null]}`, "events[0] must be an object; events[1] must be an object; events[2] must be an object"},
		{`{"distinct_id":"u"`, "not JSON"},
		{`[]`, "must be a JSON object"},
		{`null`, "must be a JSON object"},
		{"{\"distinct_id\":\"\xc3\"}", "UTF-8"},
	} {
		rows = append(rows, apitest.Refusal{fmt.Sprintf("%.60q", bad.body), "POST", public, bad.body, 400, bad.message})
	}
	rows = append(rows,
		apitest.Refusal{"a project that there is not", "POST", none, `{"distinct_id":"u","events":[` + good + `]}`, 404, `project "none" not found`},
		apitest.Refusal{"broken rules are told before that", "POST", none, `{}`, 400, "distinct_id is required"},
	)
	s.Refusals(t, "/admin/projects/app/events/definitions", rows)
	if got := names(t, stored(t, s, "app", "u")); got != "" {
		t.Errorf("stored: %s", got)
	}
}

// TestIngestionMessages checks that a message about the whole body is a string and that a message
// about fields is a list.
func TestIngestionMessages(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for body, want := range map[string]string{
		`{`:  `"message":"the request body is not JSON`,
		`[]`: `"message":"the request body must be a JSON object"`,
		`{}`: `"message":["distinct_id is required"`,
	} {
		if _, answer, _ := s.Do(t, "POST", "/public/app/events", "", body); !strings.Contains(answer, want) {
			t.Errorf("%s: got %s, want %s", body, answer, want)
		}
	}
}

func TestIngestionThroughAlias(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "old")
	s.Must(t, 200, "PATCH", "/admin/projects/old", `{"project_key":"new"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"by the former key", "POST", "/public/%20OLD/events", `{"distinct_id":"u","events":[{"event_id":"1","name":"a"}]}`, 202, `{"accepted":1}`},
		{"by the present one", "POST", "/public/new/events", `{"distinct_id":"u","events":[{"event_id":"1","name":"a"}]}`, 202, `{"accepted":0,"skipped":1}`},
		{"it is one project", "GET", "/admin/projects/old/events/definitions", "", 200, `{"total":1,"data":[{"project_key":"new","name":"a"}]}`},
	})
}

// TestBatchLimit checks that the maximum size of a batch can be configured.
func TestBatchLimit(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.EventBatchMax = 2 }))
	s.Project(t, "app")
	body := func(n int) string {
		return `{"distinct_id":"u","events":[` + strings.Join(many(n), ",") + `]}`
	}
	s.Exchanges(t, []apitest.Exchange{
		{"as many", "POST", "/public/app/events", body(2), 202, `{"accepted":2}`},
		{"one more", "POST", "/public/app/events", body(3), 400, `{"message":["events must have 1 to 2 entries"]}`},
	})
}

// TestIngestionLimit checks that ingestion is rate limited like other submissions, and that every
// response contains the rate limit headers.
func TestIngestionLimit(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(2))
	s.Project(t, "app")
	for i, want := range []int{202, 400, 429} {
		body := []string{`{"distinct_id":"u","events":[{"event_id":"1","name":"a"}]}`, `{`, `{`}[i]
		status, answer, header := s.Do(t, "POST", "/public/app/events", "", body)
		if status != want || header.Get("X-RateLimit-Limit") != "2" || header.Get("X-RateLimit-Reset") == "" || (header.Get("Retry-After") != "") != (want == 429) {
			t.Errorf("request %d: got %d %s, header %v, want %d", i+1, status, answer, header, want)
		}
	}
}

// TestNamesFull checks that all senders of a project share one limit on the number of event names.
// Events with existing names must still be stored after the limit is reached.
func TestNamesFull(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	batch := func(names ...string) string {
		list := make([]string, len(names))
		for i, name := range names {
			list[i] = fmt.Sprintf(`{"event_id":"%s %s","name":%q}`, names[0], name, name)
		}
		return `{"distinct_id":"u","events":[` + strings.Join(list, ",") + `]}`
	}
	for i := range 40 {
		names := make([]string, 50)
		for k := range names {
			names[k] = fmt.Sprintf("n%d.%d", i, k)
		}
		if answer := s.Must(t, 202, "POST", "/public/app/events", batch(names...)); strings.Contains(answer, "names_full") {
			t.Fatalf("batch %d of 40: got %s", i+1, answer)
		}
	}
	s.Exchanges(t, []apitest.Exchange{
		{"one name more", "POST", "/public/app/events", batch("new", "n0.0", "newer"), 202, `{"accepted":1,"skipped":2,"suppressed":false,"names_full":true}`},
		{"none that is new", "POST", "/public/app/events", batch("n1.1"), 202, `{"accepted":1,"skipped":0,"suppressed":false}`},
		{"all are there", "GET", "/admin/projects/app/events/definitions?limit=1", "", 200, `{"total":2000}`},
	})
}
