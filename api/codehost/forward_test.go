package codehost_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/seal"
	"svc/internal/testutil"
	"svc/store"
)

const (
	submit    = "/public/beacon/feedbacks"
	feedbacks = "/admin/projects/beacon/feedbacks"
)

func TestForward(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	w.integrate(t, func(i *store.CodehostIntegration) { i.Labels = []string{"feedback", "from svc"} })
	status, answer := w.send(t, "203.0.113.1", "The lamp <!-- x --> is @dark\n#1")
	if why := apitest.CompareJSON(t, answer, fmt.Sprintf(`{"content":"The lamp <!-- x --> is @dark\n#1","contact":"mira@example.org","rating":4,"ip":"203.0.113.1",
		"forwarded_to_codehost":true,"codehost_issue_number":1,"codehost_issue_url":%q}`, w.host.URL+"/lumen-works/beacon/issues/1")); status != 201 || why != "" {
		t.Fatalf("got %d %s: %s", status, answer, why)
	}
	id := apitest.Field[string](t, answer, "id")
	token := fmt.Sprintf(`,"reply_token":%q`, apitest.Field[string](t, answer, "reply_token"))
	if shown := w.Must(t, 200, "GET", feedbacks+"/"+id, ""); shown != strings.Replace(answer, token, "", 1) {
		t.Errorf("stored is %s, the answer was %s", shown, answer)
	}
	issue := w.repo.Issues()[0]
	marker := "<!-- svc feedback " + id + " -->"
	if issue.Title == "" || !strings.Contains(issue.Body, id) || !strings.HasSuffix(issue.Body, "\n\n"+marker) || strings.Count(issue.Body, "<!--") != 1 {
		t.Errorf("got issue %q with\n%s", issue.Title, issue.Body)
	}
	if strings.Join(issue.Labels, "+") != "feedback+from svc" || !strings.HasPrefix(issue.Creator, "installation ") {
		t.Errorf("got labels %q of %s", issue.Labels, issue.Creator)
	}

	t.Run("the marker is there whatever the template says", func(t *testing.T) {
		w.integrate(t, func(i *store.CodehostIntegration) {
			i.TemplateSource, i.TitleTemplate, i.BodyTemplate = store.TemplateCustom, "From {{ contact }}", "no id here"
		})
		status, answer := w.send(t, "203.0.113.1", "again")
		issue := w.repo.Issues()[1]
		want := "no id here\n\n<!-- svc feedback " + apitest.Field[string](t, answer, "id") + " -->"
		if status != 201 || issue.Body != want {
			t.Errorf("got %d and %q, want %q", status, issue.Body, want)
		}
	})
	t.Run("the template of the repository, with its labels", func(t *testing.T) {
		w.repo.Write("", ".svc/issue.md", "---\ntitle: Visitor of {{project_key}}\nlabels: triage\n---\n{{rating}}")
		w.integrate(t, func(i *store.CodehostIntegration) {
			i.TemplateSource, i.TemplatePath = store.TemplateRepo, ".svc/issue.md"
		})
		status, _ := w.send(t, "203.0.113.1", "third")
		if issue := w.repo.Issues()[2]; status != 201 || issue.Title != "Visitor of beacon" || !strings.HasPrefix(issue.Body, "4/5\n") || strings.Join(issue.Labels, "+") != "triage" {
			t.Errorf("got %d and %q, %q, %q", status, issue.Title, issue.Body, issue.Labels)
		}
	})
	t.Run("a repository that was renamed", func(t *testing.T) {
		w.repo.Rename("lumen-works/lighthouse")
		status, answer := w.send(t, "203.0.113.2", "fourth")
		if status != 201 || len(w.repo.Issues()) != 4 {
			t.Errorf("got %d %s", status, answer)
		}
	})
}

