// Package useragent detects the operating system of a client and its version from the
// declarations in a request and from its User-Agent. Its functions are pure.
//
// useragent.go contains the rules of precedence, platform.go the tokens of declared platforms,
// agent.go the parser of User-Agent texts.
package useragent

import "svc/internal/platform"

// Text is a text that a client may have sent. An empty text that was sent differs from one that
// was not.
type Text struct {
	Value string
	Sent  bool
}

// Source holds the declarations of one part of a request about its client.
type Source struct {
	Platform Text
	Version  Text // of the system
}

// Declared holds the declarations of all parts of a request. In a query, an empty value counts as
// not sent.
type Declared struct{ Header, Query, Body Source }

// System is the system of a caller.
//
// Version is "" when it is not known. Otherwise it is valid UTF-8 in lower case
// with at most 32 characters, without control characters, with single blanks
// only and none around it. It may share the memory of what was sent; a caller
// that keeps it longer than the request clones it.
type System struct {
	Platform platform.Platform
	Version  string
}

// Detect finds the system of a caller. Platform and version are taken each on
// its own from the first source that sent one, in the order header, query, body.
// A platform that is not recognised does not fall through to the next source but
// to the User-Agent. The version is the declared one, else the one in the text
// of the platform, else that of the User-Agent where it speaks of the same
// platform, else, for platform others, the text that was not recognised.
//
// It never fails: what cannot be used counts as not known, and the platform is
// then platform.Others.
func Detect(d Declared, userAgent string) System {
	query := d.Query.withoutEmpty()
	text := normal(firstSent(d.Header.Platform, query.Platform, d.Body.Platform))
	version := cleanVersion(normal(firstSent(d.Header.Version, query.Version, d.Body.Version)))

	p, inText, recognised := parseDeclared(text)
	if version == "" {
		version = inText
	}
	if recognised && version != "" {
		return System{p, version}
	}
	agent := parseAgent(userAgent)
	if !recognised {
		p = agent.Platform
	}
	if version == "" && p == agent.Platform {
		version = agent.Version
	}
	if version == "" && p == platform.Others && !recognised {
		version = cleanVersion(text)
	}
	return System{p, version}
}

// Feedback returns the system that a public feedback is stored with. A platform in its body, one
// of the closed set, takes precedence over every other source, with the version in the body. The
// version of the header, then of the query, is only used if that source names the same platform
// or none. Without a platform in the body, Feedback returns the result of detect, which is Detect
// of the same request.
func Feedback(d Declared, detect func() System) System {
	p, ok := platform.Parse(d.Body.Platform.Value)
	if !d.Body.Platform.Sent || !ok {
		return detect()
	}
	version := cleanVersion(normal(d.Body.Version.Value))
	for _, s := range [...]Source{d.Header, d.Query} {
		if version == "" {
			version = s.versionOf(p)
		}
	}
	return System{p, version}
}

// Stored returns the system as submissions store it. Others without a version carries no
// information and becomes the zero System.
func (o System) Stored() System {
	if o.Platform == platform.Others && o.Version == "" {
		return System{}
	}
	return o
}

// StatisticsName returns the name of a platform in statistics, in upper case. The name of no
// platform is OTHERS.
func StatisticsName(p platform.Platform) string {
	switch p {
	case platform.Windows:
		return "WINDOWS"
	case platform.Linux:
		return "LINUX"
	case platform.MacOS:
		return "MACOS"
	case platform.IOS:
		return "IOS"
	case platform.Android:
		return "ANDROID"
	case platform.Web:
		return "WEB"
	default:
		return "OTHERS"
	}
}

// firstSent returns the value of the first text that was sent, or "".
func firstSent(texts ...Text) string {
	for _, text := range texts {
		if text.Sent {
			return text.Value
		}
	}
	return ""
}

// withoutEmpty returns s with empty values marked as not sent.
func (s Source) withoutEmpty() Source {
	s.Platform.Sent = s.Platform.Sent && s.Platform.Value != ""
	s.Version.Sent = s.Version.Sent && s.Version.Value != ""
	return s
}

// versionOf returns the version that a source declares for p, or "" if it names another platform.
func (s Source) versionOf(p platform.Platform) string {
	text := normal(s.Platform.Value)
	named, inText, _ := parseDeclared(text)
	if text != "" && named != p {
		return ""
	}
	if version := cleanVersion(normal(s.Version.Value)); version != "" {
		return version
	}
	return inText
}
