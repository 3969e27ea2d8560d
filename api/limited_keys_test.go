package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"svc/api/apitest"
)

// secretMark appears in every text of the project that limited keys must not reach.
const secretMark = "internal affair"

// border is a server with the projects "mine" and "other". Its key has every scope, but only for
// the project "mine".
type border struct {
	*apitest.Server
	key           string
	mine, foreign string // ids of versions
}

func newBorder(t *testing.T, opts ...apitest.Option) *border {
	t.Helper()
	b := &border{Server: apitest.NewServer(t, opts...)}
	for _, name := range []string{"mine", "other"} {
		b.Must(t, 201, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":"%s-old","name":%q}`, name, secretMark))
		b.Must(t, 200, "PATCH", "/admin/projects/"+name+"-old", fmt.Sprintf(`{"project_key":%q}`, name))
		b.Must(t, 201, "POST", "/admin/projects/"+name+"/locales", `{"locale":"de"}`)
		title := secretMark
		if name == "mine" {
			title = "open"
			b.Must(t, 200, "PATCH", "/admin/projects/mine", `{"name":"open"}`)
		}
		id := apitest.Field[string](t, b.Must(t, 201, "POST", "/admin/projects/"+name+"/versions",
			fmt.Sprintf(`{"version":"1.0.0","comparable_version":"1.0.0","title":%q}`, title)), "id")
		if b.foreign = id; name == "mine" {
			b.mine = id
		}
	}
	b.key = grant(t, b.Server, scopes(t, b.Server), `,"project_ids":["mine"]`)
	return b
}

type crossing struct {
	name, method, path, body string
	status                   int
}

// cross sends requests with the limited key and checks that they neither change nor reveal the
// project "other".
func (b *border) cross(t *testing.T, rows []crossing) {
	t.Helper()
	before := b.State(t, "other")
	fill := strings.NewReplacer("{mine}", b.mine, "{foreign}", b.foreign, "{FOREIGN}", strings.ToUpper(b.foreign))
	for _, tc := range rows {
		status, answer, _ := b.Do(t, tc.method, fill.Replace(tc.path), b.key, fill.Replace(tc.body))
		if status != tc.status {
			t.Errorf("%s: got %d %s, want %d", tc.name, status, answer, tc.status)
		}
		if strings.Contains(answer, secretMark) {
			t.Errorf("%s: the answer shows the other project: %s", tc.name, answer)
		}
	}
	if after := b.State(t, "other"); after != before {
		t.Errorf("the other project was changed\nbefore %s\nafter  %s", before, after)
	}
}

func TestLimitedKeyPath(t *testing.T) {
	t.Parallel()
	newBorder(t).cross(t, []crossing{
		{"own key", "GET", "/admin/projects/mine", "", 200},
		{"own alias", "GET", "/admin/projects/mine-old", "", 200},
		{"own key in capitals", "GET", "/admin/projects/MINE", "", 200},
		{"own alias in capitals", "GET", "/admin/projects/Mine-Old/versions", "", 200},
		{"own key between blanks", "GET", "/admin/projects/%20mine%09", "", 200},
		{"own key, encoded", "GET", "/admin/projects/%6D%69%6e%65", "", 200},
		{"own key and a slash", "GET", "/admin/projects/mine/", "", 200},
		{"other key", "GET", "/admin/projects/other", "", 401},
		{"other alias", "GET", "/admin/projects/other-old", "", 401},
		{"other key in capitals", "GET", "/admin/projects/OTHER", "", 401},
		{"other key between blanks", "GET", "/admin/projects/%20other%20", "", 401},
		{"other key, encoded", "GET", "/admin/projects/%6f%74%68%65%72", "", 401},
		{"other key, encoded twice", "GET", "/admin/projects/%256fther", "", 401},
		{"other key and a slash", "GET", "/admin/projects/other/", "", 401},
		{"other key and a NUL", "GET", "/admin/projects/other%00", "", 401},
		{"both keys in one segment", "GET", "/admin/projects/mine%2F..%2Fother", "", 401},
		{"both keys in one segment, backslash", "GET", "/admin/projects/mine%5C..%5Cother", "", 401},
		{"both keys, comma", "GET", "/admin/projects/mine,other", "", 401},
		{"dots are no way out", "GET", "/admin/projects/mine/../other", "", 404},
		{"encoded dots are no way out", "GET", "/admin/projects/mine/%2e%2e/other", "", 404},
		{"dots as a key", "GET", "/admin/projects/..", "", 401},
		{"unknown project", "GET", "/admin/projects/nobody", "", 401},
		{"unknown project with a version", "GET", "/admin/projects/nobody/versions/{mine}", "", 401},
		{"HEAD of the own project", "HEAD", "/admin/projects/mine", "", 200},
		{"HEAD of the other", "HEAD", "/admin/projects/other", "", 401},
		{"write to the other", "PUT", "/admin/projects/other/versions/by-version/2.0.0", "", 401},
		{"what is wrong with a write to the other is not said", "PUT", "/admin/projects/other/versions/by-version/x", `{"title":5}`, 401},
		{"what is wrong with the path below the other is not said", "PATCH", "/admin/projects/other/locales/nothing", `[`, 401},
		{"write to the alias of the other", "PUT", "/admin/projects/other-old/versions/by-version/2.0.0", "", 401},
		{"language of the other", "DELETE", "/admin/projects/other/locales/de", "", 401},
		{"alias of the other", "DELETE", "/admin/projects/other/aliases/other-old", "", 401},
		{"alias of the other below the own project", "DELETE", "/admin/projects/mine/aliases/other-old", "", 404},
		{"key of the other as own alias", "DELETE", "/admin/projects/mine/aliases/other", "", 404},
		{"version of the other by its text", "PUT", "/admin/projects/mine%2Fother/versions/by-version/1.0.0", "", 401},
		{"delete the other", "DELETE", "/admin/projects/other", "", 401},
		{"delete the other by its alias", "DELETE", "/admin/projects/other-old", "", 401},
		{"list of projects", "GET", "/admin/projects", "", 401},
		{"list of projects, searched for the own", "GET", "/admin/projects?search=mine", "", 401},
		{"number of projects", "GET", "/admin/projects/statistics", "", 401},
		{"statistics of all versions", "GET", "/admin/versions/statistics", "", 401},
		{"status of the module", "GET", "/admin/projects/_status", "", 401},
		{"new project", "POST", "/admin/projects", `{"project_key":"third","name":"x"}`, 401},
		{"new project under the own key", "POST", "/admin/projects", `{"project_key":"mine","name":"x"}`, 401},
	})
}

func TestLimitedKeyBody(t *testing.T) {
	t.Parallel()
	const create = "/admin/projects/versions"
	version := func(text, more string) string {
		return fmt.Sprintf(`{"version":%q,"comparable_version":%[1]q,%s}`, text, more)
	}
	b := newBorder(t)
	b.cross(t, []crossing{
		{"own key", "POST", create, version("2.0.1", `"project_key":"mine"`), 201},
		{"own alias", "POST", create, version("2.0.2", `"project_key":"mine-old"`), 201},
		{"own key in capitals between blanks", "POST", create, version("2.0.3", `"project_key":" MINE\t"`), 201},
		{"other key", "POST", create, version("2.0.9", `"project_key":"other"`), 401},
		{"other alias", "POST", create, version("2.0.9", `"project_key":"other-old"`), 401},
		{"other key in capitals between blanks", "POST", create, version("2.0.9", `"project_key":" OTHER\n"`), 401},
		{"other key, escaped", "POST", create, version("2.0.9", `"project_key":"\u006fther"`), 401},
		{"unknown project", "POST", create, version("2.0.9", `"project_key":"nobody"`), 401},
		{"twice, own first: the last one counts", "POST", create, version("2.0.9", `"project_key":"mine","project_key":"other"`), 401},
		{"twice, own last: the last one counts", "POST", create, version("2.0.4", `"project_key":"other","project_key":"mine"`), 201},
		{"twice, own first, the other escaped", "POST", create, version("2.0.9", `"project_key":"mine","project\u005fkey":"other"`), 401},
		{"twice, own last is null", "POST", create, version("2.0.9", `"project_key":"other","project_key":null`), 401},
		{"field in capitals is another field", "POST", create, version("2.0.5", `"project_key":"mine","Project_Key":"other","PROJECT_KEY":"other"`), 201},
		{"only a field in capitals", "POST", create, version("2.0.9", `"Project_Key":"mine"`), 401},
		{"other names for it", "POST", create, version("2.0.6", `"project_key":"mine","projectKey":"other","project":"other","project_id":"other","k":"other"`), 201},
		{"null", "POST", create, version("2.0.9", `"project_key":null`), 401},
		{"number", "POST", create, version("2.0.9", `"project_key":1`), 401},
		{"list with the own key", "POST", create, version("2.0.9", `"project_key":["mine"]`), 401},
		{"list of both", "POST", create, version("2.0.9", `"project_key":["mine","other"]`), 401},
		{"object", "POST", create, version("2.0.9", `"project_key":{"project_key":"mine"}`), 401},
		{"empty", "POST", create, version("2.0.9", `"project_key":""`), 401},
		{"left out", "POST", create, version("2.0.9", `"title":"x"`), 401},
		{"no body", "POST", create, "", 401},
		{"body is a list", "POST", create, `[{"project_key":"mine"}]`, 401},
		{"body is cut off", "POST", create, `{"project_key":"mine"`, 401},
		{"two bodies", "POST", create, `{"project_key":"mine"}{"project_key":"other"}`, 401},
		{"own key in the query", "POST", create + "?project_key=mine", version("2.0.9", `"project_key":"other"`), 401},
		{"only in the query", "POST", create + "?project_key=mine&k=mine", version("2.0.9", `"title":"x"`), 401},
		{"other key in the query", "POST", create + "?project_key=other&k=other", version("2.0.7", `"project_key":"mine"`), 201},

		{"path counts, not the body", "POST", "/admin/projects/mine/versions", version("2.0.8", `"project_key":"other"`), 201},
		{"path counts, not the own key in the body", "POST", "/admin/projects/other/versions", version("2.0.9", `"project_key":"mine"`), 401},
		{"path counts, not the query", "POST", "/admin/projects/other/versions?k=mine&project_key=mine", version("2.0.9", `"title":"x"`), 401},
		{"publish below the own project", "PUT", "/admin/projects/mine/versions/by-version/2.1.0", `{"project_key":"other"}`, 201},
		{"rename to the other key", "PATCH", "/admin/projects/mine", `{"project_key":"other"}`, 409},
		{"rename to the other alias", "PATCH", "/admin/projects/mine", `{"project_key":"other-old"}`, 409},
		{"id is read-only", "PATCH", "/admin/projects/mine", `{"id":"other","aliases":["other"]}`, 200},
	})
	if got := apitest.Field[int](t, b.Must(t, 200, "GET", "/admin/projects/mine/versions?limit=1", ""), "total"); got != 10 {
		t.Errorf("versions of the own project: got %d, want 10", got)
	}
}

func TestLimitedKeyRecord(t *testing.T) {
	t.Parallel()
	newBorder(t).cross(t, []crossing{
		{"own version by its id", "GET", "/admin/versions/{mine}", "", 200},
		{"own version by its id, changed", "PATCH", "/admin/versions/{mine}", `{"title":"x"}`, 200},
		{"read by id", "GET", "/admin/versions/{foreign}", "", 401},
		{"HEAD by id", "HEAD", "/admin/versions/{foreign}", "", 401},
		{"read by id in capitals", "GET", "/admin/versions/{FOREIGN}", "", 401},
		{"read by id and a slash", "GET", "/admin/versions/{foreign}/", "", 401},
		{"change by id", "PATCH", "/admin/versions/{foreign}", `{"title":"x"}`, 401},
		{"change by id, own key in body and query", "PATCH", "/admin/versions/{foreign}?project_key=mine&k=mine", `{"project_key":"mine","title":"x"}`, 401},
		{"delete by id", "DELETE", "/admin/versions/{foreign}", "", 401},
		{"unknown id", "GET", "/admin/versions/00000000-0000-7000-8000-000000000000", "", 401},
		{"no id", "GET", "/admin/versions/1.0.0", "", 401},
		{"id of a project", "GET", "/admin/versions/mine", "", 401},
		{"ids of both", "GET", "/admin/versions/{mine}%2F{foreign}", "", 401},
		{"read below the own project", "GET", "/admin/projects/mine/versions/{foreign}", "", 404},
		{"change below the own project", "PATCH", "/admin/projects/mine/versions/{foreign}", `{"title":"x"}`, 404},
		{"delete below the own project", "DELETE", "/admin/projects/mine/versions/{foreign}", "", 404},
		{"read below the own alias", "GET", "/admin/projects/mine-old/versions/{foreign}", "", 404},
		{"own version below the other project", "GET", "/admin/projects/other/versions/{mine}", "", 401},
		{"own version, deleted", "DELETE", "/admin/versions/{mine}", "", 200},
		{"own version after its deletion", "GET", "/admin/versions/{mine}", "", 401},
	})
}

// TestLimitedKeyFollowsItsProject checks that a key reaches its project under every current name of
// that project. It must not reach another project that takes over a former name.
func TestLimitedKeyFollowsItsProject(t *testing.T) {
	t.Parallel()
	b := newBorder(t)
	status := func(path string) int {
		status, _, _ := b.Do(t, "GET", "/admin/projects/"+path, b.key, "")
		return status
	}
	step := func(what string, reached []string, refused ...string) {
		t.Helper()
		for _, path := range reached {
			if got := status(path); got != 200 {
				t.Errorf("%s: %s: got %d, want 200", what, path, got)
			}
		}
		for _, path := range refused {
			if got := status(path); got != 401 {
				t.Errorf("%s: %s: got %d, want 401", what, path, got)
			}
		}
	}
	shown := func() string {
		return string(apitest.Field[[]struct {
			Projects json.RawMessage `json:"project_ids"`
		}](t, b.Must(t, 200, "GET", "/auth/api-keys", ""), "data")[0].Projects)
	}

	b.Must(t, 200, "PATCH", "/admin/projects/mine", `{"project_key":"renamed"}`)
	step("renamed", []string{"renamed", "mine", "mine-old"}, "other")
	if got := shown(); got != `["renamed"]` {
		t.Errorf("project_ids after renaming: got %s", got)
	}
	b.Must(t, 200, "DELETE", "/admin/projects/renamed/aliases/mine", "")
	step("alias deleted", []string{"renamed", "mine-old"}, "mine")
	b.Must(t, 200, "PATCH", "/admin/projects/other", `{"project_key":"mine"}`)
	step("alias re-used by another project", []string{"renamed"}, "mine", "other", "MINE")
	b.Must(t, 200, "DELETE", "/admin/projects/renamed", "")
	step("project deleted", nil, "renamed", "mine-old", "mine")
	if got := shown(); got != `[]` {
		t.Errorf("project_ids after deletion: got %s", got)
	}
	b.Must(t, 201, "POST", "/admin/projects", `{"project_key":"renamed","name":"Another of this name"}`)
	step("key of the deleted project given to a new one", nil, "renamed", "mine")
}

// TestLimitedKeyWhileNamesMove checks that a limited key does not reach another project if a
// project name is reassigned between the check of the credential and the handler.
func TestLimitedKeyWhileNamesMove(t *testing.T) {
	t.Parallel()
	b := newBorder(t)
	other := b.Must(t, 200, "GET", "/admin/projects/other", "")
	b.Must(t, 200, "DELETE", "/admin/projects/mine/aliases/mine-old", "")
	b.Must(t, 200, "DELETE", "/admin/projects/other/aliases/other-old", "")
	b.Must(t, 200, "PATCH", "/admin/projects/mine", `{"project_key":"a"}`)
	b.Must(t, 200, "DELETE", "/admin/projects/a/aliases/mine", "")

	stop := make(chan struct{})
	var working sync.WaitGroup
	for range 2 {
		working.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, c := range []crossing{
					{"describe", "PATCH", "/admin/projects/shared", `{"description":"written with the limited key"}`, 0},
					{"publish", "PUT", "/admin/projects/shared/versions/by-version/9.9.9", `{"title":"written with the limited key"}`, 0},
					{"read", "GET", "/admin/projects/shared", "", 0},
					{"list", "GET", "/admin/projects/shared/versions", "", 0},
				} {
					status, answer, _ := b.Do(t, c.method, c.path, b.key, c.body)
					if strings.Contains(answer, secretMark) || status >= 500 {
						t.Errorf("%s: %d %s", c.name, status, answer)
					}
				}
			}
		})
	}
	for range 100 {
		for _, name := range []string{"a", "other"} {
			b.Must(t, 200, "PATCH", "/admin/projects/"+name, `{"project_key":"shared"}`)
			b.Must(t, 200, "PATCH", "/admin/projects/shared", fmt.Sprintf(`{"project_key":%q}`, name))
			b.Must(t, 200, "DELETE", "/admin/projects/"+name+"/aliases/shared", "")
		}
	}
	close(stop)
	working.Wait()
	if got := apitest.Field[any](t, b.Must(t, 200, "GET", "/admin/projects/other", ""), "description"); got != apitest.Field[any](t, other, "description") {
		t.Errorf("description of the other project is %v", got)
	}
	if got := apitest.Field[int](t, b.Must(t, 200, "GET", "/admin/projects/other/versions", ""), "total"); got != 1 {
		t.Errorf("versions of the other project: got %d, want 1", got)
	}
}
