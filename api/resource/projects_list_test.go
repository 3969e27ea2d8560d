package resource_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
)

// TestPaging checks that paging works in the same way for every paged list.
func TestPaging(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for i := range 25 {
		s.Project(t, fmt.Sprintf("p%02d", i))
	}
	s.Publish(t, "p00", func() (all []string) {
		for i := range 25 {
			all = append(all, fmt.Sprintf("1.%d", i))
		}
		return all
	}()...)
	for _, list := range []struct{ path, name, first, twentieth, last string }{
		{"/admin/projects", "project_key", "p24", "p05", "p00"},
		{apitest.VersionsOf("p00"), "version", "1.24", "1.5", "1.0"},
		{"/public/p00/versions", "version", "1.24", "1.5", "1.0"},
	} {
		for _, tc := range []struct {
			query      string
			length     int
			begin, end string
		}{
			{"", 20, list.first, list.twentieth},
			{"limit=1", 1, list.first, list.first},
			{"limit=100", 25, list.first, list.last},
			{"offset=0", 20, list.first, list.twentieth},
			{"offset=24", 1, list.last, list.last},
			{"limit=2&offset=24", 1, list.last, list.last},
			{"offset=25", 0, "", ""},
			{"offset=9007199254740992", 0, "", ""},
			{"limit=1&limit=x", 1, list.first, list.first},
			{"colour=red", 20, list.first, list.twentieth},
		} {
			t.Run(list.path+"?"+tc.query, func(t *testing.T) {
				status, answer := s.Ask(t, "GET", list.path+"?"+tc.query, "")
				if status != http.StatusOK {
					t.Fatalf("got %d %s, want 200", status, answer)
				}
				if total := apitest.Field[int](t, answer, "total"); total != 25 {
					t.Errorf("total: got %d, want all 25 matches", total)
				}
				names := listed(t, answer, list.name)
				if len(names) != tc.length || tc.length > 0 && (names[0] != tc.begin || names[len(names)-1] != tc.end) {
					t.Errorf("got %v, want %d from %s to %s", names, tc.length, tc.begin, tc.end)
				}
			})
		}
		for _, bad := range []struct{ query, message string }{
			{"limit=0", "limit must be an integer of at least 1"},
			{"limit=-1", "limit must be an integer of at least 1"},
			{"limit=101", "limit must be an integer of at most 100"},
			{"limit=", "limit must be an integer"},
			{"limit", "limit must be an integer"},
			{"limit=x", "limit must be an integer"},
			{"limit=1.5", "limit must be an integer"},
			{"limit=1e1", "limit must be an integer"},
			{"limit=99999999999999999999", "limit must be an integer"},
			{"offset=-1", "offset must be an integer of at least 0"},
			{"offset=", "offset must be an integer"},
			{"offset=x", "offset must be an integer"},
			{"limit=0&offset=x", "offset must be an integer"},
			{"search=" + url.QueryEscape(apitest.Long(129)), "search must have at most 128 characters"},
		} {
			t.Run(list.path+"?"+bad.query, func(t *testing.T) {
				status, answer := s.Ask(t, "GET", list.path+"?"+bad.query, "")
				if status != http.StatusBadRequest || !strings.Contains(apitest.Message(t, answer), bad.message) {
					t.Errorf("got %d %s, want 400 with %q", status, answer, bad.message)
				}
			})
		}
	}
}

// listed returns the value of the named field in every entry of a list.
func listed(t testing.TB, answer, name string) []string {
	t.Helper()
	names := []string{}
	for _, entry := range apitest.Field[[]map[string]any](t, answer, "data") {
		names = append(names, fmt.Sprint(entry[name]))
	}
	return names
}

