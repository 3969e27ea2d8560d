package api_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
)

const logPath = "/api/v1/public/a/logs"

// announce sends the beginning of a POST that announces a body of the given length. The text in the
// parameter more is sent after the first headers. It contains further headers or the beginning of
// the body.
func announce(t *testing.T, s *apitest.Server, path, address string, length int, more string) net.Conn {
	t.Helper()
	return s.Dial(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n%s", path, address, length, more))
}

// sendLog submits a log with a body of at least length bytes, without a pause.
func sendLog(t *testing.T, s *apitest.Server, address string, length int) (status int, answer string, header http.Header) {
	t.Helper()
	body := `{"level":1,"content":"x"}`
	body += strings.Repeat(" ", max(0, length-len(body)))
	return s.Send(t, "POST", logPath, map[string]string{"X-Forwarded-For": address}, body)
}

// slowAnswer is the response received on one of several connections.
type slowAnswer struct {
	*http.Response
	body []byte
	conn int
	err  error
}

// awaitAnswer waits for the response on a connection, reads it and sends it to the channel.
func awaitAnswer(c net.Conn, number int, to chan<- slowAnswer) {
	got := slowAnswer{conn: number}
	if got.Response, got.err = http.ReadResponse(bufio.NewReader(c), nil); got.err == nil { //nolint:bodyclose // closed below
		got.body, got.err = io.ReadAll(got.Body)
		got.err = cmp.Or(got.err, got.Body.Close())
	}
	to <- got
}

// check validates a response to a POST against openapi.yaml.
func (a slowAnswer) check(t *testing.T, path string, status int) {
	t.Helper()
	if a.err != nil {
		t.Fatalf("connection %d has no answer: %v", a.conn, a.err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://x"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	apitest.LoadContract(t).Check(t, r, a.StatusCode, a.Header, a.body)
	if a.StatusCode != status {
		t.Errorf("connection %d: got %d %s, want %d", a.conn, a.StatusCode, a.body, status)
	}
}

// TestBodiesOnTheirWay checks that the server waits for at most eight slow bodies per address. It
// still accepts bodies that arrive at once and bodies from other addresses.
func TestBodiesOnTheirWay(t *testing.T) {
	t.Parallel()
	const one, other = "198.51.100.1", "198.51.100.2"
	const log, version = `{"level":1,"content":"slow"}`, `{"current_version":"1.0.0"}`
	for _, tc := range []struct {
		name, path, body            string
		address, neighbour, another string
		status                      int
	}{
		{"log", logPath, log, one, one, other, 201},
		{"IPv6 counts by /64", logPath, log, "2001:db8:1:1::1", "2001:db8:1:1:ff::2", "2001:db8:1:2::1", 201},
		{"update check", "/api/v1/public/a/versions/check-update", version, one, one, other, 200},
		{"events", "/api/v1/public/a/events", `{"distinct_id":"u","events":[{"event_id":"1","name":"slow"}]}`, one, one, other, 202},
		{"login", "/api/v1/auth/login", `{"username":"nobody","password":"correct horse"}`, one, one, other, 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, apitest.WithRateLimit(0))
			s.Project(t, "a")
			s.Must(t, 201, "PUT", "/admin/projects/a/versions/by-version/1.0.0", `{"content":"x"}`)
			answers := make(chan slowAnswer)
			var slow []net.Conn
			hold := func(address string) {
				slow = append(slow, announce(t, s, tc.path, address, len(tc.body), "\r\n"+tc.body[:5]))
				go awaitAnswer(slow[len(slow)-1], len(slow)-1, answers)
			}
			for range 9 {
				hold(tc.address)
			}
			refused := <-answers
			refused.check(t, tc.path, 503)
			if after := refused.Header.Get("Retry-After"); after != "1" || !strings.Contains(string(refused.body), "at most 8 request bodies of one address") {
				t.Errorf("one of nine gets %s, Retry-After %q, want the limit and 1", refused.body, after)
			}
			if status, answer, _ := sendLog(t, s, tc.neighbour, 100_000); status != 201 {
				t.Errorf("a body that arrives at once: got %d %s, want 201", status, answer)
			}
			hold(tc.another)
			for i, c := range slow {
				if i == refused.conn {
					continue
				}
				if _, err := io.WriteString(c, tc.body[5:]); err != nil {
					t.Fatal(err)
				}
				(<-answers).check(t, tc.path, tc.status)
			}
		})
	}
}

// TestBodyBudget checks that large bodies of callers without a credential share a memory budget. A
// body frees its share once the request has been answered. Small bodies do not use the budget.
func TestBodyBudget(t *testing.T) {
	t.Parallel()
	const budget = 256 << 10
	s := apitest.NewServer(t, apitest.WithRateLimit(0), apitest.WithConfig(func(c *api.Config) { c.BodyBudget = budget }))
	s.Project(t, "a")
	body := `{"level":1,"content":"` + strings.Repeat("x", 4000) + `"` + strings.Repeat(" ", budget-4023-1) + `}`
	held := announce(t, s, logPath, "198.51.100.1", len(body), "\r\n"+body[:len(body)-1])
	for s.Metric(t, "svc_public_body_bytes") != budget { // wait until the server has read all parts of the bodies
	}
	status, answer, header := sendLog(t, s, "198.51.100.2", 5000)
	if status != 503 || header.Get("Retry-After") != "1" || !strings.Contains(answer, "too many request bodies are being received") {
		t.Errorf("without room: got %d %s, Retry-After %q, want 503 and 1", status, answer, header.Get("Retry-After"))
	}
	if status, answer, _ := sendLog(t, s, "198.51.100.2", 4096); status != 201 {
		t.Errorf("a small body: got %d %s, want 201", status, answer)
	}
	if status, answer, _ := s.Do(t, "PATCH", "/admin/projects/a", s.Admin, `{"author":"x"`+strings.Repeat(" ", 5000)+`}`); status != 200 {
		t.Errorf("a body of the administrator: got %d %s, want 200", status, answer)
	}
	if _, err := io.WriteString(held, body[len(body)-1:]); err != nil {
		t.Fatal(err)
	}
	answers := make(chan slowAnswer)
	go awaitAnswer(held, 0, answers)
	(<-answers).check(t, logPath, 201)
	for s.Metric(t, "svc_public_body_bytes") != 0 { // the response can arrive before the memory is released
	}
	if status, answer, _ = sendLog(t, s, "198.51.100.2", budget); status != 201 {
		t.Errorf("when there is room: got %d %s, want 201", status, answer)
	}
}

// TestLengthReservesNothing checks that the server allocates no memory for the announced length of
// a body. The test does not run in parallel, because it measures the heap of the process.
//
//nolint:paralleltest // see above
func TestLengthReservesNothing(t *testing.T) {
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "a")
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	const connections = 200
	for i := range connections {
		c := announce(t, s, logPath, fmt.Sprintf("198.51.100.%d", i/8), 1<<20, "Expect: 100-continue\r\n\r\n")
		line, err := bufio.NewReader(c).ReadString('\n') // the server is waiting for the body
		if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	if grown := heap() - before; grown > connections*64<<10 {
		t.Errorf("%d bodies that do not come take %d bytes", connections, grown)
	}
}

// TestSubmissionData checks the limit on the total size of the free-form objects in a public
// submission. Submissions by the administrator have no such limit.
func TestSubmissionData(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0), apitest.WithConfig(func(c *api.Config) { c.SubmissionData = 2 << 10 }))
	s.Project(t, "a")
	object := func(bytes int) string { return `{"k":"` + strings.Repeat("x", bytes-len(`{"k":""}`)) + `"}` }
	spaced := func(bytes int) string { return "{" + strings.Repeat(" ", bytes-2) + "}" }
	const logs, feedback = "/public/a/logs", "/public/a/feedbacks"
	const both, alone = `{"message":"custom_data and device_info: at most 2048 bytes in a public submission"}`, `{"message":"custom_data: at most 2048 bytes in a public submission"}`
	log := func(fields string) string { return `{"level":1,"content":"x",` + fields + `}` }
	s.Exchanges(t, []apitest.Exchange{
		{"both at the limit", "POST", logs, log(`"custom_data":` + object(1024) + `,"device_info":` + object(1024)), 201, ``},
		{"a byte more", "POST", logs, log(`"custom_data":` + object(1025) + `,"device_info":` + object(1024)), 413, both},
		{"one alone", "POST", logs, log(`"device_info":` + object(2049)), 413, both},
		{"blanks count", "POST", logs, log(`"custom_data":` + spaced(2049)), 413, both},
		{"blanks around an object do not", "POST", logs, log(`"custom_data":   {}` + strings.Repeat(" ", 3000)), 201, ``},
		{"of a field that comes twice the last counts", "POST", logs, log(`"custom_data":` + object(2049) + `,"custom_data":{}`), 201, ``},
		{"other fields do not count", "POST", logs, log(`"other":` + object(3000)), 201, ``},
		{"feedback at the limit", "POST", feedback, `{"content":"x","custom_data":` + object(2048) + `}`, 201, ``},
		{"feedback, a byte more", "POST", feedback, `{"content":"x","custom_data":` + object(2049) + `}`, 413, alone},
		{"the administrator adds feedback", "POST", "/admin/projects/a/feedbacks", `{"content":"x","custom_data":` + object(3000) + `}`, 201, ``},
		{"the administrator adds a log", "POST", "/admin/projects/a/logs", log(`"custom_data":` + object(3000)), 201, ``},
	})
}
