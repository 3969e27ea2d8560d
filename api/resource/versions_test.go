package resource_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

const emptyVersion = `"title":null,"content":null,"locale":null,"translations":[],"download_url":null,"download_links":[],"forced":false,
	"is_preview":false,"is_milestone":false,"is_deprecated":false,"platform":null,"platforms":[],"custom_data":null`

func TestCreateVersion(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	all := apitest.VersionsOf("app")
	s.Exchanges(t, []apitest.Exchange{
		{
			"only what is required",
			"POST",
			all,
			`{"version":"1.0","comparable_version":"1"}`,
			201,
			`{"version":"1.0","comparable_version":"1","is_latest":true,` + emptyVersion + `}`,
		},
		{"null is the same as not sent", "POST", all,
			`{"version":"1.1","comparable_version":"1.1","title":null,"content":null,"translations":null,"download_url":null,"download_links":null,"is_latest":null,
			"is_preview":null,"is_milestone":null,"is_deprecated":null,"platform":null,"platforms":null,"custom_data":null,"published_at":null}`, 201,
			`{"version":"1.1","is_latest":true,` + emptyVersion + `}`},
		{"every field", "POST", all,
			`{"version":"v2.0 β","comparable_version":"2.0-rc.1","title":" T ","content":"*c*","download_url":"any text","download_links":[{"url":"https://a.example/f"}],
			"is_latest":false,"is_preview":true,"is_milestone":true,"is_deprecated":false,"platform":" Windows ","platforms":["MacOS"],"custom_data":{"a":[1.0,null]},"published_at":0}`, 201,
			`{"version":"v2.0 β","comparable_version":"2.0-rc.1","title":" T ","content":"*c*","download_url":"any text","download_links":[{"url":"https://a.example/f"}],"forced":false,
			"is_latest":false,"is_preview":true,"is_milestone":true,"is_deprecated":false,"platform":"windows","platforms":["macos"],"custom_data":{"a":[1.0,null]},"published_at":0}`},
		{
			"is stored as it was answered",
			"GET",
			"/public/app/versions/by-version/v2.0%20%CE%B2",
			"",
			200,
			`{"title":" T ","custom_data":{"a":[1.0,null]},"published_at":0,"platforms":["macos"]}`,
		},
		{"the text is trimmed", "POST", all, `{"version":" \t1.2 ","comparable_version":"1.2"}`, 201, `{"version":"1.2"}`},
		{"texts differ in case", "POST", all, `{"version":"V2.0 Β","comparable_version":"2.0"}`, 201, `{"version":"V2.0 Β"}`},
		{"equal values are two versions", "POST", all, `{"version":"1.0.0","comparable_version":"1.0.0"}`, 201, `{"version":"1.0.0"}`},
		{
			"unknown fields and those of the server are ignored",
			"POST",
			all,
			`{"version":"1.3","comparable_version":"1.3","forced":true,"id":"x","created_at":1,"locale":"de","colour":"red"}`,
			201,
			`{"version":"1.3","forced":false,"locale":null}`,
		},
		{"an empty object is kept", "POST", all, `{"version":"1.4","comparable_version":"1.4","custom_data":{}}`, 201, `{"custom_data":{}}`},
		{
			"a future date is a date",
			"POST",
			all,
			`{"version":"1.5","comparable_version":"1.5","published_at":9007199254740993}`,
			201,
			`{"published_at":9007199254740993}`,
		},
		{
			"the older path",
			"POST",
			"/admin/projects/versions",
			`{"project_key":" APP ","version":"1.6","comparable_version":"1.6","published_at":5}`,
			201,
			`{"version":"1.6","is_latest":false,"published_at":5}`,
		},
		{"it stands in the project", "GET", "/public/app/versions/by-version/1.6", "", 200, `{"version":"1.6"}`},
	})
	before := time.Now().Unix()
	created := s.Must(t, 201, "POST", all, `{"version":"3","comparable_version":"3"}`)
	for _, name := range []string{"published_at", "created_at"} {
		if got := apitest.Field[int64](t, created, name); got < before || got > before+60 {
			t.Errorf("%s of a new version: got %d, want now, which is %d", name, got, before)
		}
	}
}

func TestCreateVersionRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	all := apitest.VersionsOf("app")
	const older = "/admin/projects/versions"
	s.Refusals(t, all, []apitest.Refusal{
		{
			"everything that is wrong is told",
			"POST",
			all,
			`{"title":5,"is_latest":"true"}`,
			400,
			"version is required; comparable_version is required; title must be a string; is_latest must be true or false",
		},
		{"nulls for what is required", "POST", all, `{"version":null,"comparable_version":null}`, 400, "version is required; comparable_version is required"},
		{"no comparable version: POST derives none", "POST", all, `{"version":"2.0"}`, 400, "comparable_version is required"},
		{"a blank comparable version", "POST", all, `{"version":"2.0","comparable_version":" "}`, 400, "comparable_version must be a comparable version"},
		{"a text that exists", "POST", all, `{"version":" 1.0 ","comparable_version":"5"}`, 409, `version "1.0" exists already`},
		{"a project nobody has", "POST", apitest.VersionsOf("none"), `{"version":"1","comparable_version":"1"}`, 404, `project "none" not found`},
		{"the older path without a project", "POST", older, `{"version":"2","comparable_version":"2"}`, 400, "project_key is required"},
		{"the older path with a null project", "POST", older, `{"project_key":null,"title":5}`, 400, "project_key is required; version is required"},
		{
			"the older path with a project that is a number",
			"POST",
			older,
			`{"project_key":5,"version":"2","comparable_version":"2"}`,
			400,
			"project_key must be a string",
		},
		{"the older path with a project nobody has", "POST", older, `{"project_key":"none","version":"2","comparable_version":"2"}`, 404, `project "none" not found`},
		{"the older path with a text that exists", "POST", older, `{"project_key":"app","version":"1.0","comparable_version":"2"}`, 409, "exists already"},
	})
}

// versionField is a field of a version, with valid and invalid values.
type versionField struct {
	name    string
	good    []string // valid values in JSON, sent one after the other, so that the last one remains
	bad     []string
	message string
	null    string // JSON of the value after null; "" = null is not allowed
}

var versionFields = []versionField{
	{"title", []string{`""`, `"` + apitest.Long(128) + `"`}, []string{`"` + apitest.Long(129) + `"`}, "title must have at most 128 characters", "null"},
	{"title", []string{`"t"`}, []string{`5`, `true`, `["t"]`}, "title must be a string", "null"},
	{"content", []string{`""`, `"` + apitest.Long(20000) + `"`}, []string{`5`, `{}`}, "content must be a string", "null"},
	{
		"download_url",
		[]string{`"no address"`, `"` + apitest.Long(2048) + `"`},
		[]string{`"` + apitest.Long(2049) + `"`},
		"download_url must have at most 2048 characters",
		"null",
	},
	{"download_url", []string{`"x"`}, []string{`5`}, "download_url must be a string", "null"},
	{"is_latest", []string{`true`}, []string{`1`, `"true"`, `"1"`, `[]`}, "is_latest must be true or false", ""},
	{"is_preview", []string{`true`, `false`}, []string{`0`, `"false"`}, "is_preview must be true or false", ""},
	{"is_milestone", []string{`false`, `true`}, []string{`1`, `"true"`}, "is_milestone must be true or false", ""},
	{"is_deprecated", []string{`false`}, []string{`0`, `"false"`}, "is_deprecated must be true or false", ""},
	{
		"published_at",
		[]string{`0`, `9223372036854775807`, `7`},
		[]string{`-1`, `1.5`, `"5"`, `true`, `1e300`},
		"published_at must be an integer of at least 0",
		"",
	},
	{
		"custom_data",
		[]string{`{}`, `{"b":{"a":"x"},"a":[1,1.50,1e3,90071992547409931]}`},
		[]string{`[]`, `"x"`, `5`, `true`},
		"custom_data must be a JSON object",
		"null",
	},
	{"comparable_version", []string{`"` + strings.Repeat("0", 63) + `1"`, `"1.0-alpha.1"`}, []string{`""`, `" "`, `"v1"`, `" 1.0"`, `"1.0-RC.1"`, `"1.0-rc1"`, `"` + strings.Repeat("0", 64) + `1"`},
		"comparable_version must be a comparable version of at most 64 characters", ""},
	{"comparable_version", []string{`"1"`}, []string{`1`, `{}`}, "comparable_version must be a string", ""},
	{"version", []string{`"` + apitest.Long(64) + `"`, `"1.0"`}, []string{`"` + apitest.Long(65) + `"`}, "version must have at most 64 characters", ""},
	{"version", []string{`"1.0"`}, []string{`""`, `" \n"`}, "version must not be empty", ""},
	{"version", []string{`"1.0"`}, []string{`1`}, "version must be a string", ""},
}

