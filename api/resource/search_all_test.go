package resource_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
)

// haystack returns a server with two projects. In each project, one record of each kind contains
// the word "needle". These records are created in the order of the kinds, one minute apart.
func haystack(t *testing.T) (s *apitest.Server, ids map[string]string) {
	t.Helper()
	s, ids = apitest.NewServer(t, apitest.WithIndex()), map[string]string{}
	for _, key := range []string{"one", "two"} {
		create(t, s, "/admin/projects", fmt.Sprintf(`{"project_key":"%s-old","name":"Project %[1]s","description":"A needle in %[1]s"}`, key))
		s.Must(t, 200, "PATCH", "/admin/projects/"+key+"-old", fmt.Sprintf(`{"project_key":%q}`, key))
		ids[key+" project"] = key
		for _, thing := range []struct{ kind, path, body string }{
			{"version", apitest.VersionsOf(key), `{"version":"v1.0","comparable_version":"1.0","title":"First","content":"Finds the needle."}`},
			{"announcement", apitest.AnnouncementsOf(key), `{"title":"News","content":"The needle is found.","author":"Ada"}`},
			{"feedback", "/public/" + key + "/feedbacks", `{"content":"Where is the needle?","contact":"ada@mail.example"}`},
			{"log", "/public/" + key + "/logs", `{"level":3,"content":"needle missing","source":"hay.go"}`},
		} {
			s.Clock.Advance(60e9)
			ids[key+" "+thing.kind] = create(t, s, thing.path, thing.body)
		}
	}
	return s, ids
}

// hits returns a text of the form "project kind" for each result.
func hits(t *testing.T, answer string) []string {
	t.Helper()
	var all []string
	for _, h := range apitest.Field[[]map[string]any](t, answer, "data") {
		all = append(all, fmt.Sprint(h["project_key"], " ", h["kind"]))
	}
	return all
}

func TestSearchEverything(t *testing.T) {
	t.Parallel()
	s, ids := haystack(t)
	all := []string{"two log", "two feedback", "two announcement", "two version", "two project", "one log", "one feedback", "one announcement", "one version", "one project"}
	of := func(word string) (some []string) {
		for _, name := range all {
			if strings.Contains(name, word) {
				some = append(some, name)
			}
		}
		return some
	}
	for _, tc := range []struct {
		name, query string
		want        []string
	}{
		{"everything, newest first", "q=needle", all},
		{"in any case, blanks around it", "q=%20NEEDLE%09", all},
		{"a project", "q=needle&project=one", of("one ")},
		{"a project by a former key", "q=needle&project=%20TWO-OLD%20", of("two ")},
		{"a kind", "q=needle&kind=log", of(" log")},
		{"projects", "q=needle&kind=project", of(" project")},
		{"versions", "q=needle&kind=version", of(" version")},
		{"announcements", "q=needle&kind=announcement", of(" announcement")},
		{"feedback", "q=needle&kind=feedback", of(" feedback")},
		{"a kind of a project", "q=needle&kind=version&project=two", []string{"two version"}},
		{"empty conditions are none", "q=needle&kind=&project=&include_hidden=", all},
		{"as many as are asked for", "q=needle&limit=3", all[:3]},
		{"in one field of one kind", "q=hay.go", of(" log")},
		{"a former key", "q=one-old", []string{"one project"}},
		{"words in any order", "q=missing%20needle", of(" log")},
		{"only the whole text, where it is anywhere", "q=the%20needle", []string{"two feedback", "two announcement", "two version", "one feedback", "one announcement", "one version"}},
		{"nothing", "q=noodle", nil},
		{"unknown parameters are ignored", "q=hay.go&offset=x&search=y", of(" log")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := s.Must(t, 200, "GET", "/admin/search?"+tc.query, "")
			got, total := hits(t, answer), len(tc.want)
			if strings.Contains(tc.query, "limit") {
				total = len(all)
			}
			if !slices.Equal(got, tc.want) || apitest.Field[int](t, answer, "total") != total {
				t.Errorf("got %v of %d, want %v of %d", got, apitest.Field[int](t, answer, "total"), tc.want, total)
			}
		})
	}
	answer := s.Must(t, 200, "GET", "/admin/search?q=needle&project=one", "")
	for i, want := range []string{
		fmt.Sprintf(`{"kind":"log","project_key":"one","id":%q,"title":"ERROR hay.go","excerpt":"needle missing"}`, ids["one log"]),
		fmt.Sprintf(`{"kind":"feedback","id":%q,"title":"ada@mail.example","excerpt":"Where is the needle?"}`, ids["one feedback"]),
		fmt.Sprintf(`{"kind":"announcement","id":%q,"title":"News","excerpt":"The needle is found."}`, ids["one announcement"]),
		fmt.Sprintf(`{"kind":"version","id":%q,"title":"v1.0 First","excerpt":"Finds the needle."}`, ids["one version"]),
		`{"kind":"project","id":"one","project_key":"one","title":"Project one","excerpt":"A needle in one"}`,
	} {
		if why := apitest.CompareJSON(t, hit(t, answer, i), want); why != "" {
			t.Errorf("hit %d: %s in %s", i, why, answer)
		}
	}
	made := apitest.Field[int64](t, s.Must(t, 200, "GET", feedbackOf("one")+"/"+ids["one feedback"], ""), "created_at")
	if why := apitest.CompareJSON(t, hit(t, answer, 1), fmt.Sprintf(`{"created_at":%d}`, made)); why != "" {
		t.Error(why)
	}
	create(t, s, apitest.LogsOf("one"), fmt.Sprintf(`{"level":0,"content":%q}`, strings.Repeat("hay ", 400)+"pin "+strings.Repeat("hay ", 400)))
	excerpt := apitest.Field[string](t, hit(t, s.Must(t, 200, "GET", "/admin/search?q=PIN", ""), 0), "excerpt")
	if !strings.HasPrefix(excerpt, "…") || !strings.HasSuffix(excerpt, "…") || !strings.Contains(excerpt, " pin ") || len(excerpt) > 300 {
		t.Errorf("excerpt of a long text: got %q, want what is around the pin", excerpt)
	}
	s.Must(t, 200, "DELETE", "/admin/projects/two", "")
	if got := hits(t, s.Must(t, 200, "GET", "/admin/search?q=needle", "")); !slices.Equal(got, of("one ")) {
		t.Errorf("after a project was deleted: got %v, want %v", got, of("one "))
	}
	s.Project(t, "two")
	if got := hits(t, s.Must(t, 200, "GET", "/admin/search?q=needle&project=two", "")); len(got) != 0 {
		t.Errorf("in a new project of the same key: got %v, want nothing", got)
	}
}

