package feeds_test

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // updaters ask for it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/asset"
	"svc/internal/files"
	"svc/store"
)

const site = "https://svc.example"

func newServer(t *testing.T, options ...apitest.Option) *apitest.Server {
	t.Helper()
	return apitest.NewServer(t, append([]apitest.Option{apitest.WithConfig(func(c *api.Config) { c.SiteURL = site })}, options...)...)
}

// place stores a file and returns the path of its direct link. The file is ready and readable, unless its
// name contains "pending" or "broken".
func place(t *testing.T, s *apitest.Server, name string) string {
	t.Helper()
	content := "content of " + name
	one, two, three := sha1.Sum([]byte(content)), sha256.Sum256([]byte(content)), sha512.Sum512([]byte(content)) //nolint:gosec // see above
	id := files.NewID()
	f := &store.File{
		ID: store.FileID(id), Filename: name, ObjectKey: files.ObjectKey("demo", id, name), Size: int64(len(content)),
		SHA1: hex.EncodeToString(one[:]), SHA256: hex.EncodeToString(two[:]), SHA512: hex.EncodeToString(three[:]),
		Status: store.FileReady, Source: store.FileUploaded, Backend: store.LocalStorage, Facts: &asset.Facts{},
	}
	if strings.HasSuffix(name, ".nupkg") {
		parts := strings.Split(name, "-")
		f.Facts.Package = &asset.Package{ID: parts[0], Version: parts[1], Channel: strings.TrimPrefix(parts[2], "squirrel")}
	}
	switch {
	case strings.Contains(name, "pending"):
		f.Status, f.Size, f.SHA1, f.SHA256, f.SHA512, f.Facts = store.FilePending, 0, "", "", "", nil
	case strings.Contains(name, "broken"):
		f.Facts = &asset.Facts{Unreadable: true}
	}
	staged := filepath.Join(s.Dir, "files", id)
	if err := os.WriteFile(staged, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Storages.Local().Put(t.Context(), f.ObjectKey, staged, int64(len(content))); err != nil {
		t.Fatal(err)
	}
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project("demo")
		if err != nil {
			return err
		}
		return tx.CreateFile(p.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files.EscapePath(f.ObjectKey)
}

// publish creates a version with stored files. more is a part of its JSON, such as "is_preview":true.
func publish(t *testing.T, s *apitest.Server, version, more string, names ...string) {
	t.Helper()
	links := make([]map[string]string, len(names))
	for i, name := range names {
		links[i] = map[string]string{"url": site + place(t, s, name)}
	}
	list, err := json.Marshal(links)
	if err != nil {
		t.Fatal(err)
	}
	s.Must(t, 201, "POST", apitest.VersionsOf("demo"), fmt.Sprintf(
		`{"version":%q,"comparable_version":%[1]q,"title":"Release %[1]s","content":"Notes of %[1]s","download_links":%s%s}`, version, list, more))
}

// furnish publishes 2.2.1, 2.3.0 and a preview of 2.4.0.
func furnish(t *testing.T, s *apitest.Server) {
	t.Helper()
	s.Project(t, "demo")
	for _, v := range []struct{ version, more string }{{"2.2.1", ""}, {"2.3.0", ""}, {"2.4.0-beta.1", `,"is_preview":true`}} {
		publish(t, s, v.version, v.more,
			"Demo-"+v.version+"-x64.exe", "Demo-"+v.version+"-x64.exe.blockmap", "Demo-"+v.version+".AppImage", "Demo-"+v.version+"-mac.zip", "Demo-"+v.version+".dmg",
			"demo-"+strings.TrimSuffix(v.version, "-beta.1")+"-linux-full.nupkg", "demo-"+strings.TrimSuffix(v.version, "-beta.1")+"-linux-delta.nupkg")
	}
}

func get(t *testing.T, s *apitest.Server, path string, headers map[string]string) (int, string, http.Header) {
	t.Helper()
	return s.Visit(t, "GET", "/feeds/"+path, headers)
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	for _, tc := range []struct {
		path   string
		status int
		kind   string // content type
		body   string // a part of it
	}{
		{"demo/electron/latest.yml", 200, "text/yaml; charset=utf-8", `path: "2.3.0/x64/Demo-2.3.0-x64.exe"`},
		{"demo/electron/stable.yml", 200, "text/yaml; charset=utf-8", `version: "2.3.0"`},
		{"demo/electron/preview.yml", 200, "text/yaml; charset=utf-8", `version: "2.4.0-beta.1"`},
		{"demo/electron/latest-linux.yml", 200, "text/yaml; charset=utf-8", `path: "2.3.0/any/Demo-2.3.0.AppImage"`},
		{"demo/electron/latest-mac.yml?noCache=1", 200, "text/yaml; charset=utf-8", `path: "2.3.0/any/Demo-2.3.0-mac.zip"`},
		{"demo/electron/latest-linux-arm64.yml", 404, "text/plain", "Not Found"},
		{"demo/electron/latest-freebsd.yml", 404, "text/plain", "Not Found"},
		{"demo/electron/unknown.yml", 404, "text/plain", "Not Found"},
		{"demo/velopack/stable/releases.linux.json", 200, "application/json", `{"Assets":[{"PackageId":"demo","Version":"2.3.0","Type":"Full","FileName":"demo-2.3.0-linux-full.nupkg"`},
		{"demo/velopack/stable/releases.linux.json?id=other", 200, "application/json", `{"Assets":[]}`},
		{"demo/velopack/stable/releases.linux.json?localVersion=2.3.0", 200, "application/json", `{"Assets":[]}`},
		{"demo/velopack/stable/releases.win.json", 200, "application/json", `{"Assets":[]}`},
		{"demo/velopack/unknown/releases.linux.json", 404, "text/plain", "Not Found"},
		{"demo/sparkle/stable/appcast.xml", 200, "application/xml; charset=utf-8", "<sparkle:shortVersionString>2.2.1<"},
		{"demo/sparkle/stable/appcast.xml?current=2.3.0", 200, "application/xml; charset=utf-8", "</link>\n</channel>"},
		{"demo/winsparkle/latest/appcast.xml", 200, "application/xml; charset=utf-8", `sparkle:os="windows-x64"`},
		{"demo/winsparkle/stable/appcast.xml?current=9", 200, "application/xml; charset=utf-8", "</link>\n</channel>"},
		{"demo/squirrel/stable/x64/RELEASES", 404, "text/plain", "Not Found"},
		{"demo/squirrel/stable/mips/RELEASES", 404, "text/plain", "Not Found"},
		{"demo/squirrel-mac/stable/arm64/2.2.1", 200, "application/json", `"name":"Release 2.3.0","notes":"Notes of 2.3.0"`},
		{"demo/squirrel-mac/stable/arm64/2.3.0", 204, "", ""},
		{"demo/squirrel-mac/stable/arm64/9.0.0", 204, "", ""},
		{"demo/squirrel-mac/stable/arm64/new", 400, "text/plain; charset=utf-8", "readable"},
		{"demo/squirrel-mac/stable/mips/2.2.1", 404, "text/plain", "Not Found"},
		{"demo/tauri/stable/latest.json", 204, "", ""}, // nothing is signed
		{"demo/tauri/stable/linux/x86_64/2.2.1", 204, "", ""},
		{"demo/tauri/stable/plan9/x86_64/2.2.1+5", 204, "", ""},
		{"demo/tauri/stable/linux/x86_64/one", 400, "text/plain; charset=utf-8", "readable"},
		{"demo/tauri/unknown/linux/x86_64/2.2.1", 404, "text/plain", "Not Found"},
		{"demo/sums/2.3/SHA256SUMS", 200, "text/plain; charset=utf-8", "  Demo-2.3.0-mac.zip\n"},
		{"demo/sums/9/SHA256SUMS", 404, "text/plain", "Not Found"},
		{"demo/releases.atom", 200, "application/atom+xml; charset=utf-8", "<title>Release 2.2.1</title>"},
		{"demo/releases.rss?channel=preview", 200, "application/rss+xml; charset=utf-8", "<title>Release 2.4.0-beta.1</title>"},
		{"demo/announcements.atom", 200, "application/atom+xml; charset=utf-8", "</feed>"},
		{"demo/announcements.rss", 200, "application/rss+xml; charset=utf-8", "</rss>"},
		{"demo/everything.rss", 404, "text/plain", "Not Found"},
		{"demo", 404, "text/plain", "Not Found"},
		{"other/releases.atom", 404, "text/plain", "Not Found"},
		{"other/electron/latest.yml", 404, "text/plain", "Not Found"},
	} {
		status, body, header := get(t, s, tc.path, nil)
		if status != tc.status || header.Get("Content-Type") != tc.kind || !strings.Contains(body, tc.body) {
			t.Errorf("%s: got %d %q %s, want %d %q %s", tc.path, status, header.Get("Content-Type"), body, tc.status, tc.kind, tc.body)
		}
		if header.Get("Access-Control-Allow-Origin") != "*" || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got %v", tc.path, header)
		}
		if status == 404 && header.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("%s: got %q", tc.path, header.Get("Cache-Control"))
		}
		if strings.HasSuffix(tc.kind, "xml; charset=utf-8") {
			if err := xml.Unmarshal([]byte(body), new(struct{})); err != nil {
				t.Errorf("%s: %v", tc.path, err)
			}
		}
	}
}

