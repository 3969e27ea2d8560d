package codehost_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
	"svc/internal/files"
	"svc/internal/seal"
	"svc/internal/testutil"
	"svc/store"
)

const (
	webhook    = "/admin/projects/beacon/codehost-webhook"
	releases   = "/api/v1/webhooks/codehost/beacon"
	hookSecret = "lantern-room-at-dusk"
)

// hooked returns a server with the project "beacon". The release webhook of the project has the
// secret hookSecret.
func hooked(t testing.TB, options ...apitest.Option) *apitest.Server {
	t.Helper()
	s := apitest.NewServer(t, options...)
	s.Project(t, "beacon")
	s.Must(t, 200, "PUT", webhook, `{"secret":"`+hookSecret+`"}`)
	return s
}

// deliver sends a delivery as a code host does, and checks the response against openapi.yaml.
// Entries in headers override the default headers.
func deliver(t testing.TB, s *apitest.Server, path, event string, payload []byte, headers map[string]string) (int, string) {
	t.Helper()
	all := map[string]string{
		"Content-Type": "application/json", "User-Agent": "GitHub-Hookshot/044aadd", "X-GitHub-Event": event,
		"X-GitHub-Delivery": "", "X-Hub-Signature-256": codehosttest.Sign(payload, hookSecret),
	}
	maps.Copy(all, headers)
	status, answer, _ := s.Send(t, "POST", path, all, string(payload))
	return status, answer
}

func release(t testing.TB, changes map[string]any) []byte {
	t.Helper()
	return codehosttest.Payload(t, "release", changes)
}

// expect checks the status, and that the response contains the fields in want.
func expect(t testing.TB, what string, status int, answer string, wantStatus int, want string) {
	t.Helper()
	if status != wantStatus {
		t.Errorf("%s: got %d %s, want %d", what, status, answer, wantStatus)
		return
	}
	if why := apitest.CompareJSON(t, answer, want); why != "" {
		t.Errorf("%s: %s\n%s", what, why, answer)
	}
}

// published returns the versions of a project.
func published(t testing.TB, s *apitest.Server, project string) (all []map[string]any) {
	t.Helper()
	return apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/admin/projects/"+project+"/versions", ""), "data")
}

// TestWebhookSettings covers reading and changing the settings of a webhook.
func TestWebhookSettings(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "beacon")
	none := `{"enabled":false,"payload_path":"/api/v1/webhooks/codehost/beacon","content_type":"application/json","secret_hint":null,"secret_length":null,"secret_updated_at":null,"last_delivery":null}`
	now := s.Clock.Now().Unix()
	s.Exchanges(t, []apitest.Exchange{
		{"GET: before the first save", "GET", webhook, "", 200, none},
		{"PUT: revealed", "PUT", webhook, `{"secret":"  0123456789abcdéf "}`, 200, `{"enabled":true,"payload_path":"/api/v1/webhooks/codehost/beacon","content_type":"application/json",
			"secret_hint":"abcdéf","secret_length":16,"secret":"0123456789abcdéf"}`},
		{"GET: settings", "GET", webhook, "", 200, `{"enabled":true,"secret_hint":"abcdéf","secret_length":16}`},
		{"PUT: 256 characters", "PUT", webhook, `{"secret":"` + strings.Repeat("é", 256) + `","grace_minutes":1440}`, 200, `{"secret_length":256}`},
		{"the key of an alias", "PATCH", "/admin/projects/beacon", `{"project_key":"lighthouse"}`, 200, ``},
		{"GET: an alias, and the path of the current key", "GET", webhook, "", 200, `{"enabled":true,"payload_path":"/api/v1/webhooks/codehost/lighthouse"}`},
		{"DELETE: settings, disabled", "DELETE", webhook, "", 200, strings.Replace(none, "codehost/beacon", "codehost/lighthouse", 1)},
		{"DELETE: again", "DELETE", webhook, "", 200, `{"enabled":false}`},
		{"POST regenerate: without a former one", "POST", webhook + "/regenerate", "", 200, `{"enabled":true,"secret_length":54}`},
		{"POST regenerate: with grace_minutes", "POST", webhook + "/regenerate", `{"grace_minutes":1}`, 200, ``},
	})
	revealed := s.Must(t, 200, "POST", webhook+"/regenerate", "")
	secret := apitest.Field[string](t, revealed, "secret")
	if !regexp.MustCompile(`^whsec_[0-9a-f]{48}$`).MatchString(secret) || apitest.Field[string](t, revealed, "secret_hint") != secret[48:] || apitest.Field[int64](t, revealed, "secret_updated_at") < now {
		t.Errorf("got %s", revealed)
	}
	if shown := s.Must(t, 200, "GET", webhook, ""); strings.Contains(shown, secret) || strings.Contains(shown, `"secret":`) {
		t.Errorf("the secret is shown again: %s", shown)
	}
	s.Refusals(t, webhook, []apitest.Refusal{
		{"PUT: no secret", "PUT", webhook, `{}`, 400, "secret is required"},
		{"PUT: null", "PUT", webhook, `{"secret":null}`, 400, "secret is required"},
		{"PUT: 15 characters after trimming", "PUT", webhook, `{"secret":" 0123456789abcde "}`, 400, "secret must have at least 16 characters"},
		{"PUT: 257 characters", "PUT", webhook, `{"secret":"` + strings.Repeat("x", 257) + `"}`, 400, "secret must have at most 256 characters"},
		{"PUT: another type", "PUT", webhook, `{"secret":5,"grace_minutes":"5"}`, 400, "secret must be a string; grace_minutes must be an integer from 0 to 1440"},
		{"PUT: grace below 0", "PUT", webhook, `{"secret":"0123456789abcdef","grace_minutes":-1}`, 400, "grace_minutes must be an integer from 0 to 1440"},
		{"POST regenerate: grace above 1440", "POST", webhook + "/regenerate", `{"grace_minutes":1441}`, 400, "grace_minutes must be an integer from 0 to 1440"},
		{"POST regenerate: no JSON", "POST", webhook + "/regenerate", `{`, 400, "not JSON"},
		{"GET: unknown project", "GET", "/admin/projects/none/codehost-webhook", "", 404, `project "none" not found`},
		{"PUT: unknown project", "PUT", "/admin/projects/none/codehost-webhook", `{"secret":"0123456789abcdef"}`, 404, `project "none" not found`},
		{"POST regenerate: unknown project", "POST", "/admin/projects/none/codehost-webhook/regenerate", "", 404, `project "none" not found`},
		{"DELETE: unknown project", "DELETE", "/admin/projects/none/codehost-webhook", "", 404, `project "none" not found`},
	})
	stored, err := store.Read(s.DB, func(tx *store.Tx) (*store.Webhook, error) {
		p, err := tx.Project("beacon")
		if err != nil {
			return nil, err
		}
		return store.WebhookSettings(p.ID).Get(tx)
	})
	if err != nil || strings.Contains(fmt.Sprintf("%+v", *stored), secret) {
		t.Errorf("got %+v, %v; want the secret sealed", stored, err)
	}
}

