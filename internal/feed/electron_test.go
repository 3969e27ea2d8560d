package feed_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"svc/internal/asset"
	"svc/internal/feed"
)

// electronInfo is what electron-updater reads of a file.
type electronInfo struct {
	Version, Path, SHA512, ReleaseDate, ReleaseName, ReleaseNotes string
	Files                                                         []electronEntry
}

type electronEntry struct {
	URL          string
	SHA512       string
	Size         int64
	BlockMapSize int64
}

// readElectron reads a file as strictly as electron-updater does.
func readElectron(t *testing.T, body []byte) (info electronInfo) {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal(body, &document); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	read := func(n *yaml.Node, into map[string]*string, numbers map[string]*int64) {
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			switch {
			case into[key] != nil:
				if value.Style != yaml.DoubleQuotedStyle || value.Tag != "!!str" {
					t.Errorf("%s is not a double-quoted text: %s", key, body)
				}
				*into[key] = value.Value
			case numbers[key] != nil:
				if err := value.Decode(numbers[key]); err != nil || value.Style != 0 {
					t.Errorf("%s is not a number: %s", key, body)
				}
			case key != "files":
				t.Errorf("unknown field %q", key)
			}
		}
	}
	root := document.Content[0]
	read(root, map[string]*string{
		"version": &info.Version, "path": &info.Path, "sha512": &info.SHA512, "releaseDate": &info.ReleaseDate,
		"releaseName": &info.ReleaseName, "releaseNotes": &info.ReleaseNotes,
	}, nil)
	for i := 0; i < len(root.Content); i += 2 {
		if root.Content[i].Value != "files" {
			continue
		}
		for _, file := range root.Content[i+1].Content {
			var e electronEntry
			read(file, map[string]*string{"url": &e.URL, "sha512": &e.SHA512}, map[string]*int64{"size": &e.Size, "blockMapSize": &e.BlockMapSize})
			if sum, err := base64.StdEncoding.DecodeString(e.SHA512); err != nil || len(sum) != 64 {
				t.Errorf("%s: sha512 %q, %v", e.URL, e.SHA512, err)
			}
			info.Files = append(info.Files, e)
		}
	}
	if !semver.MatchString(info.Version) || len(info.Files) == 0 || info.Path != info.Files[0].URL || info.SHA512 != info.Files[0].SHA512 {
		t.Errorf("got %s", body)
	}
	return info
}

// windowsFile returns the file that electron-updater installs on Windows.
func windowsFile(info electronInfo, base, arch string) string {
	exes := slices.DeleteFunc(slices.Clone(info.Files), func(e electronEntry) bool { return !strings.HasSuffix(strings.ToLower(e.URL), ".exe") })
	for _, e := range exes {
		if strings.Contains(base+e.URL, arch) {
			return path.Base(e.URL)
		}
	}
	return path.Base(exes[0].URL)
}

// macFile returns the file that electron-updater installs on macOS.
func macFile(info electronInfo, base, arch string) string {
	isArm := func(e electronEntry) bool { return strings.Contains(base+e.URL, "arm64") }
	files := slices.Clone(info.Files)
	if arch == "arm64" && slices.ContainsFunc(files, isArm) {
		files = slices.DeleteFunc(files, func(e electronEntry) bool { return !isArm(e) })
	} else {
		files = slices.DeleteFunc(files, isArm)
	}
	at := slices.IndexFunc(files, func(e electronEntry) bool { return strings.HasSuffix(e.URL, ".zip") })
	if at < 0 {
		return ""
	}
	return path.Base(files[at].URL)
}

func electron(t *testing.T, file string, v *feed.Release) electronInfo {
	t.Helper()
	_, f, ok := feed.ParseElectronFile(file)
	if !ok {
		t.Fatalf("%q is not a file of the feed", file)
	}
	assets := feed.Rules{Origin: origin}.Electron(v, f, "demo")
	if len(assets) == 0 {
		t.Fatalf("%s: got no asset", file)
	}
	return readElectron(t, feed.ElectronYAML(v, assets))
}

func TestElectronFileNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"latest.yml": "latest", "beta.yml": "beta", "latest-mac.yml": "latest", "latest-linux.yml": "latest", "beta-linux-arm64.yml": "beta",
		"latest-linux-arm.yml": "latest", "latest-linux-ia32.yml": "latest",
		"latest-linux-riscv.yml": "", "latest.json": "", ".yml": "", "-mac.yml": "", "latest-.yml": "", "latest": "", "latest-windows.yml": "",
	} {
		channel, _, ok := feed.ParseElectronFile(name)
		if ok != (want != "") || ok && channel != want {
			t.Errorf("%s: got %q, %v", name, channel, ok)
		}
	}
}

func TestElectronOrderOfAssets(t *testing.T) {
	t.Parallel()
	v := version(t, "2.3.0", "a-arm64.exe", "a-ia32.exe", "a-x64.exe", "a.exe", "a-universal.exe", "a-portable.exe",
		"m-arm64-mac.dmg", "m-arm64-mac.zip", "m-x64-mac.zip", "m-universal-mac.zip", "m-mac.zip",
		"l-x64.AppImage", "l-amd64.deb", "l.rpm", "l-arm64.AppImage", "l-armv7l.deb")
	for _, tc := range []struct {
		file string
		want []string
	}{
		{"latest.yml", []string{"a-universal.exe", "a.exe", "a-x64.exe", "a-ia32.exe", "a-arm64.exe"}},
		{"latest-mac.yml", []string{"m-universal-mac.zip", "m-mac.zip", "m-x64-mac.zip", "m-arm64-mac.zip", "m-arm64-mac.dmg"}},
		{"latest-linux.yml", []string{"l-x64.AppImage", "l-amd64.deb", "l.rpm"}},
		{"latest-linux-arm64.yml", []string{"l-arm64.AppImage"}},
		{"latest-linux-arm.yml", []string{"l-armv7l.deb"}},
	} {
		var got []string
		for _, e := range electron(t, tc.file, v).Files {
			got = append(got, path.Base(e.URL))
		}
		expect(t, got, tc.want)
	}
}

