package cmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/codehost/codehosttest"
)

// forwardingServer is a server with a project named beacon, which forwards feedback as issues.
type forwardingServer struct {
	host *codehosttest.Host
	repo *codehosttest.Repository
	data string
	*process
}

func newForwardingServer(t *testing.T) *forwardingServer {
	t.Helper()
	s := &forwardingServer{host: codehosttest.New(t), data: filepath.Join(t.TempDir(), "data")}
	s.repo = s.host.Repository("lumen-works/beacon")
	app := s.host.App(t, map[string]string{"issues": "write"})
	app.Install(s.repo)
	s.begin(t)
	s.ask(t, "POST", "/admin/projects", `{"project_key":"beacon","name":"Beacon"}`, 201)
	key, err := json.Marshal(app.PKCS1)
	if err != nil {
		t.Fatal(err)
	}
	s.ask(t, "PUT", "/admin/codehost-app", fmt.Sprintf(`{"app_id":%q,"private_key":%s,"enabled_features":["feedback_issue"]}`, app.ID, key), 200)
	s.ask(t, "PUT", "/admin/projects/beacon/codehost-integration", `{"repo_full_name":"lumen-works/beacon","feedback_issue_enabled":true}`, 200)
	return s
}

// begin starts the server, or restarts it.
func (s *forwardingServer) begin(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	s.process = launch(t, exec.Command(path, "serve", "--data", s.data, "--listen", "127.0.0.1:0", "--codehost-api-base-url", s.host.URL, "--codehost-web-base-url", s.host.URL))
}

// killInRequest sends a request that creates an issue. It kills the server after the code host has
// created the issue and before the code host responds.
func (s *forwardingServer) killInRequest(t *testing.T, path, body string) {
	t.Helper()
	created := make(chan struct{})
	s.host.BreakTimes(1, "POST", "/issues", func(_ *codehosttest.Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			close(created)
			<-r.Context().Done() // the server has been killed
		})
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	answered := make(chan error, 1)
	go func() {
		answer, err := http.DefaultClient.Do(r)
		if err == nil {
			err = answer.Body.Close()
		}
		answered <- err
	}()
	<-created
	s.end(t, os.Kill)
	if <-answered == nil {
		t.Error("the request of the killed server was answered")
	}
	if len(s.repo.Issues()) != 1 {
		t.Fatalf("got %d issues, want that of the killed server", len(s.repo.Issues()))
	}
	program(t, "check", "--data", s.data)
}

// TestForwardIsKilled kills a server after the code host has created an issue and before the server
// receives the response. At that time, the server has no record of the feedback yet. It checks that
// sending the feedback again after a restart does not create a second issue or a second record.
func TestForwardIsKilled(t *testing.T) {
	t.Parallel()
	s := newForwardingServer(t)
	const list, forwarded = "/admin/projects/beacon/feedbacks", `{"content":"dark","contact":"mira@example.org","forward_to_codehost":true}`
	s.killInRequest(t, "/public/beacon/feedbacks", forwarded)

	s.begin(t)
	if n := s.total(t, list); n != 0 {
		t.Errorf("after the start there are %d records, want none", n)
	}
	first := s.ask(t, "POST", "/public/beacon/feedbacks", forwarded, 201)
	again := s.ask(t, "POST", "/public/beacon/feedbacks", forwarded, 201)
	if first["codehost_issue_number"] != 1.0 || first["id"] != again["id"] || !strings.Contains(s.repo.Issues()[0].Body, first["id"].(string)) {
		t.Errorf("got %v and %v, want the issue there is", first, again)
	}
	if records, issues := s.total(t, list), len(s.repo.Issues()); records != 1 || issues != 1 {
		t.Errorf("got %d records and %d issues, want one", records, issues)
	}
	s.end(t, os.Interrupt)
	program(t, "check", "--data", s.data)
}

// TestForwardOfStoredFeedbackIsKilled kills a server in the same way while an administrator
// forwards stored feedback. It checks that the feedback still exists, and that forwarding it again
// after the restart links it to the existing issue.
func TestForwardOfStoredFeedbackIsKilled(t *testing.T) {
	t.Parallel()
	s := newForwardingServer(t)
	one := "/admin/projects/beacon/feedbacks/" + s.ask(t, "POST", "/public/beacon/feedbacks", `{"content":"dark"}`, 201)["id"].(string)
	s.killInRequest(t, one+"/forward", "")

	s.begin(t)
	if f := s.ask(t, "GET", one, "", 200); f["forwarded_to_codehost"] != false || f["content"] != "dark" {
		t.Errorf("after the start: got %v, want the feedback as it was", f)
	}
	for range 2 {
		if f := s.ask(t, "POST", one+"/forward", "", 200); f["codehost_issue_number"] != 1.0 {
			t.Errorf("got %v, want the issue there is", f)
		}
	}
	if n := len(s.repo.Issues()); n != 1 {
		t.Errorf("got %d issues, want one", n)
	}
	s.end(t, os.Interrupt)
	program(t, "check", "--data", s.data)
}
