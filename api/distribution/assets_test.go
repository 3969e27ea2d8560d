package distribution_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// nupkg returns a NuGet package for macOS.
func nupkg(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("Demo.nuspec")
	if err == nil {
		_, err = io.WriteString(f, `<package><metadata><id>Demo</id><version>2.3.0</version><channel>osx</channel><os>osx</os></metadata></package>`)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// publish creates a version with links and returns the path of its record. Paths become links to
// a former host of files.
func publish(t testing.TB, s *apitest.Server, text string, links ...string) (path string) {
	t.Helper()
	type link struct {
		URL string `json:"url"`
	}
	list := make([]link, 0, len(links))
	for _, l := range links {
		if l[0] == '/' {
			l = "https://old.example" + l
		}
		list = append(list, link{l})
	}
	body, err := json.Marshal(map[string]any{"download_links": list})
	if err != nil {
		t.Fatal(err)
	}
	status, raw := s.Ask(t, "PUT", "/admin/projects/a/versions/by-version/"+text, string(body))
	if status != 200 && status != 201 {
		t.Fatalf("got %d %s", status, raw)
	}
	return "/admin/projects/a/versions/" + apitest.Field[string](t, raw, "id")
}

func TestAssets(t *testing.T) {
	t.Parallel()
	s := withFiles(t, apitest.WithConfig(distributed))
	path := func(name, content string) string {
		return apitest.Field[string](t, s.Upload(t, "a", name, content), "path")
	}
	const elsewhere = "https://else.example/"
	installer := path("Demo-Setup-arm64.exe", "MZ")
	one := publish(t, s, "2.3.0", installer, elsewhere+"Demo-full.nupkg", path("Demo-osx-full.nupkg", nupkg(t)),
		path("Demo-Setup-arm64.exe.blockmap", "x"), elsewhere+"latest.yml", elsewhere+"Demo-linux-x64.tar.gz", elsewhere+"2/Demo-linux-x64.tar.gz")
	const public = "/public/a/versions/by-version/2.3.0/assets"
	all := s.Must(t, 200, "GET", public, "")
	stored := fmt.Sprintf(`{"name":"Demo-Setup-arm64.exe","url":%q,"kind":"exe","platform":"windows","arch":"arm64","variant":null,"os_min":null,"size":2,
		"bundle_version":null,"delta_from":null,"block_map_size":null,"package":null,"signatures":{},"hidden":false}`, "https://dl.example"+installer)
	tar := `{"name":"Demo-linux-x64.tar.gz","url":"` + elsewhere + `Demo-linux-x64.tar.gz","file_id":null,"kind":"tar","platform":"linux","arch":"x64","size":null,"sha256":null}`
	pack := `{"name":"Demo-osx-full.nupkg","kind":"nupkg-full","platform":"macos","arch":null,"package":{"id":"Demo","version":"2.3.0","channel":"osx"}}`
	other := `{"name":"Demo-full.nupkg","kind":"nupkg-full","platform":"windows","package":null}`
	list := func(assets ...string) string { return `{"data":[` + strings.Join(assets, ",") + `]}` }
	if why := apitest.CompareJSON(t, all, list(stored, other, pack, tar)); why != "" {
		t.Error(why)
	}
	if strings.Contains(all, "problems") {
		t.Errorf("the public sees problems: %s", all)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"sums of the content", "GET", public + "?kind=exe", "", 200, list(sums("MZ"))},
		{"platform", "GET", public + "?platform=macos", "", 200, list(pack)},
		{"architecture", "GET", public + "?arch=x64", "", 200, list(tar)},
		{"kind and platform", "GET", public + "?kind=nupkg-full&platform=windows", "", 200, list(other)},
		{"nothing fits", "GET", public + "?kind=dmg", "", 200, list()},
		{"by value", "GET", "/public/a/versions/by-version/2.3/assets?kind=tar", "", 200, list(tar)},
		{"administrators see hidden ones and problems", "GET", one + "/assets", "", 200, list(
			`{"name":"Demo-Setup-arm64.exe","problems":["unsigned"]}`, `{"name":"Demo-full.nupkg","problems":["no_digest"]}`, `{"name":"Demo-osx-full.nupkg","problems":[]}`,
			`{"name":"latest.yml","hidden":true,"problems":["no_digest"]}`, `{"name":"Demo-linux-x64.tar.gz","problems":["duplicate_name","no_digest"]}`)},
	})
	s.Refusals(t, public, []apitest.Refusal{
		{"platform", "GET", public + "?platform=bsd", "", 400, "platform must be one of windows,"},
		{"architecture", "GET", public + "?arch=X64", "", 400, "arch must be one of x64,"},
		{"kind", "GET", public + "?kind=setup", "", 400, "kind must be one of nupkg-delta,"},
		{"version", "GET", "/public/a/versions/by-version/9/assets", "", 404, "version"},
		{"project", "GET", "/public/none/versions/by-version/2.3.0/assets", "", 404, "project"},
		{"id", "GET", "/admin/projects/a/versions/x/assets", "", 404, "version not found"},
	})
}

