package api_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc/api/apitest"
)

// stateful is a kind of record that administrators can change.
type stateful struct {
	name, path string
	read       bool   // the record can be read with GET
	verb       string // method of the request that changes it
	change     string // body of that request, with # in place of a number
	deletes    bool   // the record can be deleted with DELETE
	ends       bool   // the test may delete the record, because no later row needs it
}

func statefulRecords(t *testing.T, s *apitest.Server) []stateful {
	t.Helper()
	at := makeTarget(t, s, "app")
	s.Must(t, 200, "PUT", "/admin/projects/app/codehost-integration", `{"repo_full_name":"a/b"}`)
	const one = "/admin/projects/app"
	return []stateful{
		{"version", one + "/versions/" + at.version, true, "PATCH", `{"title":"#"}`, true, false},
		{"version by its text", one + "/versions/by-version/1.0.0", false, "PUT", `{"title":"#"}`, false, false},
		{"version, older path", "/admin/versions/" + at.version, true, "PATCH", `{"title":"#"}`, true, true},
		{"announcement", one + "/announcements/" + at.announcement, true, "PATCH", `{"title":"#"}`, true, false},
		{"announcement, older path", "/admin/announcements/" + at.announcement, false, "PATCH", `{"title":"#"}`, true, true},
		{"feedback", one + "/feedbacks/" + at.feedback, true, "PATCH", `{"result":"#"}`, true, false},
		{"feedback, older path", "/admin/feedbacks/" + at.feedback, false, "PATCH", `{"result":"#"}`, true, true},
		{"log", one + "/logs/" + at.log, false, "PATCH", `{"is_hidden":?}`, false, false},
		{"definition", one + "/events/definitions/" + at.definition, true, "PATCH", `{"display_name":"#"}`, true, true},
		{"card", one + "/events/dashboards/cards/" + at.card, true, "PATCH", `{"title":"#"}`, true, true},
		{"API key", "/auth/api-keys/" + at.key, true, "PATCH", `{"name":"#"}`, true, false},
		{"API key, other path", "/auth/tokens/" + at.key, true, "PATCH", `{"name":"#"}`, true, true},
		{"code host app", "/admin/codehost-app", true, "PUT", `{"app_id":"#"}`, true, true},
		{"integration", one + "/codehost-integration", true, "PUT", `{"feedback_issue_template_repo_ref":"#"}`, false, false},
		{"translation", "/admin/translation", true, "PUT", `{"model":"#"}`, true, true},
		{"CDN", "/admin/storage/cdn", true, "PUT", `{"access_key_id":"#"}`, true, true},
		{"terms", "/admin/terms/documents/privacy-policy", true, "PUT", `{"content":"#"}`, true, true},
		{"project", one, true, "PATCH", `{"author":"#"}`, true, true}, // the project comes last, because the other records belong to it
	}
}

