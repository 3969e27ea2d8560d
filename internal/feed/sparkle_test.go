package feed_test

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/signature"
)

const sparkleSpace = "http://www.andymatuschak.org/xml-namespaces/sparkle"

// item is what clients read of an item. Names in the namespace of Sparkle have the prefix sparkle.
type item struct {
	texts      map[string]string
	seen       []string
	enclosures []map[string]string
	deltas     []map[string]string
	critical   string
}

// readAppcast reads a feed as strictly as Sparkle does.
func readAppcast(t *testing.T, body []byte) (items []item) {
	t.Helper()
	if !strings.Contains(string(body), `xmlns:sparkle="`+sparkleSpace+`"`) {
		t.Errorf("the namespace is not the text that clients compare: %s", body)
	}
	d := xml.NewDecoder(strings.NewReader(string(body)))
	var open []string
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := qualified(t, token.Name)
			open = append(open, name)
			text.Reset()
			attributes := map[string]string{}
			for _, a := range token.Attr {
				attributes[qualified(t, a.Name)] = a.Value
			}
			switch at := strings.Join(open, "/"); at {
			case "rss/channel/item":
				items = append(items, item{texts: map[string]string{}})
			case "rss/channel/item/enclosure":
				items[len(items)-1].enclosures = append(items[len(items)-1].enclosures, attributes)
			case "rss/channel/item/sparkle:deltas/enclosure":
				items[len(items)-1].deltas = append(items[len(items)-1].deltas, attributes)
			case "rss/channel/item/sparkle:criticalUpdate":
				items[len(items)-1].critical = attributes["sparkle:version"]
			}
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if name := open[len(open)-1]; len(open) == 4 && name != "enclosure" {
				i := &items[len(items)-1]
				i.texts[name] += text.String() // as WinSparkle does
				i.seen = append(i.seen, name)
			}
			open = open[:len(open)-1]
		}
	}
	for _, i := range items {
		checkItem(t, i)
	}
	return items
}

func qualified(t *testing.T, n xml.Name) string {
	t.Helper()
	switch n.Space {
	case "":
		return n.Local
	case sparkleSpace:
		return "sparkle:" + n.Local
	case "xmlns":
		return "xmlns:" + n.Local
	}
	t.Errorf("unknown namespace %q", n.Space)
	return n.Local
}

func checkItem(t *testing.T, i item) {
	t.Helper()
	if i.texts["sparkle:version"] == "" || len(i.enclosures) == 0 {
		t.Errorf("an item without version or enclosure voids the feed: %v", i)
	}
	if at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 -0700", i.texts["pubDate"]); err != nil || at.Unix() != published {
		t.Errorf("pubDate %q: %v", i.texts["pubDate"], err)
	}
	seen := slices.Clone(i.seen)
	slices.Sort(seen)
	if len(slices.Compact(seen)) != len(i.seen) {
		t.Errorf("repeated elements: %q", i.seen)
	}
	for _, e := range append(slices.Clone(i.enclosures), i.deltas...) {
		u, err := url.Parse(e["url"])
		if err != nil || u.Scheme != "https" || e["length"] != "83274334" || e["type"] != "application/octet-stream" {
			t.Errorf("got enclosure %v", e)
		}
		if s, ok := e["sparkle:edSignature"]; ok {
			if raw, err := base64.StdEncoding.DecodeString(s); err != nil || len(raw) != 64 || len(s) != 88 {
				t.Errorf("got signature %q", s)
			}
		}
	}
}

// sparkleFeed returns the items of a feed from which all versions are offered, unless they are
// deprecated.
func sparkleFeed(t *testing.T, rules feed.Rules, target *feed.Release, versions ...*feed.Release) []item {
	t.Helper()
	in := feed.SparkleItems{Versions: versions, Target: target}
	for _, v := range versions {
		if !v.Deprecated {
			in.Offered = append(in.Offered, v)
		}
	}
	rules.Origin = origin
	return readAppcast(t, rules.SparkleXML(feed.Appcast{Title: "Demo & Co", Link: "https://demo.example/?a=1&b=2"}, in))
}

func versionsOf(items []item) (all []string) {
	for _, i := range items {
		all = append(all, i.texts["sparkle:version"])
	}
	return all
}

