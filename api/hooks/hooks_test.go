package hooks_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/notify"
	"svc/store"
)

// Both families of paths, and a secret of 24 bytes.
const (
	ofProject  = "/admin/projects/app/hooks"
	ofInstance = "/admin/hooks"
	secret     = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
)

var families = []string{ofProject, ofInstance}

// hook creates a hook and returns its path.
func hook(t testing.TB, s *apitest.Server, all, body string) string {
	t.Helper()
	return all + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", all, body), "id")
}

// withMail returns a server that has a mail server, which tests of rules do not use.
func withMail(t *testing.T, opts ...apitest.Option) *apitest.Server {
	t.Helper()
	s := apitest.NewServer(t, append(opts, apitest.WithMail(mailServer(t, "127.0.0.1:1")))...)
	s.Project(t, "app")
	return s
}

func TestHooks(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	for _, all := range families {
		s.Exchanges(t, []apitest.Exchange{{Name: "none", Method: "GET", Path: all, Status: 200, Want: `{"data":[]}`}})
		created := s.Must(t, 201, "POST", all, `{"name":" CI ","kind":"webhook","url":" https://ci.example/a/b/c?d=e ","events":["rollout.*","version.yanked","rollout.*"]}`)
		if made := apitest.Field[string](t, created, "secret"); notify.CheckSecret(made) != nil || len(made) != len("whsec_")+44 {
			t.Errorf("got the secret %q", made)
		}
		if why := apitest.CompareJSON(t, created, `{"name":"CI","kind":"webhook","enabled":true,"url":"https://ci.example/a/b/c?d=e","events":["rollout.*","version.yanked"],
			"to":[],"has_secret":true,"has_authorization":false,"disabled_reason":null,"last_status":null,"last_attempt_at":null}`); why != "" {
			t.Error(why)
		}
		if apitest.Field[int64](t, created, "secret_updated_at") == 0 {
			t.Errorf("got %s, want the time of the secret", created)
		}
		one := all + "/" + apitest.Field[string](t, created, "id")
		mail := hook(t, s, all, `{"name":"People","kind":"email","url":null,"to":[" a@example.com","a@example.com","b@example.com"],"secret":null,"events":null}`)
		s.Exchanges(t, []apitest.Exchange{
			{Name: "own secret", Method: "POST", Path: all, Body: `{"name":"own","kind":"webhook","url":"http://10.0.0.1","secret":"` + secret + `","enabled":false}`,
				Status: 201, Want: `{"secret":"` + secret + `","enabled":false}`},
			{Name: "all, oldest first", Method: "GET", Path: all, Status: 200, Want: `{"data":[{"name":"CI"},
				{"name":"People","kind":"email","url":null,"to":["a@example.com","b@example.com"],"events":["*"],"has_secret":false,"secret_updated_at":null},{"name":"own"}]}`},
			{Name: "one", Method: "GET", Path: one, Status: 200, Want: `{"name":"CI","has_secret":true}`},
			{Name: "change", Method: "PATCH", Path: one, Body: `{"name":"Build","kind":"webhook","events":["*"],"authorization":" Bearer x ","to":null}`, Status: 200,
				Want: `{"name":"Build","events":["*"],"url":"https://ci.example/a/b/c?d=e","has_authorization":true}`},
			{Name: "no authorization", Method: "PATCH", Path: one, Body: `{"authorization":""}`, Status: 200, Want: `{"has_authorization":false}`},
			{Name: "authorization again", Method: "PATCH", Path: one, Body: `{"authorization":"x"}`, Status: 200, Want: `{"has_authorization":true}`},
			{Name: "null removes it", Method: "PATCH", Path: one, Body: `{"authorization":null}`, Status: 200, Want: `{"has_authorization":false}`},
			{Name: "nothing", Method: "PATCH", Path: one, Body: `{}`, Status: 200, Want: `{"name":"Build"}`},
			{Name: "a secret", Method: "PATCH", Path: one, Body: `{"secret":"` + secret + `"}`, Status: 200, Want: `{"has_secret":true}`},
			{Name: "recipients", Method: "PATCH", Path: mail, Body: `{"to":["c@example.com"],"authorization":null}`, Status: 200, Want: `{"to":["c@example.com"]}`},
			{Name: "off", Method: "PATCH", Path: mail, Body: `{"enabled":false}`, Status: 200, Want: `{"enabled":false,"disabled_reason":null}`},
			{Name: "delete", Method: "DELETE", Path: mail, Status: 200, Want: `{"success":true}`},
			{Name: "deleted", Method: "GET", Path: mail, Status: 404, Want: `{"message":"hook not found"}`},
			{Name: "deleted twice", Method: "DELETE", Path: mail, Status: 404},
		})
	}
	s.Exchanges(t, []apitest.Exchange{ // each family has its own hooks
		{Name: "by the other family", Method: "GET", Path: strings.Replace(hook(t, s, ofProject, `{"name":"x","kind":"ntfy","url":"http://x/topic"}`), ofProject, ofInstance, 1), Status: 404},
		{Name: "of a project by its former key", Method: "GET", Path: "/admin/projects/APP/hooks", Status: 200},
	})
}