// TestForwardOptions checks that clients can read whether feedback can be forwarded and whether
// that requires a contact.
func TestForwardOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*testing.T, *forwardWorld)
		active bool
	}{
		{"active", func(*testing.T, *forwardWorld) {}, true},
		{"switched off for the project", func(t *testing.T, w *forwardWorld) {
			w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = false })
		}, false},
		{"no repository", func(t *testing.T, w *forwardWorld) {
			w.integrate(t, func(i *store.CodehostIntegration) { i.Repo = "" })
		}, false},
		{"switched off for the instance", func(t *testing.T, w *forwardWorld) {
			w.setApp(t, func(a *store.CodehostApp) { a.Features = []string{store.FeatureCommentCommands} })
		}, false},
		{"no app id", func(t *testing.T, w *forwardWorld) { w.setApp(t, func(a *store.CodehostApp) { a.AppID = "" }) }, false},
		{"no private key", func(t *testing.T, w *forwardWorld) { w.setApp(t, func(a *store.CodehostApp) { a.PrivateKey = "" }) }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newForwardWorld(t)
			tc.change(t, w)
			w.Exchanges(t, []apitest.Exchange{
				{"options", "GET", "/public/beacon/feedbacks/options", "", 200,
					fmt.Sprintf(`{"project_key":"beacon","codehost_forward_available":%v,"contact_required_for_forward":%[1]v}`, tc.active)},
			})
			status, answer := w.send(t, "203.0.113.1", "a")
			if tc.active != (status == 201) || !tc.active && (status != 400 || !strings.Contains(apitest.Message(t, answer), "cannot be forwarded")) {
				t.Errorf("got %d %s", status, answer)
			}
			if !tc.active && len(w.host.Requests()) > 0 {
				t.Error("the code host was asked")
			}
			w.Exchanges(t, []apitest.Exchange{
				{"without forwarding", "POST", submit, `{"content":"plain","forward_to_codehost":false}`, 201, `{"forwarded_to_codehost":false,"codehost_issue_number":null,"codehost_issue_url":null}`},
			})
		})
	}
}

// TestForwardOfProjectWithoutIntegration checks that a project without a repository accepts
// feedback but does not forward it, and that the code host receives no requests.
func TestForwardOfProjectWithoutIntegration(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	w.Project(t, "plain")
	w.Exchanges(t, []apitest.Exchange{
		{"options", "GET", "/public/plain/feedbacks/options", "", 200, `{"project_key":"plain","codehost_forward_available":false,"contact_required_for_forward":false}`},
		{"options of nothing", "GET", "/public/nothing/feedbacks/options", "", 404, ``},
		{"feedback", "POST", "/public/plain/feedbacks", `{"content":"a"}`, 201, `{"forwarded_to_codehost":false,"codehost_issue_number":null,"codehost_issue_url":null}`},
		{"forwarding", "POST", "/public/plain/feedbacks", `{"content":"a","contact":"c","forward_to_codehost":true}`, 400, ``},
		{"null is not forwarding", "POST", "/public/plain/feedbacks", `{"content":"b","forward_to_codehost":null}`, 201, ``},
		{"an administrator forwards nothing", "POST", feedbacks, forwarded("by hand"), 201, `{"forwarded_to_codehost":false}`},
	})
	if n := len(w.host.Requests()); n != 0 {
		t.Errorf("the code host was asked %d times", n)
	}
}

// TestForwardChecksInOrder covers every check of a submission, in the order in which the server
// makes them.
func TestForwardChecksInOrder(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	refused := func(name, body string, want int, message string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			asked, records := len(w.host.Requests()), len(w.stored(t))
			status, answer, headers := w.Send(t, "POST", "/api/v1"+submit, map[string]string{"X-Forwarded-For": "203.0.113.1"}, body)
			if status != want || !strings.Contains(apitest.Message(t, answer), message) {
				t.Errorf("got %d %s, want %d with %q", status, answer, want, message)
			}
			if (want == 429) != (headers.Get("Retry-After") == "3600") {
				t.Errorf("got Retry-After %q", headers.Get("Retry-After"))
			}
			if len(w.host.Requests()) != asked || len(w.stored(t)) != records {
				t.Error("the code host was asked, or something was stored")
			}
		})
	}
	w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = false })
	refused("validation comes first", `{"content":7,"forward_to_codehost":true}`, 400, "content must be a string")
	refused("not active, before the contact", `{"content":"a","forward_to_codehost":true}`, 400, "cannot be forwarded")
	w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = true })
	refused("contact missing", `{"content":"a","forward_to_codehost":true}`, 400, "contact must not be empty")
	refused("contact null", `{"content":"a","contact":null,"forward_to_codehost":true}`, 400, "contact must not be empty")
	refused("contact blank", `{"content":"a","contact":" \t","forward_to_codehost":true}`, 400, "contact must not be empty")

	_, first := w.send(t, "203.0.113.1", "0")
	for i := range 5 { // duplicates are found before the quota is checked, and do not count
		if status, answer := w.send(t, "203.0.113.1", "0"); status != 201 || answer != first {
			t.Fatalf("duplicate %d: got %d %s, want %s", i, status, answer, first)
		}
	}
	w.expect(t, 1, 1)
	t.Run("not forwarded it is another submission", func(t *testing.T) {
		status, answer, _ := w.Send(t, "POST", "/api/v1"+submit, map[string]string{"X-Forwarded-For": "203.0.113.1"}, strings.Replace(forwarded("0"), "true", "false", 1))
		if status != 201 || apitest.Field[bool](t, answer, "forwarded_to_codehost") {
			t.Errorf("got %d %s", status, answer)
		}
	})
	for i := range 2 {
		if status, answer := w.send(t, "203.0.113.1", fmt.Sprint(i+1)); status != 201 {
			t.Fatalf("got %d %s", status, answer)
		}
	}
	refused("over the quota", forwarded("3"), 429, "too much feedback was forwarded from your address: at most 3 in 60 minutes; try again in 60 minutes, or send it without forwarding")
	if status, answer := w.send(t, "203.0.113.1", "0"); status != 201 || answer != first {
		t.Errorf("a duplicate over the quota: got %d %s", status, answer)
	}
	if status, answer := w.send(t, "203.0.113.2", "3"); status != 201 {
		t.Errorf("another address: got %d %s", status, answer)
	}
	w.expect(t, 5, 4)
}

