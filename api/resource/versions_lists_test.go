package resource_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
)

func TestVersionOrder(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app",
		"1.9 at=900", "1.10 at=1", "1.10.0-rc.2 preview at=999", "1.10.0-rc.10 preview at=1", "1.10-beta at=999", "1.10-alpha.9 at=999",
		"same-old comparable=1.5 at=10", "same-new comparable=1.5.0 at=20", "same-first comparable=1.5 at=5", "same-second comparable=1.5.0.0 at=5",
		"10000000000000000000000001", "9999999999999999999999999", "007.0", "7.1")
	want := "10000000000000000000000001 9999999999999999999999999 7.1 007.0 1.10 1.10.0-rc.10 1.10.0-rc.2 1.10-beta 1.10-alpha.9 1.9 same-new same-old same-second same-first"
	for _, path := range []string{apitest.VersionsOf("app"), "/public/app/versions"} {
		status, answer := s.Ask(t, "GET", path+"?limit=100", "")
		if got := strings.Join(listed(t, answer, "version"), " "); status != http.StatusOK || got != want {
			t.Errorf("%s: comparable version, then published, then created, all descending: got %d\n%s, want\n%s", path, status, got, want)
		}
	}
}

func TestVersionFilters(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for _, body := range []string{
		`{"version":"v5.0","comparable_version":"5.0","title":"Ärger 100%","content":"line one\nline two"}`,
		`{"version":"under_score","comparable_version":"4.0","platform":"linux","platforms":["windows","web"]}`,
		`{"version":"Three","comparable_version":"3.0-rc.7","is_preview":true,"platform":"linux"}`,
		`{"version":"2.0","comparable_version":"2.0","is_milestone":true,"platforms":["macos"],"download_url":"https://only.example","custom_data":{"only":"custom"}}`,
		`{"version":"1.0","comparable_version":"1.0","is_deprecated":true,"title":"only"}`,
	} {
		s.Must(t, http.StatusCreated, "POST", apitest.VersionsOf("app"), body)
	}
	// Afterwards Three has only the single platform, as if an older client had written it.
	s.Must(t, http.StatusOK, "PUT", apitest.VersionsOf("app")+"/by-version/Three", `{"platforms":[]}`)
	s.Must(t, http.StatusCreated, "POST", "/admin/projects/app/locales", `{"locale":"de"}`)
	s.Must(t, http.StatusOK, "PUT", apitest.VersionsOf("app")+"/by-version/1.0", `{"translations":[{"locale":"de","title":"uebersetzt"}]}`)
	const everything = "v5.0 under_score Three 2.0 1.0"
	for _, tc := range []struct{ name, query, want string }{
		{"no condition", "", everything},
		{"previews", "is_preview=true", "Three"},
		{"previews, as 1", "is_preview=1", "Three"},
		{"no previews", "is_preview=false", "v5.0 under_score 2.0 1.0"},
		{"no previews, as 0", "is_preview=0", "v5.0 under_score 2.0 1.0"},
		{"empty is no condition", "is_preview=&is_deprecated=&is_milestone=&forced=&platform=&search=", everything},
		{"deprecated", "is_deprecated=1", "1.0"},
		{"not deprecated", "is_deprecated=false", "v5.0 under_score Three 2.0"},
		{"milestones", "is_milestone=true", "2.0"},
		{"no milestones", "is_milestone=0", "v5.0 under_score Three 1.0"},
		{"nothing is forced", "forced=true", ""},
		{"nothing is forced, as 1", "forced=1", ""},
		{"everything is not", "forced=false", everything},
		{"platforms has it, or neither field is set", "platform=web", "v5.0 under_score 1.0"},
		{"the single platform is it", "platform=linux", "v5.0 under_score Three 1.0"},
		{"in any case and with blanks", "platform=%20MacOS%20", "v5.0 2.0 1.0"},
		{"nobody named it", "platform=ios", "v5.0 1.0"},
		{"a part of the text", "search=thr", "Three"},
		{"a part of the comparable version", "search=rc.7", "Three"},
		{"a part of the title, without regard to case", "search=%C3%84RGER", "v5.0"},
		{"a part of the content, over a line break", "search=ONE%0ALINE", "v5.0"},
		{"not the address", "search=only.example", ""},
		{"not custom data", "search=custom", ""},
		{"not the translations", "search=uebersetzt", ""},
		{"a percent sign is itself", "search=%25", "v5.0"},
		{"a percent sign stands for nothing else", "search=T%25e", ""},
		{"an underscore is itself", "search=_", "under_score"},
		{"an underscore stands for nothing else", "search=_hree", ""},
		{"blanks around it do not count", "search=%20three%09", "Three"},
		{"128 characters", "search=" + url.QueryEscape(apitest.Long(128)), ""},
		{"conditions are joined by and", "search=0&is_milestone=false&platform=web&is_preview=0", "v5.0 under_score 1.0"},
		{"by and, to the last", "search=0&is_deprecated=true&is_milestone=true", ""},
		{"a page of what passed", "platform=web&limit=1&offset=1", "under_score"},
		{"unknown parameters are ignored", "is_latest=true&colour=red", everything},
		{"a declared system version is no filter", "platform_version=11", everything},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, path := range []string{apitest.VersionsOf("app"), "/public/app/versions"} {
				status, answer := s.Ask(t, "GET", path+"?"+tc.query, "")
				if got := strings.Join(listed(t, answer, "version"), " "); status != http.StatusOK || got != tc.want {
					t.Errorf("%s: got %d %q, want %q", path, status, got, tc.want)
				}
			}
		})
	}
	for _, tc := range []struct{ query, message string }{
		{"is_preview=yes", "is_preview must be true, 1, false or 0"},
		{"is_preview=TRUE", "is_preview must be"},
		{"is_deprecated=2", "is_deprecated must be"},
		{"is_milestone=null", "is_milestone must be"},
		{"forced=%20", "forced must be"},
		{"platform=beos", "platform must be one of windows, linux, macos, ios, android, web, others"},
		{"platform=win", "platform must be one of"},
		{"platform=windows%2011", "platform must be one of"},
		{"platform=windows,linux", "platform must be one of"},
		{"is_preview=x&limit=0", "limit must be an integer of at least 1; is_preview must be"},
	} {
		t.Run(tc.query, func(t *testing.T) {
			for _, path := range []string{apitest.VersionsOf("app"), "/public/app/versions"} {
				status, answer := s.Ask(t, "GET", path+"?"+tc.query, "")
				if status != http.StatusBadRequest || !strings.Contains(apitest.Message(t, answer), tc.message) {
					t.Errorf("%s: got %d %s, want 400 with %q", path, status, answer, tc.message)
				}
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"total counts what passed", "GET", apitest.VersionsOf("app") + "?platform=web&limit=1", "", 200, `{"total":3,"data":[{"version":"v5.0"}]}`},
		{"administrators see translations", "GET", apitest.VersionsOf("app") + "?search=1.0", "", 200, `{"data":[{"translations":[{"locale":"de","title":"uebersetzt"}]}]}`},
		{"of a project nobody has", "GET", apitest.VersionsOf("none"), "", 404, `{"message":"project \"none\" not found"}`},
		{"of a project nobody has, public", "GET", "/public/none/versions", "", 404, `{"message":"project \"none\" not found"}`},
		{"a wrong query is told before", "GET", "/public/none/versions?limit=0", "", 400, ``},
	})
	declared := map[string]string{"X-Svc-Platform": "ios", "X-Svc-Platform-Version": "18"}
	if _, answer, _ := s.Send(t, "GET", "/api/v1/public/app/versions", declared, ""); apitest.Field[int](t, answer, "total") != 5 {
		t.Errorf("the declared platform is no filter: got %s, want all 5", answer)
	}
}

