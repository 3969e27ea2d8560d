package resource_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
)

// noted creates a project whose versions have notes, previews and rollouts.
func noted(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de"}`)
	s.Must(t, 200, "PUT", "/admin/projects/app/distribution", `{"channels":[{"name":"beta","includes":["stable"]}]}`)
	publish := func(version, fields string) {
		s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/"+version, fields)
	}
	publish("v1.0", `{"title":"One","content":"# First"}`)
	publish("v1.1", `{"content":"a","published_at":1700000000,"is_milestone":true,"translations":[{"locale":"de","title":"Eins eins"}]}`)
	publish("v1.2", `{"title":" ","content":"\n","translations":[{"locale":"de","content":"nur deutsch"}]}`)
	publish("v1.3", `{"title":"Only a title","platforms":["windows"]}`)
	publish("v1.4", `{"content":"loses settings"}`)
	publish("v2.0-beta.1", `{"content":"tests","is_preview":true}`)
	publish("v2.0-rc.1", `{"content":"nearly","is_preview":true}`)
	publish("v2.0", `{"content":"## Added\n\n- b\n"}`)
	publish("v2.1", `{"content":"rolling","rollout":{"percent":25}}`)
	publish("v2.2", `{"content":"secret","rollout":{"percent":0}}`)
	s.Must(t, 200, "POST", apitest.VersionsOf("app")+"/"+s.VersionID(t, "app", "v1.4")+"/yank", `{"reason":"loses settings"}`)
	return s
}

func TestNotes(t *testing.T) {
	t.Parallel()
	s := noted(t)
	for _, tc := range []struct{ name, query, want string }{
		{"all up to what a caller without a key gets", "from=v1.0", "v1.0 > v2.0: v2.0 v1.3 v1.1"},
		{"without from only to", "to=v1.1", "null > v1.1: v1.1"},
		{"without both", "", "null > v2.0: v2.0"},
		{"a blank from is none", "from=%20&to=v1.1", "null > v1.1: v1.1"},
		{"from by its comparable version", "from=1.1.0", "v1.1 > v2.0: v2.0 v1.3"},
		{"from a version that is not registered", "from=1.2.7", "1.2.7 > v2.0: v2.0 v1.3"},
		{"from a version that is not published counts as its value", "from=2.2&to=v2.1", "400 from must not be greater"},
		{"from a yanked version", "from=v1.4", "v1.4 > v2.0: v2.0"},
		{"to by its comparable version", "from=v1.0&to=1.3", "v1.0 > v1.3: v1.3 v1.1"},
		{"to a rollout", "from=v1.3&to=v2.1", "v1.3 > v2.1: v2.1 v2.0"},
		{"to a yanked version", "from=v1.3&to=v1.4", "v1.3 > v1.4:"},
		{"from and to are equal", "from=2.0&to=v2.0", "v2.0 > v2.0:"},
		{"with previews", "from=v1.3&channel=preview", "v1.3 > v2.0: v2.0 v2.0-rc.1"},
		{"with those of a channel", "from=v1.3&channel=beta", "v1.3 > v2.0: v2.0 v2.0-beta.1"},
		{"a blank channel is stable", "from=v1.3&channel=%20", "v1.3 > v2.0: v2.0"},
		{"a platform", "from=v1.0&platform=linux", "v1.0 > v2.0: v2.0 v1.1"},
		{"a platform of which there is a version", "from=v1.0&platform=Windows", "v1.0 > v2.0: v2.0 v1.3 v1.1"},
		{"in a language, texts that only it has", "from=v1.0&locale=de", "v1.0 > v2.0: v2.0 v1.3 v1.2 v1.1"},
		{"as many as the limit", "from=v1.0&limit=3", "v1.0 > v2.0: v2.0 v1.3 v1.1"},
		{"more than the limit", "from=v1.0&limit=2", "v1.0 > v2.0: v2.0 v1.3 …"},
		{"what has no text does not count", "from=v1.1&to=v1.3&limit=1", "v1.1 > v1.3: v1.3"},

		{"from that is no version", "from=latest", "400 from must be a version of the project or a comparable version"},
		{"from a version that is unpublished and no number", "from=v2.2", "400 from must be a version"},
		{"from above to", "from=v2.0&to=v1.1", `400 from must not be greater than to, which is "v1.1"`},
		{"from above what the channel has", "from=9", `400 from must not be greater than to, which is "v2.0"`},
		{"to that nobody published", "to=9", `404 version "9" not found`},
		{"to a version that is not published", "to=v2.2", `404 version "v2.2" not found`},
		{"an unknown channel", "channel=nightly", `400 channel: the project has no channel "nightly"`},
		{"the channel of feeds", "channel=latest", `400 channel: the project has no channel "latest"`},
		{"an unknown format", "format=text", `400 format must be markdown or html`},
		{"no limit", "limit=0", `400 limit must be an integer of at least 1`},
		{"a limit that is too large", "limit=101&platform=beos", `400 platform must be one of`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, answer := s.Ask(t, "GET", "/public/app/versions/notes?"+tc.query, "")
			got := fmt.Sprint(status, " ")
			if status == 200 {
				got = summary(t, answer)
			} else {
				got += apitest.Message(t, answer)
			}
			if got != tc.want && (status == 200 || !strings.HasPrefix(got, tc.want)) {
				t.Errorf("%s: got %q, want %q", tc.query, got, tc.want)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"of a project nobody has", "GET", "/public/none/versions/notes", "", 404, `{"message":"project \"none\" not found"}`},
		{"fields", "GET", "/public/app/versions/notes?to=v1.1", "", 200, `{"from":null,"to":"v1.1","locale":null,"truncated":false,"content":"## v1.1\n\na",
			"entries":[{"version":"v1.1","comparable_version":"1.1","title":null,"content":"a","locale":null,"published_at":1700000000,"is_preview":false,"is_milestone":true}]}`},
		{"the language of an entry", "GET", "/public/app/versions/notes?to=v1.1&locale=DE", "", 200, `{"locale":"de","entries":[{"title":"Eins eins","content":"a","locale":"de"}]}`},
		{"no entry from the language", "GET", "/public/app/versions/notes?to=v1.0&locale=de", "", 200, `{"locale":null,"entries":[{"title":"One","locale":null}]}`},
		{"an unknown language", "GET", "/public/app/versions/notes?locale=fr", "", 200, `{"locale":null,"locale_message":"The language \"fr\" is not available, so the default text is shown."}`},
	})
	if answer := s.Must(t, 200, "GET", "/public/app/versions/notes?locale=de", ""); strings.Contains(answer, "locale_message") {
		t.Errorf("with a language of the project: got %s, want no message", answer)
	}
}