// TestReleaseDeliveries covers each result of a delivery, in the order in which the server checks
// for them.
func TestReleaseDeliveries(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	s.Project(t, "secretless")
	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"project_key":"lighthouse"}`)
	ok := release(t, nil)
	form := []byte(url.Values{"payload": {string(release(t, map[string]any{"release.tag_name": "v1.4.1"}))}}.Encode())
	signed := func(body []byte) string { return codehosttest.Sign(body, hookSecret) }
	formed := map[string]string{"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
	none := map[string]string{"X-Hub-Signature-256": ""}
	for _, row := range []struct {
		name, path, event string
		payload           []byte
		headers           map[string]string
		status            int
		want              string
	}{
		{"unknown project", "/api/v1/webhooks/codehost/none", "release", ok, nil, 404, `{"message":"project \"none\" not found"}`},
		{"unknown project, before the signature", "/api/v1/webhooks/codehost/none", "release", ok, none, 404, ``},
		{"project has no secret", "/api/v1/webhooks/codehost/secretless", "release", ok, nil, 403, `{"message":"the webhook of project \"secretless\" has no secret, so it accepts nothing: set one"}`},
		{"project has no secret, before the signature", "/api/v1/webhooks/codehost/secretless", "release", ok, none, 403, ``},
		{"signature header missing", releases, "release", ok, none, 401, ``},
		{"signature header malformed: no prefix", releases, "release", ok, map[string]string{"X-Hub-Signature-256": signed(ok)[7:]}, 401, ``},
		{"signature header malformed: too short", releases, "release", ok, map[string]string{"X-Hub-Signature-256": signed(ok)[:70]}, 401, ``},
		{"signature header malformed: no hex", releases, "release", ok, map[string]string{"X-Hub-Signature-256": "sha256=" + strings.Repeat("x", 64)}, 401, ``},
		{"signature wrong: another secret", releases, "release", ok, map[string]string{"X-Hub-Signature-256": codehosttest.Sign(ok, hookSecret+"x")}, 401, ``},
		{"signature wrong: of another body", releases, "release", ok, map[string]string{"X-Hub-Signature-256": signed(append(bytes.Clone(ok), ' '))}, 401, ``},
		{"signature wrong: of an empty secret", releases, "release", ok, map[string]string{"X-Hub-Signature-256": codehosttest.Sign(ok, "")}, 401, ``},
		{"signature wrong, before the body", releases, "release", []byte("{"), map[string]string{"X-Hub-Signature-256": signed(ok)}, 401, ``},
		{"body is no JSON", releases, "release", []byte("{"), nil, 400, `{"message":"the body must be JSON, or a form whose field payload is JSON"}`},
		{"body is empty", releases, "release", nil, nil, 400, ``},
		{"body is not UTF-8", releases, "release", []byte("\"\xff\""), nil, 400, ``},
		{"body is a form that is not said to be one", releases, "release", form, nil, 400, ``},
		{"body is a form without payload", releases, "release", []byte("a=b"), formed, 400, ``},
		{"body is a form whose payload is no JSON", releases, "release", []byte("payload=%7B"), formed, 400, ``},
		{"body is a form with wrong escapes", releases, "release", []byte("payload=%zz"), formed, 400, ``},
		{"body is no JSON, before ping", releases, "ping", []byte("{"), nil, 400, ``},
		{"event ping", releases, "ping", []byte(`{"zen":"Keep it logically awesome.","hook_id":1}`), nil, 200, `{"status":"pong","event":"ping"}`},
		{"event ≠ release", releases, "push", []byte(`{"ref":"refs/heads/main"}`), nil, 200, `{"status":"ignored","reason":"unsupported_event","event":"push"}`},
		{"event missing", releases, "", ok, nil, 200, `{"status":"ignored","reason":"unsupported_event","event":""}`},
		{"event longer than is repeated", releases, strings.Repeat("x", 1000), ok, nil, 200, `{"reason":"unsupported_event","event":"` + strings.Repeat("x", 64) + `"}`},
		{"action deleted, rule W4", releases, "release", release(t, map[string]any{"action": "deleted"}), nil, 200, `{"status":"ignored","reason":"unsupported_action","event":"release","action":"deleted"}`},
		{"action unpublished, rule W4", releases, "release", release(t, map[string]any{"action": "unpublished"}), nil, 200, `{"reason":"unsupported_action","action":"unpublished"}`},
		{"action updated, which only Gitea and Forgejo have", releases, "release", release(t, map[string]any{"action": "updated"}), nil, 200, `{"reason":"unsupported_action","action":"updated"}`},
		{"action missing", releases, "release", release(t, map[string]any{"action": nil}), nil, 200, `{"reason":"unsupported_action","event":"release","action":""}`},
		{"action is no text", releases, "release", release(t, map[string]any{"action": 5}), nil, 200, `{"reason":"unsupported_action","action":""}`},
		{"the payload is no object", releases, "release", []byte(`[1]`), nil, 200, `{"reason":"unsupported_action","action":""}`},
		{"no release object", releases, "release", release(t, map[string]any{"release": nil}), nil, 200, `{"status":"ignored","reason":"missing_release","event":"release","action":"published"}`},
		{"release is null", releases, "release", []byte(`{"action":"edited","release":null}`), nil, 200, `{"reason":"missing_release","action":"edited"}`},
		{"release is a list", releases, "release", release(t, map[string]any{"release": []any{}}), nil, 200, `{"reason":"missing_release"}`},
		{"release.draft true", releases, "release", release(t, map[string]any{"release.draft": true, "action": "created"}), nil, 200, `{"status":"ignored","reason":"draft_release","event":"release","action":"created"}`},
		{"draft before the tag", releases, "release", release(t, map[string]any{"release.draft": true, "release.tag_name": ""}), nil, 200, `{"reason":"draft_release"}`},
		{"tag blank", releases, "release", release(t, map[string]any{"release.tag_name": " \t"}), nil, 200, `{"status":"ignored","reason":"missing_tag","event":"release","action":"published"}`},
		{"tag missing", releases, "release", release(t, map[string]any{"release.tag_name": nil}), nil, 200, `{"reason":"missing_tag"}`},
		{"tag only v", releases, "release", release(t, map[string]any{"release.tag_name": "V"}), nil, 200, `{"reason":"missing_tag"}`},
		{
			"tag is not a comparable version",
			releases,
			"release",
			release(t, map[string]any{"release.tag_name": "vnightly"}),
			nil,
			200,
			`{"status":"ignored","reason":"unparsable_version","event":"release","action":"published","version":"nightly"}`,
		},
		{"tag above 64 characters", releases, "release", release(t, map[string]any{"release.tag_name": "v" + strings.Repeat("1", 65)}), nil, 200, `{"reason":"unparsable_version","version":"` + strings.Repeat("1", 64) + `"}`},
		{"otherwise, by an alias", releases, "release", ok, nil, 200, `{"status":"synced","event":"release","action":"published","version":"1.4.0","created":true}`},
		{"otherwise, again", "/api/v1/webhooks/codehost/Lighthouse", "release", ok, nil, 200, `{"status":"synced","version":"1.4.0","created":false}`},
		{"otherwise, released", releases, "release", release(t, map[string]any{"action": "released"}), nil, 200, `{"status":"synced","action":"released"}`},
		{"otherwise, prereleased", releases, "release", release(t, map[string]any{"action": "prereleased"}), nil, 200, `{"status":"synced","action":"prereleased"}`},
		{"otherwise, created", releases, "release", release(t, map[string]any{"action": "created"}), nil, 200, `{"status":"synced","action":"created"}`},
		{"otherwise, edited", releases, "release", release(t, map[string]any{"action": "edited"}), nil, 200, `{"status":"synced","action":"edited"}`},
		{"release.updated_at before the one last taken", releases, "release", release(t, map[string]any{"action": "edited", "release.updated_at": "2024-05-06T07:08:08Z"}), nil, 200,
			`{"status":"ignored","reason":"stale_delivery","event":"release","action":"edited","version":"1.4.0"}`},
		{"a form", releases, "release", form, formed, 200, `{"status":"synced","version":"1.4.1","created":true}`},
	} {
		status, answer := deliver(t, s, row.path, row.event, row.payload, row.headers)
		expect(t, row.name, status, answer, row.status, row.want)
		for _, field := range []string{"reason", "action", "version", "created", "mirror_queued"} {
			whole := strings.HasPrefix(row.want, `{"status":"ignored"`) || strings.HasPrefix(row.want, `{"status":"pong"`)
			if whole && strings.Contains(answer, `"`+field+`"`) && !strings.Contains(row.want, `"`+field+`"`) {
				t.Errorf("%s: got %s, want no %s", row.name, answer, field)
			}
		}
	}
	if all := published(t, s, "beacon"); len(all) != 2 {
		t.Errorf("got %d versions, want 2", len(all))
	}
}

// TestReleaseBecomesAVersion covers the version that a delivery creates or updates.
func TestReleaseBecomesAVersion(t *testing.T) {
	t.Parallel()
	s := hooked(t, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
	before := s.Clock.Now().Unix()
	status, answer := deliver(t, s, releases, "release", release(t, map[string]any{"release.assets": assets(3)}), nil)
	expect(t, "first", status, answer, 200, `{"status":"synced","created":true}`)
	v := published(t, s, "beacon")[0]
	shown, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if why := apitest.CompareJSON(t, string(shown), `{"version":"1.4.0","comparable_version":"1.4.0","title":"Brighter at night","is_latest":true,"is_preview":false,"published_at":1714979289,
		"download_url":"https://code.example/lumen-works/beacon/releases/download/v1.4.0/a0.zip",
		"download_links":[{"url":"https://code.example/lumen-works/beacon/releases/download/v1.4.0/a0.zip","name":"a0.zip"},{"name":"a1.zip"},{"name":"a2.zip"}],
		"custom_data":{"source":"codehost-webhook","repository":"lumen-works/beacon","release_tag":"v1.4.0","event_action":"published"}}`); why != "" {
		t.Errorf("%s\n%s", why, shown)
	}
	if at, _ := v["custom_data"].(map[string]any)["synced_at"].(float64); int64(at) < before {
		t.Errorf("synced_at is %v, want at least %d", at, before)
	}

	status, answer = deliver(t, s, releases, "release", release(t, map[string]any{"release.tag_name": "v1.3.9"}), nil)
	expect(t, "W1: lower than the latest", status, answer, 200, `{"status":"synced","created":true}`)
	s.Must(t, 200, "PUT", "/admin/projects/beacon/distribution", `{"channels":[{"name":"rc","includes":["stable"]}]}`)
	status, answer = deliver(t, s, releases, "release", release(t, map[string]any{"release.tag_name": "v2.0.0-rc.1", "release.prerelease": true}), nil)
	expect(t, "W1: a preview", status, answer, 200, `{"status":"synced","created":true}`)
	s.Must(t, 200, "PUT", apitest.VersionsOf("beacon")+"/by-version/1.4.0", `{"title":"By hand","is_milestone":true,"platforms":["web"]}`)
	status, answer = deliver(t, s, releases, "release", release(t, map[string]any{"action": "edited", "release.assets": []any{}, "release.body": " "}), nil)
	expect(t, "W2: overwritten", status, answer, 200, `{"status":"synced","created":false}`)
	all, _ := json.Marshal(published(t, s, "beacon"))
	if why := apitest.CompareJSON(t, string(all), `[{"version":"2.0.0-rc.1","is_latest":false,"is_preview":true,"channel":"rc"},
		{"version":"1.4.0","is_latest":true,"title":"Brighter at night","content":null,"is_milestone":true,"platforms":["web"],
			"download_url":"https://api.code.example/repos/lumen-works/beacon/zipball/v1.4.0","download_links":[{"url":"https://api.code.example/repos/lumen-works/beacon/zipball/v1.4.0"}]},
		{"version":"1.3.9","is_latest":false}]`); why != "" {
		t.Errorf("%s\n%s", why, all)
	}
}

// assets returns n attachments with addresses like those of the code host.
func assets(n int) []any {
	var all []any
	for i := range n {
		all = append(all, map[string]any{
			"name": fmt.Sprintf("a%d.zip", i), "size": 5, "state": "uploaded",
			"browser_download_url": fmt.Sprintf("https://code.example/lumen-works/beacon/releases/download/v1.4.0/a%d.zip", i),
		})
	}
	return all
}

// TestReleaseIsMirrored checks that the attachments of a release are queued for copying, and that
// links to existing copies are preserved.
func TestReleaseIsMirrored(t *testing.T) {
	t.Parallel()
	s := hooked(t, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"mirror_codehost_assets":true}`)
	attached := release(t, map[string]any{"release.assets": assets(4)})
	status, answer := deliver(t, s, releases, "release", attached, nil)
	expect(t, "first", status, answer, 200, `{"status":"synced","mirror_queued":4}`)

	var ready *store.File
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project("beacon")
		if err != nil {
			return err
		}
		if ready, err = tx.FileBySource(p.ID, "https://code.example/lumen-works/beacon/releases/download/v1.4.0/a1.zip"); err != nil {
			return err
		}
		ready.Status, ready.SHA256, ready.Size = store.FileReady, strings.Repeat("0", 64), 5
		return tx.PutFile(p.ID, ready)
	})
	if err != nil {
		t.Fatal(err)
	}
	direct := "https://dl.example" + files.EscapePath(ready.ObjectKey)
	linked := func(what, want string) {
		t.Helper()
		shown, _ := json.Marshal(published(t, s, "beacon")[0])
		if why := apitest.CompareJSON(t, string(shown), want); why != "" {
			t.Errorf("%s: %s\n%s", what, why, shown)
		}
	}
	want := `{"download_links":[{"url":"https://code.example/lumen-works/beacon/releases/download/v1.4.0/a0.zip"},{"url":"` + direct + `","name":"a1.zip"},{},{}]}`
	status, answer = deliver(t, s, releases, "release", attached, nil)
	expect(t, "again", status, answer, 200, `{"status":"synced","created":false,"mirror_queued":3}`)
	linked("again", want)

	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"mirror_codehost_assets":false}`)
	status, answer = deliver(t, s, releases, "release", attached, nil)
	expect(t, "switched off", status, answer, 200, `{"status":"synced"}`)
	if strings.Contains(answer, "mirror_queued") {
		t.Errorf("switched off: got %s, want no mirror_queued", answer)
	}
	linked("switched off", want)
	status, answer = deliver(t, s, releases, "release", release(t, map[string]any{"release.assets": assets(4)[1:]}), nil)
	expect(t, "the copy comes first", status, answer, 200, `{"status":"synced"}`)
	linked("the copy comes first", `{"download_url":"`+direct+`"}`)
}

// TestReleaseIsNotMirroredWithoutAnAddress checks that attachments are not copied if no host for
// direct links is configured.
func TestReleaseIsNotMirroredWithoutAnAddress(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"mirror_codehost_assets":true}`)
	status, answer := deliver(t, s, releases, "release", release(t, map[string]any{"release.assets": assets(1)}), nil)
	expect(t, "not possible", status, answer, 200, `{"status":"synced"}`)
	if strings.Contains(answer, "mirror_queued") {
		t.Errorf("got %s, want no mirror_queued", answer)
	}
}

