package codehost_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/codehost/codehosttest"
)

const integration = "/admin/projects/beacon/codehost-integration"

// firstIntegration is the response that shows the integration of a project before its settings are
// saved for the first time.
const firstIntegration = `{"project_key":"beacon","repo_full_name":null,"feedback_issue_enabled":false,"feedback_issue_active":false,
	"feedback_issue_template_source":"inherit","feedback_issue_template_repo_path":null,"feedback_issue_template_repo_ref":null,
	"feedback_issue_title_template":null,"feedback_issue_body_template":null,"feedback_issue_labels":[],
	"comment_commands_enabled":false,"comment_commands_active":false,"command_allowed_associations":["OWNER","MEMBER","COLLABORATOR"],
	"command_allowed_users":[],"commands":[],"updated_at":null}`

// TestIntegration covers reading, changing and resetting the settings of a project.
func TestIntegration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put := func(name, body, want string) apitest.Exchange {
		return apitest.Exchange{Name: name, Method: "PUT", Path: integration, Body: body, Status: 200, Want: want}
	}
	w.Exchanges(t, []apitest.Exchange{
		{"before the first save", "GET", integration, "", 200, firstIntegration},
		put("repository", `{"repo_full_name":" Lumen.works_1/Bea-con "}`, `{"repo_full_name":"Lumen.works_1/Bea-con","feedback_issue_enabled":false}`),
		put("longest repository", `{"repo_full_name":"a/`+strings.Repeat("b", 138)+`"}`, ``),
		put("template of the project", `{"feedback_issue_template_source":"custom","feedback_issue_title_template":" T ","feedback_issue_body_template":"`+strings.Repeat("é", 8192)+`"}`,
			`{"feedback_issue_template_source":"custom","feedback_issue_title_template":"T"}`),
		put("template of the repository", `{"feedback_issue_template_source":"repo","feedback_issue_template_repo_path":" .github/ISSUE_TEMPLATE/feed-back.md","feedback_issue_template_repo_ref":"release/1.x"}`,
			`{"feedback_issue_template_source":"repo","feedback_issue_template_repo_path":".github/ISSUE_TEMPLATE/feed-back.md","feedback_issue_template_repo_ref":"release/1.x","feedback_issue_title_template":"T"}`),
		put("the default branch", `{"feedback_issue_template_repo_ref":""}`, `{"feedback_issue_template_repo_ref":null}`),
		put("labels", `{"feedback_issue_labels":[" from users ","bug","",`+`"`+strings.Repeat("x", 64)+`"]}`, `{"feedback_issue_labels":["from users","bug","`+strings.Repeat("x", 64)+`"]}`),
		put("associations", `{"command_allowed_associations":["OWNER","MEMBER","COLLABORATOR","CONTRIBUTOR","FIRST_TIME_CONTRIBUTOR","FIRST_TIMER","MANNEQUIN","NONE"]}`,
			`{"command_allowed_associations":["OWNER","MEMBER","COLLABORATOR","CONTRIBUTOR","FIRST_TIME_CONTRIBUTOR","FIRST_TIMER","MANNEQUIN","NONE"]}`),
		put("no association is not the default", `{"command_allowed_associations":null}`, `{"command_allowed_associations":[]}`),
		{"it stays none", "GET", integration, "", 200, `{"command_allowed_associations":[]}`},
		put("users", `{"command_allowed_users":[" ann ","","bob"]}`, `{"command_allowed_users":["ann","bob"]}`),
		put("commands", `{"commands":[{"name":" deploy ","workflow":"deploy.yml","ref":"main"},{"name":"0-9-a","workflow":"7","ref":"v1","input":"_In-1"},{"name":"x","workflow":"w","ref":"r","input":null},{"name":"y","workflow":"w","ref":"r","input":""}]}`,
			`{"commands":[{"name":"deploy","workflow":"deploy.yml","ref":"main"},{"name":"0-9-a","workflow":"7","ref":"v1","input":"_In-1"},{"name":"x","workflow":"w","ref":"r"},{"name":"y","workflow":"w","ref":"r"}]}`),
		put("what is not sent stays", `{}`, `{"feedback_issue_template_source":"repo","command_allowed_users":["ann","bob"],"feedback_issue_labels":["from users","bug","`+strings.Repeat("x", 64)+`"]}`),
		put("read-only fields are dropped", `{"project_key":"x","feedback_issue_active":true,"comment_commands_active":true,"updated_at":5}`, `{"project_key":"beacon","feedback_issue_active":false,"comment_commands_active":false}`),
		put("null empties lists", `{"feedback_issue_labels":null,"command_allowed_users":null,"commands":null}`, `{"feedback_issue_labels":[],"command_allowed_users":[],"commands":[]}`),
		put("without a repository its template is not used", `{"repo_full_name":""}`, `{"repo_full_name":null,"feedback_issue_template_source":"inherit","feedback_issue_template_repo_path":".github/ISSUE_TEMPLATE/feed-back.md"}`),
		put("null and blank clear texts", `{"feedback_issue_template_repo_path":"","feedback_issue_title_template":null,"feedback_issue_body_template":" "}`,
			`{"feedback_issue_template_repo_path":null,"feedback_issue_title_template":null,"feedback_issue_body_template":null}`),
		put("a switch that is off can be switched off", `{"feedback_issue_enabled":false,"comment_commands_enabled":false}`, `{"feedback_issue_enabled":false}`),
		{"by a former key", "GET", "/admin/projects/BEACON/codehost-integration", "", 200, `{"project_key":"beacon"}`},
	})
	long := func(n int) string { return strings.Repeat("x", n) }
	many := func(entry string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + "]"
	}
	var commands []string
	for i := range 17 {
		commands = append(commands, fmt.Sprintf(`{"name":"c%d","workflow":"w","ref":"r"}`, i))
	}
	rows := []apitest.Refusal{{"unknown project", "PUT", "/admin/projects/nothing/codehost-integration", `{}`, 404, `"nothing" not found`}}
	for _, row := range []struct{ name, body, message string }{
		{"repository: long", `{"repo_full_name":"a/` + long(139) + `"}`, "repo_full_name must have at most 140 characters"},
		{"repository: one part", `{"repo_full_name":"beacon"}`, "repo_full_name must be owner/name"},
		{"repository: three parts", `{"repo_full_name":"a/b/c"}`, "repo_full_name must be owner/name"},
		{"repository: an address", `{"repo_full_name":"https://code.example/a/b"}`, "repo_full_name must be owner/name"},
		{"repository: folders above", `{"repo_full_name":"../.."}`, "repo_full_name must be owner/name"},
		{"repository: this folder", `{"repo_full_name":"a/."}`, "repo_full_name must be owner/name"},
		{"repository: other letters", `{"repo_full_name":"a/bé"}`, "repo_full_name must be owner/name"},
		{"switch: null", `{"feedback_issue_enabled":null}`, "feedback_issue_enabled must not be null"},
		{"switch: another type", `{"comment_commands_enabled":"true"}`, "comment_commands_enabled must be true or false"},
		{"source: unknown", `{"feedback_issue_template_source":"file"}`, "feedback_issue_template_source must be one of inherit, custom, repo"},
		{"source: null", `{"feedback_issue_template_source":null}`, "feedback_issue_template_source must be one of"},
		{"path: long", `{"feedback_issue_template_repo_path":"` + long(257) + `"}`, "feedback_issue_template_repo_path must have at most 256 characters"},
		{"path: absolute", `{"feedback_issue_template_repo_path":"/a.md"}`, "without a slash at the beginning"},
		{"path: up", `{"feedback_issue_template_repo_path":"a/../b.md"}`, "without .."},
		{"path: a space", `{"feedback_issue_template_repo_path":"a b.md"}`, "letters, digits and _ . / -"},
		{"path: a question", `{"feedback_issue_template_repo_path":"a.md?ref=x"}`, "letters, digits and _ . / -"},
		{"ref: long", `{"feedback_issue_template_repo_ref":"` + long(129) + `"}`, "feedback_issue_template_repo_ref must have at most 128 characters"},
		{"title: long", `{"feedback_issue_title_template":"` + long(257) + `"}`, "feedback_issue_title_template must have at most 256 characters"},
		{"body: long", `{"feedback_issue_body_template":"` + long(8193) + `"}`, "feedback_issue_body_template must have at most 8192 characters"},
		{"labels: too many", `{"feedback_issue_labels":` + many(`"x"`, 9) + `}`, "feedback_issue_labels must have at most 8 entries"},
		{"labels: long", `{"feedback_issue_labels":["` + long(65) + `"]}`, "feedback_issue_labels[0] must have at most 64 characters"},
		{"labels: no list", `{"feedback_issue_labels":"x"}`, "feedback_issue_labels must be a list"},
		{"associations: unknown", `{"command_allowed_associations":["owner"]}`, "command_allowed_associations must be of OWNER, MEMBER"},
		{"users: too many", `{"command_allowed_users":` + many(`"x"`, 33) + `}`, "command_allowed_users must have at most 32 entries"},
		{"users: long", `{"command_allowed_users":["` + long(65) + `"]}`, "command_allowed_users[0] must have at most 64 characters"},
		{"commands: too many", `{"commands":[` + strings.Join(commands, ",") + `]}`, "commands must have at most 16 entries"},
		{"commands: no objects", `{"commands":["x"]}`, "commands[0] must be an object"},
		{"commands: twice", `{"commands":[{"name":"a","workflow":"w","ref":"r"},{"name":" a","workflow":"w","ref":"r"}]}`, "commands[1].name must be unique"},
		{"commands: all that is required", `{"commands":[{}]}`, "commands[0].name is required; commands[0].workflow is required; commands[0].ref is required"},
		{"commands: null", `{"commands":[{"name":null,"workflow":"w","ref":"r"}]}`, "commands[0].name is required"},
		{"commands: blank", `{"commands":[{"name":"a","workflow":" ","ref":""}]}`, "commands[0].workflow must not be empty; commands[0].ref must not be empty"},
		{"commands: name", `{"commands":[{"name":"-a","workflow":"w","ref":"r"}]}`, "commands[0].name must be of lower-case letters"},
		{"commands: name in capitals", `{"commands":[{"name":"Deploy","workflow":"w","ref":"r"}]}`, "commands[0].name must be of lower-case letters"},
		{"commands: long name", `{"commands":[{"name":"` + long(33) + `","workflow":"w","ref":"r"}]}`, "commands[0].name must have at most 32 characters"},
		{"commands: long workflow", `{"commands":[{"name":"a","workflow":"` + long(129) + `","ref":"r"}]}`, "commands[0].workflow must have at most 128 characters"},
		{"commands: long ref", `{"commands":[{"name":"a","workflow":"w","ref":"` + long(129) + `"}]}`, "commands[0].ref must have at most 128 characters"},
		{"commands: input", `{"commands":[{"name":"a","workflow":"w","ref":"r","input":"1a"}]}`, "commands[0].input must be of letters"},
		{
			"commands: long input",
			`{"commands":[{"name":"a","workflow":"w","ref":"r","input":"` + long(65) + `"}]}`,
			"commands[0].input must have at most 64 characters",
		},
		{
			"source repo without a repository",
			`{"feedback_issue_template_source":"repo","feedback_issue_template_repo_path":"a.md"}`,
			"needs repo_full_name and feedback_issue_template_repo_path",
		},
		{
			"source repo without a path",
			`{"repo_full_name":"a/b","feedback_issue_template_source":"repo"}`,
			"needs repo_full_name and feedback_issue_template_repo_path",
		},
		{
			"all that is wrong",
			`{"repo_full_name":"x","feedback_issue_enabled":1,"commands":{}}`,
			"repo_full_name must be owner/name, of letters, digits and _ . -; feedback_issue_enabled must be true or false; commands must be a list",
		},
	} {
		rows = append(rows, apitest.Refusal{Name: row.name, Method: "PUT", Path: integration, Body: row.body, Status: 400, Message: row.message})
	}
	w.Refusals(t, integration, rows)
}

