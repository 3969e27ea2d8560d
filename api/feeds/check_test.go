package feeds_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/api/feeds"
	"svc/internal/asset"
)

const checkPath = "/admin/projects/demo/feeds"

// checkFeeds returns the state of each feed by format and channel, such as "tauri stable".
func checkFeeds(t *testing.T, s *apitest.Server) map[string]feeds.StateView {
	t.Helper()
	var view feeds.CheckView
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", checkPath, "")), &view); err != nil {
		t.Fatal(err)
	}
	all := map[string]feeds.StateView{}
	for _, f := range view.Data {
		all[string(f.Format)+" "+f.Channel] = f
	}
	if len(all) != len(view.Data) {
		t.Errorf("got %d feeds with %d names", len(view.Data), len(all))
	}
	return all
}

func TestFeedsAreChecked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	for name, f := range checkFeeds(t, s) {
		if f.State != "empty" || f.Version != nil || len(f.Problems) > 0 {
			t.Errorf("%s without versions: got %s, %v", name, f.State, f.Problems)
		}
	}
	publish(t, s, "2.2.1", "", "demo-2.2.1-linux-full.nupkg", "Demo-2.2.1-mac.zip", "Demo-2.2.1.deb")
	s.Must(t, 200, "PATCH", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", "2.2.1")+"/assets/Demo-2.2.1-mac.zip", `{"bundle_version":"2.2.1"}`)
	publish(t, s, "2.3.0", `,"rollout":{"percent":25}`, "demo-2.3.0-linux-full.nupkg")
	publish(t, s, "2.4.0-beta.1", `,"is_preview":true`, "demo-2.4.0-linux-full.nupkg", "Demo-2.4.0-x64.exe", "Demo-2.4.0-x64.exe.blockmap")
	got := checkFeeds(t, s)
	for name, want := range map[string]string{
		"velopack stable":      "ok 2.2.1 " + site + "/feeds/demo/velopack/stable",
		"velopack preview":     "ok 2.4.0-beta.1 " + site + "/feeds/demo/velopack/preview",
		"electron stable":      "ok 2.2.1 " + site + "/feeds/demo/electron/latest.yml",
		"electron preview":     "ok 2.4.0-beta.1 " + site + "/feeds/demo/electron/preview.yml",
		"sparkle stable":       "ok 2.2.1 " + site + "/feeds/demo/sparkle/stable/appcast.xml",
		"sparkle preview":      "ok 2.2.1 " + site + "/feeds/demo/sparkle/preview/appcast.xml",
		"winsparkle stable":    "empty - " + site + "/feeds/demo/winsparkle/stable/appcast.xml",
		"winsparkle preview":   "ok 2.4.0-beta.1 " + site + "/feeds/demo/winsparkle/preview/appcast.xml",
		"squirrel stable":      "empty - " + site + "/feeds/demo/squirrel/stable/{arch}",
		"squirrel-mac preview": "ok 2.2.1 " + site + "/feeds/demo/squirrel-mac/preview/{arch}/{current_version}",
		"atom stable":          "ok 2.2.1 " + site + "/feeds/demo/releases.atom?channel=stable",
		"latest stable":        "ok 2.2.1 " + site + "/feeds/demo/latest/stable/{platform}",
		"tauri preview": "problems - " + site +
			"/feeds/demo/tauri/preview/{{target}}/{{arch}}/{{current_version}}?bundle_type={{bundle_type}}",
	} {
		f, version := got[name], "-"
		if f.Version != nil {
			version = *f.Version
		}
		if have := f.State + " " + version + " " + f.URL; have != want {
			t.Errorf("%s: got  %s %v\nwant %s", name, have, f.Problems, want)
		}
	}
	if len(got) != 18 {
		t.Errorf("got %d feeds, want 9 on each of 2 channels", len(got))
	}
	s.Must(t, 404, "GET", "/admin/projects/other/feeds", "")
}