// hit returns the i-th entry of a page as raw JSON.
func hit(t *testing.T, answer string, i int) string {
	t.Helper()
	data := apitest.Field[[]json.RawMessage](t, answer, "data")
	if i >= len(data) {
		t.Fatalf("no hit %d in %s", i, answer)
	}
	return string(data[i])
}

func TestSearchEverythingRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for _, tc := range []struct {
		query, message string
		status         int
	}{
		{"", "q must have 1 to 128 characters", 400},
		{"q=", "q must have 1 to 128 characters", 400},
		{"q=%20%09%0A", "q must have 1 to 128 characters", 400},
		{"q=" + url.QueryEscape(apitest.Long(129)), "q must have 1 to 128 characters", 400},
		{"q=" + url.QueryEscape(" "+apitest.Long(128)+" "), "", 200},
		{"q=x&limit=0", "limit must be an integer of at least 1", 400},
		{"q=x&limit=101", "limit must be an integer of at most 100", 400},
		{"q=x&limit=", "limit must be an integer", 400},
		{"q=x&limit=ten", "limit must be an integer", 400},
		{"q=x&limit=100", "", 200},
		{"q=x&kind=event", "kind must be one of project, version, announcement, feedback, log", 400},
		{"q=x&kind=Log", "kind must be one of", 400},
		{"q=x&include_hidden=yes", "include_hidden must be true, 1, false or 0", 400},
		{"limit=0&kind=x&include_hidden=x", "kind must be", 400},
		{"q=x&project=none", `project "none" not found`, 404},
		{"q=&project=none", "q must have", 400},
	} {
		status, answer := s.Ask(t, "GET", "/admin/search?"+tc.query, "")
		if status != tc.status || tc.message != "" && !strings.Contains(apitest.Message(t, answer), tc.message) {
			t.Errorf("%.60s: got %d %s, want %d with %q", tc.query, status, answer, tc.status, tc.message)
		}
	}
}

// TestSearchEverythingAccess checks that an API key finds only records to which its scopes and
// projects give access. Other records must not cause an error.
func TestSearchEverythingAccess(t *testing.T) {
	t.Parallel()
	s, _ := haystack(t)
	for _, tc := range []struct {
		name, key, query string
		status           int
		want             []string
	}{
		{"logs", `"scopes":["logs:read"]`, "", 200, []string{"two log", "one log"}},
		{"feedback", `"scopes":["feedbacks:read"]`, "", 200, []string{"two feedback", "one feedback"}},
		{"announcements", `"scopes":["announcements:read"]`, "", 200, []string{"two announcement", "one announcement"}},
		{"versions", `"scopes":["versions:read"]`, "", 200, []string{"two version", "one version"}},
		{"projects", `"scopes":["projects:read"]`, "", 200, []string{"two project", "one project"}},
		{"two of them, and others", `"scopes":["logs:read","events:write","projects:read","stats:read"]`, "", 200, []string{"two log", "two project", "one log", "one project"}},
		{"a kind without its scope", `"scopes":["logs:read"]`, "&kind=feedback", 200, nil},
		{"one project", `"scopes":["logs:read","versions:read"],"project_ids":["one"]`, "", 200, []string{"one log", "one version"}},
		{"that project", `"scopes":["logs:read"],"project_ids":["one"]`, "&project=ONE-old", 200, []string{"one log"}},
		{"another project", `"scopes":["logs:read"],"project_ids":["one"]`, "&project=two", 200, nil},
		{"one that there is not, as if it were another", `"scopes":["logs:read"],"project_ids":["one"]`, "&project=none", 200, nil},
		{"one that there is not, for a key of all projects", `"scopes":["logs:read"]`, "&project=none", 404, nil},
		{"writing is not reading", `"scopes":["logs:write","versions:write","projects:write","feedbacks:write","announcements:write"]`, "", 401, nil},
		{"other things to read", `"scopes":["events:read","stats:read","files:read","tokens:read"]`, "", 401, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			key := s.Key(t, `{"name":"k",`+tc.key+`}`)
			status, answer, _ := s.Do(t, "GET", "/admin/search?q=needle"+tc.query, key, "")
			if status != tc.status {
				t.Fatalf("got %d %s, want %d", status, answer, tc.status)
			}
			if status != 200 {
				return
			}
			if got := hits(t, answer); !slices.Equal(got, tc.want) || apitest.Field[int](t, answer, "total") != len(tc.want) {
				t.Errorf("got %v of %d, want %v", got, apitest.Field[int](t, answer, "total"), tc.want)
			}
		})
	}
	if status, answer, _ := s.Do(t, "GET", "/admin/search?q=needle", "", ""); status != 401 {
		t.Errorf("nobody: got %d %s, want 401", status, answer)
	}
}