// TestIfMatch checks that a change with an If-Match header is only made if the record still has the
// given state.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	n := 0
	for _, r := range statefulRecords(t, s) {
		body := func() string {
			n++
			return strings.NewReplacer("#", strconv.Itoa(n), "?", strconv.FormatBool(n%2 == 0)).Replace(r.change)
		}
		send := func(verb, wanted, body string) (int, string, string) {
			headers := map[string]string{"Authorization": "Bearer " + s.Admin}
			if wanted != "" {
				headers["If-Match"] = wanted
			}
			status, answer, header := s.Send(t, verb, "/api/v1"+r.path, headers, body)
			return status, answer, header.Get("Etag")
		}
		status, _, first := send(r.verb, "", body())
		if status != 200 || first == "" {
			t.Fatalf("%s: a change without If-Match: %d, ETag %q", r.name, status, first)
		}
		look := func() string {
			if !r.read {
				return ""
			}
			status, answer, tag := send("GET", "", "")
			if status != 200 {
				t.Fatalf("%s: %d %s", r.name, status, answer)
			}
			return tag + answer
		}
		if got := look(); r.read && !strings.HasPrefix(got, first) {
			t.Errorf("%s: GET has %.30s, want the tag %s of the change", r.name, got, first)
		}
		status, answer, second := send(r.verb, `"other", `+first, body())
		if status != 200 || second == first || second == "" {
			t.Errorf("%s: the right tag among others: %d %s, ETag %s after %s", r.name, status, answer, second, first)
		}
		before := look()
		for _, stale := range []string{first, `"x"`, "W/" + second, strings.Trim(second, `"`), `""`} {
			if status, answer, tag := send(r.verb, stale, body()); status != 412 || tag != "" || !strings.Contains(apitest.Message(t, answer), "changed since it was read") {
				t.Errorf("%s: with If-Match %s: %d %s, ETag %q", r.name, stale, status, answer, tag)
			}
			if !r.deletes {
				continue
			}
			if status, answer, _ := send("DELETE", stale, ""); status != 412 {
				t.Errorf("%s: deletion with If-Match %s: %d %s", r.name, stale, status, answer)
			}
		}
		if after := look(); after != before {
			t.Errorf("%s: a refused change changed\n%s to\n%s", r.name, before, after)
		}
		status, answer, third := send(r.verb, "*", body())
		if status != 200 {
			t.Errorf("%s: with If-Match *: %d %s", r.name, status, answer)
		}
		if !r.ends {
			continue
		}
		if status, answer, _ := send("DELETE", third, ""); status != 200 {
			t.Errorf("%s: deletion with its tag: %d %s", r.name, status, answer)
		}
	}
}

// TestIfMatchOfRollout checks that no change of a rollout applies to another state than the given one.
func TestIfMatchOfRollout(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	path := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0") + "/rollout"
	before := s.Must(t, 201, "PUT", path, `{"percent":5}`)
	headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": `"x"`}
	for _, change := range [][2]string{
		{"PUT", ""}, {"POST", "/pause"}, {"POST", "/resume"}, {"POST", "/advance"}, {"POST", "/complete"}, {"POST", "/abort"},
	} {
		if status, answer, _ := s.Send(t, change[0], "/api/v1"+path+change[1], headers, ""); status != 412 {
			t.Errorf("%v: got %d %s, want 412", change, status, answer)
		}
	}
	if after := s.Must(t, 200, "GET", path, ""); after != before {
		t.Errorf("a refused change changed\n%s to\n%s", before, after)
	}
}

// TestETagOfUse checks that using a record without changing it does not change its entity tag.
func TestETagOfUse(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	at := makeTarget(t, s, "app")
	tag := func(path string) string {
		_, _, header := s.Do(t, "GET", path, s.Admin, "")
		return header.Get("Etag")
	}
	key := apitest.Field[map[string]any](t, `{"answer":`+s.Must(t, 201, "POST", "/auth/api-keys", `{"name":"used","scopes":["projects:read"]}`)+`}`, "answer")
	paths := []string{"/auth/api-keys/" + fmt.Sprint(key["id"]), "/admin/projects/app/events/definitions/" + at.definition, "/admin/projects/app"}
	var before []string
	for _, path := range paths {
		before = append(before, tag(path))
	}
	if status, answer, _ := s.Do(t, "GET", "/admin/projects", fmt.Sprint(key["token"]), ""); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	s.Must(t, 202, "POST", "/public/app/events", `{"distinct_id":"somebody","events":[{"event_id":"2","name":"open"}]}`)
	s.Must(t, 201, "POST", "/admin/projects/app/feedbacks", `{"content":"more"}`)
	for i, path := range paths {
		if after := tag(path); after != before[i] || after == "" {
			t.Errorf("%s: the tag was %s and is %s", path, before[i], after)
		}
	}
}