func TestLatestVersion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string // texts that publish accepts
		clear    bool     // first remove the latest flag from every version
		want     string   // "" = 404
	}{
		{"no version", nil, false, ""},
		{"the one with the flag", []string{"1.0 latest", "2.0 preview"}, false, "1.0"},
		{"also when it is not the greatest", []string{"2.0", "1.0 latest"}, false, "1.0"},
		{"also when it is a preview", []string{"1.0", "2.0 preview latest at=1"}, false, "2.0"},
		{"also when it will come out in the future", []string{"1.0", "2.0 at=9999999999"}, false, "2.0"},
		{"no flag: the official one published last, not the greatest", []string{"2.0 preview at=9", "1.5 preview at=3", "1.0 at=2", "0.9 at=5"}, true, "0.9"},
		{"of those published together the one created last", []string{"2.0 at=5", "1.0 at=5"}, true, "1.0"},
		{"no official one: the preview published last", []string{"2.0-rc preview at=5", "1.0-rc preview at=6", "3.0-rc preview at=4"}, false, "1.0-rc"},
		{"a deprecated one counts like others", []string{"2.0 at=5", "1.0 deprecated at=6"}, true, "1.0"},
		{"it is the same on every platform", []string{"1.0 at=5"}, false, "1.0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t)
			s.Project(t, "app")
			s.Publish(t, "app", tc.versions...)
			if tc.clear {
				clearLatest(t, s)
			}
			status, answer := s.Ask(t, "GET", "/public/app/versions/latest?platform=ios", "")
			if tc.want == "" {
				if status != http.StatusNotFound || apitest.Message(t, answer) != "the project has no version yet" {
					t.Errorf("got %d %s, want 404", status, answer)
				}
				return
			}
			if status != http.StatusOK || apitest.Field[string](t, answer, "version") != tc.want {
				t.Errorf("got %d %s, want version %s", status, answer, tc.want)
			}
		})
	}
}

