package feed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/signature"
)

// tauriRelease is what the plugin reads of both forms.
type tauriRelease struct {
	Version   *string
	Notes     *string
	PubDate   *string `json:"pub_date"`
	URL       *string
	Signature *string
	Format    *string
	Platforms map[string]struct{ URL, Signature, Format *string }
}

var tauriKey = regexp.MustCompile(`^(windows|linux|darwin)-(x86_64|aarch64|i686|armv7)(-(nsis|msi|appimage|deb|rpm|app))?$`)

// readTauri reads an answer as strictly as clients do. One bad entry makes them refuse all.
func readTauri(t *testing.T, body []byte) (r tauriRelease) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if r.Version == nil || !semver.MatchString(*r.Version) {
		t.Errorf("version is not SemVer: %s", body)
	}
	if r.PubDate != nil {
		if at, err := time.Parse("2006-01-02T15:04:05Z", *r.PubDate); err != nil || at.IsZero() {
			t.Errorf("pub_date: %v", err)
		}
	}
	entry := func(name string, address, signature *string) {
		u, err := url.Parse(deref(address))
		if err != nil || !u.IsAbs() {
			t.Errorf("%s: url %q is not absolute", name, deref(address))
		}
		text, err := base64.StdEncoding.DecodeString(deref(signature))
		if err != nil || strings.Count(strings.TrimRight(string(text), "\n"), "\n") != 3 {
			t.Errorf("%s: signature is not base64 of four lines: %q, %v", name, text, err)
		}
	}
	if r.Platforms == nil {
		entry("dynamic", r.URL, r.Signature)
	}
	for key, e := range r.Platforms {
		if !tauriKey.MatchString(key) {
			t.Errorf("unknown platform %q", key)
		}
		entry(key, e.URL, e.Signature)
	}
	return r
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestTauriTargets(t *testing.T) {
	t.Parallel()
	v := signed(version(t, "2.3.0",
		"App_x64-setup.exe", "App_arm64-setup.exe", "App_x64.msi", "App.AppImage", "App_arm64.AppImage", "app_amd64.deb", "app.x86_64.rpm",
		"App_universal.app.tar.gz", "App_arm64.app.tar.gz", "App.dmg", "App.tar.gz"), "minisign", minisigned("timestamp:1"))
	for _, tc := range []struct{ target, arch, bundle, want string }{
		{"windows", "x86_64", "", "App_x64-setup.exe"},
		{"windows", "x86_64", "nsis", "App_x64-setup.exe"},
		{"windows", "x86_64", "msi", "App_x64.msi"},
		{"windows", "x86_64", "unknown", "App_x64-setup.exe"},
		{"windows", "aarch64", "", "App_arm64-setup.exe"},
		{"windows", "aarch64", "msi", ""},
		{"windows", "i686", "", ""},
		{"linux", "x86_64", "", "App.AppImage"},
		{"linux", "x86_64", "deb", "app_amd64.deb"},
		{"linux", "x86_64", "rpm", "app.x86_64.rpm"},
		{"linux", "aarch64", "appimage", "App_arm64.AppImage"},
		{"darwin", "x86_64", "", "App_universal.app.tar.gz"},
		{"macos", "x86_64", "app", "App_universal.app.tar.gz"},
		{"darwin", "aarch64", "app", "App_arm64.app.tar.gz"},
		{"freebsd", "x86_64", "", ""},
		{"linux", "riscv64", "", ""},
	} {
		var a *asset.Asset
		target, ok := feed.NewTauriTarget(tc.target, tc.arch, tc.bundle)
		if ok {
			a = feed.Rules{Origin: origin}.Tauri(v, target)
		}
		if name(a) != tc.want {
			t.Errorf("%s %s %q: got %q, want %q", tc.target, tc.arch, tc.bundle, name(a), tc.want)
		}
		if a != nil {
			r := readTauri(t, feed.Rules{Origin: origin}.TauriDynamic(v, a))
			expect(t, deref(r.Version), "2.3.0")
			expect(t, deref(r.URL), origin+a.Path)
			expect(t, deref(r.Notes), "## Fixed\n\n- export")
			expect(t, deref(r.PubDate), "2026-11-22T06:00:00Z")
			format := map[asset.Kind]string{"exe": "nsis", "msi": "wix", "appimage": "appimage", "app-tar": "app"}[a.Kind]
			expect(t, deref(r.Format), format)
		}
	}
}

func TestTauriStaticHasOnlyWholeEntries(t *testing.T) { // 12.1
	t.Parallel()
	v := signed(version(t, "2.3.0", "App_x64-setup.exe", "App_x64.msi", "App.AppImage", "App_universal.app.tar.gz", "app_amd64.deb"), "minisign", minisigned("x"))
	with(t, v, "App_x64.msi", func(a *asset.Asset) { a.Signatures = map[signature.Scheme]asset.Signature{} })
	with(t, v, "App.AppImage", func(a *asset.Asset) { a.Path, a.URL = "", "/relative/App.AppImage" })
	rules, problems := reporting()
	body, ok := rules.TauriStatic(v)
	if !ok {
		t.Fatal("got nothing")
	}
	r := readTauri(t, body)
	var keys []string
	for _, key := range []string{
		"windows-x86_64", "windows-x86_64-nsis", "windows-x86_64-msi", "windows-aarch64", "linux-x86_64", "linux-x86_64-appimage",
		"linux-x86_64-deb", "darwin-x86_64", "darwin-x86_64-app", "darwin-aarch64", "darwin-aarch64-app",
	} {
		if _, ok := r.Platforms[key]; ok {
			keys = append(keys, key)
		}
	}
	expect(t, keys, []string{
		"windows-x86_64", "windows-x86_64-nsis", "linux-x86_64-deb", "darwin-x86_64", "darwin-x86_64-app", "darwin-aarch64", "darwin-aarch64-app",
	})
	expect(t, len(r.Platforms), len(keys))
	expect(t, problems(), []string{"unsigned App_x64.msi"})
	if _, ok := rules.TauriStatic(version(t, "2.3.0", "App.exe")); ok {
		t.Error("got a feed without a signed asset")
	}
}