// TestMirroringThatFails checks that an error while attachments are queued is logged but does not
// fail the delivery, and that no partial change remains.
func TestMirroringThatFails(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := hooked(t, apitest.WithLog(&log), apitest.WithConfig(func(c *api.Config) {
		c.Codehost.Mirror = func(tx *store.Tx, p *store.Project, addresses []string) (int, error) {
			p.Name = "half done"
			return 1, errors.Join(tx.PutProject(p), fmt.Errorf("no room for %d files", len(addresses)))
		}
	}))
	s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"mirror_codehost_assets":true}`)
	one := map[string]string{"X-GitHub-Delivery": "one"}
	status, answer := deliver(t, s, releases, "release", release(t, map[string]any{"release.assets": assets(2)}), one)
	expect(t, "fails", status, answer, 200, `{"status":"synced","created":true}`)
	if strings.Contains(answer, "mirror_queued") || len(published(t, s, "beacon")) != 1 || !strings.Contains(log.String(), "no room for 2 files") {
		t.Errorf("got %s, log %s", answer, log.String())
	}
	if name := apitest.Field[string](t, s.Must(t, 200, "GET", "/admin/projects/beacon", ""), "name"); name == "half done" {
		t.Error("what the copying had written is still there")
	}
	status, answer = deliver(t, s, releases, "release", release(t, nil), one)
	expect(t, "again", status, answer, 200, `{"reason":"duplicate_delivery"}`)
}

// TestReleaseDeliveryIsReplayed checks that repeating a processed delivery to the same project
// changes nothing for seven days. A failed delivery may be repeated.
func TestReleaseDeliveryIsReplayed(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	s.Project(t, "other")
	s.Must(t, 200, "PUT", "/admin/projects/other/codehost-webhook", `{"secret":"`+hookSecret+`"}`)
	one := map[string]string{"X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
	const duplicate, synced = `{"status":"ignored","reason":"duplicate_delivery","event":"release"}`, `{"status":"synced"}`
	step := func(what, path, event, want string, payload []byte, headers map[string]string) {
		t.Helper()
		status, answer := deliver(t, s, path, event, payload, headers)
		expect(t, what, status, answer, 200, want)
	}
	ok := release(t, nil)
	step("ignored at first", releases, "release", `{"reason":"draft_release"}`, release(t, map[string]any{"release.draft": true}), one)
	step("taken then", releases, "release", synced, ok, one)
	s.Must(t, 200, "PUT", apitest.VersionsOf("beacon")+"/by-version/1.4.0", `{"title":"By hand"}`)
	step("again", releases, "release", duplicate, ok, one)
	step("before the event is looked at", releases, "push", `{"reason":"duplicate_delivery","event":"push"}`, ok, one)
	step("a ping comes first", releases, "ping", `{"status":"pong"}`, ok, one)
	if title := published(t, s, "beacon")[0]["title"]; title != "By hand" {
		t.Errorf("the replay changed the title to %v", title)
	}
	step("to another project", "/api/v1/webhooks/codehost/other", "release", synced, ok, one)
	s.Clock.Advance(7*24*time.Hour - time.Minute)
	step("almost seven days later", releases, "release", duplicate, ok, one)
	s.Clock.Advance(2 * time.Minute)
	step("seven days later", releases, "release", synced, ok, one)
	step("without an id", releases, "release", synced, ok, nil)
	step("without an id again", releases, "release", synced, ok, nil)
}

// TestLastDeliveryIsShown checks that the settings show the last delivery with a valid signature,
// regardless of its result, until the secret changes.
func TestLastDeliveryIsShown(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	s.Clock.Stop()
	shown := func(what, want string) {
		t.Helper()
		answer := s.Must(t, 200, "GET", webhook, "")
		if why := apitest.CompareJSON(t, answer, `{"enabled":true,"last_delivery":`+want+`}`); why != "" {
			t.Errorf("%s: got %s, want %s: %s", what, answer, want, why)
		}
	}
	shown("before the first", "null")
	status, answer := codehosttest.Deliver(t, s.URL+releases, codehosttest.Delivery{Event: "ping", Payload: []byte("{}"), Secret: "not the secret of this one"})
	expect(t, "a wrong signature", status, answer, 401, ``)
	shown("after a wrong signature", "null")

	at := s.Clock.Now().Unix()
	status, answer = deliver(t, s, releases, "ping", []byte("{}"), nil)
	expect(t, "ping", status, answer, 200, `{"status":"pong"}`)
	shown("after a ping", fmt.Sprintf(`{"received_at":%d,"event":"ping","status":"pong","reason":null}`, at))
	s.Clock.Advance(time.Minute)
	status, answer = deliver(t, s, releases, strings.Repeat("é", 100), []byte("{}"), nil)
	expect(t, "another event", status, answer, 200, `{"status":"ignored"}`)
	shown("after an event with a long name", fmt.Sprintf(`{"received_at":%d,"event":"%s","status":"ignored","reason":"unsupported_event"}`, at+60, strings.Repeat("é", 64)))
	status, answer = deliver(t, s, releases, "release", release(t, nil), nil)
	expect(t, "a release", status, answer, 200, `{"status":"synced"}`)
	shown("after a release", fmt.Sprintf(`{"received_at":%d,"event":"release","status":"synced","reason":null}`, at+60))

	s.Must(t, 200, "PUT", webhook, `{"secret":"another one, long enough","grace_minutes":1}`)
	shown("after the secret has changed", "null")
	status, answer = deliver(t, s, releases, "ping", []byte("{}"), nil)
	expect(t, "with the former secret", status, answer, 200, `{"status":"pong"}`)
	shown("after a ping with the former secret", `{"event":"ping"}`)
	s.Must(t, 200, "DELETE", webhook, "")
	if got := s.Must(t, 200, "GET", webhook, ""); !strings.Contains(got, `"last_delivery":null`) {
		t.Errorf("switched off: got %s", got)
	}
}

// TestReleaseDeliveriesInParallel checks that exactly one of many identical concurrent deliveries
// is processed.
func TestReleaseDeliveriesInParallel(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	const n = 8
	answers := make([]string, n)
	var sending sync.WaitGroup
	for i := range n {
		sending.Go(func() {
			_, answers[i] = deliver(t, s, releases, "release", release(t, nil), map[string]string{"X-GitHub-Delivery": "one"})
		})
	}
	sending.Wait()
	all := strings.Join(answers, "\n")
	if strings.Count(all, `"created":true`) != 1 || strings.Count(all, "duplicate_delivery") != n-1 {
		t.Errorf("got\n%s\nwant one of them taken", all)
	}

	for i := range n { // send all states of one release; the newest one remains, regardless of the order
		sending.Go(func() {
			payload := release(t, map[string]any{"action": "edited", "release.name": fmt.Sprint("state ", i), "release.updated_at": fmt.Sprintf("2024-06-0%dT00:00:00Z", i+1)})
			status, answer := deliver(t, s, releases, "release", payload, map[string]string{"X-GitHub-Delivery": fmt.Sprint("edit ", i)})
			if status != 200 || !strings.Contains(answer, "synced") && !strings.Contains(answer, "stale_delivery") {
				t.Errorf("state %d: got %d %s", i, status, answer)
			}
		})
	}
	sending.Wait()
	if title := published(t, s, "beacon")[0]["title"]; title != fmt.Sprint("state ", n-1) {
		t.Errorf("got %v, want the newest state", title)
	}
}

// TestRotationLosesNoDelivery checks that deliveries are accepted while the code host still uses
// the previous secret.
func TestRotationLosesNoDelivery(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	ok := release(t, nil)
	send := func(what, secret string, want int) {
		t.Helper()
		status, answer := deliver(t, s, releases, "release", ok, map[string]string{"X-Hub-Signature-256": codehosttest.Sign(ok, secret)})
		if status != want {
			t.Errorf("%s: got %d %s, want %d", what, status, answer, want)
		}
	}
	next := apitest.Field[string](t, s.Must(t, 200, "POST", webhook+"/regenerate", `{"grace_minutes":60}`), "secret")
	send("the new secret", next, 200)
	send("the former secret", hookSecret, 200)
	s.Clock.Advance(59 * time.Minute)
	send("the former secret in its last minute", hookSecret, 200)
	s.Clock.Advance(2 * time.Minute)
	send("the former secret afterwards", hookSecret, 401)
	send("the new secret afterwards", next, 200)
	s.Must(t, 200, "PUT", webhook, `{"secret":"another-lantern-room"}`)
	send("replaced without grace", next, 401)
	send("its successor", "another-lantern-room", 200)
	s.Must(t, 200, "POST", webhook+"/regenerate", `{"grace_minutes":60}`)
	s.Must(t, 200, "DELETE", webhook, "")
	send("switched off in the time of grace", "another-lantern-room", 403)
}

// TestWebhookAfterAChangeOfJWTSecret checks that deliveries are rejected with the reason after
// JWT_SECRET has changed, and that the settings can be read and saved again.
func TestWebhookAfterAChangeOfJWTSecret(t *testing.T) {
	t.Parallel()
	s := hooked(t)
	sealed := func(change func(w *store.Webhook, foreign string)) {
		t.Helper()
		err := s.DB.Update(func(tx *store.Tx) error {
			p, err := tx.Project("beacon")
			if err != nil {
				return err
			}
			w, err := store.WebhookSettings(p.ID).Get(tx)
			if err != nil {
				return err
			}
			change(w, seal.NewKeys([]byte("another")).Seal(seal.WebhookSecret, "x"))
			return store.WebhookSettings(p.ID).Put(tx, w)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Must(t, 200, "PUT", webhook, `{"secret":"`+hookSecret+`","grace_minutes":60}`)
	sealed(func(w *store.Webhook, foreign string) { w.Former = foreign })
	status, answer := deliver(t, s, releases, "release", release(t, nil), nil)
	expect(t, "only the former secret is unreadable", status, answer, 200, `{"status":"synced"}`)
	sealed(func(w *store.Webhook, foreign string) { w.Secret = foreign })
	status, answer = deliver(t, s, releases, "release", release(t, nil), nil)
	expect(t, "both are unreadable", status, answer, 403, `{"message":"the stored webhook secret of the project cannot be decrypted, because JWT_SECRET has changed since it was saved: enter it again"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"settings are read", "GET", webhook, "", 200, `{"enabled":true,"secret_length":20,"secret_hint":"t-dusk"}`},
		{"a new secret", "PUT", webhook, `{"secret":"` + hookSecret + `","grace_minutes":60}`, 200, `{"enabled":true}`},
	})
	status, answer = deliver(t, s, releases, "release", release(t, nil), nil)
	expect(t, "the new secret", status, answer, 200, `{"status":"synced"}`)
}

