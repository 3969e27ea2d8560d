package resource_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/api/apitest"
)

// bothFamilies runs a test on both path families for API keys.
func bothFamilies(t *testing.T, test func(t *testing.T, s *apitest.Server, family string)) {
	t.Helper()
	for _, family := range []string{"/auth/api-keys", "/auth/tokens"} {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t)
			s.Project(t, "one")
			s.Project(t, "two-old")
			s.Must(t, 200, "PATCH", "/admin/projects/two-old", `{"project_key":"two"}`)
			test(t, s, family)
		})
	}
}

// lifeOf returns the lifetime of a new key in seconds, or 0 if it never expires.
func lifeOf(t *testing.T, answer string) int64 {
	t.Helper()
	end := apitest.Field[*int64](t, answer, "expires_at")
	if end == nil {
		return 0
	}
	return *end - apitest.Field[int64](t, answer, "created_at")
}

func TestScopeList(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Exchanges(t, []apitest.Exchange{{"all scopes in their order, and the default", "GET", "/auth/api-scopes", "", 200, `{"data":[
		"projects:read","projects:write","versions:read","versions:write","announcements:read","announcements:write",
		"events:read","events:write","feedbacks:read","feedbacks:write","logs:read","logs:write",
		"files:read","files:write","stats:read","tokens:read","tokens:write"],"default":["versions:write"]}`}})
}

func TestCreateAPIKey(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		for _, tc := range []struct {
			name, body, want string
			life             int64
		}{
			{"only a name", `{"name":"ci"}`, `{"name":"ci","scopes":["versions:write"],"all_projects":true,"project_ids":[]}`, 30 * apitest.Day},
			{"null is the same as not sent", `{"name":"ci","scopes":null,"expires_in_days":null,"never_expires":null,"all_projects":null,"project_ids":null}`,
				`{"scopes":["versions:write"],"all_projects":true,"project_ids":[]}`, 30 * apitest.Day},
			{"name is trimmed", `{"name":"\t CI of the house "}`, `{"name":"CI of the house"}`, 30 * apitest.Day},
			{"name of 64 characters between blanks", `{"name":" ` + apitest.Long(64) + ` "}`, `{"name":"` + apitest.Long(64) + `"}`, 30 * apitest.Day},
			{"two keys may have one name", `{"name":"ci"}`, `{"name":"ci"}`, 30 * apitest.Day},
			{"no scopes means the default", `{"name":"ci","scopes":[]}`, `{"scopes":["versions:write"]}`, 30 * apitest.Day},
			{"scopes are trimmed and named once", `{"name":"ci","scopes":[" logs:read","tokens:write","logs:read\n"]}`, `{"scopes":["logs:read","tokens:write"]}`, 30 * apitest.Day},
			{"one day", `{"name":"ci","expires_in_days":1}`, ``, apitest.Day},
			{"a year", `{"name":"ci","expires_in_days":365}`, ``, 365 * apitest.Day},
			{"a whole number in another spelling", `{"name":"ci","expires_in_days":7.0}`, ``, 7 * apitest.Day},
			{"never", `{"name":"ci","never_expires":true}`, `{"expires_at":null}`, 0},
			{"never wins over days", `{"name":"ci","never_expires":true,"expires_in_days":1}`, `{"expires_at":null}`, 0},
			{"not never: the days", `{"name":"ci","never_expires":false,"expires_in_days":1}`, ``, apitest.Day},
			{"not never: the default", `{"name":"ci","never_expires":false}`, ``, 30 * apitest.Day},
			{"projects limit it", `{"name":"ci","project_ids":["one"]}`, `{"all_projects":false,"project_ids":["one"]}`, 30 * apitest.Day},
			{"projects by alias and in any case, each once", `{"name":"ci","project_ids":[" TWO-Old","ONE","two","one "]}`, `{"all_projects":false,"project_ids":["two","one"]}`, 30 * apitest.Day},
			{"projects and all_projects false", `{"name":"ci","all_projects":false,"project_ids":["two"]}`, `{"all_projects":false,"project_ids":["two"]}`, 30 * apitest.Day},
			{"all_projects clears the list", `{"name":"ci","all_projects":true,"project_ids":["one","nobody"]}`, `{"all_projects":true,"project_ids":[]}`, 30 * apitest.Day},
			{"an empty list alone means all", `{"name":"ci","project_ids":[]}`, `{"all_projects":true,"project_ids":[]}`, 30 * apitest.Day},
			{"unknown fields are ignored", `{"name":"ci","id":"x","token":"svc_x","is_active":false,"revoked_at":1}`, `{"name":"ci"}`, 30 * apitest.Day},
		} {
			answer := s.Must(t, 201, "POST", family, tc.body)
			if why := apitest.CompareJSON(t, answer, tc.want); why != "" {
				t.Errorf("%s: %s", tc.name, why)
			}
			if got := lifeOf(t, answer); got != tc.life {
				t.Errorf("%s: it lives %d s, want %d", tc.name, got, tc.life)
			}
			if token := apitest.Field[string](t, answer, "token"); !regexp.MustCompile(`^svc_[0-9a-f]{48}$`).MatchString(token) {
				t.Errorf("%s: token is %q", tc.name, token)
			}
		}
	})
}