// TestVersionFields checks every field at its limits and beyond them. A field must stay unchanged
// when it is not sent, and be cleared by null.
func TestVersionFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	all := apitest.VersionsOf("app")
	one := all + "/" + s.VersionID(t, "app", "1.0")
	for _, f := range versionFields {
		body := func(value string) string {
			if f.name == "version" {
				return `{"version":` + value + `,"comparable_version":"1"}`
			}
			return `{"` + f.name + `":` + value + `}`
		}
		for _, value := range f.good {
			s.Exchanges(t, []apitest.Exchange{{f.name + " " + value[:min(len(value), 20)], "PATCH", one, body(value), 200, `{"` + f.name + `":` + value + `}`}})
		}
		last := `{"` + f.name + `":` + f.good[len(f.good)-1] + `}`
		s.Exchanges(t, []apitest.Exchange{
			{f.name + " is kept when not sent", "PATCH", one, `{}`, 200, last},
			{f.name + " is kept by PUT, too", "PUT", all + "/by-version/1.0", ``, 200, last},
		})
		var rows []apitest.Refusal
		for _, value := range f.bad {
			name := " " + value[:min(len(value), 20)]
			rows = append(rows,
				apitest.Refusal{"PATCH " + f.name + name, "PATCH", one, body(value), 400, f.message},
				apitest.Refusal{"older PATCH " + f.name + name, "PATCH", "/admin/versions/" + apitest.Field[string](t, s.Must(t, 200, "GET", one, ""), "id"), body(value), 400, f.message})
			create := `{"version":"9","comparable_version":"9","` + f.name + `":` + value + `}` // if a key occurs twice, the second one counts
			rows = append(rows, apitest.Refusal{"POST " + f.name + name, "POST", all, create, 400, f.message})
			if f.name != "version" {
				rows = append(rows,
					apitest.Refusal{"PUT " + f.name + name, "PUT", all + "/by-version/1.0", body(value), 400, f.message},
					apitest.Refusal{"PUT of a new version " + f.name + name, "PUT", all + "/by-version/9", body(value), 400, f.message})
			}
		}
		s.Refusals(t, all, rows)
		switch {
		case f.null != "":
			s.Exchanges(t, []apitest.Exchange{{f.name + " is cleared by null", "PATCH", one, `{"` + f.name + `":null}`, 200, `{"` + f.name + `":` + f.null + `}`}})
		case f.name != "comparable_version":
			s.Refusals(t, all, []apitest.Refusal{{f.name + " is never null", "PATCH", one, `{"` + f.name + `":null}`, 400, f.name + " must not be null"}})
		}
	}
}

func TestVersionNumbers(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0", "7.0")
	one := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0")
	s.Exchanges(t, []apitest.Exchange{
		{"another comparable version", "PATCH", one, `{"comparable_version":"1.0.0.0"}`, 200, `{"version":"1.0","comparable_version":"1.0.0.0"}`},
		{"is kept when not sent", "PATCH", one, `{"title":"t"}`, 200, `{"comparable_version":"1.0.0.0"}`},
		{"is kept when the text is sent but the same", "PATCH", one, `{"version":" 1.0 "}`, 200, `{"comparable_version":"1.0.0.0"}`},
		{"null derives it again", "PATCH", one, `{"comparable_version":null}`, 200, `{"comparable_version":"1.0"}`},
		{"another text derives it, without v", "PATCH", one, `{"version":"v2.0-rc.1"}`, 200, `{"version":"v2.0-rc.1","comparable_version":"2.0-rc.1"}`},
		{"without V", "PATCH", one, `{"version":" V3 "}`, 200, `{"version":"V3","comparable_version":"3"}`},
		{"another text and null", "PATCH", one, `{"version":"4.0","comparable_version":null}`, 200, `{"comparable_version":"4.0"}`},
		{
			"another text and a value of its own",
			"PATCH",
			one,
			`{"version":"Spring","comparable_version":"5.0"}`,
			200,
			`{"version":"Spring","comparable_version":"5.0"}`,
		},
		{"a text that tells no number, the rest may change", "PATCH", one, `{"title":"u"}`, 200, `{"comparable_version":"5.0","title":"u"}`},
		{"found by the new text", "GET", "/public/app/versions/by-version/Spring", "", 200, `{"comparable_version":"5.0"}`},
		{"not by the old one", "GET", "/public/app/versions/by-version/v2.0-rc.1", "", 404, ``},
		{"the old text is free", "PUT", apitest.VersionsOf("app") + "/by-version/1.0", ``, 201, ``},
	})
	s.Refusals(t, apitest.VersionsOf("app"), []apitest.Refusal{
		{"a text that tells no number", "PATCH", one, `{"version":"Summer"}`, 400, `comparable_version cannot be derived from version "Summer"`},
		{"null where the text tells no number", "PATCH", one, `{"comparable_version":null}`, 400, `comparable_version cannot be derived from version "Spring"`},
		{"two leading letters", "PATCH", one, `{"version":"vv1.0"}`, 400, `comparable_version cannot be derived`},
		{"a blank behind the letter", "PATCH", one, `{"version":"v 1.0"}`, 400, `comparable_version cannot be derived`},
		{"the text of another version", "PATCH", one, `{"version":" 7.0 ","title":"x"}`, 409, `version "7.0" exists already`},
	})
}