func TestTauriVersionIsSemVerAndHasNoOtherName(t *testing.T) { // 12.2
	t.Parallel()
	v := signed(version(t, "2.3", "App.exe"), "minisign", minisigned("x"))
	body, _ := feed.Rules{Origin: origin}.TauriStatic(v)
	expect(t, *readTauri(t, body).Version, "2.3.0") // the reader refuses a field "name"
	v = signed(version(t, "1.2.3.4", "App.exe"), "minisign", minisigned("x"))
	rules, problems := reporting()
	if _, ok := rules.TauriStatic(v); ok {
		t.Error("got a version without SemVer")
	}
	expect(t, problems(), []string{"no_semver"})
	v = signed(version(t, "1.2.3", "App.exe"), "minisign", minisigned("x"))
	v.OutOfOrder = []feed.Order{feed.SemVerOrder}
	rules, problems = reporting()
	if _, ok := rules.TauriStatic(v); ok {
		t.Error("got a version out of order")
	}
	expect(t, problems(), []string{"native_order"})
}

func TestTauriSignatureIsThatOfTheFile(t *testing.T) { // 12.3
	t.Parallel()
	for _, tc := range []struct {
		status  signature.Status
		keyed   bool
		problem string
	}{
		{"valid", true, ""},
		{"valid", false, ""},
		{"untrusted", false, ""},
		{"unchecked", false, ""},
		{"untrusted", true, "unsigned App.exe"},
		{"unchecked", true, "unsigned App.exe"},
		{"invalid", true, "signature_invalid App.exe"},
		{"invalid", false, "signature_invalid App.exe"},
	} {
		s := minisigned("x")
		s.Status = tc.status
		v := signed(version(t, "2.3.0", "App.exe"), "minisign", s)
		rules, problems := reporting()
		rules.Minisign = tc.keyed
		target, _ := feed.NewTauriTarget("windows", "x86_64", "")
		a := rules.Tauri(v, target)
		if got := strings.Join(problems(), " "); got != tc.problem || (a != nil) != (tc.problem == "") {
			t.Errorf("%s, key %v: got %q, want %q", tc.status, tc.keyed, got, tc.problem)
		}
		if a != nil {
			expect(t, *readTauri(t, rules.TauriDynamic(v, a)).Signature, s.Value)
		}
	}
}

func TestTauriLeavesEmptyFieldsOut(t *testing.T) { // 12.4
	t.Parallel()
	v := signed(version(t, "2.3.0", "app.deb"), "minisign", minisigned("x"))
	v.Text = func() (string, string) { return "", "" }
	target, _ := feed.NewTauriTarget("linux", "x86_64", "deb")
	rules := feed.Rules{Origin: origin}
	body := rules.TauriDynamic(v, rules.Tauri(v, target))
	readTauri(t, body)
	for _, field := range []string{"notes", "format", "name"} {
		if bytes.Contains(body, []byte(`"`+field+`"`)) {
			t.Errorf("got %s: %s", field, body)
		}
	}
}

func TestTauriSignedVersion(t *testing.T) { // 12.6
	t.Parallel()
	for comment, ok := range map[string]bool{
		"timestamp:1\tfile:App.exe":                  true,
		"timestamp:1\tfile:App.exe\tversion:2.3.0":   true,
		"version:2.3.0 timestamp:1":                  true,
		"timestamp:1\tversion:2.3.0+5\tfile:App.exe": true,
		"timestamp:1\tversion:2.3.0-rc.1":            false,
		"timestamp:1\tversion:v2.3.0":                false,
		"timestamp:1\tversion:2.2.0\tfile:App.exe":   false,
		"timestamp:1\tversion:2.3":                   false,
		"timestamp:1\tversion:2.3.0\tversion:2.4.0":  false,
		"timestamp:1\tappversion:2.2.0\tfile:App.ex": true,
	} {
		rules, problems := reporting()
		v := signed(version(t, "2.3.0", "App.exe"), "minisign", minisigned(comment))
		_, listed := rules.TauriStatic(v)
		if listed != ok || !ok && strings.Join(problems(), " ") != "signed_version_mismatch App.exe" {
			t.Errorf("%q: got %v, %q", comment, listed, problems())
		}
	}
}

func TestTauriUpdatesOfMacOSAndLinux(t *testing.T) { // 12.7
	t.Parallel()
	v := signed(version(t, "2.3.0", "App.dmg", "App-mac.zip", "app.deb"), "minisign", minisigned("x"))
	body, _ := feed.Rules{Origin: origin}.TauriStatic(v)
	r := readTauri(t, body)
	expect(t, len(r.Platforms), 1)
	if e := r.Platforms["linux-x86_64-deb"]; e.URL == nil || e.Format != nil {
		t.Errorf("got %s", body)
	}
}
