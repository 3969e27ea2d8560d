package codehost_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/seal"
	"svc/store"
)

// storedFeedback stores feedback without forwarding it. It returns the id of the feedback and the
// path of the request that forwards it.
func (w *forwardWorld) storedFeedback(t testing.TB, content string) (id, forward string) {
	t.Helper()
	_, answer, _ := w.Send(t, "POST", "/api/v1"+submit, map[string]string{"X-Forwarded-For": "203.0.113.1"}, fmt.Sprintf(`{"content":%q,"rating":2}`, content))
	id = apitest.Field[string](t, answer, "id")
	return id, feedbacks + "/" + id + "/forward"
}

// later advances the clock. Because the session and the API key expire then, later replaces both.
func (w *forwardWorld) later(t testing.TB, d time.Duration) {
	t.Helper()
	w.Clock.Advance(d)
	status, answer, _ := w.Send(t, "POST", "/api/v1/auth/login", nil, apitest.Credentials("admin", apitest.Password))
	if status != 201 {
		t.Fatalf("got %d %s", status, answer)
	}
	w.Admin = apitest.Field[string](t, answer, "access_token")
	w.key = w.Key(t, `{"name":"reader","scopes":["feedbacks:read"],"all_projects":true}`)
}

// TestForwardStored checks that an administrator can create an issue from feedback that was stored
// without one. The issue uses the project's template. No quota applies, and the feedback needs no
// contact.
func TestForwardStored(t *testing.T) {
	t.Parallel()
	w := newForwardWorld(t)
	w.integrate(t, func(i *store.CodehostIntegration) {
		i.Labels, i.TemplateSource, i.TitleTemplate, i.BodyTemplate = []string{"feedback"}, store.TemplateCustom, "From {{contact}}", "{{content}} {{feedback_id}} {{created_at}}"
	})
	id, forward := w.storedFeedback(t, "dark")
	created := w.Clock.Now().UTC().Format(time.RFC3339)
	w.later(t, 30*24*time.Hour)
	status, answer, headers := w.Do(t, "POST", forward, w.Admin, "")
	want := fmt.Sprintf(`{"id":%q,"content":"dark","rating":2,"contact":null,"forwarded_to_codehost":true,"codehost_issue_number":1,"codehost_issue_url":%q}`, id, w.host.URL+"/lumen-works/beacon/issues/1")
	if why := apitest.CompareJSON(t, answer, want); status != 200 || why != "" {
		t.Fatalf("got %d %s: %s", status, answer, why)
	}
	shown, tag := w.Must(t, 200, "GET", feedbacks+"/"+id, ""), headers.Get("ETag")
	if shown != answer {
		t.Errorf("stored is %s, the answer was %s", shown, answer)
	}
	if status, answer, _ := w.Send(t, "PATCH", "/api/v1"+feedbacks+"/"+id, map[string]string{"Authorization": "Bearer " + w.Admin, "If-Match": tag}, `{"status":"closed"}`); status != 200 {
		t.Errorf("with the tag of the answer: got %d %s", status, answer)
	}
	issue := w.repo.Issues()[0]
	body := fmt.Sprintf("dark %s %s\n\n<!-- svc feedback %[1]s -->", id, created)
	if issue.Title != "From not given" || issue.Body != body || strings.Join(issue.Labels, "+") != "feedback" {
		t.Errorf("got issue %q with %q and %q, want %q", issue.Title, issue.Body, issue.Labels, body)
	}

	asked := len(w.host.Requests())
	again := w.Must(t, 200, "POST", forward, "")
	if why := apitest.CompareJSON(t, again, `{"codehost_issue_number":1,"status":"closed"}`); why != "" {
		t.Errorf("once more: got %s: %s", again, why)
	}
	w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = false })
	if again := w.Must(t, 200, "POST", forward, ""); apitest.Field[int](t, again, "codehost_issue_number") != 1 {
		t.Errorf("when it is switched off: got %s", again)
	}
	if len(w.host.Requests()) != asked {
		t.Error("the code host was asked for what is forwarded")
	}

	w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = true })
	for i := range 5 {
		_, forward := w.storedFeedback(t, fmt.Sprint(i))
		w.Must(t, 200, "POST", forward, "")
	}
	w.expect(t, 6, 6)
	_, sent := w.send(t, "203.0.113.1", "forwarded by a visitor")
	w.Must(t, 200, "POST", feedbacks+"/"+apitest.Field[string](t, sent, "id")+"/forward", "")
	w.expect(t, 7, 7)
}

