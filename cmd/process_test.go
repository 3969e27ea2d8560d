package cmd_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/internal/testutil"
)

// process is a server in a separate process, which tests can stop and kill.
type process struct {
	*exec.Cmd
	url    string // base URL, including /api/v1
	token  string
	log    strings.Builder
	logged chan struct{} // closed at the end of log
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

// launch starts c, a command that runs a server, and logs in. The server's environment consists of
// the test's environment and the variables in c.Env.
func launch(t *testing.T, c *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: c, logged: make(chan struct{})}
	p.Env = append(append(os.Environ(), "ADMIN_PASSWORD=correct horse", "SVC_LOG_FORMAT=json"), c.Env...)
	log, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.end(t, os.Kill) })
	urls := make(chan string, 1)
	go func() {
		defer close(p.logged)
		defer close(urls)
		for s := bufio.NewScanner(log); s.Scan(); { // read to the end, so that the process never blocks on a full pipe
			p.log.WriteString(s.Text() + "\n")
			if url := regexp.MustCompile(`http://[0-9.:]+`).FindString(s.Text()); url != "" {
				select {
				case urls <- url:
				default:
				}
			}
		}
	}()
	p.url = <-urls + "/api/v1"
	p.token = p.ask(t, "POST", "/auth/login", `{"username":"admin","password":"correct horse"}`, 201)["access_token"].(string)
	return p
}

// end sends a signal and waits until the process has ended.
func (p *process) end(t *testing.T, s os.Signal) {
	t.Helper()
	if p.ProcessState != nil {
		return
	}
	if err := p.Process.Signal(s); err != nil {
		t.Error(err)
	}
	<-p.logged
	_ = p.Wait() // a killed process returns an error
}

// address returns the address at which the server listens.
func (p *process) address() string {
	return strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/api/v1")
}

// dial opens a connection with a long deadline and sends a text.
func (p *process) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(testutil.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
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

// try makes a request and returns the status, the body and the Retry-After header of the response.
func (p *process) try(t *testing.T, method, path, body string) (status int, message, retry string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header.Get("Retry-After")
}

// total returns the number of records in a list.
func (p *process) total(t *testing.T, path string) int {
	t.Helper()
	return int(p.ask(t, "GET", path, "", 200)["total"].(float64))
}
