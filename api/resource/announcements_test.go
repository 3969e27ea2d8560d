package resource_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

func TestAnnouncement(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"fr"}`)
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"pt-BR","aliases":["pt"]}`)
	list := apitest.AnnouncementsOf("app")

	before := s.Clock.Now().Unix()
	answer := s.Must(t, 201, "POST", list, `{"title":" T ","content":"\n**c**"}`)
	after := s.Clock.Now().Unix()
	for _, name := range []string{"created_at", "updated_at", "published_at"} {
		if got := apitest.Field[int64](t, answer, name); got < before || got > after {
			t.Errorf("%s of a new announcement: got %d, want now, %d to %d", name, got, before, after)
		}
	}
	one := list + "/" + apitest.Field[string](t, answer, "id")
	s.Clock.Advance(time.Hour)
	const everything = `{"title":"News","content":"Body","is_pinned":true,"is_hidden":true,"platforms":["windows","web"],"author":"Ada",
		"min_comparable_version":"1.0-rc.1","max_comparable_version":"2.0","published_at":7,
		"translations":[{"locale":"fr","title":"Nouvelles","content":null,"is_hidden":false},{"locale":"pt-BR","title":null,"content":null,"is_hidden":true}]}`
	s.Exchanges(t, []apitest.Exchange{
		{"texts as sent, all else by default", "GET", one, "", 200, `{"title":" T ","content":"\n**c**","is_pinned":false,"is_hidden":false,"platforms":[],"author":null,
			"min_comparable_version":null,"max_comparable_version":null,"locale":null,"translations":[]}`},
		{"null at creation is not sent", "POST", list, `{"title":"t","content":"c","is_pinned":null,"is_hidden":null,"platforms":null,"author":null,
			"min_comparable_version":null,"max_comparable_version":null,"translations":null,"published_at":null}`, 201,
			`{"is_pinned":false,"is_hidden":false,"platforms":[],"author":null,"translations":[]}`},
		{"every field", "PATCH", one, `{"title":"News","content":"Body","is_pinned":true,"is_hidden":true,"platforms":[" Windows ","WEB","windows"],"author":"Ada",
			"min_comparable_version":"1.0-rc.1","max_comparable_version":"2.0","published_at":7,
			"translations":[{"locale":"PT","is_hidden":true},{"locale":"FR","title":" Nouvelles ","content":" "}]}`, 200, everything},
		{"all of it in a list", "GET", list + "?is_hidden=true", "", 200, `{"total":1,"data":[` + everything + `]}`},
		{"what is not sent stays", "PATCH", one, `{}`, 200, everything},
		{"no body is an empty one", "PATCH", one, "", 200, everything},
		{"what cannot be written is ignored", "PATCH", one, `{"id":"x","created_at":1,"updated_at":1,"locale":"fr","colour":"red"}`, 200, everything},
		{"null clears the author", "PATCH", one, `{"author":null}`, 200, `{"author":null,"title":"News"}`},
		{"null empties the platforms", "PATCH", one, `{"platforms":null}`, 200, `{"platforms":[]}`},
		{"null opens the lower end", "PATCH", one, `{"min_comparable_version":null}`, 200, `{"min_comparable_version":null,"max_comparable_version":"2.0"}`},
		{"blank opens the upper end", "PATCH", one, `{"max_comparable_version":" "}`, 200, `{"max_comparable_version":null}`},
		{"both ends may be equal in value", "PATCH", one, `{"min_comparable_version":"2.0","max_comparable_version":"2.0.0.0"}`, 200, `{"min_comparable_version":"2.0","max_comparable_version":"2.0.0.0"}`},
		{"translations are replaced as a whole", "PATCH", one, `{"translations":[{"locale":"pt","content":"Texto","is_hidden":true}]}`, 200,
			`{"translations":[{"locale":"pt-BR","title":null,"content":"Texto","is_hidden":true}]}`},
		{"no translation", "PATCH", one, `{"translations":[]}`, 200, `{"translations":[]}`},
		{"in the order of registration", "PATCH", one, `{"translations":[{"locale":"pt","title":"2"},{"locale":"fr","title":"1"}]}`, 200, `{"translations":[{"locale":"fr"},{"locale":"pt-BR"}]}`},
		{"null removes them all", "PATCH", one, `{"translations":null}`, 200, `{"translations":[]}`},
		{"flags can be taken back", "PATCH", one, `{"is_pinned":false,"is_hidden":false}`, 200, `{"is_pinned":false,"is_hidden":false}`},
		{"titles of 128 characters", "PATCH", one, `{"title":"` + apitest.Long(128) + `","author":"` + apitest.Long(64) + `"}`, 200, `{"title":"` + apitest.Long(128) + `"}`},
		{"its project in any case", "GET", strings.Replace(one, "app", "APP", 1), "", 200, `{"platforms":[]}`},
		{"as it is now", "GET", one, "", 200, `{"published_at":7,"content":"Body"}`},
	})
	changed := s.Must(t, 200, "GET", one, "")
	if got, made := apitest.Field[int64](t, changed, "updated_at"), apitest.Field[int64](t, changed, "created_at"); got < after+3600 || made > after {
		t.Errorf("after an hour: updated_at is %d, created_at %d, want the first an hour after %d and the second as it was", got, made, after)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"deleted", "DELETE", one, "", 200, `{"success":true}`},
		{"deleted twice", "DELETE", one, "", 404, `{"message":"announcement not found"}`},
		{"changed after that", "PATCH", one, `{"title":"t"}`, 404, `{"message":"announcement not found"}`},
		{"read after that", "GET", one, "", 404, `{"message":"announcement not found"}`},
		{"the list without it", "GET", list, "", 200, `{"total":1,"data":[{"title":"t"}]}`},
	})
}