func TestVersionByID(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	s.Publish(t, "app", "1.0", "2.0")
	s.Publish(t, "other", "1.0")
	id := s.VersionID(t, "app", "1.0")
	const unknown = "01900000-0000-7000-8000-000000000000"
	elsewhere := apitest.VersionsOf("other") + "/"
	var rows []apitest.Refusal
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		rows = append(rows,
			apitest.Refusal{method + ": an id of another project", method, elsewhere + id, `{"title":"x"}`, 404, "version not found"},
			apitest.Refusal{method + ": an id nobody has", method, apitest.VersionsOf("app") + "/" + unknown, `{"title":"x"}`, 404, "version not found"},
			apitest.Refusal{method + ": no id at all", method, apitest.VersionsOf("app") + "/1.0", `{"title":"x"}`, 404, "version not found"},
			apitest.Refusal{method + ": a project nobody has", method, apitest.VersionsOf("none") + "/" + id, `{"title":"x"}`, 404, `project "none" not found`},
			apitest.Refusal{method + ", older path: an id nobody has", method, "/admin/versions/" + unknown, `{"title":"x"}`, 404, "version not found"},
			apitest.Refusal{method + ", older path: no id at all", method, "/admin/versions/1.0", `{"title":"x"}`, 404, "version not found"})
	}
	s.Refusals(t, apitest.VersionsOf("app"), rows)
	s.Exchanges(t, []apitest.Exchange{
		{"read", "GET", apitest.VersionsOf("app") + "/" + id, "", 200, `{"id":"` + id + `","version":"1.0","translations":[],"locale":null}`},
		{"read on the older path", "GET", "/admin/versions/" + id, "", 200, `{"id":"` + id + `","version":"1.0","translations":[]}`},
		{"change on the older path", "PATCH", "/admin/versions/" + id, `{"title":"t"}`, 200, `{"id":"` + id + `","title":"t"}`},
		{
			"the id is not the client's to change",
			"PATCH",
			"/admin/versions/" + id,
			`{"id":"` + unknown + `","created_at":1,"forced":true}`,
			200,
			`{"id":"` + id + `","title":"t","forced":false}`,
		},
		{"what was changed is seen by all", "GET", "/public/app/versions/by-version/1.0", "", 200, `{"title":"t"}`},
		{"deletion on the older path", "DELETE", "/admin/versions/" + id, "", 200, `{"success":true}`},
		{"a second time", "DELETE", "/admin/versions/" + id, "", 404, ``},
		{"it is gone for all", "GET", "/public/app/versions", "", 200, `{"total":1,"data":[{"version":"2.0"}]}`},
		{"its text is free", "POST", apitest.VersionsOf("app"), `{"version":"1.0","comparable_version":"1.0"}`, 201, `{"title":null}`},
		{"the other project's is untouched", "GET", "/public/other/versions", "", 200, `{"total":1}`},
		{"status of the module", "GET", apitest.VersionsOf("app") + "/_status", "", 200, `{"module":"versions","implemented":true}`},
		{"status of the module of a project that there is not", "GET", apitest.VersionsOf("none") + "/_status", "", 404, ``},
	})
}

