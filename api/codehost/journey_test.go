package codehost_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/jobs"
	"svc/internal/testutil"
)

// guide maps the names of the examples in docs/codehost.md to their texts.
type guide map[string]string

func readGuide(t *testing.T) guide {
	t.Helper()
	page, err := os.ReadFile("../../docs/codehost.md")
	if err != nil {
		t.Fatal(err)
	}
	g := guide{}
	for _, m := range regexp.MustCompile("(?s)<!-- journey: (\\w+) -->\n```\\w+\n(.*?)```\n").FindAllStringSubmatch(string(page), -1) {
		g[m[1]] = m[2]
	}
	return g
}

// example returns the example with the given name. The test fails if there is none.
func (g guide) example(t *testing.T, name string) string {
	t.Helper()
	if g[name] == "" {
		t.Fatalf("docs/codehost.md has no example %q", name)
	}
	return g[name]
}

// journey follows the steps in docs/codehost.md with a server and a fake code host.
type journey struct {
	*apitest.Server
	host  *codehosttest.Host
	repo  *codehosttest.Repository
	guide guide
	fill  *strings.Replacer // replaces the placeholders of the examples
}

func newJourney(t *testing.T) *journey {
	t.Helper()
	host := codehosttest.New(t)
	s := apitest.NewServer(t, apitest.WithCodehost(host.URL), apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
	host.SetClock(s.Clock.Now)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"my-app","name":"My App"}`)
	background := jobs.New(jobs.Config{
		DB: s.DB, Events: s.Events, Log: slog.New(slog.DiscardHandler), Flush: func() error { return nil },
		Files: s.Files,
	})
	background.Start()
	t.Cleanup(func() {
		if err := background.Stop(); err != nil {
			t.Error(err)
		}
	})
	j := &journey{Server: s, host: host, repo: host.Repository("acme/my-app"), guide: readGuide(t)}
	j.fill = strings.NewReplacer("https://github.com/", host.URL+"/")
	return j
}

// send sends an example request and checks the status.
func (j *journey) send(t *testing.T, status int, example string) string {
	t.Helper()
	line, body, _ := strings.Cut(j.fill.Replace(j.guide.example(t, example)), "\n")
	method, path, _ := strings.Cut(line, " ")
	got, answer := j.Ask(t, method, strings.TrimPrefix(path, "/api/v1"), strings.TrimSpace(body))
	if got != status {
		t.Fatalf("%s: %s: got %d %s, want %d", example, line, got, answer, status)
	}
	return answer
}

// deliver sends a delivery of the code host and checks the status and the response.
func (j *journey) deliver(t *testing.T, path string, d codehosttest.Delivery, status int, want string) {
	t.Helper()
	got, answer := codehosttest.Deliver(t, j.URL+path, d)
	if why := apitest.CompareJSON(t, answer, want); got != status || why != "" {
		t.Fatalf("%s delivered to %s: got %d %s, want %d %s: %s", d.Event, path, got, answer, status, want, why)
	}
}

// publish publishes a release and returns its delivery.
func (j *journey) publish(t *testing.T, tag, secret string, assets ...codehosttest.Asset) codehosttest.Delivery {
	t.Helper()
	j.repo.Publish(codehosttest.Release{Tag: tag, Name: "Release " + tag, Body: "What is new in " + tag, Assets: assets})
	return codehosttest.Delivery{Event: "release", Payload: j.repo.ReleasePayload(t, "published", tag), Secret: secret}
}

// TestJourney follows docs/codehost.md from beginning to end, using only HTTP.
func TestJourney(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	j.publish(t, "v1.0.0", "")
	hook, secret := j.connectReleases(t)
	j.followRelease(t, hook, secret)
	j.connectApp(t)
	j.forward(t)
	j.command(t)
	j.rotate(t, hook, secret)
}

// connectReleases performs step 1 of the page up to the ping, and then imports the earlier
// releases.
func (j *journey) connectReleases(t *testing.T) (hook, secret string) {
	t.Helper()
	j.send(t, 200, "project")
	answer := j.send(t, 200, "secret")
	hook, secret = apitest.Field[string](t, answer, "payload_path"), apitest.Field[string](t, answer, "secret")
	j.deliver(t, hook, codehosttest.Delivery{Event: "ping", Payload: []byte(`{"zen":"Keep it logically awesome.","hook_id":1}`), Secret: secret}, 200, `{"status":"pong","event":"ping"}`)
	if answer := j.send(t, 200, "last"); apitest.CompareJSON(t, answer, `{"enabled":true,"last_delivery":{"event":"ping","status":"pong","reason":null}}`) != "" {
		t.Fatalf("the last delivery: got %s", answer)
	}
	if answer := j.send(t, 200, "import"); apitest.Field[int](t, answer, "imported") != 1 {
		t.Fatalf("import: got %s", answer)
	}
	return hook, secret
}

// followRelease publishes a release with four attachments. It checks that the release becomes the
// latest version, with links to copies of the attachments.
func (j *journey) followRelease(t *testing.T, hook, secret string) {
	t.Helper()
	var assets []codehosttest.Asset
	for _, system := range []string{"windows.exe", "macos.dmg", "linux.tar.gz", "android.apk"} {
		assets = append(assets, codehosttest.Asset{Name: "my-app-" + system, Content: "for " + system})
	}
	release := j.publish(t, "v1.1.0", secret, assets...)
	release.ID = "the first"
	j.deliver(t, hook, release, 200, `{"status":"synced","event":"release","action":"published","version":"1.1.0","created":true,"mirror_queued":4}`)
	j.deliver(t, hook, release, 200, `{"status":"ignored","reason":"duplicate_delivery","event":"release"}`)
	testutil.Until(t, "four attachments are copied", func() bool {
		return apitest.Field[int](t, j.Must(t, 200, "GET", "/admin/projects/my-app/files?status=ready", ""), "total") == 4
	})
	var latest version
	testutil.Until(t, "links lead to the copies", func() bool {
		latest = j.latest(t)
		return !slices.ContainsFunc(latest.Links, func(l link) bool { return !strings.HasPrefix(l.URL, "https://dl.example") })
	})
	if latest.Version != "1.1.0" || latest.Title != "Release v1.1.0" || latest.Content != "What is new in v1.1.0" || len(latest.Links) != 4 {
		t.Fatalf("the latest version: got %+v", latest)
	}
	for i, link := range latest.Links {
		path, ours := strings.CutPrefix(link.URL, "https://dl.example")
		status, content, _ := j.Send(t, "GET", path, nil, "")
		if !ours || link.Name != assets[i].Name || status != 200 || content != assets[i].Content {
			t.Errorf("link %d: got %+v, which answers %d %q", i, link, status, content)
		}
	}
}

// version is the JSON form of a version in responses to visitors.
type version struct {
	Version string `json:"version"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Links   []link `json:"download_links"`
}

