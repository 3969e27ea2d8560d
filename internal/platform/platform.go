// Package platform defines the fixed set of platforms of versions, announcements and
// submissions.
package platform

import "strings"

// Platform is one of the seven platforms, always in lower case. The zero value means no
// platform.
type Platform string

// The platforms of an app.
const (
	Windows Platform = "windows"
	Linux   Platform = "linux"
	MacOS   Platform = "macos"
	IOS     Platform = "ios"
	Android Platform = "android"
	Web     Platform = "web"
	Others  Platform = "others"
)

// All lists all platforms in the order in which they are displayed.
var All = [...]Platform{Windows, Linux, MacOS, IOS, Android, Web, Others}

// Parse parses a platform. It ignores case and surrounding blanks. It returns false for
// any other text.
func Parse(text string) (Platform, bool) {
	text = strings.TrimSpace(text)
	for _, p := range All {
		if equalASCII(text, string(p)) {
			return p, true
		}
	}
	return "", false
}

// equalASCII reports whether two texts are equal, ignoring only the case of A to Z. The
// functions of package strings fold all of Unicode, so that a dotted capital I would
// equal i, and a long s would equal s.
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
