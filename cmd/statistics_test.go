package cmd_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// process is a server of its own, for being stopped and killed.
type process struct {
	*exec.Cmd
	url   string // with /api/v1
	token string
	lines chan string // its log; closed at its end
}

// serve starts a server on a data directory and logs in.
func serve(t *testing.T, dir string) *process {
	t.Helper()
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	return launch(t, exec.Command(path, "serve", "--data", dir, "--listen", "127.0.0.1:0"))
}

// launch starts a command that becomes a server, with the environment that it
// names beside the usual one, and logs in.
func launch(t *testing.T, c *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: c, lines: make(chan string, 1000)}
	p.Env = append(append(os.Environ(), "ADMIN_PASSWORD=correct horse", "SVC_LOG_FORMAT=json"), c.Env...)
	log, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.end(t, os.Kill) })
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(log); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	for line := range p.lines {
		if url := regexp.MustCompile(`http://[0-9.:]+`).FindString(line); url != "" {
			p.url = url + "/api/v1"
			break
		}
	}
	p.token = p.ask(t, "POST", "/auth/login", `{"username":"admin","password":"correct horse"}`, 201)["access_token"].(string)
	return p
}

// end sends a signal and waits until the process is gone.
func (p *process) end(t *testing.T, s os.Signal) {
	t.Helper()
	if p.ProcessState != nil {
		return
	}
	if err := p.Process.Signal(s); err != nil {
		t.Error(err)
	}
	for range p.lines { // to the end of its log
	}
	_ = p.Wait() // killed is an error
}

func (p *process) ask(t *testing.T, method, path, body string, status int) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	fields := map[string]any{}
	if err := json.NewDecoder(answer.Body).Decode(&fields); err != nil || answer.StatusCode != status {
		t.Fatalf("%s %s: got %d %v (%v), want %d", method, path, answer.StatusCode, fields, err, status)
	}
	return fields
}

// visit asks for the public page of the project n times.
func (p *process) visit(t *testing.T, n int) {
	t.Helper()
	for range n {
		p.ask(t, "GET", "/public/a", "", 200)
	}
}

func (p *process) counted(t *testing.T) int {
	t.Helper()
	return int(p.ask(t, "GET", "/admin/projects/a/stats/requests/overview", "", 200)["total"].(float64))
}

// A stop loses no request that was counted, a kill only the last few seconds.
func TestStatisticsSurviveTheServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be asked to stop by a signal here")
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
	if got := p.counted(t); got != 8 { // whoever asks has them written
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
