package transfer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
	"svc/internal/control"
	"svc/internal/transfer"
	"svc/store"
)

// export exports a project and returns the archive and its manifest.
func export(t testing.TB, s *apitest.Server, project string) ([]byte, transfer.Manifest) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://svc/control/export/"+project, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := control.InProcess(s.Handler).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	archive, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("export: got %d %s, %v", answer.StatusCode, archive, err)
	}
	var m transfer.Manifest
	if err := json.Unmarshal([]byte(answer.Trailer.Get("Svc-Manifest")), &m); err != nil {
		t.Fatalf("the export was interrupted: %s", answer.Trailer.Get("Svc-Error"))
	}
	return archive, m
}

// importAnswer is the decoded last line of the response to an import.
type importAnswer struct {
	Done       bool
	DryRun     bool             `json:"dry_run"`
	ProjectKey string           `json:"project_key"`
	Records    map[string]int64 `json:"records"`
	Repeated   int64            `json:"events_repeated"`
	Aliases    []string         `json:"aliases_taken"`
	Failed     int64            `json:"files_failed"`
	Problems   []string
	Newer      bool
}

// bringIn imports an archive and returns the last line of the response.
func bringIn(t testing.TB, s *apitest.Server, archive []byte, query string) importAnswer {
	t.Helper()
	status, answer := s.Owner(t, "POST", "/control/import?"+query, string(archive))
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	var last importAnswer
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || status != 200 {
		t.Fatalf("import: got %d %s", status, answer)
	}
	return last
}

// mustBringIn imports an archive and fails the test if the import reports problems.
func mustBringIn(t testing.TB, s *apitest.Server, archive []byte, query string) importAnswer {
	t.Helper()
	got := bringIn(t, s, archive, query)
	if !got.Done || got.Problems != nil {
		t.Fatalf("import: got %+v", got)
	}
	return got
}

