package codehost_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/store"
)

// TestForwardAfterLostAnswer checks that an issue is found by its marker if the response to its
// creation was lost, and that a second issue is never created.
func TestForwardAfterLostAnswer(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]codehosttest.Fault{
		"connection lost": codehosttest.Lose(), "a 500 afterwards": loseAnswer(500), "a 502 of a proxy": loseAnswer(502), "a 504 of a proxy": loseAnswer(504),
	} {
		lose := func(t *testing.T, options ...apitest.Option) *forwardWorld {
			t.Helper()
			w := newForwardWorld(t, options...)
			w.host.BreakTimes(1, "POST", "/issues", lost)
			if status, answer := w.send(t, "203.0.113.1", "a"); status != 503 {
				t.Fatalf("got %d %s, want 503", status, answer)
			}
			w.expect(t, 0, 1)
			return w
		}
		found := func(t *testing.T, w *forwardWorld) {
			t.Helper()
			status, answer := w.send(t, "203.0.113.1", "a")
			if why := apitest.CompareJSON(t, answer, `{"content":"a","forwarded_to_codehost":true,"codehost_issue_number":1}`); status != 201 || why != "" {
				t.Errorf("got %d %s: %s", status, answer, why)
			}
			if !strings.Contains(w.repo.Issues()[0].Body, apitest.Field[string](t, answer, "id")) {
				t.Errorf("the issue is not that of %s", answer)
			}
			w.expect(t, 1, 1)
			if status, again := w.send(t, "203.0.113.1", "a"); status != 201 || again != answer {
				t.Errorf("once more: got %d %s", status, again)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("repeated at once", func(t *testing.T) { found(t, lose(t)) })
			t.Run("repeated hours later, behind hundreds of issues", func(t *testing.T) {
				w := lose(t)
				for i := range 250 {
					w.repo.AddIssue(fmt.Sprint("issue ", i), "")
				}
				w.Clock.Advance(5 * time.Hour)
				status, answer := w.send(t, "203.0.113.1", "a")
				if status != 201 || apitest.Field[int](t, answer, "codehost_issue_number") != 1 {
					t.Errorf("got %d %s", status, answer)
				}
				w.expect(t, 1, 251)
			})
			t.Run("repeated while the code host does not say", func(t *testing.T) {
				w := lose(t)
				w.host.Break("GET", "/issues", codehosttest.Status(500))
				if status, answer := w.send(t, "203.0.113.1", "a"); status != 503 {
					t.Errorf("got %d %s", status, answer)
				}
				w.expect(t, 0, 1)
				w.host.Mend()
				found(t, w)
			})
			t.Run("repeated while the code host hides the repository", func(t *testing.T) {
				w := lose(t)
				w.host.BreakTimes(1, "GET", "/issues", codehosttest.Status(404))
				if status, answer := w.send(t, "203.0.113.1", "a"); status != 503 {
					t.Errorf("got %d %s", status, answer)
				}
				w.expect(t, 0, 1)
				found(t, w)
			})
			t.Run("repeated for another repository", func(t *testing.T) {
				w := lose(t)
				other := w.host.Repository("lumen-works/other")
				w.app.Install(other)
				w.integrate(t, func(i *store.CodehostIntegration) { i.Repo = "lumen-works/other" })
				found(t, w)
				if n := len(other.Issues()); n != 0 {
					t.Errorf("the other repository has %d issues", n)
				}
			})
			t.Run("settled by the job", func(t *testing.T) {
				w := lose(t)
				if err := w.settle(t, time.Minute); err != nil {
					t.Fatal(err)
				}
				w.expect(t, 0, 1) // too early to know whether the issue was created
				if err := w.settle(t, 2*time.Minute); err != nil {
					t.Fatal(err)
				}
				w.expect(t, 1, 1)
				w.Clock.Advance(20 * time.Hour)
				found(t, w)
			})
			t.Run("settled while the code host does not say", func(t *testing.T) {
				w := lose(t)
				w.host.Break("GET", "/issues", codehosttest.Status(500))
				if err := w.settle(t, time.Hour); err == nil {
					t.Error("the job did not say that it has failed")
				}
				w.expect(t, 0, 1)
				w.host.Mend()
				if err := w.settle(t, time.Hour); err != nil {
					t.Fatal(err)
				}
				w.expect(t, 1, 1)
			})
		})
	}
}

// TestForwardThatCreatedNothing checks that no trace of a submission remains once it is certain
// that no issue was created. An identical submission is then treated as new.
func TestForwardThatCreatedNothing(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	pending := func(want int) {
		t.Helper()
		if all, err := w.DB.Forwards(); err != nil || len(all) != want {
			t.Errorf("got %d that are not settled, %v, want %d", len(all), err, want)
		}
	}
	w.host.BreakTimes(1, "POST", "/issues", codehosttest.Status(422))
	w.send(t, "203.0.113.1", "refused")
	pending(0)
	w.host.BreakTimes(1, "POST", "/issues", codehosttest.Status(500))
	w.send(t, "203.0.113.1", "failed")
	pending(1)
	if err := w.settle(t, time.Hour); err != nil {
		t.Fatal(err)
	}
	pending(0)
	w.host.BreakTimes(1, "POST", "/issues", codehosttest.Status(500))
	w.send(t, "203.0.113.1", "failed again")
	w.host.Break("GET", "/issues", codehosttest.Status(500))
	if err := w.settle(t, 25*time.Hour); err == nil {
		t.Error("the job did not say that it has failed")
	}
	pending(0) // the attempt is not repeated after a day
	w.expect(t, 0, 0)
}

// TestForwardAfterRestart checks that a server recognizes unfinished submissions after a restart
// with the same data. It creates neither a second issue nor a second record for them.
func TestForwardAfterRestart(t *testing.T) {
	t.Parallel()
	for _, created := range []bool{true, false} {
		t.Run(fmt.Sprint("issue created ", created), func(t *testing.T) {
			t.Parallel()
			w := newForwardWorld(t)
			fault := codehosttest.Status(500)
			if created {
				fault = codehosttest.Lose()
			}
			w.host.BreakTimes(1, "POST", "/issues", fault)
			w.send(t, "203.0.113.1", "a")
			w.expect(t, 0, map[bool]int{true: 1}[created])
			handler, err := api.New(w.restarted())
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1"+submit, strings.NewReader(forwarded("a")))
			r.RemoteAddr = "203.0.113.1:1"
			out := httptest.NewRecorder()
			handler.ServeHTTP(out, r)
			if out.Code != 201 {
				t.Errorf("got %d %s", out.Code, out.Body)
			}
			w.expect(t, 1, 1)
		})
	}
}
