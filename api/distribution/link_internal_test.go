package distribution

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDisposition checks that every file name can be recovered from the header, and that the header
// always consists of printable ASCII characters.
func FuzzDisposition(f *testing.F) {
	for _, seed := range []string{"a.zip", `"; x=y`, "Größe 的.dmg", "\u202egpj.exe", `back\slash`, "%41", "a'b*c", "", "\r\nX: y", "a%0d%0ab"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, name string, image bool) {
		if !utf8.ValidString(name) {
			return // the server sanitizes names before it stores them
		}
		contentType, want := "application/zip", "attachment"
		if image {
			contentType, want = "image/png", "inline"
		}
		text := disposition(name, contentType)
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) {
			t.Fatalf("%q is no header", text)
		}
		kind, params, err := mime.ParseMediaType(text)
		if err != nil || kind != want || params["filename"] != name {
			t.Errorf("%q of %q: got %q %q, %v", text, name, kind, params["filename"], err)
		}
	})
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		dist, site, host string
		link, want       bool
	}{
		{"", "", "x", true, true},
		{"https://dl.example", "", "x", true, true}, // the host of the site is unknown
		{"https://dl.example", "", "dl.example", false, true},
		{"", "https://site.example", "x", true, true},
		{"https://site.example:1", "http://SITE.example:2", "x", true, true},
		{"https://dl.example", "https://site.example", "dl.example", true, true},
		{"https://dl.example", "https://site.example", "dl.example", false, false},
		{"https://dl.example", "https://site.example", "x", true, false},
		{"https://[2001:db8::1]:8443", "https://site.example", "[2001:DB8::1]", true, true},
		{"https://[2001:db8::1]:8443", "https://site.example", "[2001:db8::1]:80", true, true},
		{"https://[2001:db8::1]:8443", "https://site.example", "[2001:db8::2]:80", true, false},
	} {
		if got := NewHosts(tc.dist, tc.site).Serve(tc.host, tc.link); got != tc.want {
			t.Errorf("links at %q, site at %q: a request to %q, for a link %t: got %t, want %t", tc.dist, tc.site, tc.host, tc.link, got, tc.want)
		}
	}
}
