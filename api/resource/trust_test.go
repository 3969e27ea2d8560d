package resource_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

const trustKeys = "/admin/projects/app/trust-keys"

// Public keys whose signatures are in internal/signature/testdata.
const (
	minisignKey = "RWQUC+2/nD9tVnhlcoMy4DpjtkQrQu+Y7rHUvv0enFAyuD1w9k5fVRpQ"
	otherKey    = "RWRL8rL9e3Mp4F/5v7c/jyyvumJt1ZvaDrSAO9Ji7fFA/27sY5c2kTIc"
	sparkleKey  = "eGVygzLgOmO2RCtC75jusdS+/R6cUDK4PXD2Tl9VGlA="
)

func trustKey(scheme, key string) string {
	return fmt.Sprintf(`{"scheme":%q,"public_key":%q}`, scheme, key)
}

func TestTrustKeys(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	public := "/public/app/trust-keys"
	s.Exchanges(t, []apitest.Exchange{
		{Name: "none", Method: "GET", Path: public, Status: 200, Want: `{"data":[]}`},
		{Name: "none for administrators", Method: "GET", Path: trustKeys, Status: 200, Want: `{"data":[]}`},
		{
			Name: "minisign", Method: "POST", Path: trustKeys, Status: 201,
			Body: `{"scheme":"minisign","public_key":" ` + minisignKey + `\n","label":" CI "}`,
			Want: `{"scheme":"minisign","public_key":"` + minisignKey + `","key_id":"566D3F9CBFED0B14","label":"CI","state":"active"}`,
		},
		{
			Name: "Sparkle", Method: "POST", Path: trustKeys, Body: trustKey("sparkle", sparkleKey), Status: 201,
			Want: `{"scheme":"sparkle","key_id":"8c31dc5d886e28ff","label":null,"state":"active"}`,
		},
	})
	list := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", trustKeys, ""), "data")
	one := trustKeys + "/" + fmt.Sprint(list[0]["id"])
	s.Exchanges(t, []apitest.Exchange{
		{Name: "public", Method: "GET", Path: public, Status: 200, Want: `{"data":[
			{"scheme":"minisign","key_id":"566D3F9CBFED0B14","public_key":"` + minisignKey + `","state":"active"},
			{"scheme":"sparkle","key_id":"8c31dc5d886e28ff","public_key":"` + sparkleKey + `","state":"active"}]}`},
		{Name: "label", Method: "PATCH", Path: one, Body: `{"label":"old CI"}`, Status: 200, Want: `{"label":"old CI","state":"active"}`},
		{Name: "retire", Method: "PATCH", Path: one, Body: `{"state":"retired","label":null}`, Status: 200, Want: `{"label":null,"state":"retired"}`},
		{Name: "retired keys are public", Method: "GET", Path: public, Status: 200, Want: `{"data":[{"state":"retired"},{"state":"active"}]}`},
		{Name: "use again", Method: "PATCH", Path: one, Body: `{"state":"active"}`, Status: 200, Want: `{"state":"active"}`},
		{Name: "revoke", Method: "PATCH", Path: one, Body: `{"state":"revoked"}`, Status: 200, Want: `{"state":"revoked"}`},
		{Name: "the label of a revoked key", Method: "PATCH", Path: one, Body: `{"label":"stolen"}`, Status: 200, Want: `{"label":"stolen","state":"revoked"}`},
		{Name: "revoked keys are not public", Method: "GET", Path: public, Status: 200, Want: `{"data":[{"scheme":"sparkle"}]}`},
		{Name: "but listed", Method: "GET", Path: trustKeys, Status: 200, Want: `{"data":[{"state":"revoked"},{"state":"active"}]}`},
	})
	s.Refusals(t, trustKeys, []apitest.Refusal{
		{"revoked is final", "PATCH", one, `{"state":"active"}`, 409, "the trust key has been revoked, which is final"},
		{"known, even if revoked", "POST", trustKeys, trustKey("minisign", minisignKey), 409, "the project has the key 566D3F9CBFED0B14 already"},
		{"nothing", "POST", trustKeys, `{}`, 400, "scheme is required; public_key is required"},
		{"a scheme", "POST", trustKeys, trustKey("gpg", minisignKey), 400, "scheme must be one of: minisign, sparkle"},
		{"the other scheme", "POST", trustKeys, trustKey("sparkle", minisignKey), 400, "public_key must be base64 of 32 bytes"},
		{"no key", "POST", trustKeys, trustKey("minisign", "x"), 400, "public_key must be a public key as the tool prints it"},
		{"a long key", "POST", trustKeys, trustKey("minisign", strings.Repeat("x", 1025)), 400, "public_key must have at most 1024 bytes"},
		{"a long label", "PATCH", one, `{"label":"` + strings.Repeat("x", 65) + `"}`, 400, "label must have at most 64 characters"},
		{"a state", "PATCH", one, `{"state":"lost"}`, 400, "state must be one of: active, retired, revoked"},
		{"no state", "PATCH", one, `{"state":null}`, 400, "state must not be null"},
		{"an unknown key", "PATCH", trustKeys + "/" + "00000000-0000-7000-8000-000000000000", `{}`, 404, "trust key not found"},
		{"no id", "PATCH", trustKeys + "/x", `{}`, 404, "trust key not found"},
		{"a project", "GET", "/public/none/trust-keys", "", 404, `project "none" not found`},
		{"a project of an administrator", "GET", "/admin/projects/none/trust-keys", "", 404, `project "none" not found`},
		{"a key of no project", "POST", "/admin/projects/none/trust-keys", trustKey("minisign", otherKey), 404, `project "none" not found`},
	})
	if status, answer, _ := s.Send(t, "PATCH", "/api/v1"+one, map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": `"x"`}, `{"label":"a"}`); status != 412 {
		t.Errorf("another state: got %d %s, want 412", status, answer)
	}
	key := s.Key(t, `{"name":"CI","scopes":["versions:read","versions:write"]}`)
	if status, answer, _ := s.Do(t, "GET", trustKeys, key, ""); status != 200 {
		t.Errorf("an API key lists keys: got %d %s", status, answer)
	}
	if status, answer, _ := s.Do(t, "POST", trustKeys, key, trustKey("minisign", otherKey)); status != 401 {
		t.Errorf("an API key adds a key: got %d %s, want 401", status, answer)
	}
	if status, answer, _ := s.Do(t, "PATCH", one, key, `{"label":"mine"}`); status != 401 {
		t.Errorf("an API key changes a key: got %d %s, want 401", status, answer)
	}
}

