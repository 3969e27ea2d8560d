package resource_test

import (
	"strings"
	"testing"

	"svc/api/apitest"
)

// TestPublish checks that a PUT request for a version publishes it, and that repeating the request
// changes nothing.
func TestPublish(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	at := func(v string) string { return apitest.VersionsOf("app") + "/by-version/" + v }
	s.Exchanges(t, []apitest.Exchange{
		{"absent: created, everything derived", "PUT", at("v1.0"), ``, 201, `{"version":"v1.0","comparable_version":"1.0","is_latest":true,` + emptyVersion + `}`},
		{
			"present: the same request changes nothing",
			"PUT",
			at("v1.0"),
			``,
			200,
			`{"version":"v1.0","comparable_version":"1.0","is_latest":true,` + emptyVersion + `}`,
		},
		{
			"present: what is sent is replaced",
			"PUT",
			at("v1.0"),
			`{"title":"t","content":"c","custom_data":{"a":1}}`,
			200,
			`{"title":"t","content":"c","custom_data":{"a":1}}`,
		},
		{"present: what is not sent is kept", "PUT", at("v1.0"), `{"content":"d"}`, 200, `{"title":"t","content":"d","custom_data":{"a":1},"is_latest":true}`},
		{"present: null clears", "PUT", at("v1.0"), `{"title":null,"content":null,"custom_data":null}`, 200, `{"title":null,"content":null,"custom_data":null}`},
		{
			"absent: null is not sent",
			"PUT",
			at("1.1"),
			`{"comparable_version":null,"title":null,"is_latest":null,"is_preview":null,"published_at":null,"translations":null}`,
			201,
			`{"version":"1.1","comparable_version":"1.1","is_latest":true}`,
		},
		{"the text in the body, trimmed", "PUT", at("1.2"), `{"version":" 1.2\n"}`, 201, `{"version":"1.2"}`},
		{"the text in the body of an update", "PUT", at("1.2"), `{"version":"1.2"}`, 200, `{"version":"1.2"}`},
		{"null for the text counts as not sent", "PUT", at("1.2"), `{"version":null}`, 200, `{"version":"1.2"}`},
		{"also at creation", "PUT", at("1.3"), `{"version":null}`, 201, `{"version":"1.3"}`},
		{"blanks around the text in the path", "PUT", at("%20%091.3%20"), ``, 200, `{"version":"1.3"}`},
		{"an equal value is another text", "PUT", at("1.3.0"), ``, 201, `{"version":"1.3.0"}`},
		{"another case is another text", "PUT", at("V1.0"), ``, 201, `{"version":"V1.0","comparable_version":"1.0"}`},
		{"a value of its own", "PUT", at("Spring"), `{"comparable_version":"2.0"}`, 201, `{"version":"Spring","comparable_version":"2.0"}`},
		{"is kept", "PUT", at("Spring"), `{"title":"t"}`, 200, `{"comparable_version":"2.0"}`},
		{"may change", "PUT", at("Spring"), `{"comparable_version":"2.1"}`, 200, `{"comparable_version":"2.1"}`},
		{"null derives it again", "PUT", at("1.3"), `{"comparable_version":"9"}`, 200, `{"comparable_version":"9"}`},
		{"as said", "PUT", at("1.3"), `{"comparable_version":null}`, 200, `{"comparable_version":"1.3"}`},
		{"64 characters", "PUT", at("v" + strings.Repeat("1", 63)), ``, 201, ``},
		{"unknown fields and those of the server are ignored", "PUT", at("1.4"), `{"id":"x","forced":true,"created_at":1,"colour":"red"}`, 201, `{"forced":false}`},
	})
	s.Refusals(t, apitest.VersionsOf("app"), []apitest.Refusal{
		{"another text in the body", "PUT", at("1.2"), `{"version":"1.3"}`, 400, `version must be "1.2" as in the path, or left out`},
		{"another case in the body", "PUT", at("v1.0"), `{"version":"V1.0"}`, 400, `version must be "v1.0" as in the path, or left out`},
		{"an equal value in the body", "PUT", at("1.2"), `{"version":"1.2.0"}`, 400, `version must be "1.2" as in the path`},
		{"a blank text in the body", "PUT", at("1.2"), `{"version":" "}`, 400, `version must not be empty`},
		{"a number for the text in the body", "PUT", at("1.2"), `{"version":1.2}`, 400, `version must be a string`},
		{"a blank text in the path", "PUT", at("%20"), ``, 400, `version must not be empty`},
		{"65 characters", "PUT", at("v" + strings.Repeat("1", 64)), ``, 400, `version must have at most 64 characters`},
		{"a text that tells no number", "PUT", at("Summer"), ``, 400, `comparable_version cannot be derived from version "Summer"`},
		{
			"null where the text tells no number",
			"PUT",
			at("Spring"),
			`{"comparable_version":null}`,
			400,
			`comparable_version cannot be derived from version "Spring"`,
		},
		{"a blank comparable version", "PUT", at("1.2"), `{"comparable_version":""}`, 400, `comparable_version must be a comparable version`},
		{"a null flag of a stored version", "PUT", at("1.2"), `{"is_milestone":null}`, 400, `is_milestone must not be null`},
		{"a null date of a stored version", "PUT", at("1.2"), `{"published_at":null}`, 400, `published_at must not be null`},
		{
			"everything that is wrong is told",
			"PUT",
			at("1.2"),
			`{"version":"x","title":5,"is_latest":1}`,
			400,
			`title must be a string; is_latest must be true or false; version must be "1.2"`,
		},
		{"a body that is no object", "PUT", at("1.2"), `[]`, 400, `must be a JSON object`},
		{"a project nobody has", "PUT", apitest.VersionsOf("none") + "/by-version/1.0", ``, 404, `project "none" not found`},
		{
			"what is sent is checked before the project is looked for",
			"PUT",
			apitest.VersionsOf("none") + "/by-version/1.0",
			`{"title":5}`,
			400,
			`title must be a string`,
		},
		{"nothing in the path", "PUT", apitest.VersionsOf("app") + "/by-version/", ``, 404, `no such path`},
	})
}

