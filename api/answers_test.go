package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/testutil"
)

// largeText returns a text that is large enough to be sent as a separate piece of a response.
func largeText(i int) string { return fmt.Sprint(i) + strings.Repeat("x", 128<<10) }

// addLarge stores one large record of each kind that has lists, and returns the ID of the feedback.
func addLarge(t *testing.T, s *apitest.Server, i int) (feedback string) {
	t.Helper()
	text := largeText(i)
	s.Must(t, 201, "PUT", fmt.Sprintf("/admin/projects/a/versions/by-version/1.0.%d", i), fmt.Sprintf(`{"content":%q}`, text))
	s.Must(t, 201, "PUT", fmt.Sprintf("/admin/projects/a/versions/by-version/1.1.%d-beta", i), fmt.Sprintf(`{"content":%q,"is_preview":true}`, text))
	s.Must(t, 201, "POST", "/admin/projects/a/announcements", fmt.Sprintf(`{"title":"t","content":%q}`, text))
	s.Must(t, 201, "POST", "/admin/projects/a/logs", fmt.Sprintf(`{"level":1,"content":"x","custom_data":{"k":%q}}`, text))
	return apitest.Field[string](t, s.Must(t, 201, "POST", "/admin/projects/a/feedbacks", fmt.Sprintf(`{"content":"x","custom_data":{"k":%q}}`, text)), "id")
}

// largeLists contains the paths of all lists of records that may be large.
var largeLists = []string{
	"/admin/projects/a/logs", "/admin/projects/a/feedbacks", "/admin/projects/a/versions", "/admin/projects/a/announcements",
	"/public/a/versions", "/public/a/announcements",
}

// TestLargeListsHaveTheirShape checks that a list that is sent in pieces contains the same records
// as requests for one record at a time.
func TestLargeListsHaveTheirShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	for i := range 3 {
		addLarge(t, s, i)
	}
	for _, list := range largeLists {
		for _, query := range []string{"", "locale=fr&"} {
			status, whole, _ := s.Do(t, "GET", list+"?"+query+"limit=100", s.Admin, "")
			total := apitest.Field[int](t, whole, "total")
			if status != 200 || total < 3 {
				t.Fatalf("%s: got %d and %d records", list, status, total)
			}
			begin := fmt.Sprintf(`{"total":%d,"data":[`, total)
			var records []string
			for i := range total {
				_, one, _ := s.Do(t, "GET", fmt.Sprintf("%s?%slimit=1&offset=%d", list, query, i), s.Admin, "")
				records = append(records, strings.TrimSuffix(strings.TrimPrefix(one, begin), `]}`))
			}
			if want := begin + strings.Join(records, ",") + `]}`; whole != want {
				t.Errorf("%s: %d bytes differ from %d of its records", list, len(whole), len(want))
			}
		}
	}
}

// stuckList requests a list over a new connection and reads only the beginning of the response.
func stuckList(t *testing.T, s *apitest.Server, path string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c := s.Dial(t, "GET /api/v1"+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.Admin+"\r\nConnection: close\r\n\r\n")
	from := bufio.NewReaderSize(c, 16)
	if line, err := from.Peek(12); err != nil || string(line) != "HTTP/1.1 200" {
		t.Fatalf("got %q, %v", line, err)
	}
	return c, from
}

// TestMemoryOfLists checks that sending a list needs memory for a few of its records, not for all.
// The test does not run in parallel, because it measures the heap of the process.
//
//nolint:paralleltest // see above
func TestMemoryOfLists(t *testing.T) {
	s := apitest.NewServer(t)
	s.Project(t, "a")
	for range 20 {
		s.Must(t, 201, "POST", "/admin/projects/a/logs", fmt.Sprintf(`{"level":1,"content":"x","custom_data":{"k":%q}}`, strings.Repeat("x", 1<<20)))
	}
	s.Impatient(t)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for range 6 {
		stuckList(t, s, "/admin/projects/a/logs?limit=100")
	}
	if grown := heap() - before; grown > 6*8<<20 {
		t.Errorf("six lists of 20 MiB take %d bytes while they are sent", grown)
	}
}

// TestListWhileRecordsGo checks that a list omits records that are deleted while it is being sent.
// A record that is changed during that time appears in its old or its new state.
func TestListWhileRecordsGo(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	first := addLarge(t, s, 0) // the last record in the list
	for i := range 3 {
		addLarge(t, s, i+1)
	}
	s.Impatient(t)
	one, feedbacks := stuckList(t, s, "/admin/projects/a/feedbacks")
	two, versions := stuckList(t, s, "/public/a/versions")
	s.Must(t, 200, "DELETE", "/admin/projects/a/feedbacks/"+first, "")
	s.Must(t, 200, "PUT", "/admin/projects/a/versions/by-version/1.0.0", `{"content":"short"}`)
	read := func(c net.Conn, from *bufio.Reader) (list struct {
		Total int
		Data  []map[string]any
	}) {
		t.Helper()
		if err := c.(*net.TCPConn).SetReadBuffer(1 << 20); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(from), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &list); err != nil {
			t.Fatalf("%d bytes: %v", len(body), err)
		}
		return list
	}
	if list := read(one, feedbacks); list.Total != 4 || len(list.Data) != 3 {
		t.Errorf("feedback: got %d of %d, want 3 of 4", len(list.Data), list.Total)
	}
	list := read(two, versions)
	if last := list.Data[len(list.Data)-1]; list.Total != 8 || len(list.Data) != 8 || last["version"] != "1.0.0" || last["content"] != "short" {
		t.Errorf("versions: got %d of %d, the last one is %v with %.10v", len(list.Data), list.Total, last["version"], last["content"])
	}
}

