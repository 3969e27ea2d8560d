package codehost_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/seal"
	"svc/store"
)

// aKey has the form of a private key but no valid content.
const aKey = `-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----`

// firstApp is the response before the settings are saved for the first time.
const firstApp = `{"configured":false,"app_id":null,"has_private_key":false,"private_key_fingerprint":null,"private_key_updated_at":null,
	"has_webhook_secret":false,"webhook_secret_hint":null,"webhook_secret_length":null,"webhook_secret_masked":null,"webhook_secret_updated_at":null,
	"webhook_payload_path":"/api/v1/webhooks/codehost-app","enabled_features":[],"feedback_issue_custom_template":false,
	"feedback_issue_title_template":null,"feedback_issue_body_template":null,"builtin_feedback_issue_title_template":"[User feedback] {{content_head}}",
	"feedback_issue_template_variables":["project_key","project_name","feedback_id","content","content_head","rating","contact","user_id","platform","platform_version","created_at"],
	"updated_at":null}`

// TestApp covers reading, changing and resetting the app's settings.
func TestApp(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const path = "/admin/codehost-app"
	fingerprint := seal.Fingerprint(strings.ReplaceAll(aKey, `\n`, "\n"))
	masked := func(length int, hint string) string {
		return fmt.Sprintf(`"has_webhook_secret":true,"webhook_secret_hint":%q,"webhook_secret_length":%d,"webhook_secret_masked":%q`, hint, length, strings.Repeat("*", length-len([]rune(hint)))+hint)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"before the first save", "GET", path, "", 200, firstApp},
		{"an id alone is no app", "PUT", path, `{"app_id":" 12345 "}`, 200, `{"configured":false,"app_id":"12345","has_private_key":false}`},
		{
			"the key",
			"PUT",
			path,
			`{"private_key":"\n` + aKey + `\n"}`,
			200,
			`{"configured":true,"app_id":"12345","has_private_key":true,"private_key_fingerprint":"` + fingerprint + `"}`,
		},
		{"what is not sent stays", "PUT", path, `{}`, 200, `{"configured":true,"private_key_fingerprint":"` + fingerprint + `"}`},
		{"secret", "PUT", path, `{"webhook_secret":" 0123456789abcdef "}`, 200, `{` + masked(16, "abcdef") + `}`},
		{"secret of other letters", "PUT", path, `{"webhook_secret":"ключ-от-всего"}`, 200, `{` + masked(13, "-всего") + `}`},
		{"secret of seven", "PUT", path, `{"webhook_secret":"1234567"}`, 200, `{` + masked(7, "234567") + `}`},
		{
			"of a secret of six nothing is shown",
			"PUT",
			path,
			`{"webhook_secret":"123456"}`,
			200,
			`{"has_webhook_secret":true,"webhook_secret_hint":null,"webhook_secret_length":6,"webhook_secret_masked":"******"}`,
		},
		{"longest secret", "PUT", path, `{"webhook_secret":"` + strings.Repeat("x", 256) + `"}`, 200, `{` + masked(256, "xxxxxx") + `}`},
		{
			"features, twice",
			"PUT",
			path,
			`{"enabled_features":["comment_commands","feedback_issue","comment_commands"]}`,
			200,
			`{"enabled_features":["comment_commands","feedback_issue"]}`,
		},
		{"templates", "PUT", path, `{"feedback_issue_custom_template":true,"feedback_issue_title_template":" T ","feedback_issue_body_template":"B"}`, 200,
			`{"feedback_issue_custom_template":true,"feedback_issue_title_template":"T","feedback_issue_body_template":"B"}`},
		{"templates stay while the switch is off", "PUT", path, `{"feedback_issue_custom_template":false}`, 200,
			`{"feedback_issue_custom_template":false,"feedback_issue_title_template":"T","feedback_issue_body_template":"B","enabled_features":["comment_commands","feedback_issue"]}`},
		{
			"longest templates",
			"PUT",
			path,
			`{"feedback_issue_title_template":"` + strings.Repeat("é", 256) + `","feedback_issue_body_template":"` + strings.Repeat("é", 8192) + `"}`,
			200,
			``,
		},
		{"null and blank clear texts", "PUT", path, `{"app_id":null,"private_key":"","webhook_secret":" ","feedback_issue_title_template":"","feedback_issue_body_template":null}`, 200,
			`{"configured":false,"app_id":null,"has_private_key":false,"private_key_fingerprint":null,"private_key_updated_at":null,"has_webhook_secret":false,"webhook_secret_hint":null,
			"webhook_secret_length":null,"webhook_secret_masked":null,"webhook_secret_updated_at":null,"feedback_issue_title_template":null,"feedback_issue_body_template":null}`},
		{"null empties a list", "PUT", path, `{"enabled_features":null}`, 200, `{"enabled_features":[]}`},
		{
			"unknown fields are dropped",
			"PUT",
			path,
			`{"configured":true,"builtin_feedback_issue_title_template":"x"}`,
			200,
			`{"configured":false,"builtin_feedback_issue_title_template":"[User feedback] {{content_head}}"}`,
		},
		{
			"something to reset",
			"PUT",
			path,
			`{"app_id":"1","private_key":"` + aKey + `","webhook_secret":"s","enabled_features":["feedback_issue"],"feedback_issue_custom_template":true,"feedback_issue_title_template":"T"}`,
			200,
			`{"configured":true}`,
		},
		{"reset", "DELETE", path, "", 200, firstApp},
		{"after the reset", "GET", path, "", 200, firstApp},
	})
	s.Must(t, 200, "PUT", path, `{"app_id":"1","private_key":"`+aKey+`","webhook_secret":"0123456789abcdef"}`)
	s.Refusals(t, path, []apitest.Refusal{
		{"id", "PUT", path, `{"app_id":"` + strings.Repeat("1", 33) + `"}`, 400, "app_id must have at most 32 characters"},
		{"id of another type", "PUT", path, `{"app_id":1}`, 400, "app_id must be a string"},
		{"key that is none", "PUT", path, `{"private_key":"-----BEGIN PUBLIC KEY-----"}`, 400, "private_key must be a private key in PEM form"},
		{"long key", "PUT", path, `{"private_key":"PRIVATE KEY` + strings.Repeat("x", 16384) + `"}`, 400, "private_key must have at most 16384 characters"},
		{"long secret", "PUT", path, `{"webhook_secret":"` + strings.Repeat("x", 257) + `"}`, 400, "webhook_secret must have at most 256 characters"},
		{"unknown feature", "PUT", path, `{"enabled_features":["feedback_issue","other"]}`, 400, "enabled_features must be of feedback_issue, comment_commands"},
		{"features that are no list", "PUT", path, `{"enabled_features":"feedback_issue"}`, 400, "enabled_features must be a list"},
		{"null on a switch", "PUT", path, `{"feedback_issue_custom_template":null}`, 400, "feedback_issue_custom_template must not be null"},
		{
			"long title",
			"PUT",
			path,
			`{"feedback_issue_title_template":"` + strings.Repeat("x", 257) + `"}`,
			400,
			"feedback_issue_title_template must have at most 256 characters",
		},
		{
			"long body",
			"PUT",
			path,
			`{"feedback_issue_body_template":"` + strings.Repeat("x", 8193) + `"}`,
			400,
			"feedback_issue_body_template must have at most 8192 characters",
		},
		{
			"all that is wrong, and nothing is saved",
			"PUT",
			path,
			`{"app_id":"2","private_key":"x","enabled_features":[1]}`,
			400,
			"enabled_features[0] must be a string",
		},
	})
}

