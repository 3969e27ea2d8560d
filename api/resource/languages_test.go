package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

const locales = "/admin/projects/app/locales"

func TestRegisterLanguage(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Exchanges(t, []apitest.Exchange{
		{"none at first", "GET", locales, "", 200, `{"data":[]}`},
		{"a tag alone", "POST", locales, `{"locale":"pt"}`, 201, `{"locale":"pt","aliases":[],"label":null}`},
		{"trimmed, and kept as written", "POST", locales, `{"locale":" En_us ","aliases":[" en ","EN (GB)"],"label":" English "}`, 201, `{"locale":"En_us","aliases":["en","EN (GB)"],"label":"English"}`},
		{"null is the same as not sent", "POST", locales, `{"locale":"fr","aliases":null,"label":null}`, 201, `{"locale":"fr","aliases":[],"label":null}`},
		{"a blank label is none", "POST", locales, `{"locale":"ja","label":" "}`, 201, `{"label":null}`},
		{"synonyms equal to the tag or an earlier one are dropped", "POST", locales,
			`{"locale":"zh-Hans","aliases":["ZH_hans","zh","zh-CN","Zh","zh(cn)","zh(Hans)","中文"]}`, 201, `{"aliases":["zh","zh-CN","中文"]}`},
		{"a region is another language", "POST", locales, `{"locale":"pt-BR"}`, 201, `{"locale":"pt-BR"}`},
		{"any name is a tag", "POST", locales, `{"locale":"Klingon, old"}`, 201, `{"locale":"Klingon, old"}`},
		{"unknown fields are ignored", "POST", locales, `{"locale":"it","created_at":1,"translations":[]}`, 201, `{"locale":"it"}`},
		{"oldest first, not paged", "GET", locales + "?limit=1&offset=2", "", 200,
			`{"data":[{"locale":"pt"},{"locale":"En_us"},{"locale":"fr"},{"locale":"ja"},{"locale":"zh-Hans"},{"locale":"pt-BR"},{"locale":"Klingon, old"},{"locale":"it"}]}`},
		{"of a project nobody has", "GET", "/admin/projects/none/locales", "", 404, `{"message":"project \"none\" not found"}`},
		{"for a project nobody has", "POST", "/admin/projects/none/locales", `{"locale":"de"}`, 404, `{"message":"project \"none\" not found"}`},
	})
	if strings.Contains(s.Must(t, 200, "GET", locales, ""), `"created_at":1,`) {
		t.Error("created_at came from the body")
	}
}

