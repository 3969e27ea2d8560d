package cmd_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/testutil"
)

// TestEventLimit checks that events are rejected with 507 once events.db has reached
// event.max_size_mib. Accepted events must not be lost, and other requests must still succeed.
func TestEventLimit(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--listen", "127.0.0.1:0", "--log-level", "warn", "--event-max-size-mib", "48")
	c.Env = []string{"SVC_PUBLIC_RATE_LIMIT=0"}
	p := launch(t, c)
	p.ask(t, "POST", "/admin/projects", `{"project_key":"a","name":"x"}`, 201)
	random := rand.NewChaCha8([32]byte{1}) // random bytes, which do not compress
	const perBatch = 50
	batch := func(n int) string {
		var events []string
		for i := range perBatch {
			text := make([]byte, 1200)
			_, _ = random.Read(text)
			events = append(events, fmt.Sprintf(`{"event_id":"%d-%d","name":"open","properties":{"text":%q}}`, n, i, base64.StdEncoding.EncodeToString(text)))
		}
		return `{"distinct_id":"u","events":[` + strings.Join(events, ",") + `]}`
	}
	accepted, status, message, retry := 0, 202, "", ""
	for n := 0; status == 202; n++ {
		if n == 1000 {
			t.Fatal("events are still taken")
		}
		if status, message, retry = p.try(t, "POST", "/public/a/events", batch(n)); status == 202 {
			accepted += perBatch
		}
	}
	if status != 507 || !strings.Contains(message, "has reached its size limit") || retry == "" || accepted == 0 {
		t.Fatalf("after %d events: got %d %.300s, Retry-After %q; want 507", accepted, status, message, retry)
	}
	if got := p.total(t, "/admin/projects/a/events/stats/overview"); got != accepted {
		t.Errorf("got %d events, want %d", got, accepted)
	}
	p.ask(t, "POST", "/public/a/logs", `{"level":1,"content":"a log"}`, 201)
	p.ask(t, "POST", "/admin/projects/a/announcements", `{"title":"t","content":"c"}`, 201)
	p.end(t, os.Interrupt)
}
