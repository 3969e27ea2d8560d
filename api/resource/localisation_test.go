package resource_test

import (
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
)

// localised returns a server with a project that has four languages. There are German translations
// of all texts, French ones only of the first texts, Japanese ones only of the second texts, and no
// Italian ones.
func localised(t *testing.T) *apitest.Server {
	t.Helper()
	s, all := translatable(t, `{"locale":"de-DE","aliases":["Deutsch","de"]}`, `{"locale":"fr"}`, `{"locale":"ja (JP)"}`, `{"locale":"it"}`)
	s.Must(t, 200, "PATCH", "/admin/projects/app", `{"name":"name","description":"description"}`)
	s.Must(t, 200, "PUT", apitest.VersionsOf("app")+"/by-version/1.0", `{"title":"title","content":"content"}`)
	for _, x := range all {
		s.Must(t, 200, x.method, x.path, x.send(`[{"locale":"de","1":"eins","2":"zwei"},{"locale":"fr","1":"un"},{"locale":"ja-jp","2":"ni"}]`))
	}
	return s
}

func TestLocalePreference(t *testing.T) {
	t.Parallel()
	s := localised(t)
	message := func(shown string) string {
		return apitest.Quoted(`The language "` + shown + `" is not available, so the default text is shown.`)
	}
	for _, tc := range []struct {
		name, preference     string
		first, second        string // expected texts; "" means the default text
		locale, localMessage string // JSON; "" = no message
	}{
		{"blank: default texts, no message", " ", "", "", `null`, ``},
		{"the primary tag: both texts", "de-DE", "eins", "zwei", `"de-DE"`, ``},
		{"another spelling of the tag", " DE (de)", "eins", "zwei", `"de-DE"`, ``},
		{"a synonym", "DEUTSCH", "eins", "zwei", `"de-DE"`, ``},
		{"another synonym", "de", "eins", "zwei", `"de-DE"`, ``},
		{"fallback is per field: only the first text", "fr", "un", "", `"fr"`, ``},
		{"fallback is per field: only the second text", "ja_JP", "", "ni", `"ja (JP)"`, ``},
		{"a language without texts here: default texts, no message", "it", "", "", `null`, ``},
		{"a region does not fall back to its language", "fr-CA", "", "", `null`, message("fr-CA")},
		{"a language does not stand for its regions", "ja", "", "", `null`, message("ja")},
		{"unknown", "xx", "", "", `null`, message("xx")},
		{"trimmed in the message", " xx ", "", "", `null`, message("xx")},
		{"any length is no error", apitest.Long(5000), "", "", `null`, message(apitest.Long(64) + "…")},
		{"any characters are no error", "a/b\\\x00\n\"<>", "", "", `null`, message("a/b\\\uFFFD\uFFFD\"<>")},
		{"separators alone", "()", "", "", `null`, message("()")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			shows := func(first, second string) string {
				text := func(translated, other string) string {
					if translated == "" {
						return apitest.Quoted(other)
					}
					return apitest.Quoted(translated)
				}
				want := `{"` + first + `":` + text(tc.first, first) + `,"` + second + `":` + text(tc.second, second) + `,"locale":` + tc.locale
				if tc.localMessage != "" {
					want += `,"locale_message":` + tc.localMessage
				}
				return want + `}`
			}
			query := "?locale=" + url.QueryEscape(tc.preference)
			version := shows("title", "content")
			for _, x := range []apitest.Exchange{
				{"project", "GET", "/public/app" + query, "", 200, shows("name", "description")},
				{"list", "GET", "/public/app/versions" + query, "", 200, `{"data":[` + version + `]}`},
				{"latest", "GET", "/public/app/versions/latest" + query, "", 200, version},
				{"by version", "GET", "/public/app/versions/by-version/1.0" + query, "", 200, version},
				{"update check", "POST", "/public/app/versions/check-update", `{"current_comparable_version":"0.9","locale":` + apitest.Quoted(tc.preference) + `}`, 200,
					`{"latest_version":` + version + `,"target_version":` + version + `,"latest_preview_version":null}`},
			} {
				status, answer := s.Ask(t, x.Method, x.Path, x.Body)
				if status != 200 {
					t.Fatalf("%s: got %d %s, want 200", x.Name, status, answer)
				}
				if why := apitest.CompareJSON(t, answer, x.Want); why != "" {
					t.Errorf("%s: %s\ngot  %s\nwant %s", x.Name, why, answer, x.Want)
				}
				if strings.Contains(answer, `"translations"`) || tc.localMessage == "" && strings.Contains(answer, "locale_message") {
					t.Errorf("%s: translations or a message that must not be there: %s", x.Name, answer)
				}
			}
		})
	}
}

