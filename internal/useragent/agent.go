package useragent

import (
	"strings"

	"svc/internal/platform"
)

// The marks of what a User-Agent can contain. The Linux distributions come last,
// in the order in which one wins over another.
const (
	sawApple uint32 = 1 << iota // iphone, ipad or ipod
	sawIOS
	sawAndroid
	sawWindows
	sawWindowsNT
	sawMac
	sawMacOSX
	sawLinux
	sawChromeOS
	sawOSNumber
	sawDistribution // the first of them; the others are the bits above it
)

var distributions = [...]string{
	"ubuntu", "debian", "fedora", "centos", "arch", "manjaro", "opensuse", "suse", "mint", "deepin", "kylin",
}

// word is something to look for, in lower case.
type word struct {
	text string
	mark uint32
}

// wordsFrom has the words by their first letter.
var wordsFrom = sortWords([]word{
	{"iphone", sawApple}, {"ipad", sawApple}, {"ipod", sawApple},
	{"ios", sawIOS},
	{"os ", sawOSNumber},
	{"android", sawAndroid},
	{"windows nt ", sawWindowsNT},
	{"windows", sawWindows}, {"win32", sawWindows}, {"win64", sawWindows},
	{"mac os x", sawMacOSX}, {"macintosh", sawMac}, {"darwin", sawMac},
	{"linux", sawLinux}, {"x11", sawLinux},
	{"cros", sawChromeOS},
})

// pairs tells quickly where no word can start: bit b&31 of pairs[a] is set if a
// word starts with the bytes a and b, in either case. Letters of both cases share
// their lower five bits; a few other bytes do too, and cost a comparison.
var pairs = makePairs()

func sortWords(all []word) (from [256][]word) {
	for i, text := range distributions {
		all = append(all, word{text, sawDistribution << i})
	}
	for _, w := range all {
		from[w.text[0]] = append(from[w.text[0]], w)
	}
	return from
}

func makePairs() (pairs [256]uint32) {
	for first, words := range wordsFrom {
		for _, w := range words {
			bit := uint32(1) << (w.text[1] & 31)
			pairs[first] |= bit
			pairs[first&^0x20] |= bit
		}
	}
	return pairs
}

// agent is what the pass over a User-Agent has found, each number where its rule
// matched first.
type agent struct {
	seen                  uint32
	ios, android, nt, mac string
}

// parseAgent reads a User-Agent in one pass. The first of these rules that
// matches wins, in any case of the letters:
//
//	iphone, ipad or ipod, and behind it "os N.N" or "os N_N"   ios and the number
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
// The order is needed because systems name each other, as in "like Mac OS X". A
// User-Agent never says web.
func parseAgent(text string) System {
	var a agent
	for i := 0; i+1 < len(text); i++ {
		if pairs[text[i]]>>(text[i+1]&31)&1 == 0 {
			continue
		}
		for _, w := range wordsFrom[lower(text[i])] {
			if hasAt(text, i, w.text) {
				a.found(w.mark, text, i, i+len(w.text))
			}
		}
		if a.ios != "" { // nothing wins over it
			break
		}
	}
	return a.origin()
}

// found notes that the word text[start:end] is there.
func (a *agent) found(mark uint32, text string, start, end int) {
	rest := text[end:]
	switch mark {
	case sawIOS:
		if start > 0 && letterOrDigit(text[start-1]) || rest != "" && letterOrDigit(rest[0]) {
			return
		}
	case sawOSNumber:
		number := leadingNumber(rest, "._")
		if a.seen&sawApple != 0 && strings.ContainsAny(number, "._") {
			a.ios = number
		}
	case sawAndroid:
		if rest != "" && (rest[0] == ' ' || rest[0] == '/') {
			rest = rest[1:]
		}
		keepFirst(&a.android, leadingNumber(rest, "."))
	case sawWindowsNT:
		if number := leadingNumber(rest, "."); strings.Contains(number, ".") {
			keepFirst(&a.nt, number)
		}
	case sawMacOSX:
		if number, ok := strings.CutPrefix(rest, " "); ok {
			keepFirst(&a.mac, leadingNumber(number, "._"))
		}
	}
	a.seen |= mark
}

// origin is what follows from all that was found.
func (a *agent) origin() System {
	switch saw := func(marks uint32) bool { return a.seen&marks != 0 }; {
	case a.ios != "":
		return System{platform.IOS, agentVersion(a.ios)}
	case saw(sawApple | sawIOS):
		return System{platform.IOS, ""}
	case saw(sawAndroid):
		return System{platform.Android, agentVersion(a.android)}
	case saw(sawWindows):
		return System{platform.Windows, windowsName(a.nt)}
	case saw(sawMac | sawMacOSX):
		return System{platform.MacOS, agentVersion(a.mac)}
	case saw(sawLinux):
		return System{platform.Linux, a.distribution()}
	case saw(sawChromeOS):
		return System{platform.Others, "chrome os"}
	}
	return System{platform.Others, ""}
}

func (a *agent) distribution() string {
	for i, name := range distributions {
		if a.seen&(sawDistribution<<i) != 0 {
			return name
		}
	}
	return ""
}

// windowsName is the name under which a version of Windows NT is sold. Windows 11
// calls itself NT 10.0 and cannot be told from Windows 10.
func windowsName(nt string) string {
	major, rest, _ := strings.Cut(nt, ".")
	minor, _, _ := strings.Cut(rest, ".")
	switch {
	case major == "6" && minor == "1":
		return "7"
	case major == "6" && minor == "2":
		return "8"
	case major == "6" && minor == "3":
		return "8.1"
	case major == "10" && minor == "0":
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

// leadingNumber is the run of digits that a text starts with, and further ones
// that follow it after one separator each.
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

// keepFirst fills in a number unless there is one.
func keepFirst(number *string, found string) {
	if *number == "" {
		*number = found
	}
}

// hasAt reports whether a word in lower case is in a text at a place, in any
// case.
func hasAt(text string, at int, word string) bool {
	if len(text)-at < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(text[at+i]) != word[i] {
			return false
		}
	}
	return true
}

func letterOrDigit(c byte) bool { return letter(lower(c)) || digit(c) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