// TestLongAnnouncement checks that large announcement texts, which are not cached, are stored and
// returned like short ones. The texts of announcements have no specific length limit.
func TestLongAnnouncement(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de"}`)
	text, german := strings.Repeat("All work and no play. ", 10_000)+"The end.", strings.Repeat("Feierabend! ", 10_000)+"Ende"
	id := s.Announce(t, "app", fmt.Sprintf(`{"title":"Novel","content":%q,"translations":[{"locale":"de","content":%q,"is_hidden":false}]}`, text, german))
	want := func(path, content string) {
		t.Helper()
		status, answer := s.Ask(t, "GET", path, "")
		if strings.Contains(answer, `"data":[`) {
			answer = string(apitest.Field[[]json.RawMessage](t, answer, "data")[0])
		}
		if got := apitest.Field[string](t, answer, "content"); status != 200 || got != content {
			t.Errorf("%s: got %d and %d characters of content, want %d", path, status, len(got), len(content))
		}
	}
	one := apitest.AnnouncementsOf("app") + "/" + id
	for range 2 {
		want(one, text)
		want(apitest.AnnouncementsOf("app"), text)
		want("/public/app/announcements", text)
		want("/public/app/announcements/latest?locale=de", german)
		want("/public/app/announcements?search=the%20END.", text)
		if s.Must(t, 200, "PATCH", one, `{"is_pinned":true}`); t.Failed() {
			return
		}
	}
	s.Must(t, 200, "PATCH", one, `{"translations":[{"locale":"de","is_hidden":true}]}`)
	if status, answer := s.Ask(t, "GET", "/public/app/announcements?locale=de", ""); apitest.Field[int](t, answer, "total") != 0 {
		t.Errorf("a long one hidden for a language is listed in it: %d %.300s", status, answer)
	}
}

func TestAnnouncementRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, key := range []string{"app", "other"} {
		s.Project(t, key)
		s.Must(t, 201, "POST", "/admin/projects/"+key+"/locales", `{"locale":"de","aliases":["de-AT"]}`)
	}
	s.Publish(t, "app", "1.0")
	list := apitest.AnnouncementsOf("app")
	one := list + "/" + s.Announce(t, "app", apitest.Titled("kept", `,"min_comparable_version":"2.0","max_comparable_version":"3.0","translations":[{"locale":"de","title":"behalten"}]`))
	foreign := s.Announce(t, "other", apitest.Titled("foreign", ""))
	version := s.VersionID(t, "app", "1.0")
	post := func(name, more, message string) apitest.Refusal {
		return apitest.Refusal{name, "POST", list, apitest.Titled("t", more), 400, message}
	}
	patch := func(name, body, message string) apitest.Refusal {
		return apitest.Refusal{name, "PATCH", one, body, 400, message}
	}
	s.Refusals(t, list, []apitest.Refusal{
		{"nothing", "POST", list, `{}`, 400, "title is required; content is required"},
		{"null is nothing", "POST", list, `{"title":null,"content":null}`, 400, "title is required; content is required"},
		{"a blank title at creation", "POST", list, `{"title":" ","content":"\t\n"}`, 400, "title must not be empty"},
		{"all broken rules at once", "POST", list, `{"title":5,"content":{},"is_pinned":"true","is_hidden":1,"platforms":"web","author":[],"published_at":"1"}`, 400,
			"title must be a string; content must be a string; is_pinned must be true or false; is_hidden must be true or false; platforms must be a list; author must be a string; published_at must be"},
		{"a title of 129 characters", "POST", list, apitest.Titled(apitest.Long(129), ""), 400, "title must have at most 128 characters"},
		post("an author of 65 characters", `,"author":"`+apitest.Long(65)+`"`, "author must have at most 64 characters"),
		post("a platform that there is not", `,"platforms":["windows","beos"]`, "platforms[1] must be one of"),
		post("a platform with its version", `,"platforms":["windows 11"]`, "platforms[0] must be one of"),
		post("nine platforms", `,"platforms":["web","web","web","web","web","web","web","web","web"]`, "platforms must have at most 8 entries"),
		post("a version by its display text", `,"min_comparable_version":"v1.0"`, "min_comparable_version must be a comparable version"),
		post("a version of 65 characters", `,"max_comparable_version":"1`+strings.Repeat("0", 64)+`"`, "max_comparable_version must be a comparable version"),
		post("a version as a number", `,"max_comparable_version":1`, "max_comparable_version must be a string"),
		post("ends the wrong way round", `,"min_comparable_version":"1.10","max_comparable_version":"1.9"`, "min_comparable_version must not be greater than max_comparable_version"),
		post("a time before all times", `,"published_at":-1`, "published_at must be an integer of at least 0"),
		post("half a second", `,"published_at":1.5`, "published_at must be an integer"),
		post("a language that is not registered", `,"translations":[{"locale":"fr","title":"x"}]`, "fr"),
		post("two entries for one language", `,"translations":[{"locale":"de","title":"x"},{"locale":"DE_at","title":"y"}]`, "two entries"),
		post("an entry that sets nothing", `,"translations":[{"locale":"de"}]`, "translations[0] must set"),
		post("an entry of blanks", `,"translations":[{"locale":"de","title":" ","content":"","is_hidden":false}]`, "translations[0] must set"),
		post("an entry without a language", `,"translations":[{"title":"x"}]`, "translations[0].locale is required"),
		post("an entry that is none", `,"translations":["de"]`, "translations[0] must be an object"),
		post("a translated title of 129 characters", `,"translations":[{"locale":"de","title":"`+apitest.Long(129)+`"}]`, "translations[0].title must have at most 128 characters"),
		post("hidden by a text", `,"translations":[{"locale":"de","is_hidden":"true"}]`, "translations[0].is_hidden must be true or false"),
		post("33 entries", `,"translations":[`+strings.Repeat(`{},`, 32)+`{}]`, "translations must have at most 32 entries"),
		{"no JSON", "POST", list, `{"title":`, 400, "not JSON"},
		{"no object", "POST", list, `[]`, 400, "must be a JSON object"},
		patch("no title", `{"title":null}`, "title must not be null"),
		patch("a blank title", `{"title":" "}`, "title must not be empty"),
		patch("no content", `{"content":null}`, "content must not be null"),
		patch("neither pinned nor not", `{"is_pinned":null}`, "is_pinned must not be null"),
		patch("neither hidden nor not", `{"is_hidden":null}`, "is_hidden must not be null"),
		patch("no time", `{"published_at":null}`, "published_at must not be null"),
		patch("above the end that stays", `{"min_comparable_version":"3.0.1"}`, "must not be greater"),
		patch("below the end that stays", `{"max_comparable_version":"2.0-rc"}`, "must not be greater"),
		patch("good and bad together", `{"title":"new","author":5}`, "author must be a string"),
		{"in a project that there is not", "POST", apitest.AnnouncementsOf("none"), apitest.Titled("t", ""), 404, `project "none" not found`},
		{"broken rules are told before", "POST", apitest.AnnouncementsOf("none"), `{}`, 400, "title is required"},
		{"another project's", "PATCH", list + "/" + foreign, `{"title":"t"}`, 404, "announcement not found"},
		{"delete another project's", "DELETE", list + "/" + foreign, "", 404, "announcement not found"},
		{"read another project's", "GET", list + "/" + foreign, "", 404, "announcement not found"},
		{"a version's id", "PATCH", list + "/" + version, `{"title":"t"}`, 404, "announcement not found"},
		{"a version's id, to delete it", "DELETE", list + "/" + version, "", 404, "announcement not found"},
		{"a version's id alone", "DELETE", "/admin/announcements/" + version, "", 404, "announcement not found"},
		{"an id that is none", "GET", list + "/latest", "", 404, "announcement not found"},
		{"an id that is none, alone", "DELETE", "/admin/announcements/x", "", 404, "announcement not found"},
		{"of a project that there is not", "GET", apitest.AnnouncementsOf("none"), "", 404, `project "none" not found`},
	})
	s.Must(t, 200, "GET", apitest.VersionsOf("app")+"/"+version, "")
	s.Must(t, 200, "GET", apitest.AnnouncementsOf("other")+"/"+foreign, "")
}

