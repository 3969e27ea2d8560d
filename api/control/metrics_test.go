package control_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"svc/api/apitest"
	apicontrol "svc/api/control"
)

// metrics returns the value of each sample in the exposition, keyed by its name and labels in the
// spelling of the exposition.
func metrics(t *testing.T, s *apitest.Server) map[string]string {
	t.Helper()
	status, text := s.Owner(t, "GET", "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("got %d %s", status, text)
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if at := strings.LastIndexByte(line, ' '); at > 0 && line[0] != '#' {
			values[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return values
}

func TestMetricsCount(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithWindow(time.Minute))
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`)
	before := metrics(t, s)
	for i := range 3 {
		s.Do(t, "POST", "/public/app/logs", "", fmt.Sprintf(`{"level":1,"content":"line %d"}`, i))
	}
	s.Do(t, "POST", "/public/app/logs", "", `{"level":1,"content":"line 0"}`) // sent again, so it is the same record
	s.Do(t, "POST", "/public/app/logs", "", `{"level":9}`)
	s.Do(t, "POST", "/public/app/feedbacks", "", `{"content":"good"}`)
	s.Do(t, "POST", "/public/app/events", "", `{"distinct_id":"u","events":[{"event_id":"1","name":"open"},{"event_id":"2","name":"open"},{"event_id":"1","name":"open"}]}`)
	s.Send(t, "GET", "/no/such/path", nil, "")
	s.Do(t, "OPTIONS", "/public/app/logs", "", "")
	s.Send(t, "OPTIONS", "/api/v1/public/app/logs", map[string]string{"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}, "")
	after := metrics(t, s)
	const logs = `{method="POST",route="/api/v1/public/:k/logs"`
	for name, want := range map[string]string{
		`svc_http_requests_total` + logs + `,status="201"}`:                                                      "4",
		`svc_http_requests_total` + logs + `,status="400"}`:                                                      "1",
		`svc_http_request_seconds_count` + logs + `}`:                                                            "5",
		`svc_http_request_seconds_bucket` + logs + `,le="+Inf"}`:                                                 "5",
		`svc_http_requests_total{method="other",route="other",status="404"}`:                                     "2",
		`svc_http_requests_total{method="OPTIONS",route="preflight",status="204"}`:                               "1",
		`svc_http_requests_in_flight`:                                                                            "1", // the request for the metrics itself
		`svc_store_records_total{kind="log"}`:                                                                    "3",
		`svc_store_records_total{kind="feedback"}`:                                                               "1",
		`svc_events_stored_total`:                                                                                "2",
		`svc_events_batches_total`:                                                                               "1",
		`svc_events_commits_total`:                                                                               "1",
		`svc_events_head_events`:                                                                                 "2",
		`svc_events_waiting_batches`:                                                                             "0",
		`svc_ready{check="svc.db"}`:                                                                              "1",
		`svc_build_info{go_version="` + runtime.Version() + `",version="test"}`:                                  "1",
		`svc_store_commit_failures_total`:                                                                        "0",
		`svc_events_queries{state="running"}`:                                                                    "0",
		`svc_http_request_seconds_count{method="POST",route="/api/v1/public/:k/versions/check-update"}`:          "",
		`svc_http_requests_total{method="POST",route="/api/v1/public/:k/versions/check-update",status="200"}`:    "",
		`svc_http_requests_total{method="GET",route="/api/v1/admin/projects/:k/versions/:version",status="200"}`: "",
	} {
		if after[name] != want {
			t.Errorf("%s: got %q, want %q", name, after[name], want)
		}
	}
	if got := difference(t, before, after, "svc_store_group_submissions_sum"); got != 5 {
		t.Errorf("got %v submissions in groups, want 5", got)
	}
	if got := difference(t, before, after, "svc_store_commits_total"); got != 5 {
		t.Errorf("got %v commits to svc.db, want 5, one for each submission that came alone", got)
	}
}

func difference(t *testing.T, before, after map[string]string, name string) (n float64) {
	t.Helper()
	var a, b float64
	if _, err := fmt.Sscan(before[name], &a); err != nil {
		t.Fatalf("%s: %q %v", name, before[name], err)
	}
	if _, err := fmt.Sscan(after[name], &b); err != nil {
		t.Fatalf("%s: %q %v", name, after[name], err)
	}
	return b - a
}

// TestMetricsAreWellMade checks that the exposition follows the rules of Prometheus.
func TestMetricsAreWellMade(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithJobs())
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`)
	_, text := s.Owner(t, "GET", "/metrics", "")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "svc_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	answer := httptest.NewRecorder()
	s.Handler.Control.Metrics().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(answer.Body.String(), "svc_job_runs_total{job=\"retention\"} 0\n") {
		t.Errorf("the handler for other addresses answers %.2000s", answer.Body)
	}
}