func TestSecretsOfTheAppAreTimedAndSealed(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const path = "/admin/codehost-app"
	at := func(answer, field string) int64 {
		t.Helper()
		return apitest.Field[int64](t, answer, field)
	}
	first := s.Must(t, 200, "PUT", path, `{"private_key":"`+aKey+`","webhook_secret":"the-secret-of-the-hook"}`)
	s.Clock.Advance(time.Hour)
	second := s.Must(t, 200, "PUT", path, `{"webhook_secret":"the-secret-of-the-hook"}`)
	if at(second, "private_key_updated_at") != at(first, "private_key_updated_at") || at(second, "webhook_secret_updated_at") < at(first, "webhook_secret_updated_at")+3600 || at(second, "updated_at") < at(first, "updated_at")+3600 {
		t.Errorf("times:\n%s\n%s", first, second)
	}
	err := s.DB.View(func(tx *store.Tx) error {
		a, err := store.CodehostAppSettings.Get(tx)
		if stored := fmt.Sprint(a); strings.Contains(stored, "MIIE") || strings.Contains(stored, "the-secret") {
			t.Errorf("secrets are stored as they are: %s", stored)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// connect creates an app with the given permissions at the code host and saves it in the server's
// settings.
func (w *world) connect(t *testing.T, permissions map[string]string, events ...string) *codehosttest.App {
	t.Helper()
	app := w.host.App(t, permissions, events...)
	key, err := json.Marshal(app.PKCS1)
	if err != nil {
		t.Fatal(err)
	}
	w.Must(t, 200, "PUT", "/admin/codehost-app", fmt.Sprintf(`{"app_id":%q,"private_key":%s,"enabled_features":["feedback_issue","comment_commands"]}`, app.ID, key))
	return app
}

func TestTestOfTheApp(t *testing.T) {
	t.Parallel()
	all := map[string]string{"issues": "write", "contents": "read", "actions": "write"}
	const test = "/admin/codehost-app/test"
	for _, tc := range []struct {
		name    string
		prepare func(t *testing.T, w *world)
		want    string
	}{
		{
			"nothing is saved",
			func(*testing.T, *world) {},
			`{"ok":false,"name":null,"slug":null,"missing_permissions":[],"missing_events":[],"error":"app_id and private_key are needed: save them first"}`,
		},
		{"it works", func(t *testing.T, w *world) { w.connect(t, all, "issue_comment", "push") },
			`{"ok":true,"name":"Lantern Feedback","slug":"lantern-feedback","missing_permissions":[],"missing_events":[],"error":null}`},
		{"more than is needed", func(t *testing.T, w *world) {
			w.connect(t, map[string]string{"issues": "admin", "contents": "write", "actions": "write"}, "issue_comment")
		}, `{"ok":true}`},
		{"permissions and events are missing", func(t *testing.T, w *world) { w.connect(t, map[string]string{"issues": "read"}) },
			`{"ok":false,"name":"Lantern Feedback","missing_permissions":["issues: write","contents: read","actions: write"],"missing_events":["issue_comment"],
			"error":"for its features the app lacks: issues: write, contents: read, actions: write, issue_comment"}`},
		{"what no feature needs is not missing", func(t *testing.T, w *world) {
			w.connect(t, nil)
			w.Must(t, 200, "PUT", "/admin/codehost-app", `{"enabled_features":[]}`)
		}, `{"ok":true,"missing_permissions":[],"missing_events":[]}`},
		{"a key that is none", func(t *testing.T, w *world) {
			w.Must(t, 200, "PUT", "/admin/codehost-app", `{"app_id":"1","private_key":"`+aKey+`"}`)
		}, `{"ok":false,"error":"private_key must be an RSA key in PEM form, without a password"}`},
		{"another app", func(t *testing.T, w *world) {
			w.connect(t, all)
			w.Must(t, 200, "PUT", "/admin/codehost-app", `{"app_id":"99999999"}`)
		}, `{"ok":false,"name":null}`},
		{"the key is not accepted", func(t *testing.T, w *world) {
			w.connect(t, all)
			w.host.Break("GET", "/app", codehosttest.Status(401))
		}, `{"ok":false,"error":"the code host does not accept this app: app_id and private_key do not belong together"}`},
		{"no such app", func(t *testing.T, w *world) {
			w.connect(t, all)
			w.host.Break("GET", "/app", codehosttest.Status(404))
		}, `{"ok":false,"error":"the code host has no app with this app_id"}`},
		{"the code host fails", func(t *testing.T, w *world) {
			w.connect(t, all)
			w.host.Break("", "/app", codehosttest.Status(500))
		}, `{"ok":false,"error":"the code host returned an unexpected answer; the log has the details"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tc.prepare(t, w)
			w.Exchanges(t, []apitest.Exchange{{"answer", "POST", test, "", 200, tc.want}})
		})
	}
}

// TestWhatTheCodeHostSaidIsInTheLog checks that the response to a failed call contains only the
// server's own message, and that the code host's message is logged with the id of the request.
func TestWhatTheCodeHostSaidIsInTheLog(t *testing.T) {
	t.Parallel()
	log := &shared{}
	w := newWorld(t, apitest.WithLog(log))
	w.connect(t, nil)
	w.Must(t, 200, "PUT", integration, `{"repo_full_name":"lumen-works/beacon","feedback_issue_template_repo_path":"t.md"}`)
	w.host.Break("", "", codehosttest.Status(500))
	for _, call := range [][2]string{{"POST", "/admin/codehost-app/test"}, {"GET", integration + "/repo-template"}} {
		_, answer, header := w.Do(t, call[0], call[1], w.Admin, "")
		if !strings.Contains(answer, "the log has the details") || strings.Contains(answer, codehosttest.Secret) {
			t.Errorf("%s: got %s", call[1], answer)
		}
		found := false
		for line := range strings.Lines(log.text()) {
			found = found || strings.Contains(line, codehosttest.Secret) && strings.Contains(line, header.Get("X-Request-Id"))
		}
		if !found {
			t.Errorf("%s: the log does not say why:\n%s", call[1], log.text())
		}
	}
}

// TestAppAfterAnotherJWTSecret checks that the settings can still be read after the JWT secret has
// changed. Operations that need a sealed secret ask the administrator to enter it again.
func TestAppAfterAnotherJWTSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connect(t, map[string]string{"issues": "write", "contents": "read"})
	w.Must(t, 200, "PUT", "/admin/codehost-app", `{"webhook_secret":"0123456789abcdef"}`)
	w.repo.Write("", "t.md", "B")
	w.Must(t, 200, "PUT", integration, `{"repo_full_name":"lumen-works/beacon","feedback_issue_enabled":true,"feedback_issue_template_source":"repo","feedback_issue_template_repo_path":"t.md"}`)
	err := w.DB.Update(func(tx *store.Tx) error {
		a, err := store.CodehostAppSettings.Get(tx)
		if err != nil {
			return err
		}
		other := seal.NewKeys([]byte("another secret of at least 32 bytes"))
		a.PrivateKey, a.WebhookSecret = other.Seal(seal.AppPrivateKey, "x"), other.Seal(seal.AppWebhookSecret, "y")
		return store.CodehostAppSettings.Put(tx, a)
	})
	if err != nil {
		t.Fatal(err)
	}
	const again = `"error":"the stored private key of the code host app cannot be decrypted, because JWT_SECRET has changed since it was saved: enter it again"`
	w.Exchanges(t, []apitest.Exchange{
		{
			"settings",
			"GET",
			"/admin/codehost-app",
			"",
			200,
			`{"configured":true,"has_private_key":true,"has_webhook_secret":true,"webhook_secret_hint":"abcdef","webhook_secret_length":16}`,
		},
		{"integration", "GET", integration, "", 200, `{"feedback_issue_active":true}`},
		{"test", "POST", "/admin/codehost-app/test", "", 200, `{"ok":false,` + again + `}`},
		{"template", "GET", integration + "/repo-template", "", 200, `{"title_template":null,"body_template":null,` + again + `}`},
		{"other fields", "PUT", "/admin/codehost-app", `{"app_id":"2"}`, 200, `{"configured":true,"has_private_key":true}`},
	})
}
