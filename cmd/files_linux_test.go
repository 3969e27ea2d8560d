package cmd_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"syscall"
	"testing"

	"svc/internal/testutil"
)

// answer reads a response and returns its status.
func answer(t *testing.T, c net.Conn) int {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// TestFewFiles checks that connections never use up the file descriptors that the data needs. When
// the other descriptors are used up, a new connection must replace an idle one or wait. The owner's
// commands must always work.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	const files, most = 80, 40
	p := launch(t, exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec svc serve --data "$0" --listen 127.0.0.1:0 --log-level warn`, files), t.TempDir()))
	dir := p.Args[3]
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	http.DefaultClient.CloseIdleConnections()
	testutil.Until(t, "the index that the server builds at its first start lets another be built", func() bool {
		return exec.Command("svc", "reindex", "--data", dir).Run() == nil
	})

	const get = "GET /api/v1/public/a HTTP/1.1\r\nHost: x\r\n\r\n"
	for range 2 * most { // these connections are idle, so the server closes them for new ones
		if status := answer(t, p.dial(t, get)); status != 200 {
			t.Fatalf("got status %d", status)
		}
	}
	var slow []net.Conn
	for range 2 * most {
		slow = append(slow, p.dial(t, get[:30]))
	}
	late := p.dial(t, get)
	for _, args := range [][]string{
		{"reindex"},
		{"apikey", "create", "--name", "ci", "--scope", "projects:read"},
		{"admin", "reset-password"},
	} {
		if out, err := exec.Command("svc", append(args, "--data", dir)...).CombinedOutput(); err != nil {
			t.Errorf("svc %s: %v: %s", args[0], err, out)
		}
	}
	for _, c := range slow {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if status := answer(t, late); status != 200 {
		t.Errorf("who had to wait gets status %d", status)
	}
	if status := answer(t, p.dial(t, get)); status != 200 {
		t.Errorf("afterwards: got status %d", status)
	}

	for range 2 * most {
		p.dial(t, get[:30])
	}
	p.end(t, syscall.SIGTERM)
	if code := p.ProcessState.ExitCode(); code != 0 {
		t.Errorf("stopped without room for connections: got exit code %d", code)
	}
}