// TestSwitches checks the conditions under which a feature can be switched on, and under which it
// is active.
func TestSwitches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const app, repo = "/admin/codehost-app", `"repo_full_name":"lumen-works/beacon"`
	look := func(name, want string) apitest.Exchange {
		return apitest.Exchange{Name: name, Method: "GET", Path: integration, Status: 200, Want: want}
	}
	w.Refusals(t, integration, []apitest.Refusal{
		{"without app and repository", "PUT", integration, `{"feedback_issue_enabled":true}`, 400, "feedback_issue_enabled needs a repository: set repo_full_name"},
		{"without an app", "PUT", integration, `{` + repo + `,"feedback_issue_enabled":true,"comment_commands_enabled":true}`, 400,
			"feedback_issue_enabled needs the code host app, which is not configured; comment_commands_enabled needs the code host app, which is not configured"},
	})
	w.Must(t, 200, "PUT", app, `{"app_id":"1","private_key":"`+aKey+`","enabled_features":["feedback_issue"]}`)
	w.Refusals(t, integration, []apitest.Refusal{
		{
			"a feature that is off",
			"PUT",
			integration,
			`{` + repo + `,"comment_commands_enabled":true}`,
			400,
			"comment_commands_enabled needs the feature comment_commands of the code host app, which is switched off",
		},
		{"no repository", "PUT", integration, `{"feedback_issue_enabled":true}`, 400, "feedback_issue_enabled needs a repository"},
		{"a repository that is cleared", "PUT", integration, `{"repo_full_name":"","feedback_issue_enabled":true}`, 400, "feedback_issue_enabled needs a repository"},
	})
	w.Exchanges(t, []apitest.Exchange{
		{
			"on, with the repository",
			"PUT",
			integration,
			`{` + repo + `,"feedback_issue_enabled":true}`,
			200,
			`{"feedback_issue_enabled":true,"feedback_issue_active":true,"comment_commands_active":false}`,
		},
		{"options for visitors", "GET", "/public/beacon/feedbacks/options", "", 200, `{"project_key":"beacon"}`},
		{"the feature is switched off", "PUT", app, `{"enabled_features":["comment_commands"]}`, 200, ``},
		look("it is on and not active", `{"feedback_issue_enabled":true,"feedback_issue_active":false}`),
		{
			"other settings can be saved meanwhile",
			"PUT",
			integration,
			`{"feedback_issue_enabled":true,"feedback_issue_labels":["x"]}`,
			200,
			`{"feedback_issue_enabled":true,"feedback_issue_active":false}`,
		},
		{"comments", "PUT", integration, `{"comment_commands_enabled":true}`, 200, `{"comment_commands_active":true}`},
		{"the app is reset", "DELETE", app, "", 200, ``},
		look("nothing is active", `{"feedback_issue_enabled":true,"feedback_issue_active":false,"comment_commands_enabled":true,"comment_commands_active":false}`),
		{"off is always possible", "PUT", integration, `{"feedback_issue_enabled":false}`, 200, `{"feedback_issue_enabled":false,"comment_commands_enabled":true}`},
		{
			"without a repository all is off",
			"PUT",
			integration,
			`{"repo_full_name":null}`,
			200,
			`{"repo_full_name":null,"feedback_issue_enabled":false,"comment_commands_enabled":false}`,
		},
	})
}