// summary returns the versions in notes, and an ellipsis if they are truncated.
func summary(t *testing.T, answer string) string {
	t.Helper()
	var notes struct {
		From      *string
		To        string
		Entries   []struct{ Version string }
		Truncated bool
	}
	if err := json.Unmarshal([]byte(answer), &notes); err != nil {
		t.Fatal(err)
	}
	text := "null > " + notes.To + ":"
	if notes.From != nil {
		text = *notes.From + " > " + notes.To + ":"
	}
	for _, e := range notes.Entries {
		text += " " + e.Version
	}
	if notes.Truncated {
		text += " …"
	}
	return text
}

func TestNotesAsOneText(t *testing.T) {
	t.Parallel()
	s := noted(t)
	code := "# A\n\n```sh\n# comment\n```\n\n~~~\n## too\n~~~\n\n   ###### deep\n    # indented\n#no\n"
	body, err := json.Marshal(map[string]string{"version": "v3.0", "comparable_version": "3.0", "title": "A\nB & C", "content": code})
	if err != nil {
		t.Fatal(err)
	}
	s.Must(t, 201, "POST", apitest.VersionsOf("app"), string(body))
	for _, tc := range []struct{ name, query, content, first string }{
		{"joined by an empty line, headings one level lower", "from=v1.0&to=v2.0", "## v2.0\n\n### Added\n\n- b\n\n## Only a title\n\n## v1.1\n\na", "## Added\n\n- b\n"},
		{"in a language", "from=v1.0&to=v1.2&locale=de", "## v1.2\n\nnur deutsch\n\n## Eins eins\n\na", "nur deutsch"},
		{"code stays as it is", "to=v3.0", "## A B & C\n\n## A\n\n```sh\n# comment\n```\n\n~~~\n## too\n~~~\n\n   ###### deep\n    # indented\n#no", code},
		{
			"as HTML", "from=v1.1&to=v2.0&format=html", "<h2>v2.0</h2>\n<h3>Added</h3>\n<ul>\n<li>b</li>\n</ul>\n\n<h2>Only a title</h2>",
			"<h3>Added</h3>\n<ul>\n<li>b</li>\n</ul>",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := s.Must(t, 200, "GET", "/public/app/versions/notes?"+tc.query, "")
			if got := apitest.Field[string](t, answer, "content"); got != tc.content {
				t.Errorf("content: got %q, want %q", got, tc.content)
			}
			if got := apitest.Field[[]map[string]any](t, answer, "entries")[0]["content"]; got != tc.first {
				t.Errorf("content of the first entry: got %q, want %q", got, tc.first)
			}
		})
	}
	html := s.Must(t, 200, "GET", "/public/app/versions/notes?to=v3.0&format=html", "")
	if content := apitest.Field[string](t, html, "content"); !strings.HasPrefix(content, "<h2>A B &amp; C</h2>\n<h3>A</h3>\n<pre>") {
		t.Errorf("as HTML: got %q", content)
	}
	s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/4.0", `{"title":"<b>x</b>","content":"<script>alert(1)</script>"}`)
	if content := apitest.Field[string](t, s.Must(t, 200, "GET", "/public/app/versions/notes?format=html", ""), "content"); strings.Contains(content, "<b>") || strings.Contains(content, "<script>") {
		t.Errorf("tags are not sanitised: got %q", content)
	}
}

