package api_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/api/web"
	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/replica"
)

// readingBodies contains a body for each route that changes nothing although its method is not GET.
// Routes without an own line here must not have Reads.
var readingBodies = map[string]string{
	"/api/v1/auth/login": `{"username":"admin","password":"` + apitest.Password + `"}`,
	"/api/v1/admin/projects/:k/versions/update-check-simulation": `{"current_version":"0.9.0"}`,
	"/api/v1/public/:k/versions/check-update":                    `{"current_version":"0.9.0"}`,
	"/api/v1/admin/markdown-preview":                             `{"text":"*a*"}`,
	"/api/v1/admin/projects/:k/events/analysis/funnel":           `{"steps":[{"event_name":"open"},{"event_name":"open"}]}`,
	"/api/v1/admin/projects/:k/events/analysis/retention":        `{"start_event":"open","return_event":"open"}`,
	"/api/v1/admin/projects/:k/events/analysis/paths":            `{"anchor":{"name":"open"}}`,
	"/api/v1/admin/projects/:k/events/analysis/query":            `{"type":"value","events":[{"name":"open","alias":"A"}]}`,
	"/control/reindex":      "",
	"/control/check/copies": "",
	"/control/check/search": "",
	"/control/check/files":  "",
	"/control/compact":      "{}",
	"/control/backup":       "",
	"/control/doctor/pages": "",

	"/control/replication/snapshot": "",
	"/control/replication/promote":  "{}",
}

// TestReadsChangeNothing checks that requests which a standby answers leave the data as it is.
func TestReadsChangeNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithJobs())
	to := makeTarget(t, s, "app")
	flush := func() string {
		if err := s.Config.Requests.Flush(); err != nil {
			t.Fatal(err)
		}
		return s.Digests(t)
	}
	seen := map[string]bool{}
	before := flush()
	for _, e := range append(api.Routes(), api.ControlRoutes()...) {
		body, listed := readingBodies[e.Path]
		if listed && e.Reads && e.Method != http.MethodGet {
			seen[e.Path] = true
		}
		switch {
		case !e.Reads:
			continue
		case e.Method != http.MethodGet && !listed:
			t.Errorf("%s %s reads, but has no body here", e.Method, e.Path)
		case e.Access == "owner":
			s.Owner(t, e.Method, to.path(e.Path), body)
		default:
			// A request without a session would be counted in the statistics.
			status, answer, _ := s.Send(t, e.Method, to.path(e.Path), session(s), body)
			if listed && status >= 300 {
				t.Errorf("%s %s: got %d %s", e.Method, e.Path, status, answer)
			}
		}
		after := s.Digests(t)
		// A login notes from where it came.
		if after != before && !strings.HasSuffix(e.Path, "/auth/login") {
			t.Errorf("%s %s has changed the data", e.Method, e.Path)
		}
		if before = after; strings.HasPrefix(e.Path, "/f/") { // even the administrator's downloads are counted
			before = flush()
		}
	}
	for path := range readingBodies {
		if !seen[path] {
			t.Errorf("%s does not read", path)
		}
	}
}

func session(s *apitest.Server) map[string]string {
	return map[string]string{"Authorization": "Bearer " + s.Admin}
}

// roleDouble is the replication of a server in a test.
type roleDouble struct {
	behind  atomic.Int64          // nanoseconds; negative = a primary
	refusal atomic.Pointer[error] // of Admit
	confirm func(context.Context) error
	commits func() uint64 // the position; nil = it never changes
	status  atomic.Pointer[replica.Status]
}

func newRole() *roleDouble {
	d := &roleDouble{}
	d.behind.Store(-1)
	d.status.Store(&replica.Status{Role: replica.RolePrimary})
	return d
}

func (d *roleDouble) refuse(err error) { d.refusal.Store(&err) }

func (d *roleDouble) option() apitest.Option {
	return apitest.WithConfig(func(c *api.Config) {
		c.Replication = &web.Replication{
			Standby: func() (time.Duration, bool) {
				behind := d.behind.Load()
				return time.Duration(max(behind, 0)), behind >= 0
			},
			Admit: func() error {
				if err := d.refusal.Load(); err != nil {
					return *err
				}
				return nil
			},
			Confirm: d.confirm,
			Position: func() uint64 {
				if d.commits == nil {
					return 1
				}
				return d.commits()
			},
			Status: func() replica.Status { return *d.status.Load() },
		}
	})
}