// TestForwardQuotaSlides checks that rejected submissions are not counted, and that a submission no
// longer counts after an hour.
func TestForwardQuotaSlides(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	for i, row := range []struct {
		later time.Duration
		want  int
	}{
		{0, 201}, {30 * time.Minute, 201}, {25 * time.Minute, 201}, {time.Minute, 429}, {2 * time.Minute, 429},
		{3 * time.Minute, 201}, {time.Minute, 429}, {30 * time.Minute, 201},
	} {
		w.Clock.Advance(row.later)
		if status, answer := w.send(t, "203.0.113.1", fmt.Sprint(i)); status != row.want {
			t.Fatalf("row %d: got %d %s, want %d", i, status, answer, row.want)
		}
	}
}

// TestForwardQuotaCountsFailures checks that a submission within the quota is counted even if the
// code host then fails.
func TestForwardQuotaCountsFailures(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	w.host.Break("POST", "/issues", codehosttest.Status(422))
	for i, want := range []int{503, 503, 503, 429} {
		if status, answer := w.send(t, "203.0.113.1", fmt.Sprint(i)); status != want {
			t.Fatalf("submission %d: got %d %s, want %d", i, status, answer, want)
		}
	}
	w.expect(t, 0, 0)
}

// TestForwardOfCallersWithoutAddress checks that callers with an unknown address share one quota,
// and that their submissions are never treated as duplicates.
func TestForwardOfCallersWithoutAddress(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	for i, want := range []int{201, 201, 201, 429} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1"+submit, strings.NewReader(forwarded("the same")))
		r.RemoteAddr = "@"
		out := httptest.NewRecorder()
		w.Handler.ServeHTTP(out, r)
		if out.Code != want {
			t.Errorf("submission %d: got %d %s, want %d", i, out.Code, out.Body, want)
		}
	}
	w.expect(t, 3, 3)
}

// TestForwardWhenTheCodeHostFails checks that the response is 503 and nothing is stored. The code
// host's message appears in the log with the id of the request, but not in the response.
func TestForwardWhenTheCodeHostFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, method, part string
		fault              codehosttest.Fault
	}{
		{"no installation", "GET", "/installation", codehosttest.Status(404)},
		{"the app is not accepted", "GET", "/installation", codehosttest.Status(401)},
		{"no token", "POST", "/access_tokens", codehosttest.Status(422)},
		{"no token because of an error", "POST", "/access_tokens", codehosttest.Status(500)},
		{"no repository", "POST", "/issues", codehosttest.Status(404)},
		{"issues are switched off", "POST", "/issues", codehosttest.Status(410)},
		{"not allowed", "POST", "/issues", codehosttest.Status(403)},
		{"not valid", "POST", "/issues", codehosttest.Status(422)},
		{"an error", "POST", "/issues", codehosttest.Status(500)},
		{"a proxy in front fails", "POST", "/issues", codehosttest.Answer(502, "<html>"+codehosttest.Secret)},
		{"rate limit", "POST", "/issues", codehosttest.RateLimit(time.Hour)},
		{"secondary limit", "POST", "/issues", codehosttest.SecondaryLimit(403, time.Hour)},
		{"connection lost", "POST", "/issues", codehosttest.Cut()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newForwardWorld(t)
			w.host.Break(tc.method, tc.part, tc.fault)
			status, answer, headers := w.Send(t, "POST", "/api/v1"+submit, map[string]string{"X-Forwarded-For": "203.0.113.1"}, forwarded("a"))
			const want = "the feedback was not stored, because it could not be forwarded; try again later, or send it without forwarding"
			if status != 503 || apitest.Message(t, answer) != want || headers.Get("Retry-After") == "" {
				t.Errorf("got %d %s", status, answer)
			}
			w.expect(t, 0, 0)
			if log := w.log.String(); strings.Contains(log, "panic") || !logsWith(log, headers.Get("X-Request-Id"), "code host") {
				t.Errorf("the log has\n%s", log)
			}
			w.host.Mend()
			w.Clock.Advance(2 * time.Hour) // wait until the rate limits have expired
			status, answer = w.send(t, "203.0.113.1", "a")
			if status != 201 {
				t.Errorf("when it works again: got %d %s", status, answer)
			}
			w.expect(t, 1, 1)
		})
	}
}

