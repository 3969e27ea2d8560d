package cmd_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/testutil"
)

// TestDemo starts a demo server and checks the pages that users visit first.
func TestDemo(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	path, err := exec.LookPath("svc")
	if err != nil {
		t.Fatal(err)
	}
	p := launch(t, exec.Command(path, "demo", "--data", t.TempDir(), "--listen", "127.0.0.1:0"))

	check := p.ask(t, "POST", "/public/quillmere/versions/check-update", `{"current_version":"4.3.0"}`, 200)
	if check["should_update"] != true || check["required"] != true || fmt.Sprint(check["reason_codes"]) != "[newer_version_available current_version_deprecated]" {
		t.Errorf("users of the bad release are told %v", check)
	}
	if check := p.ask(t, "POST", "/public/glowpatch/versions/check-update", `{"current_version":"0.9.0"}`, 200); check["required"] != true {
		t.Errorf("users of a deprecated version under a former key are told %v", check)
	}
	for _, project := range []string{"quillmere", "tidebrook-field-guide", "wicklume"} {
		month := fmt.Sprintf("?start_time=%d", time.Now().Unix()-30*24*3600)
		for _, figure := range []struct{ path, field string }{
			{"/stats/requests/overview", "total"}, {"/events/stats/overview", "total"}, {"/stats/logs", "total"}, {"/stats/feedbacks", "total"},
			{"/stats/downloads", "total"}, {"/versions", "total"}, {"/announcements", "total"}, {"/files", "total"}, {"/events/dashboards/cards", "total"},
		} {
			answer := p.ask(t, "GET", "/admin/projects/"+project+figure.path+month, "", 200)
			if n, ok := answer[figure.field].(float64); !ok || n < 2 {
				t.Errorf("%s: %s is %v", project, figure.path, answer[figure.field])
			}
		}
		for _, feed := range p.ask(t, "GET", "/admin/projects/"+project+"/feeds", "", 200)["data"].([]any) {
			if f := feed.(map[string]any); f["state"] == "problems" {
				t.Errorf("%s: the feed %v of %v has the problems %v", project, f["format"], f["channel"], f["problems"])
			}
		}
		// Each card is a saved query that has a result.
		cards := p.ask(t, "GET", "/admin/projects/"+project+"/events/dashboards/cards", "", 200)["data"].([]any)
		if len(cards) < 6 {
			t.Errorf("%s has %d cards", project, len(cards))
		}
	}
	assets := p.ask(t, "GET", "/public/wicklume/versions/by-version/0.12.1/assets", "", 200)["data"].([]any)
	for _, a := range assets {
		signatures, _ := a.(map[string]any)["signatures"].(map[string]any)
		if one, _ := signatures["minisign"].(map[string]any); one["status"] != "valid" {
			t.Errorf("a file of the demo has the signatures %v, want a valid one", signatures)
		}
	}
	if len(assets) != 3 {
		t.Errorf("0.12.1 has %d files, want one for each platform", len(assets))
	}
	funnel := p.ask(t, "POST", "/admin/projects/quillmere/events/analysis/funnel", fmt.Sprintf(
		`{"start_time":%d,"steps":[{"event_name":"app_opened"},{"event_name":"document_created"},{"event_name":"document_exported"},{"event_name":"purchase_completed"}]}`, time.Now().Unix()-30*24*3600), 200)
	before := 1e9
	for _, step := range funnel["data"].([]any) {
		n, ok := step.(map[string]any)["users"].(float64)
		if !ok || n < 5 || n >= before {
			t.Errorf("the funnel is none: %v", funnel["data"])
		}
		before = n
	}
	hooks := p.ask(t, "GET", "/admin/projects/quillmere/hooks", "", 200)["data"].([]any)
	for _, hook := range hooks {
		if fields := hook.(map[string]any); fields["enabled"] != false || fields["last_attempt_at"] != nil {
			t.Errorf("a hook of the demo sends: %v", fields)
		}
	}
	if len(hooks) != 2 {
		t.Errorf("got %d hooks, want 2", len(hooks))
	}
	incident := p.ask(t, "GET", "/admin/projects/quillmere/logs?search=E42&level=3&platform=android", "", 200)
	if n, ok := incident["total"].(float64); !ok || n < 200 {
		t.Errorf("the incident has left %v logs", incident["total"])
	}
}

// TestDemoRepeatsItself checks that creating a demo twice with the same seed results in the same
// exports.
func TestDemoRepeatsItself(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	until := time.Now().UTC().Add(-3 * time.Hour).Format(time.RFC3339)
	var first []string
	for _, name := range []string{"first", "again"} {
		dir := filepath.Join(t.TempDir(), name)
		if out, err := exec.Command("svc", "demo", "--data", dir, "--no-serve", "--seed", "3", "--until", until).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		content := exported(t, dir)
		if first == nil {
			first = content
		} else if !slices.Equal(first, content) {
			t.Error("the same seed and the same moment give other data")
		}
	}
}

// exported returns the files in the exports of all demo projects. It omits the manifest, which
// contains the time of the export.
func exported(t *testing.T, dir string) (files []string) {
	t.Helper()
	for _, project := range []string{"quillmere", "tidebrook-field-guide", "wicklume"} {
		raw, err := exec.Command("svc", "export", "--data", dir, "--project", project, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			if f.Name == "manifest.json" {
				continue
			}
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, project+"/"+f.Name+"\n"+string(content))
		}
	}
	if len(files) < 3*15 || !strings.Contains(files[0], "quillmere") {
		t.Fatalf("only %d files were exported", len(files))
	}
	return files
}
