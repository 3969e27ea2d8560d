package codehost_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/seal"
	"svc/store"
)

const (
	appHook = "/api/v1/webhooks/codehost-app"
)

// commanded is a world in which the project has commands: comments that start workflows.
type commanded struct {
	*world
	app     *codehosttest.App
	issue   int64
	comment codehosttest.Comment
}

func newCommanded(t *testing.T, options ...apitest.Option) *commanded {
	t.Helper()
	w := &commanded{world: newWorld(t, options...)}
	w.app = w.host.App(t, map[string]string{"actions": "write", "issues": "write"}, "issue_comment")
	w.app.Install(w.repo)
	w.repo.AddWorkflow("deploy.yml")
	w.set(t, "/admin/codehost-app", map[string]any{"app_id": w.app.ID, "private_key": w.app.PKCS8, "webhook_secret": hookSecret, "enabled_features": []string{"comment_commands"}})
	w.set(t, integration, map[string]any{
		"repo_full_name": "Lumen-Works/Beacon", "comment_commands_enabled": true, "command_allowed_users": []string{"Release-Bot"},
		"commands": []any{
			map[string]any{"name": "deploy", "workflow": "deploy.yml", "ref": "main"},
			map[string]any{"name": "build", "workflow": "deploy.yml", "ref": "v1", "input": "target"},
			map[string]any{"name": "broken", "workflow": "gone.yml", "ref": "main"},
		},
	})
	w.issue = w.repo.AddIssue("Lamp", "flickers").Number
	w.comment = w.repo.AddComment(w.issue, "mira-stone", "/svc-deploy staging")
	return w
}

func (w *commanded) set(t *testing.T, path string, fields map[string]any) {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	w.Must(t, 200, "PUT", path, string(body))
}

// send delivers the comment after applying changes to the fields of its payload.
func (w *commanded) send(t *testing.T, id string, changes map[string]any) (int, string) {
	t.Helper()
	return deliver(t, w.Server, appHook, "issue_comment", w.payload(t, changes), map[string]string{"X-GitHub-Delivery": id})
}

func (w *commanded) payload(t *testing.T, changes map[string]any) []byte {
	t.Helper()
	all := map[string]any{
		"repository.full_name": "lumen-works/beacon", "issue.number": w.issue, "comment.id": w.comment.ID, "comment.body": w.comment.Body,
		"comment.user.login": "mira-stone", "comment.author_association": "MEMBER",
	}
	maps.Copy(all, changes)
	return codehosttest.Payload(t, "issue_comment", all)
}

// reactions returns the reactions of the app to the comment.
func (w *commanded) reactions() string {
	return strings.Join(w.repo.Issues()[w.issue-1].Comments[0].Reactions, " ")
}

