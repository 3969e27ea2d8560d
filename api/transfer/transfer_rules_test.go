package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"svc/api/apitest"
	"svc/internal/control"
	"svc/internal/event"
	"svc/internal/transfer"
	"svc/store"
)

// handMade returns an archive like one made by another program. The parameter files maps file names
// to texts. A minimal project.json is added if there is none.
func handMade(t testing.TB, files map[string]string) []byte {
	t.Helper()
	all := map[string]string{"project.json": `{"project_key":"made","name":"Made"}`}
	maps.Copy(all, files)
	m := transfer.Manifest{Format: 1, ProjectKey: "made"}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	write := func(name, text string) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		sum := sha256.Sum256([]byte(text))
		records := int64(strings.Count(text, "\n"))
		if !strings.HasSuffix(text, "\n") && text != "" {
			records++
		}
		m.Files = append(m.Files, transfer.File{Name: name, Records: records, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
		write(name, text)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	write("manifest.json", string(text))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestImportRefuses checks that each line is validated by the rules of the API and that errors name
// the position of the line. A refused import must not change anything.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "taken")
	const (
		id     = "0198c0de-0000-7000-8000-000000000001"
		later  = "0198c0de-0000-7000-8000-000000000002"
		future = "0f98c0de-0000-7000-8000-000000000002"
	)
	before, kept := s.WholeState(t, "taken"), leftovers(t, s)
	for _, row := range []struct{ name, file, text, want string }{
		{"a line is JSON", "logs.jsonl", "{\"level\":0,\"content\":\"a\"}\n{\"level\":\n", "logs.jsonl, line 2: the line is not JSON: unexpected end of JSON input"},
		{"a line is an object", "logs.jsonl", `[1]`, "logs.jsonl, line 1: the line must be a JSON object"},
		{"no line is empty", "logs.jsonl", "\n{}", "logs.jsonl, line 1: the line is empty; it must be a JSON object"},
		{"UTF-8", "logs.jsonl", "{\"content\":\"\xff\"}", "logs.jsonl, line 1: the line must be UTF-8"},

		{"a project has one line", "project.json", "{\"project_key\":\"a\",\"name\":\"b\"}\n{}\n", "project.json must have one line, it has 2"},
		{"a project has a key", "project.json", `{"name":"b"}`, "project.json, line 1: project_key is required"},
		{
			"all rules of a project",
			"project.json",
			`{"project_key":"a/b","name":"","stats_retention_days":400}`,
			"project.json, line 1: stats_retention_days must be an integer from 1 to 365",
		},
		{"a key is free", "project.json", `{"project_key":"Taken","name":"b"}`, `project.json, line 1: project_key "taken" is taken by another project`},
		{
			"times are whole",
			"project.json",
			`{"project_key":"a","name":"b","created_at":"x"}`,
			"project.json, line 1: created_at must be an integer of at least 0 (Unix seconds)",
		},
		{
			"texts are in registered languages",
			"project.json",
			`{"project_key":"a","name":"b","translations":[{"locale":"de","name":"x"}]}`,
			`project.json, line 1: translations: "de" is not a registered language of the project`,
		},
		{
			"a tag belongs to one language",
			"languages.jsonl",
			"{\"locale\":\"de\"}\n{\"locale\":\"en\",\"aliases\":[\"DE\"]}",
			`languages.jsonl, line 2: aliases: "DE" belongs to language "de"`,
		},
		{"a language is there once", "languages.jsonl", "{\"locale\":\"de\"}\n{\"locale\":\"DE\"}", `languages.jsonl, line 2: locale "DE" belongs to language "de"`},
		{"an alias is a key", "aliases.jsonl", `{"alias":"a b"}`, `aliases.jsonl, line 1: alias must not contain blanks, control characters or any of / \ ? # %`},
		{"an alias is there once", "aliases.jsonl", "{\"alias\":\"a\"}\n{\"alias\":\"A\"}", `aliases.jsonl, line 2: alias "a" occurs twice`},

		{
			"all rules of a version",
			"versions.jsonl",
			`{"version":"1","comparable_version":"x","is_latest":1,"download_links":[{"url":"x"}]}`,
			"versions.jsonl, line 1: download_links[0].url must be an absolute URL with scheme http, https or ftp",
		},
		{
			"a version is there once",
			"versions.jsonl",
			"{\"version\":\"1\",\"comparable_version\":\"1\"}\n{\"version\":\"1\",\"comparable_version\":\"2\"}",
			`versions.jsonl, line 2: version "1" occurs twice`,
		},
		{
			"one version is the latest",
			"versions.jsonl",
			"{\"version\":\"1\",\"comparable_version\":\"1\",\"is_latest\":true}\n{\"version\":\"2\",\"comparable_version\":\"2\",\"is_latest\":true}",
			"versions.jsonl, line 2: is_latest must be true for one version at most",
		},
		{
			"a rollout is one of an export",
			"versions.jsonl",
			`{"version":"1","comparable_version":"1","rollout":{"percent":"x"}}`,
			"versions.jsonl, line 1: rollout must be the rollout of a version as an export writes it, or null",
		},
		{
			"a rollout has steps",
			"versions.jsonl",
			`{"version":"1","comparable_version":"1","rollout":{"state":"running","percent":5}}`,
			"versions.jsonl, line 1: rollout.steps must have 1 to 20 entries",
		},
		{
			"the latest is complete",
			"versions.jsonl",
			`{"version":"1","comparable_version":"1","is_latest":true,"rollout":{"state":"running","percent":5,"steps":[{"percent":100}],"step":-1,` +
				`"seed":"9f86d081884c7d659a2feaa0c55ad015","created_at":1,"started_at":1,"history":[]}}`,
			"versions.jsonl, line 1: is_latest must not be true for a version whose rollout is not completed",
		},
		{
			"the latest is not deprecated",
			"versions.jsonl",
			`{"version":"1","comparable_version":"1","is_latest":true,"is_deprecated":true}`,
			"versions.jsonl, line 1: is_latest must not be true for a version that is deprecated",
		},
		{"an id is a UUID", "versions.jsonl", `{"id":"1","version":"1","comparable_version":"1"}`, "versions.jsonl, line 1: id must be a UUIDv7 of 36 characters"},
		{
			"an id is a UUIDv7",
			"versions.jsonl",
			`{"id":"0198c0de-0000-4000-8000-000000000001","version":"1","comparable_version":"1"}`,
			"versions.jsonl, line 1: id must be a UUIDv7",
		},
		{
			"an id is of its time",
			"versions.jsonl",
			`{"id":"` + id + `","created_at":5,"version":"1","comparable_version":"1"}`,
			"versions.jsonl, line 1: created_at must be the time in id, 1755582431, or left out",
		},
		{
			"ids grow",
			"versions.jsonl",
			`{"id":"` + later + `","version":"1","comparable_version":"1"}` + "\n" + `{"id":"` + id + `","version":"2","comparable_version":"2"}`,
			"versions.jsonl, line 2: id must be greater than that of the record before",
		},
		{
			"times grow",
			"logs.jsonl",
			"{\"level\":0,\"content\":\"a\",\"created_at\":7}\n{\"level\":0,\"content\":\"a\",\"created_at\":6}",
			"logs.jsonl, line 2: the record must not be older than the one before",
		},
		{
			"ids are not of the future",
			"logs.jsonl",
			`{"id":"` + future + `","level":0,"content":"a"}`,
			"logs.jsonl, line 1: the record must not be from the future: it is of 2513-",
		},
		{
			"times are not of the future",
			"logs.jsonl",
			`{"created_at":9007199254740992,"level":0,"content":"a"}`,
			"logs.jsonl, line 1: the record must not be from the future: it is of ",
		},
		{
			"kept texts are of other languages",
			"languages.jsonl+announcements.jsonl",
			`{"locale":"de"}` + "+" + `{"title":"a","content":"b","unregistered_translations":[{"locale":"de","title":"x"}]}`,
			`announcements.jsonl, line 1: unregistered_translations: "de" is a registered language of the project`,
		},
		{
			"kept texts are texts",
			"announcements.jsonl",
			`{"title":"a","content":"b","unregistered_translations":[{"locale":"de"}]}`,
			`announcements.jsonl, line 1: unregistered_translations[0] must set title or content`,
		},

		{
			"all rules of feedback",
			"feedbacks.jsonl",
			`{"content":"a","rating":6,"status":"lost","user_agent":"` + strings.Repeat("x", 513) + `"}`,
			"feedbacks.jsonl, line 1: user_agent must have at most 512 characters",
		},
		{
			"numbers of issues",
			"feedbacks.jsonl",
			`{"content":"a","forwarded_to_codehost":true,"codehost_issue_number":0}`,
			"feedbacks.jsonl, line 1: codehost_issue_number must be an integer from 1 to 9223372036854775807",
		},
		{
			"issues are of forwarded feedback",
			"feedbacks.jsonl",
			`{"content":"a","forwarded_to_codehost":false,"codehost_issue_url":"https://codehost.example/1"}`,
			"feedbacks.jsonl, line 1: codehost_issue_number and codehost_issue_url must be left out where forwarded_to_codehost is not true",
		},
		{
			"a reply has a time",
			"feedbacks.jsonl",
			`{"content":"a","replied_at":5}`,
			"feedbacks.jsonl, line 1: replied_at must be left out where there is no reply",
		},
		{
			"times of replies",
			"feedbacks.jsonl",
			`{"content":"a","reply":"b","replied_at":-5}`,
			"feedbacks.jsonl, line 1: replied_at must be an integer of at least 0 (Unix seconds)",
		},
		{
			"all rules of logs",
			"logs.jsonl",
			`{"level":4,"content":"a","platform":"toaster"}`,
			"logs.jsonl, line 1: platform must be one of windows, linux, macos, ios, android, web, others",
		},
		{"all rules of cards", "cards.jsonl", `{"title":"a","query":{"type":"x"}}`, "cards.jsonl, line 1: query."},
		{
			"times of cards have names of their own",
			"cards.jsonl",
			`{"title":"a","query":` + apitest.Openings + `,"created_time":-1}`,
			"cards.jsonl, line 1: created_time must be an integer of at least 0 (Unix seconds)",
		},

		{
			"names of definitions",
			"event_definitions.jsonl",
			`{"name":"Not so"}`,
			"event_definitions.jsonl, line 1: name must be 1 to 64 of a to z, 0 to 9, _ . : and -",
		},
		{"a definition is there once", "event_definitions.jsonl", "{\"name\":\"a\"}\n{\"name\":\"a\"}", `event_definitions.jsonl, line 2: name "a" occurs twice`},
		{
			"the order of times of definitions",
			"event_definitions.jsonl",
			`{"name":"a","first_seen_time":2,"last_seen_time":1}`,
			"event_definitions.jsonl, line 1: first_seen_time must not be after last_seen_time",
		},
		{
			"all rules of events",
			"events.jsonl",
			`{"distinct_id":"","event_id":"a","event_name":"a","occurred_at":1}`,
			"events.jsonl, line 1: distinct_id must have 1 to 128 characters",
		},
		{"events have an id", "events.jsonl", `{"distinct_id":"a","event_name":"a","occurred_at":1}`, "events.jsonl, line 1: event_id is required"},
		{"events have a name", "events.jsonl", `{"distinct_id":"a","event_id":"a","occurred_at":1}`, "events.jsonl, line 1: event_name is required"},
		{
			"events have a usable name",
			"events.jsonl",
			`{"distinct_id":"a","event_id":"a","event_name":"ä","occurred_at":1}`,
			"events.jsonl, line 1: event_name must be 1 to 64 of a to z, 0 to 9, _ . : and -",
		},
		{"events have a time", "events.jsonl", `{"distinct_id":"a","event_id":"a","event_name":"a"}`, "events.jsonl, line 1: occurred_at is required"},
		{
			"events are not of the future",
			"events.jsonl",
			`{"distinct_id":"a","event_id":"a","event_name":"a","occurred_at":99999999999}`,
			"events.jsonl, line 1: occurred_at must not lie in the future",
		},
		{
			"properties are an object",
			"events.jsonl",
			`{"distinct_id":"a","event_id":"a","event_name":"a","occurred_at":1,"properties":[]}`,
			"events.jsonl, line 1: properties must be a JSON object of at most 100 levels",
		},
		{
			"countries of events",
			"events.jsonl",
			`{"distinct_id":"a","event_id":"a","event_name":"a","occurred_at":1,"country_code":"de"}`,
			"events.jsonl, line 1: country_code must be two capital letters or LOCAL",
		},
		{
			"counters are of hours",
			"event_counters.jsonl",
			`{"hour":1,"event_name":"a","count":1}`,
			"event_counters.jsonl, line 1: hour must be the Unix second at which an hour begins, a multiple of 3600",
		},
		{
			"counters count",
			"event_counters.jsonl",
			`{"hour":3600,"event_name":"a","count":0}`,
			"event_counters.jsonl, line 1: count must be an integer from 1 to 9007199254740992",
		},
		{
			"offsets of counters",
			"event_counters.jsonl",
			`{"hour":3600,"event_name":"a","count":1,"utc_offset_minutes":7}`,
			"event_counters.jsonl, line 1: utc_offset_minutes must be a multiple of 15 from -720 to 840, or null",
		},
		{
			"regions of counters",
			"requests.jsonl",
			`{"hour":3600,"endpoint":"VERSION_LIST","count":1,"region":"Mars"}`,
			"requests.jsonl, line 1: region must be two capital letters, LOCAL or UNKNOWN",
		},
		{"endpoints are known", "requests.jsonl", `{"hour":3600,"endpoint":"NONE","count":1}`, "requests.jsonl, line 1: endpoint must be one of PROJECT_DETAIL, "},
		{
			"codes have six digits",
			"requests.jsonl",
			`{"hour":3600,"endpoint":"VERSION_LIST","count":1,"city_code":"12"}`,
			"requests.jsonl, line 1: city_code must be six digits, or empty",
		},
		{
			"days of downloads",
			"downloads.jsonl",
			`{"day":3600,"file_id":"aaaaaaaaaaaa","count":1}`,
			"downloads.jsonl, line 1: day must be the Unix second at which a day of UTC begins, a multiple of 86400",
		},
		{"files of downloads", "downloads.jsonl", `{"day":86400,"count":1}`, "downloads.jsonl, line 1: file_id"},
		{"counts of downloads", "downloads.jsonl", `{"day":86400,"file_id":"a","count":0}`, "downloads.jsonl, line 1: count must be an integer from 1"},
		{"versions of health counts", "health.jsonl", `{"t":600,"version":"9"}`, "health.jsonl, line 1: version must be a version of the project"},
		{
			"failures are part of the users",
			"versions.jsonl+health.jsonl",
			`{"version":"1","comparable_version":"1"}+{"t":600,"version":"1","addresses":2,"error_logs":3}`,
			"health.jsonl, line 1: error_logs must be an integer from 0 to 2",
		},
		{
			"counts of events",
			"versions.jsonl+health.jsonl",
			`{"version":"1","comparable_version":"1"}+{"t":600,"version":"1","users":2,"events":{"crash":3}}`,
			`health.jsonl, line 1: events: "crash" must be an integer from 1 to 2`,
		},
		{
			"events of health counts",
			"versions.jsonl+health.jsonl",
			`{"version":"1","comparable_version":"1"}+{"t":600,"version":"1","users":2,"events":{"no name":1}}`,
			"health.jsonl, line 1: events: the name must be 1 to 64 of a to z",
		},
		{
			"buckets have a time",
			"versions.jsonl+health.jsonl",
			`{"version":"1","comparable_version":"1"}+{"version":"1"}`,
			"health.jsonl, line 1: t is required",
		},
		{
			"versions in counters",
			"client_versions.jsonl",
			`{"hour":3600,"platform":"ios","version":"` + strings.Repeat("9", 65) + `","count":1}`,
			"client_versions.jsonl, line 1: version must have at most 64 characters",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{}
			texts := strings.Split(row.text, "+")
			for i, file := range strings.Split(row.file, "+") {
				files[file] = row.text
				if strings.Contains(row.file, "+") {
					files[file] = texts[i]
				}
			}
			for _, query := range []string{"dry_run=true", ""} {
				got := bringIn(t, s, handMade(t, files), query)
				if got.Done || !slices.ContainsFunc(got.Problems, func(p string) bool { return strings.HasPrefix(p, row.want) }) {
					t.Errorf("%q: got %+v, want %q", query, got, row.want)
				}
			}
			if after := s.WholeState(t, "taken"); after != before {
				t.Errorf("after: %s\nbefore: %s", after, before)
			}
			if after := leftovers(t, s); after != kept {
				t.Errorf("left over: %s, before: %s", after, kept)
			}
		})
	}
	if got := bringIn(t, s, handMade(t, map[string]string{"logs.jsonl": strings.Repeat("{}\n", 30)}), ""); len(got.Problems) != 20 || got.Problems[19] != "logs.jsonl, line 10: content is required" {
		t.Errorf("an archive full of mistakes: got %q", got.Problems)
	}
	for query, want := range map[string]string{"key=": "key must not be empty", "dry_run=x": "dry_run", "key=a%2Fb": "project_key must not contain"} {
		status, answer := s.Owner(t, "POST", "/control/import?"+query, string(handMade(t, nil)))
		if !strings.Contains(answer, want) || status != 400 && !strings.Contains(answer, "problems") {
			t.Errorf("%s: got %d %s, want %q", query, status, answer, want)
		}
	}
}

// leftovers lists the projects that have events but no record, and the temporary files of imports
// and exports.
func leftovers(t testing.TB, s *apitest.Server) string {
	t.Helper()
	var projects []event.Project
	for _, p := range s.Events.Projects() {
		if _, ok := s.DB.ProjectByID(store.ProjectID(p)); !ok {
			projects = append(projects, p)
		}
	}
	files, err := os.ReadDir(filepath.Join(s.Dir, "staging"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return fmt.Sprint(projects, files)
}

// TestImportBesideTheOriginal checks that importing a copy of an existing project requires another
// key and new IDs.
func TestImportBesideTheOriginal(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0), apitest.WithGeo(t))
	makeEverything(t, s)
	archive, _ := export(t, s, "demo")
	questions := recorded(s)
	want := answersTo(t, s, questions, "demo")
	if got := bringIn(t, s, archive, ""); !slices.Equal(got.Problems, []string{`project.json, line 1: project_key "demo" is taken by another project`}) {
		t.Errorf("under the same key: got %+v", got)
	}
	for _, query := range []string{"key=copy", "key=copy&dry_run=true"} {
		got := bringIn(t, s, archive, query)
		if got.Done || len(got.Problems) == 0 || !strings.HasSuffix(got.Problems[0], `is that of a record of project "demo"`) || !strings.HasPrefix(got.Problems[0], "versions.jsonl, line 1: id ") {
			t.Errorf("%s: got %+v", query, got)
		}
	}
	got := mustBringIn(t, s, archive, "key=copy&new_ids=true")
	if !slices.Equal(got.Aliases, []string{"second", "first"}) {
		t.Errorf("aliases that were left out: got %q", got.Aliases)
	}
	ids := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	plain := func(answers []string, without ...string) (list []string) {
		for _, a := range answers {
			if !slices.ContainsFunc(without, func(path string) bool { return strings.Contains(a, path) }) {
				list = append(list, ids.ReplaceAllString(a, "ID"))
			}
		}
		return list
	}
	others := []string{"/statistics", "/aliases", `"aliases":`} // these show all projects, so they are not compared
	compareAnswers(t, plain(answersTo(t, s, questions, "copy"), others...), plain(want, others...))
	// The original is unchanged, except that the requests above were counted.
	compareAnswers(t, plain(answersTo(t, s, questions, "demo"), "/statistics", "/stats/requests"), plain(want, "/statistics", "/stats/requests"))
	first := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", "/admin/projects/copy/feedbacks", ""), "data")[0]["id"]
	s.Must(t, 200, "PATCH", fmt.Sprintf("/admin/feedbacks/%v", first), `{"result":"of the copy"}`)
	if answer := s.Must(t, 200, "GET", "/admin/projects/demo/feedbacks", ""); strings.Contains(answer, "of the copy") {
		t.Errorf("the original has what the copy was told: %s", answer)
	}
}

// TestImportOfLittle checks that an import accepts lines with the required fields only.
func TestImportOfLittle(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	archive := handMade(t, map[string]string{
		"versions.jsonl":      `{"version":"1.0","comparable_version":"1.0","created_at":1700000000}` + "\n" + `{"version":"1.1","comparable_version":"1.1","is_latest":true,"created_at":1700000000}`,
		"announcements.jsonl": `{"title":"a","content":"b","created_at":1700000000}`,
		"feedbacks.jsonl":     `{"content":"a","created_at":1700000000}` + "\n" + `{"content":"b"}`,
		"logs.jsonl":          strings.Repeat(`{"level":1,"content":"a","created_at":1700000000}`+"\n", 600),
		"events.jsonl": `{"distinct_id":"u","event_id":"1","event_name":"open","occurred_at":1764550800,"platform":"ios"}` + "\n" +
			`{"distinct_id":"u","event_id":"1","event_name":"open","occurred_at":1764550801}` + "\n" +
			`{"distinct_id":"u","event_id":"2","event_name":"buy","occurred_at":1764550802,"properties":{"a":1}}`,
	})
	if got := mustBringIn(t, s, archive, ""); got.Repeated != 1 {
		t.Errorf("events that were there twice: got %d, want 1", got.Repeated)
	}
	const one = "/admin/projects/made"
	span := apitest.Within(1764547200, 1764633600)
	s.Exchanges(t, []apitest.Exchange{
		{
			"times make ids",
			"GET",
			one + "/versions",
			"",
			200,
			`{"total":2,"data":[{"version":"1.1","is_latest":true,"created_at":1700000000},{"version":"1.0","created_at":1700000000}]}`,
		},
		{"what is not said is now, or as at creation", "GET", one, "", 200, `{"stats_retention_days":365,"event_collection_enabled":true,"aliases":[]}`},
		{"a publication is a creation", "GET", one + "/announcements", "", 200, `{"data":[{"published_at":1700000000,"updated_at":1700000000}]}`},
		{"all logs, in order", "GET", one + "/logs?limit=1&offset=599", "", 200, `{"total":600,"data":[{"created_at":1700000000}]}`},
		{"counters are made of events", "GET", one + "/events/stats/overview?" + span, "", 200, `{"total":2,"unique_users":1,"event_types":2}`},
		{
			"definitions, too",
			"GET",
			one + "/events/definitions?" + span,
			"",
			200,
			`{"total":2,"data":[{"name":"buy","first_seen_time":1764550802},{"name":"open","last_seen_time":1764550800,"range_count":1}]}`,
		},
	})
}

// TestImportKeepsPropertiesOfManyEvents checks that stored events do not refer to the buffer
// through which lines are read, because the buffer is reused.
func TestImportKeepsPropertiesOfManyEvents(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"distinct_id":"u","event_id":"%d","event_name":"open","occurred_at":%d,"properties":{"plan":"%s","number":%d}}`+"\n",
			i, 1764550800+i, []string{"free", "pro"}[i%2], i)
	}
	mustBringIn(t, s, handMade(t, map[string]string{"events.jsonl": lines.String()}), "")
	const breakdown = "/admin/projects/made/events/stats/breakdown?dimension=property&property_key="
	span := "&" + apitest.Within(1764547200, 1764633600)
	s.Exchanges(t, []apitest.Exchange{
		{"values of one property", "GET", breakdown + "plan" + span, "", 200, `{"total":2000,"data":[{"key":"free","count":1000},{"key":"pro","count":1000}]}`},
		{"of another, each its own", "GET", breakdown + "number&limit=1" + span, "", 200, `{"total":2000,"data":[{"key":"0","count":1}]}`},
	})
}

// TestImportOfNoArchive checks that importing an incomplete or invalid archive changes nothing and
// returns the reason.
func TestImportOfNoArchive(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	whole := handMade(t, nil)
	for _, row := range []struct {
		name    string
		archive []byte
		want    string
		newer   bool
	}{
		{"nothing", nil, "the file is not a zip archive, or is incomplete: ", false},
		{"something else", []byte(strings.Repeat("x", 1000)), "the file is not a zip archive, or is incomplete: ", false},
		{"cut off", whole[:len(whole)-30], "the file is not a zip archive, or is incomplete: ", false},
		{
			"newer",
			stored(t, map[string]string{"manifest.json": `{"format":2,"files":{"other":"shape"}}`}),
			"the archive has format 2; this program reads formats up to 1: made by a newer version of svc",
			true,
		},
		{"no manifest", stored(t, map[string]string{"project.json": "{}"}), "the archive has no manifest.json", false},
	} {
		got := bringIn(t, s, row.archive, "")
		if got.Done || got.Newer != row.newer || len(got.Problems) != 1 || !strings.HasPrefix(got.Problems[0], row.want) {
			t.Errorf("%s: got %+v, want %q", row.name, got, row.want)
		}
	}
	if left := leftovers(t, s); left != "[] []" {
		t.Errorf("left over: %s", left)
	}
}

// TestImportOfABodyThatBreaksOff checks that an interrupted request body is reported as an error of
// the client. The import must not leave any data.
func TestImportOfABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	body := io.MultiReader(bytes.NewReader(handMade(t, nil)[:100]), iotest.ErrReader(io.ErrUnexpectedEOF))
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://svc/control/import", body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.InProcess(s.Handler).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 400 || !strings.Contains(string(text), "the request body ended early") {
		t.Errorf("got %d %s, %v; want 400", answer.StatusCode, text, err)
	}
	if left := leftovers(t, s); left != "[] []" {
		t.Errorf("left over: %s", left)
	}
}

// stored returns a zip archive that contains the given files without compression.
func stored(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestImportGivenUp checks that a project exists as a whole or not at all after its import has been
// cancelled.
func TestImportGivenUp(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	var events, logs strings.Builder
	for i := range 5000 {
		_, _ = fmt.Fprintf(&events, "{\"distinct_id\":\"u%d\",\"event_id\":\"%d\",\"event_name\":\"open\",\"occurred_at\":%d}\n", i%100, i, apitest.Monday+i)
		_, _ = fmt.Fprintf(&logs, "{\"level\":1,\"content\":\"line %d\",\"created_at\":%d}\n", i, apitest.Monday+i)
	}
	archive := handMade(t, map[string]string{"events.jsonl": events.String(), "logs.jsonl": logs.String()})
	for round := range 4 {
		key := fmt.Sprint("round", round)
		projects := len(s.Events.Projects())
		ctx, giveUp := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", "http://svc/control/import?key="+key, bytes.NewReader(archive))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			answer, err := control.InProcess(s.Handler).Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}()
		for running := true; running && len(s.Events.Projects()) == projects; { // wait until the first events have been stored
			select {
			case <-done:
				running = false
			default:
				runtime.Gosched()
			}
		}
		giveUp()
		<-done
		if left := leftovers(t, s); left != "[] []" {
			t.Errorf("%s: left over: %s", key, left)
		}
		if p, err := s.DB.FindProject(key); err == nil {
			if got := apitest.Field[int](t, s.Must(t, 200, "GET", "/admin/projects/"+p.Key+"/logs?limit=1", ""), "total"); got != 5000 {
				t.Errorf("%s: %d logs, want all or no project", key, got)
			}
		}
	}
	mustBringIn(t, s, archive, "")
}

// FuzzImport checks that an import of any line either succeeds or reports a problem with the
// position of the line.
func FuzzImport(f *testing.F) {
	s := apitest.NewServer(f)
	for _, line := range []string{
		`{"project_key":"a","name":"b","translations":[{}],"unregistered_translations":[{"locale":"x","name":"y"}]}`, `{"locale":"de","aliases":["x"]}`,
		`{"version":"1","comparable_version":"1","download_links":[{"url":"http://x"}],"platforms":["ios"],"id":"0198c0de-0000-7000-8000-000000000001"}`,
		`{"title":"a","query":{"type":"value","events":[{"name":"a","alias":"A"}]}}`, `{"level":1,"content":"a","created_at":1e3}`,
		`{"distinct_id":"a","event_id":"b","event_name":"c","occurred_at":1,"properties":{"a":[]}}`, `{"hour":3600,"event_name":"a","count":1,"endpoint":"VERSION_LIST"}`,
	} {
		for at := range transfer.Files() {
			f.Add(at, line)
		}
	}
	f.Fuzz(func(t *testing.T, at int, text string) {
		name := transfer.Files()[uint(at)%uint(len(transfer.Files()))]
		got := bringIn(t, s, handMade(t, map[string]string{name: text}), "dry_run=true")
		if got.Done != (len(got.Problems) == 0) {
			t.Errorf("%s %q: got %+v", name, text, got)
		}
		for _, problem := range got.Problems {
			if !strings.HasPrefix(problem, name+", line ") && problem != "project.json must have one line, it has "+fmt.Sprint(strings.Count(strings.TrimSuffix(text, "\n"), "\n")+min(1, len(text))) {
				t.Errorf("%s %q: got %q", name, text, problem)
			}
		}
	})
}