// TestIfMatchAtTheSameTime checks that only one of several concurrent changes is made if all of
// them name the same state.
func TestIfMatchAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	_, _, header := s.Do(t, "GET", "/admin/projects/app", s.Admin, "")
	statuses := make([]int, 8)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": header.Get("Etag")}
			statuses[i], _, _ = s.Send(t, "PATCH", "/api/v1"+"/admin/projects/app", headers, fmt.Sprintf(`{"author":"%d"}`, i))
		})
	}
	all.Wait()
	author, won := apitest.Field[string](t, s.Must(t, 200, "GET", "/admin/projects/app", ""), "author"), 0
	for i, status := range statuses {
		switch status {
		case 200:
			if won++; author != fmt.Sprint(i) {
				t.Errorf("change %d was made, and the author is %s", i, author)
			}
		case 412:
		default:
			t.Errorf("change %d: %d", i, status)
		}
	}
	if won != 1 {
		t.Errorf("%d changes were made, want one", won)
	}
}

// TestIfMatchOfDistribution checks that what belongs to a version or a project, but is changed at an
// address of its own, is not changed if the record has another state than the given one.
func TestIfMatchOfDistribution(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", apitest.VersionsOf("app"), `{"version":"1.0","comparable_version":"1.0","download_links":[{"url":"https://example.org/app.zip"}]}`)
	version := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0")
	key := apitest.Field[string](t, s.Must(t, 201, "POST", "/admin/projects/app/trust-keys", `{"scheme":"sparkle","public_key":"`+
		base64.StdEncoding.EncodeToString(make([]byte, 32))+`"}`), "id")
	group := apitest.Field[string](t, s.Must(t, 201, "POST", "/public/app/logs", `{"level":3,"content":"failed"}`), "group_id")
	headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": `"x"`}
	for _, change := range [][3]string{
		{"PUT", "/admin/projects/app/distribution", `{"signature_policy":"enforce"}`},
		{"PATCH", version + "/assets/app.zip", `{"platform":"linux"}`},
		{"POST", version + "/yank", `{"reason":"broken"}`},
		{"DELETE", version + "/yank", ""},
		{"DELETE", version + "/assets/app.zip/signatures/minisign", ""},
		{"PATCH", "/admin/projects/app/trust-keys/" + key, `{"label":"release"}`},
		{"PATCH", "/admin/projects/app/log-groups/" + group, `{"state":"muted"}`},
	} {
		if status, answer, _ := s.Send(t, change[0], "/api/v1"+change[1], headers, change[2]); status != 412 {
			t.Errorf("%v: got %d %s, want 412", change, status, answer)
		}
	}
}

// TestIfMatchOfHooks checks that a hook is not changed if it has another state than the given one.
func TestIfMatchOfHooks(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": `"x"`}
	for _, all := range []string{"/admin/projects/app/hooks", "/admin/hooks"} {
		one := all + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", all, `{"name":"CI","kind":"webhook","url":"http://127.0.0.1:1"}`), "id")
		for _, change := range [][3]string{{"PATCH", one, `{"name":"x"}`}, {"POST", one + "/rotate", ""}, {"DELETE", one, ""}} {
			if status, answer, _ := s.Send(t, change[0], "/api/v1"+change[1], headers, change[2]); status != 412 {
				t.Errorf("%v: got %d %s, want 412", change, status, answer)
			}
		}
	}
}

// TestIfMatchOfNothing checks that an If-Match header never matches a record that does not exist.
func TestIfMatchOfNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": "*"}
	path := "/api/v1" + apitest.VersionsOf("app") + "/by-version/1.0"
	if status, answer, _ := s.Send(t, "PUT", path, headers, "{}"); status != 412 {
		t.Errorf("publishing: %d %s", status, answer)
	}
	s.Must(t, 404, "GET", "/public/app/versions/by-version/1.0", "")
	if status, answer, _ := s.Send(t, "DELETE", "/api/v1"+"/admin/projects/nobody", headers, ""); status != 404 {
		t.Errorf("deleting what is not there: %d %s", status, answer)
	}
}