func TestCreateAPIKeyRefused(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		with := func(more string) string { return `{"name":"ci",` + more + `}` }
		s.Refusals(t, "/auth/tokens", []apitest.Refusal{
			{"no name", "POST", family, `{}`, 400, "name is required"},
			{"name null", "POST", family, `{"name":null}`, 400, "name is required"},
			{"name blank", "POST", family, `{"name":" \t"}`, 400, "name must not be empty"},
			{"name long", "POST", family, `{"name":"` + apitest.Long(65) + `"}`, 400, "name must have at most 64 characters"},
			{"name a number", "POST", family, `{"name":5}`, 400, "name must be a string"},
			{"unknown scope", "POST", family, with(`"scopes":["versions:write","admin"]`), 400, `scopes[1]: "admin" is not a scope`},
			{"scope in capitals", "POST", family, with(`"scopes":["Versions:Write"]`), 400, `scopes[0]: "Versions:Write" is not a scope`},
			{"blank scope", "POST", family, with(`"scopes":[" "]`), 400, `scopes[0]: "" is not a scope`},
			{"long scope", "POST", family, with(`"scopes":["` + apitest.Long(65) + `"]`), 400, "scopes[0] must have at most 64 characters"},
			{"scope a number", "POST", family, with(`"scopes":[1]`), 400, "scopes[0] must be a string"},
			{"scope null", "POST", family, with(`"scopes":[null]`), 400, "scopes[0] must be a string"},
			{"scopes a text", "POST", family, with(`"scopes":"versions:write"`), 400, "scopes must be a list"},
			{"no days", "POST", family, with(`"expires_in_days":0`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"days behind", "POST", family, with(`"expires_in_days":-1`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"more than a year", "POST", family, with(`"expires_in_days":366`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"part of a day", "POST", family, with(`"expires_in_days":1.5`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"days as text", "POST", family, with(`"expires_in_days":"30"`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"days beyond all numbers", "POST", family, with(`"expires_in_days":1e999`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"wrong days beside never", "POST", family, with(`"never_expires":true,"expires_in_days":0`), 400, "expires_in_days must be an integer from 1 to 365"},
			{"never as text", "POST", family, with(`"never_expires":"true"`), 400, "never_expires must be true or false"},
			{"all_projects a number", "POST", family, with(`"all_projects":1`), 400, "all_projects must be true or false"},
			{"neither all nor some", "POST", family, with(`"all_projects":false`), 400, "project_ids must have at least 1 entry when all_projects is false"},
			{"neither all nor some, empty list", "POST", family, with(`"all_projects":false,"project_ids":[]`), 400, "project_ids must have at least 1 entry when all_projects is false"},
			{"unknown project", "POST", family, with(`"project_ids":["one","nobody"]`), 400, `project_ids: project "nobody" not found`},
			{"blank project", "POST", family, with(`"project_ids":[" "]`), 400, `project_ids: project "" not found`},
			{"long project", "POST", family, with(`"project_ids":["` + apitest.Long(65) + `"]`), 400, "project_ids[0] must have at most 64 characters"},
			{"project null", "POST", family, with(`"project_ids":[null]`), 400, "project_ids[0] must be a string"},
			{"projects a text", "POST", family, with(`"project_ids":"one"`), 400, "project_ids must be a list"},
			{"all broken rules at once", "POST", family, `{"scopes":["x"],"expires_in_days":0,"never_expires":0,"all_projects":0,"project_ids":0}`, 400,
				`name is required; scopes[0]: "x" is not a scope; expires_in_days must be an integer from 1 to 365; never_expires must be true or false; all_projects must be true or false; project_ids must be a list`},
		})
	})
}

func TestListAPIKeys(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "one")
	s.Exchanges(t, []apitest.Exchange{
		{"no keys", "GET", "/auth/api-keys", "", 200, `{"data":[]}`},
		{"no tokens", "GET", "/auth/tokens", "", 200, `[]`},
	})
	var ids, texts []string
	for _, body := range []string{`{"name":"first"}`, `{"name":"second","project_ids":["one"],"never_expires":true}`, `{"name":"third"}`} {
		answer := s.Must(t, 201, "POST", "/auth/api-keys", body)
		ids, texts = append(ids, apitest.Field[string](t, answer, "id")), append(texts, apitest.Field[string](t, answer, "token"))
	}
	s.Must(t, 200, "DELETE", "/auth/tokens/"+ids[0], "")
	list := fmt.Sprintf(`[
		{"id":%q,"name":"third","is_active":true,"revoked_at":null,"last_used_at":null,"previous_key_expires_at":null},
		{"id":%q,"name":"second","scopes":["versions:write"],"all_projects":false,"project_ids":["one"],"is_active":true,"expires_at":null},
		{"id":%q,"name":"first","all_projects":true,"project_ids":[],"is_active":false}]`, ids[2], ids[1], ids[0])
	s.Exchanges(t, []apitest.Exchange{
		{"newest first, revoked ones included", "GET", "/auth/api-keys", "", 200, `{"data":` + list + `}`},
		{"the other family has the list alone", "GET", "/auth/tokens", "", 200, list},
		{"it is not paged", "GET", "/auth/tokens?limit=1&offset=1", "", 200, list},
	})
	answer := s.Must(t, 200, "GET", "/auth/api-keys", "")
	if `{"data":`+s.Must(t, 200, "GET", "/auth/tokens", "")+`}` != answer {
		t.Errorf("the families differ in more than the shape of the list: %s", answer)
	}
	file, err := os.ReadFile(filepath.Join(s.Dir, "svc.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if strings.Contains(answer, text[4:]) || bytes.Contains(file, []byte(text[4:])) {
			t.Error("the text of a key is shown again, or stored")
		}
	}
}

func TestUpdateAPIKey(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		created := s.Must(t, 201, "POST", family, `{"name":"ci","scopes":["projects:read"],"expires_in_days":1,"project_ids":["one"]}`)
		one, text := family+"/"+apitest.Field[string](t, created, "id"), apitest.Field[string](t, created, "token")
		s.Exchanges(t, []apitest.Exchange{
			{"nothing sent", "PATCH", one, `{}`, 200, `{"name":"ci","scopes":["projects:read"],"all_projects":false,"project_ids":["one"]}`},
			{"no body", "PATCH", one, ``, 200, `{"name":"ci"}`},
			{"name, trimmed", "PATCH", one, `{"name":" build "}`, 200, `{"name":"build","scopes":["projects:read"],"project_ids":["one"]}`},
			{"a blank name leaves it", "PATCH", one, `{"name":" "}`, 200, `{"name":"build"}`},
			{"scopes", "PATCH", one, `{"scopes":["versions:read","projects:read"]}`, 200, `{"name":"build","scopes":["versions:read","projects:read"],"project_ids":["one"]}`},
			{"a list alone limits it", "PATCH", one, `{"project_ids":["TWO-old"]}`, 200, `{"all_projects":false,"project_ids":["two"]}`},
			{"all_projects false keeps the list", "PATCH", one, `{"all_projects":false}`, 200, `{"all_projects":false,"project_ids":["two"]}`},
			{"all_projects true clears the list", "PATCH", one, `{"all_projects":true}`, 200, `{"all_projects":true,"project_ids":[]}`},
			{"a list alone limits one for all", "PATCH", one, `{"project_ids":["one","two"]}`, 200, `{"all_projects":false,"project_ids":["one","two"]}`},
			{"all_projects true wins over a list", "PATCH", one, `{"all_projects":true,"project_ids":["one"]}`, 200, `{"all_projects":true,"project_ids":[]}`},
			{"both as they belong together", "PATCH", one, `{"all_projects":false,"project_ids":["one"]}`, 200, `{"all_projects":false,"project_ids":["one"]}`},
			{"never", "PATCH", one, `{"never_expires":true,"expires_in_days":5}`, 200, `{"expires_at":null}`},
			{"what is not sent stays", "PATCH", one, `{"name":"build"}`, 200, `{"expires_at":null,"scopes":["versions:read","projects:read"]}`},
			{"the server's fields are not taken over", "PATCH", one, `{"id":"x","created_at":1,"revoked_at":1,"is_active":false,"token":"x"}`, 200, `{"name":"build"}`},
		})
		if status, answer, _ := s.Do(t, "GET", apitest.VersionsOf("one"), text, ""); status != 200 {
			t.Errorf("the text of the key with its new scope: got %d %s, want 200", status, answer)
		}
		if status, answer, _ := s.Do(t, "GET", apitest.VersionsOf("two"), text, ""); status != 401 {
			t.Errorf("the text of the key in a project taken off its list: got %d %s, want 401", status, answer)
		}
	})
}

func TestUpdateAPIKeyRefused(t *testing.T) {
	t.Parallel()
	bothFamilies(t, func(t *testing.T, s *apitest.Server, family string) {
		t.Helper()
		one := family + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", family, `{"name":"ci"}`), "id")
		gone := family + "/" + apitest.Field[string](t, s.Must(t, 201, "POST", family, `{"name":"gone"}`), "id")
		s.Must(t, 200, "DELETE", gone, "")
		const days = "expires_in_days must be an integer from 1 to 365"
		s.Refusals(t, "/auth/tokens", []apitest.Refusal{
			{"name null", "PATCH", one, `{"name":null}`, 400, "name must not be null"},
			{"name long", "PATCH", one, `{"name":"` + apitest.Long(65) + `"}`, 400, "name must have at most 64 characters"},
			{"no scopes", "PATCH", one, `{"scopes":[]}`, 400, "scopes must have at least 1 entry"},
			{"scopes null", "PATCH", one, `{"scopes":null}`, 400, "scopes must not be null"},
			{"unknown scope", "PATCH", one, `{"scopes":["x"]}`, 400, `scopes[0]: "x" is not a scope`},
			{"days null", "PATCH", one, `{"expires_in_days":null}`, 400, "expires_in_days must not be null"},
			{"days out of range", "PATCH", one, `{"expires_in_days":366}`, 400, days},
			{"never null", "PATCH", one, `{"never_expires":null}`, 400, "never_expires must not be null"},
			{"all_projects null", "PATCH", one, `{"all_projects":null}`, 400, "all_projects must not be null"},
			{"all_projects false without a list", "PATCH", one, `{"all_projects":false}`, 400, "project_ids must have at least 1 entry"},
			{"empty list", "PATCH", one, `{"project_ids":[]}`, 400, "project_ids must have at least 1 entry"},
			{"list null", "PATCH", one, `{"project_ids":null}`, 400, "project_ids must have at least 1 entry"},
			{"unknown project, the rest is right", "PATCH", one, `{"name":"other","project_ids":["nobody"]}`, 400, `project_ids: project "nobody" not found`},
			{"unknown key", "PATCH", family + "/00000000-0000-7000-8000-000000000000", `{}`, 404, "API key not found"},
			{"no id", "PATCH", family + "/ci", `{}`, 404, "API key not found"},
			{"revoked", "PATCH", gone, `{"name":"back"}`, 409, "the API key is revoked"},
			{"unknown key, revoked", "DELETE", family + "/00000000-0000-7000-8000-000000000000", ``, 404, "API key not found"},
			{"unknown key, rotated", "POST", family + "/00000000-0000-7000-8000-000000000000/rotate", ``, 404, "API key not found"},
			{"revoked key, rotated", "POST", gone + "/rotate", ``, 409, "the API key is revoked"},
			{"grace below zero", "POST", one + "/rotate", `{"grace_period_minutes":-1}`, 400, "grace_period_minutes must be an integer from 0 to 10080"},
			{"grace of more than a week", "POST", one + "/rotate", `{"grace_period_minutes":10081}`, 400, "grace_period_minutes must be an integer from 0 to 10080"},
			{"part of a minute", "POST", one + "/rotate", `{"grace_period_minutes":0.5}`, 400, "grace_period_minutes must be an integer from 0 to 10080"},
			{"grace as text", "POST", one + "/rotate", `{"grace_period_minutes":"5"}`, 400, "grace_period_minutes must be an integer from 0 to 10080"},
		})
	})
}

// TestReadAPIKey checks that reading a single key returns the same object as the list.
func TestReadAPIKey(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	id := apitest.Field[string](t, s.Must(t, 201, "POST", "/auth/api-keys", `{"name":"ci","project_ids":["app"]}`), "id")
	for _, family := range []string{"/auth/api-keys/", "/auth/tokens/"} {
		one := s.Must(t, 200, "GET", family+id, "")
		if listed := s.Must(t, 200, "GET", "/auth/tokens", ""); listed != "["+one+"]" {
			t.Errorf("%s: got %s, the list is %s", family, one, listed)
		}
		for _, other := range []string{"nothing", "00000000-0000-7000-8000-000000000000"} {
			s.Must(t, 404, "GET", family+other, "")
		}
	}
}