// TestForwardStoredIsRefused checks that the error names what prevents the feedback from being
// forwarded, and that nothing changes.
func TestForwardStoredIsRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		change  func(*testing.T, *forwardWorld)
		message string
	}{
		{"no repository", func(t *testing.T, w *forwardWorld) {
			w.integrate(t, func(i *store.CodehostIntegration) { i.Repo, i.FeedbackIssue = "", false })
		}, "the project has no repository"},
		{"switched off for the project", func(t *testing.T, w *forwardWorld) {
			w.integrate(t, func(i *store.CodehostIntegration) { i.FeedbackIssue = false })
		}, "forwarding is switched off"},
		{"no app", func(t *testing.T, w *forwardWorld) { w.setApp(t, func(a *store.CodehostApp) { a.AppID = "" }) }, "is not configured"},
		{"switched off for the instance", func(t *testing.T, w *forwardWorld) {
			w.setApp(t, func(a *store.CodehostApp) { a.Features = []string{store.FeatureCommentCommands} })
		}, "the feature feedback_issue"},
		{"a key that cannot be opened", func(t *testing.T, w *forwardWorld) {
			w.setApp(t, func(a *store.CodehostApp) {
				a.PrivateKey = seal.NewKeys([]byte(strings.Repeat("another secret", 3))).Seal(seal.AppPrivateKey, w.app.PKCS1)
			})
		}, "JWT_SECRET"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newForwardWorld(t)
			id, forward := w.storedFeedback(t, "a")
			tc.change(t, w)
			before := w.Must(t, 200, "GET", feedbacks+"/"+id, "")
			status, answer, _ := w.Do(t, "POST", forward, w.Admin, "")
			if status != 400 || !strings.Contains(apitest.Message(t, answer), tc.message) {
				t.Errorf("got %d %s, want 400 with %q", status, answer, tc.message)
			}
			if after := w.Must(t, 200, "GET", feedbacks+"/"+id, ""); after != before || len(w.host.Requests()) > 0 {
				t.Errorf("something happened: %s", after)
			}
		})
	}
	t.Run("not found", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		w.Project(t, "other")
		id, forward := w.storedFeedback(t, "a")
		w.Exchanges(t, []apitest.Exchange{
			{"another project", "POST", "/admin/projects/other/feedbacks/" + id + "/forward", "", 404, `{"message":"feedback not found"}`},
			{"no project", "POST", "/admin/projects/nothing/feedbacks/" + id + "/forward", "", 404, ``},
			{"no id", "POST", feedbacks + "/1/forward", "", 404, `{"message":"feedback not found"}`},
		})
		w.Must(t, 200, "DELETE", feedbacks+"/"+id, "")
		w.Exchanges(t, []apitest.Exchange{{"deleted", "POST", forward, "", 404, `{"message":"feedback not found"}`}})
		w.expect(t, 0, 0)
	})
	t.Run("reading is not enough", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		_, forward := w.storedFeedback(t, "a")
		if status, answer, _ := w.Do(t, "POST", forward, w.key, ""); status != 401 {
			t.Errorf("got %d %s", status, answer)
		}
		writer := w.Key(t, `{"name":"writer","scopes":["feedbacks:write"],"all_projects":true}`)
		if status, answer, _ := w.Do(t, "POST", forward, writer, ""); status != 200 {
			t.Errorf("got %d %s", status, answer)
		}
		w.expect(t, 1, 1)
	})
}

