package resource_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/terms"
)

const (
	documents = "/admin/terms/documents"
	policy    = documents + "/" + terms.PrivacyPolicy
	public    = "/public/terms/" + terms.PrivacyPolicy
)

// fields returns the JSON of an object with the given fields.
func fields(t *testing.T, of map[string]any) string {
	t.Helper()
	b, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// builtin returns the public view of a built-in document, without its text.
func builtin(t *testing.T, slug string, l terms.Language) map[string]any {
	t.Helper()
	d := terms.Find(slug)
	return map[string]any{"slug": slug, "title": d.In(l).Title, "summary": d.In(l).Summary, "source": "builtin", "updated_at": d.Revised}
}

// untouched returns the administrator's view of the privacy policy before the first change.
func untouched(t *testing.T) string {
	t.Helper()
	d := terms.Find(terms.PrivacyPolicy)
	text := d.In(terms.English)
	var blanks []map[string]any
	for _, p := range text.Placeholders {
		blanks = append(blanks, map[string]any{"key": p.Key, "label": p.Label, "hint": p.Hint, "example": p.Example, "required": p.Required})
	}
	return fields(t, map[string]any{
		"slug": d.Slug, "title": text.Title, "summary": text.Summary, "custom": false, "content": text.Content, "custom_content": nil, "custom_updated_at": nil,
		"builtin_content": text.Content, "builtin_updated_at": d.Revised, "updated_at": nil, "placeholders": blanks,
	})
}

// TestBuiltinTerms checks the response of every endpoint on a new instance.
func TestBuiltinTerms(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	p, c := builtin(t, terms.PrivacyPolicy, terms.English), builtin(t, terms.SDKCompliance, terms.English)
	list := fields(t, map[string]any{"data": []any{p, c}})
	p["content"], c["content"] = terms.Find(terms.PrivacyPolicy).In(terms.English).Content, terms.Find(terms.SDKCompliance).In(terms.English).Content
	s.Exchanges(t, []apitest.Exchange{
		{"all", "GET", "/public/terms", "", 200, list},
		{"all, with a slash", "GET", "/public/terms/", "", 200, list},
		{"privacy policy", "GET", public, "", 200, fields(t, p)},
		{"client libraries", "GET", "/public/terms/sdk-compliance", "", 200, fields(t, c)},
		{"unknown", "GET", "/public/terms/imprint", "", 404, `{"message":"there is no terms document \"imprint\""}`},
		{"word of another path", "GET", "/public/terms/versions", "", 404, ``},
		{"capitals", "GET", "/public/terms/Privacy-Policy", "", 404, ``},
		{"all, administrator", "GET", documents, "", 200, fmt.Sprintf(`{"data":[%s,{"slug":"sdk-compliance"}]}`, untouched(t))},
		{"one, administrator", "GET", policy, "", 200, untouched(t)},
		{"unknown, administrator", "GET", documents + "/imprint", "", 404, ``},
		{"unknown, save", "PUT", documents + "/imprint", `{"custom":true}`, 404, ``},
		{"unknown, reset", "DELETE", documents + "/imprint", "", 404, ``},
	})
	if answer := s.Must(t, 200, "GET", public, ""); strings.Contains(answer, "locale_message") {
		t.Errorf("nobody asked for a language: %.200s", answer)
	}
}

// TestPlaceholders checks that each placeholder key of a built-in text is listed once, in order of
// appearance, and that no placeholder is filled in.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for slug, want := range map[string][]string{
		terms.PrivacyPolicy: {
			"effective_date", "operator_name", "contact_email", "geo_providers", "hosting_provider", "storage_region", "detail_retention",
			"response_days", "operator_address", "dpo_contact",
		},
		terms.SDKCompliance: {"effective_date", "operator_name", "contact_email"},
	} {
		answer := s.Must(t, 200, "GET", documents+"/"+slug, "")
		text, at := apitest.Field[string](t, answer, "builtin_content"), -1
		var keys []string
		for _, p := range apitest.Field[[]map[string]any](t, answer, "placeholders") {
			key := p["key"].(string)
			keys = append(keys, key)
			first := strings.Index(text, "{{ "+key+" }}")
			if first <= at {
				t.Errorf("%s: %s is at %d, behind the one before at %d", slug, key, first, at)
			}
			at = first
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%s: got %q, want %q", slug, keys, want)
		}
	}
}

