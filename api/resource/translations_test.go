package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

// translated describes a record with translations. It holds the record's path for administrators,
// the request that writes the record, and the names of the two texts.
type translated struct {
	name, path, method string
	first, second      string
	firstMax           int
	secondMax          int // maximum length of the second text; 0 = no limit
}

// translatable returns a server with a project that has the given languages and a version. It also
// returns the records that can be translated.
func translatable(t *testing.T, languages ...string) (*apitest.Server, []translated) {
	t.Helper()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	for _, l := range languages {
		s.Must(t, 201, "POST", locales, l)
	}
	return s, []translated{
		{"project", "/admin/projects/app", "PATCH", "name", "description", 128, 1024},
		{"version", apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0"), "PATCH", "title", "content", 128, 0},
		{"version by its text", apitest.VersionsOf("app") + "/by-version/1.0", "PUT", "title", "content", 128, 0},
	}
}

// read returns the path from which the record can be read.
func (x translated) read() string {
	if x.name == "project" {
		return x.path
	}
	return apitest.VersionsOf("app")
}

// fill replaces 1 and 2 in list with the names of the two texts.
func (x translated) fill(list string) string {
	return strings.NewReplacer(`"1"`, apitest.Quoted(x.first), `"2"`, apitest.Quoted(x.second)).Replace(list)
}

func (x translated) send(list string) string { return `{"translations":` + x.fill(list) + `}` }

func TestWriteTranslations(t *testing.T) {
	t.Parallel()
	s, all := translatable(t, `{"locale":"de","aliases":["Deutsch","de-AT"]}`, `{"locale":"En (US)"}`, `{"locale":"fr"}`)
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) {
			longest := x.secondMax
			if longest == 0 {
				longest = 100_000
			}
			write := func(name, list, want string) apitest.Exchange {
				return apitest.Exchange{name, x.method, x.path, x.send(list), 200, x.send(want)}
			}
			s.Exchanges(t, []apitest.Exchange{
				write("none", `[]`, `[]`),
				write("both texts", `[{"locale":"de","1":"a","2":"b"}]`, `[{"locale":"de","1":"a","2":"b"}]`),
				write("one text, the other one is null", `[{"locale":"de","1":"a"}]`, `[{"locale":"de","1":"a","2":null}]`),
				write("the other text alone", `[{"locale":"de","1":null,"2":"b"}]`, `[{"locale":"de","1":null,"2":"b"}]`),
				write("texts are trimmed, blank is unset", `[{"locale":"de","1":" \t","2":"\n b "}]`, `[{"locale":"de","1":null,"2":"b"}]`),
				write("a synonym stands for the primary tag", `[{"locale":" DE_at ","1":"a"}]`, `[{"locale":"de","1":"a"}]`),
				write("the tag in another spelling", `[{"locale":"en_us","1":"a"}]`, `[{"locale":"En (US)","1":"a"}]`),
				write("in order of registration, whatever was sent", `[{"locale":"fr","1":"f"},{"locale":"en-US","1":"e"},{"locale":"Deutsch","1":"d"}]`,
					`[{"locale":"de","1":"d"},{"locale":"En (US)","1":"e"},{"locale":"fr","1":"f"}]`),
				{"kept when not sent", x.method, x.path, `{}`, 200, x.send(`[{"locale":"de","1":"d"},{"locale":"En (US)","1":"e"},{"locale":"fr","1":"f"}]`)},
				write("what is sent replaces the whole set", `[{"locale":"fr","2":"f"}]`, `[{"locale":"fr","1":null,"2":"f"}]`),
				write("unknown fields of an entry are ignored", `[{"locale":"fr","1":"f","is_hidden":true}]`, `[{"locale":"fr","1":"f"}]`),
				write("null removes all", `null`, `[]`),
				write("again", `[{"locale":"fr","1":"f"}]`, `[{"locale":"fr"}]`),
				write("an empty list removes all", `[]`, `[]`),
				write("the first text at its limit, counted after trimming", `[{"locale":"fr","1":" `+apitest.Long(x.firstMax)+` "}]`, `[{"locale":"fr","1":"`+apitest.Long(x.firstMax)+`"}]`),
				write("the second text at its limit", `[{"locale":"fr","2":" `+apitest.Long(longest)+` "}]`, `[{"locale":"fr","2":"`+apitest.Long(longest)+`"}]`),
			})
		})
	}
}