func TestSparkleItem(t *testing.T) { // 15.1, 15.5
	t.Parallel()
	v := signed(version(t, "2.3", "App.dmg"), "sparkle", edSigned)
	with(t, v, "App.dmg", func(a *asset.Asset) { a.OSMin, a.BundleVersion = "11", "2300" })
	items := sparkleFeed(t, feed.Rules{}, nil, v)
	expect(t, len(items), 1)
	for name, want := range map[string]string{
		"title": "Autumn", "pubDate": "Sun, 22 Nov 2026 06:00:00 +0000", "sparkle:version": "2300", "sparkle:shortVersionString": "2.3",
		"sparkle:minimumSystemVersion": "11.0.0",
	} {
		expect(t, items[0].texts[name], want)
	}
	expect(t, items[0].enclosures, []map[string]string{{
		"url": origin + "/f/demo/0/App.dmg", "length": "83274334", "type": "application/octet-stream", "sparkle:edSignature": edSigned.Value,
	}})
	expect(t, len(sparkleFeed(t, feed.Rules{}, nil)), 0)
}

func TestSparkleVersionIsCFBundleVersion(t *testing.T) { // 15.2, 15.3
	t.Parallel()
	v := version(t, "2.0.0-beta.3", "App.dmg")
	rules, problems := reporting()
	expect(t, versionsOf(sparkleFeed(t, rules, nil, v)), []string{"2.0.0b3"})
	expect(t, problems(), []string{"bundle_version_unknown App.dmg"})
	with(t, v, "App.dmg", func(a *asset.Asset) { a.BundleVersion = "2000" })
	rules, problems = reporting()
	expect(t, versionsOf(sparkleFeed(t, rules, nil, v)), []string{"2000"})
	expect(t, len(problems()), 0)
	v.OutOfOrder = []feed.Order{feed.SparkleOrder}
	rules, problems = reporting()
	expect(t, len(sparkleFeed(t, rules, nil, v)), 0)
	expect(t, problems(), []string{"native_order"})
}

func TestSparkleAddresses(t *testing.T) { // 15.4
	t.Parallel()
	v := version(t, "2.3.0", "App.dmg")
	for _, address := range []string{"ftp://elsewhere.example/App.dmg", "App.dmg", "//elsewhere.example/App.dmg"} {
		with(t, v, "App.dmg", func(a *asset.Asset) { a.Path, a.URL = "", address })
		expect(t, len(sparkleFeed(t, feed.Rules{}, nil, v)), 0)
	}
	with(t, v, "App.dmg", func(a *asset.Asset) { a.URL, a.Size = "https://elsewhere.example/App.dmg?a=1&b=2", nil })
	rules, problems := reporting()
	expect(t, len(sparkleFeed(t, rules, nil, v)), 0)
	expect(t, problems(), []string{"no_digest App.dmg"})
	with(t, v, "App.dmg", func(a *asset.Asset) { a.Size = &sums.Size })
	expect(t, sparkleFeed(t, feed.Rules{}, nil, v)[0].enclosures[0]["url"], "https://elsewhere.example/App.dmg?a=1&b=2")
}

func TestSparkleSignatures(t *testing.T) { // 15.6
	t.Parallel()
	for _, tc := range []struct {
		status         signature.Status
		keyed          bool
		listed, signed bool
		problem        string
	}{
		{"valid", true, true, true, ""},
		{"valid", false, true, true, ""},
		{"untrusted", false, true, true, ""},
		{"unchecked", false, true, true, ""},
		{"untrusted", true, false, false, "unsigned App.dmg"},
		{"invalid", true, false, false, "signature_invalid App.dmg"},
		{"invalid", false, true, false, ""},
		{"", true, false, false, "unsigned App.dmg"},
		{"", false, true, false, ""},
	} {
		v := version(t, "2.3.0", "App.dmg")
		v.Assets[0].BundleVersion = "23"
		if tc.status != "" {
			v.Assets[0].Signatures["sparkle"] = asset.Signature{Status: tc.status, Value: edSigned.Value}
		}
		rules, problems := reporting()
		rules.Sparkle = tc.keyed
		items := sparkleFeed(t, rules, nil, v)
		if (len(items) == 1) != tc.listed || strings.Join(problems(), " ") != tc.problem {
			t.Errorf("%q, key %v: got %d items, %q", tc.status, tc.keyed, len(items), problems())
		} else if tc.listed && (items[0].enclosures[0]["sparkle:edSignature"] != "") != tc.signed {
			t.Errorf("%q, key %v: got %v", tc.status, tc.keyed, items[0].enclosures)
		}
	}
}