func TestAddressesOutliveNames(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	_, want, _ := get(t, s, "demo/electron/latest.yml", nil)
	s.Must(t, 200, "PATCH", "/admin/projects/demo", `{"project_key":"renamed"}`)
	for _, name := range []string{"demo", "DEMO", "renamed", "Renamed"} {
		if status, body, _ := get(t, s, name+"/electron/latest.yml", nil); status != 200 || body != want {
			t.Errorf("%s: got %d %s", name, status, body)
		}
	}
}

func TestPublicAndPersonalAnswers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	staging := map[string]string{"x-user-staging-id": "c0ffee00-1111-4222-8333-444455556666"}
	public := func(path string, headers map[string]string, want bool) string {
		t.Helper()
		_, _, header := get(t, s, path, headers)
		etag := header.Get("Etag")
		if is := header.Get("Cache-Control") == "public, max-age=60"; is != want || (etag != "") != want {
			t.Errorf("%s: got %q, %q", path, header.Get("Cache-Control"), etag)
		}
		return etag
	}
	etag := public("demo/electron/latest.yml", staging, true) // nothing is being rolled out
	public("demo/electron/latest.yml?key=5&current=2.2.1", nil, true)
	if len(etag) != 34 {
		t.Errorf("got entity tag %s", etag)
	}
	status, body, header := get(t, s, "demo/electron/latest.yml", map[string]string{"If-None-Match": `"x", W/` + etag})
	if status != 304 || body != "" || header.Get("Etag") != etag || header.Get("Vary") != "Accept-Encoding, x-user-staging-id" {
		t.Errorf("got %d %s, %v", status, body, header)
	}
	s.Must(t, 200, "PATCH", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", "2.2.1"), `{"is_milestone":true}`)
	public("demo/electron/latest.yml?current=2.2.1", nil, false)
	public("demo/electron/latest.yml?key=5", nil, true)
	public("demo/electron/latest.yml", nil, true)

	unknown := apitest.NewServer(t) // has no address of its own, so addresses come from the request
	unknown.Project(t, "demo")
	publish(t, unknown, "2.3.0", "", "Demo-2.3.0-mac.zip")
	_, body, header = get(t, unknown, "demo/squirrel-mac/stable/x64/1.0.0", nil)
	if header.Get("Cache-Control") != "private, no-store" || header.Get("Etag") != "" || !strings.Contains(body, `"url":"`+unknown.URL+"/f/demo/") {
		t.Errorf("got %v %s", header, body)
	}
}

func TestMilestonesComeFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	s.Must(t, 200, "PATCH", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", "2.2.1"), `{"is_milestone":true}`)
	for current, want := range map[string]string{"2.0.0": "2.2.1", "v2.0": "2.3.0", "2.2.1": "2.3.0", "": "2.3.0", "nonsense": "2.3.0"} {
		_, body, _ := get(t, s, "demo/electron/latest.yml?current="+current, nil)
		if !strings.HasPrefix(body, fmt.Sprintf("version: %q\n", want)) {
			t.Errorf("%q: got %s", current, body)
		}
	}
}

func TestFilesBelowFeeds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	whole := "content of Demo-2.2.1-x64.exe"
	for _, tc := range []struct {
		path, ranges string
		status       int
		body         string
	}{
		{"demo/electron/2.2.1/x64/Demo-2.2.1-x64.exe?key=1&noCache=2", "", 200, whole},
		{"demo/electron/2.2.1/x64/Demo-2.2.1-x64.exe", "bytes=0-6", 206, whole[:7]},
		{"demo/electron/2.2.1/x64/Demo-2.2.1-x64.exe", "bytes=0-0,2-3", 206, "Content-Range: bytes 2-3/29"},
		{"demo/electron/2.2.1/x64/Demo-2.2.1-x64.exe", "bytes=99-", 416, "Range Not Satisfiable"},
		{"demo/electron/2.2.1/x64/Demo-2.2.1-x64.exe.blockmap", "", 200, whole + ".blockmap"},
		{"demo/electron/2.2.1/arm64/Demo-2.2.1-x64.exe", "", 404, "Not Found"},
		{"demo/electron/2.3.0/x64/Demo-2.2.1-x64.exe", "", 404, "Not Found"},
		{"demo/velopack/stable/demo-2.2.1-linux-full.nupkg", "", 200, "content of demo-2.2.1-linux-full.nupkg"},
		{"demo/velopack/stable/demo-2.4.0-linux-full.nupkg", "", 404, "Not Found"},
		{"demo/velopack/preview/demo-2.4.0-linux-full.nupkg", "", 200, "content of demo-2.4.0-linux-full.nupkg"},
		{"demo/squirrel/stable/x64/demo-2.2.1-linux-full.nupkg", "", 404, "Not Found"},
	} {
		headers := map[string]string{}
		if tc.ranges != "" {
			headers["Range"] = tc.ranges
		}
		status, body, header := get(t, s, tc.path, headers)
		if status != tc.status || !strings.Contains(body, tc.body) {
			t.Errorf("%s %s: got %d %s", tc.path, tc.ranges, status, body)
		}
		if status < 300 && (header.Get("Cache-Control") != "public, max-age=300" || header.Get("Etag") == "" || header.Get("Accept-Ranges") != "bytes") {
			t.Errorf("%s: got %v", tc.path, header)
		}
	}
}

