package resource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
)

// titles returns the titles on a page of announcements, in order.
func titles(t testing.TB, answer string) string { return strings.Join(listed(t, answer, "title"), " ") }

func TestAnnouncementOrder(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for _, a := range []struct {
		title  string
		pinned bool
		at     int64
	}{
		{"old", false, 1}, {"pinned-old", true, 0}, {"same-1", false, 5}, {"same-2", false, 5}, {"future", false, 9_999_999_999},
		{"pinned-new", true, 8}, {"new", false, 7}, {"pinned-same-1", true, 8}, {"same-3", false, 5},
	} {
		s.Announce(t, "app", apitest.Titled(a.title, fmt.Sprintf(`,"is_pinned":%t,"published_at":%d`, a.pinned, a.at)))
	}
	const want = "pinned-same-1 pinned-new pinned-old future new same-3 same-2 same-1 old"
	for _, path := range []string{apitest.AnnouncementsOf("app"), "/public/app/announcements"} {
		if _, answer := s.Ask(t, "GET", path, ""); titles(t, answer) != want {
			t.Errorf("%s: pinned, then published, then created: got %s, want %s", path, titles(t, answer), want)
		}
		_, answer := s.Ask(t, "GET", path+"?limit=3&offset=2", "")
		if got := titles(t, answer); got != "pinned-old future new" || apitest.Field[int](t, answer, "total") != 9 {
			t.Errorf("%s: a page of it: got %s", path, answer)
		}
	}
	if _, answer := s.Ask(t, "GET", "/public/app/announcements/latest", ""); apitest.Field[string](t, answer, "title") != "future" {
		t.Errorf("latest: got %s, want the one published last, pinned or not", answer)
	}
}

