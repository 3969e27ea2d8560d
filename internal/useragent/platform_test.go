package useragent

import (
	"slices"
	"strings"
	"testing"

	"svc/internal/platform"
)

// tokenTable is the table of tokens in the API documentation: the platform, its tokens
// separated by commas, and whether a token belongs to the version.
var tokenTable = []struct {
	platform platform.Platform
	tokens   string
	keep     bool
}{
	{platform.Windows, "windows,win,win32,win64,winnt", false},
	{platform.Linux, "linux,gnu/linux", false},
	{platform.Linux, "ubuntu,debian,fedora,centos,rhel,arch,manjaro,opensuse,suse,mint,deepin,uos,kylin,alpine", true},
	{platform.MacOS, "macos,mac os x,mac os,mac,osx,os x,macintosh,darwin", false},
	{platform.IOS, "ios,ipados", false},
	{platform.IOS, "iphone,ipad,ipod", true},
	{platform.Android, "android", false},
	{platform.Web, "web,browser", false},
	{platform.Others, "others,other,unknown", false},
}

// TestTokens checks every token of the table.
func TestTokens(t *testing.T) {
	t.Parallel()
	count := 0
	for _, row := range tokenTable {
		for token := range strings.SplitSeq(row.tokens, ",") {
			count++
			version := func(rest string) string {
				if row.keep {
					return token + rest
				}
				return strings.TrimLeft(rest, " -")
			}
			for _, rest := range []string{"", " 1", "1.2", "-3"} {
				got, want := Detect(Declared{Header: Source{Platform: said(strings.ToUpper(token + rest))}}, ""), System{row.platform, version(rest)}
				if got != want {
					t.Errorf("%q: got %q, want %q", token+rest, got, want)
				}
			}
			// at most a shorter token is recognized
			if _, rest, ok := parseDeclared(token + "q"); ok && (rest == "q" || row.keep) {
				t.Errorf("%q is recognised with version %q, want a letter behind a token to be part of another word", token+"q", rest)
			}
			if _, _, ok := parseDeclared("q" + token); ok {
				t.Errorf("%q is recognised, want a token at the beginning only", "q"+token)
			}
		}
	}
	if count != len(tokens) {
		t.Errorf("got %d tokens, the table has %d", len(tokens), count)
	}
}

func TestParseDeclared(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		platform   platform.Platform
		version    string
		ok         bool
	}{
		{"the longest token wins: win64", "win64 10", platform.Windows, "10", true},
		{"the longest token wins: mac os x", "mac os x 10.9", platform.MacOS, "10.9", true},
		{"the longest token wins: others", "others", platform.Others, "", true},
		{"a shorter one wins where a letter follows the longer one", "mac os xi", platform.MacOS, "xi", true},
		{"a digit may follow", "win7", platform.Windows, "7", true},
		{"a letter of another script may follow", "linux内核", platform.Linux, "内核", true},
		{"win32 is no version 32", "win32", platform.Windows, "", true},
		{"a letter may not follow", "windowsxp", "", "", false},
		{"nor may it follow a shorter token", "macosx", "", "", false},
		{"a token that is kept is part of the version", "debian 12", platform.Linux, "debian 12", true},
		{"also when it stands alone", "alpine", platform.Linux, "alpine", true},
		{"a version that is too long is dropped", "linux " + strings.Repeat("6", 33), platform.Linux, "", true},
		{"a version of 32 is kept", "linux " + strings.Repeat("6", 32), platform.Linux, strings.Repeat("6", 32), true},
		{"the token counts where it is kept", "ubuntu " + strings.Repeat("6", 26), platform.Linux, "", true},
		{"empty", "", "", "", false},
		{"no letter at the beginning", "7 windows", "", "", false},
	} {
		p, version, ok := parseDeclared(tc.text)
		if p != tc.platform || version != tc.version || ok != tc.ok {
			t.Errorf("%s: %q: got %q, %q, %v, want %q, %q, %v", tc.name, tc.text, p, version, ok, tc.platform, tc.version, tc.ok)
		}
	}
}

func TestVersionNormalisation(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"nothing to do", "24.04", "24.04"},
		{"trimmed", " \t11\r\n", "11"},
		{"lower case", "11 Pro", "11 pro"},
		{"lower case beyond ASCII", "ÄLG 3", "älg 3"},
		{"runs of white space become one blank", "ubuntu \t  24.04", "ubuntu 24.04"},
		{"white space beyond ASCII", "11 \u3000 pro", "11 pro"},
		{"control characters count as white space", "1\x001\x7f2", "1 1 2"},
		{"every mark that is stripped, at both ends", ".-/,;: 11 :;,/-.", "11"},
		{"in any mixture", "- . 11 ; -", "11"},
		{"marks inside stay", "10.0-rc/1,2;3:4", "10.0-rc/1,2;3:4"},
		{"other marks stay at the ends", "(11)", "(11)"},
		{"only marks", " .-/,;: ", ""},
		{"empty", "", ""},
		{"blank", "  ", ""},
		{"32 characters", strings.Repeat("1", 32), strings.Repeat("1", 32)},
		{"33 characters are dropped, not cut", strings.Repeat("1", 33), ""},
		{"counted after cleaning", " ." + strings.Repeat("1", 32) + ". ", strings.Repeat("1", 32)},
		{"characters, not bytes", strings.Repeat("本", 32), strings.Repeat("本", 32)},
		{"33 characters of several bytes", strings.Repeat("本", 33), ""},
		{"bytes that are not UTF-8 are replaced", "1\xff", "1\uFFFD"},
	} {
		if got := cleanVersion(normal(tc.text)); got != tc.want {
			t.Errorf("%s: %q: got %q, want %q", tc.name, tc.text, got, tc.want)
		}
		if got := Detect(Declared{Header: Source{said("web"), said(tc.text)}}, ""); got.Version != tc.want {
			t.Errorf("%s: %q as a declared version: got %q, want %q", tc.name, tc.text, got.Version, tc.want)
		}
	}
}

// TestNormalKeepsWhatIsNormal compares isNormal and normal with simple implementations.
func TestNormalKeepsWhatIsNormal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "a b", "mac os x 10", " a", "a ", "a  b", "A", "a\tb", "ä", "a\x7f", "\x00"} {
		long := strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " "))
		if isNormal(text) && text != long {
			t.Errorf("%q counts as normal, want %q", text, long)
		}
		if got := normal(text); got != long {
			t.Errorf("normal(%q): got %q, want %q", text, got, long)
		}
	}
	if !isNormal("mac os x 10.9") {
		t.Error("the usual text is not found normal")
	}
}

// TestTokensAreReachable checks what the grouping of tokens by first letter requires:
// tokens are unique, in the form that normal returns, and start with a letter.
func TestTokensAreReachable(t *testing.T) {
	t.Parallel()
	var seen []string
	for _, tok := range tokens {
		if !letter(tok.text[0]) || normal(tok.text) != tok.text || slices.Contains(seen, tok.text) {
			t.Errorf("token %q can never be found, or is there twice", tok.text)
		}
		seen = append(seen, tok.text)
	}
}
