package hooks_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/testutil"
)

// receivers are the receivers in docs/notifications.md, by the language of their block.
var receivers = map[string]struct {
	pack    string // the package that verifies signatures
	install [][]string
	file    string
	run     []string // the commands that build and run the receiver; the last one runs it
}{
	"python": {
		"standardwebhooks-python-1.1.0",
		[][]string{{"python3", "-m", "venv", "venv"}, {"venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "standardwebhooks==1.1.0"}},
		"receiver.py", []string{"venv/bin/python", "receiver.py"},
	},
	"js": {
		"standardwebhooks-node-1.1.1", [][]string{{"npm", "install", "--no-audit", "--no-fund", "--silent", "standardwebhooks@1.1.1"}},
		"receiver.mjs", []string{"node", "receiver.mjs"},
	},
	"go": {
		"standardwebhooks-go-0.0.1",
		[][]string{{"go", "mod", "init", "receiver"}, {"go", "get", "github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1"}},
		"receiver.go", []string{"./receiver"},
	},
}

// TestDocumentedReceivers runs each receiver, and sends it requests with valid, invalid and two
// signatures.
func TestDocumentedReceivers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	for language, r := range receivers {
		code := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(page)
		if code == nil {
			t.Errorf("the page has no receiver in %s", language)
			continue
		}
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			folder := apitest.Installed(t, r.pack, func(ctx context.Context, dir string) error {
				for _, args := range r.install {
					if err := execute(ctx, dir, args); err != nil {
						return err
					}
				}
				return nil
			})
			if err := os.WriteFile(filepath.Join(folder, r.file), code[1], 0o600); err != nil {
				t.Fatal(err)
			}
			if language == "go" {
				if err := execute(t.Context(), folder, []string{"go", "build", "-mod=mod", "-o", "receiver", r.file}); err != nil {
					t.Fatal(err)
				}
			}
			checkReceiver(t, startReceiver(t, folder, r.run))
		})
	}
}

func execute(ctx context.Context, dir string, args []string) error {
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the commands are those of this file
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w: %s", args, err, out)
	}
	return nil
}

// startReceiver starts a receiver with the first secret, and returns its address.
func startReceiver(t *testing.T, dir string, args []string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	name := args[0]
	if strings.Contains(name, "/") {
		name = filepath.Join(dir, name)
	}
	var printed strings.Builder
	c := exec.CommandContext(t.Context(), name, args[1:]...) //nolint:gosec // the commands are those of this file
	c.Dir, c.Stdout, c.Stderr = dir, &printed, &printed
	c.Env = append(os.Environ(), "HOOK_SECRET="+secret, "PORT="+port)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it never ends by itself
		_ = c.Wait()
		if !strings.Contains(printed.String(), "hook.test") {
			t.Errorf("the receiver printed %q", printed.String())
		}
	})
	testutil.Until(t, "the receiver listens", func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return "http://" + address
}

// checkReceiver checks that a receiver accepts requests with its secret only.
func checkReceiver(t *testing.T, address string) {
	t.Helper()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	one := hook(t, s, ofProject, fmt.Sprintf(`{"name":"a ☃","kind":"webhook","url":"%s/x","secret":%q}`, address, secret))
	probe := func(what string, status int) {
		t.Helper()
		want := fmt.Sprintf(`{"ok":%t,"status":%d}`, status == 204, status)
		if answer := s.Must(t, 200, "POST", one+"/test", ""); apitest.CompareJSON(t, answer, want) != "" {
			t.Errorf("%s: got %s, want %s", what, answer, want)
		}
	}
	probe("its secret", 204)
	s.Must(t, 200, "POST", one+"/rotate", `{"grace_minutes":5}`)
	probe("both secrets", 204)
	s.Must(t, 200, "POST", one+"/rotate", "")
	probe("another secret", 401)
}