type link struct{ URL, Name string }

// latest returns the latest version from the server's response to a visitor.
func (j *journey) latest(t *testing.T) (v version) {
	t.Helper()
	_, answer := j.Ask(t, "GET", "/public/my-app/versions/latest", "")
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return v
}

// connectApp performs steps 2 and 3 of the page.
func (j *journey) connectApp(t *testing.T) {
	t.Helper()
	app := j.host.App(t, map[string]string{"issues": "write", "contents": "read", "actions": "write"}, "issue_comment")
	app.Install(j.repo)
	key, err := json.Marshal(app.PKCS1)
	if err != nil {
		t.Fatal(err)
	}
	j.fill = strings.NewReplacer("123456", app.ID, `"-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----\n"`, string(key))
	j.send(t, 200, "app")
	if answer := j.send(t, 200, "test"); !apitest.Field[bool](t, answer, "ok") {
		t.Fatalf("the test of the app: got %s", answer)
	}
}

// forward performs step 4: it creates issues from feedback, first with the built-in template, then
// with the one in the repository.
func (j *journey) forward(t *testing.T) {
	t.Helper()
	if answer := j.send(t, 200, "integration"); !apitest.Field[bool](t, answer, "feedback_issue_active") {
		t.Fatalf("the integration: got %s", answer)
	}
	_, options := j.Ask(t, "GET", "/public/my-app/feedbacks/options", "")
	if !apitest.Field[bool](t, options, "codehost_forward_available") {
		t.Fatalf("the options: got %s", options)
	}
	j.sendFeedback(t, "[User feedback] The export button does nothing", "| Contact | ann@example.com |", "feedback")

	j.repo.Write("", ".github/feedback.md", j.guide.example(t, "template"))
	j.send(t, 200, "source")
	if answer := j.send(t, 200, "preview"); apitest.Field[*string](t, answer, "error") != nil || apitest.Field[string](t, answer, "title_template") != "Feedback: {{content_head}}" {
		t.Fatalf("the preview of the template: got %s", answer)
	}
	j.Clock.Advance(2 * time.Minute) // wait, or the next submission would be a duplicate
	j.sendFeedback(t, "Feedback: The export button does nothing", "| ann@example.com | not rated | windows  |", "feedback", "needs-triage")
}