// TestCommentDeliveries covers each condition for a comment to start a workflow, in the order in
// which the server checks them.
func TestCommentDeliveries(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	const ignored = `{"status":"ignored","event":"issue_comment","reason":`
	type row struct {
		name, event string
		payload     []byte
		headers     map[string]string
		status      int
		want        string
	}
	comment := func(name string, changes map[string]any, want string) row {
		return row{name, "issue_comment", w.payload(t, changes), nil, 200, want}
	}
	try := func(rows ...row) {
		t.Helper()
		for _, r := range rows {
			status, answer := deliver(t, w.Server, appHook, r.event, r.payload, r.headers)
			expect(t, r.name, status, answer, r.status, r.want)
			if strings.HasPrefix(r.want, ignored) && strings.Contains(answer, `"command"`) != strings.Contains(r.want, `"command"`) {
				t.Errorf("%s: got %s, want %s", r.name, answer, r.want)
			}
		}
	}
	ok := w.payload(t, nil)
	w.set(t, "/admin/codehost-app", map[string]any{"webhook_secret": ""})
	try(row{"no instance secret", "issue_comment", ok, nil, 403, `{"message":"the app of the code host has no webhook secret, so it accepts nothing: set one"}`},
		row{"no instance secret, before the signature", "issue_comment", ok, map[string]string{"X-Hub-Signature-256": ""}, 403, ``})
	w.set(t, "/admin/codehost-app", map[string]any{"webhook_secret": hookSecret})
	try(
		row{"signature missing", "issue_comment", ok, map[string]string{"X-Hub-Signature-256": ""}, 401, ``},
		row{"signature wrong", "issue_comment", ok, map[string]string{"X-Hub-Signature-256": codehosttest.Sign(ok, "x")}, 401, ``},
		row{"body is not JSON", "issue_comment", []byte("no"), nil, 400, ``},
		row{"ping", "ping", []byte(`{"zen":"Half measures are as bad as nothing at all."}`), nil, 200, `{"status":"pong","event":"ping"}`},
		row{"event ≠ issue_comment", "issues", ok, nil, 200, `{"status":"ignored","event":"issues","reason":"unsupported_event"}`},
	)
	w.set(t, "/admin/codehost-app", map[string]any{"enabled_features": []string{"feedback_issue"}})
	try(comment("feature comment_commands off", map[string]any{"action": "deleted"}, ignored+`"feature_disabled"}`))
	w.set(t, "/admin/codehost-app", map[string]any{"enabled_features": []string{"comment_commands"}, "app_id": ""})
	try(comment("app not configured", nil, ignored+`"feature_disabled"}`))
	w.set(t, "/admin/codehost-app", map[string]any{"app_id": w.app.ID})
	try(
		comment("action ≠ created", map[string]any{"action": "edited", "repository": nil}, ignored+`"unsupported_action"}`),
		comment("action missing", map[string]any{"action": nil}, ignored+`"unsupported_action"}`),
		comment("no repository.full_name", map[string]any{"repository.full_name": " ", "comment.body": "hello"}, ignored+`"missing_repository"}`),
		comment("no repository", map[string]any{"repository": 5, "repository.full_name": nil}, ignored+`"missing_repository"}`),
		comment("first non-empty line is no command", map[string]any{"comment.body": "\nThanks!\n/svc-deploy"}, ignored+`"no_command"}`),
		comment("comment without a body", map[string]any{"comment": []any{}, "comment.id": nil, "comment.body": nil, "comment.user.login": nil, "comment.author_association": nil}, ignored+`"no_command"}`),
		comment("no project with this repository", map[string]any{"repository.full_name": "lumen-works/other"}, ignored+`"repo_not_configured"}`),
	)
	w.set(t, integration, map[string]any{"comment_commands_enabled": false})
	try(comment("no project with comment_commands_enabled", nil, ignored+`"repo_not_configured"}`))
	w.set(t, integration, map[string]any{"comment_commands_enabled": true})
	try(
		comment("commenter not allowed", map[string]any{"comment.author_association": "NONE"}, ignored+`"author_not_allowed","command":"deploy"}`),
		comment("commenter not allowed, before the command", map[string]any{"comment.author_association": "", "comment.user.login": "", "comment.body": "/svc-nothing"}, ignored+`"author_not_allowed","command":"nothing"}`),
		comment("command name not defined", map[string]any{"comment.body": "/svc-nothing"}, ignored+`"unknown_command","command":"nothing"}`),
	)
	if n := len(w.repo.Dispatches()); n != 0 {
		t.Fatalf("%d workflows were started", n)
	}
	try(
		comment("otherwise dispatch", nil, `{"status":"dispatched","event":"issue_comment","command":"deploy","project_key":"beacon","workflow":"deploy.yml"}`),
		comment("allowed by name, in any case", map[string]any{"comment.id": nil, "comment.author_association": "NONE", "comment.user.login": "release-BOT"}, `{"status":"dispatched"}`),
		comment("repository in any case, another input, no argument", map[string]any{"comment.id": nil, "repository.full_name": "LUMEN-works/BEACON", "comment.body": " /svc-build "}, `{"status":"dispatched","command":"build"}`),
	)
	want := []codehosttest.Dispatch{
		{Workflow: "deploy.yml", Ref: "main", Inputs: map[string]string{"args": "staging"}},
		{Workflow: "deploy.yml", Ref: "main", Inputs: map[string]string{"args": "staging"}},
		{Workflow: "deploy.yml", Ref: "v1", Inputs: map[string]string{"target": ""}},
	}
	if got := w.repo.Dispatches(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := w.reactions(); got != "rocket" {
		t.Errorf("the commenter sees %q, want a rocket", got)
	}
}

// TestFailingDispatch checks that a command that cannot be dispatched is answered with 503 and a
// reaction, and that it may be delivered again.
func TestFailingDispatch(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	const refused = `{"message":"the workflow could not be started; the log has the details"}`
	status, answer := w.send(t, "one", map[string]any{"comment.body": "/svc-broken"})
	expect(t, "no such workflow", status, answer, 503, refused)
	if got := w.reactions(); got != "confused" {
		t.Errorf("the commenter sees %q, want that it failed", got)
	}
	w.host.Break("POST", "/dispatches", codehosttest.Status(500))
	status, answer = w.send(t, "two", nil)
	expect(t, "the code host fails", status, answer, 503, refused)
	w.host.Mend()
	status, answer = w.send(t, "two", nil)
	expect(t, "delivered again", status, answer, 200, `{"status":"dispatched"}`)
	status, answer = w.send(t, "two", nil)
	expect(t, "and again", status, answer, 200, `{"status":"ignored","reason":"duplicate_delivery"}`)
	if n := len(w.repo.Dispatches()); n != 1 {
		t.Errorf("%d workflows were started, want 1", n)
	}
}

// TestCommandWithoutAReaction checks that a failed reaction does not change the result of the
// command.
func TestCommandWithoutAReaction(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	w.host.Break("POST", "/reactions", codehosttest.Status(403))
	status, answer := w.send(t, "one", nil)
	expect(t, "no reaction", status, answer, 200, `{"status":"dispatched"}`)
	if len(w.repo.Dispatches()) != 1 || w.reactions() != "" {
		t.Errorf("got %d workflows and %q", len(w.repo.Dispatches()), w.reactions())
	}
}

// TestCommandIsReplayed checks that a comment starts a workflow only once, even if it is delivered
// repeatedly, concurrently or under different ids. Delivery ids are not signed, so a sender could
// change them.
func TestCommandIsReplayed(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	var sending sync.WaitGroup
	var mu sync.Mutex
	var answers []string
	for i := range 8 {
		sending.Go(func() {
			_, answer := w.send(t, fmt.Sprint("delivery ", i/2), nil)
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, answer)
		})
	}
	sending.Wait()
	all := strings.Join(answers, "\n")
	if strings.Count(all, "dispatched") != 1 || strings.Count(all, "duplicate_delivery") != 7 || len(w.repo.Dispatches()) != 1 {
		t.Errorf("%d workflows were started, want 1; answers\n%s", len(w.repo.Dispatches()), all)
	}
	w.Clock.Advance(6 * 24 * time.Hour)
	status, answer := w.send(t, "another", nil)
	expect(t, "days later", status, answer, 200, `{"reason":"duplicate_delivery"}`)
}