func TestHookRules(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	long := func(n int) string { return strings.Repeat("x", n) }
	list := func(n int, text string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(text+",", n), ",") + "]"
	}
	for _, all := range families {
		web := hook(t, s, all, `{"name":"web","kind":"webhook","url":"http://web.example"}`)
		mail := hook(t, s, all, `{"name":"mail","kind":"email","to":["a@example.com"]}`)
		slack := hook(t, s, all, `{"name":"slack","kind":"slack","url":"https://slack.example/services/T/B/key"}`)
		s.Refusals(t, all, []apitest.Refusal{
			{"nothing", "POST", all, ``, 400, "name is required; kind is required"},
			{"wrong types", "POST", all, `{"name":1,"kind":2,"enabled":3,"url":4,"events":5,"to":6,"authorization":7,"secret":8}`, 400,
				"name must be a string; enabled must be true or false; url must be a string; authorization must be a string; secret must be a string; " +
					"kind must be one of: webhook, ntfy, slack, discord, email; events must be a list; to must be a list"},
			{"too long", "POST", all, `{"name":"` + long(65) + `","kind":"ntfy","url":"http://` + long(1024) + `","authorization":"` + long(513) + `","events":` + list(33, `"*"`) + `}`, 400,
				"name must have at most 64 characters; url must have at most 1024 characters; authorization must have at most 512 characters; events must have at most 32 entries"},
			{"recipients", "POST", all, `{"name":"a","kind":"email","to":` + list(21, `"a@b"`) + `}`, 400, "to must have at most 20 entries"},
			{"blank", "POST", all, `{"name":" ","kind":"telegram"}`, 400, "name must not be empty; kind must be one of"},
			{"no address", "POST", all, `{"name":"a","kind":"discord","url":null}`, 400, "url is required"},
			{"FTP", "POST", all, `{"name":"a","kind":"ntfy","url":"ftp://x/y"}`, 400, "url must be an absolute URL with scheme http or https"},
			{"no host", "POST", all, `{"name":"a","kind":"ntfy","url":"https:///y"}`, 400, "url must be an absolute URL"},
			{"a password in the address", "POST", all, `{"name":"a","kind":"webhook","url":"https://u:p@x"}`, 400, "url must not contain a user name or a password"},
			{"a masked address", "POST", all, `{"name":"a","kind":"slack","url":"https://slack.example/services/T/…/…"}`, 400, "url must be the whole address"},
			{"unknown events", "POST", all, `{"name":"a","kind":"ntfy","url":"http://x/y","events":["*","rollout","hook.test",null]}`, 400,
				"events[3] must be a string; events[1] must be the name of an event"},
			{"no events", "POST", all, `{"name":"a","kind":"ntfy","url":"http://x/y","events":[]}`, 400, "events must have at least one entry"},
			{"an address for mail", "POST", all, `{"name":"a","kind":"email","url":"http://x","authorization":"x","secret":"` + secret + `"}`, 400,
				"url must be null for hooks of kind email; to must have 1 to 20 addresses for hooks of kind email; authorization is only for hooks of kind webhook and ntfy; " +
					"secret is only for hooks of kind webhook"},
			{"recipients of a webhook", "POST", all, `{"name":"a","kind":"webhook","url":"http://x","to":["a@b.example"]}`, 400, "to must be empty"},
			{"no recipients", "POST", all, `{"name":"a","kind":"email","to":["a","A <a@b.example>","a b@c.example","\"a\"@b.example","ä@b.example","a@b.example\r\nX: y"]}`, 400,
				"to[0] must be an e-mail address, such as team@example.com; to[1] must be an e-mail address"},
			{"a line end", "POST", all, `{"name":"a","kind":"webhook","url":"http://x","authorization":"a\r\nb"}`, 400, "authorization must not contain line ends"},
			{"NUL", "PATCH", web, `{"authorization":"a\u0000b"}`, 400, "authorization must not contain line ends or other control characters"},
			{"a short secret", "POST", all, `{"name":"a","kind":"webhook","url":"http://x","secret":"whsec_AAAA"}`, 400, "secret must be whsec_ followed by 24 to 64 bytes in base64"},
			{"another kind", "PATCH", web, `{"kind":"ntfy"}`, 400, "kind must not be changed"},
			{"null", "PATCH", web, `{"name":null,"kind":null,"enabled":null,"url":null,"events":null,"secret":null}`, 400,
				"name must not be null; enabled must not be null; secret must not be null; kind must not be null; events must not be null"},
			{"no address any more", "PATCH", web, `{"url":""}`, 400, "url must not be empty"},
			{"no address any more, null", "PATCH", web, `{"url":null}`, 400, "url must not be empty"},
			{"events of none", "PATCH", web, `{"events":[]}`, 400, "events must have at least one entry"},
			{"no recipients any more", "PATCH", mail, `{"to":[]}`, 400, "to must have 1 to 20 addresses"},
			{"address of mail", "PATCH", mail, `{"url":"http://x"}`, 400, "url must be null"},
			{"secret of Slack", "PATCH", slack, `{"secret":"` + secret + `","authorization":"x"}`, 400, "authorization is only for hooks of kind webhook and ntfy; secret is only for"},
			{"another masked address", "PATCH", slack, `{"url":"https://slack.example/services/U/…/…"}`, 400, "url must be the whole address"},
			{"a half masked address", "PATCH", slack, `{"url":"https://slack.example/services/T/B/…"}`, 400, "url must be the whole address"},
			{"rotation of mail", "POST", mail + "/rotate", ``, 400, "only hooks of kind webhook have a secret"},
			{"grace", "POST", web + "/rotate", `{"grace_minutes":10081,"secret":"x"}`, 400, "grace_minutes must be an integer from 0 to 10080; secret must be whsec_"},
			{"no grace", "POST", web + "/rotate", `{"grace_minutes":-1}`, 400, "grace_minutes must be an integer from 0 to 10080"},
			{"no JSON", "POST", web + "/rotate", `[]`, 400, "must be a JSON object"},
			{"page", "GET", web + "/deliveries?limit=101&offset=-1&state=lost&event=hook.tested", ``, 400,
				"limit must be an integer of at most 100; offset must be an integer of at least 0; state must be one of queued, retrying, delivered, dead, dropped; event must be one of version.published"},
		})
		for _, path := range []string{"", "/rotate", "/test", "/deliveries", "/deliveries/msg_0", "/deliveries/msg_0/again"} {
			for _, id := range []string{"x", "00000000-0000-7000-8000-000000000000"} {
				method := "GET"
				if strings.Contains("/rotate /test /deliveries/msg_0/again", path) && path != "" && path != "/deliveries" && path != "/deliveries/msg_0" {
					method = "POST"
				}
				if status, answer := s.Ask(t, method, all+"/"+id+path, ""); status != 404 || apitest.Message(t, answer) != "hook not found" {
					t.Errorf("%s %s/%s%s: got %d %s, want 404", method, all, id, path, status, answer)
				}
			}
		}
		for _, id := range []string{"x", "msg_0", "msg_00000000000000000000000000"} {
			for method, path := range map[string]string{"GET": "", "POST": "/again"} {
				if status, answer := s.Ask(t, method, web+"/deliveries/"+id+path, ""); status != 404 || apitest.Message(t, answer) != "delivery not found" {
					t.Errorf("%s delivery %s: got %d %s, want 404", method, id, status, answer)
				}
			}
		}
		if status, answer := s.Ask(t, "PATCH", all+"/00000000-0000-7000-8000-000000000000", `{}`); status != 404 {
			t.Errorf("an unknown hook: got %d %s", status, answer)
		}
	}
	for method, path := range map[string]string{"GET": "", "POST": ""} {
		if status, answer := s.Ask(t, method, "/admin/projects/none/hooks"+path, `{"name":"a","kind":"ntfy","url":"http://x/y"}`); status != 404 {
			t.Errorf("%s, an unknown project: got %d %s", method, status, answer)
		}
	}
}