func TestAssetsByHand(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	const name, elsewhere = "Demo%20x.zip", "https://else.example/"
	stored := apitest.Field[string](t, s.Upload(t, "a", "Demo.msi", "msi"), "path")
	one := publish(t, s, "1.0", elsewhere+name, stored)
	at := one + "/assets/" + name
	sha := strings.Repeat("AB", 32)
	set := fmt.Sprintf(`{"kind":"zip","platform":"macos","arch":"universal","variant":"lite","os_min":"11.0","hidden":true,"bundle_version":"7","size":9,"sha256":%q}`, sha)
	result := fmt.Sprintf(`{"name":"Demo x.zip","kind":"zip","platform":"macos","arch":"universal","variant":"lite","os_min":"11.0","hidden":true,"bundle_version":"7","size":9,"sha256":%q,"sha1":null}`,
		strings.ToLower(sha))
	s.Exchanges(t, []apitest.Exchange{
		{"derived", "GET", one + "/assets", "", 200, `{"data":[{"kind":"zip","platform":null,"arch":null,"hidden":false,"size":null},{"name":"Demo.msi"}]}`},
		{"set", "PATCH", at, set, 200, result},
		{"what is not sent stays", "PATCH", at, `{"hidden":null,"variant":null,"kind":null}`, 200, `{"kind":"app-zip","platform":"macos","variant":null,"hidden":false,"size":9}`},
		{"set again", "PATCH", at, set, 200, result},
		{"a delta", "PATCH", at, `{"kind":"sparkle-delta","delta_from":"6"}`, 200, `{"kind":"sparkle-delta","delta_from":"6"}`},
		{"no delta any more", "PATCH", at, `{"kind":"zip","delta_from":null}`, 200, result},
		{"a stored file", "PATCH", one + "/assets/Demo.msi", `{"arch":"arm64"}`, 200, `{"arch":"arm64","size":3}`},
	})
	s.Refusals(t, one+"/assets", []apitest.Refusal{
		{"unknown kind", "PATCH", at, `{"kind":"setup"}`, 400, "kind must be one of"},
		{"wrong types", "PATCH", at, `{"kind":1,"hidden":"x","size":"9"}`, 400, "hidden must be true or false"},
		{"a short sum", "PATCH", at, `{"sha1":"ab"}`, 400, "sha1 must be 40 hexadecimal digits"},
		{"a sum of a stored file", "PATCH", one + "/assets/Demo.msi", `{"size":4}`, 400, "cannot be set: the file is stored here"},
		{"delta_from of another kind", "PATCH", at, `{"delta_from":"6"}`, 400, "delta_from can only be set"},
		{"unknown name", "PATCH", one + "/assets/demo%20x.zip", `{}`, 404, "the version has no asset"},
		{"unknown version", "PATCH", "/admin/projects/a/versions/00000000-0000-7000-8000-000000000000/assets/x", `{}`, 404, "version not found"},
	})
	// Fields that were set by hand are kept when the links are replaced, even if the asset is missing for a time.
	publish(t, s, "1.0", elsewhere+"other.zip")
	publish(t, s, "1.0", elsewhere+"moved/"+name)
	s.Exchanges(t, []apitest.Exchange{{"replaced links", "GET", one + "/assets", "", 200, `{"data":[` + result + `]}`}})
	s.Must(t, 200, "PATCH", at, `{"kind":null,"platform":null,"arch":null,"variant":null,"os_min":null,"hidden":null,"bundle_version":null,"size":null,"sha256":null}`)
	err := s.DB.View(func(tx *store.Tx) error {
		p, err := tx.Project("a")
		if err != nil {
			return err
		}
		v, err := tx.VersionNamed(p.ID, "1.0")
		if err == nil && (len(v.Assets) != 1 || v.Assets["Demo.msi"].Arch != "arm64") {
			t.Errorf("fields set by hand are %+v, want only those of Demo.msi", v.Assets)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAssetsFollowTheirFile checks that the public sees the content of a file as soon as it is
// known, although assets are answered from memory.
func TestAssetsFollowTheirFile(t *testing.T) {
	t.Parallel()
	s := withFiles(t)
	f := place(t, s, "a", "Demo-full.nupkg", nupkg(t))
	publish(t, s, "1.0", f.path)
	const public = "/public/a/versions/by-version/1.0/assets"
	s.Exchanges(t, []apitest.Exchange{{"before", "GET", public, "", 200, `{"data":[{"sha1":null,"package":null}]}`}})
	if _, err := background(s).Run(t.Context(), "file-contents"); err != nil {
		t.Fatal(err)
	}
	s.Exchanges(t, []apitest.Exchange{{"after", "GET", public, "", 200, `{"data":[{"package":{"id":"Demo"},"platform":"macos"}]}`}})
	s.Must(t, 200, "DELETE", fileList+"/"+string(f.ID), "")
	s.Exchanges(t, []apitest.Exchange{{"deleted", "GET", public, "", 200, `{"data":[{"file_id":null,"sha256":null,"package":null}]}`}})
}
