package cmd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/internal/control"
)

// TestFiguresAreThoseOfTheLoad sends a known number of requests of each kind. It checks that the
// metrics and the status report exactly these numbers.
func TestFiguresAreThoseOfTheLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("public_rate_limit = 0\n[log]\nlevel = \"error\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serve(t, dir)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`, 201)
	p.ask(t, "POST", "/admin/projects/app/versions", `{"version":"1.0","comparable_version":"1.0"}`, 201)
	before := p.status(t, dir)

	const logs, checks = 700, 400
	var feedback, logged, checked, batches []submission
	for i := range logs {
		logged = append(logged, submission{"logs", fmt.Sprintf(`{"level":%d,"content":"line %d"}`, i%4, i)})
	}
	for i := range 100 {
		feedback = append(feedback, submission{"feedbacks", fmt.Sprintf(`{"content":"opinion %d"}`, i)})
	}
	for range checks {
		checked = append(checked, submission{"versions/check-update", `{"current_version":"1.0"}`})
	}
	const events, batchSize = 5000, 20
	for at := 0; at < events; at += batchSize {
		body := fmt.Sprintf(`{"distinct_id":"user-%d","events":[`, at/batchSize%50)
		for i := range batchSize {
			body += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(`{"event_id":"00000000-0000-4000-8000-%012d","name":"name_%d"}`, at+i, i%10)
		}
		batches = append(batches, submission{"events", body + "]}"})
	}
	answered := 0
	for connections, submissions := range map[int][]submission{1: feedback, 8: logged, 4: checked, 16: batches} {
		answered += p.submit(t, connections, submissions)
	}

	after := p.status(t, dir)
	for _, tc := range []struct {
		name      string
		got, want uint64
	}{
		{"requests", after.Requests.Total - before.Requests.Total, uint64(answered) + 2}, // the requests above, and those of the status command
		{"requests that succeeded", after.Requests.ByClass["2xx"] - before.Requests.ByClass["2xx"], uint64(answered) + 2},
		{"requests that failed", after.Requests.ByClass["5xx"], 0},
		{"logs", after.Store.Logs, logs},
		{"feedback", after.Store.Feedback, 100},
		{"submissions", after.Store.Submissions, logs + 100},
		{"events", after.Events.Stored, events},
		{"batches", after.Events.Batches, uint64(len(batches))},
		{"commits that failed", after.Store.Failures + after.Events.Failures, 0},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.name, tc.got, tc.want)
		}
	}
	// Concurrent submissions share commits; sequential ones do not.
	if n := after.Store.Commits - before.Store.Commits; n < 100 || n > logs+100+2 { // plus two flushes of the statistics
		t.Errorf("got %d commits to svc.db, want 100 to %d", n, logs+100+2)
	}
	if n := after.Events.Commits; n == 0 || n > uint64(len(batches)) {
		t.Errorf("got %d commits to events.db, want 1 to %d", n, len(batches))
	}

	metrics := string(get(t, dir, "/metrics"))
	for name, want := range map[string]int{
		`svc_http_requests_total{method="POST",route="/api/v1/public/:k/logs",status="201"}`:                  logs,
		`svc_http_requests_total{method="POST",route="/api/v1/public/:k/feedbacks",status="201"}`:             100,
		`svc_http_requests_total{method="POST",route="/api/v1/public/:k/versions/check-update",status="200"}`: checks,
		`svc_http_requests_total{method="POST",route="/api/v1/public/:k/events",status="202"}`:                len(batches),
		`svc_http_request_seconds_count{method="POST",route="/api/v1/public/:k/events"}`:                      len(batches),
		`svc_events_stored_total`:             int(after.Events.Stored),
		`svc_events_batches_total`:            len(batches),
		`svc_events_group_batches_sum`:        len(batches),
		`svc_events_commits_total`:            int(after.Events.Commits),
		`svc_events_commit_seconds_count`:     int(after.Events.Commits),
		`svc_store_records_total{kind="log"}`: logs,
		`svc_store_group_submissions_sum`:     logs + 100,
	} {
		if !strings.Contains(metrics, fmt.Sprintf("\n%s %d\n", name, want)) {
			t.Errorf("no %s %d in the metrics:\n%s", name, want, metrics)
		}
	}
}

// submission is a request that an app sends. The path is relative to the project's path.
type submission struct{ path, body string }

// submit sends submissions over the given number of connections and returns the number that
// succeeded.
func (p *process) submit(t *testing.T, connections int, all []submission) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	var next, answered atomic.Int64
	var wait sync.WaitGroup
	for range connections {
		wait.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				url := "http://" + p.address() + "/api/v1/public/app/" + all[i].path
				answer, err := client.Post(url, "application/json", strings.NewReader(all[i].body))
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode >= 300 {
					t.Errorf("%s: %s, %v", all[i].path, answer.Status, err)
					return
				}
				answered.Add(1)
			}
		})
	}
	wait.Wait()
	return int(answered.Load())
}

// serverStatus holds the fields of "svc status --json" that the tests compare.
type serverStatus struct {
	Requests struct {
		Total   uint64            `json:"total"`
		ByClass map[string]uint64 `json:"by_class"`
	} `json:"requests"`
	Store struct {
		Commits, Failures, Submissions, Feedback, Logs uint64
	} `json:"store"`
	Events struct {
		Commits, Failures, Stored, Batches uint64
	} `json:"events"`
}

// status runs "svc status". The command makes two requests, one for the version and one for the
// status.
func (p *process) status(t *testing.T, dir string) serverStatus {
	t.Helper()
	out, err := exec.Command("svc", "status", "--json", "--data", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Server serverStatus }
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&report); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return report.Server
}

// get makes a GET request over the control socket and returns the body of the response.
func get(t *testing.T, dir, path string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, control.BaseURL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.Client(dir).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %s, %v", path, answer.StatusCode, body, err)
	}
	return body
}