// TestCommandOfSeveralProjects checks which project the server selects if several projects have the
// same repository. It must select the first one that has the command and allows the comment's
// author to give the command.
func TestCommandOfSeveralProjects(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	w.Project(t, "second")
	w.set(t, "/admin/projects/second/codehost-integration", map[string]any{
		"repo_full_name": "lumen-works/beacon", "comment_commands_enabled": true, "command_allowed_associations": []string{"NONE"},
		"commands": []any{map[string]any{"name": "nightly", "workflow": "deploy.yml", "ref": "main"}},
	})
	status, answer := w.send(t, "one", map[string]any{"comment.body": "/svc-nightly", "comment.author_association": "NONE", "comment.id": nil})
	expect(t, "of the second", status, answer, 200, `{"status":"dispatched","project_key":"second"}`)
	status, answer = w.send(t, "two", map[string]any{"comment.body": "/svc-nightly", "comment.id": nil})
	expect(t, "not allowed there", status, answer, 200, `{"reason":"unknown_command"}`)
}

// TestCommandsAfterAChangeOfJWTSecret checks that no request is answered with status 500 after
// JWT_SECRET has changed.
func TestCommandsAfterAChangeOfJWTSecret(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	foreign := seal.NewKeys([]byte("another"))
	change := func(change func(*store.CodehostApp)) {
		t.Helper()
		err := w.DB.Update(func(tx *store.Tx) error {
			a, err := store.CodehostAppSettings.Get(tx)
			if err != nil {
				return err
			}
			change(a)
			return store.CodehostAppSettings.Put(tx, a)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(func(a *store.CodehostApp) { a.PrivateKey = foreign.Seal(seal.AppPrivateKey, w.app.PKCS8) })
	status, answer := w.send(t, "one", nil)
	expect(t, "the private key", status, answer, 503, `{"message":"the workflow could not be started; the log has the details"}`)
	change(func(a *store.CodehostApp) { a.WebhookSecret = foreign.Seal(seal.AppWebhookSecret, hookSecret) })
	status, answer = w.send(t, "one", nil)
	expect(t, "the webhook secret", status, answer, 403, `{"message":"the stored webhook secret of the code host app cannot be decrypted, because JWT_SECRET has changed since it was saved: enter it again"}`)
}

func TestSizeOfCommentDeliveries(t *testing.T) {
	t.Parallel()
	w := newCommanded(t)
	body := []byte(`{"action":"` + strings.Repeat("x", 25<<20) + `"}`)
	status, answer := deliver(t, w.Server, appHook, "issue_comment", body, nil)
	expect(t, "too large", status, answer, 413, `{"message":"the request body must have at most 26214400 bytes"}`)
}