// TestForwardWhenTheCodeHostHangs checks that a visitor waits no longer than the time limit of a
// call to the code host, and that other visitors do not wait.
func TestForwardWhenTheCodeHostHangs(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	w.host.Break("", "", codehosttest.Hang())
	begin := time.Now()
	answered := make(chan int, 1)
	go func() {
		status, _ := w.send(t, "203.0.113.1", "a")
		answered <- status
	}()
	testutil.Until(t, "the code host is asked", func() bool { return len(w.host.Requests()) > 0 })
	w.Exchanges(t, []apitest.Exchange{
		{"plain feedback meanwhile", "POST", submit, `{"content":"plain"}`, 201, ``},
		{"options meanwhile", "GET", "/public/beacon/feedbacks/options", "", 200, `{"codehost_forward_available":true}`},
	})
	if status := <-answered; status != 503 {
		t.Errorf("got %d, want 503", status)
	}
	if took := time.Since(begin); took < 9*time.Second {
		t.Errorf("it was given up after %s", took)
	}
	w.expect(t, 1, 0)
}

// TestForwardAnswersWithoutNumber checks that an issue counts as created even if the code host's
// response has few of its fields, for example no number.
func TestForwardAnswersWithoutNumber(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	for i, tc := range []struct{ said, want string }{
		{`{"html_url":"https://code.example/i/5"}`, `{"forwarded_to_codehost":true,"codehost_issue_number":null,"codehost_issue_url":"https://code.example/i/5"}`},
		{`{"number":5}`, `{"forwarded_to_codehost":true,"codehost_issue_number":5,"codehost_issue_url":null}`},
		{`created`, `{"forwarded_to_codehost":true,"codehost_issue_number":null,"codehost_issue_url":null}`},
	} {
		w.host.BreakTimes(1, "POST", "/issues", codehosttest.Answer(201, tc.said))
		status, answer := w.send(t, "203.0.113.1", fmt.Sprint(i))
		if why := apitest.CompareJSON(t, answer, tc.want); status != 201 || why != "" {
			t.Errorf("%s: got %d %s: %s", tc.said, status, answer, why)
		}
	}
}

// TestForwardInParallel checks that concurrent submissions from one address create exactly the
// allowed number of issues, and that identical submissions create only one.
func TestForwardInParallel(t *testing.T) {
	t.Parallel()
	const callers = 100
	all := func(t *testing.T, w *forwardWorld, content func(i int) string) (statuses map[int]int, ids map[string]bool) {
		t.Helper()
		statuses, ids = map[int]int{}, map[string]bool{}
		var mu sync.Mutex
		var wait sync.WaitGroup
		for i := range callers {
			wait.Go(func() {
				status, answer := w.send(t, "203.0.113.1", content(i))
				mu.Lock()
				defer mu.Unlock()
				if statuses[status]++; status == 201 {
					ids[apitest.Field[string](t, answer, "id")] = true
				}
			})
		}
		wait.Wait()
		return statuses, ids
	}
	t.Run("different ones", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		statuses, ids := all(t, w, func(i int) string { return fmt.Sprint(i) })
		if !maps.Equal(statuses, map[int]int{201: 3, 429: callers - 3}) || len(ids) != 3 {
			t.Errorf("got %v with %d records", statuses, len(ids))
		}
		w.expect(t, 3, 3)
	})
	t.Run("equal ones", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		statuses, ids := all(t, w, func(int) string { return "the same" })
		if !maps.Equal(statuses, map[int]int{201: callers}) || len(ids) != 1 {
			t.Errorf("got %v with %d records", statuses, len(ids))
		}
		w.expect(t, 1, 1)
	})
	t.Run("equal ones while the code host fails", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		w.host.BreakTimes(1, "POST", "/issues", codehosttest.Lose())
		all(t, w, func(int) string { return "the same" })
		if status, answer := w.send(t, "203.0.113.1", "the same"); status != 201 {
			t.Errorf("afterwards: got %d %s", status, answer)
		}
		w.expect(t, 1, 1)
	})
}

