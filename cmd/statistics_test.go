package cmd_test

import (
	"net/http"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// visit requests the project n times without a credential, as apps do.
func (p *process) visit(t *testing.T, n int) {
	t.Helper()
	for range n {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/public/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil || answer.StatusCode != 200 {
			t.Fatalf("got %d, %v", answer.StatusCode, err)
		}
	}
}

func (p *process) counted(t *testing.T) int {
	t.Helper()
	return int(p.ask(t, "GET", "/admin/projects/a/stats/requests/overview", "", 200)["total"].(float64))
}

// TestStatisticsSurviveTheServer checks that the counts of requests survive when a server is
// stopped. A killed server may only lose the counts of the last few seconds.
func TestStatisticsSurviveTheServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs to stop a process by a signal, which Windows does not send: run this on Linux or macOS")
	}
	dir := t.TempDir()
	p := serve(t, dir)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	p.visit(t, 5)
	p.end(t, syscall.SIGTERM)
	if code := p.ProcessState.ExitCode(); code != 0 {
		t.Errorf("got exit code %d, want 0", code)
	}

	p = serve(t, dir)
	if got := p.counted(t); got != 5 {
		t.Errorf("after a stop: got %d requests, want 5", got)
	}
	p.visit(t, 3)
	if got := p.counted(t); got != 8 { // the request itself makes the server write the pending counts
		t.Errorf("while it runs: got %d requests, want 8", got)
	}
	p.visit(t, 2)
	p.end(t, os.Kill)

	p = serve(t, dir)
	if got := p.counted(t); got < 8 || got > 10 {
		t.Errorf("after a kill: got %d requests, want the 8 that were written and at most 2 more", got)
	}
	p.end(t, syscall.SIGTERM)
}