// TestDraft checks which text is public, and the time that is shown for it.
func TestDraft(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	revised := terms.Find(terms.PrivacyPolicy).Revised
	text := apitest.Quoted(terms.Find(terms.PrivacyPolicy).In(terms.English).Content)
	// save sends a change one minute after the previous one and checks the draft, the switch and
	// the public text.
	var draftAt, savedAt int64
	save := func(name, body, draft string, custom, changed bool) {
		t.Helper()
		s.Clock.Advance(time.Minute)
		answer := s.Must(t, 200, "PUT", policy, body)
		if at := apitest.Field[int64](t, answer, "updated_at"); at <= savedAt {
			t.Errorf("%s: saved at %d, and before at %d", name, at, savedAt)
		} else {
			savedAt = at
		}
		at := "null"
		switch {
		case changed && draft != "null":
			draftAt = savedAt
			fallthrough
		case draft != "null":
			at = fmt.Sprint(draftAt)
		}
		effective, source, readAt := text, "builtin", revised
		if custom && draft != "null" {
			effective, source, readAt = draft, "custom", draftAt
		}
		for path, want := range map[string]string{
			policy:          fmt.Sprintf(`{"custom":%t,"content":%s,"custom_content":%s,"custom_updated_at":%s,"builtin_content":%s,"updated_at":%d}`, custom, effective, draft, at, text, savedAt),
			public:          fmt.Sprintf(`{"source":%q,"updated_at":%d,"content":%s}`, source, readAt, effective),
			"/public/terms": fmt.Sprintf(`{"data":[{"slug":"privacy-policy","source":%q,"updated_at":%d},{"slug":"sdk-compliance","source":"builtin"}]}`, source, readAt),
		} {
			got := s.Must(t, 200, "GET", path, "")
			if why := apitest.CompareJSON(t, got, want); why != "" {
				t.Errorf("%s: GET %s: %s", name, path, why)
			}
			if path == policy && got != answer {
				t.Errorf("%s: the answer is not what is stored:\n%.300s\n%.300s", name, answer, got)
			}
		}
	}
	save("on without a draft: never an empty document", `{"custom":true}`, "null", true, false)
	save("a draft, trimmed", `{"content":" \n# Ours\n "}`, `"# Ours"`, true, true)
	save("nothing", `{}`, `"# Ours"`, true, false)
	save("the same text", `{"content":"# Ours\n","custom":true}`, `"# Ours"`, true, false)
	save("off keeps the draft", `{"custom":false}`, `"# Ours"`, false, false)
	save("on: the moment of switching is no time of the text", `{"custom":true}`, `"# Ours"`, true, false)
	save("another text", `{"content":"Ours, {{ operator_name }}"}`, `"Ours, {{ operator_name }}"`, true, true)
	save("cleared", `{"content":""}`, "null", true, true)
	save("the text of before is a new one", `{"content":"Ours, {{ operator_name }}"}`, `"Ours, {{ operator_name }}"`, true, true)
	save("null clears, too", `{"content":null}`, "null", true, true)
	save("both at once", `{"content":"x","custom":false}`, `"x"`, false, true)
	save("unknown fields are dropped", `{"title":"y","builtin_content":"y","slug":"y"}`, `"x"`, false, false)
	save("the longest", fmt.Sprintf(`{"content":" %s"}`, strings.Repeat("语", 65536)), apitest.Quoted(strings.Repeat("语", 65536)), false, true)

	s.Must(t, 200, "PUT", policy, `{"custom":true}`)
	for _, name := range []string{"reset", "reset again"} {
		if why := apitest.CompareJSON(t, s.Must(t, 200, "DELETE", policy, ""), untouched(t)); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	if why := apitest.CompareJSON(t, s.Must(t, 200, "GET", public, ""), fields(t, builtin(t, terms.PrivacyPolicy, terms.English))); why != "" {
		t.Errorf("after the reset: %s", why)
	}
}

func TestDraftRules(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Must(t, 200, "PUT", policy, `{"content":"ours","custom":true}`)
	s.Refusals(t, policy, []apitest.Refusal{
		{"too long", "PUT", policy, fmt.Sprintf(`{"content":%q}`, strings.Repeat("x", 65537)), 400, "content must have at most 65536 characters"},
		{"no text", "PUT", policy, `{"content":5,"custom":false}`, 400, "content must be a string"},
		{"no switch", "PUT", policy, `{"content":"x","custom":"true"}`, 400, "custom must be true or false"},
		{"null", "PUT", policy, `{"content":"x","custom":null}`, 400, "custom must not be null"},
		{"no object", "PUT", policy, `[]`, 400, "must be a JSON object"},
		{"unknown and wrong", "PUT", documents + "/imprint", `{"custom":1}`, 400, "custom must be true or false"},
	})
}

// TestTermsLocale checks that titles, summaries and built-in texts depend on the locale, and that a
// draft is the same in every locale.
func TestTermsLocale(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	english, chinese := terms.Find(terms.PrivacyPolicy).In(terms.English), terms.Find(terms.PrivacyPolicy).In(terms.Chinese)
	inChinese := fields(t, map[string]any{"title": chinese.Title, "summary": chinese.Summary, "content": chinese.Content})
	message := `"locale_message":"The language \"tlh\" is not available, so the default text is shown."`
	s.Exchanges(t, []apitest.Exchange{
		{"English", "GET", public + "?locale=en-GB", "", 200, fmt.Sprintf(`{"title":%q}`, english.Title)},
		{"Chinese", "GET", public + "?locale=zh", "", 200, inChinese},
		{"Chinese of a country", "GET", public + "?locale=ZH_hans-CN", "", 200, inChinese},
		{"Chinese, in the list", "GET", "/public/terms?locale=zh-CN", "", 200, fmt.Sprintf(`{"data":[{"title":%q},{"title":%q}]}`, chinese.Title, terms.Find(terms.SDKCompliance).In(terms.Chinese).Title)},
		{"Chinese, administrator", "GET", policy + "?locale=zh-CN", "", 200, fields(t, map[string]any{"title": chinese.Title, "content": chinese.Content, "builtin_content": chinese.Content})},
		{"missing", "GET", public + "?locale=tlh", "", 200, fmt.Sprintf(`{"title":%q,%s}`, english.Title, message)},
		{"missing, in the list", "GET", "/public/terms?locale=tlh", "", 200, fmt.Sprintf(`{"data":[{"title":%q,%s},{%s}]}`, english.Title, message, message)},
		{"missing, administrator", "GET", policy + "?locale=tlh", "", 200, untouched(t)},
		{"draft", "PUT", policy, `{"custom":true,"content":"ours"}`, 200, `{"content":"ours"}`},
		{"draft, asked for in Chinese", "GET", public + "?locale=zh", "", 200, fmt.Sprintf(`{"source":"custom","content":"ours","title":%q}`, chinese.Title)},
		{"draft in a language that is missing", "GET", public + "?locale=tlh", "", 200, fmt.Sprintf(`{"source":"custom","content":"ours",%s}`, message)},
	})
}

// TestPlaceholderWords checks that a built-in text and the labels of its form are in the same
// language.
func TestPlaceholderWords(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for path, want := range map[string]string{policy: "Operator", policy + "?locale=zh-CN": "运营者名称"} {
		for _, p := range apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", path, ""), "placeholders") {
			if p["key"] == "operator_name" && p["label"] != want {
				t.Errorf("GET %s: got %v, want %s", path, p["label"], want)
			}
		}
	}
}

// TestTermsAreNoProject checks that the documents belong to the instance, and that API keys give no
// access to them.
func TestTermsAreNoProject(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Exchanges(t, []apitest.Exchange{
		{"reserved key", "POST", "/admin/projects", `{"project_key":"terms","name":"x"}`, 400, ``},
		{"no project", "GET", "/admin/projects/terms", "", 404, ``},
	})
	key := s.Key(t, `{"name":"k","never_expires":true,"scopes":["projects:read","projects:write"]}`)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		if status, answer, _ := s.Do(t, method, policy, key, ""); status != 401 {
			t.Errorf("%s with an API key: got %d %s, want 401", method, status, answer)
		}
	}
}