// TestForwardStoredWhenTheCodeHostFails checks that the response is 503, and that the stored
// feedback can be forwarded when the code host works again. If the response to the issue's creation
// was lost, a later request finds the issue by its marker, no matter how much later. There is never
// a second issue.
func TestForwardStoredWhenTheCodeHostFails(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, fault codehosttest.Fault, issues int) (w *forwardWorld, id, forward string) {
		t.Helper()
		w = newForwardWorld(t)
		id, forward = w.storedFeedback(t, "a")
		w.later(t, 60*24*time.Hour)
		w.host.BreakTimes(1, "POST", "/issues", fault)
		status, answer, headers := w.Do(t, "POST", forward, w.Admin, "")
		if status != 503 || !strings.Contains(apitest.Message(t, answer), "the feedback was not forwarded; try again later") || headers.Get("Retry-After") != "60" {
			t.Fatalf("got %d %s", status, answer)
		}
		if !logsWith(w.log.String(), headers.Get("X-Request-Id"), "code host") {
			t.Errorf("the log has\n%s", w.log.String())
		}
		if shown := w.Must(t, 200, "GET", feedbacks+"/"+id, ""); apitest.Field[bool](t, shown, "forwarded_to_codehost") {
			t.Errorf("it is forwarded: %s", shown)
		}
		w.expect(t, 1, issues)
		return w, id, forward
	}
	issueOne := func(t *testing.T, w *forwardWorld, forward string) {
		t.Helper()
		for range 2 {
			if answer := w.Must(t, 200, "POST", forward, ""); apitest.Field[int](t, answer, "codehost_issue_number") != 1 {
				t.Errorf("got %s", answer)
			}
		}
		w.expect(t, 1, 1)
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		w, _, forward := begin(t, codehosttest.Status(422), 0)
		if all, err := w.DB.Forwards(); len(all) != 0 || err != nil {
			t.Errorf("got %d that are not settled, %v", len(all), err)
		}
		issueOne(t, w, forward)
	})
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		w, _, forward := begin(t, codehosttest.Status(500), 0)
		issueOne(t, w, forward)
	})
	t.Run("lost, asked again", func(t *testing.T) {
		t.Parallel()
		w, _, forward := begin(t, codehosttest.Lose(), 1)
		issueOne(t, w, forward)
	})
	t.Run("lost, asked again when the code host does not say", func(t *testing.T) {
		t.Parallel()
		w, _, forward := begin(t, codehosttest.Lose(), 1)
		w.host.BreakTimes(1, "GET", "/issues", codehosttest.Status(500))
		if status, answer, _ := w.Do(t, "POST", forward, w.Admin, ""); status != 503 {
			t.Errorf("got %d %s", status, answer)
		}
		issueOne(t, w, forward)
	})
	t.Run("lost, settled by the job", func(t *testing.T) {
		t.Parallel()
		w, id, forward := begin(t, codehosttest.Lose(), 1)
		if err := w.settle(t, 3*time.Minute); err != nil {
			t.Fatal(err)
		}
		if shown := w.Must(t, 200, "GET", feedbacks+"/"+id, ""); apitest.Field[int](t, shown, "codehost_issue_number") != 1 {
			t.Errorf("got %s", shown)
		}
		issueOne(t, w, forward)
	})
	t.Run("lost, and found long after the job has given up", func(t *testing.T) {
		t.Parallel()
		w, _, forward := begin(t, codehosttest.Lose(), 1)
		w.host.Break("GET", "/issues", codehosttest.Status(500))
		if err := w.settle(t, time.Hour); err == nil {
			t.Error("the job did not say that it has failed")
		}
		asked := len(w.host.Requests())
		if err := w.settle(t, 10*24*time.Hour); err != nil || len(w.host.Requests()) != asked {
			t.Errorf("ten days later the job still asks: %v", err)
		}
		w.host.Mend()
		w.later(t, 0)
		issueOne(t, w, forward)
	})
	t.Run("lost, after a restart", func(t *testing.T) {
		t.Parallel()
		w, _, forward := begin(t, codehosttest.Lose(), 1)
		handler, err := api.New(w.restarted())
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1"+forward, nil)
		r.Header.Set("Authorization", "Bearer "+w.Admin)
		out := httptest.NewRecorder()
		handler.ServeHTTP(out, r)
		if out.Code != 200 {
			t.Errorf("got %d %s", out.Code, out.Body)
		}
		issueOne(t, w, forward)
	})
	t.Run("deleted meanwhile", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		id, forward := w.storedFeedback(t, "a")
		w.host.BreakTimes(1, "POST", "/issues", before(func() { w.Must(t, 200, "DELETE", feedbacks+"/"+id, "") }))
		if status, answer, _ := w.Do(t, "POST", forward, w.Admin, ""); status != 404 {
			t.Errorf("got %d %s", status, answer)
		}
		w.expect(t, 0, 1)
	})
	t.Run("changed meanwhile", func(t *testing.T) {
		t.Parallel()
		w := newForwardWorld(t)
		id, forward := w.storedFeedback(t, "a")
		w.host.BreakTimes(1, "POST", "/issues", before(func() { w.Must(t, 200, "PATCH", feedbacks+"/"+id, `{"result":"looked at"}`) }))
		if why := apitest.CompareJSON(t, w.Must(t, 200, "POST", forward, ""), `{"result":"looked at","codehost_issue_number":1}`); why != "" {
			t.Error(why)
		}
	})
}

// TestForwardStoredInParallel checks that concurrent requests for the same feedback all get the
// same issue, even if the code host's response to the creation of the issue is lost.
func TestForwardStoredInParallel(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprint("answer lost ", lost), func(t *testing.T) {
			t.Parallel()
			w := newForwardWorld(t)
			_, forward := w.storedFeedback(t, "a")
			if lost {
				w.host.BreakTimes(1, "POST", "/issues", codehosttest.Lose())
			}
			var wait sync.WaitGroup
			for range 50 {
				wait.Go(func() {
					status, answer, _ := w.Do(t, "POST", forward, w.Admin, "")
					if ok := status == 200 && apitest.Field[int](t, answer, "codehost_issue_number") == 1; !ok && (!lost || status != 503) {
						t.Errorf("got %d %s", status, answer)
					}
				})
			}
			wait.Wait()
			w.Must(t, 200, "POST", forward, "")
			w.expect(t, 1, 1)
		})
	}
}