// makeEverything creates a project "demo" that has data of every kind.
func makeEverything(t testing.TB, s *apitest.Server) {
	t.Helper()
	const one = "/admin/projects/demo"
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"first","name":"Demo","description":"d","author":"me","website_url":"https://example.org",
		"published_at":5,"stats_retention_days":360,"event_retention_days":350,"log_retention_days":400,"feedback_retention_days":3650,"optional_update_min_comparable_version":"1.0","event_collection_enabled":true}`)
	s.Must(t, 200, "PATCH", "/admin/projects/first", `{"project_key":"second"}`)
	s.Must(t, 200, "PATCH", "/admin/projects/second", `{"project_key":"demo"}`)
	for _, language := range []string{`{"locale":"de","aliases":["de-AT","de_CH"],"label":"Deutsch"}`, `{"locale":"pt-BR"}`, `{"locale":"fr"}`} {
		s.Must(t, 201, "POST", one+"/locales", language)
	}
	s.Must(t, 200, "PATCH", one, `{"translations":[{"locale":"de","name":"Vorführung"},{"locale":"fr","description":"Démo"}]}`)

	s.Must(t, 200, "PUT", one+"/distribution", `{"channels":[{"name":"night","includes":["lab"]},{"name":"lab"}],"health":{"false_alarm":0.05},"signature_policy":"enforce"}`)
	s.Must(t, 201, "POST", one+"/trust-keys", `{"scheme":"sparkle","public_key":"eGVygzLgOmO2RCtC75jusdS+/R6cUDK4PXD2Tl9VGlA=","label":"CI"}`)
	revoked := s.Must(t, 201, "POST", one+"/trust-keys", `{"scheme":"minisign","public_key":"RWQUC+2/nD9tVnhlcoMy4DpjtkQrQu+Y7rHUvv0enFAyuD1w9k5fVRpQ"}`)
	s.Must(t, 200, "PATCH", one+"/trust-keys/"+apitest.Field[string](t, revoked, "id"), `{"state":"revoked"}`)
	s.Must(t, 201, "POST", one+"/versions", `{"version":"0.9","comparable_version":"0.9","channel":"lab","native_versions":{"sparkle":"90"}}`)
	older := s.Must(t, 201, "POST", one+"/versions", `{"version":"0.8","comparable_version":"0.8"}`)
	s.Must(t, 200, "POST", one+"/versions/"+s.VersionID(t, "demo", "0.9")+"/yank", `{"reason":"loses settings","downgrade_to":"`+apitest.Field[string](t, older, "id")+`"}`)
	for i, version := range []string{
		`{"version":"1.0.0","comparable_version":"1.0.0","download_url":"not an address","custom_data":{"b":1,"a":[1.0,{"x":null}]}}`,
		`{"version":"v1.1","comparable_version":"1.1","is_milestone":true,"download_links":[{"url":"https://example.org/a","name":"A","platform":"windows"},{"url":"https://example.org/b"}],"title":"One","content":"# x <b>\u2028"}`,
		`{"version":"2.0 beta","comparable_version":"2.0-beta","is_preview":true,"platform":"windows","translations":[{"locale":"de","title":"Zwei"},{"locale":"fr","content":"deux"}]}`,
		`{"version":"1.2","comparable_version":"1.2","platforms":["linux","macos"],"published_at":77}`,
	} {
		made := s.Must(t, 201, "POST", one+"/versions", version)
		if i == 2 { // an empty list of platforms, which differs from a single platform
			s.Must(t, 200, "PATCH", one+"/versions/"+apitest.Field[string](t, made, "id"), `{"platforms":[]}`)
		}
		if i == 0 {
			s.Must(t, 201, "POST", one+"/versions", `{"version":"3","comparable_version":"3"}`)
			s.Must(t, 200, "PATCH", one+"/versions/"+apitest.Field[string](t, made, "id"), `{"is_deprecated":true}`)
		}
	}
	s.Must(t, 201, "PUT", one+"/versions/by-version/0.6", `{"rollout":{"percent":0}}`)
	rolling := s.Must(t, 201, "PUT", one+"/versions/by-version/0.7",
		`{"rollout":{"steps":[{"percent":12.5,"hold_seconds":60,"min_exposure":7},{"percent":100}],"health":false,
			"cohort":{"platforms":["linux"],"countries":["DE"],"current_min":"1","current_max":"2.5"}}}`)
	s.Must(t, 200, "POST", one+"/versions/"+apitest.Field[string](t, rolling, "id")+"/rollout/pause", `{"reason":"wait"}`)
	s.Must(t, 201, "POST", one+"/announcements", `{"title":"Hello","content":"World","is_pinned":true,"expires_at":9999999999,"platforms":["windows"],"min_comparable_version":"1.0","translations":[{"locale":"fr","is_hidden":true},{"locale":"de","title":"Hallo"}]}`)
	hidden := s.Must(t, 201, "POST", one+"/announcements", `{"title":"Hidden","content":"x","is_hidden":true,"author":"me","published_at":3}`)
	s.Clock.Advance(90e9)
	s.Must(t, 200, "PATCH", one+"/announcements/"+apitest.Field[string](t, hidden, "id"), `{"content":"y"}`)

	makeSubmissions(t, s)
	makeEvents(t, s)
	for i, card := range []string{`{"title":"b","query":` + apitest.Openings + `,"layout":{"w":1},"sort_order":3}`, `{"title":"a","query":` + apitest.Openings + `,"description":"d"}`} {
		made := s.Must(t, 201, "POST", one+"/events/dashboards/cards", card)
		s.Clock.Advance(60e9)
		if i == 0 {
			s.Must(t, 200, "PATCH", one+"/events/dashboards/cards/"+apitest.Field[string](t, made, "card_id"), `{"title":"changed"}`)
		}
	}
	// An unregistered language keeps its texts.
	s.Must(t, 200, "DELETE", one+"/locales/fr", "")
	offset, east := -300, 345
	now := s.Clock.Now().Unix()
	s.Count(t, "demo",
		apitest.SeenRequest{now, "VERSION_CHECK_UPDATE", "windows", "CN", "440000", "440300", &offset, "10.0", "1.2"},
		apitest.SeenRequest{now - 2*apitest.Hour, "VERSION_CHECK_UPDATE", "ios", "CN", "", "310115", &east, "", "v1.1"},
		apitest.SeenRequest{now - 30*24*apitest.Hour, "PROJECT_DETAIL", "others", "LOCAL", "", "", nil, "", ""},
		apitest.SeenRequest{now - 30*24*apitest.Hour, "ANNOUNCEMENT_LIST", "web", "", "", "", &east, "120", ""},
	)
	p, err := s.DB.FindProject("demo")
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Update(func(tx *store.Tx) error {
		return tx.AddRequests(map[store.RequestCounter]uint64{
			store.CountDownload(p.ID, store.Hour(now/3600), "aaaaaaaaaaaa"):    3,
			store.CountDownload(p.ID, store.Hour(now/3600)-24, "aaaaaaaaaaaa"): 1,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// makeSubmissions creates more feedback and logs than fit into a block, and deletes some of the
// feedback.
func makeSubmissions(t testing.TB, s *apitest.Server) {
	t.Helper()
	const one = "/admin/projects/demo"
	var gone []string
	for i := range 300 {
		made := s.Must(t, 201, "POST", one+"/feedbacks", fmt.Sprintf(`{"content":"text %d","rating":%d,"status":%q,"is_hidden":%v,"platform":"linux","platform_version":"6.%d","reply":%s}`,
			i, 1+i%5, []string{"open", "in_progress", "resolved", "closed"}[i%4], i%7 == 0, i, []string{"null", `"Thanks."`}[i%2]))
		if i%100 == 50 {
			gone = append(gone, apitest.Field[string](t, made, "id"))
		}
		s.Must(t, 201, "POST", one+"/logs", fmt.Sprintf(`{"level":%d,"content":"line %d","source":"s","device_info":{"n":%d},"is_hidden":%v}`, i%4, i, i, i%9 == 0))
	}
	for _, id := range gone {
		s.Must(t, 200, "DELETE", one+"/feedbacks/"+id, "")
	}
	p, err := s.DB.FindProject("demo")
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []*int64{new(int64(7)), nil} {
		w := &store.Forward{Project: p.ID, Repo: "example/demo", Feedback: &store.Feedback{Content: "an issue", Contact: new("me")}}
		if err := s.DB.TryForward(w); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.CompleteForward(w, number, new("https://codehost.example/example/demo/issues/7"), false); err != nil {
			t.Fatal(err)
		}
	}
	// This feedback is not in the archive, because it has no issue yet.
	if err := s.DB.TryForward(&store.Forward{Project: p.ID, Repo: "example/demo", Feedback: &store.Feedback{Content: "not an issue"}}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/feedbacks", "/logs"} {
		headers := map[string]string{"X-Forwarded-For": "8.8.8.8", "User-Agent": "App/1 (Windows NT 10.0) é", "X-Svc-Platform": "windows 11"}
		if status, answer, _ := s.Send(t, "POST", "/api/v1/public/demo"+path, headers, `{"content":"from a client","level":2,"custom_data":{"a":1e3},"contact":"c","user_id":"u"}`); status != 201 {
			t.Fatalf("got %d %s", status, answer)
		}
	}
}

// makeEvents sends events from several places, renames and deletes definitions, and
// erases a subject.
func makeEvents(t testing.TB, s *apitest.Server) {
	t.Helper()
	const one = "/admin/projects/demo"
	s.Track(t, "demo", apitest.Example()...)
	s.Track(t, "demo", apitest.SentEvent{"erased", "s", "open", apitest.Monday, ""}, apitest.SentEvent{"u5", "", "forgotten", apitest.Monday + 60, `{}`},
		apitest.SentEvent{"u5", "", "late", apitest.Monday + 2*apitest.Hour, `{"z":null,"a":{"deep":[1,"é\u2028"]},"b":1.50}`}, apitest.SentEvent{"u6", "s", "open", apitest.Monday + 60, ""})
	for i, headers := range []map[string]string{
		{"X-Svc-Platform": "windows 11", "X-Forwarded-For": "8.8.8.8", "X-Svc-Client-Time": "2026-13-01T00:00:00+05:30", "User-Agent": "x"},
		{"X-Svc-Platform": "web", "X-Forwarded-For": "203.0.113.9", "User-Agent": "Mozilla/5.0"},
	} {
		body := fmt.Sprintf(`{"distinct_id":"abroad","session_id":"%d","events":[{"event_id":"abroad-%[1]d","name":"visit","occurred_at":%d},{"event_id":"0198c0de-0000-7000-8000-00000000000%[1]d","name":"visit"}]}`, i, apitest.Monday+24*apitest.Hour)
		if status, answer, _ := s.Send(t, "POST", "/api/v1/public/demo/events", headers, body); status != 202 {
			t.Fatalf("got %d %s", status, answer)
		}
	}
	s.Must(t, 200, "DELETE", one+"/events/subjects/erased", "")
	definitions := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", one+"/events/definitions", ""), "data")
	for _, d := range definitions {
		path := fmt.Sprintf("%s/events/definitions/%v", one, d["event_definition_id"])
		switch d["name"] {
		case "forgotten":
			s.Must(t, 200, "DELETE", path, "")
		case "buy":
			s.Must(t, 200, "PATCH", path, `{"display_name":"Bought","description":"d"}`)
		case "view":
			s.Must(t, 200, "PATCH", path, `{"archived":true}`)
		}
	}
}

// recorded returns requests that together show all data of the project "demo".
func recorded(s *apitest.Server) []apitest.Exchange {
	const one, public = "/admin/projects/demo", "/public/demo"
	now := s.Clock.Now().Unix()
	span := fmt.Sprintf("start_time=%d&end_time=%d", now-60*24*apitest.Hour, now)
	var all []apitest.Exchange
	ask := func(method, path, body string) { all = append(all, apitest.Exchange{"", method, path, body, 0, ""}) }
	for _, path := range []string{
		one, one + "/aliases", one + "/locales", one + "/versions?limit=100", one + "/versions?platform=windows", one + "/versions?search=beta", one + "/rollouts",
		one + "/announcements?limit=100", one + "/announcements?is_hidden=true",
		one + "/feedbacks?limit=100&include_hidden=1", one + "/feedbacks?limit=100&offset=190&include_hidden=1", one + "/feedbacks?rating=3&status=resolved", one + "/feedbacks?search=text+29",
		one + "/logs?limit=100&include_hidden=1", one + "/logs?limit=100&offset=250", one + "/logs?level=2&search=client", one + "/stats/logs?" + span, one + "/stats/feedbacks?" + span,
		one + "/stats/downloads?" + span,
		one + "/events/definitions?include_archived=1&" + apitest.Within(0, latest), one + "/events/dashboards/cards",
		"/admin/announcements/statistics", "/admin/feedbacks/statistics", "/admin/logs/statistics", "/admin/versions/statistics",
		public, public + "?locale=de", public + "/versions?locale=de-AT", public + "/versions/latest", public + "/announcements?platform=windows&locale=fr", public + "/announcements/latest?platform=windows&version=1.1",
		public + "/events/me?distinct_id=u5", public + "/events/me?distinct_id=abroad", public + "/events/me?distinct_id=erased",
	} {
		ask("GET", path, "")
	}
	for _, path := range []string{"overview", "timeseries", "version-adoption", "client-versions", "platform-versions", "heatmap"} {
		ask("GET", one+"/stats/requests/"+path+"?"+span, "")
	}
	for _, path := range []string{"/overview?", "/timeseries?group_by=event&", "/timeseries?group_by=region&granularity=hour&", "/breakdown?dimension=platform&", "/breakdown?dimension=property&property_key=plan&", "/heatmap?tz_mode=event_local&"} {
		ask("GET", one+"/events/stats"+path+apitest.Within(apitest.Monday-apitest.Hour, apitest.Monday+12*24*apitest.Hour), "")
	}
	const pair = `"steps":[{"event_name":"open"},{"event_name":"buy"}]`
	ask("POST", one+"/events/analysis/funnel", `{`+apitest.TenDays+`,`+pair+`}`)
	ask("POST", one+"/events/analysis/retention", `{`+apitest.TenDays+`,"start_event":"open","periods":5}`)
	ask("POST", one+"/events/analysis/paths", `{`+apitest.TenDays+`,"depth":4}`)
	ask("POST", one+"/events/analysis/query", `{`+apitest.TenDays+`,"type":"timeseries","events":[{"name":"open","alias":"A","measure":"unique_users"}]}`)
	ask("POST", public+"/versions/check-update", `{"current_comparable_version":"1.0"}`)
	return all
}

const latest = 1 << 53

// answersTo returns the responses to the given requests for the project with the given key. It
// replaces the key in the responses by "demo".
func answersTo(t testing.TB, s *apitest.Server, questions []apitest.Exchange, key string) []string {
	t.Helper()
	rename := func(text string) string {
		text = strings.ReplaceAll(text, "/"+"demo", "/"+key)
		return text
	}
	var answers []string
	for _, q := range questions {
		status, answer, _ := s.Do(t, q.Method, rename(q.Path), s.Admin, q.Body)
		answers = append(answers, fmt.Sprintf("%s %s %s: %d %s", q.Method, q.Path, q.Body, status, strings.ReplaceAll(answer, `"`+key+`"`, `"demo"`)))
	}
	return answers
}

// compareAnswers fails the test for each response that differs from the expected one.
func compareAnswers(t testing.TB, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %.2000s\nwant %.2000s", got[i], want[i])
		}
	}
}

// TestProjectMoves checks that an imported project gives the same responses as the exported one, in
// a new installation and under the same or another key.
func TestProjectMoves(t *testing.T) {
	t.Parallel()
	from := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0), apitest.WithGeo(t))
	// All requests below are counted in the same hour on both sides, whenever the test
	// runs.
	from.Clock.Ahead.Add(int64(from.Clock.Now().Truncate(time.Hour).Add(time.Hour).Sub(from.Clock.Now())))
	makeEverything(t, from)
	archive, manifest := export(t, from, "second") // export first, because the requests below are counted
	questions := recorded(from)
	want := answersTo(t, from, questions, "demo")
	for i, answer := range want {
		if !strings.Contains(answer, ": 200 ") {
			t.Fatalf("request %d is none: %s", i, answer)
		}
	}
	if manifest.ProjectKey != "demo" || manifest.Format != transfer.Format || len(manifest.Files) != len(transfer.Files()) {
		t.Errorf("manifest: got %+v", manifest)
	}
	for key, query := range map[string]string{"demo": "", "other": "key=other"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			to := apitest.NewServer(t, apitest.Decades(), apitest.WithRateLimit(0), apitest.WithGeo(t), apitest.WithIndex())
			to.Clock.Ahead.Store(from.Clock.Ahead.Load())
			events := to.Hear(t, "")
			got := mustBringIn(t, to, archive, "dry_run=true&"+query)
			if status, answer, _ := to.Do(t, "GET", "/admin/projects/"+key, to.Admin, ""); !got.DryRun || status != 404 {
				t.Errorf("a dry run made a project: %d %s", status, answer)
			}
			got = mustBringIn(t, to, archive, query)
			if told := events(); len(told) != 0 {
				t.Errorf("events: got %q, want none", told)
			}
			for _, f := range manifest.Files {
				if got.Records[f.Name] != f.Records {
					t.Errorf("%s: got %d records, want %d", f.Name, got.Records[f.Name], f.Records)
				}
			}
			if again, _ := export(t, to, key); query == "" {
				compareAnswers(t, unpacked(t, again), unpacked(t, archive))
			}
			if got.ProjectKey != key || got.Repeated != 0 || got.Aliases != nil {
				t.Errorf("import: got %+v", got)
			}
			compareAnswers(t, answersTo(t, to, questions, key), want)
			// The texts of the language are restored with it, and new records are newer
			// than all imported ones.
			text := from.InProcess(t, "/admin/projects/demo/locales")
			if again := to.InProcess(t, "/admin/projects/"+key+"/locales"); again != text {
				t.Errorf("languages: got %s, want %s", again, text)
			}
			to.Must(t, 201, "POST", "/admin/projects/"+key+"/locales", `{"locale":"fr"}`)
			if answer := to.Must(t, 200, "GET", "/public/"+key+"?locale=fr", ""); !strings.Contains(answer, "Démo") {
				t.Errorf("in a language that was registered again: got %s", answer)
			}
			made := apitest.Field[string](t, to.Must(t, 201, "POST", "/admin/projects/"+key+"/logs", `{"level":0,"content":"new"}`), "id")
			list := apitest.Field[[]map[string]any](t, to.Must(t, 200, "GET", "/admin/projects/"+key+"/logs?limit=1", ""), "data")
			if list[0]["id"] != made {
				t.Errorf("the newest log: got %v, want %s", list[0], made)
			}
		})
	}
}

// unpacked returns the lines of an archive, each preceded by the name of its file.
func unpacked(t testing.TB, archive []byte) (lines []string) {
	t.Helper()
	a, err := transfer.Open(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range transfer.Files() {
		err := a.Lines(t.Context(), name, func(_ int64, line []byte) error {
			lines = append(lines, name+" "+string(line))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// TestExportLeavesOutTheRepository checks that an archive does not contain the repository settings
// of a project. They belong to the installation, like secrets.
func TestExportLeavesOutTheRepository(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "demo")
	const path = "/admin/projects/demo/codehost-integration"
	first := s.Must(t, 200, "GET", path, "")
	s.Must(t, 200, "PUT", path, `{"repo_full_name":"lumen-works/beacon","command_allowed_users":["lumen-works"],"feedback_issue_title_template":"lumen-works"}`)
	archive, _ := export(t, s, "demo")
	for _, line := range unpacked(t, archive) {
		if strings.Contains(line, "lumen-works") {
			t.Errorf("the archive has %s", line)
		}
	}
	s.Must(t, 200, "DELETE", "/admin/projects/demo", "")
	mustBringIn(t, s, archive, "")
	if got := s.Must(t, 200, "GET", path, ""); got != first {
		t.Errorf("after the import: got %s, want %s", got, first)
	}
}

// TestExportIsOfOneMoment checks that an export shows the data at the time at which it began,
// however slowly it is read. The export must not block writers.
func TestExportIsOfOneMoment(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/logs", `{"level":0,"content":"before"}`)
	s.Must(t, 202, "POST", "/public/app/events", `{"distinct_id":"u","events":[{"event_id":"1","name":"before"}]}`)
	begin := func() *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://svc/control/export/app", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := control.InProcess(s.Handler).Do(r)
		if err != nil || answer.StatusCode != 200 {
			t.Fatal(answer, err)
		}
		return answer
	}
	answer := begin() // nothing of the response has been read yet
	s.Must(t, 201, "POST", "/admin/projects/app/logs", `{"level":0,"content":"after"}`)
	s.Must(t, 202, "POST", "/public/app/events", `{"distinct_id":"u","events":[{"event_id":"2","name":"after"}]}`)
	s.Must(t, 200, "PATCH", "/admin/projects/app", `{"name":"after"}`)
	archive, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(unpacked(t, archive), "\n")
	if strings.Count(text, "before") < 3 || strings.Contains(text, "after") {
		t.Errorf("got %s", text)
	}
	// A client that disconnects leaves nothing behind, and the data sent so far is not a
	// valid archive.
	if err := begin().Body.Close(); err != nil {
		t.Fatal(err)
	}
	if left := leftovers(t, s); left != "[] []" {
		t.Errorf("left over: %s", left)
	}
	if status, answer := s.Owner(t, "GET", "/control/export/nobody", ""); status != 404 || !strings.Contains(answer, `project \"nobody\" not found`) {
		t.Errorf("a project that there is not: got %d %s", status, answer)
	}
}
