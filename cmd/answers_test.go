package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/control"
	"svc/internal/event"
	"svc/internal/instance"
	"svc/internal/setting"
	"svc/store"
)

var makeFixture = flag.Bool("make-fixture", false, "write the archive and the answers of the present format")

// firstEvent is the time of the first event in population, in Unix seconds. The settings of the
// data directory allow events of that age.
const firstEvent = 1_790_000_000

// asked is a request that a test makes.
type asked struct{ Method, Path, Body string }

// population returns requests that create records of every kind.
func population() (all []asked) {
	post := func(path, body string) { all = append(all, asked{"POST", path, body}) }
	post("/admin/projects", `{"project_key":"app","name":"App","description":"First","event_retention_days":365,"stats_retention_days":365}`)
	post("/admin/projects", `{"project_key":"other","name":"Another"}`)
	post("/admin/projects/app/locales", `{"locale":"de","label":"Deutsch"}`)
	for n := range 12 {
		post("/admin/projects/app/versions", fmt.Sprintf(`{"version":"1.%d.0","comparable_version":"1.%d.0","title":"Version 1.%d","content":"# News\n\n- number %d","download_url":"https://example.org/%d.zip","is_preview":%v}`, n, n, n, n, n, n%4 == 3))
	}
	for n := range 5 {
		post("/admin/projects/app/announcements", fmt.Sprintf(`{"title":"Announcement %d","content":"Maintenance on day %d","is_pinned":%v}`, n, n, n == 1))
	}
	for n := range 300 { // enough logs for more than one block
		post("/public/app/feedbacks", fmt.Sprintf(`{"content":"feedback %d: könnte schneller sein","rating":%d,"user_id":"u%d","platform":"ios","platform_version":"18.%d"}`, n, n%5+1, n, n%3))
		post("/public/app/logs", fmt.Sprintf(`{"level":%d,"content":"request %d took %d ms","source":"net"}`, n%4, n, n*7%100))
	}
	for n := range 60 {
		at := firstEvent + n*3000
		post("/public/app/events", fmt.Sprintf(`{"distinct_id":"user %d","session_id":"s%d","platform":"windows 11","events":[`+
			`{"event_id":"a%d","name":"open","occurred_at":%d,"properties":{"plan":"free","n":%d}},`+
			`{"event_id":"b%d","name":"buy","occurred_at":%d,"properties":{"plan":"pro"}}]}`, n%9, n, n, at, n, n, at+60))
	}
	post("/admin/projects/app/events/dashboards/cards", `{"title":"Opened","query":{"type":"value","events":[{"name":"open","alias":"A","measure":"count"}]}}`)
	return all
}

// questions returns requests with responses that depend only on the data, not on the current time.
func questions() []asked {
	span := fmt.Sprintf(`"start_time":%d,"end_time":%d`, firstEvent-3600, firstEvent+300_000)
	query := fmt.Sprintf("?start_time=%d&end_time=%d", firstEvent-3600, firstEvent+300_000)
	const app = "/admin/projects/app"
	get := func(path string) asked { return asked{"GET", path, ""} }
	return []asked{
		get("/admin/projects"), get("/admin/projects/statistics"), get(app), get(app + "/locales"),
		get(app + "/versions?limit=5&offset=3"), get("/admin/versions/statistics"), get("/public/app"), get("/public/app/versions"),
		get("/public/app/versions/latest"), get("/public/app/versions/latest-preview"), get("/public/app/versions/by-version/1.5.0"),
		get(app + "/announcements"), get("/public/app/announcements"), get("/admin/announcements/statistics"),
		get(app + "/feedbacks?limit=100&offset=250"), get(app + "/feedbacks?search=feedback+29"), get(app + "/feedbacks?rating=2"), get("/admin/feedbacks/statistics"),
		get(app + "/logs?limit=100"), get(app + "/logs?level=3&search=took+7"), get("/admin/logs/statistics"),
		get(app + "/events/definitions"), get(app + "/events/stats/overview" + query), get(app + "/events/stats/timeseries" + query + "&group_by=event"),
		get(app + "/events/stats/breakdown" + query + "&dimension=property&property_key=plan"), get(app + "/events/stats/heatmap" + query),
		get(app + "/events/dashboards/cards"),
		{"POST", app + "/events/analysis/funnel", `{` + span + `,"steps":[{"event_name":"open"},{"event_name":"buy"}]}`},
		{"POST", app + "/events/analysis/retention", `{` + span + `,"start_event":"open","period":"day","periods":5}`},
		{"POST", app + "/events/analysis/paths", `{` + span + `,"depth":3}`},
		{"POST", app + "/events/analysis/query", `{` + span + `,"type":"timeseries","events":[{"name":"open","alias":"A","measure":"unique_users"}]}`},
	}
}

