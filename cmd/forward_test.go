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

// TestForwardIsKilled: a server that is killed when the code host has created an issue
// and before it knows so has no record of it, and makes neither a second issue nor a
// second record when the feedback is sent again after the start.
func TestForwardIsKilled(t *testing.T) {
	t.Parallel()
	host := codehosttest.New(t)
	repo := host.Repository("lumen-works/beacon")
	app := host.App(t, map[string]string{"issues": "write"})
	app.Install(repo)
	data := filepath.Join(t.TempDir(), "data")
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	begin := func() *process {
		return launch(t, exec.Command(path, "serve", "--data", data, "--listen", "127.0.0.1:0", "--codehost-api-base-url", host.URL, "--codehost-web-base-url", host.URL))
	}
	const list, forwarded = "/admin/projects/beacon/feedbacks", `{"content":"dark","contact":"mira@example.org","forward_to_codehost":true}`
	p := begin()
	p.ask(t, "POST", "/admin/projects", `{"project_key":"beacon","name":"Beacon"}`, 201)
	key, err := json.Marshal(app.PKCS1)
	if err != nil {
		t.Fatal(err)
	}
	p.ask(t, "PUT", "/admin/codehost-app", fmt.Sprintf(`{"app_id":%q,"private_key":%s,"enabled_features":["feedback_issue"]}`, app.ID, key), 200)
	p.ask(t, "PUT", "/admin/projects/beacon/codehost-integration", `{"repo_full_name":"lumen-works/beacon","feedback_issue_enabled":true}`, 200)

	created := make(chan struct{})
	host.BreakTimes(1, "POST", "/issues", func(_ *codehosttest.Host, next http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			close(created)
			<-r.Context().Done() // the server is gone
		})
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/public/beacon/feedbacks", strings.NewReader(forwarded))
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		answer, err := http.DefaultClient.Do(r)
		if err == nil {
			err = answer.Body.Close()
		}
		answered <- err
	}()
	<-created
	p.end(t, os.Kill)
	if <-answered == nil {
		t.Error("the request of the killed server was answered")
	}
	if len(repo.Issues()) != 1 {
		t.Fatalf("got %d issues, want that of the killed server", len(repo.Issues()))
	}
	program(t, "check", "--data", data)

	p = begin()
	if n := p.total(t, list); n != 0 {
		t.Errorf("after the start there are %d records, want none", n)
	}
	first := p.ask(t, "POST", "/public/beacon/feedbacks", forwarded, 201)
	again := p.ask(t, "POST", "/public/beacon/feedbacks", forwarded, 201)
	if first["codehost_issue_number"] != 1.0 || first["id"] != again["id"] || !strings.Contains(repo.Issues()[0].Body, first["id"].(string)) {
		t.Errorf("got %v and %v, want the issue there is", first, again)
	}
	if records, issues := p.total(t, list), len(repo.Issues()); records != 1 || issues != 1 {
		t.Errorf("got %d records and %d issues, want one", records, issues)
	}
	p.end(t, os.Interrupt)
	program(t, "check", "--data", data)
}