// TestStandbyAnswers checks that a standby answers all requests that change nothing, and no other.
func TestStandbyAnswers(t *testing.T) {
	t.Parallel()
	role := newRole()
	s := apitest.NewServer(t, role.option(), apitest.WithIndex())
	to := makeTarget(t, s, "app")
	key := s.Key(t, `{"name":"CI","scopes":["projects:read"]}`)
	role.behind.Store(int64(2500 * time.Millisecond))
	before := s.Digests(t)
	for _, e := range append(api.Routes(), api.ControlRoutes()...) {
		if e.Access == "owner" {
			_, answer := s.Owner(t, e.Method, to.path(e.Path), readingBodies[e.Path])
			if refused := strings.Contains(answer, "only answers requests that change nothing"); refused == e.Reads {
				t.Errorf("%s %s: got %s, reads: %t", e.Method, e.Path, answer, e.Reads)
			}
			continue
		}
		status, answer, header := s.Send(t, e.Method, to.path(e.Path), session(s), readingBodies[e.Path])
		if e.Reads {
			if header.Get("X-Svc-Standby") != "2" || header.Get("X-Svc-Outcome") != "" || status >= 500 && !strings.HasPrefix(e.Path, "/readyz") {
				t.Errorf("%s %s: got %d %v %s", e.Method, e.Path, status, header, answer)
			}
			continue
		}
		if status != 503 || header.Get("Retry-After") != "30" || header.Get("X-Svc-Outcome") != "none" || header.Get("X-Svc-Standby") != "" ||
			!strings.Contains(answer, "standby") {
			t.Errorf("%s %s: got %d %v %s", e.Method, e.Path, status, header, answer)
		}
	}
	if status, _, header := s.Do(t, "GET", "/admin/projects/app", key, ""); status != 200 || header.Get("X-Svc-Standby") != "2" {
		t.Errorf("a key: got %d %v", status, header)
	}
	if status, answer, _ := s.Send(t, "POST", "/control/jobs/backup", nil, ""); status != 404 {
		t.Errorf("a control route over TCP: got %d %s", status, answer)
	}
	if after := s.Digests(t); after != before {
		t.Error("the data of the standby has changed")
	}

	role.behind.Store(-1)
	if status, _, header := s.Do(t, "GET", "/admin/projects/app", s.Admin, ""); status != 200 || header.Get("X-Svc-Standby") != "" {
		t.Errorf("after the promotion: got %d %v", status, header)
	}
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"b","name":"b"}`)
}

// TestStandbyCountsNothing checks that the requests to a standby are in no statistics.
func TestStandbyCountsNothing(t *testing.T) {
	t.Parallel()
	role := newRole()
	s := apitest.NewServer(t, role.option())
	to := makeTarget(t, s, "app")
	flush := func() string {
		if err := s.Config.Requests.Flush(); err != nil {
			t.Fatal(err)
		}
		return s.Digests(t)
	}
	before := flush()
	ask := func() {
		for _, path := range []string{"/api/v1/public/app/versions/latest", to.link} {
			if status, answer, _ := s.Send(t, "GET", path, nil, ""); status != 200 {
				t.Fatalf("%s: got %d %s", path, status, answer)
			}
		}
	}
	role.behind.Store(0)
	ask()
	if after := flush(); after != before {
		t.Error("a standby has counted requests")
	}
	role.behind.Store(-1)
	ask()
	if after := flush(); after == before {
		t.Error("a primary has counted nothing")
	}
}

// TestFileWithoutContentOnStandby checks that a standby answers 503 for a file until the content of
// the file has arrived, and that this does not count as a failure of a storage.
func TestFileWithoutContentOnStandby(t *testing.T) {
	t.Parallel()
	role := newRole()
	s := apitest.NewServer(t, role.option())
	to := makeTarget(t, s, "app")
	if err := os.RemoveAll(filepath.Join(s.Dir, datadir.Files, "objects")); err != nil {
		t.Fatal(err)
	}
	if status, answer, _ := s.Send(t, "GET", to.link, nil, ""); status != 502 {
		t.Errorf("primary: got %d %s", status, answer)
	}
	role.behind.Store(0)
	status, answer, header := s.Send(t, "GET", to.link, nil, "")
	if status != 503 || header.Get("Retry-After") != "30" || header.Get("X-Svc-Standby") != "0" || header.Get("Cache-Control") != "no-store" {
		t.Errorf("standby: got %d %v %s", status, header, answer)
	}
}

// TestRefusingPrimary checks that a primary which must not write refuses writes with the fault of
// its replication, and answers everything else.
func TestRefusingPrimary(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		fault *fault.Error
		after string
	}{
		{"fenced", fault.New(fault.Unavailable, "db2 is the primary").Outcome(fault.OutcomeNone), ""},
		{"lease", fault.New(fault.Unavailable, "the target was not reached").After(5 * time.Second).Outcome(fault.OutcomeNone), "5"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			role := newRole()
			s := apitest.NewServer(t, role.option())
			to := makeTarget(t, s, "app")
			key := s.Key(t, `{"name":"CI","scopes":["projects:read"]}`)
			role.refuse(tc.fault)
			before := s.Digests(t)
			for _, e := range api.Routes() {
				status, answer, header := s.Send(t, e.Method, to.path(e.Path), session(s), readingBodies[e.Path])
				refused := status == 503 && header.Get("X-Svc-Outcome") == "none" && header.Get("Retry-After") == tc.after &&
					strings.Contains(answer, tc.fault.Error())
				if refused == e.Reads || header.Get("X-Svc-Standby") != "" {
					t.Errorf("%s %s: got %d %v %s", e.Method, e.Path, status, header, answer)
				}
			}
			if status, answer, _ := s.Do(t, "GET", "/admin/projects/app", key, ""); status != 200 {
				t.Errorf("a key: got %d %s", status, answer)
			}
			if status, answer := s.Owner(t, "POST", "/control/api-keys", `{"name":"x"}`); status != 503 {
				t.Errorf("control connection: got %d %s", status, answer)
			}
			if after := s.Digests(t); after != before {
				t.Error("the data has changed")
			}
		})
	}
}

// TestSyncHoldsAnswers checks that the answer of a write leaves the server only after the target has
// the change, and that reads do not wait.
func TestSyncHoldsAnswers(t *testing.T) {
	t.Parallel()
	role := newRole()
	var hold sync.Mutex // held while the target does not answer
	waiting := make(chan struct{}, 10)
	role.confirm = func(context.Context) error {
		waiting <- struct{}{}
		hold.Lock()
		defer hold.Unlock()
		return nil
	}
	s := apitest.NewServer(t, role.option())
	hold.Lock()
	answered := make(chan int)
	go func() {
		status, _ := s.Ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"a"}`)
		answered <- status
	}()
	<-waiting
	if answer := s.Must(t, 200, "GET", "/admin/projects/a", ""); !strings.Contains(answer, `"a"`) {
		t.Errorf("a read meanwhile: got %s", answer)
	}
	select {
	case status := <-answered:
		t.Errorf("answered with %d before the target has the change", status)
	default:
	}
	hold.Unlock()
	if status := <-answered; status != 201 {
		t.Errorf("got %d", status)
	}
}

