package feed_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/platform"
)

func TestSquirrelMac(t *testing.T) { // 18
	t.Parallel()
	v := version(t, "2.3.0", "a-arm64-mac.zip", "a-universal-mac.zip", "a.dmg", "a.zip")
	rules := feed.Rules{Origin: origin}
	expect(t, name(rules.SquirrelMac(v, "arm64")), "a-arm64-mac.zip")
	a := rules.SquirrelMac(v, "x64")
	expect(t, name(a), "a-universal-mac.zip")
	read := func() (texts map[string]string) {
		if err := json.Unmarshal(rules.SquirrelMacJSON(v, a), &texts); err != nil { // all values are texts
			t.Fatal(err)
		}
		return texts
	}
	expect(t, read(), map[string]string{
		"url": origin + "/f/demo/1/a-universal-mac.zip", "name": "Autumn", "notes": "## Fixed\n\n- export", "pub_date": "2026-11-22T06:00:00+00:00",
	})
	v.Text = func() (string, string) { return "", "" }
	expect(t, read(), map[string]string{"url": origin + "/f/demo/1/a-universal-mac.zip", "name": "2.3.0", "pub_date": "2026-11-22T06:00:00+00:00"})
	if got := rules.SquirrelMac(version(t, "2.3.0", "a.dmg", "a.zip", "a.app.tar.gz"), "x64"); got != nil {
		t.Errorf("got %q, which is no zip for macOS", got.Name)
	}
}

