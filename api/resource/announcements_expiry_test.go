package resource_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

func TestAnnouncementExpires(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "app")
	now := s.Clock.Now().Unix()
	const list, public = "/admin/projects/app/announcements", "/public/app/announcements"
	s.Announce(t, "app", apitest.Titled("always", `,"published_at":1`))
	id := s.Announce(t, "app", apitest.Titled("until", fmt.Sprintf(`,"expires_at":%d`, now+60)))
	one := list + "/" + id
	expect := func(when, path, want string) {
		t.Helper()
		_, answer := s.Ask(t, "GET", path, "")
		if got := titles(t, answer); got != want || apitest.Field[int](t, answer, "total") != len(strings.Fields(want)) {
			t.Errorf("%s: %s: got %s, want %s", when, path, answer, want)
		}
	}
	s.Exchanges(t, []apitest.Exchange{
		{"as it was sent", "GET", one, "", 200, fmt.Sprintf(`{"expires_at":%d,"published_at":%d}`, now+60, now)},
		{"for clients", "GET", public + "/latest", "", 200, fmt.Sprintf(`{"title":"until","expires_at":%d}`, now+60)},
	})
	s.Clock.Advance(59 * time.Second)
	expect("before", public, "until always")
	expect("before", list+"?expired=true", "")
	s.Clock.Advance(time.Second)
	expect("after", public, "always")
	expect("after", public+"?search=until", "")
	expect("after", list, "until always")
	expect("after", list+"?expired=true", "until")
	expect("after", list+"?expired=0", "always")
	s.Exchanges(t, []apitest.Exchange{
		{"the latest is another one", "GET", public + "/latest", "", 200, `{"title":"always","expires_at":null}`},
		{"it stays without a change of its time", "PATCH", one, `{"is_pinned":true}`, 200, fmt.Sprintf(`{"expires_at":%d}`, now+60)},
		{"null is never", "PATCH", one, `{"expires_at":null}`, 200, `{"expires_at":null}`},
	})
	expect("never", public, "until always")
	for path, want := range map[string]string{list + "?expired=perhaps": "expired must be true, 1, false or 0"} {
		s.Refusals(t, list, []apitest.Refusal{{path, "GET", path, "", 400, want}})
	}
	const later = "expires_at must be later than published_at"
	s.Refusals(t, list, []apitest.Refusal{
		{"in the past", "POST", list, apitest.Titled("t", fmt.Sprintf(`,"expires_at":%d`, now)), 400, later},
		{"at publication", "POST", list, apitest.Titled("t", `,"published_at":5,"expires_at":5`), 400, later},
		{"negative", "POST", list, apitest.Titled("t", `,"published_at":0,"expires_at":-1`), 400, "expires_at must be an integer of at least 0 (Unix seconds)"},
		{"a text", "PATCH", one, `{"expires_at":"tomorrow"}`, 400, "expires_at must be an integer of at least 0 (Unix seconds)"},
		{"before the publication", "PATCH", one, fmt.Sprintf(`{"expires_at":%d}`, now), 400, later},
		{"too late a publication", "PATCH", one, fmt.Sprintf(`{"published_at":%d,"expires_at":%d}`, now+100, now+100), 400, later},
	})
	s.Must(t, 200, "PATCH", one, fmt.Sprintf(`{"expires_at":%d}`, now+1000))
	s.Refusals(t, list, []apitest.Refusal{
		{"a publication after the end", "PATCH", one, fmt.Sprintf(`{"published_at":%d}`, now+1000), 400, later},
	})
}