func TestWriteTranslationsRefused(t *testing.T) {
	t.Parallel()
	s, all := translatable(t, `{"locale":"de","aliases":["Deutsch"]}`, `{"locale":"fr"}`)
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) {
			s.Must(t, 200, x.method, x.path, x.send(`[{"locale":"de","1":"a"}]`))
			other := `"name":"other"`
			if x.name != "project" {
				other = `"content":"other"`
			}
			var rows []apitest.Refusal
			for _, bad := range []struct{ name, list, message string }{
				{"a language nobody registered", `[{"locale":"fr","1":"f"},{"locale":"it","1":"i"}]`, `translations: "it" is not a registered language of the project`},
				{"a region of a language", `[{"locale":"de-CH","1":"a"}]`, `"de-CH" is not a registered language`},
				{"two entries by the same tag", `[{"locale":"de","1":"a"},{"locale":"DE","2":"b"}]`, `translations: two entries for language "de"`},
				{"two entries by tag and synonym", `[{"locale":"de","1":"a"},{"locale":"deutsch","2":"b"}]`, `translations: two entries for language "de"`},
				{"an entry that sets nothing", `[{"locale":"de"}]`, x.fill(`translations[0] must set ` + x.first + ` or ` + x.second)},
				{"an entry with nulls", `[{"locale":"fr","1":"f"},{"locale":"de","1":null,"2":null}]`, `translations[1] must set ` + x.first},
				{"an entry with blanks", `[{"locale":"de","1":" ","2":"\n"}]`, `translations[0] must set ` + x.first},
				{"no locale", `[{"1":"a"}]`, `translations[0].locale is required`},
				{"a null locale", `[{"locale":null,"1":"a"}]`, `translations[0].locale is required`},
				{"a locale that is no text", `[{"locale":5,"1":"a"}]`, `translations[0].locale must be a string`},
				{"a blank locale", `[{"locale":" ","1":"a"}]`, `translations[0].locale must have 1 to 35 characters`},
				{"a locale of 36 characters", `[{"locale":"` + apitest.Long(36) + `","1":"a"}]`, `translations[0].locale must have 1 to 35 characters`},
				{"a locale with a slash", `[{"locale":"a/b","1":"a"}]`, `translations[0].locale must have 1 to 35 characters, without control characters, / and \`},
				{"a locale with a backslash", `[{"locale":"a\\b","1":"a"}]`, `translations[0].locale must have`},
				{"a locale with a control character", `[{"locale":"a\u0001b","1":"a"}]`, `translations[0].locale must have`},
				{"the first text above its limit", `[{"locale":"de","1":"` + apitest.Long(x.firstMax+1) + `"}]`, fmt.Sprintf(`translations[0].%s must have at most %d characters`, x.first, x.firstMax)},
				{"a first text that is no text", `[{"locale":"de","1":5}]`, `translations[0].` + x.first + ` must be a string`},
				{"a second text that is no text", `[{"locale":"de","2":{}}]`, `translations[0].` + x.second + ` must be a string`},
				{"an entry that is a text", `["de"]`, `translations[0] must be an object`},
				{"an entry that is null", `[null]`, `translations[0] must be an object`},
				{"no list", `{"locale":"de","1":"a"}`, `translations must be a list`},
				{"a text for a list", `"de"`, `translations must be a list`},
			} {
				rows = append(rows, apitest.Refusal{bad.name, x.method, x.path, `{` + other + `,"translations":` + x.fill(bad.list) + `}`, 400, bad.message})
			}
			if x.secondMax > 0 {
				rows = append(rows, apitest.Refusal{"the second text above its limit", x.method, x.path, x.send(`[{"locale":"de","2":"` + apitest.Long(x.secondMax+1) + `"}]`), 400,
					fmt.Sprintf(`translations[0].%s must have at most %d characters`, x.second, x.secondMax)})
			}
			s.Refusals(t, x.read(), rows)
		})
	}
}

func TestMostTranslations(t *testing.T) {
	t.Parallel()
	var languages, entries []string
	for i := range 33 {
		languages = append(languages, fmt.Sprintf(`{"locale":"l%d"}`, i))
		entries = append(entries, fmt.Sprintf(`{"locale":"l%d","1":"text"}`, i))
	}
	s, all := translatable(t, languages...)
	most, tooMany := `[`+strings.Join(entries[:32], ",")+`]`, `[`+strings.Join(entries, ",")+`]`
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) {
			s.Exchanges(t, []apitest.Exchange{{"32 entries", x.method, x.path, x.send(most), 200, x.send(most)}})
			s.Refusals(t, x.read(), []apitest.Refusal{{"33 entries", x.method, x.path, x.send(tooMany), 400, "translations must have at most 32 entries"}})
		})
	}
}

// TestTranslationsOutliveTheirLanguage checks that translations remain stored when their language
// is removed, and reappear when it is registered again.
func TestTranslationsOutliveTheirLanguage(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"project", "version", "version by its text"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, all := translatable(t, `{"locale":"De_CH","aliases":["x"]}`, `{"locale":"fr"}`)
			x := all[i]
			s.Exchanges(t, []apitest.Exchange{
				{"two languages", x.method, x.path, x.send(`[{"locale":"de-ch","1":"d"},{"locale":"fr","1":"f"}]`), 200, ``},
				{"one of them ends", "DELETE", locales + "/x", ``, 200, ``},
				{"it is not listed", x.method, x.path, `{}`, 200, x.send(`[{"locale":"fr","1":"f"}]`)},
				{"another text for the other", x.method, x.path, x.send(`[{"locale":"fr","1":"g"}]`), 200, x.send(`[{"locale":"fr","1":"g"}]`)},
				{"an empty list", x.method, x.path, x.send(`[]`), 200, x.send(`[]`)},
				{"null", x.method, x.path, x.send(`null`), 200, x.send(`[]`)},
				{"it cannot be written now", x.method, x.path, x.send(`[{"locale":"de-ch","1":"z"}]`), 400, ``},
				{"its tag is registered again, in another spelling", "POST", locales, `{"locale":"DE (ch)"}`, 201, ``},
				{"its text is back", x.method, x.path, `{}`, 200, x.send(`[{"locale":"DE (ch)","1":"d","2":null}]`)},
				{"its former synonym is not", "PATCH", locales + "/x", `{}`, 404, ``},
				{"now it can be removed", x.method, x.path, x.send(`[]`), 200, x.send(`[]`)},
				{"it ends and returns", "DELETE", locales + "/de-ch", ``, 200, ``},
				{"without a text", "POST", locales, `{"locale":"de-ch"}`, 201, ``},
				{"what was removed stays away", x.method, x.path, `{}`, 200, x.send(`[]`)},
			})
		})
	}
}

// TestCreateVersionWithTranslations checks that a version can be created together with its
// translations.
func TestCreateVersionWithTranslations(t *testing.T) {
	t.Parallel()
	s, _ := translatable(t, `{"locale":"de","aliases":["x"]}`)
	const list = `"translations":[{"locale":"X","title":" t ","content":""}]`
	const want = `{"translations":[{"locale":"de","title":"t","content":null}]}`
	s.Exchanges(t, []apitest.Exchange{
		{"POST", "POST", apitest.VersionsOf("app"), `{"version":"2.0","comparable_version":"2.0",` + list + `}`, 201, want},
		{"PUT", "PUT", apitest.VersionsOf("app") + "/by-version/3.0", `{` + list + `}`, 201, want},
		{"null is the same as not sent", "PUT", apitest.VersionsOf("app") + "/by-version/4.0", `{"translations":null}`, 201, `{"translations":[]}`},
	})
	s.Refusals(t, apitest.VersionsOf("app"), []apitest.Refusal{
		{"POST in a language nobody registered", "POST", apitest.VersionsOf("app"), `{"version":"5.0","comparable_version":"5.0","translations":[{"locale":"it","title":"t"}]}`, 400, `"it" is not a registered language`},
		{"PUT in a language nobody registered", "PUT", apitest.VersionsOf("app") + "/by-version/5.0", `{"translations":[{"locale":"it","title":"t"}]}`, 400, `"it" is not a registered language`},
	})
}
