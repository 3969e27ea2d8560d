package notify_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"svc/internal/notify"
)

var at = time.Unix(1795327200, 0)

func request(t *testing.T, target notify.Target, id string, body []byte) (*http.Request, string) {
	t.Helper()
	target.URL = "https://receiver.example/a"
	r, err := target.Request(t.Context(), id, body, at)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(sent)
}

// TestWebhookVector checks the signature of a known request, and that there are two signatures, the
// newer first, while two secrets are valid.
func TestWebhookVector(t *testing.T) {
	t.Parallel()
	const secret, signature = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "v1,ojA9NG2y/pYejEjzCWhxIGJoqcQkexyRMB9VybSNew4="
	body := `{"type":"rollout.held","timestamp":"2026-11-22T06:00:00Z","data":{"project_key":"demo"}}`
	newer := notify.NewSecret()
	if err := notify.CheckSecret(newer); err != nil {
		t.Fatal(err)
	}
	for _, secrets := range [][]string{{secret}, {newer, secret}} {
		r, sent := request(t, notify.Target{Kind: notify.Webhook, Secrets: secrets}, "msg_01jd9w7k2m0000000000000000", []byte(body))
		got := strings.Split(r.Header.Get("webhook-signature"), " ")
		if len(got) != len(secrets) || got[len(got)-1] != signature || sent != body || r.Header.Get("webhook-timestamp") != "1795327200" {
			t.Errorf("got %q, %q and the body %s", got, r.Header, sent)
		}
	}
	for _, wrong := range []string{"", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", "whsec_", "whsec_AAEC", "whsec_!", "whsec_" + strings.Repeat("AAAA", 22)} {
		if notify.CheckSecret(wrong) == nil {
			t.Errorf("%q is accepted as a secret", wrong)
		}
	}
}

func body(t *testing.T, e notify.Event) []byte {
	t.Helper()
	raw, err := e.Body(&notify.Project{Key: "demo", Name: "Demo"}, at)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestBodyIsLimited checks that a body has at most 20 KiB, whatever its texts contain, and that texts
// are cut between characters.
func TestBodyIsLimited(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 9000), strings.Repeat("界", 3000), strings.Repeat("\x01", 9000), strings.Repeat("\xffab", 9000)} {
		raw := body(t, notify.Event{Name: notify.AnnouncementPublishedEvent, Data: notify.AnnouncementPublished{Title: "T", Content: text}})
		var got struct {
			Data struct{ Content string }
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if c := got.Data.Content; len(raw) > 20<<10 || len(c) > 8<<10 || !utf8.ValidString(c) || !strings.HasSuffix(c, "…") {
			t.Errorf("%.8q: a body of %d bytes with a content of %d", text, len(raw), len(c))
		}
	}
}

// TestFormsForPeople checks headers, bodies and the quoting of mentions of the other kinds.
func TestFormsForPeople(t *testing.T) {
	t.Parallel()
	url := "https://svc.example/projects/demo"
	held := body(t, notify.Event{Name: notify.RolloutHeldEvent, Data: notify.Health{Version: "2.3.0", Percent: 2500, Reason: "5 of 9 failed"}})
	published := body(t, notify.Event{
		Name: notify.VersionPublishedEvent,
		Data: notify.VersionPublished{Version: "2.3.0\n", Notes: new("hi @everyone <b> & a@b.example"), URL: &url},
	})
	r, sent := request(t, notify.Target{Kind: notify.Ntfy, Authorization: "Bearer x"}, "msg_1", held)
	if h := r.Header; sent != "5 of 9 failed" || h.Get("Title") != "Demo: 2.3.0 is held at 25 %" || h.Get("Priority") != "5" ||
		h.Get("Tags") != "rollout.held" || h.Get("Click") != "" || h.Get("Authorization") != "Bearer x" {
		t.Errorf("ntfy: got %q and %q", h, sent)
	}
	if r, _ = request(t, notify.Target{Kind: notify.Ntfy}, "msg_1", published); r.Header.Get("Priority") != "3" || r.Header.Get("Click") != url {
		t.Errorf("ntfy: got %q", r.Header)
	}
	const broken = "@\u200b"
	for kind, want := range map[notify.Kind]string{
		notify.Slack: `{"text":"*Demo: 2.3.0  is published*\nhi ` + broken + `everyone &lt;b&gt; &amp; a` + broken + `b.example\n<` + url + `>"}`,
		notify.Discord: `{"embeds":[{"title":"Demo: 2.3.0  is published","description":"hi ` + broken + `everyone <b> & a` + broken +
			`b.example","url":"` + url + `"}],"allowed_mentions":{"parse":[]}}`,
	} {
		if _, sent := request(t, notify.Target{Kind: kind}, "msg_1", published); sent != want {
			t.Errorf("%s: got  %s\nwant %s", kind, sent, want)
		}
	}
	if _, sent := request(t, notify.Target{Kind: notify.Discord}, "msg_1", held); strings.Contains(sent, `"url"`) {
		t.Errorf("discord: an event without an address has one: %s", sent)
	}
}

// TestPriorities checks which events have a high priority.
func TestPriorities(t *testing.T) {
	t.Parallel()
	high := []string{
		"rollout.held", "health.failing", "log.group_regressed", "log.group_spiked", "instance.backup_failed", "instance.disk_low", "instance.hook_disabled",
	}
	for _, name := range append([]string{notify.TestEvent}, notify.Names...) {
		want := "3"
		if slices.Contains(high, name) {
			want = "5"
		}
		r, _ := request(t, notify.Target{Kind: notify.Ntfy}, "msg_1", body(t, notify.Event{Name: name, Data: notify.Notice{Message: "m"}}))
		if got := r.Header.Get("Priority"); got != want || r.Header.Get("Tags") != name {
			t.Errorf("%s: got the priority %s, want %s", name, got, want)
		}
	}
}

// TestSelectors checks which texts select which events.
func TestSelectors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"*": true, "rollout.*": true, "rollout.held": true, "instance.*": true, "rollout": false, "hook.test": false, "nothing.*": false, "": false,
	} {
		if notify.IsSelector(text) != want {
			t.Errorf("%q: got %v, want %v", text, !want, want)
		}
	}
	if !notify.Selected([]string{"file.failed", "rollout.*"}, notify.RolloutHeldEvent) || notify.Selected([]string{"rollout.*"}, notify.FileFailedEvent) {
		t.Error("a selector selects other events")
	}
}