// TestVersionTextInPath checks that an escaped version text in a path is never split into segments,
// whatever characters it contains.
func TestVersionTextInPath(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for _, tc := range []struct{ name, text, path string }{
		{"a slash", "1.0/beta", "1.0%2Fbeta"},
		{"a slash in lower case", "1.0/rc", "1.0%2frc"},
		{"encoded dots", "1.0.1", "1%2E0%2e1"},
		{"a blank inside", "1.0 final", "1.0%20final"},
		{"nothing but dots", "..", "%2E%2E"},
		{"a slash alone", "/", "%2F"},
		{"the way out", "../../x", "..%2F..%2Fx"},
		{"a plus is a plus", "1.0+build", "1.0+build"},
		{"an encoded plus", "1.0+build.7", "1.0%2Bbuild.7"},
		{"a percent sign is decoded once", "50%25", "50%2525"},
		{"what looks encoded", "%2F", "%252F"},
		{"a question mark and a hash", "a?b#c", "a%3Fb%23c"},
		{"a semicolon and an ampersand", "a;b&c=d", "a%3Bb%26c%3Dd"},
		{"another script", "версия 1", "%D0%B2%D0%B5%D1%80%D1%81%D0%B8%D1%8F%201"},
		{"a word of the paths", "by-version", "by-version"},
		{"another word of the paths", "latest", "latest"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const value = `{"comparable_version":"1.0","title":"t"}`
			want := `{"version":` + apitest.Quoted(tc.text) + `}`
			s.Exchanges(t, []apitest.Exchange{
				{"published", "PUT", apitest.VersionsOf("app") + "/by-version/" + tc.path, value, 201, want},
				{"again", "PUT", apitest.VersionsOf("app") + "/by-version/" + tc.path, value, 200, want},
				{"read", "GET", "/public/app/versions/by-version/" + tc.path, "", 200, want},
				{"read with a slash behind it", "GET", "/public/app/versions/by-version/" + tc.path + "/", "", 200, want},
				{
					"asked from",
					"POST",
					"/public/app/versions/check-update",
					`{"current_version":` + apitest.Quoted(tc.text) + `}`,
					200,
					`{"current_version":` + apitest.Quoted(tc.text) + `,"should_update":false}`,
				},
			})
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"a slash that is not encoded splits", "GET", "/public/app/versions/by-version/1.0/beta", "", 404, `{"message":"no such path or method"}`},
		{"blanks around an encoded text", "GET", "/public/app/versions/by-version/1.0%2Fbeta%20", "", 200, `{"version":"1.0/beta"}`},
	})
}
