package resource_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/seal"
	"svc/store"
)

const translationAt = "/admin/translation"

// echo returns the address of a fake translation service, which puts each text in angle quotes
// instead of translating it. If a text contains the name of an HTTP status, the service responds
// with that status.
func echo(t *testing.T) string {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		said := asked.Messages[len(asked.Messages)-1].Content
		for status, text := range map[int]string{500: "please fail", 200: "please write nothing"} {
			if strings.Contains(said, text) {
				http.Error(w, "the service was asked: "+text, status)
				return
			}
		}
		texts := map[string]string{}
		if err := json.Unmarshal([]byte(said[strings.LastIndex(said, "\n")+1:]), &texts); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		for name, text := range texts {
			if text == "please forget" {
				delete(texts, name)
				continue
			}
			texts[name] = "«" + text + "»"
		}
		written, _ := json.Marshal(texts) // texts always encode
		quoted, _ := json.Marshal(string(written))
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}]}`, quoted)
	}))
	t.Cleanup(h.Close)
	return h.URL
}

func TestTranslationSettings(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	long := func(n int) string { return strings.Repeat("x", n) }
	empty := `{"configured":false,"enabled":false,"provider":"openai","base_url":null,"model":null,"has_api_key":false,"api_key_fingerprint":null,"api_key_updated_at":null,"custom_prompt":false,"system_prompt":null,"prompt_variables":["target_locale","target_label","source_locale"],"request_url":null,"updated_at":null}`
	s.Exchanges(t, []apitest.Exchange{
		{"before the first save", "GET", translationAt, "", 200, empty},
		{
			"switched off",
			"POST",
			translationAt + "/test",
			"",
			200,
			`{"ok":false,"provider":"openai","model":null,"request_url":null,"sample":null,"latency_ms":0,"error":"machine translation is switched off: set enabled in the translation settings"}`,
		},
		{
			"a part",
			"PUT",
			translationAt,
			`{"enabled":true,"base_url":" https://api.example/v1/ "}`,
			200,
			`{"configured":false,"enabled":true,"base_url":"https://api.example/v1/","request_url":"https://api.example/v1/chat/completions"}`,
		},
		{
			"incomplete",
			"POST",
			translationAt + "/test",
			"",
			200,
			`{"ok":false,"request_url":"https://api.example/v1/chat/completions","error":"machine translation is not configured: base_url and model are needed in the translation settings"}`,
		},
		{"the rest", "PUT", translationAt, `{"provider":"anthropic","model":" m ","api_key":" key ","custom_prompt":true,"system_prompt":" p "}`, 200,
			fmt.Sprintf(`{"configured":true,"enabled":true,"provider":"anthropic","model":"m","has_api_key":true,"api_key_fingerprint":%q,"custom_prompt":true,"system_prompt":"p","request_url":"https://api.example/v1/v1/messages"}`, seal.Fingerprint("key"))},
		{"blank and null clear texts", "PUT", translationAt, `{"model":" ","system_prompt":null,"base_url":"","api_key":null}`, 200,
			`{"configured":false,"base_url":null,"model":null,"has_api_key":false,"api_key_fingerprint":null,"api_key_updated_at":null,"system_prompt":null,"request_url":null,"custom_prompt":true}`},
		{
			"the longest",
			"PUT",
			translationAt,
			`{"base_url":"https://` + long(504) + `","model":"` + long(128) + `","api_key":"` + long(512) + `","system_prompt":"` + long(8192) + `"}`,
			200,
			`{"configured":true}`,
		},
		{"every broken rule", "PUT", translationAt, `{"enabled":null,"provider":"deepl","base_url":"https://` + long(505) + `","model":"` + long(129) + `","api_key":"` + long(513) + `","custom_prompt":1,"system_prompt":"` + long(8193) + `"}`, 400,
			`{"message":["enabled must not be null","provider must be openai or anthropic","base_url must have at most 512 characters","api_key must have at most 512 characters","model must have at most 128 characters","custom_prompt must be true or false","system_prompt must have at most 8192 characters"]}`},
		{
			"an address that is none",
			"PUT",
			translationAt,
			`{"base_url":"api.example"}`,
			400,
			`{"message":["base_url must be an http or https URL without user name, query and fragment"]}`,
		},
		{"a key in two lines", "PUT", translationAt, `{"api_key":"a\nb"}`, 400, `{"message":["api_key must not contain control characters"]}`},
		{"null is no provider", "PUT", translationAt, `{"provider":null}`, 400, `{"message":["provider must be openai or anthropic"]}`},
		{"nothing was changed", "GET", translationAt, "", 200, `{"enabled":true,"configured":true,"provider":"anthropic"}`},
		{"cleared", "DELETE", translationAt, "", 200, empty},
		{"stays cleared", "GET", translationAt, "", 200, empty},
	})
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const at = "/admin/projects/app/translate"
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de-DE","aliases":["de"],"label":"Deutsch"}`)
	s.Must(t, 200, "PUT", translationAt, fmt.Sprintf(`{"base_url":%q,"model":"m"}`, echo(t)))
	body := func(fields string) string {
		return `{"kind":"version","target_locale":"DE","source_locale":"en","fields":` + fields + `}`
	}
	s.Exchanges(t, []apitest.Exchange{
		{"switched off", "POST", at, body(`{"title":"x"}`), 400, `{"message":"machine translation is switched off: set enabled in the translation settings"}`},
		{"switch on", "PUT", translationAt, `{"enabled":true}`, 200, `{"configured":true}`},
		{
			"the sample keeps its placeholder",
			"POST",
			translationAt + "/test",
			"",
			200,
			`{"ok":true,"provider":"openai","model":"m","sample":"«Version {{version}} is ready. Restart the app to install it.»","error":null}`,
		},
		{
			"exactly the keys that are not blank",
			"POST",
			at,
			body(`{"title":"Hello","content":" "}`),
			200,
			`{"locale":"de-DE","provider":"openai","model":"m","fields":{"title":"«Hello»"}}`,
		},
		{
			"an announcement",
			"POST",
			at,
			`{"kind":"announcement","target_locale":"de-de","fields":{"title":"a","content":"b"}}`,
			200,
			`{"fields":{"title":"«a»","content":"«b»"}}`,
		},
		{
			"a project",
			"POST",
			at,
			`{"kind":"project","target_locale":"de","source_locale":null,"fields":{"name":"a","description":"b"}}`,
			200,
			`{"fields":{"name":"«a»","description":"«b»"}}`,
		},
		{"32000 characters", "POST", at, body(`{"title":"ä","content":"` + strings.Repeat("ä", 31_999) + `"}`), 200, `{"locale":"de-DE"}`},
		{
			"more",
			"POST",
			at,
			body(`{"title":"ä","content":"` + strings.Repeat("ä", 32_000) + `"}`),
			400,
			`{"message":["fields must have at most 32000 characters in all"]}`,
		},
		{
			"unknown key, no string",
			"POST",
			at,
			body(`{"name":"x","title":5,"content":null}`),
			400,
			`{"message":["fields.name is unknown: allowed are title and content","fields.title must be a string","fields.content must be a string"]}`,
		},
		{"nothing that is not blank", "POST", at, body(`{"title":" "}`), 400, `{"message":["fields must have a text that is not blank"]}`},
		{
			"nothing",
			"POST",
			at,
			`{}`,
			400,
			`{"message":["kind must be announcement, version or project","target_locale is required","fields must be an object of strings"]}`,
		},
		{
			"wrong types",
			"POST",
			at,
			`{"kind":1,"target_locale":1,"source_locale":1,"fields":[]}`,
			400,
			`{"message":["kind must be announcement, version or project","target_locale must be a string","source_locale must be a string","fields must be an object of strings"]}`,
		},
		{
			"tags that are too long",
			"POST",
			at,
			`{"kind":"version","target_locale":"` + strings.Repeat("x", 36) + `","source_locale":"` + strings.Repeat("x", 36) + `","fields":{"title":"x"}}`,
			400,
			`{"message":["target_locale must have at most 35 characters","source_locale must have at most 35 characters"]}`,
		},
		{
			"not a language of the project",
			"POST",
			at,
			`{"kind":"version","target_locale":"fr","fields":{"title":"x"}}`,
			400,
			`{"message":["target_locale \"fr\" is not a language of this project"]}`,
		},
		{"no project", "POST", "/admin/projects/nobody/translate", body(`{"title":"x"}`), 404, ``},
		{
			"the model forgets a key",
			"POST",
			at,
			body(`{"title":"please forget","content":"x"}`),
			502,
			`{"message":"the model's answer has no text \"title\": {\"content\":\"«x»\"}"}`,
		},
		{
			"the service fails",
			"POST",
			at,
			body(`{"title":"please fail"}`),
			503,
			`{"message":"the translation service answered 500: the service was asked: please fail"}`,
		},
		{
			"an answer without a text",
			"POST",
			at,
			body(`{"title":"please write nothing"}`),
			503,
			`{"message":"the translation service answered without a text: the service was asked: please write nothing"}`,
		},
		{"nothing is stored", "GET", "/admin/projects/app/versions", "", 200, `{"total":0}`},
		{"a model is missing", "PUT", translationAt, `{"model":null}`, 200, `{"configured":false}`},
		{
			"incomplete",
			"POST",
			at,
			body(`{"title":"x"}`),
			400,
			`{"message":"machine translation is not configured: base_url and model are needed in the translation settings"}`,
		},
	})
}

