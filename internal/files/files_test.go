package files

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"svc/internal/fault"
)

func TestCleanName(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("長", 180)
	for _, tc := range []struct{ name, want string }{
		{"setup.exe", "setup.exe"},
		{"Setup 1.2 (x64).tar.gz", "Setup 1.2 (x64).tar.gz"},
		{"e\u0301.txt", "\u00e9.txt"},
		{`a/b\c:d*e?f"g<h>i|j`, "a_b_c_d_e_f_g_h_i_j"},
		{"a\x00b\x1fc\x7fd\ne\tf", "a_b_c_d_e_f"},
		{"\x00", "_"},
		{"\x80\u0085x", "\ufffd\u0085x"}, // C1 control characters are not replaced
		{"../../etc/passwd", "_.._etc_passwd"},
		{"..", ""},
		{".", ""},
		{"...", ""},
		{"", ""},
		{" \t\u3000", "_"}, // tabs are replaced, as control characters, before white space is removed
		{" \u3000 ", ""},
		{". . .", ""},
		{"/", "_"},
		{"...hidden", "hidden"},
		{"  name  ", "name"},
		{" .name. . ", "name"},
		{". name", "name"}, // removing the dot leaves a leading space, so the steps are repeated
		{".. .name", "name"},
		{"name.", "name"},
		{"name . . ", "name"},
		{"%2e%2e%2f", "%2e%2e%2f"},
		{"CON", "CON"},
		{"nul.txt", "nul.txt"},
		{"\u202egnp.exe", "\u202egnp.exe"},
		{strings.Repeat("a", 180), strings.Repeat("a", 180)},
		{strings.Repeat("a", 181), strings.Repeat("a", 180)},
		{strings.Repeat("a", 300) + ".tar.gz", strings.Repeat("a", 177) + ".gz"},
		{strings.Repeat("a", 300) + "." + strings.Repeat("b", 19), strings.Repeat("a", 160) + "." + strings.Repeat("b", 19)},
		{strings.Repeat("a", 300) + "." + strings.Repeat("b", 20), strings.Repeat("a", 180)},
		{strings.Repeat("a", 178) + ". " + strings.Repeat("b", 30), strings.Repeat("a", 178)},
		{wide, strings.Repeat("長", 85)},
		{wide + ".exe", strings.Repeat("長", 83) + ".exe"},
		{wide + "." + strings.Repeat("字", 19), strings.Repeat("長", 65) + "." + strings.Repeat("字", 19)},
		{strings.Repeat("😀", 100), strings.Repeat("😀", 63)},
		{"a.b" + strings.Repeat("😀", 100), "a.b" + strings.Repeat("😀", 63)},
	} {
		got, err := CleanName(tc.name)
		if got != tc.want || (err != nil) != (tc.want == "") || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	for _, name := range []string{
		"a.txt", "..", "../x", " . a . ", "CON", "\u202e", "\xff", "%2e", "a\u0301", "\u0301", strings.Repeat("長", 200) + ".zip",
		strings.Repeat("a\u0301\u0323", 90), strings.Repeat("\u0344", 200), strings.Repeat(". ", 100) + "x", strings.Repeat("x", 170) + strings.Repeat(" .", 50) + "y",
		"\u1100\u1161\u11a8", "a\u034fb", "\ufeff.x", "<\u0338",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got, err := CleanName(name)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || got != "" || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || r == '/' }) {
				t.Fatalf("got %q, %v", got, err)
			}
			return
		}
		switch {
		case got == "" || len(got) > 255 || utf8.RuneCountInString(got) > 180 || !utf8.ValidString(got) || !norm.NFC.IsNormalString(got):
			t.Errorf("%q has %d bytes", got, len(got))
		case strings.ContainsAny(got, "\x00\n\x7f/\\:*?\"<>|"), strings.HasPrefix(got, "."), strings.HasSuffix(got, "."), strings.TrimSpace(got) != got:
			t.Errorf("%q is not clean", got)
		case path.Join("folder", got) != "folder/"+got:
			t.Errorf("%q leaves its folder", got)
		}
		if again, err := CleanName(got); again != got || err != nil {
			t.Errorf("%q cleaned again is %q, %v", got, again, err)
		}
		key := ObjectKey("app", "0123456789ab", got)
		link := EscapePath(key)
		if back, ok := ParseLink(link); back != key || !ok {
			t.Errorf("%s: parsed as %q, %t; want %q", link, back, ok, key)
		}
		if u, err := url.Parse("https://example.com" + link); err != nil || u.Path != "/"+key {
			t.Errorf("%s: others decode %v, %v", link, u, err)
		}
	})
}