// TestAnswerBudget checks that all large responses share a memory budget. A large response that gets no
// memory within ten seconds is refused. Small responses do not use the budget.
func TestAnswerBudget(t *testing.T) {
	t.Parallel()
	const budget = 256 << 10
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.AnswerBudget = budget }))
	s.Project(t, "a")
	for i := range 2 {
		addLarge(t, s, i)
	}
	s.Project(t, "small")
	s.Must(t, 201, "PUT", "/admin/projects/small/versions/by-version/1.0.0", `{"content":"x"}`)
	s.Impatient(t)
	stuck, _ := stuckList(t, s, "/admin/projects/a/logs")
	if used := s.Metric(t, "svc_answer_bytes"); used != budget {
		t.Fatalf("the list holds %v bytes, want all", used)
	}
	var waiting sync.WaitGroup
	for _, ask := range append(largeLists, "/public/a/versions/latest", "/public/a/versions/latest-preview", "/public/a/versions/by-version/1.0.1", "/public/a/announcements/latest",
		"/public/a/versions/notes?to=1.0.1", "POST /public/a/versions/check-update") {
		waiting.Go(func() {
			path, post := strings.CutPrefix(ask, "POST ")
			method, body := "GET", ""
			if post {
				method, body = "POST", `{"current_version":"1.0.0"}`
			}
			status, answer, header := s.Do(t, method, path, s.Admin, body)
			if status != 503 || header.Get("Retry-After") != "5" || !strings.Contains(answer, "too many large answers") {
				t.Errorf("%s without room: got %d %.200s, Retry-After %q, want 503 and 5", ask, status, answer, header.Get("Retry-After"))
			}
		})
	}
	for _, page := range []string{"/projects/a", "/projects/a?version=1.0.1"} {
		waiting.Go(func() {
			if status, _, header := s.Visit(t, "GET", page, nil); status != 503 || header.Get("Retry-After") != "5" {
				t.Errorf("%s without room: got %d, Retry-After %q, want 503 and 5", page, status, header.Get("Retry-After"))
			}
		})
	}
	for _, path := range []string{"/admin/projects", "/admin/projects/small/versions", "/public/small/versions/latest"} {
		if status, answer, _ := s.Do(t, "GET", path, s.Admin, ""); status != 200 {
			t.Errorf("%s: got %d %s, want 200", path, status, answer)
		}
	}
	waiting.Wait()
	if err := stuck.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.Do(t, "GET", "/public/a/versions", "", ""); status != 200 {
		t.Errorf("when there is room: got %d, want 200", status)
	}
	for s.Metric(t, "svc_answer_bytes") != 0 { // the response can arrive before the memory is released
	}
}

// slowRead requests a path of the API from the given client address and does not read the
// response.
func slowRead(t *testing.T, s *apitest.Server, path, address string) net.Conn {
	t.Helper()
	return s.Dial(t, fmt.Sprintf("GET /api/v1%s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\n\r\n", path, address))
}

// TestSlowReadersOfAnAddress checks that slow readers at one address do not prevent other addresses
// from getting large responses.
func TestSlowReadersOfAnAddress(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	for i := range 20 {
		s.Must(t, 201, "PUT", fmt.Sprintf("/admin/projects/a/versions/by-version/1.0.%d", i), fmt.Sprintf(`{"content":%q}`, largeText(i)))
	}
	s.Impatient(t)
	for range 122 {
		slowRead(t, s, "/public/a/versions", "198.51.100.1")
	}
	testutil.Until(t, "the slow readers take what they can get", func() bool { return s.Metric(t, "svc_answers_waiting") >= 30 })
	begin := time.Now()
	for range 20 {
		status, answer, _ := s.Send(t, "POST", "/api/v1/public/a/versions/check-update", map[string]string{"X-Forwarded-For": "198.51.100.2"}, `{"current_version":"1.0.0"}`)
		if status != 200 || len(answer) < 128<<10 {
			t.Fatalf("update check beside slow readers: got %d %.200s", status, answer)
		}
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("20 update checks took %s", took)
	}
}

// TestPublicAnswersLeaveHalf checks that administrators can use half of the budget even while a
// public record larger than the whole budget is being sent.
func TestPublicAnswersLeaveHalf(t *testing.T) {
	t.Parallel()
	const budget = 2 << 20
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.AnswerBudget = budget }))
	s.Project(t, "a")
	s.Must(t, 201, "PUT", "/admin/projects/a/versions/by-version/1.0.0", `{"content":"`+strings.Repeat("x", 3<<20)+`"}`)
	s.Must(t, 201, "POST", "/admin/projects/a/logs", fmt.Sprintf(`{"level":1,"content":"x","custom_data":{"k":%q}}`, strings.Repeat("x", 64<<10)))
	s.Impatient(t)
	slowRead(t, s, "/public/a/versions/latest", "198.51.100.1")
	testutil.Until(t, "the public answer is made", func() bool { return s.Metric(t, "svc_answer_bytes") > 0 })
	if used := s.Metric(t, "svc_answer_bytes"); used != budget/2 {
		t.Errorf("a public answer holds %v bytes, want half of %d", used, budget)
	}
	s.Must(t, 200, "GET", "/admin/projects/a/logs", "")
}
