package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/internal/testutil/minisign"
)

// built lists what a build has made before the examples of a page about feeds run. A zip archive is
// given by the path and the text of its only file, and a text by itself.
var built = map[string]map[string][2]string{
	"docs/feeds.md": {
		"dist/My-App-Setup-2.2.1-x64.exe": {}, "dist/My-App-Setup-2.2.1-x64.exe.blockmap": {},
		"dist/My-App-Setup-2.3.0-x64.exe": {}, "dist/My-App-Setup-2.3.0-x64.exe.blockmap": {},
	},
	"docs/feeds/electron.md": {
		"dist/My-App-Setup-2.3.0-x64.exe": {}, "dist/My-App-Setup-2.3.0-x64.exe.blockmap": {},
	},
	"docs/feeds/readers.md": {"dist/My-App-Setup-2.3.0-x64.exe": {}, "dist/My-App-2.3.0.dmg": {}},
	"docs/feeds/sparkle.md": {
		"dist/My-App-2.3.0.zip": {"My App.app/Contents/Info.plist", `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleVersion</key><string>2300</string></dict></plist>`},
		"dist/My-App-2.3.0.zip.edsig": {"", edsig},
	},
	"docs/feeds/squirrel-mac.md":     {"dist/My-App-2.3.0-arm64-mac.zip": {"My App.app/Contents/MacOS/My App", "program"}},
	"docs/feeds/squirrel-windows.md": {"dist/my_app-2.3.0-full.nupkg": {"my_app.nuspec", nuspec("my_app", "")}},
	"docs/feeds/tauri.md": {
		"my-app.key.pub": {"", minisign.NewKey("").Public()}, "dist/My-App_2.3.0_amd64.AppImage": {},
		"dist/My-App_2.3.0_amd64.AppImage.sig": {"", minisign.NewKey("").Sign([]byte(program), "timestamp:1795327200\tfile:My-App_2.3.0_amd64.AppImage")},
	},
	"docs/feeds/velopack.md":   {"Releases/MyApp-2.3.0-full.nupkg": {"MyApp.nuspec", nuspec("MyApp", "<channel>win</channel><os>win</os>")}},
	"docs/feeds/winsparkle.md": {"dist/My-App-Setup-2.3.0-x64.exe": {}, "dist/My-App-Setup-2.3.0-x64.exe.edsig": {"", edsig}},
}

// program is the content of files that are not read.
var program = strings.Repeat("svc ", 16<<10)

// edsig is a signature of a key that the project does not know.
var edsig = fmt.Sprintf("sparkle:edSignature=%q length=\"65536\"\n", base64.StdEncoding.EncodeToString(make([]byte, 64)))

// nuspec describes a package. more holds additional elements.
func nuspec(id, more string) string {
	return `<?xml version="1.0" encoding="utf-8"?><package><metadata><id>` + id + `</id><version>2.3.0</version>` + more + `</metadata></package>`
}

// TestExamplesOfFeeds runs the examples in the pages about updaters. Each page continues after the
// project and the key of the overview have been created.
func TestExamplesOfFeeds(t *testing.T) {
	t.Parallel()
	const overview = "docs/feeds.md"
	pages, err := filepath.Glob("docs/feeds/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("got %q, %v", pages, err)
	}
	for _, page := range append(pages, overview) {
		page = filepath.ToSlash(page)
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			examples := readExamples(t, page)
			if page != overview {
				examples = slices.Concat(readExamples(t, overview)[:2], examples)
			}
			dir := t.TempDir()
			for name, content := range built[page] {
				build(t, filepath.Join(dir, filepath.FromSlash(name)), content)
			}
			checkExamples(t, dir, examples)
		})
	}
}

// build writes a file that a build makes.
func build(t *testing.T, path string, content [2]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	b := bytes.NewBufferString(cmp.Or(content[1], program))
	if content[0] != "" {
		b.Reset()
		w := zip.NewWriter(b)
		f, err := w.Create(content[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content[1])); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