func TestSparkleDeltas(t *testing.T) { // 15.6, 15.7
	t.Parallel()
	v := signed(version(t, "2.3.0", "App-arm64.dmg", "a.delta", "b.delta", "c-x64.delta", "d.delta"), "sparkle", edSigned)
	for name, from := range map[string]string{"a.delta": "2.2.00", "b.delta": "", "c-x64.delta": "2.1", "d.delta": "2.1"} {
		with(t, v, name, func(a *asset.Asset) { a.DeltaFrom = from })
	}
	with(t, v, "d.delta", func(a *asset.Asset) { a.Signatures = map[signature.Scheme]asset.Signature{} })
	items := sparkleFeed(t, feed.Rules{}, nil, v)
	expect(t, items[0].deltas, []map[string]string{{
		"url": origin + "/f/demo/1/a.delta", "length": "83274334", "type": "application/octet-stream", "sparkle:edSignature": edSigned.Value,
		"sparkle:version": "2.3.0", "sparkle:deltaFrom": "2.2.00",
	}})
}

func TestSparkleNotes(t *testing.T) { // 15.8
	t.Parallel()
	v := version(t, "2.3.0", "App.dmg")
	v.Text = func() (string, string) {
		return "a < b & \"c\"\x01", "`]]>` and\x00 \x0b\ufffe **bold** <script>x</script>"
	}
	items := sparkleFeed(t, feed.Rules{}, nil, v)
	expect(t, items[0].texts["title"], "a < b & \"c\"")
	notes := items[0].texts["description"]
	if !strings.Contains(notes, "<code>]]&gt;</code>") || !strings.Contains(notes, "<strong>bold</strong>") || strings.Contains(notes, "<script>") {
		t.Errorf("got %q", notes)
	}
}

func TestSparkleAssets(t *testing.T) {
	t.Parallel()
	names := []string{"a.pkg", "a.dmg", "a-mac.tar.gz", "a-arm64-mac.zip", "a-x64-mac.zip", "a-universal-mac.zip", "a-mac.zip", "a-linux.tar.gz"}
	left := func(without ...string) *feed.Release {
		return version(t, "2.3.0", slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(without, name) })...)
	}
	for _, tc := range []struct {
		arch    asset.Arch
		without string
		want    string
	}{
		{"", "", "a-universal-mac.zip"},
		{"arm64", "", "a-arm64-mac.zip"},
		{"x64", "", "a-x64-mac.zip"},
		{"", "a-universal-mac.zip", "a-mac.zip"},
		{"", "a-universal-mac.zip a-mac.zip", "a-x64-mac.zip"},
		{"arm64", "a-arm64-mac.zip", "a-universal-mac.zip"},
		{"arm64", "a-arm64-mac.zip a-universal-mac.zip a-mac.zip", "a.dmg"},
		{"", "a-arm64-mac.zip a-x64-mac.zip a-universal-mac.zip a-mac.zip", "a.dmg"},
		{"", "a-arm64-mac.zip a-x64-mac.zip a-universal-mac.zip a-mac.zip a.dmg", "a-mac.tar.gz"},
		{"", "a-arm64-mac.zip a-x64-mac.zip a-universal-mac.zip a-mac.zip a.dmg a-mac.tar.gz", "a.pkg"},
	} {
		if got := name(feed.Rules{Origin: origin}.SparkleAsset(left(strings.Fields(tc.without)...), tc.arch)); got != tc.want {
			t.Errorf("%q without %q: got %q, want %q", tc.arch, tc.without, got, tc.want)
		}
	}
	items := sparkleFeed(t, feed.Rules{}, nil, version(t, "2.3.0", "a.pkg"))
	expect(t, items[0].enclosures[0]["sparkle:installationType"], "package")
}