// openData opens a data directory as a command does when no server is running.
func openData(t *testing.T, dir string) *service {
	t.Helper()
	s, err := setting.Load(setting.Sources{Flag: flags("data", dir), Env: flags("", ""), ReadFile: os.ReadFile})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := instance.MakeFolder(dir); err != nil {
		t.Fatal(err)
	}
	i, err := lockAndOpen(t.Context(), s, nil, nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// flags returns a lookup function for a single flag with the given value.
func flags(name, value string) func(string) (string, bool) {
	return func(flag string) (string, bool) { return value, flag == name }
}

// ask makes requests as the owner and returns the bodies of the responses. It fails the test if a
// response has an error status.
func (i *service) ask(t *testing.T, all []asked) (answers []string) {
	t.Helper()
	client := control.InProcess(i.handler)
	for _, e := range all {
		r, err := http.NewRequestWithContext(t.Context(), e.Method, control.BaseURL+"/api/v1"+e.Path, strings.NewReader(e.Body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode >= 300 {
			t.Fatalf("%s %s: got %s %s", e.Method, e.Path, answer.Status, text)
		}
		answers = append(answers, string(text))
	}
	return answers
}

// fill creates a data directory, makes the requests in population, and returns the directory's
// responses to questions.
func fill(t *testing.T, dir string) []string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	config := "public_rate_limit = 0\n\n[event]\nclock_skew_seconds = 2000000000\n"
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	i := openData(t, dir)
	stop := i.Index.Start(context.WithoutCancel(t.Context()))
	i.ask(t, population())
	answers := i.ask(t, questions())
	stop()
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	return answers
}

// answersOf opens a data directory, waits until the search index is up to date, and returns the
// directory's responses to questions.
func answersOf(t *testing.T, dir string) []string {
	t.Helper()
	i := openData(t, dir)
	stop := i.Index.Start(context.WithoutCancel(t.Context()))
	answers := i.ask(t, questions())
	stop()
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	return answers
}

func compareAnswers(t *testing.T, name string, got, want []string) {
	t.Helper()
	for n, q := range questions() {
		if n >= len(want) || got[n] != want[n] {
			t.Errorf("%s: %s %s: got %s, want %s", name, q.Method, q.Path, got[n], want[min(n, len(want)-1)])
		}
	}
}

// svc runs the program and fails the test unless it succeeds.
func svc(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("svc %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// TestRestoredAnswersTheSame checks that a restored directory gives the same responses as the
// original.
func TestRestoredAnswersTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, archive, fresh := filepath.Join(dir, "data"), filepath.Join(dir, "a.tar.zst"), filepath.Join(dir, "fresh")
	want := fill(t, data)
	svc(t, "backup", archive, "--data", data)
	svc(t, "restore", archive, "--data", fresh)
	compareAnswers(t, "restored", answersOf(t, fresh), want)
	svc(t, "restore", archive, "--data", data, "--force")
	compareAnswers(t, "restored over itself", answersOf(t, data), want)
}

// TestEveryFormatOpens checks that this program opens data of every released format and gives the
// responses that were recorded with the data. With -make-fixture, it records data and responses of the
// current format.
func TestEveryFormatOpens(t *testing.T) {
	t.Parallel()
	const folder = "../testdata/formats"
	if *makeFixture {
		data := filepath.Join(t.TempDir(), "data")
		answers, err := json.MarshalIndent(fill(t, data), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(folder, fmt.Sprintf("svc-%d-events-%d", store.Format, event.Format))
		svc(t, "backup", name+".tar.zst", "--data", data, "--force")
		if err := os.WriteFile(name+".json", append(answers, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tar.zst"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives in %s, %v", folder, err)
	}
	for _, archive := range archives {
		data := filepath.Join(t.TempDir(), "data")
		svc(t, "restore", archive, "--data", data)
		text, err := os.ReadFile(strings.TrimSuffix(archive, ".tar.zst") + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		compareAnswers(t, archive, answersOf(t, data), want)
	}
}