// TestTranslationAfterAnotherSecret checks that a request fails with an error about the API key,
// which cannot be decrypted, and that the settings can still be read.
func TestTranslationAfterAnotherSecret(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de"}`)
	s.Must(t, 200, "PUT", translationAt, fmt.Sprintf(`{"base_url":%q,"model":"m","api_key":"key","enabled":true}`, echo(t)))
	before := seal.NewKeys([]byte("the secret of before"))
	err := s.DB.Update(func(tx *store.Tx) error {
		settings, err := store.TranslationSettings.Get(tx)
		if err != nil {
			return err
		}
		settings.APIKey = before.Seal(seal.TranslationAPIKey, "key")
		return store.TranslationSettings.Put(tx, settings)
	})
	if err != nil {
		t.Fatal(err)
	}
	const again = "the stored API key of the translation service cannot be decrypted, because JWT_SECRET has changed since it was saved: enter it again"
	s.Exchanges(t, []apitest.Exchange{
		{"settings are read", "GET", translationAt, "", 200, `{"has_api_key":true,"configured":true}`},
		{"the test explains", "POST", translationAt + "/test", "", 200, `{"ok":false,"error":"` + again + `"}`},
		{
			"so does a use",
			"POST",
			"/admin/projects/app/translate",
			`{"kind":"version","target_locale":"de","fields":{"title":"x"}}`,
			400,
			`{"message":"` + again + `"}`,
		},
		{"another key works", "PUT", translationAt, `{"api_key":"another"}`, 200, ""},
		{"and is used", "POST", translationAt + "/test", "", 200, `{"ok":true}`},
	})
}