func TestListProjects(t *testing.T) {
	t.Parallel()
	const all = "/admin/projects"
	s := apitest.NewServer(t)
	s.Exchanges(t, []apitest.Exchange{{"nothing yet", "GET", all, "", 200, `{"total":0,"data":[]}`}})
	for _, body := range []string{
		`{"project_key":"old","name":"Ärger"}`,
		`{"project_key":"percent","name":"100% sure","description":"Fast\nand small","author":"Zoë"}`,
		`{"project_key":"under_score","name":"b","repo_url":"https://Git.example/r"}`,
		`{"project_key":"plain","name":"c","website_url":"https://only.example","docs_url":"https://only.example","icon_url":"https://only.example","author_homepage_url":"https://only.example"}`,
	} {
		s.Must(t, http.StatusCreated, "POST", all, body)
	}
	s.Must(t, 200, "PATCH", all+"/old", `{"project_key":"new"}`)
	s.Must(t, http.StatusCreated, "POST", all+"/new/locales", `{"locale":"de"}`)
	s.Must(t, 200, "PATCH", all+"/new", `{"translations":[{"locale":"de","name":"Uebersetzt"}]}`)
	for _, tc := range []struct{ name, query, want string }{
		{"newest created first, whatever changed since", "", "plain under_score percent new"},
		{"a part of the key", "search=lai", "plain"},
		{"a part of the name", "search=sure", "percent"},
		{"the name without regard to case, in any script", "search=%C3%84RGER", "new"},
		{"the description, over a line break", "search=fast%0Aand", "percent"},
		{"the author", "search=zo%C3%AB", "percent"},
		{"the repository", "search=git.example", "under_score"},
		{"an alias", "search=OLD", "new"},
		{"not the other addresses", "search=only.example", ""},
		{"not the translations", "search=uebersetzt", ""},
		{"a percent sign is itself", "search=%25", "percent"},
		{"a percent sign stands for nothing else", "search=1%25", ""},
		{"an underscore is itself", "search=_", "under_score"},
		{"an underscore stands for nothing else", "search=n_w", ""},
		{"a backslash is itself", "search=%5C%25", ""},
		{"blanks around it do not count", "search=%20%20sure%20", "percent"},
		{"blanks inside do", "search=100%25%20sure", "percent"},
		{"blank is not sent", "search=%20", "plain under_score percent new"},
		{"empty is not sent", "search=", "plain under_score percent new"},
		{"128 characters", "search=" + url.QueryEscape(apitest.Long(128)), ""},
		{"128 characters after trimming", "search=%20" + url.QueryEscape(apitest.Long(128)) + "%20", ""},
		{"a page of what was found", "search=e&limit=1&offset=1", "percent"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := s.Must(t, http.StatusOK, "GET", all+"?"+tc.query, "")
			if got := strings.Join(listed(t, answer, "project_key"), " "); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.query, got, tc.want)
			}
			if strings.Contains(answer, "total_is_estimate") {
				t.Errorf("%s: the total is exact, got %s", tc.query, answer)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"total counts matches beyond the page", "GET", all + "?search=e&limit=1", "", 200, `{"total":3,"data":[{}]}`},
		{"translations are listed", "GET", all + "?search=new", "", 200, `{"data":[{"translations":[{"locale":"de","name":"Uebersetzt","description":null}]}]}`},
	})
}

