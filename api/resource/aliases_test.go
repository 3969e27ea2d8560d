package resource_test

import (
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// renamed returns a server with a project that has been renamed from alpha to beta to gamma. It has
// a language, translations and versions.
func renamed(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.NewServer(t)
	s.Project(t, "alpha")
	s.Must(t, 201, "POST", "/admin/projects/alpha/locales", `{"locale":"de"}`)
	s.Must(t, 200, "PATCH", "/admin/projects/alpha", `{"translations":[{"locale":"de","name":"deutsch"}]}`)
	s.Publish(t, "alpha", "1.0", "2.0")
	s.Clock.Advance(10 * time.Minute)
	s.Must(t, 200, "PATCH", "/admin/projects/alpha", `{"project_key":"beta"}`)
	s.Clock.Advance(10 * time.Minute)
	s.Must(t, 200, "PATCH", "/admin/projects/alpha", `{"project_key":"gamma"}`)
	return s
}

func TestAliasesResolve(t *testing.T) {
	t.Parallel()
	s := renamed(t)
	id := s.VersionID(t, "gamma", "1.0")
	const key = `{"id":"gamma","project_key":"gamma","aliases":["beta","alpha"]}`
	s.Exchanges(t, []apitest.Exchange{
		{"public project", "GET", "/public/alpha", "", 200, key},
		{"in another case and with blanks", "GET", "/public/%20Alpha%09", "", 200, key},
		{"localised", "GET", "/public/beta?locale=de", "", 200, `{"name":"deutsch","locale":"de","project_key":"gamma"}`},
		{"public versions", "GET", "/public/alpha/versions", "", 200, `{"total":2}`},
		{"latest", "GET", "/public/alpha/versions/latest", "", 200, `{"version":"2.0"}`},
		{"latest preview", "GET", "/public/alpha/versions/latest-preview", "", 200, `null`},
		{"by version", "GET", "/public/alpha/versions/by-version/1.0", "", 200, `{"version":"1.0"}`},
		{"update check", "POST", "/public/alpha/versions/check-update", `{"current_version":"1.0"}`, 200, `{"should_update":true}`},
		{"project", "GET", "/admin/projects/beta", "", 200, key},
		{"change of the project", "PATCH", "/admin/projects/beta", `{"author":"a"}`, 200, key},
		{"aliases", "GET", "/admin/projects/beta/aliases", "", 200, `{"data":[{"alias":"beta"},{"alias":"alpha"}]}`},
		{"languages", "GET", "/admin/projects/beta/locales", "", 200, `{"data":[{"locale":"de"}]}`},
		{"a new language", "POST", "/admin/projects/beta/locales", `{"locale":"fr"}`, 201, ``},
		{"change of a language", "PATCH", "/admin/projects/beta/locales/fr", `{"label":"l"}`, 200, `{"label":"l"}`},
		{"end of a language", "DELETE", "/admin/projects/beta/locales/fr", ``, 200, ``},
		{"versions", "GET", apitest.VersionsOf("beta"), "", 200, `{"total":2}`},
		{"status of the versions", "GET", apitest.VersionsOf("beta") + "/_status", "", 200, `{"module":"versions"}`},
		{"a new version", "POST", apitest.VersionsOf("beta"), `{"version":"3.0","comparable_version":"3.0"}`, 201, ``},
		{"publish", "PUT", apitest.VersionsOf("beta") + "/by-version/3.0", `{}`, 200, ``},
		{"a version", "GET", apitest.VersionsOf("beta") + "/" + id, "", 200, `{"version":"1.0"}`},
		{"change of a version", "PATCH", apitest.VersionsOf("beta") + "/" + id, `{"title":"t"}`, 200, `{"title":"t"}`},
		{"the older way to make a version", "POST", "/admin/projects/versions", `{"project_key":" ALPHA ","version":"4.0","comparable_version":"4.0"}`, 201, ``},
		{"end of a version", "DELETE", apitest.VersionsOf("alpha") + "/" + id, "", 200, ``},
		{"all of it happened to one project", "GET", "/public/gamma/versions", "", 200, `{"data":[{"version":"4.0"},{"version":"3.0"},{"version":"2.0"}]}`},
		{"rename by an alias", "PATCH", "/admin/projects/alpha", `{"project_key":"delta"}`, 200, `{"id":"delta","aliases":["gamma","beta","alpha"]}`},
		{"deletion by an alias", "DELETE", "/admin/projects/alpha", "", 200, ``},
	})
}

func TestRename(t *testing.T) {
	t.Parallel()
	s := renamed(t)
	limited := s.Key(t, `{"name":"k","project_ids":["beta"],"scopes":["projects:read"]}`)
	const gamma = "/admin/projects/gamma"
	ages := apitest.Field[[]struct {
		Alias     string
		CreatedAt int64 `json:"created_at"`
	}](t, s.Must(t, 200, "GET", gamma+"/aliases", ""), "data")
	if passed := ages[0].CreatedAt - ages[1].CreatedAt; passed < 600 || passed > 660 {
		t.Errorf("an alias is as old as the rename: got %d seconds between two renames ten minutes apart", passed)
	}
	s.Project(t, "other")
	s.Must(t, 200, "PATCH", "/admin/projects/other", `{"project_key":"moved"}`)
	s.Refusals(t, gamma, []apitest.Refusal{
		{"to the key of another project", "PATCH", gamma, `{"project_key":"moved"}`, 409, `project_key "moved" is taken by another project`},
		{"to an alias of another project", "PATCH", gamma, `{"project_key":"OTHER"}`, 409, `project_key "other" is an alias of project "moved"`},
		{"nothing else of a refused rename is stored", "PATCH", gamma, `{"project_key":"moved","name":"n"}`, 409, `taken`},
		{"to a key with a slash", "PATCH", gamma, `{"project_key":"a/b"}`, 400, `project_key must not contain`},
		{"to a key that is too long", "PATCH", gamma, `{"project_key":"` + strings.Repeat("a", 65) + `"}`, 400, `at most 64 characters`},
	})
	s.Exchanges(t, []apitest.Exchange{
		{"to an alias of its own, which vanishes as such", "PATCH", gamma, `{"project_key":"Alpha"}`, 200, `{"id":"alpha","aliases":["gamma","beta"]}`},
		{"the key that was is an alias", "GET", gamma, "", 200, `{"id":"alpha"}`},
		{"the aliases agree", "GET", gamma + "/aliases", "", 200, `{"data":[{"alias":"gamma"},{"alias":"beta"}]}`},
		{"texts and languages went along", "GET", "/admin/projects/alpha", "", 200, `{"name":"alpha","translations":[{"locale":"de","name":"deutsch"}]}`},
		{"versions went along", "GET", "/public/alpha/versions", "", 200, `{"total":2}`},
		{"with other fields in one request", "PATCH", gamma, `{"project_key":"omega","name":"n"}`, 200, `{"id":"omega","name":"n","aliases":["alpha","gamma","beta"]}`},
		{"back and forth leaves no alias twice", "PATCH", gamma, `{"project_key":"alpha"}`, 200, `{"id":"alpha","aliases":["omega","gamma","beta"]}`},
		{"it is still one project", "GET", "/admin/projects/statistics", "", 200, `{"count":2}`},
	})
	for _, name := range []string{"alpha", "omega", "gamma", "beta"} {
		if status, answer, _ := s.Do(t, "GET", "/admin/projects/"+name, limited, ""); status != 200 {
			t.Errorf("an API key keeps its access across renames: %s: got %d %s, want 200", name, status, answer)
		}
	}
}

func TestDeleteAlias(t *testing.T) {
	t.Parallel()
	s := renamed(t)
	s.Project(t, "other")
	s.Must(t, 200, "PATCH", "/admin/projects/other", `{"project_key":"moved"}`)
	const gamma = "/admin/projects/gamma"
	s.Refusals(t, gamma, []apitest.Refusal{
		{"an alias nobody has", "DELETE", gamma + "/aliases/none", "", 404, "alias not found"},
		{"an alias of another project", "DELETE", gamma + "/aliases/other", "", 404, "alias not found"},
		{"the key itself", "DELETE", gamma + "/aliases/gamma", "", 404, "alias not found"},
		{"of a project nobody has", "DELETE", "/admin/projects/none/aliases/alpha", "", 404, `project "none" not found`},
		{"aliases of a project nobody has", "GET", "/admin/projects/none/aliases", "", 404, `project "none" not found`},
	})
	s.Exchanges(t, []apitest.Exchange{
		{"the other project still has its alias", "GET", "/public/other", "", 200, `{"id":"moved"}`},
		{"by way of an alias, in another case", "DELETE", "/admin/projects/beta/aliases/%20Alpha", "", 200, `{"success":true}`},
		{"the others stay", "GET", gamma, "", 200, `{"aliases":["beta"]}`},
		{"it is unknown at once", "GET", "/public/alpha", "", 404, ``},
		{"for administrators, too", "GET", "/admin/projects/alpha", "", 404, ``},
		{"a second time", "DELETE", gamma + "/aliases/alpha", "", 404, ``},
		{"another project may have it", "POST", "/admin/projects", `{"project_key":"alpha","name":"new"}`, 201, `{"aliases":[]}`},
		{"and answers to it", "GET", "/public/alpha", "", 200, `{"name":"new"}`},
		{"an alias through itself", "DELETE", "/admin/projects/beta/aliases/beta", "", 200, ``},
		{"none is left", "GET", gamma + "/aliases", "", 200, `{"data":[]}`},
	})
}
