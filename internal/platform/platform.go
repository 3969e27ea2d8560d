// Package platform knows the closed set of platforms that versions,
// announcements and submissions speak of.
package platform

import "strings"

// Platform is one of the seven values, always in lower case. The zero value
// means none.
type Platform string

// The platforms.
const (
	Windows Platform = "windows"
	Linux   Platform = "linux"
	MacOS   Platform = "macos"
	IOS     Platform = "ios"
	Android Platform = "android"
	Web     Platform = "web"
	Others  Platform = "others"
)

// All has every platform once, in the order in which they are listed.
var All = [...]Platform{Windows, Linux, MacOS, IOS, Android, Web, Others}

// Parse reads a platform in any case and with blanks around it. It reports
// false for everything outside the set.
func Parse(text string) (Platform, bool) {
	text = strings.TrimSpace(text)
	for _, p := range All {
		if equalASCII(text, string(p)) {
			return p, true
		}
	}
	return "", false
}

// equalASCII compares without regard to the case of A to Z. The functions of
// package strings fold all of Unicode, and a dotted capital I would pass for i,
// a long s for s.
func equalASCII(text, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