func TestLanguageLimits(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de","aliases":["de-AT"],"label":"l"}`)
	s.Must(t, 201, "POST", locales, `{"locale":"fr"}`)
	var synonyms []string
	for i := range 17 {
		synonyms = append(synonyms, fmt.Sprintf(`"s%d"`, i))
	}
	most, tooMany := strings.Join(synonyms[:16], ","), strings.Join(synonyms, ",")
	type broken struct{ name, body, message string }
	both := []broken{
		{"a tag of 36 characters", `{"locale":"` + apitest.Long(36) + `"}`, "locale must have 1 to 35 characters"},
		{"a blank tag", `{"locale":" "}`, "locale must have 1 to 35 characters"},
		{"a slash", `{"locale":"a/b"}`, "locale must have 1 to 35 characters, without control characters, / and \\"},
		{"a backslash", `{"locale":"a\\b"}`, "locale must have 1 to 35 characters, without control characters, / and \\"},
		{"a control character", `{"locale":"a\u0007b"}`, "locale must have 1 to 35 characters, without control characters"},
		{"a tag that is a number", `{"locale":5}`, "locale must be a string"},
		{"17 synonyms", `{"locale":"it","aliases":[` + tooMany + `]}`, "aliases must have at most 16 entries"},
		{"synonyms that are no list", `{"locale":"it","aliases":"x"}`, "aliases must be a list"},
		{"a synonym of 36 characters", `{"locale":"it","aliases":["ok","` + apitest.Long(36) + `"]}`, "aliases[1] must have at most 35 characters"},
		{"a blank synonym", `{"locale":"it","aliases":[" "]}`, "aliases[0] must have 1 to 35 characters"},
		{"a synonym with a slash", `{"locale":"it","aliases":["a/b"]}`, "aliases[0] must have 1 to 35 characters"},
		{"a synonym with a control character", `{"locale":"it","aliases":["a\u0000b"]}`, "aliases[0] must have 1 to 35 characters"},
		{"a synonym that is null", `{"locale":"it","aliases":[null]}`, "aliases[0] must be a string"},
		{"a synonym that is a number", `{"locale":"it","aliases":[5]}`, "aliases[0] must be a string"},
		{"a label of 65 characters", `{"locale":"it","label":"` + apitest.Long(65) + `"}`, "label must have at most 64 characters"},
		{"a label that is a flag", `{"locale":"it","label":true}`, "label must be a string"},
		{"a synonym that is another language", `{"locale":"it","aliases":["FR"]}`, `aliases: "FR" belongs to language "fr"`},
	}
	var rows []apitest.Refusal
	for _, b := range both {
		rows = append(rows,
			apitest.Refusal{"registration: " + b.name, "POST", locales, b.body, 400, b.message},
			apitest.Refusal{"change: " + b.name, "PATCH", locales + "/de", b.body, 400, b.message})
	}
	rows = append(rows,
		apitest.Refusal{"registration without a tag", "POST", locales, `{"label":"l"}`, 400, "locale is required"},
		apitest.Refusal{"registration with a null tag", "POST", locales, `{"locale":null}`, 400, "locale is required"},
		apitest.Refusal{"registration with a synonym of another language", "POST", locales, `{"locale":"it","aliases":["DE_at"]}`, 400, `aliases: "DE_at" belongs to language "de"`},
		apitest.Refusal{"change with a null tag", "PATCH", locales + "/de", `{"locale":null}`, 400, "locale must not be null"},
		apitest.Refusal{"change to the tag of another language", "PATCH", locales + "/de", `{"locale":"FR"}`, 400, `locale "FR" belongs to language "fr"`},
		apitest.Refusal{"change to a synonym of another language", "PATCH", locales + "/fr", `{"locale":"De-aT"}`, 400, `locale "De-aT" belongs to language "de"`},
		apitest.Refusal{"change with a synonym of another language", "PATCH", locales + "/fr", `{"aliases":["x","de-at"]}`, 400, `aliases: "de-at" belongs to language "de"`},
		apitest.Refusal{"change of a language nobody registered", "PATCH", locales + "/it", `{"label":"l"}`, 404, `no language "it"`},
		apitest.Refusal{"change of a language in a project nobody has", "PATCH", "/admin/projects/none/locales/de", `{}`, 404, `project "none" not found`},
		apitest.Refusal{"end of a language nobody registered", "DELETE", locales + "/it", ``, 404, `no language "it"`},
		apitest.Refusal{"end of a language in a project nobody has", "DELETE", "/admin/projects/none/locales/de", ``, 404, `project "none" not found`},
	)
	s.Refusals(t, locales, rows)
	longest := apitest.Long(35)
	s.Exchanges(t, []apitest.Exchange{
		{"all at their limits, counted in characters", "POST", locales, `{"locale":" ` + longest + ` ","label":" ` + apitest.Long(64) + ` ","aliases":[` + most + `]}`, 201,
			`{"locale":"` + longest + `","label":"` + apitest.Long(64) + `","aliases":[` + most + `]}`},
		{"a synonym at its limit", "PATCH", locales + "/de", `{"aliases":[" й` + apitest.Long(34) + ` "]}`, 200, `{"aliases":["й` + apitest.Long(34) + `"]}`},
	})
}