func TestFilesElsewhere(t *testing.T) {
	t.Parallel()
	const elsewhere = "https://elsewhere.example/Demo-1.0.0.exe"
	s := newServer(t)
	s.Project(t, "demo")
	s.Must(t, 201, "POST", apitest.VersionsOf("demo"), `{"version":"1.0.0","comparable_version":"1.0.0","download_links":[{"url":"`+elsewhere+`"}]}`)
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, path := range []string{"demo/electron/1.0.0/any/Demo-1.0.0.exe", "demo/latest/stable/windows"} {
		if status, _, header := get(t, s, path, nil); status != 302 || header.Get("Location") != elsewhere {
			t.Errorf("%s: got %d, %v", path, status, header)
		}
	}
	if status, _, _ := get(t, s, "demo/electron/latest.yml", nil); status != 404 { // its checksum is not known
		t.Errorf("got %d", status)
	}
}

func TestFeedsAreOnEveryHost(t *testing.T) {
	t.Parallel()
	s := newServer(t, apitest.WithConfig(func(c *api.Config) { c.Files.BaseURL = "https://dist.example" }))
	furnish(t, s)
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	const file = "/feeds/demo/electron/2.2.1/x64/Demo-2.2.1-x64.exe"
	for _, tc := range []struct {
		host, path string
		status     int
		location   string
	}{
		{"svc.example", "/feeds/demo/electron/latest.yml", 200, ""},
		{"dist.example", "/feeds/demo/electron/latest.yml", 200, ""},
		{"dist.example", file, 200, ""},
		{"svc.example", file, 302, "https://dist.example" + file},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+tc.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tc.host
		answer, err := s.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if answer.StatusCode != tc.status || answer.Header.Get("Location") != tc.location {
			t.Errorf("%s%s: got %d, %v", tc.host, tc.path, answer.StatusCode, answer.Header)
		}
	}
}

