package feeds_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"svc/api/apitest"
)

// vectors contains keys and signatures that an independent implementation has made, of a file that
// consists of a repeated line.
type vectors struct {
	Line         string              `json:"line"`
	Lines        int                 `json:"lines"`
	MinisignKeys []map[string]string `json:"minisign_keys"`
	SparkleKeys  []map[string]string `json:"sparkle_keys"`
	Signatures   map[string]string   `json:"signatures"`
	BLAKE2b      string              `json:"blake2b"`
}

func loadVectors(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("../../internal/signature/testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// publish publishes a version whose files all have the content that is signed in the vectors, and
// returns the path of its assets.
func (v vectors) publish(t *testing.T, s *apitest.Server, version string, names ...string) string {
	t.Helper()
	links := make([]string, len(names))
	for i, name := range names {
		path := apitest.Field[string](t, s.Upload(t, "demo", name, strings.Repeat(v.Line, v.Lines)), "path")
		links[i] = fmt.Sprintf(`{"url":%q}`, site+path)
	}
	made := s.Must(t, 201, "POST", apitest.VersionsOf("demo"), fmt.Sprintf(
		`{"version":%q,"comparable_version":%[1]q,"download_links":[%s]}`, version, strings.Join(links, ",")))
	return apitest.VersionsOf("demo") + "/" + apitest.Field[string](t, made, "id") + "/assets/"
}

// TestSignaturesInFeeds checks the rules about signatures of each feed: which version it lists while
// the newer one is not signed, and which signature it passes on.
func TestSignaturesInFeeds(t *testing.T) {
	t.Parallel()
	v := loadVectors(t)
	s := newServer(t)
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.Project(t, "demo")
	signed := []string{"Demo-x64.exe", "Demo.AppImage", "Demo.app.tar.gz", "Demo-mac.zip", "Demo.dmg"}
	older := v.publish(t, s, "1.0.0", signed...)
	newer := v.publish(t, s, "2.0.0", signed...)
	for _, name := range signed[:3] {
		s.Must(t, 200, "PUT", older+name+"/signatures/minisign", v.Signatures["hashed"])
	}
	for _, name := range []string{"Demo-x64.exe", "Demo-mac.zip", "Demo.dmg"} {
		s.Must(t, 200, "PUT", older+name+"/signatures/sparkle", v.Signatures["sparkle"])
	}
	// listed returns which of the two versions a feed offers, by the addresses in it.
	addresses := map[string]string{
		"Tauri": "tauri/stable/linux/x86_64/0.9.0", "static Tauri": "tauri/stable/latest.json", "electron": "electron/latest.yml",
		"electron for macOS": "electron/latest-mac.yml", "Sparkle": "sparkle/stable/appcast.xml?current=0.9.0",
		"WinSparkle": "winsparkle/stable/appcast.xml?current=0.9.0", "Squirrel.Mac": "squirrel-mac/stable/x64/0.9.0",
		"latest": "latest/stable/windows/x64/exe", "latest for macOS": "latest/stable/macos/any/dmg",
	}
	listed := func(feed string) string {
		t.Helper()
		status, answer, header := get(t, s, "demo/"+addresses[feed], nil)
		text := answer + header.Get("X-Svc-Version") + " " + fmt.Sprint(status)
		switch {
		case status >= 400:
			return fmt.Sprint(status)
		case strings.Contains(text, "2.0.0"):
			return "2.0.0"
		case strings.Contains(text, "1.0.0"):
			return "1.0.0"
		}
		return ""
	}
	expect := func(when string, want map[string]string) {
		t.Helper()
		for feed := range addresses {
			if got := listed(feed); got != want[feed] {
				t.Errorf("%s: %s offers %q, want %q", when, feed, got, want[feed])
			}
		}
	}
	expect("without keys", map[string]string{
		"Tauri": "1.0.0", "static Tauri": "1.0.0", "electron": "2.0.0", "electron for macOS": "2.0.0", "Sparkle": "2.0.0", "WinSparkle": "2.0.0",
		"Squirrel.Mac": "2.0.0", "latest": "2.0.0", "latest for macOS": "2.0.0",
	})
	if _, answer, _ := get(t, s, "demo/"+addresses["Tauri"], nil); !strings.Contains(answer, `"signature":"`) {
		t.Errorf("Tauri without a key: %s", answer)
	}
	if status, answer, _ := get(t, s, "demo/sparkle/stable/appcast.xml", nil); status != 200 || strings.Count(answer, "sparkle:edSignature") != 1 {
		t.Errorf("Sparkle without a key: %d %s", status, answer)
	}

	const keys = "/admin/projects/demo/trust-keys"
	add := func(scheme, key string) string {
		answer := s.Must(t, 201, "POST", keys, fmt.Sprintf(`{"scheme":%q,"public_key":%q}`, scheme, key))
		return keys + "/" + apitest.Field[string](t, answer, "id")
	}
	minisign := add("minisign", v.MinisignKeys[0]["line"])
	add("sparkle", v.SparkleKeys[0]["line"])
	for _, name := range []string{"Demo-x64.exe", "Demo-mac.zip", "Demo.dmg"} { // verified before the job does it
		s.Must(t, 200, "PUT", older+name+"/signatures/sparkle", v.Signatures["sparkle"])
	}
	expect("with keys", map[string]string{
		"Tauri": "1.0.0", "static Tauri": "1.0.0", "electron": "2.0.0", "electron for macOS": "2.0.0", "Sparkle": "1.0.0", "WinSparkle": "1.0.0",
		"Squirrel.Mac": "2.0.0", "latest": "2.0.0", "latest for macOS": "2.0.0",
	})
	s.Must(t, 200, "PUT", "/admin/projects/demo/distribution", `{"signature_policy":"enforce"}`)
	all := map[string]string{}
	for feed := range addresses {
		all[feed] = "1.0.0"
	}
	expect("enforced", all)
	if status, answer, _ := s.Send(t, "GET", "/api/v1"+strings.TrimSuffix(newer, "/"), map[string]string{"Authorization": "Bearer " + s.Admin}, ""); status != 200 ||
		!strings.Contains(answer, `"unsigned"`) {
		t.Errorf("assets of the unsigned version: %d %s", status, answer)
	}

	s.Must(t, 200, "PATCH", minisign, `{"state":"revoked"}`) // no signature of it counts, but no kind needs one of it any more
	expect("revoked", map[string]string{
		"Tauri": "", "static Tauri": "", "electron": "2.0.0", "electron for macOS": "1.0.0", "Sparkle": "1.0.0", "WinSparkle": "1.0.0",
		"Squirrel.Mac": "1.0.0", "latest": "2.0.0", "latest for macOS": "1.0.0",
	})
	add("minisign", v.MinisignKeys[1]["line"])
	s.Must(t, 200, "PUT", newer+"Demo-x64.exe/signatures/minisign", v.Signatures["hashed by the other key"])
	s.Must(t, 200, "PUT", newer+"Demo.dmg/signatures/sparkle", v.Signatures["sparkle"])
	s.Must(t, 200, "PUT", newer+"Demo-x64.exe/signatures/sparkle", v.Signatures["sparkle"])
	expect("signed again", map[string]string{
		"Tauri": "", "static Tauri": "2.0.0", "electron": "2.0.0", "electron for macOS": "2.0.0", "Sparkle": "2.0.0", "WinSparkle": "2.0.0",
		"Squirrel.Mac": "1.0.0", "latest": "2.0.0", "latest for macOS": "2.0.0",
	})
}
