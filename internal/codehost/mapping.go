package codehost

import (
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"svc/internal/release"
)

// Limits of a version's fields. The fields of a release have no such limits.
const (
	maxTitle   = 128 // characters
	maxLinks   = 32
	maxAddress = 2048 // characters
	maxName    = 128  // characters
)

// Draft contains the fields of a version that is made from a release. They always observe
// the limits of a version, whatever the release contains.
type Draft struct {
	Tag         string             // tag of the release, trimmed
	Version     string             // the tag without a leading v; "" if the release has no usable tag
	Comparable  release.Comparable // zero if Version cannot be compared and is therefore not a valid version
	Title       *string            // nil if missing
	Content     *string            // nil if missing
	Links       []Link             // links to the attachments; nil if DownloadURL is the only link
	DownloadURL *string            // first attachment, or else source archive, or else release page; nil if there is none
	Preview     bool
	PublishedAt *time.Time // nil if missing
}

// Link is an attachment of a release.
type Link struct{ URL, Name string }

// NewDraft converts a release to the fields of a version. It leaves out attachments and
// addresses that a version must not contain.
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

// versionOf returns the text of a version for a tag: the trimmed tag without one leading
// v or V.
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

// filled returns a pointer to the trimmed text, or nil if the trimmed text is empty.
func filled(text string) *string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return &text
}

// shorten cuts a text that has more than the given number of characters. The result has at most
// that many characters, and it ends with an ellipsis.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// usable reports whether a version may contain a link to the given address.
func usable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "ftp") &&
		utf8.RuneCountInString(address) <= maxAddress
}
