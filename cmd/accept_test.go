package cmd

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/internal/replica"
)

// TestStandbyThatAccepts checks that a standby can be the target of its primary, without any other
// server: it gets a snapshot and changes, can be promoted, and fences its primary.
func TestStandbyThatAccepts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copy")
	token, code := runSvc(t, "standby", "token", "--data", copied)
	if again, _ := runSvc(t, "standby", "token", "--data", copied); code != exitOK || again != token || strings.Count(token, "\n") != 1 {
		t.Fatalf("token %q, exit code %d, then %q", token, code, again)
	}
	standby := launchCommand(t, nil, "standby", "--data", copied, "--accept", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--every", "100ms")
	address := strings.TrimPrefix(standby.await(t, `127\.0\.0\.1:[1-9][0-9]*`), "http://")
	standby.await(t, "waiting for the first snapshot")
	primary := launch(t, []string{"SVC_REPLICATE_PASSWORD=" + strings.TrimSpace(token)}, "--data", data, "--listen", "127.0.0.1:0",
		"--replicate-to", "svc://"+address, "--replicate-every", "100ms")
	primary.await(t, "http://")
	standby.await(t, "http://")
	if out, code := runSvc(t, "apikey", "create", "--name", "after", "--data", data, "--scope", "projects:read"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, out)
	}
	eventually(t, "the key is in the copy", func() bool {
		out, code := runSvc(t, "apikey", "list", "--data", copied)
		return code == exitOK && strings.Contains(out, "after")
	})
	if out, code := runSvc(t, "promote", "--data", copied); code != exitOK || !strings.Contains(out, "epoch 2") {
		t.Fatalf("promote: exit code %d: %s", code, out)
	}
	eventually(t, "the old primary is fenced", func() bool {
		out, _ := runSvc(t, "replicate", "status", "--json", "--data", data)
		var s replica.Status
		return json.Unmarshal([]byte(out), &s) == nil && s.Fenced
	})
	if out, code := runSvc(t, "apikey", "create", "--name", "later", "--data", copied, "--scope", "projects:read"); code != exitOK {
		t.Errorf("write after the promotion: exit code %d: %s", code, out)
	}
}

// TestPromotedStandbyRefuses checks that a standby which has accepted changes, and was promoted while it was
// stopped, fences its old primary when "svc serve" runs on it.
func TestPromotedStandbyRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copy")
	token, _ := runSvc(t, "standby", "token", "--data", copied)
	standby := launchCommand(t, nil, "standby", "--data", copied, "--accept", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--every", "100ms")
	address := standby.await(t, `127\.0\.0\.1:[1-9][0-9]*`)
	replicate := func() *server {
		return launch(t, []string{"SVC_REPLICATE_PASSWORD=" + strings.TrimSpace(token)}, "--data", data, "--listen", "127.0.0.1:0",
			"--replicate-to", "svc://"+address, "--replicate-every", "100ms")
	}
	primary := replicate()
	standby.await(t, "http://")
	for _, s := range []*server{primary, standby} {
		if err := s.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-s.exited
	}
	if out, code := runSvc(t, "promote", "--data", copied); code != exitOK {
		t.Fatalf("promote: exit code %d: %s", code, out)
	}
	successor := launch(t, nil, "--data", copied, "--listen", "127.0.0.1:0")
	successor.await(t, "refusing the changes of the old primary.*"+regexp.QuoteMeta(address))
	successor.await(t, "http://")
	replicate()
	eventually(t, "the old primary is fenced", func() bool {
		out, code := runSvc(t, "replicate", "status", "--data", data)
		return code == exitOK && strings.Contains(out, "fenced") && strings.Contains(out, "new primary has everything that is here")
	})
}