// TestIntegrationFollowsItsProject checks that the settings survive renaming the project, and that
// they are deleted together with the project.
func TestIntegrationFollowsItsProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Must(t, 200, "PUT", integration, `{"repo_full_name":"lumen-works/beacon","command_allowed_users":["ann"]}`)
	w.Must(t, 200, "PATCH", "/admin/projects/beacon", `{"project_key":"lamp"}`)
	w.Exchanges(t, []apitest.Exchange{
		{
			"by the new key",
			"GET",
			"/admin/projects/lamp/codehost-integration",
			"",
			200,
			`{"project_key":"lamp","repo_full_name":"lumen-works/beacon","command_allowed_users":["ann"]}`,
		},
		{
			"by the former key",
			"PUT",
			integration,
			`{"command_allowed_users":["bob"]}`,
			200,
			`{"project_key":"lamp","repo_full_name":"lumen-works/beacon","command_allowed_users":["bob"]}`,
		},
		{"deleted", "DELETE", "/admin/projects/lamp", "", 200, ``},
		{"gone", "GET", "/admin/projects/lamp/codehost-integration", "", 404, ``},
	})
	w.Project(t, "beacon")
	w.Exchanges(t, []apitest.Exchange{{"a new project of the same key has none", "GET", integration, "", 200, firstIntegration}})
}