func TestSparkleListsNewestAndMilestones(t *testing.T) {
	t.Parallel()
	var all []*feed.Release
	var want []string
	for n := 30; n > 0; n-- {
		v := version(t, fmt.Sprintf("1.%d", n), "App.dmg")
		v.Milestone = n == 5 || n == 28
		all = append(all, v)
		if n > 10 || v.Milestone {
			want = append(want, v.Version)
		}
	}
	items := sparkleFeed(t, feed.Rules{}, nil, all...)
	expect(t, versionsOf(items), want)
	expect(t, items[0].texts["sparkle:minimumAutoupdateVersion"], "1.28")
	expect(t, items[2].texts["sparkle:minimumAutoupdateVersion"], "1.5") // the milestone itself
	expect(t, items[len(items)-1].texts["sparkle:minimumAutoupdateVersion"], "")
	items = sparkleFeed(t, feed.Rules{}, all[2], all...)
	expect(t, versionsOf(items), []string{"1.28"})
	expect(t, items[0].texts["sparkle:minimumAutoupdateVersion"], "1.5")
}

func TestSparkleCriticalUpdates(t *testing.T) {
	t.Parallel()
	critical := func(deprecated ...string) (all []string) {
		var versions []*feed.Release
		for display := range strings.FieldsSeq("1.6 1.5 1.4 1.3 1.2 1.1") {
			v := version(t, display, "App.dmg")
			v.Deprecated = slices.Contains(deprecated, display)
			versions = append(versions, v)
		}
		for _, i := range sparkleFeed(t, feed.Rules{}, nil, versions...) {
			all = append(all, i.texts["sparkle:version"]+"<"+i.critical)
		}
		return all
	}
	expect(t, critical(), []string{"1.6<", "1.5<", "1.4<", "1.3<", "1.2<", "1.1<"})
	expect(t, critical("1.4", "1.2"), []string{"1.6<1.5", "1.5<1.5", "1.3<1.5", "1.1<"})
	expect(t, critical("1.6"), []string{"1.5<", "1.4<", "1.3<", "1.2<", "1.1<"})
}

// winSparkle reads a feed of WinSparkle.
func winSparkle(t *testing.T, v *feed.Release, arch asset.Arch) []item {
	t.Helper()
	return readAppcast(t, feed.Rules{Origin: origin}.WinSparkleXML(feed.Appcast{Title: "Demo"}, v, arch))
}

func TestWinSparkleHasOneItem(t *testing.T) { // 16.1, 16.2, 16.4, 16.5
	t.Parallel()
	v := signed(version(t, "2.3", "App.exe"), "sparkle", edSigned)
	v.Assets[0].OSMin = "10.0"
	items := winSparkle(t, v, "") // the reader refuses repeated elements
	expect(t, len(items), 1)
	expect(t, items[0].texts["sparkle:version"], "2.3.0")
	expect(t, items[0].texts["sparkle:shortVersionString"], "2.3")
	for _, name := range []string{"sparkle:criticalUpdate", "sparkle:minimumSystemVersion"} {
		if slices.Contains(items[0].seen, name) {
			t.Errorf("got %s", name)
		}
	}
	expect(t, len(winSparkle(t, nil, "")), 0)
	v = version(t, "99999999999.1", "App.exe")
	rules, problems := reporting()
	expect(t, rules.HasWinSparkle(v, ""), false)
	expect(t, problems(), []string{"native_order"})
}

func TestWinSparkleSystems(t *testing.T) { // 16.3, 16.6
	t.Parallel()
	v := signed(version(t, "2.3.0", "a.exe", "a-x64.msi", "a-x64.exe", "a-x86.exe", "a-arm64.msi"), "sparkle", edSigned)
	enclosures := func(arch asset.Arch) (all []string) {
		for _, e := range winSparkle(t, v, arch)[0].enclosures {
			all = append(all, e["sparkle:os"]+" "+e["url"][strings.LastIndexByte(e["url"], '/')+1:])
			expect(t, e["sparkle:edSignature"], edSigned.Value)
		}
		return all
	}
	expect(t, enclosures(""), []string{"windows-x64 a-x64.exe", "windows-x86 a-x86.exe", "windows-arm64 a-arm64.msi", "windows a.exe"})
	expect(t, enclosures("arm64"), []string{"windows-arm64 a-arm64.msi", "windows a.exe"})
}
