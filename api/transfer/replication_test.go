package transfer_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/replica"
)

// TestImportIsConfirmed checks that an import does not report success before the replica has the
// project, also if its progress was reported before.
func TestImportIsConfirmed(t *testing.T) {
	t.Parallel()
	from := apitest.NewServer(t)
	from.Project(t, "demo")
	archive, _ := export(t, from, "demo")
	for _, tc := range []struct {
		name     string
		pace     time.Duration // time that passes at each look at the clock
		answered int64         // number of times that the target answers
		status   int
		text     string
	}{
		{"target answers", 0, 1000, 200, `"done":true`},
		{"target is silent", 0, 0, 503, "the target is silent"},
		{"target is silent after the progress", 2 * time.Second, 1, 200, `"problems":["the target is silent"]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var looks, asked atomic.Int64
			begin := time.Now()
			s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
				c.Now = func() time.Time { return begin.Add(time.Duration(looks.Add(1)) * tc.pace) }
				c.Replication = &web.Replication{
					Status:   func() replica.Status { return replica.Status{} },
					Position: func() uint64 { return 0 },
					Confirm: func(context.Context) error {
						if asked.Add(1) > tc.answered {
							return fault.New(fault.Unavailable, "the target is silent").Outcome(fault.OutcomeUnknown)
						}
						return nil
					},
				}
			}))
			status, answer := s.Owner(t, "POST", "/control/import", string(archive))
			lines := strings.Split(strings.TrimSpace(answer), "\n")
			if last := lines[len(lines)-1]; status != tc.status || !strings.Contains(last, tc.text) {
				t.Errorf("got %d %s, want %d %s", status, answer, tc.status, tc.text)
			}
			done := slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, `"done":true`) })
			if want := tc.answered > 1; done != want {
				t.Errorf("reported success: %t, want %t", done, want)
			}
		})
	}
}