// audience returns a server with a project that has one announcement for each visibility rule.
func audience(t *testing.T) *apitest.Server {
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de","aliases":["de-AT"]}`)
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"fr"}`)
	s.Publish(t, "app", "v2.0", "Two comparable=2.5", "nightly preview comparable=3.0-rc.1 at=9999999999", "1.0-x comparable=9.0")
	for i, a := range []struct{ title, fields string }{
		{"hidden", `,"is_hidden":true`},
		{"hidden-pinned", `,"is_hidden":true,"is_pinned":true`},
		{"windows", `,"platforms":["windows"]`},
		{"mobile", `,"platforms":["ios","android"]`},
		{"from-2", `,"min_comparable_version":"2.0"`},
		{"to-3", `,"max_comparable_version":"3.0-rc.1"`},
		{"2-to-3", `,"min_comparable_version":"2","max_comparable_version":"3"`},
		{"not-de", `,"translations":[{"locale":"de","is_hidden":true}]`},
		{"not-fr", `,"translations":[{"locale":"fr","title":"pas-fr","is_hidden":true},{"locale":"de","title":"not-fr"}]`},
		{"web-to-3", `,"platforms":["web"],"max_comparable_version":"3.0"`},
		{"plain", ``},
		{"pinned", `,"is_pinned":true,"published_at":0`},
	} {
		if !strings.Contains(a.fields, "published_at") {
			a.fields += fmt.Sprintf(`,"published_at":%d`, 100-i)
		}
		s.Announce(t, "app", apitest.Titled(a.title, a.fields))
	}
	return s
}

func TestAnnouncementVisibility(t *testing.T) {
	t.Parallel()
	s := audience(t)
	for _, tc := range []struct{ name, query, want string }{
		{"who says nothing sees what is for all versions", "", "pinned windows mobile not-de not-fr plain"},
		{"a platform sees its own and what is for all", "platform=windows", "pinned windows not-de not-fr plain"},
		{"one of several platforms", "platform=android", "pinned mobile not-de not-fr plain"},
		{"a platform in any case and with blanks", "platform=%20WinDows%20", "pinned windows not-de not-fr plain"},
		{"a platform nobody named", "platform=others", "pinned not-de not-fr plain"},
		{"no platform is no condition", "platform=", "pinned windows mobile not-de not-fr plain"},
		{"a comparable version, the lower end included", "version=2.0", "pinned windows mobile from-2 to-3 2-to-3 not-de not-fr web-to-3 plain"},
		{"below the lower end", "version=1.9.9", "pinned windows mobile to-3 not-de not-fr web-to-3 plain"},
		{"a tag is below its release", "version=2.0-rc.9", "pinned windows mobile to-3 not-de not-fr web-to-3 plain"},
		{"the upper end included", "version=3.0-rc.1", "pinned windows mobile from-2 to-3 2-to-3 not-de not-fr web-to-3 plain"},
		{"equal in value", "version=3.0.0.0", "pinned windows mobile from-2 2-to-3 not-de not-fr web-to-3 plain"},
		{"above the upper end", "version=3.0.1", "pinned windows mobile from-2 not-de not-fr plain"},
		{"a display version stands for its comparable one", "version=Two", "pinned windows mobile from-2 to-3 2-to-3 not-de not-fr web-to-3 plain"},
		{"that of a preview, too", "version=nightly", "pinned windows mobile from-2 to-3 2-to-3 not-de not-fr web-to-3 plain"},
		{"a display version is not derived from", "version=v2.1", "pinned windows mobile not-de not-fr plain"},
		{"a display version as published", "version=v2.0", "pinned windows mobile from-2 to-3 2-to-3 not-de not-fr web-to-3 plain"},
		{"case counts in it", "version=two", "pinned windows mobile not-de not-fr plain"},
		{"a comparable version comes before a display version", "version=1.0", "pinned windows mobile to-3 not-de not-fr web-to-3 plain"},
		{"a display version that is none by itself", "version=1.0-x", "pinned windows mobile from-2 not-de not-fr plain"},
		{"an unknown version counts as none", "version=unknown", "pinned windows mobile not-de not-fr plain"},
		{"a blank version counts as none", "version=%20", "pinned windows mobile not-de not-fr plain"},
		{"64 characters", "version=" + strings.Repeat("9", 64), "pinned windows mobile from-2 not-de not-fr plain"},
		{"hidden for its language", "locale=de", "pinned windows mobile not-fr plain"},
		{"by a synonym", "locale=DE_at", "pinned windows mobile not-fr plain"},
		{"hidden for its language, although translated", "locale=fr", "pinned windows mobile not-de plain"},
		{"a language nearby is another one", "locale=de-CH", "pinned windows mobile not-de not-fr plain"},
		{"an unknown language hides nothing", "locale=xx", "pinned windows mobile not-de not-fr plain"},
		{"a blank language hides nothing", "locale=%20", "pinned windows mobile not-de not-fr plain"},
		{"all conditions together", "locale=de&version=3.0&platform=web", "pinned from-2 2-to-3 not-fr web-to-3 plain"},
		{"is_pinned is no filter here", "is_pinned=true", "pinned windows mobile not-de not-fr plain"},
		{"is_hidden is no filter here", "is_hidden=true", "pinned windows mobile not-de not-fr plain"},
		{"nor are they checked", "is_hidden=perhaps&is_pinned=", "pinned windows mobile not-de not-fr plain"},
		{"search is one more condition", "search=T-&platform=ios", "not-de not-fr"},
		{"search finds nothing hidden", "search=hidden", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, answer := s.Ask(t, "GET", "/public/app/announcements?"+tc.query, "")
			wanted := strings.Fields(tc.want)
			if got := titles(t, answer); status != 200 || got != tc.want || apitest.Field[int](t, answer, "total") != len(wanted) {
				t.Errorf("got %d %s of %d, want %s", status, got, apitest.Field[int](t, answer, "total"), tc.want)
			}
			if len(wanted) > 1 {
				_, answer = s.Ask(t, "GET", "/public/app/announcements?limit=1&offset=1&"+tc.query, "")
				if got := titles(t, answer); got != wanted[1] || apitest.Field[int](t, answer, "total") != len(wanted) {
					t.Errorf("second page: got %s of %d, want %s of %d", got, apitest.Field[int](t, answer, "total"), wanted[1], len(wanted))
				}
			}
			if strings.Contains(tc.query, "search") {
				return
			}
			// All were published in list order, except that the pinned one was published first.
			latest := append(slices.Clone(wanted[1:]), wanted[0])[0]
			if status, answer := s.Ask(t, "GET", "/public/app/announcements/latest?"+tc.query, ""); status != 200 || apitest.Field[string](t, answer, "title") != latest {
				t.Errorf("latest: got %d %s, want %s", status, answer, latest)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"administrators see everything", "GET", apitest.AnnouncementsOf("app"), "", 200, `{"total":12}`},
		{"whatever version and language they say", "GET", apitest.AnnouncementsOf("app") + "?version=3.0&locale=de", "", 200, `{"total":12}`},
		{"a version of 65 characters", "GET", "/public/app/announcements?version=" + apitest.Long(65), "", 400, `{"message":["version must have at most 64 characters"]}`},
		{"the same for the latest", "GET", "/public/app/announcements/latest?version=" + apitest.Long(65), "", 400, ``},
		{"a platform that there is not", "GET", "/public/app/announcements?platform=beos", "", 400, ``},
		{"the same for the latest one", "GET", "/public/app/announcements/latest?platform=windows%2011", "", 400, ``},
		{"a project that there is not", "GET", "/public/none/announcements", "", 404, `{"message":"project \"none\" not found"}`},
		{"the latest of that", "GET", "/public/none/announcements/latest", "", 404, `{"message":"project \"none\" not found"}`},
		{"a wrong query is told before", "GET", "/public/none/announcements?limit=0", "", 400, ``},
	})
	declared := map[string]string{"X-Svc-Platform": "windows", "X-Svc-Platform-Version": "11"}
	if _, answer, _ := s.Send(t, "GET", "/api/v1/public/app/announcements?platform_version=10", declared, ""); apitest.Field[int](t, answer, "total") != 6 {
		t.Errorf("the declared platform is no filter: got %s, want all 6", answer)
	}
}

func TestNoAnnouncement(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Exchanges(t, []apitest.Exchange{
		{"an empty list", "GET", "/public/app/announcements", "", 200, `{"total":0,"data":[]}`},
		{"no latest one", "GET", "/public/app/announcements/latest", "", 404, ``},
		{"a hidden one", "POST", apitest.AnnouncementsOf("app"), apitest.Titled("hidden", `,"is_hidden":true`), 201, ``},
		{"is nobody's latest", "GET", "/public/app/announcements/latest", "", 404, ``},
		{"one for a platform", "POST", apitest.AnnouncementsOf("app"), apitest.Titled("ios", `,"platforms":["ios"]`), 201, ``},
		{"is not the latest of another", "GET", "/public/app/announcements/latest?platform=web", "", 404, ``},
	})
}

func TestAnnouncementFilters(t *testing.T) {
	t.Parallel()
	s := audience(t)
	for _, tc := range []struct{ name, query, want string }{
		{"pinned", "is_pinned=true", "pinned hidden-pinned"},
		{"not pinned, not hidden", "is_pinned=0&is_hidden=false&platform=web", "from-2 to-3 2-to-3 not-de not-fr web-to-3 plain"},
		{"hidden", "is_hidden=1", "hidden-pinned hidden"},
		{"hidden and pinned", "is_hidden=true&is_pinned=true", "hidden-pinned"},
		{"empty is no condition", "is_hidden=&is_pinned=true", "pinned hidden-pinned"},
		{"a platform, or none", "platform=ios&is_pinned=false&search=o", "mobile from-2 to-3 2-to-3 not-de not-fr"},
		{"hidden ones are found", "search=HIDDEN", "hidden-pinned hidden"},
		{"not by a translation", "search=pas", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, answer := s.Ask(t, "GET", apitest.AnnouncementsOf("app")+"?"+tc.query, "")
			got, want := strings.Fields(titles(t, answer)), strings.Fields(tc.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || apitest.Field[int](t, answer, "total") != len(want) {
				t.Errorf("got %v of %d, want %v", got, apitest.Field[int](t, answer, "total"), want)
			}
		})
	}
	for _, bad := range []string{"is_pinned=yes", "is_hidden=2", "is_hidden=%20", "platform=beos", "limit=0", "limit=101", "offset=-1", "offset=x", "search=" + apitest.Long(129)} {
		if status, answer := s.Ask(t, "GET", apitest.AnnouncementsOf("app")+"?"+bad, ""); status != 400 {
			t.Errorf("%s: got %d %s, want 400", bad, status, answer)
		}
	}
}
