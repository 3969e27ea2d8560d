package cmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestHooksDoNotReachTheServer checks for each kind of hook that a running server refuses to send to its
// own listeners, in all spellings of their addresses.
func TestHooksDoNotReachTheServer(t *testing.T) {
	t.Parallel()
	// a loopback address of this process, because the ports must be known before the start
	host := fmt.Sprintf("127.73.%d.%d", os.Getpid()>>8&0xff, os.Getpid()&0xff)
	const public, metrics = 20471, 20472
	at := func(host string, port int) string { return fmt.Sprintf("%s:%d", host, port) }
	c := exec.Command("svc", "serve", "--data", filepath.Join(t.TempDir(), "data"),
		"--listen", at(host, public), "--metrics-listen", at(host, metrics))
	c.Env = []string{"SVC_SMTP_URL=smtp://" + at(host, public) + "?starttls=off", "SVC_SMTP_FROM=svc@sender.example"}
	p := launch(t, c)
	test := func(what, body string) {
		t.Helper()
		hook := "/admin/hooks/" + p.ask(t, "POST", "/admin/hooks", body, 201)["id"].(string)
		got := p.ask(t, "POST", hook+"/test", "", 200)
		if got["ok"] != false || got["status"] != 0.0 || got["response"] != nil || got["error"] != "the address is that of this server" {
			t.Errorf("%s: got %v", what, got)
		}
		p.ask(t, "DELETE", hook, "", 200)
	}
	for _, port := range []int{public, metrics} {
		for _, spelling := range []string{host, "127.0.0.1", "localhost", "[::1]", "[::ffff:" + host + "]"} {
			for _, kind := range []string{"webhook", "ntfy", "slack", "discord"} {
				address := "http://" + at(spelling, port) + "/a/b/c"
				test(kind+" "+address, fmt.Sprintf(`{"name":"own","kind":%q,"url":%q}`, kind, address))
			}
		}
	}
	test("email", `{"name":"own","kind":"email","to":["a@example.com"]}`)
}