// TestMailNeedsSettings checks that hooks of kind email can be neither created nor enabled without a
// mail server, but disabled.
func TestMailNeedsSettings(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const missing = "kind email needs a mail server: set smtp.url and smtp.from"
	body := `{"name":"a","kind":"email","to":["a@example.com"]}`
	s.Refusals(t, ofInstance, []apitest.Refusal{{"new", "POST", ofInstance, body, 400, missing}})
	h := &store.Hook{Name: "a", Kind: notify.Email, Enabled: true, Events: []string{"*"}, To: []string{"a@example.com"}}
	if err := s.DB.Update(func(tx *store.Tx) error { return tx.PutHook(0, h) }); err != nil {
		t.Fatal(err)
	}
	one := ofInstance + "/" + h.ID.String()
	s.Must(t, 200, "PATCH", one, `{"enabled":false,"name":"b"}`)
	s.Refusals(t, ofInstance, []apitest.Refusal{{"on again", "PATCH", one, `{"enabled":true}`, 400, missing}})
	if answer := s.Must(t, 200, "POST", one+"/test", ""); apitest.CompareJSON(t, answer, `{"ok":false,"status":0,"response":null,"error":"there is no mail server: set smtp.url and smtp.from"}`) != "" {
		t.Errorf("got %s", answer)
	}
}