// TestSyncWithoutTarget checks that a write which cannot be confirmed is answered with 503 and an
// unknown outcome, whatever the handler has answered.
func TestSyncWithoutTarget(t *testing.T) {
	t.Parallel()
	role := newRole()
	var silent atomic.Bool
	failure := fault.New(fault.Unavailable, "the target did not answer").After(5 * time.Second).Outcome(fault.OutcomeUnknown)
	role.confirm = func(context.Context) error {
		if silent.Load() {
			return failure
		}
		return nil
	}
	s := apitest.NewServer(t, role.option())
	to := makeTarget(t, s, "app")
	silent.Store(true)
	headers := map[string]string{"Authorization": "Bearer " + s.Admin, "Idempotency-Key": "once"}
	const all = "/api/v1/admin/projects/app/announcements"
	for _, row := range []struct{ name, method, path, body string }{
		{"new record", "POST", all, `{"title":"once","content":"c"}`},
		{"same request again", "POST", all, `{"title":"once","content":"c"}`},
		{"record with a tag", "PATCH", all + "/" + to.announcement, `{"title":"changed"}`},
		{"refused change", "POST", "/api/v1/admin/projects", `{"project_key":"app","name":"app"}`},
		{"events", "POST", "/api/v1/public/app/events", `{"distinct_id":"x","events":[{"event_id":"2","name":"open"}]}`},
		{"feedback", "POST", "/api/v1/public/app/feedbacks", `{"content":"good"}`},
		{"upload", "PUT", "/api/v1/admin/projects/app/files?filename=b", "hello"},
		{"deletion", "DELETE", all + "/" + to.announcement, ""},
		{"same deletion again", "DELETE", all + "/" + to.announcement, ""},
	} {
		status, answer, header := s.Send(t, row.method, row.path, headers, row.body)
		if status != 503 || header.Get("Retry-After") != "5" || header.Get("X-Svc-Outcome") != "unknown" || header.Get("Etag") != "" ||
			!strings.Contains(answer, `"the target did not answer"`) {
			t.Errorf("%s: got %d %v %s", row.name, status, header, answer)
		}
	}
	if status, token := s.LogIn(t, "admin", apitest.Password); status != 201 || token == "" {
		t.Errorf("login: got %d", status)
	}
	if status, answer := s.Owner(t, "POST", "/control/api-keys", `{"name":"x"}`); status != 503 {
		t.Errorf("control connection: got %d %s", status, answer)
	}
	silent.Store(false)
	status, answer, header := s.Send(t, "POST", all, headers, `{"title":"once","content":"c"}`)
	if status != 201 {
		t.Errorf("the change, when the target answers again: got %d %v %s", status, header, answer)
	}
	if n := strings.Count(s.Must(t, 200, "GET", "/admin/projects/app/announcements", ""), `"title":"once"`); n != 1 {
		t.Errorf("the change was made %d times", n)
	}
}

