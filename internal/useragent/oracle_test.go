package useragent

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/internal/platform"
)

// A second implementation of the rules, which follows their wording closely. Tests
// compare the two implementations.

var (
	appleNumber   = regexp.MustCompile(`(?s)(?:iphone|ipad|ipod).*?os ([0-9]+(?:[._][0-9]+)+)`)
	appleWord     = regexp.MustCompile(`iphone|ipad|ipod|(?:^|[^a-z0-9])ios(?:$|[^a-z0-9])`)
	androidNumber = regexp.MustCompile(`android[ /]?([0-9]+(?:\.[0-9]+)*)`)
	windowsNumber = regexp.MustCompile(`windows nt ([0-9]+\.[0-9]+)`)
	windowsWord   = regexp.MustCompile(`windows|win32|win64`)
	macNumber     = regexp.MustCompile(`mac os x ([0-9]+(?:[._][0-9]+)*)`)
	macWord       = regexp.MustCompile(`macintosh|mac os x|darwin`)
	linuxWord     = regexp.MustCompile(`linux|x11`)
)

func naiveAgent(text string) System {
	text = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return unicode.ToLower(r)
		}
		return r
	}, text)
	number := func(re *regexp.Regexp) string {
		if m := re.FindStringSubmatch(text); m != nil && len(m[1]) <= 32 {
			return strings.ReplaceAll(m[1], "_", ".")
		}
		return ""
	}
	switch {
	case appleNumber.MatchString(text):
		return System{platform.IOS, number(appleNumber)}
	case appleWord.MatchString(text):
		return System{platform.IOS, ""}
	case strings.Contains(text, "android"):
		return System{platform.Android, number(androidNumber)}
	case windowsWord.MatchString(text):
		names := map[string]string{"6.1": "7", "6.2": "8", "6.3": "8.1", "10.0": "10"}
		return System{platform.Windows, names[number(windowsNumber)]}
	case macWord.MatchString(text):
		return System{platform.MacOS, number(macNumber)}
	case linuxWord.MatchString(text):
		for name := range strings.FieldsSeq("ubuntu debian fedora centos arch manjaro opensuse suse mint deepin kylin") {
			if strings.Contains(text, name) {
				return System{platform.Linux, name}
			}
		}
		return System{platform.Linux, ""}
	case strings.Contains(text, "cros"):
		return System{platform.Others, "chrome os"}
	}
	return System{platform.Others, ""}
}

func naiveNormal(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	var b strings.Builder
	for _, r := range strings.Join(words, " ") {
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func naiveClean(text string) string {
	text = strings.Trim(naiveNormal(text), " .-/,;:")
	if utf8.RuneCountInString(text) > 32 {
		return ""
	}
	return text
}

func naiveDetect(d Declared, userAgent string) System {
	first := func(header, query, body Text) string {
		if header.Sent {
			return header.Value
		} else if query.Sent && query.Value != "" {
			return query.Value
		} else if body.Sent {
			return body.Value
		}
		return ""
	}
	text := naiveNormal(first(d.Header.Platform, d.Query.Platform, d.Body.Platform))
	version := naiveClean(first(d.Header.Version, d.Query.Version, d.Body.Version))
	best, inText := "", ""
	o := System{}
	for _, row := range tokenTable {
		for token := range strings.SplitSeq(row.tokens, ",") {
			rest, ok := strings.CutPrefix(text, token)
			if !ok || len(token) <= len(best) || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
				continue
			}
			best, o.Platform, inText = token, row.platform, naiveClean(rest)
			if row.keep {
				inText = naiveClean(text)
			}
		}
	}
	agent := naiveAgent(userAgent)
	if best == "" {
		o.Platform = agent.Platform
	}
	candidates := []string{version, inText}
	if o.Platform == agent.Platform {
		candidates = append(candidates, agent.Version)
	}
	if o.Platform == platform.Others && best == "" {
		candidates = append(candidates, naiveClean(text))
	}
	for _, v := range candidates {
		if o.Version == "" {
			o.Version = v
		}
	}
	return o
}