// TestCustomDataDepth checks that custom data is limited to a depth that every client can parse.
// The server must reject deeper objects and must not store parts of them.
func TestCustomDataDepth(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) }
	lists := func(n int) string {
		return `{"a":` + strings.Repeat(`[`, n-1) + strings.Repeat(`]`, n-1) + `}`
	}
	const message = "custom_data must be a JSON object of at most 100 levels"
	put := apitest.VersionsOf("app") + "/by-version/1.0"
	s.Exchanges(t, []apitest.Exchange{
		{"100 objects", "PUT", put, `{"custom_data":` + nested(100) + `}`, 200, `{"custom_data":` + nested(100) + `}`},
		{"99 lists in an object", "PUT", put, `{"custom_data":` + lists(100) + `}`, 200, `{"custom_data":` + lists(100) + `}`},
		{
			"what is text has no depth",
			"PUT",
			put,
			`{"custom_data":{"a":"` + strings.Repeat(`{[\"\\`, 500) + `"}}`,
			200,
			`{"custom_data":{"a":"` + strings.Repeat(`{[\"\\`, 500) + `"}}`,
		},
		{"many siblings are not deep", "PUT", put, `{"custom_data":{"a":[` + strings.Repeat(`{},[],`, 500) + `1]}}`, 200, ``},
		{
			"white space goes, everything else stays",
			"PUT",
			put,
			"{\"custom_data\": { \"b\" : 1.50 ,\n\"a\" : \"\\u00e9 <&>\" } }",
			200,
			`{"custom_data":{"b":1.50,"a":"é <&>"}}`,
		},
		{"the public is shown the same", "GET", "/public/app/versions/latest", "", 200, `{"custom_data":{"b":1.50,"a":"é <&>"}}`},
	})
	s.Refusals(t, apitest.VersionsOf("app"), []apitest.Refusal{
		{"101 objects", "PUT", put, `{"custom_data":` + nested(101) + `}`, 400, message},
		{"100 lists in an object", "PUT", put, `{"custom_data":` + lists(101) + `}`, 400, message},
		{"deeper than a reader of JSON goes", "PUT", put, `{"custom_data":` + nested(20000) + `}`, 400, "the request body is not JSON"},
		{"very deep and cut off", "PUT", put, `{"custom_data":` + strings.Repeat("[", 1_000_000), 400, "the request body is not JSON"},
	})
}

// TestComparableVersions checks the grammar and the order of comparable versions in the API.
func TestComparableVersions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "0")
	put := apitest.VersionsOf("app") + "/by-version/0"
	for _, good := range []string{"1", "1.0.0", "1.2.3.4", "2.0.0-alpha", "2.0.0-beta.3", "2.0.0-rc.1.2", "007.00", strings.Repeat("9", 64)} {
		s.Exchanges(t, []apitest.Exchange{{good, "PUT", put, `{"comparable_version":"` + good + `"}`, 200, `{"comparable_version":"` + good + `"}`}})
	}
	var rows []apitest.Refusal
	for _, bad := range []string{"v1.0.0", "1.0.0-preview.1", "1.0.x", "1.0.0-rc1", "1.0.0-RC.1", "1.", ".1", "1..2", "-rc", "1.0-", "1.0-rc.", "1.0-rc..1", "1.0-rc.a",
		"1.0-rc-1", "1.0-rc.1-beta", "1.0+build", "1,0", "1.0 ", "1.0\n", "+1", "-1", "0x1", "1e3", "١.٠", "１.０"} {
		rows = append(rows, apitest.Refusal{apitest.Quoted(bad), "PUT", put, `{"comparable_version":` + apitest.Quoted(bad) + `}`, 400, "comparable_version must be a comparable version"})
	}
	s.Refusals(t, apitest.VersionsOf("app"), rows)
	for _, tc := range []struct {
		lesser, greater string
		equal           bool
	}{
		{"1.2.3", "1.2.3.0", true},
		{"1.70.4", "2.00.0", false},
		{"2.0-alpha", "2.0-beta", false},
		{"2.0-beta.9", "2.0-rc", false},
		{"2.0-rc.9", "2.0", false},
		{"2.0-rc", "2.0.0-rc.0", true},
		{"2.0-rc.9", "2.0-rc.10", false},
		{"2.0-rc.1", "2.0-rc.1.1", false},
		{"2.0", "2.0.1-alpha", false},
		{"1.18446744073709551615", "1.18446744073709551616", false},
		{strings.Repeat("9", 63), "1" + strings.Repeat("0", 63), false},
	} {
		s.Exchanges(t, []apitest.Exchange{
			{"published " + tc.greater, "PUT", put, `{"comparable_version":"` + tc.greater + `"}`, 200, ``},
			{
				tc.lesser + " is older, or equal",
				"POST",
				"/public/app/versions/check-update",
				`{"current_comparable_version":"` + tc.lesser + `"}`,
				200,
				fmt.Sprintf(`{"should_update":%t}`, !tc.equal),
			},
			{"published " + tc.lesser, "PUT", put, `{"comparable_version":"` + tc.lesser + `"}`, 200, ``},
			{
				tc.greater + " is not older",
				"POST",
				"/public/app/versions/check-update",
				`{"current_comparable_version":"` + tc.greater + `"}`,
				200,
				`{"should_update":false}`,
			},
		})
	}
}
