package resource_test

import (
	"testing"

	"svc/api/apitest"
)

func TestAnnouncementLanguages(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const languages, public = "/admin/projects/app/locales", "/public/app/announcements"
	s.Must(t, 201, "POST", languages, `{"locale":"zh-CN","aliases":["zh","中文"]}`)
	s.Must(t, 201, "POST", languages, `{"locale":"de"}`)
	one := apitest.AnnouncementsOf("app") + "/" + s.Announce(t, "app", `{"title":"Title","content":"Content","published_at":2,
		"translations":[{"locale":"zh","title":"标题","content":"内容"},{"locale":"de","content":"Inhalt"}]}`)
	s.Announce(t, "app", `{"title":"Plain","content":"Content","published_at":1}`)
	s.Exchanges(t, []apitest.Exchange{
		{"no preference", "GET", public, "", 200, `{"total":2,"data":[{"title":"Title","content":"Content","locale":null},{"title":"Plain","locale":null}]}`},
		{"a primary tag, in another spelling", "GET", public + "?locale=ZH_cn", "", 200, `{"data":[{"title":"标题","content":"内容","locale":"zh-CN"},{"title":"Plain","locale":null}]}`},
		{"a synonym", "GET", public + "/latest?locale=%E4%B8%AD%E6%96%87", "", 200, `{"title":"标题","locale":"zh-CN"}`},
		{"each field falls back on its own", "GET", public + "/latest?locale=de", "", 200, `{"title":"Title","content":"Inhalt","locale":"de"}`},
		{"what is not translated says so", "GET", public + "?locale=de&search=plain", "", 200, `{"total":1,"data":[{"title":"Plain","locale":null}]}`},
		{"search looks into the default texts", "GET", public + "?locale=de&search=Inhalt", "", 200, `{"total":0,"data":[]}`},
		{"of administrators, too", "GET", apitest.AnnouncementsOf("app") + "?search=%E6%A0%87%E9%A2%98", "", 200, `{"total":0,"data":[]}`},
		{"administrators see default texts", "GET", one + "?locale=de", "", 200, `{"content":"Content","locale":null,"translations":[{"locale":"zh-CN"},{"locale":"de","title":null,"content":"Inhalt","is_hidden":false}]}`},
	})
	message := func(path string) string {
		t.Helper()
		status, answer := s.Ask(t, "GET", path, "")
		if status != 200 {
			t.Fatalf("%s: got %d %s", path, status, answer)
		}
		return answer
	}
	for _, object := range apitest.Field[[]map[string]any](t, message(public+"?locale=tlh"), "data") {
		if text, _ := object["locale_message"].(string); object["locale"] != nil || len(text) < 10 {
			t.Errorf("an unknown language: got %v, want a message in each object", object)
		}
	}
	if latest := message(public + "/latest?locale=tlh"); len(apitest.Field[string](t, latest, "locale_message")) < 10 || apitest.Field[string](t, latest, "title") != "Title" {
		t.Errorf("an unknown language for the latest: got %s", latest)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"an edit of a translation is seen at once", "PATCH", one, `{"translations":[{"locale":"de","title":"Titel","is_hidden":false},{"locale":"zh","content":"文","is_hidden":true}]}`, 200, ``},
		{"in its language", "GET", public + "/latest?locale=de", "", 200, `{"title":"Titel","content":"Content","locale":"de"}`},
		{"hidden in the other", "GET", public + "?locale=zh", "", 200, `{"total":1,"data":[{"title":"Plain"}]}`},
		{"a new primary tag takes the translation along", "PATCH", languages + "/zh", `{"locale":"zh-Hans"}`, 200, ``},
		{"under its new name", "GET", one, "", 200, `{"translations":[{"locale":"zh-Hans","content":"文","is_hidden":true},{"locale":"de"}]}`},
		{"and what it hides", "GET", public + "?locale=zh-hans", "", 200, `{"total":1,"data":[{"title":"Plain"}]}`},
		{"by the synonym as well", "GET", public + "?locale=zh", "", 200, `{"total":1}`},
		{"a language that goes", "DELETE", languages + "/zh-Hans", "", 200, ``},
		{"hides nothing any more", "GET", public + "?locale=zh-Hans", "", 200, `{"total":2,"data":[{"title":"Title","locale":null},{}]}`},
		{"and is not listed", "GET", one, "", 200, `{"translations":[{"locale":"de"}]}`},
		{"a write keeps what is out of its reach", "PATCH", one, `{"translations":[{"locale":"de","content":"Neu"}]}`, 200, `{"translations":[{"locale":"de","title":null,"content":"Neu","is_hidden":false}]}`},
		{"its texts cannot be written", "PATCH", one, `{"translations":[{"locale":"zh-Hans","title":"x"}]}`, 400, ``},
		{"registered again, in another spelling", "POST", languages, `{"locale":"ZH_HANS"}`, 201, ``},
		{"it is back", "GET", one, "", 200, `{"translations":[{"locale":"de","content":"Neu"},{"locale":"ZH_HANS","content":"文","is_hidden":true}]}`},
		{"and hides again", "GET", public + "?locale=zh(hans)", "", 200, `{"total":1,"data":[{"title":"Plain"}]}`},
		{"a tag under which something is kept", "DELETE", languages + "/de", "", 200, ``},
		{"cannot be taken over", "PATCH", languages + "/zh-hans", `{"locale":"de"}`, 409, ``},
		{"nothing was changed by that", "GET", one, "", 200, `{"translations":[{"locale":"ZH_HANS","content":"文","is_hidden":true}]}`},
	})
}