func TestElectronTextsAreJSONStrings(t *testing.T) { // 13.1
	t.Parallel()
	v := version(t, "2.10", "Demo Setup #1.exe")
	notes := "a: b\n# c \" \\ \u0085\u007f\u2028\ufeff\uffff 😀 </script>"
	v.Text = func() (string, string) { return "2.10", notes }
	info := electron(t, "latest.yml", v)
	expect(t, info.Version, "2.10.0")
	expect(t, info.ReleaseName, "2.10")
	expect(t, info.ReleaseNotes, notes)
	expect(t, info.ReleaseDate, "2026-11-22T06:00:00.000Z")
	expect(t, info.Files[0].URL, "2.10.0/any/Demo%20Setup%20%231.exe")
	if u, err := url.Parse("https://x.example/feeds/demo/electron/" + info.Path); err != nil || u.Fragment != "" {
		t.Errorf("got %v, %v", u, err)
	}
	v.Text = func() (string, string) { return "", "" }
	_, f, _ := feed.ParseElectronFile("latest.yml")
	body := string(feed.ElectronYAML(v, feed.Rules{}.Electron(v, f, "demo")))
	if strings.Contains(body, "releaseName") || strings.Contains(body, "releaseNotes") {
		t.Errorf("got empty fields: %s", body)
	}
}

func TestElectronVersionIsSemVer(t *testing.T) { // 13.2
	t.Parallel()
	rules, problems := reporting()
	_, f, _ := feed.ParseElectronFile("latest.yml")
	expect(t, len(rules.Electron(version(t, "1.2.3.4", "a.exe"), f, "demo")), 0)
	expect(t, problems(), []string{"no_semver"})
}

func TestElectronSums(t *testing.T) { // 13.3
	t.Parallel()
	v := version(t, "2.3.0", "a.exe", "b.exe", "c.exe")
	with(t, v, "a.exe", func(a *asset.Asset) { a.SHA512 = "" })
	with(t, v, "b.exe", func(a *asset.Asset) { a.Size = nil })
	info := electron(t, "latest.yml", v)
	expect(t, len(info.Files), 1)
	raw, _ := hex.DecodeString(sums.SHA512)
	expect(t, info.SHA512, base64.StdEncoding.EncodeToString(raw))
	expect(t, info.Files[0].Size, sums.Size)
	rules, problems := reporting()
	_, f, _ := feed.ParseElectronFile("latest.yml")
	rules.Electron(v, f, "demo")
	expect(t, problems(), []string{"no_block_map c.exe", "no_digest a.exe", "no_digest b.exe"})
}

func TestElectronArchitecturesInPaths(t *testing.T) { // 13.4
	t.Parallel()
	const base = "/feeds/demo/electron/"
	v := version(t, "2.3.0", "a-x64.exe", "a-ia32.exe", "a-aarch64.exe", "m-x64-mac.zip", "m-aarch64-mac.zip")
	windows, mac := electron(t, "latest.yml", v), electron(t, "latest-mac.yml", v)
	expect(t, windowsFile(windows, base, "x64"), "a-x64.exe")
	expect(t, windowsFile(windows, base, "ia32"), "a-ia32.exe")
	expect(t, windowsFile(windows, base, "arm64"), "a-aarch64.exe")
	expect(t, macFile(mac, base, "x64"), "m-x64-mac.zip")
	expect(t, macFile(mac, base, "arm64"), "m-aarch64-mac.zip")

	v = version(t, "2.3.0", "for-arm64-and-x64-mac.zip", "m-mac.zip")
	with(t, v, "for-arm64-and-x64-mac.zip", func(a *asset.Asset) { a.Arch = asset.Universal })
	expect(t, macFile(electron(t, "latest-mac.yml", v), base, "x64"), "m-mac.zip")
	rules, problems := reporting()
	_, f, _ := feed.ParseElectronFile("latest-mac.yml")
	expect(t, names(rules.Electron(v, f, "demo")), []string{"m-mac.zip"})
	expect(t, problems(), []string{"arch_marker_conflict for-arm64-and-x64-mac.zip"})
	expect(t, len(rules.Electron(v, f, "demo-arm64")), 0)
}

func TestElectronFileNamesCarryTheVersion(t *testing.T) { // 13.5
	t.Parallel()
	old, next := version(t, "2.2.1", "Demo-2.2.1.exe"), version(t, "2.3.0", "Demo-2.3.0.exe")
	expect(t, strings.ReplaceAll(feed.ElectronPath(next, &next.Assets[0]), next.SemVer, old.SemVer), feed.ElectronPath(old, &old.Assets[0]))
}

func TestElectronEmbeddedBlockMap(t *testing.T) { // 13.6
	t.Parallel()
	v := version(t, "2.3.0", "a.AppImage", "b.AppImage")
	with(t, v, "a.AppImage", func(a *asset.Asset) { a.BlockMapSize, a.Problems = 4711, nil })
	info := electron(t, "latest-linux.yml", v)
	expect(t, info.Files[0].BlockMapSize, 4711)
	expect(t, info.Files[1].BlockMapSize, 0)
	rules, problems := reporting()
	_, f, _ := feed.ParseElectronFile("latest-linux.yml")
	rules.Electron(v, f, "demo")
	expect(t, problems(), []string{"no_block_map b.AppImage"})
}