// TestReleaseBeyondTheLimits checks that texts of a release are shortened if they are too long for
// a version. If a text cannot be shortened, the release is ignored.
func TestReleaseBeyondTheLimits(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := hooked(t)
	long := strings.Repeat("界", 3000)
	huge := []any{map[string]any{"name": long, "browser_download_url": "https://code.example/a"}, map[string]any{"name": "b", "browser_download_url": "https://code.example/" + long}, 5, nil, map[string]any{"name": []any{}}}
	for i := range 40 {
		huge = append(huge, map[string]any{"name": "x\x00y", "browser_download_url": fmt.Sprintf("ftp://code.example/%d", i)})
	}
	status, answer := deliver(t, s, releases, "release", release(t, map[string]any{
		"release.name": long, "release.body": strings.Repeat("# 長\n", 1<<20), "release.assets": huge, "repository.full_name": long,
		"release.published_at": "9999-12-31T23:59:59Z", "release.created_at": "-1", "release.updated_at": "0001-01-01T00:00:00Z",
	}), nil)
	expect(t, "beyond all limits", status, answer, 200, `{"status":"synced","created":true}`)
	v := published(t, s, "beacon")[0]
	links := v["download_links"].([]any)
	if title := []rune(v["title"].(string)); len(title) != 128 || title[127] != '…' || len(links) != 32 || len([]rune(links[0].(map[string]any)["name"].(string))) != 128 {
		t.Errorf("got title %s and %d links, the first %v", v["title"], len(links), links[0])
	}
	// The API accepts the links that it returns, so that an export can be imported.
	for _, field := range []string{"id", "created_at", "locale", "forced", "project_key"} {
		delete(v, field)
	}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	s.Must(t, 200, "PUT", apitest.VersionsOf("beacon")+"/by-version/1.4.0", string(body))
}

