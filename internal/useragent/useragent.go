// Package useragent detects the operating system of a client and its version, from the
// declarations in a request and from the User-Agent. Its functions have no side effects.
//
// useragent.go contains the rules of precedence, platform.go the tokens of declared
// platforms, and agent.go the parser of User-Agent texts.
package useragent

import "svc/internal/platform"

// Text is a text that a client may have sent. It distinguishes an empty text that was
// sent from one that was not sent.
type Text struct {
	Value string
	Sent  bool
}

// Source contains what one part of a request declares about the client.
type Source struct {
	Platform Text
	Version  Text // version of the operating system
}

// Declared contains what all parts of a request declare about the client. In the query,
// an empty value is treated as not sent.
type Declared struct{ Header, Query, Body Source }

// System is the operating system of a client.
//
// Version is "" if it is not known. Otherwise it is valid UTF-8 in lower case with at
// most 32 characters. It contains no control characters and no white space except single
// blanks between words. It can share memory with the request, so a caller that keeps it
// must clone it.
type System struct {
	Platform platform.Platform
	Version  string
}

// Detect returns the system of a client. The platform is taken from the first source that
// sent one, in the order header, query, body. The version is taken in the same way, but
// independently. If the platform is not recognised, Detect takes the platform of the
// User-Agent and does not try the other sources. If no version was declared, it takes the
// version in the text of the platform. If that text contains no version either, it takes
// the version of the User-Agent, provided that the User-Agent has the same platform. If
// there is still no version and the platform is platform.Others, the version is the
// declared text that was not recognised.
//
// Detect never fails. A value that cannot be used counts as not known. If the platform is
// not known, it is platform.Others.
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

// Feedback returns the system to store with public feedback. If the body contains a known
// platform, that platform and the body's version take precedence over all other sources.
// If the body then has no version, Feedback uses the version of the header, or else of
// the query, but skips a source that names another platform. If the body contains no
// known platform, Feedback returns the result of detect, which must call Detect for the
// same request.
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

// Stored returns the system in the form that is stored with a submission. The platform
// Others without a version carries no information, so it becomes the zero System.
func (o System) Stored() System {
	if o.Platform == platform.Others && o.Version == "" {
		return System{}
	}
	return o
}

// StatisticsName returns the name of a platform in statistics, in upper case. If the
// platform is empty, the name is OTHERS.
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

// withoutEmpty returns a copy of s in which empty values are marked as not sent.
func (s Source) withoutEmpty() Source {
	s.Platform.Sent = s.Platform.Sent && s.Platform.Value != ""
	s.Version.Sent = s.Version.Sent && s.Version.Value != ""
	return s
}

// versionOf returns the version that a source declares for the platform p. It returns ""
// if the source names another platform.
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