// sendFeedback sends the feedback from the page's example and checks that it becomes an issue.
func (j *journey) sendFeedback(t *testing.T, title, part string, labels ...string) {
	t.Helper()
	answer := j.send(t, 201, "feedback")
	issues := j.repo.Issues()
	issue := issues[len(issues)-1]
	if issue.Title != title || !strings.Contains(issue.Body, part) || !slices.Equal(issue.Labels, labels) {
		t.Errorf("got the issue %+v, want title %q, labels %q, and %q in it", issue, title, labels, part)
	}
	id := apitest.Field[string](t, answer, "id")
	want := fmt.Sprintf(`{"forwarded_to_codehost":true,"codehost_issue_number":%d,"codehost_issue_url":"%s/acme/my-app/issues/%[1]d"}`, issue.Number, j.host.URL)
	if why := apitest.CompareJSON(t, answer, want); why != "" {
		t.Errorf("the feedback: %s: got %s", why, answer)
	}
	j.Exchanges(t, []apitest.Exchange{{"the feedback in the console", "GET", "/admin/projects/my-app/feedbacks/" + id, "", 200, want}})
}

// command performs step 5. A maintainer's comment starts a workflow and gets a reaction. An unknown
// user's comment has neither effect.
func (j *journey) command(t *testing.T) {
	t.Helper()
	j.repo.AddWorkflow("deploy.yml")
	j.send(t, 200, "commands")
	const hook, secret = "/api/v1/webhooks/codehost-app", "a random text of the app"
	comment := func(author, association, body string) codehosttest.Delivery {
		c := j.repo.AddComment(1, author, body)
		return codehosttest.Delivery{Event: "issue_comment", Payload: j.repo.CommentPayload(t, 1, c, association), Secret: secret}
	}
	j.deliver(t, hook, comment("stranger", "NONE", "/svc-deploy production"), 200, `{"status":"ignored","reason":"author_not_allowed","event":"issue_comment","command":"deploy"}`)
	if got := j.repo.Dispatches(); len(got) != 0 {
		t.Fatalf("a stranger has started %+v", got)
	}
	said := comment("maintainer", "MEMBER", "\n/svc-deploy staging\nplease")
	j.deliver(t, hook, said, 200, `{"status":"dispatched","event":"issue_comment","command":"deploy","project_key":"my-app","workflow":"deploy.yml"}`)
	want := []codehosttest.Dispatch{{Workflow: "deploy.yml", Ref: "main", Inputs: map[string]string{"args": "staging"}}}
	if got := j.repo.Dispatches(); !reflect.DeepEqual(got, want) {
		t.Errorf("started: got %+v, want %+v", got, want)
	}
	j.deliver(t, hook, comment("release-bot", "NONE", "/svc-deploy"), 200, `{"status":"dispatched"}`)
	for i, want := range [][]string{nil, {"rocket"}, {"rocket"}} {
		if c := j.repo.Issues()[0].Comments[i]; !slices.Equal(c.Reactions, want) {
			t.Errorf("comment %q of %s got the reactions %q, want %q", c.Body, c.Author, c.Reactions, want)
		}
	}
}

// rotate replaces the secret of the release webhook while the code host still signs deliveries with
// the previous secret.
func (j *journey) rotate(t *testing.T, hook, former string) {
	t.Helper()
	secret := apitest.Field[string](t, j.send(t, 200, "rotate"), "secret")
	synced := func(tag, secret string) {
		t.Helper()
		j.deliver(t, hook, j.publish(t, tag, secret), 200, fmt.Sprintf(`{"status":"synced","version":%q,"created":true}`, tag[1:]))
	}
	synced("v1.2.0", former)
	synced("v1.3.0", secret)
	j.Clock.Advance(59 * time.Minute)
	synced("v1.4.0", former)
	j.Clock.Advance(2 * time.Minute)
	j.deliver(t, hook, j.publish(t, "v1.5.0", former), 401, ``)
	synced("v1.6.0", secret)
	if got := j.latest(t).Version; got != "1.6.0" {
		t.Errorf("the latest version is %s", got)
	}
}
