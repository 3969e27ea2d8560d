package resource_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"svc/api/apitest"
)

// bucketSeconds is the length of a bucket in tests.
const bucketSeconds = 600

// users simulates the users of two versions of a project over HTTP. Each user starts the app once,
// and fails once with a probability that depends on the version.
type users struct {
	*apitest.Server
	project string
	random  *rand.Rand
	n       int
	late    []func() // failures of users of the bucket before
}

// send sends a request from an address, without validating the response against openapi.yaml.
func (u *users) send(t *testing.T, address, path, body string, want int) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/public/"+u.project+path, bytes.NewBufferString(body))
	r.RemoteAddr = address + ":1024"
	answer := httptest.NewRecorder()
	u.Handler.ServeHTTP(answer, r)
	if answer.Code != want {
		t.Fatalf("%s %s: got %d %s, want %d", path, body, answer.Code, answer.Body, want)
	}
}

// come makes new users of a version start the app. A fraction of them fails, half of these in the
// next bucket. failure is error_logs or the name of an event.
func (u *users) come(t *testing.T, version string, number int, fraction float64, failure string) {
	t.Helper()
	for range number {
		u.n++
		n := u.n
		address := fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
		event := func(name string) string {
			return fmt.Sprintf(`{"distinct_id":"user-%d","events":[{"event_id":"%s-%d","name":%q,"properties":{"theme":"dark","app_version":%q}}]}`,
				n, name, n, name, version)
		}
		fail := func() {
			u.send(t, address, "/logs", fmt.Sprintf(`{"level":3,"content":"crash","device_info":{"app_version":%q}}`, version), http.StatusCreated)
		}
		if failure == "error_logs" {
			u.send(t, address, "/versions/check-update", fmt.Sprintf(`{"current_version":%q}`, version), http.StatusOK)
		} else {
			u.send(t, address, "/events", event("app_start"), http.StatusAccepted)
			fail = func() { u.send(t, address, "/events", event(failure), http.StatusAccepted) }
		}
		switch chance := u.random.Float64(); {
		case chance < fraction/2:
			fail()
		case chance < fraction:
			u.late = append(u.late, fail)
		}
	}
}

// close ends the bucket of time, and evaluates the rules.
func (u *users) close(t *testing.T) {
	t.Helper()
	u.Clock.Advance(bucketSeconds * time.Second)
	if err := u.Health.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, fail := range u.late {
		fail()
	}
	u.late = nil
}

// newUsers returns the users of a project in which 2.0 is being rolled out after 1.0, and the path
// of 2.0.
func newUsers(t *testing.T, project string) (*users, string) {
	t.Helper()
	all, versions := newUsersOf(t, project)
	return all[0], versions[0]
}

// newUsersOf is newUsers for several projects of one server.
func newUsersOf(t *testing.T, projects ...string) (all []*users, versions []string) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Clock.Stop()
	second := s.Clock.Now().Unix() % (24 * 3600)
	s.Clock.Advance(time.Duration(24*3600-second) * time.Second)           // not near the end of a day
	s.Admin = s.Token(t, apitest.Secret, s.DB.Account().ID.String(), 1, 0) // the earlier login has expired
	for i, project := range projects {
		rollout := rollingOut(t, s, project, `{"percent":50}`)
		versions = append(versions, rollout[:len(rollout)-len("/rollout")])
		all = append(all, &users{Server: s, project: project, random: rand.New(rand.NewPCG(seed, uint64(i)))})
	}
	s.Admin = s.Key(t, `{"name":"key","scopes":["versions:read","versions:write","logs:write"]}`) // the login would expire
	if err := s.Health.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all, versions
}

// TestRolloutIsHeld simulates a release that fails four times as often as the version before it. It
// must be held. It must also be held again after it has been resumed, but not because of failures
// before that.
func TestRolloutIsHeld(t *testing.T) {
	t.Parallel()
	for _, failure := range []string{"error_logs", "update_failed"} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			u, version := newUsers(t, "app")
			untilHeld := func() {
				for range 30 {
					u.come(t, "1.0", 60, 0.1, failure)
					u.come(t, "2.0", 30, 0.4, failure)
					u.close(t)
					if apitest.Field[string](t, u.Must(t, 200, "GET", version+"/rollout", ""), "state") == "held" {
						return
					}
				}
				t.Fatalf("not held: %s", u.Must(t, 200, "GET", version+"/health", ""))
			}
			untilHeld()
			health := u.Must(t, 200, "GET", version+"/health", "")
			if why := apitest.CompareJSON(t, health, `{"state":"failing","baseline_version":"1.0","bucket_seconds":600}`); why != "" {
				t.Errorf("%s in %s", why, health)
			}
			history := apitest.Field[[]map[string]any](t, u.Must(t, 200, "GET", version+"/rollout", ""), "history")
			want := ""
			for _, rule := range apitest.Field[[]map[string]any](t, health, "rules") {
				if rule["name"] == failure {
					want = fmt.Sprintf("%v of %v failed, %v of %v on 1.0", rule["failures"], rule["exposure"], rule["baseline_failures"], rule["baseline_exposure"])
				}
			}
			if e := history[0]; e["action"] != "held" || e["by"] != "rule "+failure || e["reason"] != want || e["percent"] != 50.0 {
				t.Errorf("history: got %v, want held by the rule, because %q", e, want)
			}
			u.Must(t, 200, "POST", version+"/rollout/resume", `{"reason":"a known crash"}`)
			if err := u.Health.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			u.close(t)
			u.close(t)
			after := u.Must(t, 200, "GET", version+"/health", "")
			if why := apitest.CompareJSON(t, after, `{"state":"no_data"}`); why != "" {
				t.Errorf("after it was resumed: %s in %s", why, after)
			}
			untilHeld()
		})
	}
}