func TestTrustKeysAreFew(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	raw, err := base64.StdEncoding.DecodeString(minisignKey)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 17 {
		raw[2] = byte(i) // of the key number
		status, answer := s.Ask(t, "POST", trustKeys, trustKey("minisign", base64.StdEncoding.EncodeToString(raw)))
		if want := 201 + i/16*208; status != want {
			t.Fatalf("key %d: got %d %s, want %d", i, status, answer, want)
		}
	}
}

// TestPrivateKeysAreRefused sends private keys in every text of the settings of distribution.
func TestPrivateKeysAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0", "2.0")
	s.Must(t, 201, "POST", trustKeys, trustKey("minisign", minisignKey))
	key := trustKeys + "/" + fmt.Sprint(apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", trustKeys, ""), "data")[0]["id"])
	version := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "2.0")
	s.Must(t, 201, "POST", apitest.VersionsOf("app"), `{"version":"3.0","comparable_version":"3.0","rollout":{"percent":10}}`)
	rollout := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "3.0") + "/rollout"
	before := s.State(t, "app")
	minisign := "untrusted comment: minisign encrypted secret key\nRWRTY0IyAAAA"
	texts := map[string]string{
		"PEM":                 "-----BEGIN " + "PRIVATE KEY-----",
		"minisign":            minisign,
		"rsign":               "untrusted comment: rsign encrypted secret key\nRWRTY0IyAAAA",
		"minisign in base64":  base64.StdEncoding.EncodeToString([]byte(minisign)),
		"as a part of a text": "key: x" + base64.StdEncoding.EncodeToString([]byte("rsign encrypted secret key")),
	}
	for name, text := range texts {
		for _, to := range []struct{ method, path, body string }{
			{"POST", trustKeys, `{"scheme":"minisign","public_key":%q}`},
			{"POST", trustKeys, `{"scheme":"sparkle","public_key":%q}`},
			{"POST", trustKeys, `{"scheme":"sparkle","public_key":"` + sparkleKey + `","label":%q}`},
			{"PATCH", key, `{"label":%q}`},
			{"PUT", distribution, `{"health":{"rules":[{"name":%q,"metric":"error_logs"}]}}`},
			{"PUT", distribution, `{"health":{"rules":[{"name":"a","metric":"event","event":%q}]}}`},
			{"POST", version + "/yank", `{"reason":%q}`},
			{"POST", rollout + "/pause", `{"reason":%q}`},
			{"PATCH", version + "/assets/a", `{"variant":%q}`},
		} {
			status, answer := s.Ask(t, to.method, to.path, fmt.Sprintf(to.body, text))
			if status != 400 || !strings.Contains(answer, "private key; keep it in your CI") || strings.Contains(answer, "RWRTY0Iy") {
				t.Errorf("%s, %s %s: got %d %s", name, to.method, to.path, status, answer)
			}
		}
	}
	for _, size := range []int{64, 96} { // as Sparkle exported them
		body := trustKey("sparkle", base64.StdEncoding.EncodeToString(make([]byte, size)))
		if status, answer := s.Ask(t, "POST", trustKeys, body); status != 400 || !strings.Contains(answer, "public_key contains a private key; keep it in your CI") {
			t.Errorf("a key of %d bytes: got %d %s", size, status, answer)
		}
	}
	if after := s.State(t, "app"); after != before {
		t.Errorf("refused requests changed something\nbefore %s\nafter  %s", before, after)
	}
}