// TestLocaleOfEachObject checks that each object in a response has its own locale.
func TestLocaleOfEachObject(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de"}`)
	s.Publish(t, "app", "1.0", "1.5 milestone", "2.0", "3.0-rc preview")
	for _, text := range []string{"1.5", "3.0-rc"} {
		s.Must(t, 200, "PUT", apitest.VersionsOf("app")+"/by-version/"+text, `{"title":"title","translations":[{"locale":"de","title":"Titel"}]}`)
	}
	const check = "/public/app/versions/check-update"
	s.Exchanges(t, []apitest.Exchange{
		{"no preference: default texts", "GET", "/public/app/versions", "", 200,
			`{"data":[{"title":"title","locale":null},{"locale":null},{"title":"title","locale":null},{"locale":null}]}`},
		{"locale only where a text was translated", "GET", "/public/app/versions?locale=de", "", 200,
			`{"data":[{"title":"Titel","locale":"de"},{"title":null,"locale":null},{"title":"Titel","locale":"de"},{"title":null,"locale":null}]}`},
		{"an unknown language is told of in each", "GET", "/public/app/versions?locale=xx&limit=2", "", 200,
			`{"total":4,"data":[{"title":"title","locale":null,"locale_message":"The language \"xx\" is not available, so the default text is shown."},
			{"title":null,"locale_message":"The language \"xx\" is not available, so the default text is shown."}]}`},
		{"the latest preview", "GET", "/public/app/versions/latest-preview?locale=de", "", 200, `{"version":"3.0-rc","title":"Titel","locale":"de"}`},
		{"each of the three versions of a check", "POST", check, `{"current_version":"1.0","locale":"de"}`, 200,
			`{"latest_version":{"version":"2.0","locale":null},"latest_preview_version":{"title":"Titel","locale":"de"},"target_version":{"version":"1.5","title":"Titel","locale":"de"}}`},
		{"all three have the message", "POST", check, `{"current_version":"1.0","locale":"xx"}`, 200,
			`{"latest_version":{"locale":null,"locale_message":"The language \"xx\" is not available, so the default text is shown."},
			"latest_preview_version":{"title":"title","locale_message":"The language \"xx\" is not available, so the default text is shown."},
			"target_version":{"title":"title","locale_message":"The language \"xx\" is not available, so the default text is shown."}}`},
		{"null is no preference", "POST", check, `{"current_version":"1.0","locale":null}`, 200, `{"target_version":{"title":"title","locale":null}}`},
		{"the query has no say in a check", "POST", check + "?locale=de", `{"current_version":"1.0"}`, 200, `{"target_version":{"title":"title","locale":null}}`},
		{"a preference must be a text", "POST", check, `{"current_version":"1.0","locale":5}`, 400, `{"message":["locale must be a string"]}`},
		{"an error is an error in every language", "GET", "/public/app/versions/by-version/9?locale=xx", "", 404, ``},
	})
	for _, path := range []string{"/admin/projects/app", apitest.VersionsOf("app")} {
		answer := s.Must(t, 200, "GET", path+"?locale=de", "")
		if strings.Contains(answer, `"locale_message"`) || strings.Contains(answer, `"title":"Titel","content":null,"locale":"de"`) || !strings.Contains(answer, `"locale":null`) {
			t.Errorf("administrators see the default texts: %s", answer)
		}
	}
}