// TestSyncRefusals checks that a refusal is sent without waiting for the target if the request has changed nothing.
func TestSyncRefusals(t *testing.T) {
	t.Parallel()
	role := newRole()
	var silent atomic.Bool
	var position, step atomic.Uint64
	role.confirm = func(context.Context) error {
		if silent.Load() {
			return fault.New(fault.Unavailable, "the target did not answer").Outcome(fault.OutcomeUnknown)
		}
		return nil
	}
	role.commits = func() uint64 { return position.Add(step.Load()) }
	s := apitest.NewServer(t, role.option())
	makeTarget(t, s, "app")
	silent.Store(true)
	const one = "/api/v1/admin/projects/app/announcements/2222"
	for _, row := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"invalid", "POST", "/api/v1/admin/projects", `{}`, 400},
		{"no JSON", "POST", "/api/v1/admin/projects", `x`, 400},
		{"absent", "PATCH", one, `{"title":"t"}`, 404},
		{"not signed", "POST", "/api/v1/webhooks/codehost/app", "{}", 401},
	} {
		for committed, want := range []int{row.status, 503} {
			step.Store(uint64(committed))
			if status, answer, _ := s.Send(t, row.method, row.path, session(s), row.body); status != want {
				t.Errorf("%s, %d commits: got %d %s, want %d", row.name, committed, status, answer, want)
			}
		}
	}
}

// TestNoReplicationNoHeaders checks that a server without replication sends none of its headers.
func TestNoReplicationNoHeaders(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	to := makeTarget(t, s, "app")
	for _, e := range api.Routes() {
		if e.Method == http.MethodDelete {
			continue
		}
		_, _, header := s.Send(t, e.Method, to.path(e.Path), session(s), "{}")
		for _, name := range []string{"X-Svc-Standby", "X-Svc-Outcome"} {
			if header[name] != nil {
				t.Errorf("%s %s sends %s", e.Method, e.Path, name)
			}
		}
	}
}