// TestNotesOfManyVersions checks the limit of 256 KiB and the default limit of 50 versions.
func TestNotesOfManyVersions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for n := range 4 {
		s.Must(t, 201, "PUT", fmt.Sprintf("%s/by-version/1.%d", apitest.VersionsOf("app"), n), `{"content":"`+strings.Repeat("&", 100<<10)+`"}`)
	}
	s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/2.0", `{"content":"`+strings.Repeat("b", 256<<10)+`"}`)
	for n := range 51 {
		s.Must(t, 201, "PUT", fmt.Sprintf("%s/by-version/3.%d", apitest.VersionsOf("app"), n), `{"title":"x"}`)
	}
	for _, tc := range []struct {
		query, want string
		entries     int
	}{
		{"from=1.0&to=1.2", "false", 2},
		{"from=0&to=1.3", "true", 2},
		{"from=0&to=1.3&format=html", "true", 0}, // each & takes five bytes
		{"from=1.3&to=2.0", "true", 0},
		{"from=2.0&to=3.49", "false", 50},
		{"from=2.0", "true", 50},
		{"from=2.0&limit=51", "false", 51},
	} {
		answer := s.Must(t, 200, "GET", "/public/app/versions/notes?"+tc.query, "")
		got, content := len(apitest.Field[[]any](t, answer, "entries")), apitest.Field[string](t, answer, "content")
		if truncated := fmt.Sprint(apitest.Field[bool](t, answer, "truncated")); got != tc.entries || truncated != tc.want || len(content) > 256<<10 {
			t.Errorf("%s: got %d entries of %d bytes, truncated %s, want %d entries, truncated %s", tc.query, got, len(content), truncated, tc.entries, tc.want)
		}
	}
}

// TestUpdateCheckWithNotes checks that the notes in an update check are those of the same versions.
func TestUpdateCheckWithNotes(t *testing.T) {
	t.Parallel()
	s := noted(t)
	const check, simulation = "/public/app/versions/check-update", "/admin/projects/app/versions/update-check-simulation"
	for _, tc := range []struct{ name, body, from, to, query string }{
		{"from a version", `{"current_version":"v1.1"`, "v1.1", "v2.0", ""},
		{"from a value", `{"current_version":"mine","current_comparable_version":"1.1.1"`, "1.1.1", "v2.0", ""},
		{"in a language", `{"current_version":"v1.0","locale":"de"`, "v1.0", "v1.1", "&locale=de"}, // a milestone
		{"in an unknown language", `{"current_version":"v1.1","locale":"fr"`, "v1.1", "v2.0", "&locale=fr"},
		{"on a channel", `{"current_version":"v1.3","channel":"beta"`, "v1.3", "v2.0", "&channel=beta"},
		{"with previews", `{"current_version":"v1.3","include_preview":true`, "v1.3", "v2.0", "&channel=preview"},
		{"the platform plays no role", `{"current_version":"v1.1","platform":"linux"`, "v1.1", "v2.0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := s.Must(t, 200, "GET", "/public/app/versions/notes?from="+url.QueryEscape(tc.from)+"&to="+tc.to+tc.query, "")
			plain := s.Must(t, 200, "POST", check, tc.body+`,"include_notes":null}`)
			answer := s.Must(t, 200, "POST", check, tc.body+`,"include_notes":true}`)
			if answer != plain[:len(plain)-1]+`,"notes":`+want+"}" {
				t.Errorf("got %s, want the answer without notes, and %s", answer, want)
			}
			if simulated := string(apitest.Field[json.RawMessage](t, s.Must(t, 200, "POST", simulation, tc.body+`,"include_notes":true}`), "answer")); simulated != answer {
				t.Errorf("simulation: got %s, want %s", simulated, answer)
			}
		})
	}
	if answer := s.Must(t, 200, "POST", check, `{"current_version":"v2.0","include_notes":true}`); strings.Contains(answer, `"notes"`) {
		t.Errorf("without a target: got %s, want no notes", answer)
	}
	s.Must(t, 200, "POST", apitest.VersionsOf("app")+"/"+s.VersionID(t, "app", "v2.0")+"/yank", `{"reason":"slow"}`)
	s.Exchanges(t, []apitest.Exchange{
		{"back to an older version", "POST", check, `{"current_version":"v2.0","accept_downgrade":true,"include_notes":true}`, 200,
			`{"target_version":{"version":"v1.3"},"notes":{"from":"v2.0","to":"v1.3","entries":[],"content":"","truncated":false}}`},
		{"not a flag", "POST", check, `{"current_version":"v1.1","include_notes":"yes"}`, 400, `{"message":["include_notes must be true or false"]}`},
	})
}
