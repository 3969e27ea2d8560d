package feeds_test

import (
	"crypto/sha1" //nolint:gosec // updaters ask for it
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// TestSquirrelOverHTTP follows RELEASES as Squirrel.Windows does: it reads the lines, downloads each
// package, and compares size and SHA-1.
func TestSquirrelOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	upload(t, s, "2.2.1", map[string][]byte{"demo-2.2.1-full.nupkg": nupkg(t, "2.2.1", "")})
	upload(t, s, "2.3.0", map[string][]byte{"demo-2.3.0-full.nupkg": nupkg(t, "2.3.0", ""), "demo-2.3.0-delta.nupkg": nupkg(t, "2.3.0", "<tags>d</tags>")})
	const feed = "demo/squirrel/stable/x64/"
	for query, want := range map[string]string{
		"": "demo-2.3.0-delta.nupkg demo-2.3.0-full.nupkg", "?localVersion=2.2.1&id=demo&arch=amd64": "demo-2.3.0-delta.nupkg demo-2.3.0-full.nupkg",
	} {
		status, body, header := get(t, s, feed+"RELEASES"+query, nil)
		if status != 200 || header.Get("Content-Type") != "text/plain; charset=utf-8" || strings.Contains(body, "\r") || !strings.HasSuffix(body, "\n") {
			t.Fatalf("%q: got %d %q", query, status, body)
		}
		var names []string
		for line := range strings.Lines(body) {
			var sum, name string
			var size int
			if n, err := fmt.Sscanf(line, "%40s %s %d\n", &sum, &name, &size); n != 3 || err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			_, content, _ := get(t, s, feed+name, nil)
			got := sha1.Sum([]byte(content)) //nolint:gosec // see above
			if !strings.EqualFold(hex.EncodeToString(got[:]), sum) || len(content) != size {
				t.Errorf("%s: got %d bytes with %x, want %s", name, len(content), got, strings.TrimSpace(line))
			}
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: got %s, want %s", query, got, want)
		}
	}
	for _, path := range []string{"demo/squirrel/stable/x64/RELEASES?localVersion=2.3.0", "demo/squirrel/stable/arm64/RELEASES"} {
		if status, body, _ := get(t, s, path, nil); status != 404 || body != "Not Found" { // an empty file is an error to the client
			t.Errorf("%s: got %d %q", path, status, body)
		}
	}
}

// TestReleaseFeeds checks which versions the feeds for feed readers list, and that they never depend
// on the reader.
func TestReleaseFeeds(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	type feed struct {
		ID      string `xml:"id"`
		Entries []struct {
			ID    string `xml:"id"`
			Title string `xml:"title"`
			Links []struct {
				Rel    string `xml:"rel,attr"`
				Href   string `xml:"href,attr"`
				Length string `xml:"length,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	read := func(path string) (f feed, titles, ids []string) {
		t.Helper()
		status, body, header := get(t, s, path, nil)
		if status != 200 || header.Get("Cache-Control") != "public, max-age=60" || header.Get("Etag") == "" {
			t.Fatalf("%s: got %d, %v", path, status, header)
		}
		if err := xml.Unmarshal([]byte(body), &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, e := range f.Entries {
			titles, ids = append(titles, e.Title), append(ids, e.ID)
		}
		return f, titles, ids
	}
	empty, titles, _ := read("demo/releases.atom")
	if len(titles) != 0 || !strings.HasPrefix(empty.ID, "urn:uuid:") || empty.ID[len("urn:uuid:xxxxxxxx-xxxx-")] != '5' {
		t.Errorf("got %+v", empty)
	}
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	var want []string
	for n := range 32 {
		version := fmt.Sprintf("1.%d", n)
		publish(t, s, version, fmt.Sprintf(`,"published_at":%d`, day-int64(n)), "Demo-"+version+".exe", "latest.yml") // the newest first
		want = append(want, "Release "+version)
	}
	publish(t, s, "2.0", `,"rollout":{"percent":50}`, "Demo-2.0.exe")
	publish(t, s, "2.1-beta", `,"is_preview":true`, "Demo-2.1-beta.exe")
	s.Must(t, 200, "POST", apitest.VersionsOf("demo")+"/"+s.VersionID(t, "demo", "1.0")+"/yank", `{"reason":"loses settings"}`)
	want = want[1:31] // without the one that was withdrawn, at most 30
	f, titles, ids := read("demo/releases.atom?key=1&current=1.0")
	if !slices.Equal(titles, want) || f.ID != empty.ID || ids[0] != "urn:uuid:"+s.VersionID(t, "demo", "1.1") {
		t.Errorf("got %q, %q, %q", titles, f.ID, ids)
	}
	links := f.Entries[0].Links
	if len(links) != 2 || links[0].Rel != "alternate" || links[1].Rel != "enclosure" || !strings.HasSuffix(links[1].Href, "/Demo-1.1.exe") || links[1].Length == "" {
		t.Errorf("got links %+v", links)
	}
	if _, titles, _ := read("demo/releases.atom?channel=preview"); titles[0] != "Release 2.1-beta" || len(titles) != 30 {
		t.Errorf("got %q", titles)
	}
	_, body, _ := get(t, s, "demo/releases.rss", nil)
	var rss struct {
		Titles []string `xml:"channel>item>title"`
		Dates  []string `xml:"channel>item>pubDate"`
		GUIDs  []string `xml:"channel>item>guid"`
	}
	if err := xml.Unmarshal([]byte(body), &rss); err != nil || !slices.Equal(rss.Titles, want) || !slices.Equal(rss.GUIDs, ids) {
		t.Errorf("got %q, %q, %v", rss.Titles, rss.GUIDs, err)
	}
	if got, want := rss.Dates[0], "Wed, 31 Dec 2025 23:59:59 +0000"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