func TestRegisterAgain(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de","aliases":["deu","ger"],"label":"Deutsch"}`)
	s.Must(t, 201, "POST", locales, `{"locale":"fr"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"by its tag in another spelling: the tag stays, what is not sent is kept", "POST", locales, `{"locale":"DE"}`, 201, `{"locale":"de","aliases":["deu","ger"],"label":"Deutsch"}`},
		{"by a synonym: the label is replaced", "POST", locales, `{"locale":"Ger","label":"German"}`, 201, `{"locale":"de","aliases":["deu","ger"],"label":"German"}`},
		{"by a synonym that the new list does not have", "POST", locales, `{"locale":"deu","aliases":["ger","x"]}`, 201, `{"locale":"de","aliases":["ger","x"],"label":"German"}`},
		{"a dropped synonym is free", "POST", locales, `{"locale":"deu"}`, 201, `{"locale":"deu","aliases":[]}`},
		{"an empty list drops all synonyms", "POST", locales, `{"locale":"de","aliases":[]}`, 201, `{"locale":"de","aliases":[]}`},
		{"a blank label is cleared", "POST", locales, `{"locale":"de","label":""}`, 201, `{"label":null}`},
		{"its place in the list is the old one", "GET", locales, "", 200, `{"data":[{"locale":"de"},{"locale":"fr"},{"locale":"deu"}]}`},
	})
	s.Refusals(t, locales, []apitest.Refusal{
		{"a synonym of another language", "POST", locales, `{"locale":"de","label":"l","aliases":["fr"]}`, 400, `aliases: "fr" belongs to language "fr"`},
	})
}

func TestUpdateLanguage(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de","aliases":["deu","de-AT"],"label":"Deutsch"}`)
	s.Must(t, 201, "POST", locales, `{"locale":"fr"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"nothing sent, nothing changed", "PATCH", locales + "/de", ``, 200, `{"locale":"de","aliases":["deu","de-AT"],"label":"Deutsch"}`},
		{"found by its tag in another spelling", "PATCH", locales + "/%20DE%20", `{"label":"l1"}`, 200, `{"locale":"de","label":"l1"}`},
		{"found by a synonym in another spelling", "PATCH", locales + "/de%28at%29", `{"label":"l2"}`, 200, `{"locale":"de","aliases":["deu","de-AT"],"label":"l2"}`},
		{"null clears the label", "PATCH", locales + "/de", `{"label":null}`, 200, `{"aliases":["deu","de-AT"],"label":null}`},
		{"the tag in another spelling", "PATCH", locales + "/de", `{"locale":" DE "}`, 200, `{"locale":"DE","aliases":["deu","de-AT"]}`},
		{"another tag drops the synonym that is equal to it", "PATCH", locales + "/de", `{"locale":"DE_at"}`, 200, `{"locale":"DE_at","aliases":["deu"]}`},
		{"the former tag is no synonym", "PATCH", locales + "/de", `{}`, 404, ``},
		{"tag and synonyms at once", "PATCH", locales + "/deu", `{"locale":"de","aliases":["DE","x"]}`, 200, `{"locale":"de","aliases":["x"]}`},
		{"null empties the list", "PATCH", locales + "/de", `{"aliases":null}`, 200, `{"aliases":[]}`},
		{"a synonym may be given to another language once it is free", "PATCH", locales + "/fr", `{"aliases":["deu","x"]}`, 200, `{"aliases":["deu","x"]}`},
		{"the order of registration stays", "GET", locales, "", 200, `{"data":[{"locale":"de"},{"locale":"fr"}]}`},
		{"end of a language by a synonym", "DELETE", locales + "/X", "", 200, `{"success":true}`},
		{"it is gone with its synonyms", "GET", locales, "", 200, `{"data":[{"locale":"de"}]}`},
		{"a second time", "DELETE", locales + "/fr", "", 404, ``},
		{"registered again it is the youngest", "POST", locales, `{"locale":"a"}`, 201, ``},
		{"and so in the list", "GET", locales, "", 200, `{"data":[{"locale":"de"},{"locale":"a"}]}`},
		{"a tag with a blank is encoded in the path", "POST", locales, `{"locale":"Old Norse%"}`, 201, ``},
		{"and decoded once", "PATCH", locales + "/old%20norse%25", `{"label":"l"}`, 200, `{"locale":"Old Norse%","label":"l"}`},
	})
}

// TestTagMovesTranslations checks that changing the primary tag of a language does not lose the
// translations that are stored under the old tag.
func TestTagMovesTranslations(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0", "2.0", "3.0")
	s.Must(t, 201, "POST", locales, `{"locale":"de","aliases":["x"]}`)
	s.Must(t, 201, "POST", locales, `{"locale":"fr"}`)
	const app = "/admin/projects/app"
	version := func(text string) string { return apitest.VersionsOf("app") + "/by-version/" + text }
	s.Exchanges(t, []apitest.Exchange{
		{"texts of the project", "PATCH", app, `{"translations":[{"locale":"de","name":"n-de"},{"locale":"fr","name":"n-fr"}]}`, 200, ``},
		{"texts of a version", "PUT", version("1.0"), `{"translations":[{"locale":"de","title":"t-de"},{"locale":"fr","title":"t-fr"}]}`, 200, ``},
		{"one text in the other language only", "PUT", version("2.0"), `{"translations":[{"locale":"fr","title":"t-fr"}]}`, 200, ``},
		{"another tag", "PATCH", locales + "/de", `{"locale":"gsw"}`, 200, `{"locale":"gsw","aliases":["x"]}`},
		{"the project's went along", "GET", app, "", 200, `{"translations":[{"locale":"gsw","name":"n-de"},{"locale":"fr","name":"n-fr"}]}`},
		{"the versions' went along", "GET", apitest.VersionsOf("app"), "", 200,
			`{"data":[{"translations":[]},{"translations":[{"locale":"fr","title":"t-fr"}]},{"translations":[{"locale":"gsw","title":"t-de"},{"locale":"fr","title":"t-fr"}]}]}`},
		{"the public sees the new tag", "GET", "/public/app?locale=gsw", "", 200, `{"name":"n-de","locale":"gsw"}`},
		{"and no longer the old one", "GET", "/public/app?locale=de", "", 200, `{"name":"app","locale":null}`},
		{"in versions, too", "GET", "/public/app/versions/by-version/1.0?locale=x", "", 200, `{"title":"t-de","locale":"gsw"}`},
		{"a tag that differs only in spelling moves nothing", "PATCH", locales + "/gsw", `{"locale":"GSW"}`, 200, ``},
		{"all is there", "GET", app, "", 200, `{"translations":[{"locale":"GSW","name":"n-de"},{"locale":"fr","name":"n-fr"}]}`},
		{"to a synonym of its own", "PATCH", locales + "/gsw", `{"locale":"x"}`, 200, `{"locale":"x","aliases":[]}`},
		{"the project's went there", "GET", app, "", 200, `{"translations":[{"locale":"x","name":"n-de"},{"locale":"fr","name":"n-fr"}]}`},
		{"the other language ends", "DELETE", locales + "/fr", "", 200, ``},
	})
	s.Exchanges(t, []apitest.Exchange{
		{"one in which only the project is translated", "POST", locales, `{"locale":"it"}`, 201, ``},
		{"as said", "PATCH", app, `{"translations":[{"locale":"x","name":"n-de"},{"locale":"it","name":"n-it"}]}`, 200, ``},
		{"ends, too", "DELETE", locales + "/it", "", 200, ``},
		{"the first returns", "POST", locales, `{"locale":"fr"}`, 201, ``},
		{"loses the text of the project", "PATCH", app, `{"translations":[{"locale":"x","name":"n-de"}]}`, 200, ``},
		{"and ends again", "DELETE", locales + "/fr", "", 200, ``},
	})
	const occupied = "translations of an unregistered language are stored under locale"
	s.Refusals(t, app, []apitest.Refusal{
		{"to a tag under which a text of the project is kept", "PATCH", locales + "/x", `{"locale":"IT","label":"l"}`, 409, occupied},
		{"to a tag under which texts of versions are kept", "PATCH", locales + "/x", `{"locale":"fr"}`, 409, occupied},
	})
	s.Exchanges(t, []apitest.Exchange{
		{"a refused move left the language", "GET", locales, "", 200, `{"data":[{"locale":"x","label":null}]}`},
		{"and its texts", "GET", app, "", 200, `{"translations":[{"locale":"x","name":"n-de"}]}`},
		{"what was in the way returns with its language", "POST", locales, `{"locale":"fr"}`, 201, ``},
		{"in the versions", "GET", apitest.VersionsOf("app"), "", 200,
			`{"data":[{"translations":[]},{"translations":[{"locale":"fr","title":"t-fr"}]},{"translations":[{"locale":"x","title":"t-de"},{"locale":"fr","title":"t-fr"}]}]}`},
	})
}