// TestAddressesOfRequests checks that feeds of a server that knows no address of its own begin addresses
// as each request does, and that no shared cache may keep them.
func TestAddressesOfRequests(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	furnish(t, s)
	for range 2 {
		for _, scheme := range []string{"http", "https"} {
			origin := scheme + strings.TrimPrefix(s.URL, "http")
			status, body, header := s.Visit(t, "GET", "/feeds/demo/sparkle/stable/appcast.xml", map[string]string{"X-Forwarded-Proto": scheme})
			if status != 200 || strings.Count(body, `url="`) == 0 || strings.Count(body, `url="`) != strings.Count(body, `url="`+origin) {
				t.Errorf("%s: got %d %s", scheme, status, body)
			}
			if header.Get("Cache-Control") != "private, no-store" || header.Get("ETag") != "" {
				t.Errorf("%s: got %v", scheme, header)
			}
		}
	}
}

func TestLatestLinks(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, want := range map[string]string{
		"stable/windows": "2.3.0 Demo-2.3.0-x64.exe", "latest/windows/x64/exe": "2.3.0 Demo-2.3.0-x64.exe", "preview/linux/any/appimage": "2.4.0-beta.1 Demo-2.4.0-beta.1.AppImage",
		"stable/macos/arm64": "2.3.0 Demo-2.3.0.dmg", "stable/windows/arm64": "", "stable/amiga": "", "stable/windows/x64/floppy": "", "none/windows": "",
	} {
		status, _, header := get(t, s, "demo/latest/"+path, nil)
		location := header.Get("Location")
		got := strings.TrimSpace(header.Get("X-Svc-Version") + " " + location[strings.LastIndexByte(location, '/')+1:])
		if got != want || (status == 302) != (want != "") || header.Get("Cache-Control") != "public, max-age=60" || header.Get("Etag") != "" {
			t.Errorf("%s: got %d %q, %v", path, status, got, header)
		}
	}
}

func TestAnnouncementFeeds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	s.Announce(t, "demo", apitest.Titled("Everyone", ""))
	s.Announce(t, "demo", apitest.Titled("Linux", `,"platforms":["linux"]`))
	s.Announce(t, "demo", apitest.Titled("Old", `,"max_comparable_version":"2"`))
	for query, want := range map[string]string{
		"": "Linux Everyone", "?platform=windows": "Everyone", "?version=1.0": "Old Linux Everyone", "?version=3": "Linux Everyone",
	} {
		_, body, header := get(t, s, "demo/announcements.atom"+query, nil)
		var f struct {
			Titles []string `xml:"entry>title"`
		}
		if err := xml.Unmarshal([]byte(body), &f); err != nil || strings.Join(f.Titles, " ") != want || header.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("%q: got %q, %v", query, f.Titles, err)
		}
	}
}

func TestHeadOfAFeed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	status, body, header := s.Visit(t, "HEAD", "/feeds/demo/electron/latest.yml", nil)
	_, whole, _ := get(t, s, "demo/electron/latest.yml", nil)
	if status != 200 || body != "" || header.Get("Content-Length") != fmt.Sprint(len(whole)) || !bytes.Contains([]byte(whole), []byte("sha512: ")) {
		t.Errorf("got %d %q, %v", status, body, header)
	}
}

// TestFeedsChangeWithTheProject checks that responses in memory end with the state that they show.
func TestFeedsChangeWithTheProject(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	furnish(t, s)
	one := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.3.0")
	s.Must(t, 201, "POST", "/admin/projects/demo/locales", `{"locale":"de"}`)
	for _, step := range []struct{ body, query, want string }{
		{`{}`, "", `releaseName: "Release 2.3.0"`},
		{`{"title":"Autumn"}`, "", `releaseName: "Autumn"`},
		{`{"translations":[{"locale":"de","title":"Herbst"}]}`, "?locale=de", `releaseName: "Herbst"`},
		{`{}`, "", `releaseName: "Autumn"`},
		{`{}`, "?current=2.2.1", `releaseName: "Autumn"`},
	} {
		s.Must(t, 200, "PATCH", one, step.body)
		for range 2 {
			if status, body, _ := get(t, s, "demo/electron/latest.yml"+step.query, nil); status != 200 || !strings.Contains(body, step.want) {
				t.Errorf("%s %s: got %d %s, want %s", step.body, step.query, status, body, step.want)
			}
		}
	}
}
