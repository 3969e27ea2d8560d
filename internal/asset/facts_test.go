package asset_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/asset"
	"svc/internal/platform"
)

// entry is an entry of an archive.
type entry struct{ name, content string }

// archive returns a zip archive.
func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, e := range entries {
		method := zip.Deflate
		if i%2 == 1 {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withBlockMap returns the content of an AppImage with a block map at its end, and the size
// of the compressed block map.
func withBlockMap(t testing.TB, text string) (content []byte, size int64) {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	content = append([]byte("\x7fELF program"), packed.Bytes()...)
	return binary.BigEndian.AppendUint32(content, uint32(packed.Len())), int64(packed.Len())
}

// facts reads the facts of a file.
func facts(t testing.TB, name string, content []byte) asset.Facts {
	t.Helper()
	f, err := asset.ReadFacts(name, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

func nuspec(fields string) string {
	return "\ufeff" + `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2010/07/nuspec.xsd"><metadata>` + fields + `</metadata><files><id>other</id></files></package>`
}

func TestPackages(t *testing.T) {
	t.Parallel()
	const named = "<id> Demo </id><version>2.3.0</version>"
	for _, tc := range []struct {
		name    string
		entries []entry
		want    asset.Facts
	}{
		{"Squirrel", []entry{{"lib/a.nuspec", "?"}, {"Demo.nuspec", nuspec(named)}},
			asset.Facts{Platform: platform.Windows, Package: &asset.Package{ID: "Demo", Version: "2.3.0"}}},
		{"Velopack for Windows", []entry{{"Demo.nuspec", nuspec(named + "<channel>win</channel><os>win</os>")}},
			asset.Facts{Platform: platform.Windows, Package: &asset.Package{ID: "Demo", Version: "2.3.0", Channel: "win"}}},
		{"Velopack for macOS", []entry{{"Demo.NUSPEC", nuspec(named + "<channel>osx</channel><os>osx</os>")}},
			asset.Facts{Platform: platform.MacOS, Package: &asset.Package{ID: "Demo", Version: "2.3.0", Channel: "osx"}}},
		{"Velopack for Linux", []entry{{"Demo.nuspec", nuspec("<tags><id>x</id></tags>" + named + "<os>linux</os>")}},
			asset.Facts{Platform: platform.Linux, Package: &asset.Package{ID: "Demo", Version: "2.3.0"}}},
		{"the first element counts", []entry{{"Demo.nuspec", nuspec(named + "<id>Other</id>")}},
			asset.Facts{Platform: platform.Windows, Package: &asset.Package{ID: "Demo", Version: "2.3.0"}}},
		{"no description", []entry{{"lib/Demo.nuspec", nuspec(named)}}, asset.Facts{Unreadable: true}},
		{"no version", []entry{{"Demo.nuspec", nuspec("<id>Demo</id>")}}, asset.Facts{Unreadable: true}},
		{"a long id", []entry{{"Demo.nuspec", nuspec("<version>1</version><id>" + strings.Repeat("x", 129) + "</id>")}}, asset.Facts{Unreadable: true}},
		{"no XML", []entry{{"Demo.nuspec", "{}<"}}, asset.Facts{Unreadable: true}},
		{"deep XML", []entry{{"Demo.nuspec", strings.Repeat("<a>", 1<<20)}}, asset.Facts{Unreadable: true}},
		{"an entry of more than 4 MiB", []entry{{"Demo.nuspec", nuspec(named + strings.Repeat(" ", 4<<20))}}, asset.Facts{Unreadable: true}},
		{"an entity", []entry{{"Demo.nuspec", `<!DOCTYPE a [<!ENTITY b "c">]>` + nuspec("<id>&b;</id>")}}, asset.Facts{Unreadable: true}},
	} {
		got := facts(t, "Demo-full.nupkg", archive(t, tc.entries...))
		if !equal(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.name, show(got), show(tc.want))
		}
	}
}

// equal compares facts including the values that they point to.
func equal(a, b asset.Facts) bool { return show(a) == show(b) }

func show(f asset.Facts) string {
	p := fmt.Sprint(f.Package)
	f.Package = nil
	return fmt.Sprintf("%+v %s", f, p)
}

func TestApps(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	binaryList, xmlList := read("Info.binary.plist"), read("Info.xml.plist")
	demo := asset.Facts{Platform: platform.MacOS, BundleVersion: "230", OSMin: "11.0"}
	for _, tc := range []struct {
		name    string
		entries []entry
		want    asset.Facts
	}{
		{"XML", []entry{{"Demo.app/Contents/Info.plist", xmlList}}, demo},
		{"binary", []entry{{"Demo.app/Contents/Info.plist", binaryList}}, demo},
		{"in a folder, stored", []entry{{"a", ""}, {"dist/Demo.app/Contents/Info.plist", binaryList}}, demo},
		{"after an app within the app", []entry{{"D.app/Contents/Frameworks/H.app/Contents/Info.plist", "?"}, {"D.app/Contents/Info.plist", xmlList}}, demo},
		{"no app", []entry{{"demo.exe", "MZ"}, {".app/Contents/Info.plist", "?"}, {"a/.app/Contents/Info.plist", "?"}}, asset.Facts{}},
		{"no property list", []entry{{"Demo.app/Contents/Info.plist", "CFBundleVersion = 1"}}, asset.Facts{Unreadable: true}},
		{"a list instead of a dictionary", []entry{{"Demo.app/Contents/Info.plist", "<plist><array/></plist>"}}, asset.Facts{Unreadable: true}},
		{"half of a binary list", []entry{{"Demo.app/Contents/Info.plist", binaryList[:len(binaryList)/2]}}, asset.Facts{Unreadable: true}},
		{"values that nobody could compare", []entry{{"Demo.app/Contents/Info.plist",
			"<plist><dict><key>CFBundleVersion</key><string>a b</string><key>LSMinimumSystemVersion</key><string>new</string></dict></plist>"}},
			asset.Facts{Platform: platform.MacOS}},
	} {
		if got := facts(t, "Demo.zip", archive(t, tc.entries...)); !equal(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.name, show(got), show(tc.want))
		}
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	whole := archive(t, entry{"lib/x", strings.Repeat("x", 9999)}, entry{"Demo.nuspec", nuspec("<id>Demo</id><version>1</version>")})
	for i := range len(whole) {
		if f := facts(t, "a.nupkg", whole[:i]); !f.Unreadable {
			t.Fatalf("the first %d of %d bytes of an archive are readable: %s", i, len(whole), show(f))
		}
	}
	for i := range len(whole) { // must neither panic nor fail
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0xff
		facts(t, "a.nupkg", damaged)
	}
	if !facts(t, "a.zip", nil).Unreadable || facts(t, "a.exe", nil).Unreadable {
		t.Error("an empty archive is readable, or an empty program is not")
	}
}

func TestArchiveOfManyEntries(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 70_000 { // more than the original format supports
		if _, err := w.Create(fmt.Sprint("lib/", i)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := w.Create("Demo.nuspec")
	if err == nil {
		_, err = io.WriteString(f, nuspec("<id>Demo</id><version>1</version>"))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if got := facts(t, "a.nupkg", b.Bytes()); got.Package == nil || got.Package.ID != "Demo" {
		t.Errorf("%s", show(got))
	}
}

func TestBlockMaps(t *testing.T) {
	t.Parallel()
	const blockMap = `{"version":"2","files":[{"name":"file","offset":0,"checksums":["x"],"sizes":[12]}]}`
	content, size := withBlockMap(t, blockMap)
	if got := facts(t, "Demo.AppImage", content); got.BlockMapSize != size || got.Unreadable {
		t.Errorf("%s, want a block map of %d bytes", show(got), size)
	}
	for name, text := range map[string]string{
		"no version": `{"files":[]}`, "no files": `{"version":"2"}`, "files of another type": `{"version":"2","files":{}}`, "no JSON": "ELF",
		"more than 16 MiB": `{"version":"2","files":["` + strings.Repeat("x", 16<<20) + `"]}`,
	} {
		other, _ := withBlockMap(t, text)
		if got := facts(t, "Demo.AppImage", other); got != (asset.Facts{}) {
			t.Errorf("%s: %s", name, show(got))
		}
	}
	for i := range len(content) {
		if got := facts(t, "Demo.AppImage", content[:i]); got != (asset.Facts{}) {
			t.Errorf("the first %d bytes: %s", i, show(got))
		}
	}
}

// failingReader fails at each read.
type failingReader struct{}

func (failingReader) ReadAt([]byte, int64) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestFailureOfTheStorageIsNotUnreadable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.nupkg", "a.zip", "a.AppImage"} {
		if _, err := asset.ReadFacts(name, failingReader{}, 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: error %v, want that of the storage", name, err)
		}
	}
}

// FuzzPackage, FuzzApp and FuzzBlockMap check that no content causes a panic or an error.
func FuzzPackage(f *testing.F) {
	f.Add(archive(f, entry{"Demo.nuspec", nuspec("<id>Demo</id><version>1</version>")}))
	f.Add([]byte(nuspec("<id>Demo</id><version>1</version>")))
	f.Fuzz(func(t *testing.T, content []byte) {
		facts(t, "a.nupkg", content)
		facts(t, "a.nupkg", archive(t, entry{"a.nuspec", string(content)}))
	})
}

func FuzzApp(f *testing.F) {
	for _, name := range []string{"Info.binary.plist", "Info.xml.plist"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(archive(f, entry{"Demo.app/Contents/Info.plist", string(raw)}))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		facts(t, "a.zip", content)
		facts(t, "a.zip", archive(t, entry{"Demo.app/Contents/Info.plist", string(content)}))
	})
}

func FuzzBlockMap(f *testing.F) {
	content, _ := withBlockMap(f, `{"version":"2","files":[]}`)
	f.Add(content)
	f.Add([]byte(`{"version":"2","files":[]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		facts(t, "a.AppImage", content)
		whole, size := withBlockMap(t, string(content))
		if got := facts(t, "a.AppImage", whole).BlockMapSize; got != 0 && got != size {
			t.Errorf("a block map of %d bytes, want %d or none", got, size)
		}
	})
}