func TestContentType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"setup.exe": "application/vnd.microsoft.portable-executable", "SETUP.EXE": "application/vnd.microsoft.portable-executable",
		"a.tar.gz": "application/gzip", "a.tgz": "application/gzip", "a.msixbundle": "application/msixbundle", "latest.yml": "text/yaml; charset=utf-8",
		"a.minisig": "text/plain; charset=utf-8", "a.edsig": "text/plain; charset=utf-8", "a-full.nupkg": "application/octet-stream",
		"a.delta": "application/octet-stream", "a.exe.blockmap": "application/octet-stream",
		"a.SHA256": "text/plain; charset=utf-8", "a.svg": "image/svg+xml", "a.ico": "image/x-icon", "a.jpg": "image/jpeg",
		"a.pkg": "application/octet-stream", "a.sig": "application/octet-stream", "a.html": "application/octet-stream",
		"exe": "application/octet-stream", "a.": "application/octet-stream", "a.exe ": "application/octet-stream", "": "application/octet-stream",
	} {
		if got := ContentType(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestObjectKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ project, want string }{
		{"app", "f/app/0123456789ab/a b.exe"},
		{"..", "f/_/0123456789ab/a b.exe"},
		{"", "f/_/0123456789ab/a b.exe"},
		{"a/b", "f/a_b/0123456789ab/a b.exe"},
		{".app ", "f/app/0123456789ab/a b.exe"},
	} {
		if got := ObjectKey(tc.project, "0123456789ab", "a b.exe"); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.project, got, tc.want)
		}
	}
}