// TestMetricsUntilTheClientHasGone checks that no error is logged if the client disconnects during
// the response.
func TestMetricsUntilTheClientHasGone(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := apitest.NewServer(t, apitest.WithLog(&log))
	client, server := net.Pipe()
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	s.Handler.Control.Metrics().ServeHTTP(pipeAnswer{httptest.NewRecorder(), server}, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if log.Len() > 0 {
		t.Errorf("logged %s", log.String())
	}
}

// pipeAnswer is a ResponseWriter that writes the body to a connection.
type pipeAnswer struct {
	http.ResponseWriter
	conn net.Conn
}

func (a pipeAnswer) Write(b []byte) (int, error) { return a.conn.Write(b) }

func TestMetricsAreForTheOwner(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, path := range []string{"/metrics", "/control/status", "/control/debug/pprof", "/control/debug/pprof/heap", "/control/jobs"} {
		status, body, _ := s.Send(t, "GET", path, map[string]string{"Authorization": "Bearer " + s.Admin}, "")
		if status != 404 {
			t.Errorf("%s: got %d %s, want 404", path, status, body)
		}
	}
}

// TestAlertsHaveTheirMetrics checks that all metrics used in the alerts of docs/metrics.md exist on
// a new server. They must also exist while a data file cannot be read.
func TestAlertsHaveTheirMetrics(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var alerts []string
	for _, line := range regexp.MustCompile(`(?m)^ +expr: .*`).FindAllString(string(raw), -1) {
		alerts = append(alerts, regexp.MustCompile(`\bsvc_[a-z_]+`).FindAllString(line, -1)...)
	}
	if len(alerts) < 10 {
		t.Fatalf("found only %v", alerts)
	}
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithJobs(), newReplica().option())
	s.Send(t, "GET", "/no/such/path", nil, "") // request counters exist from the first request on
	complete := func(when string) {
		t.Helper()
		there := metrics(t, s)
		for _, name := range alerts {
			found := false
			for have := range there {
				family, _, _ := strings.Cut(have, "{")
				found = found || family == name
			}
			if !found {
				t.Errorf("%s: there is no %s", when, name)
			}
		}
	}
	complete("at first")
	for _, name := range []string{"svc.db", "events.db"} {
		path := filepath.Join(s.Dir, name)
		if err := os.Rename(path, path+"-away"); err != nil {
			t.Fatal(err)
		}
		complete("without " + name)
		if err := os.Rename(path+"-away", path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithJobs())
	s.Handler.Control.Started("http://127.0.0.1:4000")
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`)
	s.Do(t, "POST", "/public/app/events", "", `{"distinct_id":"u","events":[{"event_id":"1","name":"open"}]}`)
	s.Send(t, "GET", "/no/such/path", nil, "")
	status, body := s.Owner(t, "GET", "/control/status", "")
	if status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
	var got apicontrol.Status
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "test" || got.PID != os.Getpid() || !slices.Equal(got.Addresses, []string{"http://127.0.0.1:4000"}) {
		t.Errorf("who: got %s, pid %d, %v", got.Version, got.PID, got.Addresses)
	}
	if r := got.Requests; r.Total != 3 || r.ByClass["2xx"] != 2 || r.ByClass["4xx"] != 1 || r.ByClass["5xx"] != 0 || r.InFlight != 1 {
		t.Errorf("requests: got %+v", r)
	}
	if e := got.Events; e.Stored != 1 || e.Batches != 1 || e.HeadEvents != 1 || e.PerSecond <= 0 || e.FileBytes == 0 || e.WALBytes == 0 {
		t.Errorf("events: got %+v", e)
	}
	if len(got.Jobs) != 7 || got.Store.Commits == 0 || got.Memory.TotalBytes < got.Memory.HeapBytes {
		t.Errorf("got %d jobs, %d commits, %+v", len(got.Jobs), got.Store.Commits, got.Memory)
	}
}

func TestJobsThroughTheControlConnection(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithJobs())
	for _, tc := range []struct {
		name, method, path string
		status             int
		want               string
	}{
		{"none has run", "GET", "/control/jobs", 200, `"name":"retention","about":"deletes feedback, logs, events and statistics that are older than their retention","running":false,"runs":0,"failures":0,"last_run":null`},
		{"one by its name", "POST", "/control/jobs/request-statistics", 200, `"name":"request-statistics","about":"stores the request counters","running":false,"runs":1,"failures":0,"last_run":1`},
		{"it has run", "GET", "/control/jobs", 200, `"runs":1,`},
		{"one that there is not", "POST", "/control/jobs/coffee", 404, `there is no job coffee; svc job list shows all jobs`},
		{"one that is nearly right", "POST", "/control/jobs/retentoin", 404, `there is no job retentoin; did you mean retention?`},
	} {
		status, body := s.Owner(t, tc.method, tc.path, "")
		if status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("%s: got %d %s, want %d %s", tc.name, status, body, tc.status, tc.want)
		}
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, tc := range []struct {
		path   string
		status int
		want   string
	}{
		{"/control/debug/pprof", 200, `"goroutine"`},
		{"/control/debug/pprof/goroutine?debug=1", 200, "goroutine profile: total"},
		{"/control/debug/pprof/heap", 200, "\x1f\x8b"},
		{"/control/debug/pprof/trace?seconds=0.01", 200, "go 1."},
		{"/control/debug/pprof/cmdline", 404, "there is no profile cmdline"},
	} {
		if status, body := s.Owner(t, "GET", tc.path, ""); status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("%s: got %d %.200q, want %d and %q", tc.path, status, body, tc.status, tc.want)
		}
	}
}

func TestPublicRateLimitChangesAtRunTime(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(2))
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`)
	ask := func(want int) {
		t.Helper()
		if got, body, _ := s.Do(t, "POST", "/public/app/versions/check-update", "", `{"current_version":"1.0"}`); got != want {
			t.Errorf("got %d %s, want %d", got, body, want)
		}
	}
	ask(404) // the project has no versions
	ask(404)
	ask(429)
	s.Handler.SetPublicRateLimit(3)
	ask(404)
	ask(429)
	s.Handler.SetPublicRateLimit(0)
	ask(404)
	s.Handler.SetPublicRateLimit(1)
	ask(429)
}