func TestProblemsOfFeeds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	version := func(version, more string, names ...string) string {
		t.Helper()
		publish(t, s, version, more, names...)
		return apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", version)
	}
	version("1.2.3.4", "", "Demo-1.2.3.4.exe")
	version("4.5.0", "", "Demo-4.5.0.AppImage")
	version("5.0.0", `,"native_versions":{"semver":"4.0.0"}`, "Demo-5.0.0.AppImage")
	version("4294967296", "", "Demo-4294967296.msi")
	marked := version("1.3.0", "", "Demo-1.3.0-arm64.exe")
	s.Must(t, 200, "PATCH", marked+"/assets/Demo-1.3.0-arm64.exe", `{"arch":"x64"}`)
	version("1.4.0", "", "my demo-1.4.0-squirrel-full.nupkg")
	version("1.5.0", "", "demo-1.5.0-squirrel-full.nupkg")
	version("1.6.0", "", "demo-1.6.0-linux-full.nupkg")
	version("1.6.1", "", "demo-1.6.0-linux-full.nupkg")
	version("1.7.0", "", "Demo-1.7.0-mac.zip", "Demo-1.7.0.exe", "Demo-1.7.0.exe.blockmap")
	version("1.8.0", "", "Demo-1.8.0-pending.exe", "Demo-1.8.0-broken.zip", "demo-1.8.0-win-broken-full.nupkg")
	s.Must(t, 200, "PATCH", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", "1.8.0")+"/assets/Demo-1.8.0-broken.zip", `{"platform":"windows"}`)
	s.Must(t, 201, "POST", apitest.VersionsOf("demo"), `{"version":"1.9.0","comparable_version":"1.9.0","download_links":[
		{"url":"https://one.example/Demo.exe"},{"url":"https://two.example/Demo.exe"},{"url":"https://one.example/demo-full.nupkg"}]}`)
	got := checkFeeds(t, s)
	for _, want := range []string{
		"tauri no_semver 1.2.3.4", "electron no_semver 1.2.3.4",
		"electron native_order 4.5.0", "electron native_order 5.0.0", "winsparkle native_order 4294967296",
		"electron arch_marker_conflict 1.3.0 Demo-1.3.0-arm64.exe",
		"squirrel name_has_space 1.4.0 my demo-1.4.0-squirrel-full.nupkg",
		"squirrel name_version_mismatch 1.5.0 demo-1.5.0-squirrel-full.nupkg",
		"velopack duplicate_name 1.6.0 demo-1.6.0-linux-full.nupkg",
		"tauri unsigned 1.7.0 Demo-1.7.0.exe",
		"sparkle bundle_version_unknown 1.7.0 Demo-1.7.0-mac.zip",
		"electron no_block_map 5.0.0 Demo-5.0.0.AppImage",
		"electron not_ready 1.8.0 Demo-1.8.0-pending.exe", "latest not_ready 1.8.0 Demo-1.8.0-pending.exe",
		"latest unreadable 1.8.0 Demo-1.8.0-broken.zip", "velopack unreadable 1.8.0 demo-1.8.0-win-broken-full.nupkg",
		"electron no_digest 1.9.0 Demo.exe", "winsparkle no_digest 1.9.0 Demo.exe", "velopack no_digest 1.9.0 demo-full.nupkg",
		"latest duplicate_name 1.9.0 Demo.exe",
	} {
		format, text, _ := strings.Cut(want, " ")
		f := got[format+" stable"]
		if f.State != "problems" || !slices.ContainsFunc(f.Problems, func(p feeds.ProblemView) bool { return problem(p) == text && p.Message != "" }) {
			t.Errorf("%s: not found in %s %v", want, f.State, f.Problems)
		}
	}
	for name, f := range got {
		for _, p := range f.Problems {
			if p.Code == "unsigned" && !strings.HasPrefix(name, "tauri ") || p.Code == "no_semver" && strings.HasPrefix(name, "sparkle ") {
				t.Errorf("%s: got %s", name, problem(p))
			}
		}
	}
	agree(t, s, got)
}

// problem returns a problem as text.
func problem(p feeds.ProblemView) string {
	text := string(p.Code) + " " + p.Version
	if p.Asset != nil {
		text += " " + *p.Asset
	}
	return text
}

// agree checks that administrators see each problem of an asset with the asset, too. Names that
// another version has are the exception.
func agree(t *testing.T, s *apitest.Server, all map[string]feeds.StateView) {
	t.Helper()
	for name, f := range all {
		for _, p := range f.Problems {
			if p.Asset == nil || p.Code == asset.DuplicateName && p.Version == "1.6.0" {
				continue
			}
			list := s.Must(t, 200, "GET", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", p.Version)+"/assets", "")
			found := false
			for _, a := range apitest.Field[[]struct {
				Name     string
				Problems []asset.Problem
			}](t, list, "data") {
				found = found || a.Name == *p.Asset && slices.Contains(a.Problems, p.Code)
			}
			if !found {
				t.Errorf("%s: %s is missing in %s", name, problem(p), list)
			}
		}
	}
}

// TestProblemsOfSignatures checks the problems of downloads with signatures that an updater would refuse.
func TestProblemsOfSignatures(t *testing.T) {
	t.Parallel()
	var v struct {
		Line       string
		Lines      int
		Keys       []struct{ File string } `json:"minisign_keys"`
		Signatures map[string]string
	}
	text, err := os.ReadFile("../../internal/signature/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	s.Project(t, "demo")
	upload := func(name, content string) string {
		return site + apitest.Field[string](t, s.Upload(t, "demo", name, content), "path")
	}
	file := upload("Demo.AppImage", strings.Repeat(v.Line, v.Lines))
	release := func(version string, links ...string) string {
		t.Helper()
		s.Must(t, 201, "POST", apitest.VersionsOf("demo"), fmt.Sprintf(
			`{"version":%q,"comparable_version":%[1]q,"download_links":[{"url":"%s"}]}`, version, strings.Join(links, `"},{"url":"`)))
		return apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", version)
	}
	expect := func(problems ...string) {
		t.Helper()
		got := checkFeeds(t, s)
		var found []string
		for _, p := range got["tauri stable"].Problems {
			found = append(found, problem(p))
		}
		for _, want := range problems {
			if !slices.Contains(found, want) {
				t.Errorf("got %v, want %s", found, want)
			}
		}
		agree(t, s, got)
	}
	other := regexp.MustCompile("(?m)^trusted comment: .*$").ReplaceAllString(v.Signatures["hashed"], "trusted comment: version:9.9.9")
	s.Must(t, 200, "PUT", release("1.0.0", file)+"/assets/Demo.AppImage/signatures/minisign", other)
	release("1.1.0", file, upload("Demo.AppImage.sig", v.Signatures["hashed of the changed file"]))
	release("1.2.0", file)
	expect("signed_version_mismatch 1.0.0 Demo.AppImage", "unsigned 1.2.0 Demo.AppImage")
	s.Must(t, 201, "POST", "/admin/projects/demo/trust-keys", fmt.Sprintf(`{"scheme":"minisign","public_key":%q}`, v.Keys[0].File))
	expect("signature_invalid 1.1.0 Demo.AppImage", "unsigned 1.2.0 Demo.AppImage")
}