func TestEscapePath(t *testing.T) {
	t.Parallel()
	const key = "f/app/0123456789ab/AZaz09-_.!~*'() %+&=,;@$#[]{}^`é長\u202e"
	const want = "/f/app/0123456789ab/AZaz09-_.!~*'()%20%25%2B%26%3D%2C%3B%40%24%23%5B%5D%7B%7D%5E%60%C3%A9%E9%95%B7%E2%80%AE"
	if got := EscapePath(key); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParseLink(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, want string }{
		{"/f/app/0123456789ab/setup.exe", "f/app/0123456789ab/setup.exe"},
		{"/f/app/0123456789ab/%73etup%2Eexe", "f/app/0123456789ab/setup.exe"},
		{"/f/%61pp/%30123456789ab/setup.exe", "f/app/0123456789ab/setup.exe"},
		{"/f/app/0123456789ab/a%20b%25c+d", "f/app/0123456789ab/a b%c+d"},
		{"/f/app/0123456789ab/%252e%252e", "f/app/0123456789ab/%2e%2e"}, // only one level of escapes is decoded
		{"/f/app/0123456789ab/%E9%95%B7", "f/app/0123456789ab/長"},
		{"/f/app/0123456789ab/CON", "f/app/0123456789ab/CON"},
		{"", ""}, {"/", ""}, {"/f", ""}, {"/f/", ""}, {"/f//", ""}, {"/f///", ""},
		{"f/app/0123456789ab/setup.exe", ""},
		{"/F/app/0123456789ab/setup.exe", ""},
		{"/%66/app/0123456789ab/setup.exe", ""},
		{"//f/app/0123456789ab/setup.exe", ""},
		{"/f/app/0123456789ab", ""},
		{"/f/app/0123456789ab/", ""},
		{"/f/app/0123456789ab/setup.exe/", ""},
		{"/f/app/0123456789ab/a/b", ""},
		{"/f//0123456789ab/setup.exe", ""},
		{"/f/app//setup.exe", ""},
		{"/f/app/0123456789aB/setup.exe", ""},
		{"/f/app/0123456789a/setup.exe", ""},
		{"/f/app/../setup.exe", ""},
		{"/f/../0123456789ab/setup.exe", ""},
		{"/f/app/0123456789ab/..", ""},
		{"/f/app/0123456789ab/.", ""},
		{"/f/app/0123456789ab/%2e%2e", ""},
		{"/f/app/0123456789ab/.%2e", ""},
		{"/f/app/0123456789ab/a%2fb", ""},
		{"/f/app/0123456789ab/a%2Fb", ""},
		{"/f/app/0123456789ab/a%5cb", ""},
		{"/f/app/0123456789ab/a\\b", ""},
		{"/f/app%2F0123456789ab/setup.exe", ""},
		{"/f%2Fapp/0123456789ab/setup.exe", ""},
		{"/f/app/0123456789ab/%00", ""},
		{"/f/app/0123456789ab/%0a", ""},
		{"/f/app/0123456789ab/%7f", ""},
		{"/f/app/0123456789ab/%ff", ""},
		{"/f/app/0123456789ab/%c0%ae", ""}, // an overlong encoding of a dot is not valid UTF-8
		{"/f/app/0123456789ab/%", ""},
		{"/f/app/0123456789ab/%2", ""},
		{"/f/app/0123456789ab/%zz", ""},
		{"/f/app/0123456789ab/" + strings.Repeat("a", 256), ""},
	} {
		if got, ok := ParseLink(tc.path); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q: got %q, %t; want %q", tc.path, got, ok, tc.want)
		}
	}
}

// FuzzParseLink checks that the key parsed from a path consists of three names after the prefix,
// and that the link made from the key is an equivalent encoding of the path.
func FuzzParseLink(f *testing.F) {
	for _, p := range []string{"/f/app/0123456789ab/setup.exe", "/f/app/0123456789ab/%2e%2e", "/f/a%2fb/0123456789ab/%25", "/f/%00/0123456789ab/\\"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		key, ok := ParseLink(p)
		if !ok {
			if key != "" {
				t.Errorf("got %q", key)
			}
			return
		}
		if strings.Count(key, "/") != 3 || path.Clean(key) != key || !strings.HasPrefix(key, "f/") || strings.ContainsAny(key, "\x00\\") {
			t.Errorf("%q is no key", key)
		}
		if decoded, err := url.PathUnescape(p); err != nil || decoded != "/"+key {
			t.Errorf("%q decodes to %q, %v; the key is %q", p, decoded, err, key)
		}
		if again, ok := ParseLink(EscapePath(key)); again != key || !ok {
			t.Errorf("the link of %q asks for %q", key, again)
		}
	})
}