// TestAnnouncementCompatibility checks that the older paths, in which the project is in the body or
// only the record's id is sent, behave like the current ones.
func TestAnnouncementCompatibility(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "old")
	s.Project(t, "other")
	s.Must(t, 200, "PATCH", "/admin/projects/old", `{"project_key":"app"}`)
	const compat, list = "/admin/projects/announcements", "/admin/projects/app/announcements"
	answer := s.Must(t, 201, "POST", compat, `{"project_key":" OLD ","title":"t","content":"c","is_pinned":true}`)
	one := "/admin/announcements/" + apitest.Field[string](t, answer, "id")
	writer := s.Key(t, `{"name":"w","scopes":["announcements:write"],"project_ids":["app"]}`)
	reader := s.Key(t, `{"name":"r","scopes":["announcements:read"],"project_ids":["app"]}`)
	foreign := s.Announce(t, "other", apitest.Titled("foreign", ""))
	s.Exchanges(t, []apitest.Exchange{
		{"in the project of that former key", "GET", list, "", 200, `{"total":1,"data":[{"title":"t","is_pinned":true,"translations":[]}]}`},
		{"changed by its id alone", "PATCH", one, `{"title":"u"}`, 200, `{"title":"u","content":"c"}`},
		{"module status", "GET", list + "/_status", "", 200, `{"module":"announcements","implemented":true}`},
		{"module status of a project that there is not", "GET", apitest.AnnouncementsOf("none") + "/_status", "", 404, `{"message":"project \"none\" not found"}`},
		{"a project that there is not", "POST", compat, `{"project_key":"none","title":"t","content":"c"}`, 404, `{"message":"project \"none\" not found"}`},
		{"no project joins what else is wrong", "POST", compat, `{"title":"t"}`, 400, `{"message":["project_key is required","content is required"]}`},
		{"the wrong value, too", "PATCH", one, `{"author":5}`, 400, `{"message":["author must be a string"]}`},
	})
	for _, tc := range []struct {
		name, credential, method, path, body string
		status                               int
	}{
		{"a key that may write", writer, "PATCH", one, `{"title":"v"}`, 200},
		{"in its project", writer, "POST", compat, `{"project_key":"old","title":"t","content":"c"}`, 201},
		{"writing is not reading", writer, "GET", list, "", 401},
		{"writing is not reading one", writer, "GET", list + "/" + foreign, "", 401},
		{"reading", reader, "GET", list, "", 200},
		{"the module", reader, "GET", list + "/_status", "", 200},
		{"reading is not writing", reader, "PATCH", one, `{"title":"x"}`, 401},
		{"reading is not deleting", reader, "DELETE", one, "", 401},
		{"another project's by its id", writer, "PATCH", "/admin/announcements/" + foreign, `{"title":"x"}`, 401},
		{"delete another project's", writer, "DELETE", "/admin/announcements/" + foreign, "", 401},
		{"in another project", writer, "POST", compat, `{"project_key":"other","title":"x","content":"c"}`, 401},
		{"in no project", writer, "POST", compat, `{"title":"x","content":"c"}`, 401},
		{"statistics span projects", reader, "GET", "/admin/announcements/statistics", "", 401},
		{"no credential", "", "GET", list, "", 401},
		{"no credential for the module", "", "GET", list + "/_status", "", 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if status, answer, _ := s.Do(t, tc.method, tc.path, tc.credential, tc.body); status != tc.status {
				t.Errorf("got %d %s, want %d", status, answer, tc.status)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"nothing else was done", "GET", apitest.AnnouncementsOf("other"), "", 200, `{"total":1,"data":[{"title":"foreign"}]}`},
		{"deleted by its id alone", "DELETE", one, "", 200, `{"success":true}`},
		{"deleted twice", "DELETE", one, "", 404, `{"message":"announcement not found"}`},
		{"changed after that", "PATCH", one, `{}`, 404, `{"message":"announcement not found"}`},
	})
}

// TestBlankAnnouncements checks that the content of an announcement may be blank, unlike the title.
func TestBlankAnnouncements(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for _, content := range []string{``, ` `, `\t\n`} {
		answer := s.Must(t, 201, "POST", apitest.AnnouncementsOf("app"), `{"title":"t","content":"`+content+`"}`)
		one := apitest.AnnouncementsOf("app") + "/" + apitest.Field[string](t, answer, "id")
		s.Must(t, 200, "PATCH", one, `{"content":"filled"}`)
		if answer := s.Must(t, 200, "PATCH", one, `{"content":"`+content+`"}`); !strings.Contains(answer, `"content":"`+content+`"`) {
			t.Errorf("content %q: got %s", content, answer)
		}
	}
}