// TestOtherCodeHosts checks that recorded deliveries of Gitea and Forgejo are accepted like those
// of GitHub.
func TestOtherCodeHosts(t *testing.T) {
	t.Parallel()
	for _, host := range []struct {
		name   string
		events []string // headers that name the event
	}{
		{"gitea", []string{"X-Gitea-Event", "X-Gogs-Event"}},
		{"forgejo", []string{"X-Forgejo-Event", "X-Gitea-Event", "X-Gogs-Event"}},
	} {
		t.Run(host.name, func(t *testing.T) {
			t.Parallel()
			s := hooked(t, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
			s.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"mirror_codehost_assets":true}`)
			payload, err := os.ReadFile("testdata/release." + host.name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			headers := func(id string, body []byte) map[string]string {
				all := map[string]string{"X-GitHub-Delivery": id, "User-Agent": "Go-http-client/1.1", "X-Gitea-Signature": strings.TrimPrefix(codehosttest.Sign(body, hookSecret), "sha256=")}
				for _, name := range host.events {
					all[name] = "release"
				}
				return all
			}
			status, answer := deliver(t, s, releases, "release", payload, headers("one", payload))
			expect(t, "published", status, answer, 200, `{"status":"synced","action":"published","version":"2.1.0","created":true,"mirror_queued":2}`)
			shown, _ := json.Marshal(published(t, s, "beacon")[0])
			if why := apitest.CompareJSON(t, string(shown), `{"version":"2.1.0","title":"Two lamps","content":"* a second lamp\n* fewer bulbs","published_at":1767000123,
				"download_links":[{"url":"https://code.example/lumen-works/beacon/releases/download/v2.1.0/beacon-linux.tar.gz","name":"beacon-linux.tar.gz"},{"name":"beacon-windows.zip"}],
				"custom_data":{"repository":"lumen-works/beacon"}}`); why != "" {
				t.Errorf("%s\n%s", why, shown)
			}
			status, answer = deliver(t, s, releases, "release", payload, headers("one", payload))
			expect(t, "again", status, answer, 200, `{"reason":"duplicate_delivery"}`)
			updated := bytes.Replace(payload, []byte(`"action": "published"`), []byte(`"action": "updated"`), 1)
			status, answer = deliver(t, s, releases, "release", updated, headers("two", updated))
			expect(t, "updated", status, answer, 200, `{"status":"synced","action":"edited","created":false}`)
			status, answer = deliver(t, s, releases, "push", []byte(`{"ref":"refs/heads/main"}`), headers("three", []byte(`{"ref":"refs/heads/main"}`)))
			expect(t, "the test of the settings, which is a push", status, answer, 200, `{"reason":"unsupported_event"}`)
		})
	}
}

// unread is a body that records whether it is read.
type unread struct{ read bool }

func (u *unread) Read([]byte) (int, error) {
	u.read = true
	return 0, io.ErrUnexpectedEOF
}

// FuzzReleaseDelivery sends arbitrary payloads with a valid signature. The response must match
// openapi.yaml and not be a server error, and the database must pass the check that runs when the
// store closes.
func FuzzReleaseDelivery(f *testing.F) {
	s := hooked(f, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dl.example" }))
	s.Must(f, 200, "PATCH", "/admin/projects/beacon", `{"mirror_codehost_assets":true}`)
	for _, file := range []string{"testdata/release.gitea.json", "testdata/release.forgejo.json"} {
		payload, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload, "release", "", "", false)
	}
	f.Add(release(f, nil), "release", "one", "application/json", true)
	f.Add(release(f, map[string]any{"release.assets": assets(3)}), "release", "", "", true)
	f.Add([]byte(url.Values{"payload": {string(release(f, nil))}}.Encode()), "release", "two", "application/x-www-form-urlencoded", true)
	f.Add([]byte(`{"action":"edited","release":{"tag_name":"v1","assets":[{"browser_download_url":"https://code.example/a/b/releases/download/c/%2e%2e"}],"updated_at":"2024-01-01T00:00:00+23:59"}}`), "release", "", "", true)
	f.Add([]byte(`{"action":["x"],"release":5,"repository":null}`), "ping", "x", "text/plain", false)
	f.Fuzz(func(t *testing.T, payload []byte, event, id, kind string, right bool) {
		r := httptest.NewRequest("POST", releases, bytes.NewReader(payload))
		r.Header = http.Header{"X-Github-Event": {event}, "X-Github-Delivery": {id}, "Content-Type": {kind}, "X-Hub-Signature-256": {"sha256=" + strings.Repeat("0", 64)}}
		if right {
			r.Header.Set("X-Hub-Signature-256", codehosttest.Sign(payload, hookSecret))
		}
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		if w.Code >= 500 || !right && w.Code != 401 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		apitest.LoadContract(t).Check(t, r, w.Code, w.Header(), w.Body.Bytes())
	})
}