// clearLatest removes the latest flag from all versions of the project app. It moves the flag to a
// preview first, because no version inherits the flag when a preview loses it.
func clearLatest(t *testing.T, s *apitest.Server) {
	t.Helper()
	var official []string
	for _, v := range apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", apitest.VersionsOf("app"), ""), "data") {
		if v["is_preview"] == false {
			official = append(official, v["version"].(string))
		}
	}
	one := func(text string) string { return apitest.VersionsOf("app") + "/by-version/" + text }
	for _, text := range official {
		s.Must(t, 200, "PUT", one(text), `{"is_preview":true}`)
	}
	for _, text := range official {
		s.Must(t, 200, "PUT", one(text), `{"is_preview":false}`)
	}
	if strings.Contains(s.Must(t, 200, "GET", apitest.VersionsOf("app"), ""), `"is_latest":true`) {
		t.Fatal("a version is still the latest")
	}
}

func TestLatestPreview(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		versions []string
		want     string // "" = null
	}{
		{"no version", nil, ""},
		{"no preview", []string{"1.0", "2.0-rc"}, ""},
		{"the greatest, not the youngest", []string{"2.0-rc.2 preview at=1", "2.0-rc.1 preview at=9", "3.0"}, "2.0-rc.2"},
		{"of equal ones that published last", []string{"a comparable=2.0 preview at=5", "b comparable=2.0.0 preview at=6", "c comparable=2 preview at=4"}, "b"},
		{"of those that created last", []string{"a comparable=2.0 preview at=5", "b comparable=2.0.0 preview at=5"}, "b"},
		{"what is no preview by its number may be one", []string{"5.0 preview", "6.0"}, "5.0"},
		{"a deprecated one counts like others", []string{"9.0", "2.0-rc.2 preview deprecated", "2.0-rc.1 preview"}, "2.0-rc.2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t)
			s.Project(t, "app")
			s.Publish(t, "app", tc.versions...)
			status, answer := s.Ask(t, "GET", "/public/app/versions/latest-preview", "")
			switch {
			case status != http.StatusOK:
				t.Errorf("got %d %s, want 200", status, answer)
			case tc.want == "":
				if answer != "null" {
					t.Errorf("got %q, want the four bytes null", answer)
				}
			case apitest.Field[string](t, answer, "version") != tc.want:
				t.Errorf("got %s, want version %s", answer, tc.want)
			}
		})
	}
	s := apitest.NewServer(t)
	s.Exchanges(t, []apitest.Exchange{
		{"of a project nobody has", "GET", "/public/none/versions/latest-preview", "", 404, `{"message":"project \"none\" not found"}`},
		{"latest of a project nobody has", "GET", "/public/none/versions/latest", "", 404, `{"message":"project \"none\" not found"}`},
	})
}

func TestVersionByText(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "v1.0", "1.5", "1.5.0 comparable=9.9", "two comparable=2.0 at=5", "zwei comparable=2.0.0 at=6", "deux comparable=2 at=4",
		"three comparable=3.0 at=5", "drei comparable=3.0.0 at=5", "Case comparable=4.0", "future comparable=5.0 at=9999999999")
	for _, tc := range []struct{ name, text, want string }{
		{"the text", "v1.0", "v1.0"},
		{"the comparable version", "1.0", "v1.0"},
		{"an equal value", "1.0.0.0", "v1.0"},
		{"the text before the value", "1.5.0", "1.5.0"},
		{"the value of that one", "9.9", "1.5.0"},
		{"of equal values that published last", "2.0", "zwei"},
		{"whichever of them is written", "2", "zwei"},
		{"of those that created last", "3.0", "drei"},
		{"blanks around it do not count", "%20v1.0%09", "v1.0"},
		{"a future date hides nothing", "future", "future"},
		{"case counts in the text", "case", ""},
		{"case counts in the letter before", "V1.0", ""},
		{"the letter is not dropped from what is asked for", "v1.5", ""},
		{"nothing of that value", "1.0.1", ""},
		{"a blank", "%20", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, answer := s.Ask(t, "GET", "/public/app/versions/by-version/"+tc.text, "")
			if tc.want == "" {
				if status != http.StatusNotFound || !strings.HasSuffix(apitest.Message(t, answer), "not found") {
					t.Errorf("got %d %s, want 404", status, answer)
				}
				return
			}
			if status != http.StatusOK || apitest.Field[string](t, answer, "version") != tc.want {
				t.Errorf("got %d %s, want version %s", status, answer, tc.want)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{{"of a project nobody has", "GET", "/public/none/versions/by-version/1.0", "", 404, `{"message":"project \"none\" not found"}`}})
}
