package resource_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

func TestCreateProject(t *testing.T) {
	t.Parallel()
	const all = "/admin/projects"
	const empty = `"repo_url":null,"description":null,"author":null,"author_homepage_url":null,"icon_url":null,"website_url":null,
		"docs_url":null,"published_at":null,"optional_update_min_comparable_version":null,"optional_update_max_comparable_version":null,
		"stats_retention_days":365,"event_collection_enabled":true,"event_retention_days":90,"storage_backend_id":null,
		"mirror_codehost_assets":false,"aliases":[],"locale":null,"translations":[]}`
	s := apitest.NewServer(t)
	s.Exchanges(t, []apitest.Exchange{
		{"only what is required", "POST", all, `{"project_key":"bare","name":"App"}`, 201,
			`{"id":"bare","project_key":"bare","name":"App",` + empty},
		{"null is the same as not sent", "POST", all,
			`{"project_key":"nulls","name":"App","repo_url":null,"description":null,"author":null,"author_homepage_url":null,"icon_url":null,
			"website_url":null,"docs_url":null,"published_at":null,"optional_update_min_comparable_version":null,
			"optional_update_max_comparable_version":null,"stats_retention_days":null,"event_collection_enabled":null,
			"event_retention_days":null,"storage_backend_id":null,"mirror_codehost_assets":null,"translations":null}`, 201,
			`{"project_key":"nulls","name":"App",` + empty},
		{"every field", "POST", all,
			`{"project_key":"full","name":" App ","repo_url":"git at home","description":"*d*","author":"a","author_homepage_url":"http://a.example",
			"icon_url":"https://a.example/i.png","website_url":"ftp://a.example","docs_url":"HTTPS://a.example/d?e#f","published_at":0,
			"optional_update_min_comparable_version":"1.0","optional_update_max_comparable_version":"2.0-rc.1","stats_retention_days":1,
			"event_collection_enabled":false,"event_retention_days":365,"storage_backend_id":" ","mirror_codehost_assets":true,"translations":[]}`, 201,
			`{"id":"full","project_key":"full","name":" App ","repo_url":"git at home","description":"*d*","author":"a","author_homepage_url":"http://a.example",
			"icon_url":"https://a.example/i.png","website_url":"ftp://a.example","docs_url":"HTTPS://a.example/d?e#f","published_at":0,
			"optional_update_min_comparable_version":"1.0","optional_update_max_comparable_version":"2.0-rc.1","stats_retention_days":1,
			"event_collection_enabled":false,"event_retention_days":365,"storage_backend_id":null,"mirror_codehost_assets":true,"aliases":[],"locale":null,"translations":[]}`},
		{
			"is stored as it was answered",
			"GET",
			all + "/full",
			"",
			200,
			`{"name":" App ","published_at":0,"stats_retention_days":1,"event_collection_enabled":false}`,
		},
		{"the key is trimmed and in lower case", "POST", all, `{"project_key":" \tMy.App_Ä-1 ","name":"x"}`, 201, `{"id":"my.app_ä-1","project_key":"my.app_ä-1"}`},
		{"the key in the path is, too", "GET", all + "/%20MY.app_%C3%84-1%20", "", 200, `{"project_key":"my.app_ä-1"}`},
		{"unknown fields are ignored", "POST", all, `{"project_key":"unknown","name":"x","colour":"red"}`, 201, `{"name":"x"}`},
		{"fields of the server are not taken over", "POST", all,
			`{"project_key":"own","name":"x","id":"other","aliases":["z"],"locale":"de","locale_message":"m","created_at":1,"updated_at":1}`, 201,
			`{"id":"own","aliases":[],"locale":null}`},
		{"an alias of the body was not made", "GET", all + "/z", "", 404, `{"message":"project \"z\" not found"}`},
		{"numbers of days may be text", "POST", all, `{"project_key":"text","name":"x","stats_retention_days":"30","event_retention_days":"1"}`, 201,
			`{"stats_retention_days":30,"event_retention_days":1}`},
		{"flags may be the texts false and 1", "POST", all, `{"project_key":"f1","name":"x","event_collection_enabled":"false","mirror_codehost_assets":"1"}`, 201,
			`{"event_collection_enabled":false,"mirror_codehost_assets":true}`},
		{"flags may be the texts 0 and true", "POST", all, `{"project_key":"f2","name":"x","event_collection_enabled":"0","mirror_codehost_assets":"true"}`, 201,
			`{"event_collection_enabled":false,"mirror_codehost_assets":true}`},
		{"times have 64 bits", "POST", all, `{"project_key":"far","name":"x","published_at":9007199254740993}`, 201, `{"published_at":9007199254740993}`},
		{"a blank end of the range is none", "POST", all, `{"project_key":"open","name":"x","optional_update_min_comparable_version":" ","optional_update_max_comparable_version":""}`, 201,
			`{"optional_update_min_comparable_version":null,"optional_update_max_comparable_version":null}`},
		{"the ends of the range may be equal in value", "POST", all, `{"project_key":"point","name":"x","optional_update_min_comparable_version":"1.0","optional_update_max_comparable_version":"1"}`, 201,
			`{"optional_update_min_comparable_version":"1.0","optional_update_max_comparable_version":"1"}`},
	})
}