// TestLocaleChangesAtOnce checks that a change of the languages also applies to responses that have
// already been cached.
func TestLocaleChangesAtOnce(t *testing.T) {
	t.Parallel()
	s := localised(t)
	const project, version = "/public/app?locale=", "/public/app/versions/latest?locale="
	s.Exchanges(t, []apitest.Exchange{
		{"asked before", "GET", project + "fr", "", 200, `{"name":"un"}`},
		{"asked before of a version", "GET", version + "fr", "", 200, `{"title":"un"}`},
		{"the synonym is not known", "GET", project + "francais", "", 200, `{"name":"name","locale_message":"The language \"francais\" is not available, so the default text is shown."}`},
		{"another tag", "PATCH", locales + "/fr", `{"locale":"fr-FR","aliases":["francais"]}`, 200, ``},
		{"the synonym works", "GET", project + "francais", "", 200, `{"name":"un","locale":"fr-FR"}`},
		{"in versions, too", "GET", version + "francais", "", 200, `{"title":"un","locale":"fr-FR"}`},
		{"the old tag is unknown", "GET", version + "fr", "", 200, `{"title":"title","locale":null,"locale_message":"The language \"fr\" is not available, so the default text is shown."}`},
		{"an earlier language ends", "DELETE", locales + "/de", ``, 200, ``},
		{"those after it keep their texts", "GET", version + "ja-jp", "", 200, `{"content":"ni","locale":"ja (JP)"}`},
		{"in the project, too", "GET", project + "francais", "", 200, `{"name":"un","locale":"fr-FR"}`},
		{"the one that ended is unknown", "GET", project + "de", "", 200, `{"name":"name","locale":null,"locale_message":"The language \"de\" is not available, so the default text is shown."}`},
		{"another translation", "PUT", apitest.VersionsOf("app") + "/by-version/1.0", `{"translations":[{"locale":"it","title":"uno"}]}`, 200, ``},
		{"is shown", "GET", version + "it", "", 200, `{"title":"uno","content":"content","locale":"it"}`},
		{"the replaced ones are not", "GET", version + "fr-fr", "", 200, `{"title":"title","locale":null}`},
		{"the old tag returns", "POST", locales, `{"locale":"de-de"}`, 201, ``},
		{"with its texts, under the new spelling", "GET", project + "de_DE", "", 200, `{"name":"eins","description":"zwei","locale":"de-de"}`},
		{"in versions, too", "GET", version + "de_DE", "", 200, `{"title":"eins","content":"zwei","locale":"de-de"}`},
	})
}

// TestTagKeys checks that tags with equal keys count as the same tag, both when a language is
// registered and in every path.
func TestTagKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tag   string
		equal []string
		other []string
	}{
		{"en-US", []string{"en_US", "en(US)", "EN (us)", " en--us ", "-en-US-", "en - _ us", "((en us))"}, []string{"en", "enUS", "en us", "en-US-x"}},
		{"中文", []string{" 中文 "}, []string{"中-文", "zh"}},
		{"two words", []string{"TWO WORDS"}, []string{"two-words", "two  words"}},
		{"_", []string{" _ "}, []string{"-", "__", "()"}},
	} {
		t.Run(tc.tag, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t)
			s.Project(t, "app")
			s.Must(t, 201, "POST", locales, `{"locale":`+apitest.Quoted(tc.tag)+`}`)
			s.Must(t, 200, "PATCH", "/admin/projects/app", `{"translations":[{"locale":`+apitest.Quoted(tc.tag)+`,"name":"translated"}]}`)
			for _, tag := range tc.equal {
				if why := apitest.CompareJSON(t, s.Must(t, 200, "GET", "/public/app?locale="+url.QueryEscape(tag), ""), `{"name":"translated","locale":`+apitest.Quoted(tc.tag)+`}`); why != "" {
					t.Errorf("%q is %q: %s", tag, tc.tag, why)
				}
				s.Must(t, 200, "PATCH", locales+"/"+url.PathEscape(tag), `{}`)
			}
			for _, tag := range tc.other {
				if why := apitest.CompareJSON(t, s.Must(t, 200, "GET", "/public/app?locale="+url.QueryEscape(tag), ""), `{"name":"app","locale":null}`); why != "" {
					t.Errorf("%q is not %q: %s", tag, tc.tag, why)
				}
				s.Must(t, 404, "PATCH", locales+"/"+url.PathEscape(tag), `{}`)
			}
		})
	}
}
