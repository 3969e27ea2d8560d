package codehost

import (
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"svc/internal/release"
)

// The limits of a version, which a release does not have.
const (
	maxTitle   = 128 // characters
	maxLinks   = 32
	maxAddress = 2048 // characters
	maxName    = 128  // characters
)

// Draft is a release as a version of ours. It keeps to the limits of a version, whatever
// the release has.
type Draft struct {
	Tag         string             // trimmed
	Version     string             // the tag without one leading v; "" = the release has no usable tag
	Comparable  release.Comparable // zero = Version is not comparable, so that there is no such version
	Title       *string            // nil = it has none
	Content     *string            // nil = it has none
	Links       []Link             // of the attachments; nil = DownloadURL is the only link
	DownloadURL *string            // of the first attachment, else the source archive, else the page; nil = none
	Preview     bool
	PublishedAt *time.Time // nil = it does not say
}

// Link is an attachment of a release.
type Link struct{ URL, Name string }

// NewDraft maps a release to the fields of a version. Attachments and addresses that no
// version could have are left out.
func NewDraft(r *Release) Draft {
	d := Draft{
		Tag: strings.TrimSpace(r.TagName), Title: title(r.Name), Content: filled(r.Body),
		Preview: r.Prerelease, PublishedAt: r.PublishedAt,
	}
	d.Version = versionOf(d.Tag)
	d.Comparable, _ = release.Parse(d.Version)
	if d.PublishedAt == nil {
		d.PublishedAt = r.CreatedAt
	}
	for _, a := range r.Assets {
		address := strings.TrimSpace(a.DownloadURL)
		if len(d.Links) < maxLinks && usable(address) {
			d.Links = append(d.Links, Link{URL: address, Name: shorten(strings.TrimSpace(a.Name), maxName)})
		}
	}
	candidates := []string{strings.TrimSpace(r.ZipballURL), strings.TrimSpace(r.HTMLURL)}
	if len(d.Links) > 0 {
		candidates = []string{d.Links[0].URL}
	}
	for _, address := range candidates {
		if usable(address) {
			d.DownloadURL = &address
			break
		}
	}
	return d
}

// versionOf is a trimmed tag without one leading v or V.
func versionOf(tag string) string {
	if tag != "" && (tag[0] == 'v' || tag[0] == 'V') {
		return tag[1:]
	}
	return tag
}

func title(name string) *string {
	name = shorten(strings.TrimSpace(name), maxTitle)
	if name == "" {
		return nil
	}
	return &name
}

// filled is a trimmed text, nil when nothing is left of it.
func filled(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

// shorten cuts a text to a number of characters, of which the last is … then.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// usable reports whether a version may link to an address.
func usable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "ftp") &&
		utf8.RuneCountInString(address) <= maxAddress
}