func TestCreateProjectRefused(t *testing.T) {
	t.Parallel()
	const all = "/admin/projects"
	s := apitest.NewServer(t)
	s.Project(t, "taken")
	s.Must(t, 200, "PATCH", all+"/taken", `{"project_key":"now"}`)
	rows := []apitest.Refusal{
		{
			"key and name are required, and all that is wrong is told",
			"POST",
			all,
			`{"name":null,"author":5}`,
			400,
			"project_key is required; name is required; author must be a string",
		},
		{"no body at all is an empty object", "POST", all, ``, 400, "project_key is required; name is required"},
		{"the body is a list", "POST", all, `[]`, 400, "must be a JSON object"},
		{"the body is null", "POST", all, `null`, 400, "must be a JSON object"},
		{"the body is cut off", "POST", all, `{"project_key":"x","name":"x"`, 400, "not JSON"},
		{"a blank key", "POST", all, `{"project_key":" ","name":"x"}`, 400, "project_key must not be empty"},
		{"a blank name", "POST", all, `{"project_key":"x","name":" \n"}`, 400, "name must not be empty"},
		{"a key of 65 characters", "POST", all, `{"project_key":"` + apitest.Long(65) + `","name":"x"}`, 400, "project_key must have at most 64 characters"},
		{"a key that is a project's", "POST", all, `{"project_key":" NOW","name":"x"}`, 409, `project_key "now" is taken`},
		{"a key that is an alias", "POST", all, `{"project_key":"Taken","name":"x"}`, 409, `"taken" is an alias of project "now"`},
		{
			"translations when no language is registered yet",
			"POST",
			all,
			`{"project_key":"x","name":"x","translations":[{"locale":"de","name":"n"}]}`,
			400,
			`"de" is not a registered language`,
		},
		{
			"an optional range that ends before it begins",
			"POST",
			all,
			`{"project_key":"x","name":"x","optional_update_min_comparable_version":"2","optional_update_max_comparable_version":"2-rc"}`,
			400,
			"optional_update_min_comparable_version must not be greater",
		},
	}
	for _, c := range []string{" ", "\t", "\u00a0", "\x00", "\x7f", "/", `\`, "?", "#", "%"} {
		rows = append(rows, apitest.Refusal{"a key with " + apitest.Quoted(c), "POST", all, `{"project_key":` + apitest.Quoted("a"+c+"b") + `,"name":"x"}`, 400,
			"project_key must not contain blanks, control characters or any of"})
	}
	for _, word := range []string{"statistics", "codehost-repo-preview", "versions", "announcements", "_status", "terms", " TERMS "} {
		rows = append(rows, apitest.Refusal{"the reserved key " + word, "POST", all, `{"project_key":` + apitest.Quoted(word) + `,"name":"x"}`, 400, "project_key must not be one of statistics,"})
		rows = append(rows, apitest.Refusal{"rename to the reserved key " + word, "PATCH", all + "/now", `{"project_key":` + apitest.Quoted(word) + `}`, 400, "project_key must not be one of statistics,"})
	}
	s.Refusals(t, all, rows)
}

// textFields lists the project's fields that have a length limit in characters.
var textFields = []struct {
	name     string
	most     int
	begin    string // start of each value
	required bool
}{
	{"name", 128, "", true},
	{"repo_url", 512, "", false},
	{"description", 2048, "", false},
	{"author", 128, "", false},
	{"author_homepage_url", 512, "https://a.example/", false},
	{"icon_url", 1024, "https://a.example/", false},
	{"website_url", 512, "https://a.example/", false},
	{"docs_url", 512, "https://a.example/", false},
}

func TestProjectTextLimits(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const app = "/admin/projects/app"
	for _, f := range textFields {
		longest := apitest.Quoted(f.begin + apitest.Long(f.most-len(f.begin)))
		tooLong := apitest.Quoted(f.begin + apitest.Long(f.most-len(f.begin)+1))
		s.Exchanges(t, []apitest.Exchange{
			{f.name + " at its limit, counted in characters", "PATCH", app, `{"` + f.name + `":` + longest + `}`, 200, `{"` + f.name + `":` + longest + `}`},
			{f.name + " is kept when not sent", "PATCH", app, `{}`, 200, `{"` + f.name + `":` + longest + `}`},
		})
		s.Refusals(t, app, []apitest.Refusal{
			{f.name + " one above its limit", "PATCH", app, `{"` + f.name + `":` + tooLong + `}`, 400, f.name + " must have at most "},
			{
				f.name + " above its limit at creation",
				"POST",
				"/admin/projects",
				`{"project_key":"b","name":"b","` + f.name + `":` + tooLong + `}`,
				400,
				f.name + " must have at most ",
			},
			{f.name + " as a number", "PATCH", app, `{"` + f.name + `":5}`, 400, f.name + " must be a string"},
			{f.name + " as a list", "PATCH", app, `{"` + f.name + `":["x"]}`, 400, f.name + " must be a string"},
		})
		if f.required {
			s.Refusals(t, app, []apitest.Refusal{{f.name + " is never null", "PATCH", app, `{"` + f.name + `":null}`, 400, f.name + " must not be null"}})
			continue
		}
		s.Exchanges(t, []apitest.Exchange{{f.name + " is cleared by null", "PATCH", app, `{"` + f.name + `":null}`, 200, `{"` + f.name + `":null}`}})
	}
	s.Exchanges(t, []apitest.Exchange{{"nothing of what was refused was created", "GET", "/admin/projects", "", 200, `{"total":1}`}})
	s.Exchanges(t, []apitest.Exchange{{"a key of 64 characters", "POST", "/admin/projects", `{"project_key":"` + apitest.Long(64) + `","name":"x"}`, 201, `{"id":"` + apitest.Long(64) + `"}`}})
}

func TestProjectAddresses(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const app = "/admin/projects/app"
	var rows []apitest.Refusal
	for _, f := range textFields {
		if f.begin == "" {
			continue
		}
		for _, bad := range []string{"", " ", "a.example", "/path", "//a.example", "javascript:alert(1)", "mailto:a@a.example", "file:///etc", "https://", "https:a.example", "http://:80", "https://a b.example", " https://a.example", "https://[::1"} {
			rows = append(rows, apitest.Refusal{f.name + " " + apitest.Quoted(bad), "PATCH", app, `{"` + f.name + `":` + apitest.Quoted(bad) + `}`, 400,
				f.name + " must be an absolute URL with scheme http, https or ftp"})
		}
	}
	s.Refusals(t, app, rows)
}

// TestProjectOtherFields checks the fields of a project that are not texts.
func TestProjectOtherFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const app = "/admin/projects/app"
	for _, name := range []string{"stats_retention_days", "event_retention_days"} {
		for _, row := range []struct{ value, stored string }{{"1", "1"}, {"365", "365"}, {`"1"`, "1"}, {`"365"`, "365"}, {"7", "7"}} {
			s.Exchanges(t, []apitest.Exchange{{name + " " + row.value, "PATCH", app, `{"` + name + `":` + row.value + `}`, 200, `{"` + name + `":` + row.stored + `}`}})
		}
		s.Exchanges(t, []apitest.Exchange{{name + " is kept when not sent", "PATCH", app, `{}`, 200, `{"` + name + `":7}`}})
		for _, bad := range []string{"0", "366", "-1", "1.5", `"0"`, `"366"`, `""`, `"x"`, `"1.5"`, `" 1"`, "true", "[1]", "{}", "1e99", "99999999999999999999"} {
			s.Refusals(t, app, []apitest.Refusal{{name + " " + bad, "PATCH", app, `{"` + name + `":` + bad + `}`, 400, name + " must be an integer from 1 to 365"}})
		}
		s.Refusals(t, app, []apitest.Refusal{{name + " is never null", "PATCH", app, `{"` + name + `":null}`, 400, name + " must not be null"}})
	}
	for _, name := range []string{"event_collection_enabled", "mirror_codehost_assets"} {
		for _, row := range []struct{ value, stored string }{{"true", "true"}, {`"0"`, "false"}, {`"1"`, "true"}, {"false", "false"}, {`"true"`, "true"}, {`"false"`, "false"}, {"true", "true"}} {
			s.Exchanges(t, []apitest.Exchange{{name + " " + row.value, "PATCH", app, `{"` + name + `":` + row.value + `}`, 200, `{"` + name + `":` + row.stored + `}`}})
		}
		s.Exchanges(t, []apitest.Exchange{{name + " is kept when not sent", "PATCH", app, `{}`, 200, `{"` + name + `":true}`}})
		for _, bad := range []string{"1", "0", `""`, `"TRUE"`, `"yes"`, `" 1"`, "[]", "{}"} {
			s.Refusals(t, app, []apitest.Refusal{{name + " " + bad, "PATCH", app, `{"` + name + `":` + bad + `}`, 400, name + " must be true or false"}})
		}
		s.Refusals(t, app, []apitest.Refusal{{name + " is never null", "PATCH", app, `{"` + name + `":null}`, 400, name + " must not be null"}})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"published_at", "PATCH", app, `{"published_at":5}`, 200, `{"published_at":5}`},
		{"published_at is kept when not sent", "PATCH", app, `{}`, 200, `{"published_at":5}`},
	})
	for _, bad := range []string{"-1", "1.5", `"5"`, `""`, "true", "1e99"} {
		s.Refusals(t, app, []apitest.Refusal{{"published_at " + bad, "PATCH", app, `{"published_at":` + bad + `}`, 400, "published_at must be an integer of at least 0"}})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"published_at is cleared by null", "PATCH", app, `{"published_at":null}`, 200, `{"published_at":null}`},
		{"the built-in storage", "PATCH", app, `{"storage_backend_id":" local "}`, 200, `{"storage_backend_id":"local"}`},
		{"a storage is kept when not sent", "PATCH", app, `{}`, 200, `{"storage_backend_id":"local"}`},
		{"a blank storage is the default one", "PATCH", app, `{"storage_backend_id":"\t"}`, 200, `{"storage_backend_id":null}`},
		{"no storage is the default one", "PATCH", app, `{"storage_backend_id":null}`, 200, `{"storage_backend_id":null}`},
	})
	s.Refusals(t, app, []apitest.Refusal{
		{"an unknown storage", "PATCH", app, `{"storage_backend_id":"` + apitest.Long(64) + `"}`, 400, "storage_backend_id: there is no storage"},
		{
			"a storage with a longer name than any has",
			"PATCH",
			app,
			`{"storage_backend_id":"` + apitest.Long(65) + `"}`,
			400,
			"storage_backend_id must have at most 64 characters",
		},
		{"a storage that is no text", "PATCH", app, `{"storage_backend_id":5}`, 400, "storage_backend_id must be a string"},
	})
}

func TestOptionalRange(t *testing.T) {
	t.Parallel()
	const least, most = "optional_update_min_comparable_version", "optional_update_max_comparable_version"
	const app = "/admin/projects/app"
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Exchanges(t, []apitest.Exchange{
		{"one end", "PATCH", app, `{"` + least + `":"1.5"}`, 200, `{"` + least + `":"1.5","` + most + `":null}`},
		{"the other end, the first is kept", "PATCH", app, `{"` + most + `":"1.5.0"}`, 200, `{"` + least + `":"1.5","` + most + `":"1.5.0"}`},
	})
	rows := []apitest.Refusal{
		{"a lower end above the stored upper one", "PATCH", app, `{"` + least + `":"1.5.1"}`, 400, least + " must not be greater than " + most},
		{"an upper end below the stored lower one", "PATCH", app, `{"` + most + `":"1.5-rc"}`, 400, least + " must not be greater than " + most},
		{"other fields of a refused change", "PATCH", app, `{"name":"other","` + most + `":"1"}`, 400, least + " must not be greater"},
	}
	for _, name := range []string{least, most} {
		for _, bad := range []string{`"v1.0"`, `"1.0.x"`, `" 1.0"`, `"1.0-RC.1"`, `"` + strings.Repeat("1", 65) + `"`} {
			rows = append(rows, apitest.Refusal{name + " " + bad, "PATCH", app, `{"` + name + `":` + bad + `}`, 400, name + " must be a comparable version of at most 64 characters"})
		}
		rows = append(rows, apitest.Refusal{name + " as a number", "PATCH", app, `{"` + name + `":1.0}`, 400, name + " must be a string"})
	}
	s.Refusals(t, app, rows)
	s.Exchanges(t, []apitest.Exchange{
		{"both ends moved at once", "PATCH", app, `{"` + least + `":"2","` + most + `":"3"}`, 200, `{"` + least + `":"2","` + most + `":"3"}`},
		{"64 characters", "PATCH", app, `{"` + most + `":"` + strings.Repeat("1", 64) + `"}`, 200, `{"` + most + `":"` + strings.Repeat("1", 64) + `"}`},
		{"a blank end is cleared", "PATCH", app, `{"` + least + `":" "}`, 200, `{"` + least + `":null}`},
		{"null clears an end", "PATCH", app, `{"` + most + `":null}`, 200, `{"` + least + `":null,"` + most + `":null}`},
	})
}

func TestUpdateProject(t *testing.T) {
	t.Parallel()
	const app = "/admin/projects/app"
	s := apitest.NewServer(t)
	s.Project(t, "app")
	created := apitest.Field[int64](t, s.Must(t, 200, "GET", app, ""), "created_at")
	s.Clock.Advance(time.Hour)
	s.Must(t, 200, "PATCH", app, `{"description":"d","author":"a"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"the current key, in any spelling, is no rename", "PATCH", app, `{"project_key":" APP "}`, 200, `{"project_key":"app","aliases":[]}`},
		{"an empty text is a text", "PATCH", app, `{"description":""}`, 200, `{"description":"","author":"a"}`},
		{
			"fields of the server are not taken over",
			"PATCH",
			app,
			`{"id":"z","aliases":["z"],"locale":"de","created_at":1,"updated_at":1}`,
			200,
			`{"id":"app","aliases":[],"locale":null}`,
		},
		{"no body changes nothing", "PATCH", app, ``, 200, `{"description":"","author":"a"}`},
		{"unknown project", "PATCH", "/admin/projects/none", `{}`, 404, `{"message":"project \"none\" not found"}`},
		{"what is sent is checked before the project is looked for", "PATCH", "/admin/projects/none", `{"name":5}`, 400, ``},
	})
	s.Refusals(t, app, []apitest.Refusal{
		{"the key is never null", "PATCH", app, `{"project_key":null}`, 400, "project_key must not be null"},
		{"the key is never blank", "PATCH", app, `{"project_key":""}`, 400, "project_key must not be empty"},
		{"the key is a text", "PATCH", app, `{"project_key":5}`, 400, "project_key must be a string"},
		{"one wrong field stops all", "PATCH", app, `{"author":"b","icon_url":"x"}`, 400, "icon_url must be"},
	})
	after := s.Must(t, 200, "GET", app, "")
	if got := apitest.Field[int64](t, after, "created_at"); got != created {
		t.Errorf("created_at after changes: got %d, want %d", got, created)
	}
	if got := apitest.Field[int64](t, after, "updated_at"); got < created+3600 {
		t.Errorf("updated_at after an hour: got %d, want at least %d", got, created+3600)
	}
}