// TestStoppedRolloutsAreNotCounted checks that the health of a rollout that was held, aborted or
// completed no longer changes, although another rollout has the same baseline.
func TestStoppedRolloutsAreNotCounted(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"hold", "abort", "complete"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			u, version := newUsers(t, "app")
			u.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/1.5", `{"rollout":{"percent":50}}`)
			if err := u.Health.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			state := func() string { return apitest.Field[string](t, u.Must(t, 200, "GET", version+"/rollout", ""), "state") }
			for range 30 {
				u.come(t, "1.0", 60, 0.1, "error_logs")
				u.come(t, "2.0", 30, 0.4, "error_logs")
				u.close(t)
				if how != "hold" || state() == "held" {
					break
				}
			}
			if how != "hold" {
				u.Must(t, 200, "POST", version+"/rollout/"+how, "")
			} else if state() != "held" {
				t.Fatalf("not held: %s", u.Must(t, 200, "GET", version+"/health", ""))
			}
			before := u.Must(t, 200, "GET", version+"/health", "")
			if err := u.Health.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				u.come(t, "1.0", 60, 0, "error_logs")
				u.come(t, "1.5", 30, 0, "error_logs")
				u.close(t)
			}
			u.Exchanges(t, []apitest.Exchange{{
				"the other rollout", "GET", apitest.VersionsOf("app") + "/" + u.VersionID(t, "app", "1.5") + "/health", "", 200,
				`{"baseline_version":"1.0","rules":[{"name":"error_logs","state":"healthy","exposure":90},{}]}`,
			}})
			exposure := func(health string) any {
				return apitest.Field[[]map[string]any](t, health, "rules")[0]["baseline_exposure"]
			}
			if after := u.Must(t, 200, "GET", version+"/health", ""); exposure(after) != exposure(before) {
				t.Errorf("users of the baseline: got %v, want %v as when the rollout stopped", exposure(after), exposure(before))
			}
		})
	}
}

// TestRolloutIsNotHeld simulates a release that fails as often as the version before it, also while
// many users get it at once.
func TestRolloutIsNotHeld(t *testing.T) {
	t.Parallel()
	for _, failure := range []string{"error_logs", "update_failed"} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			u, version := newUsers(t, "app")
			for bucket := range 8 {
				u.come(t, "1.0", 60, 0.1, failure)
				number := 30
				if bucket == 4 {
					number = 400
				}
				u.come(t, "2.0", number, 0.1, failure)
				u.close(t)
			}
			if state := apitest.Field[string](t, u.Must(t, 200, "GET", version+"/rollout", ""), "state"); state != "running" {
				t.Errorf("state %s: %s", state, u.Must(t, 200, "GET", version+"/health", ""))
			}
		})
	}
}

// TestManyRollouts simulates rollouts of releases that fail as often as the version before them, as
// much more often as is tolerated, and four times as often. Of the first two, at most 1 % may be held;
// all of the last must be held. SVC_LONG=1 simulates 400 of each.
func TestManyRollouts(t *testing.T) {
	t.Parallel()
	const rate, buckets = 0.1, 30
	rollouts := 1
	if os.Getenv("SVC_LONG") != "" {
		rollouts = 400
	}
	for _, factor := range []float64{1, 1.5, 4} {
		t.Run(fmt.Sprint(factor), func(t *testing.T) {
			t.Parallel()
			projects := make([]string, rollouts)
			for i := range projects {
				projects[i] = fmt.Sprintf("app-%d", i)
			}
			all, versions := newUsersOf(t, projects...)
			held, subjects := map[int]bool{}, 0
			for range buckets {
				for i, u := range all {
					if held[i] {
						continue
					}
					u.come(t, "1.0", 40, rate, "error_logs")
					u.come(t, "2.0", 20, rate*factor, "error_logs")
				}
				all[0].close(t)
				for i, u := range all {
					for _, fail := range u.late {
						fail()
					}
					u.late = nil
					if !held[i] && apitest.Field[string](t, u.Must(t, 200, "GET", versions[i]+"/rollout", ""), "state") == "held" {
						held[i] = true
						subjects += u.n / 3
					}
				}
			}
			t.Logf("%d of %d held, after %d users on average", len(held), rollouts, subjects/max(len(held), 1))
			if factor > 1.5 && len(held) < rollouts || factor <= 1.5 && len(held) > max(1, rollouts/100) {
				t.Errorf("%d of %d rollouts with the factor %v were held", len(held), rollouts, factor)
			}
		})
	}
}

