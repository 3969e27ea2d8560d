package useragent

import (
	"strings"

	"svc/internal/platform"
)

// parseAgent returns the system that a User-Agent names. It applies the first of these
// rules that matches. Upper and lower case are not distinguished.
//
//	iphone, ipad or ipod, later "os N.N" or "os N_N"           ios and the number
//	iphone, ipad, ipod, or ios as a word of its own            ios
//	android, then a blank, a slash or nothing, then a number   android and the number
//	android                                                    android
//	"windows nt N.N"                                           windows and its name
//	windows, win32, win64                                      windows
//	"mac os x N"                                               macos and the number
//	macintosh, "mac os x", darwin                              macos
//	linux, x11                                                 linux and a distribution
//	cros                                                       others and chrome os
//	anything else                                              others
//
// The order matters because User-Agents of one system contain the names of others, as in
// "like Mac OS X". No User-Agent has the platform web.
func parseAgent(text string) System {
	text = strings.Map(lower, text)
	apple := behindFirst(text, "iphone", "ipad", "ipod")
	if number := numberBehind(apple, "os ", "._", isDotted); number != "" {
		return System{platform.IOS, agentVersion(number)}
	}
	switch {
	case apple != "" || hasAny(text, "iphone", "ipad", "ipod") || hasWord(text, "ios"):
		return System{platform.IOS, ""}
	case hasAny(text, "android"):
		return System{platform.Android, agentVersion(numberBehind(text, "android", ".", isNumber))}
	case hasAny(text, "windows", "win32", "win64"):
		return System{platform.Windows, windowsName(numberBehind(text, "windows nt ", ".", isDotted))}
	case hasAny(text, "macintosh", "mac os x", "darwin"):
		return System{platform.MacOS, agentVersion(numberBehind(text, "mac os x ", "._", isNumber))}
	case hasAny(text, "linux", "x11"):
		for _, name := range distributions {
			if strings.Contains(text, name) {
				return System{platform.Linux, name}
			}
		}
		return System{platform.Linux, ""}
	case hasAny(text, "cros"):
		return System{platform.Others, "chrome os"}
	}
	return System{platform.Others, ""}
}

// distributions lists the Linux distributions that are recognized, in order of
// precedence.
var distributions = [...]string{
	"ubuntu", "debian", "fedora", "centos", "arch", "manjaro", "opensuse", "suse", "mint", "deepin", "kylin",
}

func hasAny(text string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// hasWord reports whether text contains the given word as a whole word, without a letter or digit
// next to it.
func hasWord(text, word string) bool {
	for {
		before, rest, found := strings.Cut(text, word)
		switch {
		case !found:
			return false
		case (before == "" || !letterOrDigit(before[len(before)-1])) && (rest == "" || !letterOrDigit(rest[0])):
			return true
		}
		text = text[len(before)+1:]
	}
}

// behindFirst returns the part of text after the first occurrence of any of the words, or
// "" if none occurs.
func behindFirst(text string, words ...string) string {
	behind := ""
	for _, word := range words {
		if _, rest, found := strings.Cut(text, word); found && len(rest) > len(behind) {
			behind = rest
		}
	}
	return behind
}

// numberBehind returns the first number that directly follows word in text and for which
// accepted returns true, or "" if there is none. Unless word ends with a space, one space or
// slash may come before the number. Groups of digits within the number may be joined by
// single characters from separators.
func numberBehind(text, word, separators string, accepted func(string) bool) string {
	for {
		_, rest, found := strings.Cut(text, word)
		if !found {
			return ""
		}
		text = rest
		if rest != "" && (rest[0] == ' ' || rest[0] == '/') && !strings.HasSuffix(word, " ") {
			rest = rest[1:]
		}
		if number := leadingNumber(rest, separators); accepted(number) {
			return number
		}
	}
}

func isNumber(text string) bool { return text != "" }
func isDotted(text string) bool { return strings.ContainsAny(text, "._") }

// leadingNumber returns the digits at the start of text, together with further groups of
// digits that each follow a single character from separators.
func leadingNumber(text, separators string) string {
	end := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case digit(c):
			end = i + 1
		case i == end && i > 0 && strings.IndexByte(separators, c) >= 0:
		default:
			return text[:end]
		}
	}
	return text[:end]
}

// windowsName returns the product name for a version of Windows NT, such as "7" for
// "6.1", or "" if it is not known. For "10.0" it returns "10", although Windows 11 reports
// that version too.
func windowsName(nt string) string {
	major, rest, _ := strings.Cut(nt, ".")
	minor, _, _ := strings.Cut(rest, ".")
	switch major + "." + minor {
	case "6.1":
		return "7"
	case "6.2":
		return "8"
	case "6.3":
		return "8.1"
	case "10.0":
		return "10"
	}
	return ""
}

func agentVersion(number string) string {
	if len(number) > maxVersion {
		return ""
	}
	return strings.ReplaceAll(number, "_", ".")
}

// lower converts an ASCII letter to lower case, and returns any other character
// unchanged.
func lower(c rune) rune {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func letterOrDigit(c byte) bool { return letter(c) || digit(c) }
func digit(c byte) bool         { return '0' <= c && c <= '9' }