func TestPublicProject(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	status, answer := s.Ask(t, "GET", "/public/app", "")
	if status != http.StatusOK || strings.Contains(answer, `"translations"`) || strings.Contains(answer, `"locale_message"`) {
		t.Errorf("public project: got %d %s, want it without translations and locale_message", status, answer)
	}
	if why := apitest.CompareJSON(t, answer, `{"id":"app","project_key":"app","name":"app","description":null,"storage_backend_id":null,"aliases":[],"locale":null}`); why != "" {
		t.Error(why)
	}
	s.Exchanges(t, []apitest.Exchange{{"unknown project", "GET", "/public/none", "", 404, `{"statusCode":404,"error":"Not Found"}`}})
}

// TestProjectContents checks that the counts include all records that would be deleted together
// with the project, including hidden and archived ones, and no records of other projects.
func TestProjectContents(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const one, path = "/admin/projects/app", "/admin/projects/app/contents"
	s.Project(t, "before")
	s.Project(t, "other")
	s.Must(t, 200, "PATCH", "/admin/projects/before", `{"project_key":"app"}`)
	const none = `{"versions":0,"announcements":0,"feedbacks":0,"logs":0,"files":0,"file_bytes":0,"events":0,"event_definitions":0,"dashboard_cards":0,"languages":0,"aliases":1,"api_keys":0}`
	if empty := s.Must(t, 200, "GET", path, ""); apitest.CompareJSON(t, empty, none) != "" {
		t.Errorf("an empty project: got %s, want %s", empty, none)
	}
	for _, key := range []string{"app", "other"} {
		of := "/admin/projects/" + key
		s.Publish(t, key, "1.0", "2.0", "3.0-rc preview")
		s.Must(t, 201, "POST", of+"/announcements", `{"title":"a","content":"b","is_hidden":true}`)
		s.Must(t, 201, "POST", of+"/feedbacks", `{"content":"a","is_hidden":true}`)
		s.Must(t, 201, "POST", of+"/feedbacks", `{"content":"b","rating":1}`)
		for level := range 4 {
			s.Must(t, 201, "POST", of+"/logs", fmt.Sprintf(`{"level":%d,"content":"x"}`, level))
		}
		s.Upload(t, key, "a.txt", "hello")
		s.Upload(t, key, "b.txt", "world!")
		s.Must(t, 202, "POST", "/public/"+key+"/events", `{"distinct_id":"me","events":[{"event_id":"1","name":"open"},{"event_id":"2","name":"open"},{"event_id":"3","name":"close"}]}`)
		s.Must(t, 201, "POST", of+"/events/dashboards/cards", `{"title":"t","query":{"type":"value","events":[{"name":"open","alias":"A"}]}}`)
		s.Must(t, 201, "POST", of+"/locales", `{"locale":"de"}`)
		s.Key(t, fmt.Sprintf(`{"name":"k","project_ids":[%q]}`, key))
	}
	s.Key(t, `{"name":"everything"}`)
	s.Key(t, `{"name":"both","project_ids":["app","other"]}`)
	revoked := apitest.Field[string](t, s.Must(t, 201, "POST", "/auth/api-keys", `{"name":"gone","project_ids":["app"]}`), "id")
	s.Must(t, 200, "DELETE", "/auth/api-keys/"+revoked, "")
	const full = `{"versions":3,"announcements":1,"feedbacks":2,"logs":4,"files":2,"file_bytes":11,"events":3,"event_definitions":2,"dashboard_cards":1,"languages":1,"aliases":1,"api_keys":2}`
	if got := s.Must(t, 200, "GET", path, ""); apitest.CompareJSON(t, got, full) != "" {
		t.Errorf("in memory: got %s, want %s", got, full)
	}
	if err := s.Events.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := s.Must(t, 200, "GET", "/admin/projects/before/contents", ""); apitest.CompareJSON(t, got, full) != "" {
		t.Errorf("in blocks, by the former key: got %s, want %s", got, full)
	}
	s.Must(t, 200, "DELETE", one, "")
	s.Must(t, 404, "GET", path, "")
}