// TestHealth checks the shape of the health of a rollout, and which requests are counted.
func TestHealth(t *testing.T) {
	t.Parallel()
	u, version := newUsers(t, "app")
	start := u.Clock.Now().Unix() / bucketSeconds * bucketSeconds
	u.come(t, "2.0", 3, 0, "error_logs")
	u.come(t, "1.0", 2, 1, "error_logs")
	for _, body := range []string{
		`{"current_comparable_version":"02.0"}`, `{"current_version":"beta","current_comparable_version":"2.0"}`, `{"current_comparable_version":"3.0"}`,
	} {
		u.n++
		u.send(t, fmt.Sprintf("10.8.0.%d", u.n), "/versions/check-update", body, http.StatusOK)
	}
	for _, body := range []string{
		`{"level":2,"content":"warning","device_info":{"app_version":"2.0"}}`, `{"level":3,"content":"no version"}`,
		`{"level":3,"content":"no text","device_info":{"app_version":2}}`,
	} {
		u.send(t, "10.9.0.1", "/logs", body, http.StatusCreated)
	}
	u.send(t, "10.9.0.4", "/logs", `{"level":0,"content":"of SemVer","device_info":{"app_version":"2.0.0"}}`, http.StatusCreated)
	u.send(t, "10.9.0.2", "/logs", `{"level":3,"content":"x","custom_data":{"app_version":"2.0"}}`, http.StatusCreated)
	status, _, _ := u.Send(t, "POST", "/api/v1/public/app/logs", map[string]string{"X-Svc-Do-Not-Track": "1", "X-Forwarded-For": "10.9.0.3"},
		`{"level":3,"content":"y","custom_data":{"app_version":"2.0"}}`)
	if status != http.StatusCreated {
		t.Fatalf("log: got %d", status)
	}
	u.Must(t, 201, "POST", "/admin/projects/app/logs", `{"level":3,"content":"added","custom_data":{"app_version":"2.0"}}`)
	u.close(t)
	u.close(t)
	old := apitest.VersionsOf("app") + "/" + u.VersionID(t, "app", "1.0")
	u.Exchanges(t, []apitest.Exchange{
		{"counts", "GET", version + "/health", "", 200, fmt.Sprintf(`{"state":"healthy","baseline_version":"1.0","since":%d,"bucket_seconds":600,"rules":[
			{"name":"error_logs","metric":"error_logs","event":null,"action":"hold","state":"healthy","limit":200,
				"exposure":8,"failures":1,"baseline_exposure":2,"baseline_failures":2,
				"series":[{"t":%d,"exposure":8,"failures":1,"baseline_exposure":2,"baseline_failures":2}]},
			{"name":"update_failed","metric":"event","event":"update_failed","state":"no_data","e_value":1,"exposure":0,"series":[]}]}`, start, start)},
		{"no rollout", "GET", old + "/health", "", 404, `{"message":"version \"1.0\" has no rollout"}`},
		{"the first version", "PUT", old + "/rollout", `{"percent":50}`, 201, `{"state":"running"}`},
		{"has no baseline", "GET", old + "/health", "", 200, `{"state":"no_baseline","baseline_version":null,"rules":[{"state":"no_baseline"},{"state":"no_baseline"}]}`},
		{"before the start", "PUT", "/admin/projects/app/versions/by-version/4.0", `{"rollout":{"percent":0}}`, 201, `{"version":"4.0"}`},
	})
}

// TestNativeVersionsCountForHealth checks that apps may send any text that names their version in logs
// and events: the one that is shown, the comparable one, or one of their updater.
func TestNativeVersionsCountForHealth(t *testing.T) {
	t.Parallel()
	u, version := newUsers(t, "app")
	u.Must(t, 200, "PATCH", version, `{"native_versions":{"semver":"7.1.0","sparkle":"70100"},"download_links":[{"url":"https://dl.example/App.dmg"}]}`)
	u.Must(t, 200, "PATCH", version+"/assets/App.dmg", `{"bundle_version":"9001"}`)
	if err := u.Health.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"2.0", " 2.0.0 ", "7.1.0", "70100", "9001", "9002", "7.1", "", "text"} {
		u.send(t, fmt.Sprintf("10.7.0.%d", i), "/logs", fmt.Sprintf(`{"level":3,"content":"crash","custom_data":{"app_version":%q}}`, text), http.StatusCreated)
		u.send(t, fmt.Sprintf("10.7.1.%d", i), "/events", fmt.Sprintf(
			`{"distinct_id":"user-%d","events":[{"event_id":"e-%[1]d","name":"update_failed","properties":{"app_version":%q}}]}`, i, text), http.StatusAccepted)
	}
	u.close(t)
	u.Exchanges(t, []apitest.Exchange{
		{"five of each", "GET", version + "/health", "", 200, `{"rules":[{"exposure":5,"failures":5},{"exposure":5,"failures":5}]}`},
	})
}