func TestLatest(t *testing.T) { // 20
	t.Parallel()
	v := version(t, "2.3.0", "a.zip", "a-win.zip", "a-portable.exe", "a-arm64.exe", "a-x86.exe", "a-x64.msi", "a.msix",
		"a-mac.zip", "a-arm64.pkg", "l.deb", "l-arm64.AppImage", "l-linux.tar.gz", "b-universal.apk", "b.ipa")
	for address, want := range map[string]string{
		"windows":                "a-arm64.exe", // kinds take precedence over architectures
		"windows/x64":            "a-x64.msi",
		"windows/arm64":          "a-arm64.exe",
		"windows//zip":           "a-win.zip",
		"windows/x64/msix":       "a.msix",
		"windows/x64/exe":        "",
		"macos":                  "a-arm64.pkg",
		"macos/x64":              "a-mac.zip",
		"linux":                  "l-arm64.AppImage",
		"linux/x64":              "l.deb",
		"linux/arm64/deb":        "",
		"linux//tar":             "l-linux.tar.gz",
		"android/arm64":          "b-universal.apk",
		"ios":                    "b.ipa",
		"web":                    "",
		"windows/x64/nupkg-full": "",
	} {
		parts := append(strings.Split(address, "/"), "", "")
		got := name(feed.Rules{Origin: origin}.Latest(v, platform.Platform(parts[0]), asset.Arch(parts[1]), asset.Kind(parts[2])))
		if got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestSums(t *testing.T) { // 20
	t.Parallel()
	v := version(t, "2.3.0", "b.exe", "a b.dmg", "hidden.sha256")
	v.Assets = append(v.Assets, asset.Asset{Name: "elsewhere.exe", SHA256: sums.SHA256})
	expect(t, string(feed.Sums(v.Assets)), sums.SHA256+"  a b.dmg\n"+sums.SHA256+"  b.exe\n"+sums.SHA256+"  hidden.sha256\n")
	expect(t, len(feed.Sums(nil)), 0)
}

var syndication = feed.Syndication{
	ID: "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", Title: "Demo & Co", Author: "Ann", Link: "https://demo.example/", Self: "https://demo.example/feed",
	Updated: published,
	Entries: []feed.Entry{{
		ID: "urn:uuid:6ba7b811-9dad-11d1-80b4-00c04fd430c8", Title: "2.3.0 <new>", Link: "https://demo.example/?v=2.3.0&x", Published: published,
		Updated: published + 60, HTML: "<p>a ]]> b</p>",
		Enclosures: []feed.Enclosure{{"https://demo.example/a.exe", "application/x-msdownload", &sums.Size}, {"https://demo.example/b.exe", "application/octet-stream", nil}},
	}},
}

type atomLink struct {
	Rel    string `xml:"rel,attr"`
	Href   string `xml:"href,attr"`
	Type   string `xml:"type,attr"`
	Length string `xml:"length,attr"`
}

func TestAtomHasWhatRFC4287Requires(t *testing.T) { // 19
	t.Parallel()
	var f struct {
		XMLName xml.Name   `xml:"http://www.w3.org/2005/Atom feed"`
		ID      []string   `xml:"id"`
		Title   []string   `xml:"title"`
		Updated []string   `xml:"updated"`
		Author  []string   `xml:"author>name"`
		Links   []atomLink `xml:"link"`
		Entries []struct {
			ID        []string   `xml:"id"`
			Title     []string   `xml:"title"`
			Updated   []string   `xml:"updated"`
			Published string     `xml:"published"`
			Links     []atomLink `xml:"link"`
			Content   struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(syndication.Atom(), &f); err != nil {
		t.Fatal(err)
	}
	expect(t, f.ID, []string{syndication.ID})
	expect(t, f.Title, []string{syndication.Title})
	expect(t, f.Author, []string{"Ann"})
	expect(t, f.Updated, []string{"2026-11-22T06:00:00Z"})
	expect(t, f.Links, []atomLink{{"self", syndication.Self, "application/atom+xml", ""}, {"alternate", syndication.Link, "text/html", ""}})
	e := f.Entries[0]
	expect(t, e.ID, []string{syndication.Entries[0].ID})
	expect(t, e.Title, []string{"2.3.0 <new>"})
	expect(t, e.Updated, []string{"2026-11-22T06:01:00Z"})
	expect(t, e.Published, "2026-11-22T06:00:00Z")
	expect(t, e.Content.Type+" "+e.Content.Text, "html <p>a ]]> b</p>")
	expect(t, e.Links, []atomLink{
		{"alternate", "https://demo.example/?v=2.3.0&x", "text/html", ""},
		{"enclosure", "https://demo.example/a.exe", "application/x-msdownload", "83274334"},
		{"enclosure", "https://demo.example/b.exe", "application/octet-stream", ""},
	})
	empty := syndication
	empty.Entries = nil
	if err := xml.Unmarshal(empty.Atom(), new(any)); err != nil {
		t.Error(err)
	}
}

func TestRSS(t *testing.T) { // 19
	t.Parallel()
	var f struct {
		Version string   `xml:"version,attr"`
		Title   []string `xml:"channel>title"`
		Link    []string `xml:"channel>link"`
		About   []string `xml:"channel>description"`
		Items   []struct {
			Title string `xml:"title"`
			GUID  struct {
				Permanent string `xml:"isPermaLink,attr"`
				Text      string `xml:",chardata"`
			} `xml:"guid"`
			Date       string `xml:"pubDate"`
			About      string `xml:"description"`
			Enclosures []struct {
				URL    string `xml:"url,attr"`
				Length string `xml:"length,attr"`
				Type   string `xml:"type,attr"`
			} `xml:"enclosure"`
		} `xml:"channel>item"`
	}
	if err := xml.Unmarshal(syndication.RSS(), &f); err != nil {
		t.Fatal(err)
	}
	expect(t, f.Version, "2.0")
	expect(t, []any{f.Title, f.Link, f.About}, []any{[]string{"Demo & Co"}, []string{"https://demo.example/"}, []string{"Demo & Co"}})
	i := f.Items[0]
	expect(t, i.GUID, struct{ A, B string }{"false", syndication.Entries[0].ID})
	if at, err := time.Parse(time.RFC1123Z, i.Date); err != nil || at.Unix() != published {
		t.Errorf("pubDate %q: %v", i.Date, err)
	}
	expect(t, i.About, "<p>a ]]> b</p>")
	expect(t, i.Enclosures, []struct{ A, B, C string }{
		{"https://demo.example/a.exe", "83274334", "application/x-msdownload"}, {"https://demo.example/b.exe", "0", "application/octet-stream"},
	})
}
