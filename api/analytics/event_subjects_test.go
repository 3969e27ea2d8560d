package analytics_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// TestOwnEvents checks that a sender can read all of its events in order.
func TestOwnEvents(t *testing.T) {
	t.Parallel()
	at, stopped := frozen()
	s := apitest.NewServer(t, stopped, apitest.WithGeo(t))
	s.Project(t, "app")
	s.Track(t, "app", apitest.SentEvent{"someone else", "s", "other", at.Unix(), ""})
	body := fmt.Sprintf(`{"distinct_id":"Ü /1","session_id":"s","events":[
		{"event_id":"late","name":"a","occurred_at":%d},{"event_id":"second","name":"b","occurred_at":%d,"properties":{"format":"pdf","pages":12}},
		{"event_id":"third","name":"B","occurred_at":%[2]d},{"event_id":"first","name":"c","occurred_at":%d}]}`, at.Unix()+5, at.Unix()-10, at.Unix()-7200)
	headers := map[string]string{"User-Agent": "svc-sdk-js/0.2.0", "X-Forwarded-For": "8.8.8.8", "X-Svc-Platform": "windows 11"}
	if status, answer, _ := s.Send(t, "POST", "/api/v1/public/app/events", headers, body); status != 202 {
		t.Fatalf("got %d %s", status, answer)
	}
	one := func(id, name string, occurred int64, properties string) string {
		return fmt.Sprintf(`{"event_name":%q,"event_id":%q,"session_id":"s","occurred_at":%d,"received_at":%d,"properties":%s,"ip":"8.8.8.0","user_agent":"svc-sdk-js/0.2.0",
			"country_code":"US","country_name":"United States","region_name":null,"city":null,"platform":"windows","platform_version":"11"}`, name, id, occurred, at.Unix(), properties)
	}
	want := `{"distinct_id":"Ü /1","total":4,"data":[` + strings.Join([]string{
		one("first", "c", at.Unix()-7200, "null"), one("second", "b", at.Unix()-10, `{"format":"pdf","pages":12}`),
		one("third", "b", at.Unix()-10, "null"), one("late", "a", at.Unix()+5, "null"),
	}, ",") + `]}`
	for _, flushed := range []bool{false, true} {
		if flushed {
			if err := s.Events.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if why := apitest.CompareJSON(t, stored(t, s, "app", "%C3%9C%20/1"), want); why != "" {
			t.Errorf("flushed %v: %s", flushed, why)
		}
	}
	if got := stored(t, s, "app", "ü%20/1"); !strings.Contains(got, `"total":0`) {
		t.Errorf("an identifier is case-sensitive: got %s", got)
	}
}

// TestLargeExport checks that an export is complete if it is sent in many pieces.
func TestLargeExport(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	const batches, each = 40, 50
	text := strings.Repeat("x", 1000)
	for i := range batches {
		var events []string
		for j := range each {
			events = append(events, fmt.Sprintf(`{"event_id":"%d-%d","name":"a","properties":{"text":%q}}`, i, j, text))
		}
		s.Do(t, "POST", "/public/app/events", "", `{"distinct_id":"u","events":[`+strings.Join(events, ",")+`]}`)
	}
	answer := stored(t, s, "app", "u")
	var v struct {
		Total int
		Data  []struct {
			ID         string `json:"event_id"`
			Properties struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &v); err != nil || v.Total != batches*each || len(v.Data) != v.Total {
		t.Fatalf("got %d of %d events, %v", len(v.Data), v.Total, err)
	}
	ids := map[string]bool{}
	for _, e := range v.Data {
		ids[e.ID] = e.Properties.Text == text
	}
	if len(ids) != batches*each || !ids["39-49"] {
		t.Errorf("got %d different events", len(ids))
	}
	// HEAD has no body, and the response must not be cached.
	status, body, header := s.Send(t, "HEAD", "/api/v1/public/app/events/me?distinct_id=u", nil, "")
	if status != 200 || body != "" || header.Get("Cache-Control") != "no-store" {
		t.Errorf("HEAD: got %d, %d bytes, header %v", status, len(body), header)
	}
}

// TestExportGivenUp checks that a client may disconnect in the middle of an export.
func TestExportGivenUp(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	text := strings.Repeat("x", 20_000)
	for i := range 300 {
		s.Do(t, "POST", "/public/app/events", "", fmt.Sprintf(`{"distinct_id":"u","events":[{"event_id":"%d","name":"a","properties":{"text":%q}}]}`, i, text))
	}
	s.Impatient(t)
	conn := s.Dial(t, "GET /api/v1/public/app/events/me?distinct_id=u HTTP/1.1\r\nHost: x\r\n\r\n")
	if _, err := io.ReadFull(conn, make([]byte, 10_000)); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s.Must(t, 200, "GET", "/admin/projects/app/events/stats/overview", ""); !strings.Contains(got, `"total":300`) {
		t.Errorf("after that: got %s", got)
	}
}

func TestErasure(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	s.Project(t, "other")
	const public, admin = "/public/app/events/me?distinct_id=", "/admin/projects/app/events/"
	at := s.Clock.Now().Unix()
	s.Track(t, "app", apitest.SentEvent{"u/1", "s", "a", at, ""}, apitest.SentEvent{"u/1", "", "b", at, ""}, apitest.SentEvent{"u2", "s", "a", at, ""}, apitest.SentEvent{"U2", "s", "a", at, ""})
	s.Track(t, "other", apitest.SentEvent{"u2", "s", "a", at, ""})
	if err := s.Events.Flush(); err != nil {
		t.Fatal(err)
	}
	s.Track(t, "app", apitest.SentEvent{"u/1", "s", "c", at, ""})
	s.Exchanges(t, []apitest.Exchange{
		{"nobody", "DELETE", public + "nobody", "", 200, `{"success":true,"deleted":0}`},
		{"nobody, by an administrator", "DELETE", admin + "subjects/nobody", "", 200, `{"success":true,"deleted":0}`},
		{"oneself, in memory and in blocks", "DELETE", public + "u%2F1", "", 200, `{"success":true,"deleted":3}`},
		{"again", "DELETE", public + "u%2F1", "", 200, `{"success":true,"deleted":0}`},
		{"nothing is left", "GET", public + "u%2F1", "", 200, `{"distinct_id":"u/1","total":0,"data":[]}`},
		{"counts and definitions stay, unique counts go", "GET", admin + "stats/overview", "", 200, `{"total":5,"event_types":3,"unique_users":2,"unique_sessions":1}`},
		{"definitions", "GET", admin + "definitions", "", 200, `{"total":3}`},
		{"by an administrator, decoded once", "DELETE", admin + "subjects/u%32", "", 200, `{"success":true,"deleted":1}`},
		{"others stay", "GET", public + "U2", "", 200, `{"total":1}`},
		{"other projects stay", "GET", "/public/other/events/me?distinct_id=u2", "", 200, `{"total":1}`},
		{"the id is free again", "POST", "/public/app/events", `{"distinct_id":"new","events":[{"event_id":"u2-2-a","name":"a"}]}`, 202, `{"accepted":1}`},
	})
}

// TestErasureLeavesNoNameInTheLog checks that the log does not contain the identifier of an erased
// sender.
func TestErasureLeavesNoNameInTheLog(t *testing.T) {
	t.Parallel()
	var log apitest.Journal
	s := apitest.NewServer(t, apitest.WithLog(&log))
	s.Project(t, "app")
	s.Must(t, 200, "DELETE", "/admin/projects/app/events/subjects/somebody-in-particular", "")
	s.Do(t, "DELETE", "/public/app/events/me?distinct_id=somebody-in-particular", "", "")
	if text := log.String(); strings.Contains(text, "somebody-in-particular") || !strings.Contains(text, "/events/subjects/:distinct_id") {
		t.Errorf("the log is\n%s", text)
	}
}

func TestSubjectRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	at := s.Clock.Now().Unix()
	s.Track(t, "app", apitest.SentEvent{"u", "", "a", at, ""})
	const me, subjects = "/public/app/events/me", "/admin/projects/app/events/subjects/"
	var rows []apitest.Refusal
	for _, method := range []string{"GET", "DELETE"} {
		for _, bad := range []struct{ query, message string }{
			{"", "distinct_id must have 1 to 128 characters"},
			{"?distinct_id=", "distinct_id must have 1 to 128 characters"},
			{"?distinct_id=" + strings.Repeat("x", 129), "distinct_id must have 1 to 128 characters"},
			{"?distinct_id=%ff", "distinct_id must have 1 to 128 characters"},
		} {
			rows = append(rows, apitest.Refusal{method + " with " + fmt.Sprintf("%.20q", bad.query), method, me + bad.query, "", 400, bad.message})
		}
		rows = append(rows, apitest.Refusal{method + " of no project", method, "/public/none/events/me?distinct_id=u", "", 404, `project "none" not found`})
	}
	rows = append(rows,
		apitest.Refusal{"a long identifier", "DELETE", subjects + strings.Repeat("x", 129), "", 400, "distinct_id must have 1 to 128 characters"},
		apitest.Refusal{"a project that there is not", "DELETE", "/admin/projects/none/events/subjects/u", "", 404, `project "none" not found`},
	)
	s.Refusals(t, "/admin/projects/app/events/stats/overview?end_time=99999999999", rows)
}

// TestOwnEventsAreLimited checks the limit of ten requests per hour and address. Reading and
// deleting are limited separately from each other and from other requests.
func TestOwnEventsAreLimited(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	ask := func(method, address string) (int, string, http.Header) {
		return s.Send(t, method, "/api/v1/public/app/events/me?distinct_id=u", map[string]string{"X-Forwarded-For": address}, "")
	}
	for _, method := range []string{"GET", "DELETE"} {
		for i := range 10 {
			if status, answer, _ := ask(method, "198.51.100.1"); status != 200 {
				t.Fatalf("%s %d: got %d %s", method, i+1, status, answer)
			}
		}
		status, answer, header := ask(method, "198.51.100.1")
		if status != 429 || header.Get("Retry-After") == "" || !strings.Contains(answer, "at most 10 an hour") {
			t.Errorf("%s once more: got %d %s, Retry-After %q", method, status, answer, header.Get("Retry-After"))
		}
		if status, _, _ := ask(method, "198.51.100.2"); status != 200 {
			t.Errorf("%s from another address: got %d", method, status)
		}
	}
	s.Clock.Advance(time.Hour + time.Second)
	for _, method := range []string{"GET", "DELETE"} {
		if status, _, _ := ask(method, "198.51.100.1"); status != 200 {
			t.Errorf("%s an hour later: got %d", method, status)
		}
	}
}