// TestForwardWithoutDuplicateWindow checks that each of several identical submissions creates a
// record if the duplicate window is disabled.
func TestForwardWithoutDuplicateWindow(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t, apitest.WithWindow(0))
	for range 3 {
		w.send(t, "203.0.113.1", "the same")
	}
	w.expect(t, 3, 3)
}

// TestForwardWithChangedSecret checks that a private key that cannot be decrypted is reported as
// such instead of as an internal error.
func TestForwardWithChangedSecret(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	w.setApp(t, func(a *store.CodehostApp) {
		a.PrivateKey = seal.NewKeys([]byte(strings.Repeat("another secret", 3))).Seal(seal.AppPrivateKey, w.app.PKCS1)
	})
	for range 5 { // requests that are not counted
		status, answer, headers := w.Send(t, "POST", "/api/v1"+submit, map[string]string{"X-Forwarded-For": "203.0.113.1"}, forwarded("a"))
		if status != 503 || !strings.Contains(apitest.Message(t, answer), "until the operator of this service has corrected its settings; send it without forwarding") {
			t.Fatalf("got %d %s", status, answer)
		}
		if !logsWith(w.log.String(), headers.Get("X-Request-Id"), "JWT_SECRET") {
			t.Errorf("the log does not name the reason:\n%s", w.log.String())
		}
	}
	w.Exchanges(t, []apitest.Exchange{{"options", "GET", "/public/beacon/feedbacks/options", "", 200, ``}})
	w.setApp(t, func(*store.CodehostApp) {})
	if status, answer := w.send(t, "203.0.113.1", "a"); status != 201 {
		t.Errorf("entered again: got %d %s", status, answer)
	}
	w.expect(t, 1, 1)
}

// TestForwardMeanwhile covers changes that are made while the code host creates the issue.
func TestForwardMeanwhile(t *testing.T) {
	t.Parallel()
	t.Run("switched off", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		w.host.BreakTimes(1, "POST", "/issues", before(func() {
			w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = false })
		}))
		if status, answer := w.send(t, "203.0.113.1", "a"); status != 201 {
			t.Errorf("got %d %s", status, answer)
		}
		w.expect(t, 1, 1)
		if status, answer := w.send(t, "203.0.113.1", "b"); status != 400 {
			t.Errorf("the next one: got %d %s", status, answer)
		}
		w.expect(t, 1, 1)
	})
	t.Run("the project is deleted", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		w.host.BreakTimes(1, "POST", "/issues", before(func() {
			err := w.DB.Update(func(tx *store.Tx) error {
				p, err := tx.Project("beacon")
				return errors.Join(err, tx.DeleteProject(p))
			})
			if err != nil {
				t.Error(err)
			}
		}))
		if status, answer := w.send(t, "203.0.113.1", "a"); status != 404 || apitest.Message(t, answer) != "project not found" {
			t.Errorf("got %d %s", status, answer)
		}
		w.Project(t, "beacon")
		if err := errors.Join(w.settle(t, time.Hour), w.DB.Purge()); err != nil {
			t.Error(err)
		}
		w.expect(t, 0, 1)
	})
	t.Run("the visitor leaves", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		ctx, leave := context.WithCancel(t.Context())
		w.host.BreakTimes(1, "POST", "/issues", before(leave))
		r, err := http.NewRequestWithContext(ctx, "POST", w.URL+"/api/v1"+submit, strings.NewReader(forwarded("a")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", "203.0.113.1")
		if answer, err := w.Client.Do(r); err == nil {
			_ = answer.Body.Close()
		}
		testutil.Until(t, "the feedback is stored", func() bool { return len(w.stored(t)) == 1 })
		if status, answer := w.send(t, "203.0.113.1", "a"); status != 201 || apitest.Field[int](t, answer, "codehost_issue_number") != 1 {
			t.Errorf("repeated: got %d %s", status, answer)
		}
		w.expect(t, 1, 1)
	})
	t.Run("the job settles", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		w.host.BreakTimes(1, "POST", "/issues", before(func() {
			if err := w.settle(t, time.Hour); err != nil { // later than any request can last
				t.Error(err)
			}
		}))
		if status, answer := w.send(t, "203.0.113.1", "a"); status != 201 {
			t.Errorf("got %d %s", status, answer)
		}
		w.expect(t, 1, 1)
	})
}