func TestDeleteProject(t *testing.T) {
	t.Parallel()
	const app = "/admin/projects/app"
	s := apitest.NewServer(t)
	s.Project(t, "other")
	s.Publish(t, "other", "1.0")
	s.Project(t, "before")
	s.Must(t, 200, "PATCH", "/admin/projects/before", `{"project_key":"app"}`)
	s.Must(t, http.StatusCreated, "POST", app+"/locales", `{"locale":"de","aliases":["x"]}`)
	s.Must(t, 200, "PATCH", app, `{"description":"d","translations":[{"locale":"de","name":"n"}]}`)
	s.Publish(t, "app", "1.0", "2.0-rc preview")
	id := s.VersionID(t, "app", "1.0")
	limited := s.Key(t, `{"name":"k","project_ids":["app","other"],"scopes":["projects:read"]}`)
	only := s.Key(t, `{"name":"only","project_ids":["app"],"scopes":["projects:read"]}`)
	s.Exchanges(t, []apitest.Exchange{
		{"unknown project", "DELETE", "/admin/projects/none", "", 404, `{"message":"project \"none\" not found"}`},
		{"by an alias", "DELETE", "/admin/projects/before", "", 200, `{"success":true}`},
		{"a second time", "DELETE", app, "", 404, ``},
		{"the project is gone", "GET", app, "", 404, ``},
		{"for the public, too", "GET", "/public/app", "", 404, ``},
		{"its alias is gone", "GET", "/public/before", "", 404, ``},
		{"its versions are gone", "GET", "/public/app/versions", "", 404, ``},
		{"for checks, too", "POST", "/public/app/versions/check-update", `{"current_version":"1.0"}`, 404, ``},
		{"its versions cannot be reached by id", "GET", "/admin/versions/" + id, "", 404, `{"message":"version not found"}`},
		{"nor changed", "PATCH", "/admin/versions/" + id, `{}`, 404, ``},
		{"nor deleted", "DELETE", "/admin/versions/" + id, ``, 404, ``},
		{"others are not touched", "GET", "/public/other/versions", "", 200, `{"total":1}`},
		{"it is not counted", "GET", "/admin/projects/statistics", "", 200, `{"count":1}`},
		{"its versions are not counted", "GET", "/admin/versions/statistics", "", 200, `{"total_versions":1,"total_projects":1}`},
		{"its alias is free", "POST", "/admin/projects", `{"project_key":"before","name":"x"}`, 201, ``},
		{"its key is free", "POST", "/admin/projects", `{"project_key":"app","name":"x"}`, 201, `{"aliases":[],"description":null,"translations":[]}`},
		{"the new one has no versions", "GET", "/public/app/versions", "", 200, `{"total":0,"data":[]}`},
		{"the new one has no languages", "GET", app + "/locales", "", 200, `{"data":[]}`},
		{"a language of the same tag has no translations", "POST", app + "/locales", `{"locale":"de"}`, 201, `{"aliases":[]}`},
		{"none at all", "GET", app, "", 200, `{"translations":[]}`},
	})
	for _, tc := range []struct {
		name, path, key string
		status          int
	}{
		{"a key of the old project does not open the new one", "/app", only, 401},
		{"nor when it has others", "/app", limited, 401},
		{"the others stay open", "/other", limited, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if status, answer, _ := s.Do(t, "GET", "/admin/projects"+tc.path, tc.key, ""); status != tc.status {
				t.Errorf("got %d %s, want %d", status, answer, tc.status)
			}
		})
	}
}

// TestProjectActivity checks that the list of projects contains the latest version and the time of
// the last request of each project if the client requests them.
func TestProjectActivity(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	for _, key := range []string{"quiet", "busy"} {
		s.Project(t, key)
	}
	s.Publish(t, "busy", "1.0", "2.0")
	now := s.Clock.Now().Unix()
	s.Count(t, "busy", apitest.SeenRequest{At: now - 9*3600, Endpoint: "VERSION_CHECK_UPDATE", Platform: "linux"})
	type project struct {
		Latest *struct {
			Version     string
			PublishedAt int64 `json:"published_at"`
		}
		LastActivityAt *int64 `json:"last_activity_at"`
	}
	var list struct{ Data []project }
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/projects?activity=true", "")), &list); err != nil {
		t.Fatal(err)
	}
	busy, quiet := list.Data[0], list.Data[1]
	if busy.Latest == nil || busy.Latest.Version != "2.0" || busy.Latest.PublishedAt == 0 {
		t.Errorf("latest: got %+v, want 2.0", busy.Latest)
	}
	if want := (now - 9*3600) / 3600 * 3600; busy.LastActivityAt == nil || *busy.LastActivityAt != want {
		t.Errorf("last activity: got %v, want %d", busy.LastActivityAt, want)
	}
	if quiet.Latest != nil || quiet.LastActivityAt != nil {
		t.Errorf("without versions and requests: got %+v, want null", quiet)
	}
	for _, query := range []string{"", "?activity=false"} {
		if answer := s.Must(t, 200, "GET", "/admin/projects"+query, ""); strings.Contains(answer, `"latest"`) {
			t.Errorf("%q: the list has activity: %s", query, answer)
		}
	}
	if status, answer := s.Ask(t, "GET", "/admin/projects?activity=yes", ""); status != 400 || !strings.Contains(answer, "activity must be true, 1, false or 0") {
		t.Errorf("got %d %s, want a refusal", status, answer)
	}
}
