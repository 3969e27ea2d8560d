package useragent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/internal/platform"
)

// maxVersion is the maximum number of characters of a version. A longer version is
// discarded and not truncated, because a truncated one would be a different version.
const maxVersion = 32

// token is a text by which clients declare their platform.
type token struct {
	text     string
	platform platform.Platform
	// keep reports whether the token is part of the version. The version of "ubuntu 24.04"
	// is the whole text, but the version of "windows 11" is 11.
	keep bool
}

var tokens = []token{
	{"windows", platform.Windows, false},
	{"win", platform.Windows, false},
	{"win32", platform.Windows, false},
	{"win64", platform.Windows, false},
	{"winnt", platform.Windows, false},

	{"linux", platform.Linux, false},
	{"gnu/linux", platform.Linux, false},
	{"ubuntu", platform.Linux, true},
	{"debian", platform.Linux, true},
	{"fedora", platform.Linux, true},
	{"centos", platform.Linux, true},
	{"rhel", platform.Linux, true},
	{"arch", platform.Linux, true},
	{"manjaro", platform.Linux, true},
	{"opensuse", platform.Linux, true},
	{"suse", platform.Linux, true},
	{"mint", platform.Linux, true},
	{"deepin", platform.Linux, true},
	{"uos", platform.Linux, true},
	{"kylin", platform.Linux, true},
	{"alpine", platform.Linux, true},

	{"macos", platform.MacOS, false},
	{"mac os x", platform.MacOS, false},
	{"mac os", platform.MacOS, false},
	{"mac", platform.MacOS, false},
	{"osx", platform.MacOS, false},
	{"os x", platform.MacOS, false},
	{"macintosh", platform.MacOS, false},
	{"darwin", platform.MacOS, false},

	{"ios", platform.IOS, false},
	{"ipados", platform.IOS, false},
	{"iphone", platform.IOS, true},
	{"ipad", platform.IOS, true},
	{"ipod", platform.IOS, true},

	{"android", platform.Android, false},

	{"web", platform.Web, false},
	{"browser", platform.Web, false},

	{"others", platform.Others, false},
	{"other", platform.Others, false},
	{"unknown", platform.Others, false},
}

// tokensFrom groups the tokens by their first letter. In each group, longer tokens come
// first.
var tokensFrom = sortTokens(tokens)

func sortTokens(all []token) (from ['z' - 'a' + 1][]token) {
	for _, t := range all {
		at := t.text[0] - 'a'
		from[at] = append(from[at], t)
	}
	for _, some := range from {
		slices.SortFunc(some, func(a, b token) int { return len(b.text) - len(a.text) })
	}
	return from
}

// parseDeclared returns the platform and the version that a text declares. The text must
// be in the form that normal returns. parseDeclared uses the longest token at the start
// of the text that no letter follows. The version is the text after the token, or the
// whole text if the token belongs to the version.
func parseDeclared(text string) (p platform.Platform, version string, recognised bool) {
	if text == "" || !letter(text[0]) {
		return "", "", false
	}
	for _, t := range tokensFrom[text[0]-'a'] {
		rest, ok := strings.CutPrefix(text, t.text)
		if !ok || rest != "" && letter(rest[0]) {
			continue
		}
		if t.keep {
			rest = text
		}
		return t.platform, cleanVersion(rest), true
	}
	return "", "", false
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

// cleanVersion removes punctuation from both ends of a text. The text must be in the form
// that normal returns. cleanVersion returns "" if the result is too long for a version.
func cleanVersion(text string) string {
	for text != "" && punctuation(text[0]) {
		text = text[1:]
	}
	for text != "" && punctuation(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	if len(text) > maxVersion && utf8.RuneCountInString(text) > maxVersion {
		return ""
	}
	return text
}

func punctuation(c byte) bool { return strings.IndexByte(" .-/,;:", c) >= 0 }

// normal trims a text, converts it to lower case, and replaces each run of white space
// with one blank. It treats control characters as white space, because versions become
// parts of keys and of lines of text. A text that is already in this form is returned
// unchanged.
func normal(text string) string {
	if isNormal(text) {
		return text
	}
	var room [64]byte
	made, gap := room[:0], false
	for _, r := range text { // invalid UTF-8 becomes U+FFFD
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			gap = len(made) > 0
			continue
		}
		if gap {
			made, gap = append(made, ' '), false
		}
		made = utf8.AppendRune(made, unicode.ToLower(r))
	}
	return string(made)
}

// isNormal is a fast check for texts that normal would not change. It returns false for
// every text that is not ASCII.
func isNormal(text string) bool {
	blank := true // whether the previous byte is a blank, or there is none
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && !blank:
			blank = true
		case c <= ' ' || c >= 0x7f || 'A' <= c && c <= 'Z':
			return false
		default:
			blank = false
		}
	}
	return text == "" || !blank
}