func TestWindowsPath(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"f/app/0123456789ab/setup.exe":   "f/app/0123456789ab/setup.exe",
		"f/con/0123456789ab/NUL":         "f/_con/0123456789ab/_NUL",
		"f/app/0123456789ab/nul.tar.gz":  "f/app/0123456789ab/_nul.tar.gz",
		"f/app/0123456789ab/Com1 .txt":   "f/app/0123456789ab/_Com1 .txt",
		"f/app/0123456789ab/LPT³":        "f/app/0123456789ab/_LPT³",
		"f/app/0123456789ab/conin$":      "f/app/0123456789ab/_conin$",
		"f/app/0123456789ab/console.log": "f/app/0123456789ab/console.log",
		"f/app/0123456789ab/com10":       "f/app/0123456789ab/com10",
		"f/app/0123456789ab/_nul":        "f/app/0123456789ab/_nul",
	} {
		if got := windowsPath(key); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-z]{12}$`)
	seen, letters := map[string]bool{}, map[rune]bool{}
	for range 1000 {
		id := NewID()
		if !form.MatchString(id) || !ValidID(id) || seen[id] {
			t.Fatalf("got %q, seen before: %t", id, seen[id])
		}
		seen[id] = true
		for _, r := range id {
			letters[r] = true
		}
	}
	if len(letters) != 36 {
		t.Errorf("%d of 36 characters occur", len(letters))
	}
	for _, id := range []string{"", "0123456789a", "0123456789abc", "0123456789aB", "0123456789a/", "0123456789a\x00"} {
		if ValidID(id) {
			t.Errorf("%q is valid", id)
		}
	}
}

func TestAssetName(t *testing.T) {
	t.Parallel()
	const web = "https://code.example"
	for _, tc := range []struct{ address, want string }{
		{"https://code.example/owner/repo/releases/download/v1.2/setup.exe", "setup.exe"},
		{" \n https://code.example/owner/repo/releases/download/v1.2/setup.exe\t", "setup.exe"},
		{"HTTPS://CODE.example/owner/repo/releases/download/v1.2/a%20b.exe", "a b.exe"},
		{"https://code.example/owner/repo/releases/download/v1%2F2/%2Ehidden", "hidden"},
		{"https://code.example/owner/repo/releases/download/v1/a%2fb", "a_b"},
		{"https://code.example/owner/repo/releases/download/v1/..%2f..", "_"},
		{"http://code.example/owner/repo/releases/download/v1/a", ""},
		{"https://code.example:8443/owner/repo/releases/download/v1/a", ""},
		{"https://code.example.evil/owner/repo/releases/download/v1/a", ""},
		{"https://code.example@evil.example/owner/repo/releases/download/v1/a", ""},
		{"https://user@code.example/owner/repo/releases/download/v1/a", ""},
		{"https://code.example/owner/repo/releases/download/v1/a?", ""},
		{"https://code.example/owner/repo/releases/download/v1/a?x=1", ""},
		{"https://code.example/owner/repo/releases/download/v1/a#", ""},
		{"https://code.example/owner/repo/releases/download/v1/a/b", ""},
		{"https://code.example/owner/repo/releases/download/v1/", ""},
		{"https://code.example/owner/repo/releases/download/v1", ""},
		{"https://code.example/owner/repo/releases/download//a", ""},
		{"https://code.example//repo/releases/download/v1/a", ""},
		{"https://code.example/../repo/releases/download/v1/a", ""},
		{"https://code.example/owner/%2e%2e/releases/download/v1/a", ""},
		{"https://code.example/owner/repo/releases/download/../a", ""},
		{"https://code.example/owner/repo/releases/latest/v1/a", ""},
		{"https://code.example/owner/repo/archive/v1.zip", ""},
		{"https://code.example/owner/repo/releases/download/v1/%zz", ""},
		{"https://code.example/owner/repo/releases/download/v1/...", ""},
		{"//code.example/owner/repo/releases/download/v1/a", ""},
		{"/owner/repo/releases/download/v1/a", ""},
		{"", ""},
	} {
		if got, ok := AssetName(web, tc.address); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q: got %q, %t; want %q", tc.address, got, ok, tc.want)
		}
	}
	if got, ok := AssetName("http://127.0.0.1:8080/base", "http://127.0.0.1:8080/o/r/releases/download/t/n"); got != "n" || !ok {
		t.Errorf("another code host: got %q, %t", got, ok)
	}
	if _, ok := AssetName("://", "https://code.example/o/r/releases/download/t/n"); ok {
		t.Error("an address of a code host that has none")
	}
}