// TestRepoTemplate covers reading the template in a project's repository.
func TestRepoTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = integration + "/repo-template"
	look := func(name, query, want string) apitest.Exchange {
		return apitest.Exchange{Name: name, Method: "GET", Path: path + query, Status: 200, Want: want}
	}
	none := func(text string) string {
		return `"fetched_at":null,"title_template":null,"body_template":null,"labels":[],"error":"` + text + `"}`
	}
	const unread = "the repository has no such text file there, or does not show it"
	w.Exchanges(t, []apitest.Exchange{
		look("nothing is set", "", `{"path":"","ref":null,`+none("no repository is set: repo_full_name is needed")),
		{"repository", "PUT", integration, `{"repo_full_name":"lumen-works/beacon"}`, 200, ``},
		look("no path", "", `{"path":"","ref":null,`+none("no file is set: feedback_issue_template_repo_path is needed")),
		{"path and ref", "PUT", integration, `{"feedback_issue_template_repo_path":"t.md","feedback_issue_template_repo_ref":"next"}`, 200, ``},
		look("no such file", "", `{"path":"t.md","ref":"next",`+none(unread)),
	})
	w.repo.Write("next", "t.md", "---\r\ntitle: Report\r\nlabels: a, b\r\n---\r\n{{content}}\r\n")
	w.repo.Write("", "t.md", "default\n")
	w.repo.Write("", "folder/t.md", "x")
	w.repo.Write("", "bytes", "\xff\xfe")
	w.repo.Write("", "zeros", "a\x00b")
	w.Exchanges(t, []apitest.Exchange{
		look("a failure is not kept", "", `{"path":"t.md","ref":"next","title_template":"Report","body_template":"{{content}}\n","labels":["a","b"],"error":null}`),
		{"another ref", "PUT", integration, `{"feedback_issue_template_repo_ref":""}`, 200, ``},
		look("the default branch", "", `{"path":"t.md","ref":null,"title_template":"[User feedback] {{content_head}}","body_template":"default\n","labels":[],"error":null}`),
	})
	w.repo.Write("", "t.md", "changed\n")
	w.Clock.Advance(299 * time.Second)
	asked := w.host.Asked("GET", "/contents/")
	w.Exchanges(t, []apitest.Exchange{look("kept", "", `{"body_template":"default\n"}`), look("false is not to be read anew", "?refresh=false", `{"body_template":"default\n"}`)})
	if again := w.host.Asked("GET", "/contents/"); again != asked {
		t.Errorf("asked %d times for what is kept", again-asked)
	}
	w.Exchanges(t, []apitest.Exchange{look("read anew", "?refresh=true", `{"body_template":"changed\n"}`)})
	w.repo.Write("", "t.md", "changed again\n")
	w.Exchanges(t, []apitest.Exchange{look("kept from then on", "", `{"body_template":"changed\n"}`), look("the other spelling", "?refresh=1", `{"body_template":"changed again\n"}`)})
	w.repo.Write("", "t.md", "at last\n")
	w.Clock.Advance(301 * time.Second)
	w.Exchanges(t, []apitest.Exchange{look("after 300 s", "", `{"body_template":"at last\n"}`)})
	for _, tc := range []struct{ name, path, want string }{
		{"a folder", "folder", unread},
		{"other bytes", "bytes", unread},
		{"zeros", "zeros", "the template is not text in UTF-8"},
	} {
		w.Must(t, 200, "PUT", integration, `{"feedback_issue_template_repo_path":"`+tc.path+`"}`)
		w.Exchanges(t, []apitest.Exchange{look(tc.name, "", `{"path":"`+tc.path+`","ref":null,`+none(tc.want))})
	}
	w.Must(t, 200, "PUT", integration, `{"feedback_issue_template_repo_path":"t.md"}`)
	w.host.Break("", "", codehosttest.Status(500))
	answer := w.Must(t, 200, "GET", path+"?refresh=1", "")
	if !strings.Contains(answer, "the code host returned an unexpected answer") || strings.Contains(answer, codehosttest.Secret) {
		t.Errorf("of a code host that fails: got %s", answer)
	}
	w.host.Mend()
	w.host.Break("", "", codehosttest.RateLimit(time.Minute))
	if answer := w.Must(t, 200, "GET", path+"?refresh=1", ""); !strings.Contains(answer, "the code host accepts no more requests until") {
		t.Errorf("of a code host that refuses: got %s", answer)
	}
	if status, _ := w.Ask(t, "GET", "/admin/projects/nothing/codehost-integration/repo-template", ""); status != 404 {
		t.Errorf("of no project: got %d", status)
	}
}

// TestPrivateTemplate checks that the server uses the app's credentials to read the template file
// of a private repository.
func TestPrivateTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo.Change(func(r *codehosttest.Repository) { r.Private = true })
	w.repo.Write("", "t.md", "private\n")
	w.Must(t, 200, "PUT", integration, `{"repo_full_name":"lumen-works/beacon","feedback_issue_template_repo_path":"t.md"}`)
	const path = integration + "/repo-template"
	w.Exchanges(t, []apitest.Exchange{{"without the app", "GET", path, "", 200, `{"body_template":null}`}})
	app := w.connect(t, map[string]string{"contents": "read", "issues": "write"})
	app.Install(w.repo)
	w.Exchanges(t, []apitest.Exchange{{"as the app", "GET", path, "", 200, `{"body_template":"private\n","error":null}`}})
}