// TestEnablingForgetsFailures checks that writing true to "enabled" counts the failures of a hook anew, even
// if the hook is enabled already, and that other changes do not.
func TestEnablingForgetsFailures(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	s.Clock.Stop()
	for body, want := range map[string]string{`{"name":"b"}`: `{"disabled_reason":"failing"}`, `{"enabled":true}`: `{"disabled_reason":null}`} {
		one := hook(t, s, ofInstance, `{"name":"a","kind":"ntfy","url":"http://x/y","events":["file.failed"]}`)
		id, _ := store.ParseID(filepath.Base(one))
		fail := func() {
			t.Helper()
			err := s.DB.Update(func(tx *store.Tx) error {
				h, err := tx.Hook(store.Instance, id)
				if err != nil {
					return err
				}
				return tx.EndAttempt(h, store.ID{}, store.DeliveryAttempt{Status: 500})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		later := func() {
			s.Clock.Advance(3 * 24 * time.Hour)
			s.Admin = s.Token(t, apitest.Secret, s.DB.Account().ID.String(), 1, 0) // the earlier login has expired
		}
		fail()
		later()
		s.Must(t, 200, "PATCH", one, body)
		later()
		fail()
		if why := apitest.CompareJSON(t, s.Must(t, 200, "GET", one, ""), want); why != "" {
			t.Errorf("after %s: %s", body, why)
		}
	}
}

func TestHooksAreFew(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	for _, all := range families {
		for i := range 21 {
			status, answer := s.Ask(t, "POST", all, fmt.Sprintf(`{"name":"%d","kind":"ntfy","url":"http://x/y"}`, i))
			if want := 201 + i/20*208; status != want {
				t.Fatalf("hook %d of %s: got %d %s, want %d", i, all, status, answer, want)
			}
		}
	}
}

// TestHookAddresses checks which part of an address is shown, that writing it back keeps the address,
// and that the rest is only stored encrypted.
func TestHookAddresses(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	for kind, addresses := range map[string]map[string]string{
		"slack": {
			"https://hooks.slack.example/services/T000/B000/hidden":               "https://hooks.slack.example/services/T000/…/…",
			"https://mattermost.example/hooks/id":                                 "https://mattermost.example/hooks/id",
			"https://zulip.example/api/v1/external/slack_incoming?api_key=hidden": "https://zulip.example/api/v1/…/…?…",
			"https://chat.example/a/b/hidden/":                                    "https://chat.example/a/b/…/",
			"http://chat.example":                                                 "http://chat.example",
		},
		"discord": {"https://discord.example/api/webhooks/123/hidden#hidden": "https://discord.example/api/webhooks/…/…"},
		"webhook": {"https://ci.example/a/b/c?d": "https://ci.example/a/b/c?d"},
	} {
		for address, shown := range addresses {
			created := s.Must(t, 201, "POST", ofProject, fmt.Sprintf(`{"name":"a","kind":%q,"url":%q}`, kind, address))
			one := ofProject + "/" + apitest.Field[string](t, created, "id")
			answers := []string{
				created, s.Must(t, 200, "GET", one, ""), s.Must(t, 200, "GET", ofProject, ""),
				s.Must(t, 200, "PATCH", one, fmt.Sprintf(`{"name":"b","url":%q}`, shown)), s.Must(t, 200, "PATCH", one, `{"enabled":false}`),
			}
			for _, answer := range answers {
				if strings.Contains(answer, "hidden") || !strings.Contains(answer, `"`+shown+`"`) {
					t.Errorf("%s: got %s, want %s", address, answer, shown)
				}
			}
			stored := storedHook(t, s, one)
			if stored.Kind.SecretURL() {
				opened, err := s.Files.Keys.Open("address of the hook", stored.URL)
				if err != nil || opened != address || strings.Contains(stored.URL, "http") {
					t.Errorf("%s is stored as %q, %q %v", address, stored.URL, opened, err)
				}
			} else if stored.URL != address {
				t.Errorf("%s is stored as %q", address, stored.URL)
			}
			s.Must(t, 200, "PATCH", one, `{"url":"https://other.example/a/b/c"}`)
			s.Must(t, 200, "DELETE", one, "")
		}
	}
}

func storedHook(t *testing.T, s *apitest.Server, path string) *store.Hook {
	t.Helper()
	id, ok := store.ParseID(path[strings.LastIndex(path, "/")+1:])
	if !ok {
		t.Fatal(path)
	}
	h, err := store.Read(s.DB, func(tx *store.Tx) (*store.Hook, error) {
		if strings.HasPrefix(path, ofInstance) {
			return tx.Hook(0, id)
		}
		p, err := tx.Project("app")
		if err != nil {
			return nil, err
		}
		return tx.Hook(p.ID, id)
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestHookSecretsAreNeverShown stores each kind of secret and attempts deliveries. It then searches for
// the secrets in all answers, in the log and in all files of the data directory.
func TestHookSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := withMail(t, apitest.WithLog(&log))
	texts := []string{"Bearer-hidden-1", "hidden-path-2", secret[len("whsec_"):], "AAECAwQFBgcICQoLDA0ODxAREhMUFRYY", "hidden-3", "hidden-path-4"}
	for _, all := range families {
		one := hook(t, s, all, `{"name":"a","kind":"webhook","url":"http://127.0.0.1:1","authorization":"`+texts[0]+`","secret":"`+secret+`"}`)
		two := hook(t, s, all, `{"name":"b","kind":"discord","url":"http://127.0.0.1:1/api/webhooks/`+texts[1]+`/x"}`)
		three := hook(t, s, all, `{"name":"c","kind":"ntfy","url":"http://127.0.0.1:1/topic","authorization":"`+texts[4]+`"}`)
		four := hook(t, s, all, `{"name":"d","kind":"slack","url":"http://127.0.0.1:1/services/T/`+texts[5]+`/x"}`)
		s.Must(t, 200, "POST", one+"/rotate", `{"grace_minutes":5,"secret":"whsec_`+texts[3]+`"}`)
		emit(t, s, all, notify.FileFailedEvent, notify.FileFailed{ID: "2", Filename: "a.zip", Error: "broken"})
		if err := s.Hooks.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		answers := []string{s.Must(t, 200, "GET", all, "")}
		for _, path := range []string{one, two, three, four} {
			page := s.Must(t, 200, "GET", path+"/deliveries", "")
			if apitest.CompareJSON(t, page, `{"data":[{"state":"retrying","last_error":"the connection was refused"}]}`) != "" {
				t.Errorf("got %s, want a failed attempt", page)
			}
			id := fmt.Sprint(apitest.Field[[]map[string]any](t, page, "data")[0]["id"])
			answers = append(answers, page, s.Must(t, 200, "GET", path, ""), s.Must(t, 200, "GET", path+"/deliveries/"+id, ""))
			answers = append(answers, s.Must(t, 200, "POST", path+"/test", ""), s.Must(t, 200, "PATCH", path, `{"name":"c"}`))
		}
		for _, text := range texts {
			for _, answer := range append(answers, log.String()) {
				if strings.Contains(answer, text) {
					t.Errorf("%s contains %s", answer, text)
				}
			}
		}
	}
	if !strings.Contains(log.String(), "event not delivered") {
		t.Error("the log has no failed attempt")
	}
	searched := 0
	err := filepath.WalkDir(s.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		for _, text := range texts {
			if strings.Contains(string(content), text) {
				t.Errorf("%s contains %s", name, text)
			}
		}
		searched++
		return err
	})
	if err != nil || searched == 0 {
		t.Fatal(searched, err)
	}
}

// TestRotation checks the secrets that sign after rotations.
func TestRotation(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	s.Clock.Stop()
	for _, all := range families {
		one := hook(t, s, all, `{"name":"a","kind":"webhook","url":"http://x","secret":"`+secret+`"}`)
		signs := func(want ...string) {
			t.Helper()
			var got []string
			for _, sealed := range storedHook(t, s, one).Secrets(s.Clock.Now()) {
				text, err := s.Files.Keys.Open("signing secret of the hook", sealed)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q sign, want %q", got, want)
			}
		}
		signs(secret)
		s.Clock.Advance(time.Second)
		now := s.Clock.Now().Unix()
		answer := s.Must(t, 200, "POST", one+"/rotate", `{"grace_minutes":2}`)
		second := apitest.Field[string](t, answer, "secret")
		if until := apitest.Field[int64](t, answer, "previous_valid_until"); until != now+120 || notify.CheckSecret(second) != nil {
			t.Errorf("got %s, want the end of the grace in 120 s", answer)
		}
		signs(second, secret)
		if at := apitest.Field[int64](t, s.Must(t, 200, "GET", one, ""), "secret_updated_at"); at != now {
			t.Errorf("the secret is from %d, want %d", at, now)
		}
		third := strings.Replace(secret, "AAEC", "AAED", 1)
		if answer = s.Must(t, 200, "POST", one+"/rotate", `{"grace_minutes":1,"secret":"`+third+`"}`); apitest.Field[string](t, answer, "secret") != third {
			t.Errorf("got %s", answer)
		}
		signs(third, second)
		s.Clock.Advance(time.Minute)
		signs(third)
		answer = s.Must(t, 200, "POST", one+"/rotate", "")
		if apitest.CompareJSON(t, answer, `{"previous_valid_until":null}`) != "" {
			t.Errorf("got %s", answer)
		}
		signs(apitest.Field[string](t, answer, "secret"))
		s.Must(t, 200, "POST", one+"/rotate", `{"grace_minutes":5}`)
		s.Must(t, 200, "PATCH", one, `{"secret":"`+secret+`"}`)
		signs(secret)
	}
}

// TestHookStates checks entity tags, and that a repeated creation makes one hook.
func TestHookStates(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	login := func(more ...string) map[string]string {
		headers := map[string]string{"Authorization": "Bearer " + s.Admin}
		for i := 0; i < len(more); i += 2 {
			headers[more[i]] = more[i+1]
		}
		return headers
	}
	for _, all := range families {
		body := `{"name":"a","kind":"webhook","url":"http://127.0.0.1:1"}`
		_, first, header := s.Send(t, "POST", "/api/v1"+all, login("Idempotency-Key", "1"), body)
		_, second, _ := s.Send(t, "POST", "/api/v1"+all, login("Idempotency-Key", "1"), body)
		if first != second || !strings.Contains(first, "whsec_") {
			t.Errorf("got %s and %s", first, second)
		}
		one := "/api/v1" + all + "/" + apitest.Field[string](t, first, "id")
		created := header.Get("ETag")
		if _, _, header = s.Send(t, "GET", one, login(), ""); created == "" || header.Get("ETag") != created {
			t.Errorf("got the tags %q and %q", created, header.Get("ETag"))
		}
		s.Must(t, 200, "POST", strings.TrimPrefix(one, "/api/v1")+"/test", "")
		for _, tc := range []struct {
			method, path, body string
			want               int
		}{
			{"PATCH", one, `{"name":"b"}`, 200}, {"PATCH", one, `{"name":"c"}`, 412}, {"POST", one + "/rotate", "", 412}, {"DELETE", one, "", 412},
		} {
			status, answer, header := s.Send(t, tc.method, tc.path, login("If-Match", created), tc.body)
			if status != tc.want || status == 200 && header.Get("ETag") == created {
				t.Errorf("%s %s: got %d %s, want %d", tc.method, tc.path, status, answer, tc.want)
			}
		}
		_, _, header = s.Send(t, "GET", one, login(), "")
		status, answer, header := s.Send(t, "POST", one+"/rotate", login("If-Match", header.Get("ETag")), "")
		if status != 200 {
			t.Errorf("rotate: got %d %s", status, answer)
		}
		if status, answer, _ = s.Send(t, "DELETE", one, login("If-Match", header.Get("ETag")), ""); status != 200 {
			t.Errorf("delete: got %d %s", status, answer)
		}
	}
}

// TestHooksNeedALogin checks that no API key can use hooks.
func TestHooksNeedALogin(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	key := s.Key(t, `{"name":"all","scopes":["projects:read","projects:write","logs:write","files:write"]}`)
	for _, all := range families {
		one := hook(t, s, all, `{"name":"a","kind":"ntfy","url":"http://x/y"}`)
		for _, call := range []string{
			"GET " + all, "POST " + all, "GET " + one, "PATCH " + one, "DELETE " + one, "POST " + one + "/rotate", "POST " + one + "/test",
			"GET " + one + "/deliveries", "GET " + one + "/deliveries/x", "POST " + one + "/deliveries/x/again",
		} {
			method, path, _ := strings.Cut(call, " ")
			if status, answer, _ := s.Do(t, method, path, key, ""); status != http.StatusUnauthorized {
				t.Errorf("%s: got %d %s, want 401", call, status, answer)
			}
		}
	}
}

// sendable matches the ids of deliveries.
var sendable = regexp.MustCompile(`^msg_[0-9a-z]{26}$`)

// TestDeliveries checks the list of deliveries, its filters, and sending one again.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	s := withMail(t)
	s.Clock.Stop()
	for _, all := range families {
		one := hook(t, s, all, `{"name":"a","kind":"webhook","url":"http://127.0.0.1:1","events":["feedback.created","file.*"]}`)
		emit(t, s, all, notify.FeedbackCreatedEvent, notify.FeedbackCreated{ID: "1", Content: "Hello"})
		emit(t, s, all, notify.FileFailedEvent, notify.FileFailed{ID: "2", Filename: "a.zip", Error: "broken"})
		emit(t, s, all, notify.LogGuardEvent, notify.LogGuard{Limit: 20})
		page := s.Must(t, 200, "GET", one+"/deliveries", "")
		now := s.Clock.Now().Unix()
		if why := apitest.CompareJSON(t, page, fmt.Sprintf(`{"total":2,"data":[
			{"event":"file.failed","state":"queued","attempts":0,"created_at":%d,"next_attempt_at":%[1]d,"delivered_at":null,"last_status":null,"last_error":null,"response":null},
			{"event":"feedback.created"}]}`, now)); why != "" {
			t.Errorf("%s: %s", page, why)
		}
		for query, want := range map[string]string{
			"?event=file.failed": `{"total":1,"data":[{"event":"file.failed"}]}`, "?state=dead": `{"total":0,"data":[]}`,
			"?state=queued&event=feedback.created": `{"total":1,"data":[{"event":"feedback.created"}]}`, "?limit=1&offset=1": `{"total":2,"data":[{"event":"feedback.created"}]}`,
			"?offset=2": `{"total":2,"data":[]}`, "?state=&event=": `{"total":2}`,
		} {
			if answer := s.Must(t, 200, "GET", one+"/deliveries"+query, ""); apitest.CompareJSON(t, answer, want) != "" {
				t.Errorf("%s: got %s, want %s", query, answer, want)
			}
		}
		id := fmt.Sprint(apitest.Field[[]map[string]any](t, page, "data")[0]["id"])
		if !sendable.MatchString(id) {
			t.Errorf("got the id %q", id)
		}
		whole := s.Must(t, 200, "GET", one+"/deliveries/"+id, "")
		payload := apitest.Field[json.RawMessage](t, whole, "payload")
		if !strings.HasPrefix(string(payload), `{"type":"file.failed","timestamp":"`) || !strings.Contains(string(payload), `"filename":"a.zip"`) ||
			strings.Contains(string(payload), `"project":{"key":"app","name":"app"}`) != (all == ofProject) {
			t.Errorf("got %s", whole)
		}
		status, answer := s.Ask(t, "POST", one+"/deliveries/"+id+"/again", "")
		if status != 202 || apitest.CompareJSON(t, answer, fmt.Sprintf(`{"id":%q,"state":"queued","attempts":0,"next_attempt_at":%d}`, id, now)) != "" {
			t.Errorf("again: got %d %s", status, answer)
		}
		s.Must(t, 200, "PATCH", one, `{"enabled":false}`)
		s.Must(t, 202, "POST", one+"/deliveries/"+id+"/again", "")
		other := hook(t, s, all, `{"name":"b","kind":"ntfy","url":"http://127.0.0.1:1/x"}`)
		if status, answer := s.Ask(t, "GET", other+"/deliveries/"+id, ""); status != 404 {
			t.Errorf("a delivery of another hook: got %d %s", status, answer)
		}
	}
}

// emit sends an event, of the project app or of the instance.
func emit(t *testing.T, s *apitest.Server, all, name string, data notify.Data) {
	t.Helper()
	err := s.DB.Update(func(tx *store.Tx) error {
		of := store.ProjectID(0)
		if all == ofProject {
			p, err := tx.Project("app")
			if err != nil {
				return err
			}
			of = p.ID
		}
		return tx.Notify(of, notify.Event{Name: name, Data: data})
	})
	if err != nil {
		t.Fatal(err)
	}
}
